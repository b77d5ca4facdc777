"""g is chosen so that made-up faults stand out from held-out normals."""

from __future__ import annotations

import numpy as np

from logbert.detectors import Corpus
from logbert.detectors.logbert.choosing import best_candidates, damaged
from logbert.detectors.logbert.reading import Slots
from logbert.detectors.logbert.tokens import Chunks, Vocabulary

KEYS = np.arange(1, 7, dtype=np.int32)


def judged(ranks: list[list[int]]) -> tuple[Corpus, Chunks, Slots]:
    """Make sequences whose masked keys had these ranks."""
    corpus = Corpus.of([[index + 1] * len(each) for index, each in enumerate(ranks)])
    chunks = Chunks.of(corpus, Vocabulary(KEYS), context=100, end=False)
    owners = np.repeat(np.arange(len(ranks)), [len(each) for each in ranks])
    flat = np.concatenate([np.array(each) for each in ranks])
    return corpus, chunks, Slots(owners, np.zeros(len(flat), dtype=np.int64), flat, np.ones(len(flat)))


def test_the_smallest_g_that_separates_faults_from_normals_is_taken() -> None:
    normal = judged([[0, 1, 0, 1], [1, 1, 0, 0], [1, 0, 1, 1]])  # normal keys are first or second
    faulty = judged([[0, 0, 2, 0], [0, 3, 0, 0]])  # one key of each is third or fourth
    assert best_candidates(normal, faulty, most=6, false_alarms=0.25) == 2


def test_damage_is_repeatable_and_changes_most_sequences() -> None:
    normal = Corpus.of([[1, 2, 3, index % 5 + 1, 5, 6] for index in range(5)] + [[]])
    once, twice = damaged(normal, KEYS, seed=3), damaged(normal, KEYS, seed=3)
    assert [keys.tolist() for keys in once] == [keys.tolist() for keys in twice]
    originals = {tuple(keys) for keys in normal}
    assert sum(tuple(keys) not in originals for keys in once) >= 3
