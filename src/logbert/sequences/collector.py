"""Collecting records batch by batch, in narrow columns, until they can be put together as sequences.

A collector holds 24 bytes a record, and no text: the line, the time, the code of its template, and which sequence it
belongs to. What comes out does not depend on how the records were cut into batches.

The order of records in a sequence
----------------------------------
The records of one source keep the order in which they were written, even where its clock goes backwards: within a
program the order of writing is the order of events, and a clock may be set. Records of several sources that share a
sequence are merged by time, where a clock that goes backwards counts as standing still. Equal times stand in the
order of the lines.

A record without a time counts as written at the last time its source gave before it, or, at its beginning, at the
first that follows. It keeps its unknown time in the column `times`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SCHEMA = {
    "sequence": pl.String(),
    "start": pl.Datetime("us"),
    "end": pl.Datetime("us"),
    "keys": pl.List(pl.Int32()),
    "lines": pl.List(pl.Int64()),
    "times": pl.List(pl.Int64()),
    "label": pl.Boolean(),
}


class Collector(ABC):
    """Takes records batch by batch and makes sequences of them.

    Attributes
    ----------
    records
        How many records went in.
    left_out
        How many of them belong to no sequence.
    without_time
        How many of them have no time of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from logbert.sequences import Grouping
    >>> frame = pl.DataFrame({"line": [1, 2, 3], "message": ["open job_7", "open job_8", "close job_7"]})
    >>> collector = Grouping.parse("session:job_[0-9]+").collector()
    >>> collector.add(frame, pl.Series([0, 0, 1], dtype=pl.UInt32))
    >>> sequences = collector.finish(np.array([10, 11], dtype=np.int32))
    >>> sequences.select("sequence", "keys", "lines").rows()
    [('job_7', [10, 11], [1, 3]), ('job_8', [10], [2])]
    """

    def __init__(self) -> None:
        self.records = 0
        self.left_out = 0
        self.without_time = 0
        self._parts: list[pl.DataFrame] = []
        self._sources: list[pl.DataFrame] = []
        self._notes: list[str] = []

    def add(self, frame: pl.DataFrame, codes: pl.Series | npt.NDArray[np.integer]) -> None:
        """Take a batch of records, and the code of each.

        Parameters
        ----------
        frame
            Records as the lines room gives them; `line` must be there, `timestamp`, `source` and `label` are used if
            they are.
        codes
            One code a record.
        """
        if len(codes) != len(frame):
            raise InputError(f"{len(frame)} records came with {len(codes)} codes; give one code a record")
        if frame.is_empty():
            return
        narrow = narrow_columns(frame).with_columns(pl.Series("code", codes).cast(pl.UInt32))
        self.records += len(frame)
        self.without_time += narrow["time"].null_count()
        if "source" in frame.columns:
            self._sources.append(source_runs(frame))
        self._parts.append(self._members(frame, narrow))

    def finish(self, key_of_code: npt.NDArray[np.integer]) -> pl.DataFrame:
        """Give the sequences of all records so far, and forget the records.

        Parameters
        ----------
        key_of_code
            For each code, the log key it became.

        Returns
        -------
        pl.DataFrame
            One row a sequence: `sequence`, `start`, `end`, `keys`, `lines`, `times`, `label`. Sessions come in the
            order of their first line, windows in the order of their beginning.
        """
        parts, self._parts = self._parts, []
        rows = [part for part in parts if not part.is_empty()]
        del parts
        if not rows:
            self._sources.clear()
            return pl.DataFrame(schema=SCHEMA)
        members = pl.concat(rows, rechunk=True)
        rows.clear()
        members = members.with_columns(_keys(members["code"], key_of_code)).drop("code")
        if not members["line"].is_sorted():
            members = members.sort("line", maintain_order=True)
        return self._sequences(members)

    @property
    def notes(self) -> list[str]:
        """What the user should know of records that were left out or had no time, a sentence each."""
        return list(self._notes)

    @abstractmethod
    def _members(self, frame: pl.DataFrame, narrow: pl.DataFrame) -> pl.DataFrame:
        """Give `narrow` with one row for each sequence a record is known to belong to already."""

    @abstractmethod
    def _sequences(self, members: pl.DataFrame) -> pl.DataFrame:
        """Put the records (line, time, label, key; in order of lines) together as sequences."""

    def _with_sources(self, members: pl.DataFrame) -> pl.DataFrame:
        """Add the number of the source of each record (0 if there is but one)."""
        runs = pl.concat(self._sources) if self._sources else pl.DataFrame()
        self._sources.clear()
        if runs.is_empty() or runs["source"].n_unique() == 1:
            return members.with_columns(pl.lit(0, pl.UInt32).alias("source"))
        runs = runs.sort("line").with_columns(pl.col("source").rank("dense").cast(pl.UInt32))
        return members.join_asof(runs, on="line", strategy="backward")


def narrow_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep line, time (microseconds) and label of each record; what the frame does not have is null."""
    if "line" not in frame.columns:
        raise InputError(f"a frame of records needs a column 'line'; this one has {frame.columns}")
    time = pl.col("timestamp").cast(pl.Datetime("us")) if "timestamp" in frame.columns else pl.lit(None)
    label = pl.col("label") if "label" in frame.columns else pl.lit(None)
    return frame.select(
        pl.col("line").cast(pl.Int64),
        time.cast(pl.Int64).alias("time"),
        label.cast(pl.Boolean).alias("label"),
    )


def source_runs(frame: pl.DataFrame) -> pl.DataFrame:
    """Give the lines at which another source begins: files are read one after the other, so there are few."""
    changes = pl.col("source").ne_missing(pl.col("source").shift())
    first = pl.int_range(pl.len()) == 0
    return (
        frame.select(
            pl.col("line").cast(pl.Int64),
            pl.col("source").cast(pl.String).fill_null(""),
            (changes | first).alias("begins"),
        )
        .filter("begins")
        .drop("begins")
    )


def effective_times(members: pl.DataFrame) -> pl.Series:
    """Give each record (in order of lines, with `source`) a time, where any record has one."""
    time = members["time"]
    if not time.null_count():
        return time
    own = pl.col("time").forward_fill().backward_fill().over("source")
    return members.select(own.forward_fill().backward_fill().alias("time"))["time"]


def merge_sources(members: pl.DataFrame, group: str) -> pl.DataFrame:
    """Bring records (in order of lines, with `source`) into the order they have within their sequences."""
    if members["source"].max() == members["source"].min():
        return members
    clock = effective_times(members)
    return (
        members.with_columns(clock.alias("clock"))
        .with_columns(pl.col("clock").cum_max().over(group, "source"))
        .sort("clock", "line", maintain_order=True, nulls_last=True)
        .drop("clock")
    )


def assemble(members: pl.DataFrame, group: str) -> pl.DataFrame:
    """Make one row a group, in order of first appearance; `group` stays beside the columns of a sequence."""
    return members.group_by(group, maintain_order=True).agg(
        pl.col("time").min().cast(pl.Datetime("us")).alias("start"),
        pl.col("time").max().cast(pl.Datetime("us")).alias("end"),
        pl.col("key").alias("keys"),
        pl.col("line").alias("lines"),
        pl.col("time").alias("times"),
        pl.col("label").max().alias("label"),
    )


def in_schema(sequences: pl.DataFrame) -> pl.DataFrame:
    """Order and type the columns as every frame of sequences has them."""
    return sequences.select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())


def _keys(codes: pl.Series, key_of_code: npt.NDArray[np.integer]) -> pl.Series:
    """Turn codes into keys."""
    table = pl.Series("key", key_of_code).cast(pl.Int32)
    largest = codes.max()
    if not isinstance(largest, int) or largest >= len(table):
        raise InputError(f"a record has the code {largest!r}, but there are keys for only {len(table)} codes")
    return table.gather(codes).alias("key")
