"""From scores to verdicts: one row a sequence, with its reasons in words and the lines that made it so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from logbert.detectors import Corpus
from logbert.detectors.feedback import NEW_KEYS, Cause, Feedback, cause_of
from logbert.detectors.fusion import Fusion, subset
from logbert.detectors.measured import Measurements
from logbert.detectors.watch import BELOW, Watch
from logbert.pipeline.incidents import NEW, Trouble, incidents_of
from logbert.pipeline.reasons import MOST_REASONS, Told, tell, telling_order
from logbert.pipeline.reasons_column import reasons_column

if TYPE_CHECKING:
    from logbert.detectors import Detector, Reason
    from logbert.detectors.corpus import Scores
    from logbert.detectors.measured import RowFindings
    from logbert.pipeline.intake import Taken

Explained: TypeAlias = "dict[bytes, list[Reason]]"  # by the keys of a sequence

COLUMNS = ("sequence", "start", "end", "events", "score", "anomaly", "incident", "reasons")


@dataclass(frozen=True, eq=False)
class Detection:
    """What was found: the verdicts, and what it takes to show them.

    Attributes
    ----------
    verdicts
        One row per sequence, in input order: sequence, start, end, events, score, anomaly, incident, reasons.
    troubles
        What each incident id stands for.
    taken
        The sequences that were judged.
    """

    verdicts: pl.DataFrame
    troubles: dict[str, Trouble]
    taken: Taken

    @property
    def incidents(self) -> pl.DataFrame:
        """The verdicts that share a cause, worst first."""
        return incidents_of(self.verdicts, self.troubles)


def judge(taken: Taken, detector: Detector, feedback: Feedback) -> Detection:
    """Score all sequences, explain the anomalous ones, and name what they have in common."""
    corpus = Corpus.of(taken.sequences)
    measured = _measured(taken, detector)
    scores, causes, known = _scored(taken, detector, feedback, measured)
    anomalous = np.flatnonzero(scores >= 1.0)
    reasons = _with_measured(_explained(detector, corpus, anomalous, known), anomalous, taken, detector, measured)
    if causes is None:
        troubles = [Trouble.of(found, taken.name_of) for found in reasons]
    else:
        troubles = [
            _trouble(causes[row], found, taken, detector)
            for row, found in zip(anomalous.tolist(), reasons, strict=True)
        ]
    told = _tell_all(taken, anomalous, reasons, troubles)
    by_id = {trouble.id: trouble for trouble in troubles}
    return Detection(_frame(taken, scores, anomalous, troubles, _rows(taken, told)), by_id, taken)


def _measured(taken: Taken, detector: Detector) -> RowFindings | None:
    """Find what is odd about the rows beside their keys, if the detector has learnt to."""
    if not isinstance(detector, Fusion) or detector.measured_ is None:
        return None
    return detector.measured_.judge(Measurements(taken.sequences, taken.values))


def _with_measured(
    reasons: list[list[Reason]], rows: np.ndarray, taken: Taken, detector: Detector, measured: RowFindings | None
) -> list[list[Reason]]:
    """Add to the reasons of each row what was measured of it; reasons of keys are shared by rows, these are not."""
    if measured is None or not isinstance(detector, Fusion) or detector.measured_ is None:
        return reasons
    found = measured.by_row()
    told = []
    for row, known in zip(rows.tolist(), reasons, strict=True):
        lines = taken.sequences["lines"][row] if row in found else None
        own = detector.measured_.reasons(found.get(row, []), None if lines is None else lines.to_list(), taken.known)
        told.append(telling_order(sorted([*known, *own], key=lambda reason: -reason.weight)))
    return told


def _scored(
    taken: Taken, detector: Detector, feedback: Feedback, measured: RowFindings | None
) -> tuple[Scores, list[Cause | None] | None, Explained]:
    """Score the sequences; the default detector also knows, in order of time, what was reported before, and why."""
    if not isinstance(detector, Fusion):
        return _without_cleared(taken, detector, feedback), None, {}
    start = taken.sequences["start"]
    order = np.argsort(start.to_numpy(), kind="stable") if not start.null_count() else np.arange(len(start))
    watched = Watch(detector, feedback).judge(
        taken.sequences[order], None if measured is None else measured.reordered(order)
    )
    scores = np.empty(len(order), dtype=np.float64)
    scores[order] = watched.scores
    causes: list[Cause | None] = [None] * len(order)
    for place, cause in zip(order.tolist(), watched.causes, strict=True):
        causes[place] = cause
    return scores, causes, watched.reasons


def _without_cleared(taken: Taken, detector: Detector, feedback: Feedback) -> Scores:
    """Score by a single detector; what an answer called normal stays below the boundary."""
    corpus = Corpus.of(taken.sequences)
    scores = detector.score(corpus)
    anomalous = np.flatnonzero(scores >= 1.0)
    if not feedback.answers or not len(anomalous):
        return scores
    for row, found in zip(anomalous.tolist(), _explained(detector, corpus, anomalous, {}), strict=True):
        worst = next(iter(found), None)
        if worst is not None and feedback.is_cleared(cause_of(worst)):
            scores[row] = BELOW
    return scores


def _explained(detector: Detector, corpus: Corpus, rows: np.ndarray, known: Explained) -> list[list[Reason]]:
    """Explain each distinct sequence once, if it is not known yet, and give every row its own copy."""
    if not len(rows):
        return []
    odd = corpus.take_rows(rows)
    names = [keys.tobytes() for keys in odd]
    unknown = np.array([place for place, name in enumerate(names) if name not in known], dtype=np.int64)
    found = zip(unknown.tolist(), detector.explain_all(subset(odd, unknown)) if len(unknown) else [], strict=True)
    every = known | {names[place]: reasons for place, reasons in found}
    explained = [telling_order(every[name]) for name in names]
    return [explained[distinct] for distinct in odd.inverse.tolist()]


def _trouble(cause: Cause | None, reasons: list[Reason], taken: Taken, detector: Detector) -> Trouble:
    """Name what the default detector reported: the worst of the new keys, else the oddity."""
    if cause is None:
        return Trouble.of(reasons, taken.name_of)
    if cause.kind == NEW_KEYS and isinstance(detector, Fusion):
        worst = max(cause.keys, key=lambda key: (detector.new_keys.judge(key).weight, taken.name_of(key)))
        return Trouble(NEW, taken.name_of(worst))
    return Trouble(cause.kind, taken.name_of(cause.keys[0]) if cause.keys else None)


def _tell_all(taken: Taken, rows: np.ndarray, reasons: list[list[Reason]], troubles: list[Trouble]) -> list[list[Told]]:
    """Tell the reasons of every row with that row's own lines; what the incident is about comes first."""
    lines = taken.sequences["lines"].gather(rows).to_list()
    return [
        [tell(reason, taken.name_of, own) for reason in _led_by(trouble, found, taken)[:MOST_REASONS]]
        for own, found, trouble in zip(lines, reasons, troubles, strict=True)
    ]


def _led_by(trouble: Trouble, reasons: list[Reason], taken: Taken) -> list[Reason]:
    return sorted(reasons, key=lambda reason: Trouble.of([reason], taken.name_of) != trouble)


def _rows(taken: Taken, told: list[list[Told]]) -> list[list[dict[str, object]]]:
    """Give the reasons as rows, each with the original text of the line it points at."""
    wanted = sorted({one.line for reasons in told for one in reasons if one.line is not None})
    places: dict[int, tuple[str, int, str]] = {}
    if wanted:
        for line, source, number, text in taken.texts(wanted).iter_rows():
            places[line] = (source, number, text)
    return [[one.row(taken.name_of, places) for one in reasons] for reasons in told]


def _frame(
    taken: Taken,
    scores: Scores,
    anomalous: np.ndarray,
    troubles: list[Trouble],
    reasons: list[list[dict[str, object]]],
) -> pl.DataFrame:
    """Lay out the verdicts."""
    size = len(scores)
    incident: list[str | None] = [None] * size
    for row, trouble in zip(anomalous.tolist(), troubles, strict=True):
        incident[row] = trouble.id
    return taken.sequences.select(
        "sequence",
        "start",
        "end",
        pl.col("keys").list.len().cast(pl.Int64).alias("events"),
        pl.Series("score", scores, dtype=pl.Float64),
        pl.Series("anomaly", scores >= 1.0, dtype=pl.Boolean),
        pl.Series("incident", incident, dtype=pl.String),
        reasons_column(reasons, anomalous, size),
    )
