"""Which tokens are hidden from the network at detection.

Masks are a function of the model's seed and of how many tokens there are to mask, so a verdict depends on the sequence
alone: not on when it is judged, beside what, or in which order. They are dealt like cards: the positions are shuffled,
each mask takes the next ones, and when the deck runs out it is shuffled anew. So every position is masked equally often
(give or take one), and with a ratio of one half the masks come in complementary pairs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Pattern: TypeAlias = npt.NDArray[np.bool_]


@lru_cache(maxsize=4096)
def patterns(size: int, *, masks: int, ratio: float, seed: int) -> Pattern:
    """Choose what each of `masks` masks hides of `size` tokens: (masks, size).

    Examples
    --------
    >>> pair = patterns(6, masks=2, ratio=0.5, seed=0)
    >>> pair.sum(axis=1).tolist(), (pair[0] ^ pair[1]).all().item()
    ([3, 3], True)
    """
    hidden = np.zeros((masks, size), dtype=np.bool_)
    if size == 0:
        return hidden
    deck: list[int] = []
    decks = 0
    for mask in hidden:
        hand: set[int] = set()
        held_back: list[int] = []
        while len(hand) < masked_count(size, ratio):
            if not deck:
                deck = _shuffled(size, seed=seed, deck=decks)
                decks += 1
            card = deck.pop()
            if card in hand:
                held_back.append(card)
            else:
                hand.add(card)
        deck.extend(held_back)
        mask[list(hand)] = True
    hidden.flags.writeable = False
    return hidden


def masked_count(size: int, ratio: float) -> int:
    """Say how many of `size` tokens a mask of this ratio hides: at least one, halves rounded up."""
    return min(max(int(np.floor(size * ratio + 0.5)), 1), size)


def _shuffled(size: int, *, seed: int, deck: int) -> list[int]:
    """Shuffle positions by a counter-based hash (splitmix64), which no version of a library will change."""
    with np.errstate(over="ignore"):
        state = np.arange(size, dtype=np.uint64) + np.uint64(size) * np.uint64(0x9E3779B97F4A7C15)
        for word in (seed % 2**64, deck):
            state = (state ^ np.uint64(word)) + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state ^= state >> np.uint64(31)
    return [int(place) for place in np.argsort(state, kind="stable")]
