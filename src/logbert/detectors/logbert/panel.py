"""Several networks that judge together, each taught without a part of the sequences.

A network that learnt from a sequence cannot say how odd it would have been to it. With the sequences dealt into as many
parts as there are networks, each network taught without one of them, every sequence can be judged by a network that
never saw it: the boundary is drawn from all of them, not from the tenth that a single network could spare.

Together they cost at detection what one does. The masks are dealt among them, so that each place is looked at as often
as before, by different networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from logbert.detectors.logbert.reading import Reader, Slots, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.detectors.corpus import Corpus, Rows
    from logbert.detectors.logbert.tokens import Chunks


@dataclass(frozen=True, eq=False)
class Panel:
    """Readers of one configuration, to be asked like one of them.

    Attributes
    ----------
    readers
        At most as many as there are masks.
    """

    readers: Sequence[Reader]

    @property
    def first_class(self) -> int:
        """The token of the networks' first class."""
        return self.readers[0].network.first_class

    def dealt(self) -> list[range]:
        """Say which masks each reader looks through."""
        masks = self.readers[0].every_mask
        cuts = np.linspace(0, len(masks), len(self.readers) + 1).round().astype(int)
        return [masks[begin:end] for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]

    def examine(self, chunks: Chunks) -> Slots:
        """Judge every masked key under every mask."""
        pairs = zip(self.readers, self.dealt(), strict=True)
        return joined([reader.examine(chunks, masks) for reader, masks in pairs])

    def expectations(self, chunks: Chunks, wanted: Rows, places: Rows) -> npt.NDArray[np.float64]:
        """Mean log probability of each class at chosen places of chosen chunks, over masks and readers."""
        pairs = zip(self.readers, self.dealt(), strict=True)
        found = [reader.expectations(chunks, wanted, places, masks) for reader, masks in pairs]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    def represent(self, chunks: Chunks) -> npt.NDArray[np.float32]:
        """Give h_DIST of each chunk: the first network's, as the vectors of several have no space in common."""
        return self.readers[0].represent(chunks)


def dealt_rows(corpus: Corpus, parts: int, seed: int) -> list[Rows]:
    """Deal the rows at random into so many parts of equal size, give or take one; each part ascending.

    Examples
    --------
    >>> from logbert.detectors.corpus import Corpus
    >>> parts = dealt_rows(Corpus.of([[1]] * 5), 2, seed=0)
    >>> sorted(len(part) for part in parts), sorted(np.concatenate(parts).tolist())
    ([2, 3], [0, 1, 2, 3, 4])
    """
    order = np.random.default_rng([seed, parts]).permutation(corpus.rows)
    return [np.sort(order[part::parts]) for part in range(parts)]
