"""Windows: records of the same stretch of time, or every so many records, belong together."""

from __future__ import annotations

import polars as pl

from logbert.errors import OptionError
from logbert.sequences.collector import Collector, assemble, effective_times, in_schema, merge_sources
from logbert.sequences.durations import format_duration


class TimeCollector(Collector):
    """Windows of time, over all sources.

    A record falls into the windows its own time says, however late it is written. A record without a time goes by its
    neighbours in the same source (see `logbert.sequences.collector`). Stretches without records give no windows.

    Parameters
    ----------
    size, step
        In microseconds.
    """

    def __init__(self, size: int, step: int) -> None:
        super().__init__()
        self.size = size
        self.step = step

    def _members(self, frame: pl.DataFrame, narrow: pl.DataFrame) -> pl.DataFrame:
        return narrow

    def _sequences(self, members: pl.DataFrame) -> pl.DataFrame:
        if members["time"].null_count() == len(members):
            raise OptionError(
                f"time windows of {format_duration(self.size)} need timestamps, and none of the {self.records:,}"
                " records has one; group by count:100, or give the format of the log"
            )
        members = self._with_sources(members)
        members = members.with_columns(effective_times(members).alias("clock"))
        windows = self._spread(members).drop("clock")
        windows = merge_sources(windows, "window").sort("window", maintain_order=True)
        begins = pl.from_epoch(pl.col("window") * self.step, time_unit="us")
        return in_schema(
            assemble(windows, "window").with_columns(
                pl.format("{}/{}", begins.dt.strftime("%Y-%m-%dT%H:%M:%S"), pl.lit(format_duration(self.size))).alias(
                    "sequence"
                )
            )
        )

    def _spread(self, members: pl.DataFrame) -> pl.DataFrame:
        """Give each record once for each window it is in; windows are numbered in steps since 1970."""
        last = pl.col("clock").floordiv(self.step)
        if self.step == self.size:
            return members.with_columns(last.alias("window"))
        first = (pl.col("clock") - self.size).floordiv(self.step) + 1
        return members.with_columns(pl.int_ranges(first, last + 1).alias("window")).explode("window")

    @property
    def notes(self) -> list[str]:
        """How many records went by their neighbours' time."""
        if not self.without_time:
            return []
        return [f"{self.without_time:,} of {self.records:,} records have no time and went by the record before them"]


class CountCollector(Collector):
    """Windows of so many records each, in the order of the lines.

    The last window holds what is left; a window that would lie wholly within the one before it is not made.

    Parameters
    ----------
    size, step
        In records.
    """

    def __init__(self, size: int, step: int) -> None:
        super().__init__()
        self.size = size
        self.step = step

    def _members(self, frame: pl.DataFrame, narrow: pl.DataFrame) -> pl.DataFrame:
        return narrow

    def _sequences(self, members: pl.DataFrame) -> pl.DataFrame:
        final = -(-max(len(members) - self.size, 0) // self.step)
        position = pl.int_range(pl.len(), dtype=pl.Int64)
        last = position.floordiv(self.step)
        if self.step == self.size:
            windows = members.with_columns(last.alias("window"))
        else:
            first = ((position - self.size).floordiv(self.step) + 1).clip(lower_bound=0)
            windows = (
                members.with_columns(pl.int_ranges(first, last.clip(upper_bound=final) + 1).alias("window"))
                .explode("window")
                .sort("window", maintain_order=True)
            )
        lines = pl.col("lines").list
        return in_schema(
            assemble(windows, "window").with_columns(
                pl.format("lines {}-{}", lines.first(), lines.last()).alias("sequence")
            )
        )
