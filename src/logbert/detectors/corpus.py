"""Sequences of log keys, each distinct one held once.

Logs repeat themselves: HDFS has 575,059 sessions and 18,372 distinct ones. Every detector works on the distinct
sequences and spreads its answer over the rows, which is also why equal sequences always get equal scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SequencesLike: TypeAlias = "Corpus | pl.DataFrame | pl.Series | Iterable[Sequence[int] | npt.NDArray[np.integer]]"

Keys: TypeAlias = npt.NDArray[np.int32]
Scores: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Distinct sequences in order of first appearance, how often each occurs, and which row is which.

    Attributes
    ----------
    keys
        The keys of all distinct sequences, one after the other.
    offsets
        Where each distinct sequence begins in `keys`; one more entry than there are distinct sequences.
    counts
        How many rows hold each distinct sequence.
    inverse
        For each row of the input, the index of its distinct sequence.

    Examples
    --------
    >>> corpus = Corpus.of([[1, 2], [3], [1, 2]])
    >>> len(corpus), corpus.rows, corpus.counts.tolist(), corpus.inverse.tolist()
    (2, 3, [2, 1], [0, 1, 0])
    >>> corpus[0].tolist()
    [1, 2]
    """

    keys: Keys
    offsets: Rows
    counts: Rows
    inverse: Rows

    @classmethod
    def of(cls, sequences: SequencesLike) -> Corpus:
        """Take sequences in any shape they come in: lists, arrays, a list column, or a frame with one (`keys`)."""
        if isinstance(sequences, Corpus):
            return sequences
        column = _key_column(sequences)
        if column.null_count():
            raise InputError(f"{column.null_count()} of {len(column)} sequences are null; give [] for an empty one")
        lists = pl.DataFrame({"keys": column}).with_row_index("row")
        groups = lists.group_by("keys", maintain_order=True).agg(pl.col("row"))
        lengths = groups["keys"].list.len().to_numpy().astype(np.int64)
        members = groups["row"].list.len().to_numpy().astype(np.int64)
        inverse = np.empty(len(column), dtype=np.int64)
        if len(column):
            order = groups["row"].explode().to_numpy()
            inverse[order] = np.repeat(np.arange(len(groups), dtype=np.int64), members)
        filled = groups["keys"].filter(groups["keys"].list.len() > 0)
        keys = filled.explode().to_numpy() if len(filled) else np.empty(0, dtype=np.int32)
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        return cls(keys=np.ascontiguousarray(keys, dtype=np.int32), offsets=offsets, counts=members, inverse=inverse)

    @classmethod
    def single(cls, keys: Keys) -> Corpus:
        """Take one sequence: the same as `of([keys])`, without what it costs to look for equal ones."""
        one = np.ones(1, dtype=np.int64)
        return cls(keys=keys, offsets=np.array([0, len(keys)], dtype=np.int64), counts=one, inverse=one - 1)

    def __len__(self) -> int:
        """Count the distinct sequences."""
        return len(self.counts)

    def __getitem__(self, index: int) -> Keys:
        """Give the keys of one distinct sequence."""
        return self.keys[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[Keys]:
        """Give each distinct sequence in turn."""
        return (self[index] for index in range(len(self)))

    @property
    def rows(self) -> int:
        """How many sequences went in, repeats included."""
        return len(self.inverse)

    @property
    def lengths(self) -> Rows:
        """How many keys each distinct sequence has."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Rows:
        """For each entry of `keys`, the distinct sequence it belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def spread(self, values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """Turn one value a distinct sequence into one value a row."""
        return values[self.inverse]

    def runs(self, most: int) -> Iterator[Corpus]:
        """Give the distinct sequences, in order, in runs of at most so many positions: its keys, and its end.

        A longer sequence is a run of its own.

        Examples
        --------
        >>> [len(run) for run in Corpus.of([[1, 2], [3], [4, 5, 6, 7], [8]]).runs(5)]
        [2, 1, 1]
        """
        ends = np.cumsum(self.lengths + 1)
        start = 0
        while start < len(self):
            reach = (ends[start - 1] if start else 0) + most
            stop = max(int(np.searchsorted(ends, reach, side="right")), start + 1)
            low, high = self.offsets[start], self.offsets[stop]
            yield Corpus(
                keys=self.keys[low:high],
                offsets=self.offsets[start : stop + 1] - low,
                counts=self.counts[start:stop],
                inverse=np.arange(stop - start),
            )
            start = stop

    def take_rows(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Corpus:
        """Keep only these rows of the input (indices or a mask); sequences no longer used are dropped."""
        kept = self.inverse[rows]
        used, inverse, counts = np.unique(kept, return_inverse=True, return_counts=True)
        return Corpus(
            keys=np.concatenate([self[index] for index in used]) if len(used) else self.keys[:0],
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.lengths[used])]),
            counts=counts.astype(np.int64),
            inverse=inverse.astype(np.int64),
        )


def _key_column(
    sequences: pl.DataFrame | pl.Series | Iterable[Sequence[int] | npt.NDArray[np.integer]],
) -> pl.Series:
    """Find the list column and make it a column of lists of 32-bit keys."""
    if isinstance(sequences, pl.DataFrame):
        if "keys" not in sequences.columns:
            raise InputError(f"a frame of sequences needs a list column 'keys'; this one has {sequences.columns}")
        sequences = sequences["keys"]
    try:
        if isinstance(sequences, pl.Series):
            return sequences.cast(pl.List(pl.Int32))
        return pl.Series("keys", [np.asarray(s).tolist() for s in sequences], dtype=pl.List(pl.Int32))
    except (pl.exceptions.PolarsError, TypeError, OverflowError) as error:
        raise InputError(f"sequences must be lists of integer log keys: {error}") from error
