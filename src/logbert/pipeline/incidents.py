"""Incidents: the verdicts that share a cause, as one thing to read.

The cause of a verdict is its worst reason, by kind and by the text of the template it is about. It depends on the
sequence and the model alone, so the same trouble has the same incident id tomorrow, in another file, in another order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from logbert.pipeline.reasons import lead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.pipeline.reasons import Told

ID_DIGITS = 8
NEW = "unseen key"


@dataclass(frozen=True)
class Cause:
    """What an incident's verdicts have in common: the kind of oddity and the template it is about."""

    kind: str
    template: str | None

    @classmethod
    def of(cls, told: Sequence[Told]) -> Cause:
        """Find the cause among a verdict's reasons, worst first; a verdict without reasons has its score as cause.

        A message never seen before is the cause wherever there is one: whatever else is odd follows from it. What is
        missing at a sequence's end is the step that should have followed.
        """
        if not told:
            return cls("high score", None)
        worst = next((one for one in told if one.reason.kind == NEW), told[0])
        return cls(worst.reason.kind, worst.template or worst.should_follow)

    @property
    def id(self) -> str:
        """The incident's stable id."""
        return hashlib.sha256(f"{self.kind}\n{self.template or ''}".encode()).hexdigest()[:ID_DIGITS]

    @property
    def title(self) -> str:
        """The incident in words.

        Examples
        --------
        >>> Cause("unseen key", "panic: <*>").title
        'never seen before: "panic: <*>"'
        """
        return lead(self.kind, self.template)


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
