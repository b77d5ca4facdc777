"""From scores to verdicts: one row a sequence, with its reasons in words and the lines that made it so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.detectors import Corpus
from logbert.pipeline.incidents import Cause, incidents_of
from logbert.pipeline.reasons import MOST_REASONS, REASON, Told, tell

if TYPE_CHECKING:
    from logbert.detectors import Detector
    from logbert.detectors.corpus import Scores
    from logbert.pipeline.intake import Taken

COLUMNS = ("sequence", "start", "end", "events", "score", "anomaly", "incident", "reasons")


@dataclass(frozen=True, eq=False)
class Detection:
    """What was found: the verdicts, and what it takes to show them.

    Attributes
    ----------
    verdicts
        One row per sequence, in input order: sequence, start, end, events, score, anomaly, incident, reasons.
    titles
        The title of each incident, by its id.
    taken
        The sequences that were judged.
    """

    verdicts: pl.DataFrame
    titles: dict[str, str]
    taken: Taken

    @property
    def incidents(self) -> pl.DataFrame:
        """The verdicts that share a cause, worst first."""
        return incidents_of(self.verdicts, self.titles)


def judge(taken: Taken, detector: Detector) -> Detection:
    """Score all sequences and explain the anomalous ones."""
    corpus = Corpus.of(taken.sequences)
    scores = detector.score(corpus)
    anomalous = np.flatnonzero(scores >= 1.0)
    told = _tell_all(taken, detector, corpus, anomalous)
    causes = [Cause.of(reasons) for reasons in told]
    titles = {cause.id: cause.title for cause in causes}
    return Detection(_frame(taken, scores, anomalous, causes, _rows(taken, told)), titles, taken)


def _tell_all(taken: Taken, detector: Detector, corpus: Corpus, rows: np.ndarray) -> list[list[Told]]:
    """Explain each distinct sequence once, then tell it for every row with that row's own lines."""
    if not len(rows):
        return []
    odd = corpus.take_rows(rows)
    explained = detector.explain_all(odd)
    lines = taken.sequences["lines"].gather(rows).to_list()
    return [
        [tell(reason, taken.name_of, own) for reason in explained[distinct][:MOST_REASONS]]
        for own, distinct in zip(lines, odd.inverse.tolist(), strict=True)
    ]


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
    causes: list[Cause],
    reasons: list[list[dict[str, object]]],
) -> pl.DataFrame:
    """Lay out the verdicts."""
    size = len(scores)
    incident: list[str | None] = [None] * size
    told: list[list[dict[str, object]]] = [[]] * size
    for row, cause, reason in zip(anomalous.tolist(), causes, reasons, strict=True):
        incident[row] = cause.id
        told[row] = reason
    return taken.sequences.select(
        "sequence",
        "start",
        "end",
        pl.col("keys").list.len().cast(pl.Int64).alias("events"),
        pl.Series("score", scores, dtype=pl.Float64),
        pl.Series("anomaly", scores >= 1.0, dtype=pl.Boolean),
        pl.Series("incident", incident, dtype=pl.String),
        pl.Series("reasons", told, dtype=pl.List(REASON)),
    )
