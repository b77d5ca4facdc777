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

SHARPNESS = 4.0  # the p of the p-norm: 1 would add all surprises up, infinity would keep the largest alone


def token_surprise(slots: Slots, chunks: Chunks) -> Scores:
    """Mean surprise of each token over the masks that hide it, laid out as `chunks.tokens`; 0 where none does."""
    size = len(chunks.tokens)
    token = chunks.offsets[slots.chunks] + 1 + slots.places
    total = np.bincount(token, slots.surprise, size)
    return np.asarray(total / np.maximum(np.bincount(token, minlength=size), 1), dtype=np.float64)


def surprise(slots: Slots, chunks: Chunks, sequences: int) -> Scores:
    """Score each sequence by the surprise of its keys, in nats, the largest counting most.

    Examples
    --------
    The p-norm of the keys' surprises is close to the largest one, and grows with every other that comes near it:

    >>> ((np.array([10.0, 1.0, 1.0]) ** SHARPNESS).sum() ** (1 / SHARPNESS)).round(2).item()
    10.0
    >>> ((np.array([10.0, 10.0, 1.0]) ** SHARPNESS).sum() ** (1 / SHARPNESS)).round(2).item()
    11.89
    """
    chunk = np.repeat(np.arange(len(chunks)), chunks.lengths)
    power = np.bincount(chunk, token_surprise(slots, chunks) ** SHARPNESS, len(chunks))
    return worst_chunk(np.round(power ** (1 / SHARPNESS), 6), chunks, sequences)


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
