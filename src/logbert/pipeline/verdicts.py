"""From scores to verdicts: one row a sequence, with its reasons in words and the lines that made it so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from logbert.detectors import Corpus
from logbert.detectors.feedback import NEW_KEYS, Cause, Feedback, cause_of, causes_of
from logbert.detectors.fusion import Fusion, subset
from logbert.detectors.measured import Measurements
from logbert.detectors.watch import BELOW, Watch
from logbert.pipeline.incidents import COUNTED, NEW, Trouble, incidents_of, times_of
from logbert.pipeline.reasons import MOST_REASONS, Told, tell, telling_order
from logbert.pipeline.reasons_column import reasons_column

if TYPE_CHECKING:
    from logbert.detectors import Detector, Reason
    from logbert.detectors.corpus import Scores
    from logbert.detectors.measured import RowFindings
    from logbert.pipeline.intake import Taken

Explained: TypeAlias = "dict[bytes, list[Reason]]"  # by the keys of a sequence

NEAREST = 3  # incidents that are told where nothing reaches the boundary ...
LOOKED_AT = 200  # ... gathered from as many of the oddest sequences
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
    below
        Where nothing is anomalous: the oddest sequences below the boundary, as verdicts that have incidents.
    learnt_from
        How many sequences the boundary comes from.
    false_alarms
        The share of normal sequences that may be flagged.
    """

    verdicts: pl.DataFrame
    troubles: dict[str, Trouble]
    taken: Taken
    below: pl.DataFrame
    learnt_from: int
    false_alarms: float

    @property
    def incidents(self) -> pl.DataFrame:
        """The verdicts that share a cause, worst first."""
        return self._gathered(self.verdicts)

    @property
    def nearest(self) -> pl.DataFrame:
        """What came nearest to the boundary where nothing reached it, in the layout of incidents, oddest first."""
        return self._gathered(self.below).head(NEAREST)

    @property
    def advice(self) -> str | None:
        """Say what to do where there was too little to learn the boundary from."""
        if (self.learnt_from + 1) * self.false_alarms >= 1:
            return None
        sequences = f"{self.learnt_from:,} sequence{'' if self.learnt_from == 1 else 's'}"
        return (
            f"{sequences} to learn from cannot show what happens once in {1 / self.false_alarms:,.0f}, so the boundary "
            f"is high: train on more, or with --false-alarms {larger_share(self.learnt_from):g}"
        )

    def _gathered(self, verdicts: pl.DataFrame) -> pl.DataFrame:
        key_of = {name: key for key, name in self.taken.names.items()}
        about = {
            name: key_of[trouble.template]
            for name, trouble in self.troubles.items()
            if trouble.kind in COUNTED and trouble.template in key_of
        }
        return incidents_of(verdicts, self.troubles, times_of(self.taken.sequences, verdicts, about))


def larger_share(sequences: int) -> float:
    """Give a share of false alarms that so many sequences can show: ten of them, as a round number, a tenth at most.

    Examples
    --------
    >>> larger_share(234), larger_share(1500), larger_share(12)
    (0.05, 0.007, 0.1)
    """
    share = 10 / max(sequences, 1)
    step = 10.0 ** np.floor(np.log10(share))
    return float(min(round(np.ceil(share / step) * step, 9), 0.1))


def judge(taken: Taken, detector: Detector, feedback: Feedback, learnt_from: int) -> Detection:
    """Score all sequences, explain the anomalous ones, and name what they have in common."""
    corpus = Corpus.of(taken.sequences)
    measured = measured_of(taken, detector)
    scores, causes, known = _scored(taken, detector, feedback, measured)
    anomalous = np.flatnonzero(scores >= 1.0)
    reasons = _with_measured(_explained(detector, corpus, anomalous, known), anomalous, taken, detector, measured)
    if causes is None:
        reasons = [_standing_first(found, feedback) for found in reasons]
        troubles = [Trouble.of(found, taken.name_of) for found in reasons]
    else:
        troubles = [
            _trouble(causes[row], found, taken, detector)
            for row, found in zip(anomalous.tolist(), reasons, strict=True)
        ]
    verdicts = _frame(taken, scores, anomalous, troubles, reasons)
    below, near = (verdicts, []) if len(anomalous) else _below(taken, detector, feedback, scores)
    by_id = {trouble.id: trouble for trouble in [*troubles, *near]}
    return Detection(verdicts, by_id, taken, below, learnt_from, detector.false_alarms)


def _below(taken: Taken, detector: Detector, feedback: Feedback, scores: Scores) -> tuple[pl.DataFrame, list[Trouble]]:
    """Explain the oddest sequences below the boundary; what somebody called normal is not among them."""
    rows = np.argsort(-scores, kind="stable")[:LOOKED_AT]
    rows = rows[(scores[rows] > 0) & (scores[rows] < BELOW)]
    rows = np.sort(rows)
    explained = _explained(detector, Corpus.of(taken.sequences), rows, {})
    kept = [place for place, found in enumerate(explained) if found and feedback.standing(causes_of(found))]
    reasons = [_standing_first(explained[place], feedback) for place in kept]
    troubles = [Trouble.of(found, taken.name_of) for found in reasons]
    return _frame(taken, scores, rows[kept], troubles, reasons), troubles


def score_all(taken: Taken, detector: Detector, feedback: Feedback, measured: RowFindings | None) -> Scores:
    """Score all sequences as `judge` does, without a word of why."""
    return _scored(taken, detector, feedback, measured)[0]


def measured_of(taken: Taken, detector: Detector) -> RowFindings | None:
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
    """Score by a single detector; what rests on nothing but what answers called normal stays below the boundary."""
    corpus = Corpus.of(taken.sequences)
    scores = detector.score(corpus)
    anomalous = np.flatnonzero(scores >= 1.0)
    if not feedback.answers or not len(anomalous):
        return scores
    for row, found in zip(anomalous.tolist(), _explained(detector, corpus, anomalous, {}), strict=True):
        if feedback.standing(causes_of(found)) is None:
            scores[row] = BELOW
    return scores


def _standing_first(reasons: list[Reason], feedback: Feedback) -> list[Reason]:
    """Put what answers called normal last: the incident is about what is left."""
    return sorted(reasons, key=lambda reason: feedback.is_cleared(cause_of(reason))) if feedback.answers else reasons


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
    rows: np.ndarray,
    troubles: list[Trouble],
    reasons: list[list[Reason]],
) -> pl.DataFrame:
    """Lay out the verdicts, with incident and reasons of these rows."""
    size = len(scores)
    incident: list[str | None] = [None] * size
    in_words = _rows(taken, _tell_all(taken, rows, reasons, troubles))
    for row, trouble in zip(rows.tolist(), troubles, strict=True):
        incident[row] = trouble.id
    return taken.sequences.select(
        "sequence",
        "start",
        "end",
        pl.col("keys").list.len().cast(pl.Int64).alias("events"),
        pl.Series("score", scores, dtype=pl.Float64),
        pl.Series("anomaly", scores >= 1.0, dtype=pl.Boolean),
        pl.Series("incident", incident, dtype=pl.String),
        reasons_column(in_words, rows, size),
    )
