"""Choosing g, the number of candidates, without labels: by how many made-up faults it would find.

The paper tunes g and r on a validation set and does not say against what. Here each g gets the r that keeps the stated
false-alarm rate on held-out normals, and that g is taken under which most damaged copies of those normals exceed r.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus
from logbert.detectors.logbert import scoring

if TYPE_CHECKING:
    from logbert.detectors.corpus import Keys
    from logbert.detectors.logbert.reading import Slots
    from logbert.detectors.logbert.tokens import Chunks

EDITS = 3  # to each damaged copy
MOST_COPIES = 2_000


def damaged(corpus: Corpus, known: Keys, seed: int) -> Corpus:
    """Copy distinct sequences, each with a few keys dropped, replaced, or taken to another place.

    Examples
    --------
    >>> normal = Corpus.of([[1, 2, 3, 4, 5]] * 3)
    >>> len(damaged(normal, np.array([1, 2, 3, 4, 5, 6], dtype=np.int32), seed=0))
    1
    """
    rng = np.random.default_rng([seed, 1])
    copies = []
    for sequence in (corpus[index].tolist() for index in range(min(len(corpus), MOST_COPIES))):
        for edit in rng.integers(3, size=EDITS):
            if not sequence:
                break
            place = int(rng.integers(len(sequence)))
            key = sequence.pop(place)
            if edit == 1:
                sequence.insert(place, int(rng.choice(known)))
            elif edit == 2:
                sequence.insert(int(rng.integers(len(sequence) + 1)), key)
        copies.append(sequence)
    return Corpus.of(copies)


def best_candidates(
    normal: tuple[Corpus, Chunks, Slots], faulty: tuple[Corpus, Chunks, Slots], *, most: int, false_alarms: float
) -> int:
    """Give the smallest of the g that find most of `faulty` while keeping the rate on `normal`."""
    found = []
    for candidates in range(1, most + 1):
        corpus, chunks, slots = normal
        counts = scoring.misses(slots, chunks, len(corpus), candidates)[corpus.inverse]
        boundary = Calibration.of(counts, false_alarms=false_alarms, unit=1.0).threshold
        corpus, chunks, slots = faulty
        counts = scoring.misses(slots, chunks, len(corpus), candidates)[corpus.inverse]
        found.append(float(np.mean(counts >= boundary)))
    return int(np.argmax(found)) + 1
