"""Incidents: the verdicts that share a cause, as one thing to read.

The cause of a verdict is its worst reason, by kind and by the text of the template it is about. It depends on the
sequence and the model alone, so the same trouble has the same incident id tomorrow, in another file, in another order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from logbert.pipeline.reasons import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.pipeline.reasons import Told

ID_DIGITS = 8


@dataclass(frozen=True)
class Cause:
    """What an incident's verdicts have in common: the kind of oddity and the template it is about."""

    kind: str
    template: str

    @classmethod
    def of(cls, told: Sequence[Told]) -> Cause:
        """Find the cause among a verdict's reasons, worst first; a verdict without reasons has its score as cause."""
        if not told:
            return cls("high score", "")
        worst = told[0]
        return cls(worst.reason.kind, worst.template or "")

    @property
    def id(self) -> str:
        """The incident's stable id."""
        return hashlib.sha256(f"{self.kind}\n{self.template}".encode()).hexdigest()[:ID_DIGITS]

    @property
    def title(self) -> str:
        """The incident in words.

        Examples
        --------
        >>> Cause("unseen key", "panic: <*>").title
        'unseen key: "panic: <*>"'
        """
        return f"{self.kind}: {quoted(self.template)}" if self.template else self.kind


def incidents_of(verdicts: pl.DataFrame, titles: dict[str, str]) -> pl.DataFrame:
    """Gather verdicts into incidents, worst first.

    Parameters
    ----------
    verdicts
        What `Pipeline.detect` gives; only rows with an incident count.
    titles
        The words for each incident id.

    Returns
    -------
    pl.DataFrame
        Columns incident, title, sequences, events, start, end, score (the worst), worst (its sequence), reasons (of the
        worst).
    """
    worst_first = verdicts.filter(pl.col("incident").is_not_null()).sort("score", descending=True, maintain_order=True)
    gathered = worst_first.group_by("incident", maintain_order=True).agg(
        pl.len().alias("sequences"),
        pl.col("events").sum(),
        pl.col("start").min(),
        pl.col("end").max(),
        pl.col("score").first(),
        pl.col("sequence").first().alias("worst"),
        pl.col("reasons").first(),
    )
    title = pl.col("incident").replace_strict(titles, default=None, return_dtype=pl.String).alias("title")
    return gathered.with_columns(title).select(
        "incident", "title", "sequences", "events", "start", "end", "score", "worst", "reasons"
    )
