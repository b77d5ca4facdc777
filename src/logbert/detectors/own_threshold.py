"""The boundary a detector's own paper draws, for those who want it instead of the calibrated one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from logbert.detectors.base import Detector
from logbert.errors import OptionError

if TYPE_CHECKING:
    from logbert.detectors.corpus import Corpus, SequencesLike

HELD_OUT = "held-out"
ORDINARY = 0.05  # a p-value above this is nothing to explain


class OwnThreshold(Detector):
    """A detector with a `threshold` parameter: "held-out" for the calibrated boundary, or its own paper's rule.

    The calibrated boundary keeps the false-alarm rate that was asked for; the paper's rule keeps whatever it keeps. It
    is there so that the two can be compared.
    """

    own_rule: ClassVar[str]
    threshold: str

    def calibrate(self, held_out: SequencesLike) -> None:
        """Set the boundary from held-out normal sequences, or by the paper's rule."""
        super().calibrate(held_out)
        if self.threshold == self.own_rule:
            # allowing every held-out sequence to be flagged leaves the unit as the boundary, whatever they score
            self.calibration_ = replace(self.calibration_, false_alarms=1.0, unit=self._own_boundary())

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
