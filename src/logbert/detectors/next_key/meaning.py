"""What a template's words mean, as a vector: no dictionary, no download, the same on every machine.

A word's vector is drawn from a hash of the word and of its three-letter pieces, so that words with a common stem
("terminating", "terminated") lie close and all others nearly at right angles. A template's vector is the sum of its
words', rare words counting more.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from math import log
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Vector = npt.NDArray[np.float64]

DIMENSIONS = 128
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # "PacketResponder" is two words, "NameSystem.delete" three


def words(text: str) -> list[str]:
    """Give the words of a template in lower case, wildcards and numbers left out.

    Examples
    --------
    >>> words("PacketResponder <*> for block blk_<*> terminating")
    ['packet', 'responder', 'for', 'block', 'blk', 'terminating']
    """
    return [word.lower() for word in WORD.findall(text)]


@dataclass(frozen=True)
class Meaning:
    """How much each word of the training templates counts.

    Examples
    --------
    >>> meaning = Meaning.of(["Receiving block <*>", "Deleting block <*>", "Disk <*> is full"])
    >>> same, other = meaning.vector("Received block <*>"), meaning.vector("Disks full: <*>")
    >>> bool(same @ meaning.vector("Receiving block <*>") > same @ other)
    True
    """

    rarity: Mapping[str, float]
    rarest: float

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Weigh words by the inverse of how many templates have them."""
        found = [set(words(text)) for text in texts]
        frequency = Counter(word for text in found for word in sorted(text))
        size = len(found) + 1
        return cls({word: log(size / count) for word, count in sorted(frequency.items())}, log(size))

    def vector(self, text: str) -> Vector:
        """Give a template's vector, of length one; zero if it has no words."""
        total = np.zeros(DIMENSIONS, dtype=np.float64)
        for word in words(text):
            total += self.rarity.get(word, self.rarest) * _word_vector(word)
        length = float(np.sqrt(np.square(total).sum()))
        return total / length if length > 0 else total


def _word_vector(word: str) -> Vector:
    marked = f"<{word}>"
    pieces = [marked, *(marked[start : start + 3] for start in range(len(marked) - 2))]
    total = np.sum([_signs(piece) for piece in pieces], axis=0, dtype=np.float64)
    return np.asarray(total / np.sqrt(np.square(total).sum()), dtype=np.float64)


def _signs(piece: str) -> npt.NDArray[np.int8]:
    digest = blake2b(piece.encode(), digest_size=DIMENSIONS // 8).digest()
    bits = np.unpackbits(np.frombuffer(digest, dtype=np.uint8))
    return (2 * bits.astype(np.int8) - 1).astype(np.int8)
