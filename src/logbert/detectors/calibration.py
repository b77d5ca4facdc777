"""From raw scores to a boundary that keeps a stated false-alarm rate, without labels.

A detector's raw score says how odd a sequence is on a scale of its own. Sequences of normal data that were held out of
training show what that scale means: the boundary is the value that a share `false_alarms` of them reaches. With too few
of them to see that far, the tail is extrapolated by an exponential fitted to the largest ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from logbert.detectors.corpus import Scores  # noqa: TC001 - doctest and dataclass fields

TAIL_SHARE = 0.1  # the largest tenth of the held-out scores is the tail that is extrapolated
TAIL_LEAST = 10  # a tail of fewer scores than this says nothing about its slope


@dataclass(frozen=True, eq=False)
class Calibration:
    """What held-out normal scores say about a raw score.

    Attributes
    ----------
    held_out
        Raw scores of held-out normal sequences, ascending.
    false_alarms
        The share of normal sequences that may reach the boundary.
    unit
        The smallest step of the raw score that means anything (1 for counts); the boundary lies at least this far above
        zero.

    Examples
    --------
    >>> calibration = Calibration.of(np.arange(1000.0), false_alarms=0.01)
    >>> calibration.score(np.array([100.0, 995.0])).round(2).tolist()
    [0.1, 1.01]
    >>> calibration.p_values(np.array([0.0, 999.0, 5000.0])).round(4).tolist()
    [1.0, 0.002, 0.0]
    """

    held_out: Scores
    false_alarms: float
    unit: float

    @classmethod
    def of(cls, raw: Scores, *, false_alarms: float, unit: float = 1e-9) -> Self:
        """Calibrate on the raw scores of held-out normal sequences, one a row (not a distinct sequence)."""
        return cls(held_out=np.sort(np.asarray(raw, dtype=np.float64)), false_alarms=false_alarms, unit=unit)

    @property
    def tail(self) -> tuple[float, float, float]:
        """Where the tail begins, the share of held-out scores at or above it, and its mean excess."""
        size = len(self.held_out)
        if size == 0:
            return 0.0, 1.0, self.unit
        most = max(int(np.ceil(size * TAIL_SHARE)), min(TAIL_LEAST, size))
        start = float(self.held_out[size - most])
        above = self.held_out[self.held_out >= start]
        return start, len(above) / size, max(float(np.mean(above - start)), self.unit)

    @property
    def resolvable(self) -> bool:
        """Whether the held-out scores reach far enough to read the boundary off them."""
        return (len(self.held_out) + 1) * self.false_alarms >= 1

    @property
    def threshold(self) -> float:
        """The smallest raw score that is anomalous."""
        size = len(self.held_out)
        if self.resolvable and size:
            allowed = int((size + 1) * self.false_alarms) - 1  # how many held-out scores may reach the boundary
            boundary = float(np.nextafter(self.held_out[size - 1 - allowed], np.inf)) if allowed < size else 0.0
        else:
            start, share, slope = self.tail
            boundary = start + slope * max(float(np.log(share / self.false_alarms)), 0.0)
            if size:
                boundary = max(boundary, float(np.nextafter(self.held_out[-1], np.inf)))
        return max(boundary, self.unit)

    def score(self, raw: Scores) -> Scores:
        """Put raw scores on the common scale: 1.0 and above is anomalous."""
        return np.asarray(np.maximum(raw, 0.0) / self.threshold, dtype=np.float64)

    def p_values(self, raw: Scores) -> Scores:
        """Give the share of normal sequences expected to be at least this odd.

        Within reach of the held-out scores this is the conformal p-value, (1 + how many are at least as odd) / (n + 1);
        past the largest of them the exponential tail goes on from there.
        """
        size = len(self.held_out)
        at_least = size - np.searchsorted(self.held_out, raw, side="left")
        conformal: Scores = (at_least + np.float64(1)) / np.float64(size + 1)
        if size == 0:
            return conformal
        _, _, slope = self.tail
        beyond = np.maximum(raw - self.held_out[-1], np.float64(0))
        return np.asarray(conformal * np.exp(-beyond / slope), dtype=np.float64)

    def state(self) -> dict[str, Any]:
        """Give what is needed to make this again (the scores go with the detector's arrays)."""
        return {"false_alarms": self.false_alarms, "unit": self.unit}
