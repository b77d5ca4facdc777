"""What came before each key: the last `h` keys, each distinct history held once.

A sequence begins with as many START symbols as a history is long, so that its first keys are predicted too, and ends
with an END symbol, so that one that breaks off can be noticed. Logs repeat themselves here even more than in whole
sequences: the 4,855 HDFS sessions everyone trains on have about 100,000 keys and a few thousand distinct histories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from logbert.detectors.corpus import Corpus, Rows

Symbols = npt.NDArray[np.int32]
UNSEEN_TARGET = -1
LARGEST_CODE = 2**62


@dataclass(frozen=True)
class Alphabet:
    """The numbers a network knows keys by: known keys, then one for all unseen ones, then START.

    As a target, the number after the known keys means END, and -1 an unseen key.
    """

    known: int

    @property
    def unseen(self) -> int:
        """The input symbol of keys that training never saw."""
        return self.known

    @property
    def start(self) -> int:
        """The input symbol before the first key."""
        return self.known + 1

    @property
    def symbols(self) -> int:
        """How many input symbols there are."""
        return self.known + 2

    @property
    def end(self) -> int:
        """The target after the last key."""
        return self.known

    @property
    def targets(self) -> int:
        """How many targets there are."""
        return self.known + 1


@dataclass(frozen=True, eq=False)
class Histories:
    """Every position of every distinct sequence, its history and its target.

    Attributes
    ----------
    contexts
        The distinct histories in ascending order, (histories, h).
    places
        The history of each position.
    targets
        What stands at each position.
    owners
        The distinct sequence of each position.
    offsets
        Where each sequence's positions begin; one more entry than there are sequences.
    """

    contexts: Symbols
    places: Rows
    targets: Rows
    owners: Rows
    offsets: Rows

    @classmethod
    def of(cls, corpus: Corpus, columns: Rows, alphabet: Alphabet, history: int) -> Self:
        """Take the histories of all keys (given as `columns` of the vocabulary) and of the end of each sequence."""
        sequences = np.arange(len(corpus))
        starts = corpus.offsets[:-1]
        padded = np.full(len(columns) + history * len(corpus), alphabet.start, dtype=np.int32)
        padded[np.arange(len(columns)) + history * (corpus.owners + 1)] = columns
        positions = corpus.lengths + 1  # the end is one too
        owners = np.repeat(sequences, positions)
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(positions, dtype=np.int64)])
        within = np.arange(offsets[-1]) - offsets[:-1][owners]
        windows = np.lib.stride_tricks.sliding_window_view(padded, history)
        rows = starts[owners] + history * owners + within
        _, first, places = np.unique(_codes(windows, rows, alphabet.symbols), return_index=True, return_inverse=True)
        contexts = np.asarray(windows[rows[first]], dtype=np.int32)
        targets = np.full(offsets[-1], alphabet.end, dtype=np.int64)
        known = np.where(columns == alphabet.unseen, UNSEEN_TARGET, columns)
        targets[np.arange(len(columns)) + corpus.owners] = known
        return cls(contexts, places.astype(np.int64), targets, owners, offsets)


def _codes(windows: npt.NDArray[np.int32], rows: Rows, symbols: int) -> Rows:
    """Give each of these windows a number, equal for equal windows and ascending in their order."""
    codes = np.zeros(len(rows), dtype=np.int64)
    size = 1
    for step in range(windows.shape[1]):
        if size > LARGEST_CODE // symbols:
            distinct, codes = np.unique(codes, return_inverse=True)
            codes, size = codes.astype(np.int64), len(distinct)
        codes = codes * symbols + windows[rows, step]
        size *= symbols
    return codes


@dataclass(frozen=True, eq=False)
class PrefixTree:
    """Ascending histories as a tree, so that what histories begin with in common is worked out once.

    Attributes
    ----------
    symbols
        For each depth, the symbol of each node.
    parents
        For each depth, the node one step up that each node continues.
    """

    symbols: list[Rows]
    parents: list[Rows]

    @classmethod
    def of(cls, contexts: Symbols) -> Self:
        """Build the tree; the nodes of the last depth are the histories themselves.

        Examples
        --------
        >>> tree = PrefixTree.of(np.array([[0, 1, 2], [0, 1, 3], [4, 1, 2]], dtype=np.int32))
        >>> [level.tolist() for level in tree.symbols], [level.tolist() for level in tree.parents]
        ([[0, 4], [1, 1], [2, 3, 2]], [[0, 0], [0, 1], [0, 0, 1]])
        """
        begins = np.zeros(len(contexts), dtype=bool)
        begins[:1] = True
        above = np.zeros(len(contexts), dtype=np.int64)
        symbols, parents = [], []
        for column in contexts.T:
            begins[1:] |= column[1:] != column[:-1]
            symbols.append(column[begins].astype(np.int64))
            parents.append(above[begins])
            above = np.cumsum(begins) - 1
        return cls(symbols, parents)
