"""Collecting records batch by batch, in narrow columns, until they can be put together as sequences.

A collector holds 24 bytes a record, and no text: the line, the time, the code of its template, and which sequence it
belongs to. What comes out does not depend on how the records were cut into batches.

The order of records in a sequence
----------------------------------
The records of one source keep the order in which they were written, even where its clock goes backwards: within a
program the order of writing is the order of events, and a clock may be set. Records of several sources that share a
sequence are merged by time, where a clock that goes backwards counts as standing still. Equal times stand in the
order of the lines.

A record without a time goes by its neighbours in the same source (`logbert.sequences.clocks`). It keeps its unknown
time in the column `times`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import InputError
from logbert.sequences.clocks import Clocks

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
        self._clocks = Clocks()

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
        narrow = narrow_columns(frame, pl.Series("code", codes))
        self.records += len(frame)
        self.without_time += narrow["time"].null_count()
        self._clocks.add(narrow.select("line", "source", "time"))
        self._parts.append(self._members(frame, narrow.drop("source")))

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
        parts = [part for part in self._parts if not part.is_empty()]
        self._parts = []
        if not parts:
            return pl.DataFrame(schema=SCHEMA)
        # Column by column, each freed in the parts as it is joined, so that there is never a second copy of all.
        columns = {
            name: pl.concat([part.drop_in_place(name) for part in parts], rechunk=True) for name in parts[0].columns
        }
        columns["key"] = _keys(columns.pop("code"), key_of_code)
        members = pl.DataFrame(columns)
        del columns
        if not members["line"].is_sorted():
            members = members.sort("line", maintain_order=True)
        return self._sequences(members)

    @property
    def notes(self) -> list[str]:
        """What the user should know of records that were left out or had no time, a sentence each."""
        return []

    @abstractmethod
    def _members(self, frame: pl.DataFrame, narrow: pl.DataFrame) -> pl.DataFrame:
        """Give `narrow` with one row for each sequence a record is known to belong to already."""

    @abstractmethod
    def _sequences(self, members: pl.DataFrame) -> pl.DataFrame:
        """Put the records (line, time, label, key; in order of lines) together as sequences."""


def narrow_columns(frame: pl.DataFrame, codes: pl.Series) -> pl.DataFrame:
    """Keep line, source, time (microseconds), label and code of each record; what the frame does not have is null."""
    if "line" not in frame.columns:
        raise InputError(f"a frame of records needs a column 'line'; this one has {frame.columns}")
    time = pl.col("timestamp").cast(pl.Datetime("us")) if "timestamp" in frame.columns else pl.lit(None)
    source = pl.col("source").cast(pl.String).fill_null("") if "source" in frame.columns else pl.lit("")
    label = pl.col("label") if "label" in frame.columns else pl.lit(None)
    return frame.select(
        pl.col("line").cast(pl.Int64),
        source.alias("source"),
        time.cast(pl.Int64).alias("time"),
        label.cast(pl.Boolean).alias("label"),
        codes.cast(pl.UInt32).alias("code"),
    )


def merge_sources(members: pl.DataFrame, group: str) -> pl.DataFrame:
    """Bring records (in order of lines, with `source` and the time `at`) into their order within their sequences."""
    return members.with_columns(_standing_clock(members, group)).sort("at", "line", nulls_last=True)


def _standing_clock(members: pl.DataFrame, group: str) -> pl.Series:
    """Let a clock that goes backwards stand still until it is caught up with, within a source and a sequence.

    Clocks seldom go backwards, so only the sequences in which one did are looked at.
    """
    backwards = members.select(pl.col("at") < pl.col("at").cum_max().over("source"))["at"]
    if not backwards.any():
        return members["at"]
    touched = members[group].is_in(members.filter(backwards)[group].unique().implode())
    standing = (
        members.with_row_index("row")
        .filter(touched)
        .select("row", pl.col("at").cum_max().over(group, "source").alias("at"))
    )
    return members.select("at").with_row_index("row").update(standing, on="row")["at"]


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
