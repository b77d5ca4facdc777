"""What `--group auto` decides, from the first records of a log."""

from __future__ import annotations


from logbert.sequences.grouping import CountWindows, Grouping, Sessions, TimeWindows
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def choose(frame: pl.DataFrame, codes: pl.Series | None = None) -> Grouping:
    """Decide how to group a log of which these are the first records."""
    if len(frame) and frame["message"].str.contains(r"blk_-?\d+").mean() > 0.9:  # type: ignore[operator]
        return Sessions(r"blk_-?\d+", why="blocks")
    if "timestamp" in frame.columns and frame["timestamp"].null_count() < len(frame):
        return TimeWindows(300_000_000, 300_000_000, why="timestamps")
    return CountWindows(100, 100, why="no ids, no times")
