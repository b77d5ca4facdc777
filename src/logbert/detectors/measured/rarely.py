"""How rare a score is that most normal sequences do not have at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from logbert.detectors.calibration import Calibration

if TYPE_CHECKING:
    from logbert.detectors.corpus import Scores


@dataclass(frozen=True, eq=False)
class Rarely:
    """The scores above zero of normal sequences, and how many sequences there were in all.

    Within reach of them the p-value is conformal; beyond the largest, the tail of those above zero goes on, which is at
    least as slow as exp(-score).

    Examples
    --------
    >>> rarely = Rarely.of(np.array([0.0] * 997 + [0.5, 1.0]))
    >>> rarely.p_values(np.array([0.0, 0.5, 1.0, 8.0])).round(6).tolist()
    [1.0, 0.003, 0.002, 1e-06]
    """

    above: Scores
    rows: int

    @classmethod
    def of(cls, raw: Scores) -> Self:
        """Take the scores of all normal sequences."""
        return cls(np.sort(raw[raw > 0]), len(raw))

    @cached_property
    def _tail(self) -> Calibration:
        return Calibration.of(np.append(0.0, self.above), false_alarms=0.5, unit=1.0)

    def p_values(self, raw: Scores) -> Scores:
        """Give the share of normal sequences expected to be at least this odd."""
        size = len(self.above)
        at_least = size - np.searchsorted(self.above, raw, side="left")
        conformal = (at_least + 1.0) / (self.rows + 1.0)
        largest = self._tail.held_out[-1:]
        beyond = self._tail.tail.survival(np.maximum(raw, largest)) / self._tail.tail.survival(largest)
        return np.asarray(np.where(raw > 0, conformal * beyond, 1.0), dtype=np.float64)
