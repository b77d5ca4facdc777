"""How often each key occurs in a sequence: what the detectors that ignore order see.

A count vector is mostly zeros, so only what is there is held. All sums run over one sequence at a time and in a fixed
order, which is why a sequence's result is the same to the last bit whatever stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from logbert.detectors.corpus import Corpus, Keys, Rows  # noqa: TC001 - doctest and dataclass fields

if TYPE_CHECKING:
    from collections.abc import Iterator

Matrix = npt.NDArray[np.float64]

BLOCK_CELLS = 4_000_000  # of a dense block: 32 MB of doubles


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The keys of the training data, each a column; one more column, the last, stands for every other key.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(Corpus.of([[7, 3, 3]]))
    >>> vocabulary.keys.tolist(), vocabulary.columns(np.array([3, 7, 99])).tolist()
    ([3, 7], [0, 1, 2])
    """

    keys: Keys

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """Take every key that occurs."""
        return cls(np.unique(corpus.keys))

    @property
    def width(self) -> int:
        """How many columns there are, the one for unseen keys included."""
        return len(self.keys) + 1

    @property
    def unseen(self) -> int:
        """The column of keys that training never saw."""
        return len(self.keys)

    def columns(self, keys: npt.NDArray[np.integer]) -> Rows:
        """Give each key its column."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, self.unseen).astype(np.int64)

    def key(self, column: int) -> int | None:
        """Give a column its key; None for the column of unseen keys."""
        return None if column == self.unseen else int(self.keys[column])


@dataclass(frozen=True, eq=False)
class CountVectors:
    """The count vectors of distinct sequences: for each, the columns that are not zero, ascending.

    Attributes
    ----------
    starts
        Where each vector begins in `columns` and `values`; one more entry than there are vectors.
    columns, values
        The column and the value of each entry.
    width
        How many columns a vector has.

    Examples
    --------
    >>> corpus = Corpus.of([[7, 3, 3], [], [5, 7]])
    >>> CountVectors.of(corpus, Vocabulary.of(Corpus.of([[3, 7]]))).dense().tolist()
    [[2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    """

    starts: Rows
    columns: Rows
    values: Matrix
    width: int

    @classmethod
    def of(cls, corpus: Corpus, vocabulary: Vocabulary) -> Self:
        """Count the keys of each distinct sequence."""
        width = vocabulary.width
        cells, counts = np.unique(corpus.owners * width + vocabulary.columns(corpus.keys), return_counts=True)
        entries = np.bincount(cells // width, minlength=len(corpus))
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(entries, dtype=np.int64)])
        return cls(starts=starts, columns=cells % width, values=counts.astype(np.float64), width=width)

    def __len__(self) -> int:
        """Count the vectors."""
        return len(self.starts) - 1

    @property
    def owners(self) -> Rows:
        """For each entry, the vector it belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def weighted(self, weights: Matrix) -> Self:
        """Multiply each column by its weight."""
        return type(self)(self.starts, self.columns, self.values * weights[self.columns], self.width)

    def dense(self) -> Matrix:
        """Write the zeros out too: one row a vector."""
        matrix = np.zeros((len(self), self.width), dtype=np.float64)
        matrix[self.owners, self.columns] = self.values
        return matrix

    def blocks(self) -> Iterator[tuple[slice, Self]]:
        """Give the vectors in runs that are small enough to be written out with their zeros."""
        rows = max(1, BLOCK_CELLS // self.width)
        for start in range(0, len(self), rows):
            stop = min(start + rows, len(self))
            low, high = self.starts[start], self.starts[stop]
            yield (
                slice(start, stop),
                type(self)(
                    self.starts[start : stop + 1] - low, self.columns[low:high], self.values[low:high], self.width
                ),
            )

    def row(self, index: int) -> tuple[Rows, Matrix]:
        """Give the columns and values of one vector."""
        entries = slice(self.starts[index], self.starts[index + 1])
        return self.columns[entries], self.values[entries]

    def distinct(self, weights: Rows) -> tuple[Self, Rows]:
        """Keep each distinct vector once, in order of first appearance, with the sum of its weights."""
        first: dict[bytes, int] = {}
        places = np.empty(len(self), dtype=np.int64)
        for index in range(len(self)):
            columns, values = self.row(index)
            places[index] = first.setdefault(columns.tobytes() + values.tobytes(), len(first))
        kept = np.unique(places, return_index=True)[1]
        return self.take(kept), np.bincount(places, weights=weights, minlength=len(first)).astype(np.int64)

    def take(self, rows: npt.NDArray[np.integer]) -> Self:
        """Keep these vectors, in this order."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])
        entries = np.repeat(self.starts[:-1][rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return type(self)(starts, self.columns[entries], self.values[entries], self.width)

    def document_frequency(self, weights: Rows) -> Matrix:
        """How many sequences hold each column's key, each distinct one counted by its weight."""
        return np.bincount(self.columns, weights=weights[self.owners], minlength=self.width).astype(np.float64)

    def medians(self, weights: Rows) -> Matrix:
        """Give each column's median, each vector counted by its weight; the lower one where there are two."""
        total = int(weights.sum())
        medians = np.zeros(self.width, dtype=np.float64)
        mass = weights[self.owners]
        zeros = total - np.bincount(self.columns, weights=mass, minlength=self.width)
        order = np.lexsort((self.values, self.columns))
        bounds = np.searchsorted(self.columns[order], np.arange(self.width + 1))
        for column in np.flatnonzero(2 * zeros < total).tolist():
            entries = order[bounds[column] : bounds[column + 1]]
            reached = zeros[column] + np.cumsum(mass[entries])
            medians[column] = self.values[entries[np.searchsorted(2 * reached, total)]]
        return medians

    def squares(self) -> Matrix:
        """Give the squared length of each vector."""
        return self._sums(self.values * self.values)

    def times(self, matrix: Matrix) -> Matrix:
        """Multiply each vector by a dense matrix of `width` rows, one column of the matrix at a time."""
        product = np.empty((len(self), matrix.shape[1]), dtype=np.float64)
        for column in range(matrix.shape[1]):
            product[:, column] = self._sums(self.values * matrix[self.columns, column])
        return product

    def _sums(self, entries: Matrix) -> Matrix:
        # bincount adds the entries one after the other, so a vector's sum does not depend on its neighbours
        return np.bincount(self.owners, weights=entries, minlength=len(self)).astype(np.float64)


def inverse_document_frequency(vectors: CountVectors, weights: Rows) -> Matrix:
    """Weigh each column by log(N / n): N sequences, n of them with the key; no key weighs more than one seen once.

    The column of unseen keys counts as seen in one sequence of N + 1.
    """
    total = float(weights.sum())
    frequency = np.maximum(vectors.document_frequency(weights), 1.0)
    idf = np.log(max(total, 1.0) / frequency)
    idf[-1] = np.log(total + 1.0)
    return np.asarray(idf, dtype=np.float64)
