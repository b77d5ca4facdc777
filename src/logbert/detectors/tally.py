"""The keys of each sequence counted, and how far such counts are from the nearest known ones.

Everything here works on all distinct sequences of a corpus at once. A set of keys and a count vector are both sets of
*features*: "key k occurs", or "key k occurs at least n times" for a ladder of n. How far a sequence is from the nearest
known one is then the Jaccard distance of two such sets, a ratio of whole numbers and the same whatever else is judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus, Keys, Rows, Scores

    Codes = npt.NDArray[np.uint64]

LADDER = np.array([1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096, 16384])
BLOCK = 512  # sequences compared with all references at a time, to bound memory


def mixed(values: Codes) -> Codes:
    """Scatter 64-bit values (splitmix64), so that a sum of them identifies the set they came from."""
    mixing = values + np.uint64(0x9E3779B97F4A7C15)
    mixing = (mixing ^ (mixing >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixing = (mixing ^ (mixing >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: Codes = mixing ^ (mixing >> np.uint64(31))
    return scattered


def paired(high: npt.NDArray[np.integer], low: npt.NDArray[np.integer]) -> Codes:
    """Put two 32-bit values into one 64-bit code."""
    return (high.astype(np.uint64) << np.uint64(32)) | low.astype(np.uint32).astype(np.uint64)


def segment_sums(values: Codes, offsets: Rows) -> Codes:
    """Sum each segment of `values`, modulo 2**64; empty segments give 0."""
    running = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(values, dtype=np.uint64)])
    sums: Codes = running[offsets[1:]] - running[offsets[:-1]]
    return sums


@dataclass(frozen=True, eq=False)
class Tally:
    """Each distinct sequence's distinct keys and how often each occurs in it, one after the other.

    Examples
    --------
    >>> from logbert.detectors import Corpus
    >>> tally = Tally.of(Corpus.of([[5, 5, 9], [7]]))
    >>> tally.keys.tolist(), tally.times.tolist(), tally.offsets.tolist()
    ([5, 9, 7], [2, 1, 1], [0, 2, 3])
    """

    keys: Keys
    times: Rows
    offsets: Rows

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """Count the keys of each distinct sequence."""
        codes, times = np.unique(paired(corpus.owners, corpus.keys), return_counts=True)
        owners = (codes >> np.uint64(32)).astype(np.int64)
        keys = (codes & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
        offsets = np.searchsorted(owners, np.arange(len(corpus) + 1)).astype(np.int64)
        return cls(keys=keys, times=times.astype(np.int64), offsets=offsets)

    def __len__(self) -> int:
        """Count the distinct sequences."""
        return len(self.offsets) - 1

    @cached_property
    def owners(self) -> Rows:
        """For each entry of `keys`, the distinct sequence it belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    @property
    def as_sets(self) -> Tally:
        """The same with every key counted once."""
        return Tally(keys=self.keys, times=np.ones_like(self.times), offsets=self.offsets)

    @property
    def names(self) -> Codes:
        """A 64-bit name for each sequence's counts, equal when the counts are."""
        return segment_sums(mixed(paired(self.times, self.keys)), self.offsets)

    def take(self, sequences: npt.NDArray[np.integer]) -> Tally:
        """Keep only these sequences, in this order."""
        lengths = np.diff(self.offsets)[sequences]
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]).astype(np.int64)
        entries = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[sequences], lengths)
        return Tally(keys=self.keys[entries], times=self.times[entries], offsets=offsets)


@dataclass(frozen=True, eq=False)
class References:
    """Known counts, and for other counts the nearest of them.

    Examples
    --------
    >>> from logbert.detectors import Corpus
    >>> known = References.of(Tally.of(Corpus.of([[1, 2, 3], [7, 8]])))
    >>> distance, which = known.nearest(Tally.of(Corpus.of([[1, 2], [7, 8, 9, 9]])))
    >>> distance.round(2).tolist(), which.tolist()
    ([0.33, 0.5], [0, 1])
    """

    tally: Tally
    keys: Keys  # of all columns of `matrix`, ascending by key and then by step of the ladder
    steps: Rows
    matrix: npt.NDArray[np.float32]  # (references, features)

    @classmethod
    def of(cls, tally: Tally) -> Self:
        """Remember these counts."""
        features = np.unique(paired(*_features(tally)[1:]))
        keys = (features >> np.uint64(32)).astype(np.uint32).view(np.int32)
        steps = (features & np.uint64(0xFFFFFFFF)).astype(np.int64)
        bare = cls(tally=tally, keys=keys, steps=steps, matrix=np.empty((0, len(keys)), dtype=np.float32))
        return cls(tally=tally, keys=keys, steps=steps, matrix=bare._encode(tally))

    def nearest(self, tally: Tally, *, but: Rows | None = None) -> tuple[Scores, Rows]:
        """Give each sequence's Jaccard distance to the nearest reference, and which one that is.

        `but` names, for each sequence, a reference that does not count (itself); -1 is none.
        """
        distances = np.ones(len(tally), dtype=np.float64)
        which = np.full(len(tally), -1, dtype=np.int64)
        if len(self.tally) == 0:
            return distances, which
        sizes = self.matrix.sum(axis=1, dtype=np.float64)
        for begin in range(0, len(tally), BLOCK):
            block = tally.take(np.arange(begin, min(begin + BLOCK, len(tally))))
            shared = (self._encode(block) @ self.matrix.T).astype(np.float64)
            own = np.bincount(_features(block)[0], minlength=len(block)).astype(np.float64)
            union = own[:, None] + sizes[None, :] - shared
            apart = np.where(union > 0, 1.0 - shared / np.maximum(union, 1.0), 0.0)
            if but is not None:
                excluded = but[begin : begin + len(block)]
                named = np.flatnonzero(excluded >= 0)
                apart[named, excluded[named]] = np.inf
            best = np.argmin(apart, axis=1)
            found = apart[np.arange(len(block)), best]
            distances[begin : begin + len(block)] = np.minimum(found, 1.0)
            which[begin : begin + len(block)] = np.where(np.isfinite(found), best, -1)
        return distances, which

    def _encode(self, tally: Tally) -> npt.NDArray[np.float32]:
        """Give a row of zeros and ones (exact to sum in float32) for each sequence; unknown features are left out."""
        owners, keys, steps = _features(tally)
        matrix = np.zeros((len(tally), len(self.keys)), dtype=np.float32)
        known = paired(self.keys.view(np.uint32), self.steps)
        if len(known):
            codes = paired(keys, steps)
            columns = np.minimum(np.searchsorted(known, codes), len(known) - 1)
            hit = known[columns] == codes
            matrix[owners[hit], columns[hit]] = 1.0
        return matrix


def _features(tally: Tally) -> tuple[Rows, npt.NDArray[np.uint32], Rows]:
    """Give owner, key and step of every "key occurs at least LADDER[step] times" that holds."""
    rungs = np.searchsorted(LADDER, tally.times, side="right")
    entries = np.repeat(np.arange(len(rungs)), rungs)
    steps = np.arange(len(entries)) - np.repeat(np.cumsum(rungs) - rungs, rungs)
    return tally.owners[entries], tally.keys[entries].view(np.uint32), steps.astype(np.int64)


def two_grams(corpus: Corpus) -> tuple[Rows, Codes, Rows]:
    """Give the owner, code and index (of its second key) of every pair of neighbouring keys."""
    owners = corpus.owners
    second = np.flatnonzero(owners[1:] == owners[:-1]) + 1
    return owners[second], paired(corpus.keys[second - 1].view(np.uint32), corpus.keys[second].view(np.uint32)), second


def is_among(codes: npt.NDArray[np.generic], known: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Say which codes are among the known, which are ascending."""
    if len(known) == 0:
        return np.zeros(len(codes), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.asarray(known[places] == codes, dtype=np.bool_)


def row_counts(names: npt.NDArray[np.generic], counts: Rows) -> tuple[npt.NDArray[np.generic], Rows]:
    """Give the distinct names, ascending, and how many rows bear each."""
    distinct, inverse = np.unique(names, return_inverse=True)
    return distinct, np.bincount(inverse, weights=counts, minlength=len(distinct)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Rarity:
    """How rare a part's value is among the training sequences, each judged by a memory of all the others.

    Attributes
    ----------
    unusual
        The values above zero, ascending.
    rows
        How many training sequences there were.
    scale
        How far past the largest of them a value must lie to be half as probable.

    Examples
    --------
    >>> rarity = Rarity(np.array([0.25, 0.5]), rows=999, scale=0.5)
    >>> rarity.probability(np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [1.0, 0.003, 0.002, 0.0005]
    """

    unusual: Scores
    rows: int
    scale: float

    @property
    def steadiness(self) -> float:
        """How many training sequences there are to one that is new to the others."""
        return (1.0 + self.rows) / (1.0 + len(self.unusual))

    def probability(self, values: Scores) -> Scores:
        """Give the share of normal sequences expected to have a value at least this large."""
        at_least = len(self.unusual) - np.searchsorted(self.unusual, values, side="left")
        share = (1.0 + at_least) / (1.0 + self.rows)
        largest = self.unusual[-1] if len(self.unusual) else 0.0
        beyond = np.maximum(values - largest, 0.0) / self.scale
        return np.asarray(np.where(values > 0, share / (1.0 + beyond), 1.0), dtype=np.float64)
