"""What the network has to look at: chunks under masks, each view once a mask, in batches of fixed shape.

A mask hides half of a chunk, and of sequences that are alike much the same is then left to see: of the 1,532 distinct
sessions of the HDFS sample, 30 % of the views are equal to another one, and of more sessions more. What the network
says of a view holds for every chunk it is a view of.

Views of one length stand together, unpadded: no row is wider than what it shows. The number of rows in a batch follows
from their width alone, and a batch that is not full is filled up, so that a view goes through matrices of the same
shape whatever else there is to look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from logbert.detectors.logbert.masking import patterns
from logbert.detectors.logbert.tokens import END, MASK, UNSEEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logbert.detectors.corpus import Rows
    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.tokens import Chunks, Tokens


@dataclass(frozen=True, eq=False)
class Views:
    """Distinct views of one shape, and the chunks they are views of.

    Attributes
    ----------
    tokens
        What the network sees in each view, (views, width).
    places
        The columns whose hidden tokens it is asked about, (views, slots).
    chunks
        The chunk of each row, where a row is a chunk under a mask; rows with the same view stand together.
    of
        The view of each row, ascending.
    """

    tokens: Tokens
    places: Rows
    chunks: Rows
    of: Rows

    def batches(self, tokens: int) -> Iterator[Self]:
        """Cut into batches of as many views as so many tokens hold; the last is filled up with its first view."""
        size = max(tokens // self.tokens.shape[1], 1)
        for begin in range(0, len(self.tokens), size):
            views = np.arange(begin, begin + size)
            views[views >= len(self.tokens)] = begin
            first, last = np.searchsorted(self.of, [begin, begin + size])
            yield type(self)(
                tokens=self.tokens[views],
                places=self.places[views],
                chunks=self.chunks[first:last],
                of=self.of[first:last] - begin,
            )


def views_of(chunks: Chunks, rows: Rows, config: LogBERTConfig, *, masks: range, seed: int) -> Iterator[Views]:
    """Give the views of these chunks under some of the masks, in groups of one shape."""
    ended = chunks.tokens[chunks.offsets[rows + 1] - 1] == END
    shapes = chunks.lengths[rows] * 2 + ended
    for shape in np.unique(shapes):
        alike = rows[shapes == shape]
        tokens = chunks.tokens[chunks.offsets[alike][:, None] + np.arange(shape // 2)]  # (alike, length)
        every = patterns(tokens.shape[1] - 1, masks=config.masks, ratio=config.detection_ratio, seed=seed)
        hidden = every[masks.start : masks.stop]
        behind = hidden[:, -1] if shape % 2 else np.zeros(len(hidden), dtype=np.bool_)  # where END is hidden
        for fog, chosen in ((0, hidden[~behind]), (config.fog, hidden[behind])):
            if len(chosen):
                yield _views(tokens, alike, chosen, fog)


def _views(tokens: Tokens, chunks: Rows, masks: npt.NDArray[np.bool_], fog: int) -> Views:
    """Lay these masks over chunks of one length, (chunks, length), with so much fog behind; each view once."""
    shown, owners, of = [], [], []
    known = 0
    for mask in masks:
        hidden = np.concatenate([[False], mask])
        first, inverse = _distinct(np.where(tokens == UNSEEN, MASK, tokens)[:, ~hidden])
        order = np.argsort(inverse, kind="stable")
        shown.append(np.where(hidden | (tokens[first] == UNSEEN), MASK, tokens[first]))
        owners.append(chunks[order])
        of.append(inverse[order] + known)
        known += len(first)
    places = np.nonzero(masks)[1].reshape(len(masks), -1) + 1
    views = np.concatenate(shown)
    return Views(
        tokens=np.concatenate([views, np.full((len(views), fog), MASK)], axis=1),
        places=np.repeat(places, [len(each) for each in shown], axis=0),
        chunks=np.concatenate(owners),
        of=np.concatenate(of),
    )


def _distinct(rows: Tokens) -> tuple[Rows, Rows]:
    """Give the first of each kind of row, and the kind of each row."""
    narrow = np.ascontiguousarray(rows, dtype=np.int32)
    whole = narrow.view(np.dtype((np.void, narrow.shape[1] * narrow.itemsize))).ravel()
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    return first, inverse.ravel()
