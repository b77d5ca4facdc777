"""The parts of the memory: what each remembers of normal sequences, and how far a sequence is from that.

Every part gives a sequence a value: 0 if it was known, larger the further from known. While learning, each training
sequence also gets the value it would have had if the memory held all training sequences but this one: that is what the
values of normal sequences look like, without holding any out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from logbert.detectors.base import Reason
from logbert.detectors.tally import References, Tally, is_among, paired, row_counts, two_grams

if TYPE_CHECKING:
    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus, Keys, Rows, Scores
    from logbert.detectors.tally import Codes

    Arrays = dict[str, npt.NDArray[np.generic]]

MOST_REFERENCES = 4096  # distances are to the nearest of the most frequent this many; what is known is known exactly
NOT_QUITE = 1e-3  # the value of an unseen count vector that no rung of the ladder tells from a known one
MOST_EXPECTED = 3  # how many likely followers a reason names


@dataclass(frozen=True, eq=False)
class View:
    """A corpus, and its keys counted once for all parts."""

    corpus: Corpus

    @cached_property
    def tally(self) -> Tally:
        """The counts of each distinct sequence."""
        return Tally.of(self.corpus)


class Part(ABC):
    """One thing that is remembered."""

    name: ClassVar[str]
    scale: ClassVar[float]  # how much further from known makes a value half as probable

    @classmethod
    @abstractmethod
    def learn(cls, view: View) -> tuple[Self, Scores]:
        """Remember; also give each distinct sequence its value for a memory of all the others."""

    @abstractmethod
    def values(self, view: View) -> Scores:
        """Say how far each distinct sequence is from known; 0 is known."""

    @abstractmethod
    def reasons(self, view: View) -> list[Reason]:
        """Say what is unknown about the single sequence of `view`; weights are relative."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Give what is remembered."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Take back what `arrays` gave."""


class KeyPart(Part):
    """Which keys there are. The value is the number of distinct unseen keys."""

    name = "key"
    scale = 1.0

    def __init__(self, keys: Keys) -> None:
        self.keys = keys

    @classmethod
    def learn(cls, view: View) -> tuple[Self, Scores]:
        """Remember all keys; one that a single sequence has is unseen to the others."""
        tally, counts = view.tally, view.corpus.counts
        keys, rows = row_counts(tally.keys, counts[tally.owners])
        alone = is_among(tally.keys, keys[rows == 1])
        values = np.bincount(tally.owners[alone], minlength=len(tally)).astype(np.float64)
        return cls(keys.astype(np.int32)), values

    def values(self, view: View) -> Scores:
        """Count distinct unseen keys."""
        unseen = ~is_among(view.tally.keys, self.keys)
        return np.bincount(view.tally.owners[unseen], minlength=len(view.tally)).astype(np.float64)

    def reasons(self, view: View) -> list[Reason]:
        """Name each unseen key at its first position."""
        keys = view.corpus[0]
        unseen = ~is_among(view.tally.keys, self.keys)
        return [
            Reason("unseen key", 1.0, _first(keys, key), int(key), detail=f"never in training, here {_times(times)}")
            for key, times in zip(view.tally.keys[unseen], view.tally.times[unseen], strict=True)
        ]

    def arrays(self) -> Arrays:
        """Give the keys."""
        return {"keys": self.keys}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Take the keys back."""
        return cls(arrays["keys"].astype(np.int32))


class CountsPart(Part):
    """Which count vectors there are. The value is the Jaccard distance to the nearest known one."""

    name = "count vector"
    scale = 0.1

    def __init__(self, known: Codes, references: Tally, limits: Arrays) -> None:
        self.known = known
        self.references = References.of(references)
        self.limits = limits  # for each key of training, how often it occurs where it does: at least, at most

    @staticmethod
    def counted(view: View) -> Tally:
        """Give what of a sequence is remembered."""
        return view.tally

    @classmethod
    def learn(cls, view: View) -> tuple[Self, Scores]:
        """Remember all; one that a single sequence has is as far from known as from the nearest other."""
        tally = cls.counted(view)
        names = tally.names
        known, first, inverse = np.unique(names, return_index=True, return_inverse=True)
        rows = np.bincount(inverse, weights=view.corpus.counts, minlength=len(known)).astype(np.int64)
        chosen = np.lexsort((known, -rows))[:MOST_REFERENCES]
        part = cls(known, tally.take(first[chosen]), _limits(tally))
        place = np.full(len(known), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        alone = np.flatnonzero(rows[inverse] == 1)
        values = np.zeros(len(tally), dtype=np.float64)
        distances, _ = part.references.nearest(tally.take(alone), but=place[inverse[alone]])
        values[alone] = np.maximum(distances, NOT_QUITE)
        return part, values

    def values(self, view: View) -> Scores:
        """Give the distance to the nearest reference, 0 for what is known."""
        tally = self.counted(view)
        unseen = np.flatnonzero(~is_among(tally.names, self.known))
        values = np.zeros(len(tally), dtype=np.float64)
        values[unseen] = np.maximum(self.references.nearest(tally.take(unseen))[0], NOT_QUITE)
        return values

    def reasons(self, view: View) -> list[Reason]:
        """Name the keys whose counts differ from the nearest known ones, the largest difference first."""
        here, known, which = self._beside(view)
        if which < 0:
            return []
        found = []
        for key in sorted(here.keys() | known.keys()):
            times, usual = here.get(key, 0), known.get(key, 0)
            if times != usual:
                doublings = abs(float(np.log2((times + 1) / (usual + 1))))
                weight = doublings / (1.0 + doublings)
                position = _first(view.corpus[0], key, usual) if times > usual else None
                found.append(Reason("unseen counts", weight, position, key, detail=self._compare(key, times, usual)))
        return found

    def _beside(self, view: View) -> tuple[dict[int, int], dict[int, int], int]:
        """Give the sequence's counts, those of the nearest reference, and which that is."""
        tally = self.counted(view)
        if is_among(tally.names, self.known)[0]:
            return {}, {}, -1
        which = int(self.references.nearest(tally)[1][0])
        near = self.references.tally.take(np.array([which] if which >= 0 else [], dtype=np.int64))
        here = dict(zip(tally.keys.tolist(), tally.times.tolist(), strict=True))
        return here, dict(zip(near.keys.tolist(), near.times.tolist(), strict=True)), which

    def _compare(self, key: int, times: int, usual: int) -> str:
        """Say how often the key occurs and how often it should."""
        place = np.flatnonzero(self.limits["keys"] == key)
        if len(place) == 0:
            return f"seen {_times(times)}, never in training"
        least, most = int(self.limits["least"][place[0]]), int(self.limits["most"][place[0]])
        if times > most:
            return f"seen {_times(times)}, at most {most} in training"
        if 0 < times < least:
            return f"seen {_times(times)}, at least {least} in training where it occurs"
        return f"seen {_times(times)}, {usual} in the nearest known sequence"

    def arrays(self) -> Arrays:
        """Give names, references and limits."""
        tally = self.references.tally
        references: Arrays = {
            "reference_keys": tally.keys,
            "reference_times": tally.times,
            "reference_offsets": tally.offsets,
        }
        arrays: Arrays = {"known": self.known, **references}
        return arrays | {f"limit_{name}": array for name, array in self.limits.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Take them back."""
        references = Tally(
            keys=arrays["reference_keys"].astype(np.int32),
            times=arrays["reference_times"].astype(np.int64),
            offsets=arrays["reference_offsets"].astype(np.int64),
        )
        limits = {name: arrays[f"limit_{name}"] for name in ("keys", "least", "most")}
        return cls(arrays["known"].astype(np.uint64), references, limits)


class SetPart(CountsPart):
    """Which sets of keys there are. The value is the Jaccard distance to the nearest known one."""

    name = "key set"
    scale = 0.1

    @staticmethod
    def counted(view: View) -> Tally:
        """Count every key once."""
        return view.tally.as_sets

    def reasons(self, view: View) -> list[Reason]:
        """Name the keys that the nearest known set has and this one has not, and the other way round."""
        here, known, which = self._beside(view)
        if which < 0:
            return []
        missing = [
            Reason("missing key", 1.0, key=key, detail="normal in a sequence like this")
            for key in sorted(known.keys() - here.keys())
        ]
        seen = set(self.limits["keys"].tolist())
        extra = [
            Reason("unseen set of keys", 0.9, _first(view.corpus[0], key), key, detail="never together with the others")
            for key in sorted(here.keys() - known.keys())
            if key in seen
        ]
        return missing + extra


class LengthPart(Part):
    """Which lengths there are. The value is the distance to the nearest known one, in doublings."""

    name = "length"
    scale = 1.0

    def __init__(self, lengths: Rows) -> None:
        self.lengths = lengths

    @classmethod
    def learn(cls, view: View) -> tuple[Self, Scores]:
        """Remember all lengths; one that a single sequence has is unseen to the others."""
        lengths = view.corpus.lengths
        known, rows = row_counts(lengths, view.corpus.counts)
        values = np.zeros(len(lengths), dtype=np.float64)
        for length in known[rows == 1]:
            values[lengths == length] = _doublings(np.array([length]), known[known != length].astype(np.int64))[0]
        return cls(known.astype(np.int64)), values

    def values(self, view: View) -> Scores:
        """Give the distance to the nearest known length."""
        return _doublings(view.corpus.lengths, self.lengths)

    def reasons(self, view: View) -> list[Reason]:
        """Say how long it is and how long training sequences are."""
        length = int(view.corpus.lengths[0])
        if length in self.lengths:
            return []
        detail = f"{length} records; in training {self.lengths[0]} to {self.lengths[-1]}"
        if self.lengths[0] < length < self.lengths[-1]:
            detail += f", {length} never"
        return [Reason("unseen length", 1.0, position=length, detail=detail)]

    def arrays(self) -> Arrays:
        """Give the lengths."""
        return {"lengths": self.lengths}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Take the lengths back."""
        return cls(arrays["lengths"].astype(np.int64))


class TwoGramPart(Part):
    """Which keys follow each other. The value is the number of distinct unseen pairs of neighbours."""

    name = "2-gram"
    scale = 1.0

    def __init__(self, pairs: Codes, times: Rows) -> None:
        self.pairs = pairs
        self.times = times

    @classmethod
    def learn(cls, view: View) -> tuple[Self, Scores]:
        """Remember all pairs; one that a single sequence has is unseen to the others."""
        owners, codes, _ = two_grams(view.corpus)
        counts = view.corpus.counts
        pairs, times = row_counts(codes, counts[owners])
        once_each, rows = _distinct_of(owners, codes, pairs)
        in_rows = np.bincount(once_each, weights=counts[rows], minlength=len(pairs))
        values = np.bincount(rows[in_rows[once_each] == 1], minlength=len(view.corpus)).astype(np.float64)
        return cls(pairs.astype(np.uint64), times), values

    def values(self, view: View) -> Scores:
        """Count distinct unseen pairs."""
        owners, codes, _ = two_grams(view.corpus)
        unseen = ~is_among(codes, self.pairs)
        pairs = np.unique(codes[unseen])
        _, rows = _distinct_of(owners[unseen], codes[unseen], pairs)
        return np.bincount(rows, minlength=len(view.corpus)).astype(np.float64)

    def reasons(self, view: View) -> list[Reason]:
        """Name the second key of each unseen pair, and what follows the first one in training."""
        _, codes, positions = two_grams(view.corpus)
        unseen = np.flatnonzero(~is_among(codes, self.pairs))
        _, first = np.unique(codes[unseen], return_index=True)
        found = []
        for index in np.sort(first):
            position = int(positions[unseen[index]])
            key, before = int(view.corpus[0][position]), view.corpus[0][position - 1]
            detail = "never directly after the record before it"
            expected = self._followers(before)
            found.append(Reason("unseen 2-gram", 1.0 / len(first), position, key, expected=expected, detail=detail))
        return found

    def _followers(self, key: np.int32) -> tuple[tuple[int, float], ...]:
        """Give the keys that most often follow this one in training, with their shares."""
        span = np.asarray([key, key + 1] if key < np.iinfo(np.int32).max else [key, key], dtype=np.int32)
        begin, end = np.searchsorted(self.pairs, paired(span.view(np.uint32), np.zeros(2, dtype=np.int64)))
        pairs, times = self.pairs[begin:end], self.times[begin:end]
        likely = np.lexsort((pairs, -times))[:MOST_EXPECTED]
        keys = (pairs[likely] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
        return tuple((int(k), round(float(t / times.sum()), 4)) for k, t in zip(keys, times[likely], strict=True))

    def arrays(self) -> Arrays:
        """Give the pairs and how often each occurred."""
        return {"pairs": self.pairs, "times": self.times}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Take them back."""
        return cls(arrays["pairs"].astype(np.uint64), arrays["times"].astype(np.int64))


PARTS: dict[str, type[Part]] = {part.name: part for part in (KeyPart, SetPart, CountsPart, LengthPart, TwoGramPart)}


def _limits(tally: Tally) -> Arrays:
    """Give the fewest and the most times each key occurs where it does."""
    keys, inverse = np.unique(tally.keys, return_inverse=True)
    least = np.full(len(keys), np.iinfo(np.int64).max, dtype=np.int64)
    most = np.zeros(len(keys), dtype=np.int64)
    np.minimum.at(least, inverse, tally.times)
    np.maximum.at(most, inverse, tally.times)
    return {"keys": keys, "least": least, "most": most}


def _doublings(lengths: Rows, known: Rows) -> Scores:
    """Give how many doublings each length is from the nearest of `known`, which is ascending."""
    if len(known) == 0:
        return np.ones(len(lengths), dtype=np.float64)
    above = np.searchsorted(known, lengths)
    over, under = known[np.minimum(above, len(known) - 1)], known[np.maximum(above - 1, 0)]
    here = np.log2(lengths + 1.0)
    return np.asarray(np.minimum(np.abs(np.log2(over + 1.0) - here), np.abs(here - np.log2(under + 1.0))))


def _distinct_of(owners: Rows, codes: Codes, known: npt.NDArray[np.generic]) -> tuple[Rows, Rows]:
    """Give each owner's distinct codes, as places in `known`, and the owners."""
    joint = np.unique(paired(owners, np.searchsorted(known, codes)))
    return (joint & np.uint64(0xFFFFFFFF)).astype(np.int64), (joint >> np.uint64(32)).astype(np.int64)


def _first(keys: Keys, key: int | np.integer, after: int = 0) -> int | None:
    """Give the position of the key's occurrence number `after` (counted from 0)."""
    positions = np.flatnonzero(keys == key)
    return int(positions[min(after, len(positions) - 1)]) if len(positions) else None


def _times(count: int | np.integer) -> str:
    """Say a number of times."""
    return {0: "not at all", 1: "once", 2: "twice"}.get(int(count), f"{count} times")
