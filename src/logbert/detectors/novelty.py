"""The trivial memory: a sequence is odd when its keys, key set, count vector, length or 2-grams never occurred before.

No network, no training time, and often hard to beat. What makes it more than a look-up is that every part knows how
rare its own kind of novelty is among normal sequences: where one in thirty normal sessions has a count vector of its
own, an unseen count vector says little, and only one far from all known ones says much.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from logbert.detectors.base import Detector, Reason
from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus, Scores, SequencesLike
from logbert.detectors.novelty_parts import PARTS, Part, View
from logbert.detectors.tally import Rarity
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt


class Novelty(Detector):
    """Remembers what occurred in training, and how rare it is for a normal sequence to be new.

    It works well where normal behaviour repeats itself: sessions that run through the same steps (jobs, requests). It
    works badly where hardly any window is like another, and it cannot tell a new fault from a new feature.

    Each part gives a sequence a value, 0 if known and larger the further from known: how many keys or 2-grams are
    unseen; the Jaccard distance to the nearest known key set or count vector; the doublings to the nearest length. Its
    rarity is the share of training sequences with at least that value when each is judged by a memory of all the
    others. The raw score is the logarithm of the mean of 1/rarity over the parts: nearly the rarest part alone, with a
    little for every other that agrees.

    The boundary comes from the held-out sequences. If they are too few to see the false-alarm rate that was asked for,
    the training sequences, each judged by a memory of all the others, are counted with them.

    Parameters
    ----------
    parts
        What to remember, any of "key", "key set", "count vector", "length", "2-gram".
    false_alarms
        The share of normal sequences that may reach the boundary.
    seed
        Draws the held-out sequences when none are given.

    Examples
    --------
    >>> normal = [[5, 22, 11, 9, 26], [5, 22, 11, 11, 9, 9, 26], [5, 5, 22, 11, 9, 26]] * 30
    >>> novelty = Novelty().fit(normal)
    >>> novelty.predict([[5, 22, 11, 9, 26], [5, 22, 11, 9], [5, 22, 11, 9, 26, 7]]).tolist()
    [False, True, True]
    >>> [(reason.kind, reason.key) for reason in novelty.explain([5, 22, 11, 9, 26, 7])]
    [('unseen key', 7)]
    """

    name: ClassVar[str] = "novelty"
    unit: ClassVar[float] = 0.1

    def __init__(self, parts: Iterable[str] = tuple(PARTS), *, false_alarms: float = 0.001, seed: int = 0) -> None:
        self.parts = parts
        self.false_alarms = false_alarms
        self.seed = seed

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        view = View(train)
        self.parts_: dict[str, Part] = {}
        self.rarities_: dict[str, Rarity] = {}
        values = {}
        for name in self._names():
            self.parts_[name], values[name] = PARTS[name].learn(view)
            spread = values[name][train.inverse]
            self.rarities_[name] = Rarity(np.sort(spread[spread > 0]), rows=train.rows, scale=PARTS[name].scale)
        self.left_out_: Scores = self._combined(values, len(train))[train.inverse]

    def _names(self) -> list[str]:
        chosen = (self.parts,) if isinstance(self.parts, str) else tuple(self.parts)
        unknown = [name for name in chosen if name not in PARTS]
        if unknown or not chosen:
            raise OptionError(f"parts={chosen!r}: choose one or more of {', '.join(map(repr, PARTS))}")
        return [name for name in PARTS if name in chosen]

    def _learn_across(self, corpus: Corpus) -> Scores | None:
        """Remember all, and judge each row as if it were the one that is not remembered."""
        self._learn(corpus, corpus)
        return self.left_out_

    def calibrate(self, held_out: SequencesLike) -> None:
        """Set the boundary from held-out sequences, and from training ones where those are too few."""
        super().calibrate(held_out)
        if not self.calibration_.resolvable:
            both = np.concatenate([self.calibration_.held_out, self.left_out_])
            self.calibration_ = Calibration.of(both, false_alarms=self.false_alarms, unit=self.unit)

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give the logarithm of the mean of 1/rarity over the parts; 0 when all is known."""
        return self._combined(self._values(View(corpus)), len(corpus))

    def unseen(self, sequences: SequencesLike) -> dict[str, npt.NDArray[np.bool_]]:
        """Say for each part and sequence whether it is new at all: the trivial detectors, without any boundary."""
        self._must_be_fitted()
        corpus = Corpus.of(sequences)
        return {name: (values > 0)[corpus.inverse] for name, values in self._values(View(corpus)).items()}

    def _values(self, view: View) -> dict[str, Scores]:
        return {name: part.values(view) for name, part in self.parts_.items()}

    def _combined(self, values: dict[str, Scores], size: int) -> Scores:
        total = np.zeros(size, dtype=np.float64)
        steadiness = sum(rarity.steadiness for rarity in self.rarities_.values())
        for name, rarity in self.rarities_.items():
            total += rarity.steadiness / steadiness / rarity.probability(values[name])
        return np.maximum(np.log(total), 0.0)

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Say what never occurred before, the rarest kind of novelty first."""
        return self.explain_all(Corpus.of([sequence]))[0]

    def explain_all(self, corpus: Corpus) -> list[list[Reason]]:
        """Explain each distinct sequence."""
        self._must_be_fitted()
        return [self._explain(View(Corpus.single(keys))) for keys in corpus]

    def _explain(self, view: View) -> list[Reason]:
        found: list[Reason] = []
        for name, part in self.parts_.items():
            rarity = float(self.rarities_[name].probability(part.values(view))[0])
            if rarity < 1.0:
                weight = float(-np.log(rarity))
                new = [replace(reason, weight=weight * reason.weight) for reason in part.reasons(view)]
                found += [reason for reason in new if not _is_said(reason, found)]
        return sorted(found, key=lambda reason: -reason.weight)

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {"left_out": self.left_out_}
        for name, part in self.parts_.items():
            arrays |= {f"{name}/{field}": array for field, array in part.arrays().items()}
            arrays[f"{name}/unusual"] = self.rarities_[name].unusual
        return {"rows": len(self.left_out_)}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.parts_, self.rarities_ = {}, {}
        for name in self._names():
            own = {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}
            self.parts_[name] = PARTS[name].from_arrays(own)
            unusual = own["unusual"].astype(np.float64)
            self.rarities_[name] = Rarity(unusual, rows=facts["rows"], scale=PARTS[name].scale)
        self.left_out_ = arrays["left_out"].astype(np.float64)


def _is_said(reason: Reason, found: list[Reason]) -> bool:
    """Say whether a simpler part blames the same key: an unseen key is also one too many, and an unseen 2-gram."""
    blaming = {other.kind for other in found if other.key is not None and other.key == reason.key}
    if reason.kind == "unseen 2-gram":
        return "unseen key" in blaming
    return bool(blaming)
