"""From log keys to what the network reads: tokens, with DIST in front, END behind, and long sequences in chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from logbert.detectors.corpus import Keys, Rows  # noqa: TC001 - dataclass fields

if TYPE_CHECKING:
    from logbert.detectors.corpus import Corpus

PAD, MASK, DIST, UNSEEN, END = range(5)
SPECIALS = 5  # tokens before the first log key's

Tokens: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The log keys that training saw, in the order of their tokens.

    Examples
    --------
    >>> vocabulary = Vocabulary(np.array([7, 30], dtype=np.int32))
    >>> vocabulary.tokens(np.array([30, 7, 8], dtype=np.int32)).tolist()
    [6, 5, 3]
    >>> vocabulary.extended(np.array([8, 7], dtype=np.int32)).keys.tolist()
    [7, 30, 8]
    """

    keys: Keys

    def __len__(self) -> int:
        """Count the known keys."""
        return len(self.keys)

    def tokens(self, keys: Keys) -> Tokens:
        """Give each key its token; a key that training never saw is UNSEEN."""
        if not len(self.keys):
            return np.full(len(keys), UNSEEN, dtype=np.int64)
        order = np.argsort(self.keys)
        place = np.minimum(np.searchsorted(self.keys, keys, sorter=order), len(self.keys) - 1)
        token = order[place]
        return np.where(self.keys[token] == keys, token + SPECIALS, UNSEEN).astype(np.int64)

    def extended(self, keys: Keys) -> Vocabulary:
        """Add the keys that are new, behind the known ones."""
        return Vocabulary(np.concatenate([self.keys, np.setdiff1d(keys, self.keys)]).astype(np.int32))


@dataclass(frozen=True, eq=False)
class Chunks:
    """Sequences as the network reads them.

    Attributes
    ----------
    tokens
        The tokens of all chunks, one after the other, each beginning with DIST.
    offsets
        Where each chunk begins in `tokens`; one more entry than there are chunks.
    owners
        The distinct sequence each chunk is a part of.
    starts
        The position in its sequence of each chunk's first key.
    """

    tokens: Tokens
    offsets: Rows
    owners: Rows
    starts: Rows

    def __len__(self) -> int:
        """Count the chunks."""
        return len(self.owners)

    @property
    def lengths(self) -> Rows:
        """How many tokens each chunk has."""
        return np.diff(self.offsets)

    @classmethod
    def of(cls, corpus: Corpus, vocabulary: Vocabulary, *, context: int, end: bool) -> Chunks:
        """Cut each distinct sequence into chunks of at most `context` keys.

        The last chunk of a long sequence reaches back so that it is full too: END is judged with all the context there
        is. Only the last chunk has an END.
        """
        lengths = corpus.lengths
        parts = np.maximum(-(-lengths // context), 1)
        owners = np.repeat(np.arange(len(corpus), dtype=np.int64), parts)
        part = np.arange(len(owners), dtype=np.int64) - np.repeat(np.cumsum(parts) - parts, parts)
        last = part == parts[owners] - 1
        starts = np.where(last, np.maximum(lengths[owners] - context, 0), part * context)
        sizes = np.minimum(lengths[owners], context)  # keys in each chunk
        ends = last & end
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes + 1 + ends)])
        chunk = np.repeat(np.arange(len(owners), dtype=np.int64), sizes)
        within = np.arange(len(chunk), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        tokens = np.full(int(offsets[-1]), DIST, dtype=np.int64)
        source = vocabulary.tokens(corpus.keys)
        tokens[offsets[chunk] + 1 + within] = source[corpus.offsets[owners[chunk]] + starts[chunk] + within]
        tokens[offsets[1:][ends] - 1] = END
        return cls(tokens=tokens, offsets=offsets, owners=owners, starts=starts)

    def padded(self, rows: Rows, width: int) -> Tokens:
        """Lay these chunks side by side, filled up with PAD: (rows, width)."""
        column = np.arange(width, dtype=np.int64)
        inside = column < self.lengths[rows][:, None]
        place = np.where(inside, self.offsets[rows][:, None] + column, 0)
        return np.where(inside, self.tokens[place], PAD)


def view(tokens: Tokens, hidden: npt.NDArray[np.bool_], fog: npt.NDArray[np.int64]) -> Tokens:
    """Give what the network sees of (B, L) tokens: hidden and unseen ones as MASK, fog behind every hidden END."""
    seen = np.where(hidden | (tokens == UNSEEN), MASK, tokens)
    row, column = np.nonzero(hidden & (tokens == END))
    behind = np.arange(tokens.shape[1]) - column[:, None]  # (rows with a hidden END, L)
    seen[row] = np.where((behind > 0) & (behind <= fog[row, None]), MASK, seen[row])
    return seen
