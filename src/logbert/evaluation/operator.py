"""An operator over time, who answers each new incident once with the truth, before the next batch is judged.

The truth is that of the sequence that raised the incident: all an operator would look at. What was raised stays raised;
an answer changes what comes after. Sequences are judged in the order in which they are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from logbert.detectors.corpus import Corpus
from logbert.detectors.feedback import Cause, Feedback, causes_of
from logbert.detectors.fusion import Fusion
from logbert.detectors.watch import BELOW, Watch
from logbert.evaluation.metrics import Figures
from logbert.pipeline.reasons import telling_order

if TYPE_CHECKING:
    import numpy.typing as npt
    import polars as pl

    from logbert.detectors import Detector
    from logbert.detectors.measured import RowFindings

MOMENTS = 10  # as many stretches are reported of
FIRST, MOST = 16, 4096  # batches judged at once, while there is nothing to ask


@dataclass(frozen=True)
class Moment:
    """One stretch of the time that was judged.

    Attributes
    ----------
    begin, end
        Which sequences, in the order judged; `end` is not among them.
    answers
        How many answers had been given by its end.
    figures
        Of this stretch.
    so_far
        Of all up to its end.
    """

    begin: int
    end: int
    answers: int
    figures: Figures
    so_far: Figures


@dataclass(frozen=True)
class Operated:
    """What came of it: how often the operator was asked, and the figures, over all and over time."""

    answers: int
    figures: Figures
    moments: tuple[Moment, ...]

    @classmethod
    def of(cls, scores: npt.NDArray[np.float64], truth: npt.NDArray[np.bool_], asked: list[int]) -> Operated:
        """Count, in `MOMENTS` stretches of equal size."""
        cuts = np.linspace(0, len(scores), min(MOMENTS, max(len(scores), 1)) + 1).astype(int).tolist()
        moments = tuple(
            Moment(
                begin,
                end,
                sum(row < end for row in asked),
                Figures.of(scores[begin:end], truth[begin:end]),
                Figures.of(scores[:end], truth[:end]),
            )
            for begin, end in pairwise(cuts)
        )
        return cls(len(asked), Figures.of(scores, truth), moments)


@dataclass(frozen=True, eq=False)
class Raised:
    """The verdicts of some sequences: scores, what made them anomalous, the other new keys of those that are."""

    scores: npt.NDArray[np.float64]
    causes: list[Cause | None]
    beside: list[tuple[int, ...]]


class OverTime(Protocol):
    """A detector at work: it judges one sequence after the other, and takes answers meanwhile."""

    feedback: Feedback

    def judge(self, begin: int, end: int) -> Raised:
        """Judge these sequences; the next call goes on where this one ended."""

    def state(self) -> dict[str, Any]:
        """Give what was seen so far."""

    def resume(self, state: dict[str, Any]) -> None:
        """Go back to what `state` gave."""


class WatchOver:
    """The default detector at work on these sequences of keys, in this order."""

    def __init__(self, watch: Watch, keys: pl.Series, measured: RowFindings | None = None) -> None:
        self.watch, self.keys, self.measured = watch, keys, measured
        self.feedback = watch.feedback
        self.state, self.resume = watch.state, watch.resume

    def judge(self, begin: int, end: int) -> Raised:
        """Judge these sequences."""
        measured = None if self.measured is None else self.measured.between(begin, end)
        watched = self.watch.judge(self.keys[begin:end], measured)
        return Raised(watched.scores, watched.causes, watched.beside)


class ScoresOver:
    """A single detector at work: what it thinks does not change, but what was called normal is left out."""

    def __init__(self, detector: Detector, keys: pl.Series, feedback: Feedback) -> None:
        self.feedback = feedback
        corpus = Corpus.of(keys)
        self.scores = detector.score(corpus)
        self.causes: dict[int, list[Cause]] = {}
        rows = np.flatnonzero(self.scores >= 1.0)
        if len(rows):
            odd = corpus.take_rows(rows)
            named = [causes_of(telling_order(detector.explain(distinct))) for distinct in odd]
            self.causes = {row: named[place] for row, place in zip(rows.tolist(), odd.inverse.tolist(), strict=True)}

    def judge(self, begin: int, end: int) -> Raised:
        """Judge these sequences."""
        scores = self.scores[begin:end].copy()
        causes: list[Cause | None] = [None] * (end - begin)
        for place in range(end - begin):
            if begin + place in self.causes:
                causes[place] = self.feedback.standing(self.causes[begin + place])
                if causes[place] is None:
                    scores[place] = BELOW
        return Raised(scores, causes, [()] * (end - begin))

    def state(self) -> dict[str, Any]:
        """Give nothing: it remembers nothing."""
        return {}

    def resume(self, state: dict[str, Any]) -> None:
        """Do nothing."""


def over_time(
    detector: Detector, keys: pl.Series, *, feedback: Feedback | None = None, measured: RowFindings | None = None
) -> OverTime:
    """Set a fitted detector to work on sequences of keys, in the order in which they came."""
    feedback = Feedback() if feedback is None else feedback
    if isinstance(detector, Fusion):
        return WatchOver(Watch(detector, feedback), keys, measured)
    return ScoresOver(detector, keys, feedback)


def operate(judging: OverTime, truth: npt.NDArray[np.bool_], *, batch: int = 1) -> Operated:
    """Judge batch after batch, and answer each new incident of a batch before the next.

    Many batches are judged at a time while there is nothing to ask; where there is, all after that batch is judged
    again. What comes of it is the same.

    Parameters
    ----------
    judging
        The detector at work.
    truth
        Whether each sequence is abnormal.
    batch
        How many sequences are judged between answers.
    """
    scores = np.zeros(len(truth), dtype=np.float64)
    asked: list[int] = []
    begin, reach = 0, FIRST
    while begin < len(truth):
        end = min(begin + reach * batch, len(truth))
        before = judging.state()
        watched = judging.judge(begin, end)
        first = next((row for row, cause in enumerate(watched.causes) if is_new(cause, judging.feedback)), None)
        reach = min(reach * 2, MOST)
        if first is not None:
            reach = FIRST
            stop = min(begin + (first // batch + 1) * batch, len(truth))
            if stop < end:
                judging.resume(before)
                end, watched = stop, judging.judge(begin, stop)
            asked += [begin + row for row in answer(judging.feedback, watched, truth[begin:end])]
        scores[begin:end] = watched.scores
        begin = end
    return Operated.of(scores, np.asarray(truth, dtype=np.bool_), asked)


def answer(feedback: Feedback, raised: Raised, truth: npt.NDArray[np.bool_]) -> list[int]:
    """Answer what is new in a batch; give the rows that were asked about."""
    asked = []
    for row, cause in enumerate(raised.causes):
        if cause is not None and is_new(cause, feedback):
            feedback.answer(cause, normal=not truth[row], beside=raised.beside[row])
            asked.append(row)
    return asked


def is_new(cause: Cause | None, feedback: Feedback) -> bool:
    """Say whether something was raised that nobody has answered yet."""
    return cause is not None and not feedback.is_convicted(cause) and not feedback.is_cleared(cause)
