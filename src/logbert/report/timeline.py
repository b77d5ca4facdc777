"""The timeline of a report: how much was logged, and how odd the oddest of it was, as inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import polars as pl

BUCKETS = 120
WIDTH, VOLUME, SCORE, GAP, LEFT = 960, 70, 130, 26, 46
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
    """Draw volume above and the worst score of each step below, with the alert boundary as a line."""
    buckets = buckets_of(verdicts)
    if not buckets:
        return ""
    height = VOLUME + GAP + SCORE + 24
    step = (WIDTH - LEFT) / len(buckets)
    busiest = max(bucket.events for bucket in buckets) or 1
    floor = VOLUME + GAP + SCORE
    parts = []
    for index, bucket in enumerate(buckets):
        x = LEFT + index * step
        tip = f"{bucket.at}: {bucket.events:,} records, worst score {bucket.score:.2f}, {bucket.anomalies:,} anomalous"
        volume = VOLUME * bucket.events / busiest
        rise = _rise(bucket.score)
        colour = "odd" if bucket.score >= 1 else "calm"
        parts.append(
            f"<g><title>{escape(tip)}</title>{_bar('volume', x, VOLUME, volume, step)}"
            f"{_bar(colour, x, floor, rise, step)}</g>"
        )
    boundary = floor - _rise(1.0)
    parts.append(f'<line class="boundary" x1="{LEFT}" x2="{WIDTH}" y1="{boundary:.1f}" y2="{boundary:.1f}"/>')
    parts.append(_label(LEFT - 6, boundary + 4, "1.0", "end"))
    parts.append(_label(LEFT - 6, 10, f"{busiest:,}", "end"))
    parts.append(_label(LEFT, VOLUME + 14, "records (above), worst score (below, logarithmic)", "start"))
    parts.append(_label(LEFT, floor + 16, buckets[0].at, "start"))
    parts.append(_label(WIDTH, floor + 16, buckets[-1].at, "end"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="volume and worst score over time">'
        f"{''.join(parts)}</svg>"
    )


def _bar(colour: str, x: float, floor: float, height: float, step: float) -> str:
    y, width = floor - height, step * 0.86
    return f'<rect class="{colour}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _rise(score: float) -> float:
    """How high a score is drawn: its logarithm, so that 1.0 stands at a third and floods do not hide the rest."""
    clipped = min(max(score, 0.1), TOP_SCORE)
    return float(SCORE * np.log10(clipped / 0.1) / np.log10(TOP_SCORE / 0.1)) if score > 0 else 0.0


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
