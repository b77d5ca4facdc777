"""Windows: records of the same stretch of time, or every so many records, belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import OptionError
from logbert.sequences.collector import Collector, assemble, in_schema, merge_sources
from logbert.sequences.durations import format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

SLAB = 1_000_000  # records that are spread over their windows at a time, which bounds memory where windows overlap


class TimeCollector(Collector):
    """Windows of time, over all sources.

    A record falls into the windows its own time says, however late it is written. A record without a time goes by its
    neighbours in the same source (see `logbert.sequences.clocks`). Stretches without records give no windows.

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
        members = self._clocks.with_source(members)
        members = members.with_columns(self._clocks.times(members).alias("at"))
        begins = pl.from_epoch(pl.col("window") * self.step, time_unit="us").dt.strftime("%Y-%m-%dT%H:%M:%S")
        name = pl.format("{}/{}", begins, pl.lit(format_duration(self.size))).alias("sequence")
        slabs = spread(members, self.size, self.step)
        if self._clocks.several:
            slabs = (merge_sources(slab, "window") for slab in slabs)
        windows = [assemble(slab, "window").sort("window") for slab in slabs]
        return pl.concat([in_schema(slab.with_columns(name)) for slab in windows], rechunk=False)

    @property
    def notes(self) -> list[str]:
        """How many records went by their neighbours' time."""
        if not self.without_time:
            return []
        verb = "have no time and go" if self.without_time > 1 else "has no time and goes"
        return [f"{self.without_time:,} of {self.records:,} records {verb} by the time of the record before"]


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
        members = members.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias("at"))
        lines = pl.col("lines").list
        name = pl.format("lines {}-{}", lines.first(), lines.last()).alias("sequence")
        slabs = spread(members, self.size, self.step, within=(0, final))
        windows = [assemble(slab, "window").sort("window") for slab in slabs]
        return pl.concat([in_schema(slab.with_columns(name)) for slab in windows], rechunk=False)


def spread(
    members: pl.DataFrame, size: int, step: int, within: tuple[int, int] | None = None
) -> Iterator[pl.DataFrame]:
    """Give each record once for each window it is in, some windows at a time.

    Parameters
    ----------
    members
        Records, and the point `at` which each stands.
    size, step
        Window `w` holds the records from `w * step` on, as long as they are before `w * step + size`.
    within
        The first and last windows to make, if not all that hold a record.

    Yields
    ------
    pl.DataFrame
        The records of successive ranges of windows, in the order of `members`, each with its `window`.

    Examples
    --------
    >>> [slab.rows() for slab in spread(pl.DataFrame({"at": [0, 5, 9]}), size=10, step=5)]
    [[(0, -1), (0, 0), (5, 0), (5, 1), (9, 0), (9, 1)]]
    """
    at = pl.col("at")
    for low, high in _ranges(members["at"], size, step, within):
        rows = members.filter(at >= low * step, at < high * step + size)
        first = ((at - size).floordiv(step) + 1).clip(lower_bound=low)
        last = at.floordiv(step).clip(upper_bound=high)
        if size == step:
            yield rows.with_columns(last.alias("window"))
        else:
            yield rows.with_columns(pl.int_ranges(first, last + 1).alias("window")).explode("window")


def _ranges(at: pl.Series, size: int, step: int, within: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
    """Cut the windows into ranges (both ends included) that about `SLAB` records belong to."""
    spans = at.to_frame("at").select(pl.col("at").min().alias("low"), pl.col("at").max().alias("high")).row(0)
    low, final = within or ((spans[0] - size) // step + 1, spans[1] // step)
    held = at.to_frame("at").group_by(pl.col("at").floordiv(step).alias("window")).len().sort("window")
    slab = pl.col("len").cum_sum().floordiv(max(1, SLAB * step // size))
    for high in held.group_by(slab.alias("slab"), maintain_order=True).agg(pl.col("window").last())["window"]:
        if low <= min(high, final):
            yield low, min(high, final)
            low = high + 1
