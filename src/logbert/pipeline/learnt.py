"""What a model has learnt from: its distinct normal sequences and how often each occurred.

Training on (`--resume`) is to add to what was learnt, not to put the last log in its place. So a model keeps what it
learnt from, each distinct sequence once, and learns from all of it together with what is new.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

FILE = "learnt.parquet"
MOST_KEYS = 20_000_000  # of distinct sequences kept, the most frequent first: some 40 MB


@dataclass(frozen=True, eq=False)
class Learnt:
    """Distinct sequences with their counts, and by which logs they came.

    Attributes
    ----------
    sequences
        `keys` and `count`.
    logs
        A fingerprint of each log's sequences: the same log again adds nothing.

    Examples
    --------
    >>> monday, tuesday = (pl.DataFrame({"keys": keys}) for keys in ([[1, 2], [1, 2]], [[3], [1, 2]]))
    >>> learnt = Learnt.none().with_more(monday).with_more(tuesday).with_more(monday)
    >>> learnt.rows()["keys"].to_list()
    [[1, 2], [1, 2], [1, 2], [3]]
    """

    sequences: pl.DataFrame
    logs: tuple[str, ...] = ()

    @classmethod
    def none(cls) -> Self:
        """Give what a model knows that has learnt nothing yet."""
        return cls(pl.DataFrame(schema={"keys": pl.List(pl.Int32), "count": pl.UInt32}))

    def with_more(self, sequences: pl.DataFrame) -> Self:
        """Add the sequences of a log (`keys`), unless they are those of a log that is in already."""
        log = fingerprint(sequences)
        if log in self.logs:
            return self
        more = sequences.select(pl.col("keys").cast(pl.List(pl.Int32)), count=pl.lit(1, dtype=pl.UInt32))
        both = pl.concat([self.sequences, more]).group_by("keys", maintain_order=True).agg(pl.col("count").sum())
        frequent = both.with_row_index().sort("count", descending=True, maintain_order=True)
        kept = frequent.filter(pl.col("keys").list.len().cum_sum() <= MOST_KEYS).sort("index").drop("index")
        return type(self)(kept, (*self.logs, log))

    @property
    def total(self) -> int:
        """How many sequences were learnt from, repeats included."""
        return int(self.sequences["count"].cast(pl.Int64).sum())

    def rows(self) -> pl.DataFrame:
        """Give a row for each sequence that was learnt from."""
        return self.sequences.select("keys")[np.repeat(np.arange(len(self.sequences)), self.sequences["count"])]

    def write(self, folder: Path) -> None:
        """Write it into a model."""
        self.sequences.write_parquet(folder / FILE)

    @classmethod
    def read(cls, folder: Path, logs: list[str]) -> Self:
        """Read it from a model; one that was written before there was this has nothing."""
        if not (folder / FILE).is_file():
            return cls(cls.none().sequences, tuple(logs))
        return cls(pl.read_parquet(folder / FILE), tuple(logs))


def fingerprint(sequences: pl.DataFrame) -> str:
    """Give what tells one log's sequences from another's."""
    digest = hashlib.sha256(sequences["keys"].list.len().cast(pl.Int64).to_numpy().tobytes())
    keys = sequences["keys"].explode().drop_nulls().cast(pl.Int32)
    digest.update(keys.to_numpy().tobytes())
    return digest.hexdigest()[:16]
