"""Incidents: the verdicts that share a cause, as one thing to read.

The cause of a verdict is its worst new template, else its worst oddity, named by the template's text: the same trouble
has the same incident id tomorrow, in another file, in another order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from logbert.pipeline.reasons import lead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from logbert.detectors import Reason

ID_DIGITS = 8
NEW = "unseen key"


@dataclass(frozen=True, order=True)
class Trouble:
    """What an incident's verdicts have in common: the kind of oddity and the template it is about.

    Examples
    --------
    >>> trouble = Trouble("unseen key", "panic: <*>")
    >>> trouble.title, trouble.id
    ('never seen before: "panic: <*>"', 'fd7bc85c')
    """

    kind: str
    template: str | None = None

    @classmethod
    def of(cls, reasons: Iterable[Reason], name_of: Callable[[int], str]) -> Self:
        """Find the cause among a verdict's reasons, worst first; a verdict without reasons has its score as cause."""
        worst = next(iter(reasons), None)
        if worst is None:
            return cls("high score")
        return cls(worst.kind, None if worst.subject is None else name_of(worst.subject))

    @property
    def id(self) -> str:
        """The incident's stable id."""
        return hashlib.sha256(f"{self.kind}\n{self.template or ''}".encode()).hexdigest()[:ID_DIGITS]

    @property
    def title(self) -> str:
        """The incident in words."""
        return lead(self.kind, self.template)

    def state(self) -> dict[str, Any]:
        """Give it as what JSON can hold."""
        return {"kind": self.kind, "template": self.template}


def incidents_of(verdicts: pl.DataFrame, troubles: dict[str, Trouble]) -> pl.DataFrame:
    """Gather verdicts into incidents, worst first.

    Parameters
    ----------
    verdicts
        What `Pipeline.detect` gives; only rows with an incident count.
    troubles
        What each incident id stands for.

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
    titles = {name: trouble.title for name, trouble in troubles.items()}
    title = pl.col("incident").replace_strict(titles, default=None, return_dtype=pl.String).alias("title")
    return gathered.with_columns(title).select(
        "incident", "title", "sequences", "events", "start", "end", "score", "worst", "reasons"
    )
