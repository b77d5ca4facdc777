"""Verdicts laid beside the truth that the simulator wrote."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from logbert.errors import InputError


@dataclass(frozen=True)
class KindFigures:
    """How one kind of fault was found.

    A false alarm has no kind, so a kind has a recall and no precision of its own.
    """

    kind: str
    sessions: int
    found: int

    @property
    def recall(self) -> float:
        """The share of its sessions that were flagged."""
        return _ratio(self.found, self.sessions)


@dataclass(frozen=True)
class DemoFigures:
    """How the verdicts compare with the truth.

    Attributes
    ----------
    sessions, faults
        How many sessions were watched, and how many of them are faulty.
    found
        How many faulty sessions were flagged.
    false_alarms, drift_alarms
        How many healthy sessions were flagged, and in how many of those a harmless change shows.
    incidents, false_incidents, drift_incidents
        Into how many incidents the flagged sessions fall; how many of these hold no faulty session; and how many are
        about a harmless change: more than half of their sessions are healthy and show it.
    unjudged, unknown
        Sessions of the truth without a verdict, which count as not flagged, and verdicts about no session of the truth,
        which count for nothing else.
    kinds
        Each kind of fault, in the order of their names.
    """

    sessions: int
    faults: int
    found: int
    false_alarms: int
    drift_alarms: int
    incidents: int
    false_incidents: int
    drift_incidents: int
    unjudged: int
    unknown: int
    kinds: tuple[KindFigures, ...]

    @property
    def precision(self) -> float:
        """The share of flagged sessions that are faulty."""
        return _ratio(self.found, self.found + self.false_alarms)

    @property
    def recall(self) -> float:
        """The share of faulty sessions that were flagged."""
        return _ratio(self.found, self.faults)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _ratio(2 * self.found, self.found + self.false_alarms + self.faults)

    @property
    def false_alarm_rate(self) -> float:
        """The share of healthy sessions that were flagged."""
        return _ratio(self.false_alarms, self.sessions - self.faults)

    @property
    def steady_false_alarm_rate(self) -> float:
        """The same without the alarms in which a harmless change shows."""
        return _ratio(self.false_alarms - self.drift_alarms, self.sessions - self.faults)


def judge(verdicts: pl.DataFrame, truth: pl.DataFrame) -> DemoFigures:
    """Compare verdicts with the truth.

    Parameters
    ----------
    verdicts
        A row a sequence, with at least `sequence`, `anomaly` and `incident` (null where there is none).
    truth
        A row a session: `sequence`, `label`, `kind`, `drift`, as `read_truth` gives them.

    Examples
    --------
    >>> truth = pl.DataFrame(
    ...     [("slab-a", 1, "never ends", ""), ("slab-b", 0, "", "new message"), ("slab-c", 0, "", "")],
    ...     schema=["sequence", "label", "kind", "drift"], orient="row")
    >>> verdicts = pl.DataFrame(
    ...     [("slab-a", True, "i1"), ("slab-b", True, "i2"), ("slab-c", False, None)],
    ...     schema=["sequence", "anomaly", "incident"], orient="row")
    >>> figures = judge(verdicts, truth)
    >>> figures.precision, figures.recall, figures.drift_incidents
    (0.5, 1.0, 1)
    """
    flagged = verdicts.filter("anomaly").select("sequence", pl.col("incident").cast(pl.String))
    judged = truth.with_columns(
        flagged=pl.col("sequence").is_in(flagged["sequence"].implode()),
        faulty=pl.col("label") == 1,
        drifted=pl.col("drift") != "",
    )
    unjudged = truth.join(verdicts, on="sequence", how="anti").height
    if unjudged == len(truth):
        raise InputError(
            f"none of the {len(verdicts)} verdicts is about a session of the truth: other log, or grouping?"
        )
    faulty, healthy = judged.filter("faulty"), judged.filter(~pl.col("faulty"))
    incidents = _incidents(flagged, judged)
    return DemoFigures(
        sessions=len(truth),
        faults=len(faulty),
        found=len(faulty.filter("flagged")),
        false_alarms=len(healthy.filter("flagged")),
        drift_alarms=len(healthy.filter("flagged", "drifted")),
        incidents=len(incidents),
        false_incidents=len(incidents.filter(pl.col("faulty") == 0)),
        drift_incidents=len(incidents.filter(pl.col("drift") * 2 > pl.col("sessions"))),
        unjudged=unjudged,
        unknown=verdicts.join(truth, on="sequence", how="anti").height,
        kinds=_kinds(faulty),
    )


def _kinds(faulty: pl.DataFrame) -> tuple[KindFigures, ...]:
    counted = faulty.group_by("kind").agg(pl.len(), pl.col("flagged").sum()).sort("kind")
    return tuple(KindFigures(*row) for row in counted.iter_rows())


def _incidents(flagged: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """Count in each incident the sessions, the faulty ones, and the healthy ones in which drift shows."""
    return (
        flagged.drop_nulls("incident")
        .join(judged, on="sequence", how="inner")
        .group_by("incident")
        .agg(
            pl.len().cast(pl.Int64).alias("sessions"),
            pl.col("faulty").sum().cast(pl.Int64),
            (pl.col("drifted") & ~pl.col("faulty")).sum().cast(pl.Int64).alias("drift"),
        )
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
