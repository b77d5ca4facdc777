"""Precision, recall and their kin, computed from scores and truth; the oracle's figures are marked as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logbert.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True)
class Figures:
    """How verdicts compare with the truth.

    Attributes
    ----------
    precision, recall, f1
        At the detector's own boundary.
    pr_auc
        Area under the precision-recall curve (average precision): how well the scores rank, whatever the boundary.
    false_alarms
        The share of normal sequences that were flagged.
    oracle_f1
        The best F1 that any boundary would have given. It takes the truth to find it: no detector may claim it.
    normal, abnormal
        How many sequences of each kind there were.

    Examples
    --------
    >>> figures = Figures.of(scores=[0.1, 2.0, 1.5, 0.2], truth=[False, True, False, True])
    >>> figures.precision, figures.recall, figures.f1, figures.false_alarms
    (0.5, 0.5, 0.5, 0.5)
    """

    precision: float
    recall: float
    f1: float
    pr_auc: float
    false_alarms: float
    oracle_f1: float
    normal: int
    abnormal: int

    @classmethod
    def of(cls, scores: npt.ArrayLike, truth: npt.ArrayLike, *, boundary: float = 1.0) -> Figures:
        """Compare scores (1.0, or `boundary`, and above is anomalous) with the truth."""
        score = np.asarray(scores, dtype=np.float64)
        abnormal = np.asarray(truth, dtype=np.bool_)
        if score.shape != abnormal.shape:
            raise InputError(f"there are {len(score)} verdicts but {len(abnormal)} labels")
        flagged = score >= boundary
        hits = int(np.sum(flagged & abnormal))
        precision, recall = _ratio(hits, int(flagged.sum())), _ratio(hits, int(abnormal.sum()))
        average, best, _ = _curve(score, abnormal)
        return cls(
            precision=precision,
            recall=recall,
            f1=_f1(precision, recall),
            pr_auc=average,
            false_alarms=_ratio(int(np.sum(flagged & ~abnormal)), int(np.sum(~abnormal))),
            oracle_f1=best,
            normal=int(np.sum(~abnormal)),
            abnormal=int(abnormal.sum()),
        )


def best_boundary(scores: npt.ArrayLike, truth: npt.ArrayLike) -> float:
    """Give the boundary above 0 with the best F1. It takes the truth to find it: what it yields is no forecast.

    Examples
    --------
    >>> best_boundary(scores=[0.1, 2.0, 1.5, 0.7], truth=[False, True, False, True])
    0.7
    """
    score = np.asarray(scores, dtype=np.float64)
    abnormal = np.asarray(truth, dtype=np.bool_)
    return _curve(np.where(score > 0, score, -1.0), abnormal)[2]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _curve(score: npt.NDArray[np.float64], abnormal: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    """Walk down the scores: average precision, the best F1 on the way, and the score it was reached at.

    Equal scores are one step. A best boundary that nothing above 0 reaches is infinite.
    """
    total = int(abnormal.sum())
    if not total:
        return 0.0, 0.0, np.inf
    order = np.argsort(-score, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    hits = np.cumsum(abnormal[order])[ends]
    precision = hits / (ends + 1)
    recall = hits / total
    average = float(np.sum(np.diff(recall, prepend=0.0) * precision))
    with np.errstate(invalid="ignore"):
        f1 = np.where(hits > 0, 2 * precision * recall / (precision + recall), 0.0)
    reached = score[order][ends]
    above = np.flatnonzero((reached > 0) & (f1 > 0))
    boundary = float(reached[above[np.argmax(f1[above])]]) if len(above) else np.inf
    return average, float(f1.max()), boundary
