"""From masked keys to the score of a sequence: misses as in the paper, or the surprise of the oddest keys.

A sequence takes the score of its worst chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from logbert.detectors.corpus import Scores
    from logbert.detectors.logbert.reading import Slots
    from logbert.detectors.logbert.tokens import Chunks


def token_surprise(slots: Slots, chunks: Chunks) -> Scores:
    """Mean surprise of each token over the masks that hide it, laid out as `chunks.tokens`; 0 where none does."""
    size = len(chunks.tokens)
    token = chunks.offsets[slots.chunks] + 1 + slots.places
    total = np.bincount(token, slots.surprise, size)
    return np.asarray(total / np.maximum(np.bincount(token, minlength=size), 1), dtype=np.float64)


def token_misses(slots: Slots, chunks: Chunks, candidates: int) -> Scores:
    """Mean surprise of each token over the masks that hide it, masks under which it was a candidate counting 0."""
    size = len(chunks.tokens)
    token = chunks.offsets[slots.chunks] + 1 + slots.places
    total = np.bincount(token, np.where(slots.ranks >= candidates, slots.surprise, 0.0), size)
    return np.asarray(total / np.maximum(np.bincount(token, minlength=size), 1), dtype=np.float64)


def surprise(slots: Slots, chunks: Chunks, sequences: int, candidates: int) -> Scores:
    """Score each sequence in nats: the surprise of its oddest key, and the root of that of all its misses.

    A miss is a masked key that is not among the `candidates` likeliest. The first part tells sequences without a miss
    apart; the second those that are odd in one place from those that are odd in many. It is a root because oddities
    come in bursts: a normal but rare turn that happens three times is not three times as odd.
    """
    if not len(chunks):
        return np.zeros(sequences, dtype=np.float64)
    oddest = np.maximum.reduceat(token_surprise(slots, chunks), chunks.offsets[:-1])
    missed = np.add.reduceat(token_misses(slots, chunks, candidates), chunks.offsets[:-1])
    return worst_chunk(np.round(oddest + np.sqrt(missed), 6), chunks, sequences)


def misses(slots: Slots, chunks: Chunks, sequences: int, candidates: int) -> Scores:
    """Count each sequence's masked keys that are not among the `candidates` likeliest, over all masks."""
    missed = np.bincount(slots.chunks[slots.ranks >= candidates], minlength=len(chunks))
    return worst_chunk(missed.astype(np.float64), chunks, sequences)


def masked(slots: Slots, chunks: Chunks, sequences: int) -> Scores:
    """Count each sequence's masked keys over all masks, in the chunk that has most."""
    return worst_chunk(np.bincount(slots.chunks, minlength=len(chunks)).astype(np.float64), chunks, sequences)


def distance(vectors: npt.NDArray[np.float32], centre: npt.NDArray[np.float32], chunks: Chunks, n: int) -> Scores:
    """Measure how far each sequence's h_DIST is from the centre c."""
    gap = vectors.astype(np.float64) - centre.astype(np.float64)
    return worst_chunk(np.round(np.sqrt((gap**2).sum(axis=1)), 4), chunks, n)


def worst_chunk(values: Scores, chunks: Chunks, sequences: int) -> Scores:
    """Give each sequence the largest value of its chunks."""
    worst = np.zeros(sequences, dtype=np.float64)
    np.maximum.at(worst, chunks.owners, values)
    return worst
