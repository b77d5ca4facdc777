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
COUNTED = frozenset({NEW, "unexpected key", "value outside", "new value", "slow step"})  # kinds that are about records
TIMES = {"incident": pl.String, "times": pl.Int64}


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


def incidents_of(
    verdicts: pl.DataFrame, troubles: dict[str, Trouble], times: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Gather verdicts into incidents, worst first.

    Parameters
    ----------
    verdicts
        What `Pipeline.detect` gives; only rows with an incident count.
    troubles
        What each incident id stands for.
    times
        How many records each incident is about: incident, times; for those that are about records.

    Returns
    -------
    pl.DataFrame
        Columns incident, title, sequences, times, events, start, end, score (the worst), worst (its sequence), reasons
        (of the worst).
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
    counted = pl.DataFrame(schema=TIMES) if times is None else times
    gathered = gathered.join(counted, on="incident", how="left", maintain_order="left")
    titles = [
        _title(troubles[name], sequences, records)
        for name, sequences, records in gathered.select("incident", "sequences", "times").iter_rows()
    ]
    return gathered.with_columns(pl.Series("title", titles, dtype=pl.String)).select(
        "incident", "title", "sequences", "times", "events", "start", "end", "score", "worst", "reasons"
    )


def times_of(sequences: pl.DataFrame, verdicts: pl.DataFrame, keys: dict[str, int]) -> pl.DataFrame:
    """Count the records that each incident is about; a record in two windows is one.

    Parameters
    ----------
    sequences
        What was judged: keys, lines.
    verdicts
        Of the same rows: incident.
    keys
        The key whose records count, by incident.
    """
    wanted = pl.DataFrame(
        {"incident": list(keys), "keys": list(keys.values())}, schema={"incident": pl.String, "keys": pl.Int32}
    )
    rows = sequences.select("keys", "lines").with_columns(verdicts["incident"])
    rows = rows.filter(pl.col("incident").is_in(list(keys)))
    lined = bool(rows["lines"].list.len().fill_null(0).sum())
    found = rows.explode("keys", "lines") if lined else rows.drop("lines").explode("keys")
    found = found.with_columns(pl.col("keys").cast(pl.Int32)).join(wanted, on=["incident", "keys"])
    count = pl.col("lines").n_unique() if lined else pl.len()
    return found.group_by("incident").agg(count.cast(pl.Int64).alias("times"))


def _title(trouble: Trouble, sequences: int, times: int | None) -> str:
    """Say in words what it is, how often and where.

    Examples
    --------
    >>> _title(Trouble("unseen key", "panic: <*>"), 12, 1208)
    'never seen before: "panic: <*>", 1,208 times in 12 sequences'
    """
    where = f"in {sequences:,} sequence{'' if sequences == 1 else 's'}"
    often = "" if times is None else "once " if times == 1 else "twice " if times == 2 else f"{times:,} times "
    return f"{trouble.title}, {often}{where}"
