"""What the baselines share: a boundary by cross-fitting, or the one their own paper draws."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from logbert.detectors.base import Detector
from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus
from logbert.errors import OptionError

if TYPE_CHECKING:
    from logbert.detectors.corpus import SequencesLike

HELD_OUT = "held-out"
ORDINARY = 0.05  # a p-value above this is nothing to explain


class Baseline(Detector):
    """A detector with a `threshold` and a number of `folds`.

    `threshold` is "held-out" for the calibrated boundary, which keeps the false-alarm rate that was asked for, or the
    name of the paper's own rule, which keeps whatever it keeps.

    With more than one of the `folds`, and no held-out sequences given, every normal sequence helps to draw the
    boundary: it is scored by a twin that learnt from the other folds. A tenth of 4,855 sequences cannot tell a rate of
    0.001, and one odd one among them moves the boundary a long way; all of them can, and it does not.
    """

    own_rule: ClassVar[str]
    threshold: str
    folds: int

    def fit(self, sequences: SequencesLike, y: object = None, *, held_out: SequencesLike | None = None) -> Self:
        """Learn what is normal; see `Detector.fit`. Without `held_out`, `folds` twins help to draw the boundary."""
        corpus = Corpus.of(sequences)
        super().fit(corpus, y, held_out=held_out)
        if held_out is None and 1 < self.folds <= corpus.rows:
            raw = self._out_of_fold(corpus)
            self.calibration_ = Calibration.of(raw, false_alarms=self.false_alarms, unit=self.unit)
            self._apply_own_rule()
        return self

    def calibrate(self, held_out: SequencesLike) -> None:
        """Set the boundary from held-out normal sequences, or by the paper's rule."""
        super().calibrate(held_out)
        self._apply_own_rule()

    def _apply_own_rule(self) -> None:
        if self.threshold == self.own_rule:
            # allowing every held-out sequence to be flagged leaves the unit as the boundary, whatever they score
            self.calibration_ = replace(self.calibration_, false_alarms=1.0, unit=self._own_boundary())

    def _out_of_fold(self, corpus: Corpus) -> np.ndarray:
        """Score each row by a twin that learnt from the rows of the other folds."""
        order = np.random.default_rng([self.seed, self.folds]).permutation(corpus.rows)
        raw = np.empty(corpus.rows, dtype=np.float64)
        for fold in range(self.folds):
            apart = np.zeros(corpus.rows, dtype=np.bool_)
            apart[order[fold :: self.folds]] = True
            judged = corpus.take_rows(apart)
            twin = self._twin()
            twin._learn(corpus.take_rows(~apart), judged)
            raw[apart] = judged.spread(twin.raw_scores(judged))
        return raw

    def _twin(self) -> Self:
        """Give an unfitted detector like this one."""
        return type(self)(**self.get_params())

    def _check_threshold(self) -> None:
        if self.threshold not in {HELD_OUT, self.own_rule}:
            name = type(self).__name__
            raise OptionError(f"{name} has no threshold {self.threshold!r}: give {HELD_OUT!r} or {self.own_rule!r}")

    def _is_ordinary(self, corpus: Corpus) -> bool:
        """Whether a corpus of one sequence scores like many a held-out normal one, so that nothing needs explaining."""
        raw = self.raw_scores(corpus)
        within = self.calibration_.score(raw)[0] < 1.0
        return bool(within and self.calibration_.p_values(raw)[0] > ORDINARY)

    @abstractmethod
    def _own_boundary(self) -> float:
        """Give the smallest raw score that is anomalous by the paper's rule."""
