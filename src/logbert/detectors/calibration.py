"""From raw scores to a boundary that keeps a stated false-alarm rate, without labels.

A detector's raw score says how odd a sequence is on a scale of its own. Sequences of normal data that were held out of
training show what that scale means. With n of them the boundary is read off where (n + 1) times the rate is at least
1: it lies just above the score that so many of them reach, which is the conformal quantile and keeps the rate on
average whatever the distribution. With fewer, the rate lies past all that was seen, and the tail is extrapolated by a
generalised Pareto distribution, fitted to the largest tenth by probability-weighted moments (Hosking and Wallis 1987).
Its shape is kept between 0 (an exponential tail) and 1, and the boundary never falls below the largest held-out score:
where scores are counts with many ties, that is what is known, and no slope can say more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from logbert.detectors.corpus import Scores  # noqa: TC001 - doctest and dataclass fields

TAIL_SHARE = 0.1  # the largest tenth of the held-out scores is the tail that is extrapolated
TAIL_LEAST = 10  # a tail of fewer scores than this says nothing about its slope
SHAPELY = 30  # so few scores in the tail show its slope but not its shape: it is taken for exponential
FLAT = 1e-6  # a shape below this is taken for 0
HEAVIEST = 0.99  # the largest shape allowed: at 1 the tail has no mean


@dataclass(frozen=True)
class Tail:
    """A generalised Pareto distribution of what lies above a score.

    Attributes
    ----------
    start
        The score it begins at.
    share
        The share of held-out scores at or above it.
    scale
        The spread above it, in units of the score.
    shape
        How slowly it falls: 0 is exponential, larger is heavier.
    """

    start: float
    share: float
    scale: float
    shape: float

    @classmethod
    def of(cls, held_out: Scores, unit: float) -> Self:
        """Fit the tail of ascending scores; `unit` is the least scale that means anything."""
        size = len(held_out)
        if size == 0:
            return cls(0.0, 1.0, unit, 0.0)
        most = max(int(np.ceil(size * TAIL_SHARE)), min(TAIL_LEAST, size))
        start = float(held_out[size - most])
        excess = held_out[held_out >= start] - start
        count = len(excess)
        mean = float(excess.mean())
        # the mean excess, each weighted by the share of the tail that is larger
        larger = float((excess * np.arange(count - 1, -1, -1)).sum()) / (count * max(count - 1, 1))
        shape = 2 - mean / (mean - 2 * larger) if mean > 2 * larger else HEAVIEST
        shape = float(np.clip(shape, 0.0, HEAVIEST)) if mean > 0 and count >= SHAPELY else 0.0
        return cls(start, count / size, max(mean * (1 - shape), unit), shape)

    def quantile(self, rate: float) -> float:
        """Give the score that a share `rate` of all sequences reaches."""
        times = max(self.share / rate, 1.0)
        steps = np.log(times) if self.shape < FLAT else (times**self.shape - 1) / self.shape
        return float(self.start + self.scale * steps)

    def survival(self, scores: Scores) -> Scores:
        """Give the share of the tail that reaches each score."""
        steps = np.maximum(scores - self.start, 0.0) / self.scale
        if self.shape < FLAT:
            return np.asarray(np.exp(-steps), dtype=np.float64)
        return np.asarray((1 + self.shape * steps) ** (-1 / self.shape), dtype=np.float64)


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
    fixed
        The boundary, where it was set by hand; None finds it on the held-out scores.

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
    fixed: float | None = None

    @classmethod
    def of(cls, raw: Scores, *, false_alarms: float, unit: float = 1e-9, fixed: float | None = None) -> Self:
        """Calibrate on the raw scores of held-out normal sequences, one a row (not a distinct sequence)."""
        held_out = np.sort(np.asarray(raw, dtype=np.float64))
        return cls(held_out=held_out, false_alarms=false_alarms, unit=unit, fixed=fixed)

    @cached_property
    def tail(self) -> Tail:
        """What lies beyond the bulk of the held-out scores."""
        return Tail.of(self.held_out, self.unit)

    @property
    def resolvable(self) -> bool:
        """Whether the held-out scores reach far enough to read the boundary off them."""
        return (len(self.held_out) + 1) * self.false_alarms >= 1

    @cached_property
    def threshold(self) -> float:
        """The smallest raw score that is anomalous."""
        if self.fixed is not None:
            return self.fixed
        size = len(self.held_out)
        if self.resolvable and size:
            allowed = int((size + 1) * self.false_alarms) - 1  # how many held-out scores may reach the boundary
            boundary = float(np.nextafter(self.held_out[size - 1 - allowed], np.inf)) if allowed < size else 0.0
        else:
            boundary = self.tail.quantile(self.false_alarms)
            if size:
                boundary = max(boundary, float(np.nextafter(self.held_out[-1], np.inf)))
        return max(boundary, self.unit)

    def score(self, raw: Scores) -> Scores:
        """Put raw scores on the common scale: 1.0 and above is anomalous."""
        return np.asarray(np.maximum(raw, 0.0) / self.threshold, dtype=np.float64)

    def p_values(self, raw: Scores) -> Scores:
        """Give the share of normal sequences expected to be at least this odd.

        Within reach of the held-out scores this is the conformal p-value, (1 + how many are at least as odd) / (n + 1);
        past the largest of them the tail goes on from there.
        """
        size = len(self.held_out)
        at_least = size - np.searchsorted(self.held_out, raw, side="left")
        conformal: Scores = (at_least + np.float64(1)) / np.float64(size + 1)
        if size == 0:
            return conformal
        largest = self.held_out[-1:]
        beyond = self.tail.survival(np.maximum(raw, largest)) / self.tail.survival(largest)
        return np.asarray(conformal * beyond, dtype=np.float64)

    def state(self) -> dict[str, Any]:
        """Give what is needed to make this again (the scores go with the detector's arrays)."""
        return {"false_alarms": self.false_alarms, "unit": self.unit, "fixed": self.fixed}
