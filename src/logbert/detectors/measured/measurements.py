"""What is measured of each row of sequences beside its keys: values in its messages, gaps between its records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

SLAB = 500_000  # records that are laid out at a time, which bounds memory
MICROSECONDS = 1e6


@dataclass(frozen=True, eq=False)
class Measurements:
    """The rows of a frame of sequences, with what stood in the wildcards of their messages.

    Attributes
    ----------
    sequences
        One row a sequence: `keys`, and if there are any `start`, `lines`, `times`.
    values
        What stood where: line, key, slot, unit, number, word; None if the input has no messages.

    Examples
    --------
    >>> sequences = pl.DataFrame({"keys": [[1, 2, 2]], "lines": [[10, 11, 12]], "times": [[0, 5_000_000, 4_000_000]]})
    >>> measurements = Measurements(sequences)
    >>> [gaps.select("row", "line", "key", "number").rows() for gaps in measurements.gaps()]
    [[(0, 11, 2, 5.0), (0, 12, 2, 0.0)]]
    """

    sequences: pl.DataFrame
    values: pl.DataFrame | None = None

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.sequences)

    @property
    def timed(self) -> bool:
        """Whether any record has a time."""
        return "times" in self.sequences.columns and bool(self.sequences["times"].list.len().fill_null(0).sum())

    def rank(self) -> npt.NDArray[np.int64]:
        """Give each row's place in the order of time; where a row has no time, in the order of rows."""
        rank = np.arange(len(self), dtype=np.int64)
        if "start" in self.sequences.columns and not self.sequences["start"].null_count():
            rank[np.argsort(self.sequences["start"].to_numpy(), kind="stable")] = np.arange(len(self))
        return rank

    def take(self, rows: npt.NDArray[np.integer]) -> Self:
        """Keep only these rows, in this order."""
        return type(self)(self.sequences[rows], self.values)

    def valued(self) -> Iterator[pl.DataFrame]:
        """Give the values of each row: row, line, key, slot, unit, number, word; some rows at a time."""
        if self.values is None or self.values.is_empty():
            return
        for begin, slab in _slabs(self.sequences.select("lines")):
            lines = slab.select(_rows_from(begin), pl.col("lines").alias("line")).explode("line").drop_nulls()
            yield lines.join(self.values, on="line", how="inner", maintain_order="left")

    def gaps(self) -> Iterator[pl.DataFrame]:
        """Give the seconds from the record before to each record of known time: row, line, key, number.

        A clock that goes backwards counts as standing still until it is caught up with.
        """
        if not self.timed:
            return
        names = [name for name in ("keys", "lines", "times") if name in self.sequences.columns]
        for begin, slab in _slabs(self.sequences.select(names)):
            full = slab.with_columns(_rows_from(begin)).filter(
                pl.col("times").list.len() == pl.col("keys").list.len(), pl.col("times").list.len() > 1
            )
            if "lines" not in names:
                full = full.with_columns(lines=pl.lit(None, pl.List(pl.Int64)))
            lined = full["lines"].list.len().fill_null(0) == full["keys"].list.len()
            places = pl.when(lined).then("lines").otherwise(pl.col("keys").cast(pl.List(pl.Int64)) * 0)
            flat = full.with_columns(lines=places).explode("keys", "lines", "times")
            latest = pl.col("times").cum_max().forward_fill().over("row")
            gap = (pl.col("times") - latest.shift(1).over("row")).clip(lower_bound=0) / MICROSECONDS
            yield flat.select("row", line="lines", key="keys", number=gap).drop_nulls("number")


def _rows_from(begin: int) -> pl.Expr:
    return pl.int_range(begin, begin + pl.len(), dtype=pl.Int64).alias("row")


def _slabs(sequences: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    """Cut rows into runs of about `SLAB` records; give where each begins."""
    lengths = sequences.to_series(0).list.len().fill_null(0).cast(pl.Int64)
    slab = (lengths.cum_sum() // SLAB).to_numpy()
    begins = np.append(np.flatnonzero(np.diff(slab, prepend=-1)), len(slab))
    for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
        yield begin, sequences.slice(begin, end - begin)
