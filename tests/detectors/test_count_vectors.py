"""Count vectors against the plainest way to count."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import count_vectors
from logbert.detectors.corpus import Corpus
from logbert.detectors.count_vectors import CountVectors, Vocabulary, inverse_document_frequency

sequences = st.lists(st.lists(st.integers(-3, 12), max_size=15), max_size=12)
known_keys = st.lists(st.integers(-3, 9), max_size=8)


def vectors_of(rows: list[list[int]], known: list[int]) -> tuple[Corpus, Vocabulary, CountVectors]:
    corpus, vocabulary = Corpus.of(rows), Vocabulary.of(Corpus.of([known]))
    return corpus, vocabulary, CountVectors.of(corpus, vocabulary)


@settings(deadline=None)
@given(sequences, known_keys)
def test_every_key_is_counted_in_its_column_and_unseen_ones_in_the_last(rows, known):
    corpus, _vocabulary, vectors = vectors_of(rows, known)
    for row, keys in zip(vectors.dense(), corpus, strict=True):
        counts = Counter(keys.tolist())
        assert row[:-1].tolist() == [counts[key] for key in sorted(set(known))]
        assert row[-1] == sum(count for key, count in counts.items() if key not in known)


@settings(deadline=None)
@given(sequences, known_keys)
def test_a_product_is_the_dense_one(rows, known):
    _, vocabulary, vectors = vectors_of(rows, known)
    matrix = np.arange(vocabulary.width * 3, dtype=np.float64).reshape(-1, 3) - 5
    np.testing.assert_array_equal(vectors.times(matrix), vectors.dense() @ matrix)
    np.testing.assert_array_equal(vectors.squares(), np.square(vectors.dense()).sum(axis=1))


@settings(deadline=None)
@given(sequences, known_keys)
def test_medians_are_those_of_the_rows(rows, known):
    corpus, _, vectors = vectors_of(rows, known)
    if corpus.rows:
        every_row = corpus.spread(vectors.dense())
        lower = np.quantile(every_row, 0.5, axis=0, method="inverted_cdf")
        np.testing.assert_array_equal(vectors.medians(corpus.counts), lower)


@settings(deadline=None)
@given(sequences, known_keys)
def test_distinct_vectors_carry_the_weight_of_all_rows(rows, known):
    corpus, _, vectors = vectors_of(rows, known)
    distinct, weights = vectors.distinct(corpus.counts)
    assert weights.sum() == corpus.rows
    expected = Counter(map(tuple, corpus.spread(vectors.dense()).tolist()))
    assert dict(zip(map(tuple, distinct.dense().tolist()), weights.tolist(), strict=True)) == expected


@settings(deadline=None)
@given(sequences, known_keys, st.integers(1, 40))
def test_blocks_are_the_whole_in_runs(rows, known, cells):
    _, _, vectors = vectors_of(rows, known)
    whole = np.zeros((len(vectors), vectors.width))
    limit, count_vectors.BLOCK_CELLS = count_vectors.BLOCK_CELLS, cells
    try:
        for where, block in vectors.blocks():
            assert len(block) == where.stop - where.start
            whole[where] = block.dense()
    finally:
        count_vectors.BLOCK_CELLS = limit
    np.testing.assert_array_equal(whole, vectors.dense())


def test_a_key_in_every_sequence_weighs_nothing_and_a_rare_one_much():
    corpus, _, vectors = vectors_of([[1, 2], [1], [1, 1], [1, 3]], [1, 2, 3])
    idf = inverse_document_frequency(vectors, corpus.counts)
    np.testing.assert_allclose(idf, [0.0, np.log(4), np.log(4), np.log(5)])
