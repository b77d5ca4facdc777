"""The timeline of a report: how much was logged, and how odd the oddest of it was, as inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import polars as pl

BUCKETS = 120
VOLUME, SCORE = 56, 96  # heights of the pictures, in pixels
LOWEST = 0.1  # scores below are drawn as this
TOP_SCORE = 100.0  # scores above are drawn at the edge: the picture is about where, the table about how much


@dataclass(frozen=True)
class Bucket:
    """One step of the timeline."""

    at: str
    events: int
    score: float
    anomalies: int


def buckets_of(verdicts: pl.DataFrame, most: int = BUCKETS) -> list[Bucket]:
    """Cut the verdicts into at most `most` equal steps: of time where there is time, else of order."""
    if verdicts.is_empty():
        return []
    timed = verdicts["start"].null_count() == 0 and verdicts["start"].n_unique() > 1
    place = verdicts["start"].cast(pl.Int64).to_numpy() if timed else np.arange(len(verdicts))
    low, high = int(place.min()), int(place.max())
    count = min(most, len(verdicts))
    step = np.minimum((place - low) * count // max(high - low, 1), count - 1)
    gathered = (
        verdicts.select("events", "score", "anomaly")
        .with_columns(pl.Series("step", step))
        .group_by("step")
        .agg(pl.col("events").sum(), pl.col("score").max(), pl.col("anomaly").sum())
    )
    found = {row[0]: row[1:] for row in gathered.iter_rows()}
    return [
        Bucket(_name(low + (high - low) * index // count, timed=timed), *found.get(index, (0, 0.0, 0)))
        for index in range(count)
    ]


def _name(place: int, *, timed: bool) -> str:
    return (
        str(np.datetime64(place, "us").astype("datetime64[s]")).replace("T", " ") if timed else f"sequence {place + 1}"
    )


def timeline(verdicts: pl.DataFrame) -> str:
    """Draw volume above and the worst score of each step below, with the alert boundary as a line.

    The words stand beside the pictures, not in them, so that a narrow screen squeezes the bars and not the letters.
    """
    buckets = buckets_of(verdicts)
    if not buckets:
        return ""
    busiest = max(bucket.events for bucket in buckets) or 1
    top = top_of(max(bucket.score for bucket in buckets))
    volume = [
        _bar(index, bucket, "volume", VOLUME * bucket.events / busiest, VOLUME) for index, bucket in enumerate(buckets)
    ]
    scores = [
        _bar(index, bucket, "odd" if bucket.score >= 1 else "calm", rise(bucket.score, top), SCORE)
        for index, bucket in enumerate(buckets)
    ]
    boundary = SCORE - rise(1.0, top)
    line = f'<line class="boundary" x1="0" x2="{len(buckets)}" y1="{boundary:.1f}" y2="{boundary:.1f}"/>'
    return (
        '<figure class="timeline">'
        f"<figcaption>records, up to {busiest:,} in one step</figcaption>"
        + _picture("records over time", len(buckets), VOLUME, volume)
        + f"<figcaption>worst score, logarithmic up to {top:,.0f}; anomalous above the dashed line, 1.0</figcaption>"
        + _picture("worst score over time", len(buckets), SCORE, [*scores, line])
        + f'<div class="span"><span>{escape(buckets[0].at)}</span><span>{escape(buckets[-1].at)}</span></div></figure>'
    )


def top_of(score: float) -> float:
    """Give the highest score that is drawn: the power of ten above the highest there is, a hundred at most.

    Examples
    --------
    >>> top_of(0.4), top_of(2.4), top_of(31.0), top_of(8000.0)
    (10.0, 10.0, 100.0, 100.0)
    """
    return float(min(10 ** max(np.ceil(np.log10(max(score, LOWEST))), 1.0), TOP_SCORE))


def rise(score: float, top: float) -> float:
    """How high a score is drawn: its logarithm, so that floods do not hide the rest."""
    if score <= 0:
        return 0.0
    clipped = min(max(score, LOWEST), top)
    return float(max(SCORE * np.log10(clipped / LOWEST) / np.log10(top / LOWEST), 1.0))


def _bar(index: int, bucket: Bucket, colour: str, height: float, floor: float) -> str:
    tip = f"{bucket.at}: {bucket.events:,} records, worst score {bucket.score:.2f}, {bucket.anomalies:,} anomalous"
    return (
        f'<g><title>{escape(tip)}</title><rect class="{colour}" x="{index + 0.07:.2f}" y="{floor - height:.1f}" '
        f'width="0.86" height="{height:.1f}"/></g>'
    )


def _picture(label: str, width: int, height: int, parts: list[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" style="height:{height}px" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
