"""Which source each record came from, and what its clock said, for records that give no time of their own too."""

from __future__ import annotations

import polars as pl


class Clocks:
    """Remembers where sources begin and what their clocks said, while records go by in batches.

    A record without a time counts as written at the last time its source gave before it, or, at its beginning, at the
    first that follows. A source that gives no time at all goes by the end of the source before it, or by the beginning
    of the next.

    Examples
    --------
    >>> frame = pl.DataFrame({"line": [1, 2, 3, 4], "source": ["a", "a", "a", "b"], "time": [None, 5, None, None]})
    >>> clocks = Clocks()
    >>> clocks.add(frame)
    >>> records = clocks.with_source(frame.drop("source"))
    >>> records["source"].to_list(), clocks.times(records).to_list()
    ([0, 0, 0, 1], [5, 5, 5, 5])
    """

    def __init__(self) -> None:
        self._runs: list[pl.DataFrame] = []
        self._untimed: list[pl.DataFrame] = []
        self._numbers: dict[str, int] = {}
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def add(self, records: pl.DataFrame) -> None:
        """Take note of a batch of records (line, source, time)."""
        alone = records["source"].n_unique() == 1  # of one source, as most batches are
        self._runs.append(_runs(records, alone))
        for source in self._runs[-1]["source"].unique(maintain_order=True):
            self._numbers.setdefault(source, len(self._numbers))
        if records["time"].null_count():
            self._untimed.append(self._filled(records))
        for source, first, last in _ends(records, alone):
            self._first.setdefault(source, first)
            self._last[source] = last

    @property
    def several(self) -> bool:
        """Whether there was more than one source."""
        return len(self._numbers) > 1

    def with_source(self, members: pl.DataFrame) -> pl.DataFrame:
        """Add the number of the source of each record; `members` are in the order of lines."""
        if not self.several:
            return members.with_columns(pl.lit(0, pl.UInt32).alias("source"))
        runs = pl.concat(self._runs).sort("line")
        numbers = pl.col("source").replace_strict(self._numbers, return_dtype=pl.UInt32)
        return members.join_asof(runs.with_columns(numbers), on="line", strategy="backward")

    def times(self, members: pl.DataFrame) -> pl.Series:
        """Give each record (line, time, source) a time, if any record at all has one."""
        if not members["time"].null_count():
            return members["time"]
        joined = members.join(pl.concat(self._untimed), on="line", how="left", maintain_order="left")
        begins = self._beginnings().gather(joined["source"])
        return joined.select(pl.coalesce("time", "at", begins).alias("time"))["time"]

    def _filled(self, records: pl.DataFrame) -> pl.DataFrame:
        """Give the records without a time the last their source gave so far, if it gave any."""
        before = pl.col("source").replace_strict(self._last, default=None, return_dtype=pl.Int64)
        at = pl.col("time").forward_fill().over("source").fill_null(before)
        bare = pl.col("time").is_null().alias("bare")
        return records.select("line", at.alias("at"), bare).filter("bare").drop("bare").drop_nulls()

    def _beginnings(self) -> pl.Series:
        """Give the time each source begins at."""
        table = pl.DataFrame(
            {"first": map(self._first.get, self._numbers), "last": map(self._last.get, self._numbers)},
            schema={"first": pl.Int64, "last": pl.Int64},
        )
        return table.select(
            pl.coalesce("first", pl.col("last").forward_fill(), pl.col("first").backward_fill()).alias("begins")
        )["begins"]


def _ends(records: pl.DataFrame, alone: bool) -> list[tuple[str, int, int]]:
    """Give the first and the last time of each source of a batch that gives any."""
    if alone:
        times = records["time"].drop_nulls()
        return [(records["source"][0], times[0], times[-1])] if len(times) else []
    known = records.drop_nulls("time").group_by("source", maintain_order=True)
    return known.agg(first=pl.col("time").first(), last=pl.col("time").last()).rows()


def _runs(records: pl.DataFrame, alone: bool) -> pl.DataFrame:
    """Give the lines at which another source begins: files are read one after the other, so there are few."""
    if alone:  # a slice would keep all of the batch's columns alive
        return pl.DataFrame({"line": [records["line"][0]], "source": [records["source"][0]]})
    begins = pl.col("source").ne_missing(pl.col("source").shift()) | (pl.int_range(pl.len()) == 0)
    return records.select("line", "source", begins.alias("begins")).filter("begins").drop("begins")
