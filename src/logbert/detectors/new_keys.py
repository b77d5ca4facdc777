"""Keys that training never saw, judged by what their texts say.

On a system that changes, a key nobody saw before is mostly a new feature, and sometimes the first word of a disaster.
Its template's text tells them apart better than anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from logbert.detectors.base import Detector, Reason
from logbert.detectors.calibration import Calibration
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.tally import Tally, is_among, row_counts
from logbert.detectors.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus, Keys, Scores, SequencesLike

MORE_OF_THEM = 0.05  # what each further new key of a sequence adds to the worst one's weight
MOST_OF_THEM = 10  # ... up to this many


@dataclass(frozen=True)
class NewKey:
    """What is thought of a key that training never saw.

    Attributes
    ----------
    tone
        "failure", "neutral" or "routine" by its text and level; "silent" when it has no text.
    badness
        How bad the text is; 0 for a silent one.
    words
        The words that made it so.
    """

    tone: Literal["failure", "neutral", "routine", "silent"]
    badness: float
    words: str

    @property
    def weight(self) -> float:
        """What it adds to a sequence's raw score: nothing for routine, 1 for neutral, more the worse it sounds."""
        if self.tone == "routine":
            return 0.0
        return 1.0 + self.badness if self.tone == "failure" else 1.0

    @property
    def detail(self) -> str:
        """What to tell about it."""
        if self.tone == "silent":
            return "never in training, and its text is not known"
        if self.tone == "neutral":
            return "never in training, and its text speaks neither of failure nor of routine"
        return f"never in training, and speaks of {self.tone} ({self.words})"


class NewKeys(Detector):
    """Sees keys that training never saw, and reads their texts.

    The raw score of a sequence is that of its worst new key, and a little for each further one: 0 for a key whose
    text speaks of routine, 1 if it says nothing either way or has no text, 1 and its badness if it speaks of failure.

    The boundary counts training sequences too, each judged as if its own keys were known only from the others: where
    new keys are an everyday matter, one that says nothing is no alarm.

    Parameters
    ----------
    false_alarms
        The share of normal sequences that may reach the boundary.
    seed
        Draws the held-out sequences when none are given.

    Examples
    --------
    >>> texts = KeyTexts({1: "Receiving block <*>", 2: "Disk failed on <*>", 3: "Started balancer", 4: "Moving <*>"})
    >>> new_keys = NewKeys().read(texts).fit([[1, 1], [1]] * 30)
    >>> new_keys.predict([[1, 2], [1, 3], [1, 4]]).tolist()
    [True, False, True]
    >>> new_keys.explain([1, 2])[0].detail
    'never in training, and speaks of failure (failed)'
    """

    name: ClassVar[str] = "new keys"
    unit: ClassVar[float] = 0.1

    def __init__(self, *, false_alarms: float = 0.001, seed: int = 0) -> None:
        self.false_alarms = false_alarms
        self.seed = seed

    keys_: Keys

    def read(self, texts: KeyTexts) -> Self:
        """Take the texts of all keys there are by now; what training saw stays known."""
        self.texts = texts
        self._judged: dict[int, NewKey] = {}
        if hasattr(self, "keys_"):
            self._settle()
        return self

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        tally = Tally.of(train)
        keys, rows = row_counts(tally.keys, train.counts[tally.owners])
        self.keys_ = keys.astype(np.int32)
        self._settle()
        alone = is_among(tally.keys, keys[rows == 1])
        self.left_out_: Scores = self._raw(tally, alone)[train.inverse]

    def _learn_across(self, corpus: Corpus) -> Scores | None:
        """Know all keys, and judge each row as if its own keys were known only from the others."""
        self._learn(corpus, corpus)
        return self.left_out_

    def _settle(self) -> None:
        """Take the known keys' texts as routine."""
        self._judged = {}
        self._words = Words().learn(self.texts.texts_of(self.keys_.tolist()))

    def calibrate(self, held_out: SequencesLike) -> None:
        """Set the boundary from held-out sequences and, left out one by one, the training sequences."""
        super().calibrate(held_out)
        both = np.concatenate([self.calibration_.held_out, self.left_out_])
        self.calibration_ = Calibration.of(both, false_alarms=self.false_alarms, unit=self.unit)

    def judge(self, key: int) -> NewKey:
        """Say what is thought of a new key."""
        if key not in self._judged:
            text = self.texts.text(key)
            if text is None:
                self._judged[key] = NewKey("silent", 0.0, "")
            else:
                judgement = self._words.judge(text, self.texts.level(key))
                self._judged[key] = NewKey(self._words.tone(judgement), judgement.badness, judgement.words)
        return self._judged[key]

    def unseen(self, tally: Tally) -> npt.NDArray[np.bool_]:
        """Say which entries of a tally are of keys that training never saw."""
        return ~is_among(tally.keys, self.keys_)

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Weigh the new keys of each distinct sequence."""
        tally = Tally.of(corpus)
        return self._raw(tally, self.unseen(tally))

    def _raw(self, tally: Tally, new: npt.NDArray[np.bool_]) -> Scores:
        distinct, inverse = np.unique(tally.keys[new], return_inverse=True)
        weights = np.array([self.judge(int(key)).weight for key in distinct], dtype=np.float64)[inverse]
        owners = tally.owners[new]
        worst = np.zeros(len(tally), dtype=np.float64)
        np.maximum.at(worst, owners, weights)
        size = np.bincount(owners[weights > 0], minlength=len(tally))
        return np.where(size > 0, worst + MORE_OF_THEM * np.clip(size - 1, 0, MOST_OF_THEM), 0.0)

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the new keys and what their texts say, worst first."""
        self._must_be_fitted()
        keys = np.asarray(sequence, dtype=np.int32)
        distinct, first = np.unique(keys, return_index=True)
        found = []
        for key, position in zip(distinct.tolist(), first.tolist(), strict=True):
            if not is_among(np.array([key], dtype=np.int32), self.keys_)[0]:
                new = self.judge(key)
                found.append(Reason("unseen key", new.weight, position, key, detail=new.detail))
        return sorted(found, key=lambda reason: (-reason.weight, reason.position))

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        return {"texts": self.texts.state()}, {"keys": self.keys_, "left_out": self.left_out_}

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.keys_ = arrays["keys"].astype(np.int32)
        self.left_out_ = arrays["left_out"].astype(np.float64)
        self.read(KeyTexts.from_state(facts["texts"]))
