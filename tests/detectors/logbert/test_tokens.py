"""What the network reads is the sequence, whole."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus
from logbert.detectors.logbert.tokens import DIST, END, MASK, PAD, SPECIALS, UNSEEN, Chunks, Vocabulary, view

VOCABULARY = Vocabulary(np.arange(6, dtype=np.int32))
batches = st.lists(st.lists(st.integers(0, 8), max_size=25), min_size=1, max_size=6)


@given(batches, st.integers(1, 8), st.booleans())
@settings(max_examples=150, deadline=None)
def test_chunks_hold_every_key_of_every_sequence_in_place(batch: list[list[int]], context: int, end: bool) -> None:
    corpus = Corpus.of(batch)
    chunks = Chunks.of(corpus, VOCABULARY, context=context, end=end)
    seen = [[None] * len(corpus[index]) for index in range(len(corpus))]
    ends = [0] * len(corpus)
    for chunk, (owner, start) in enumerate(zip(chunks.owners, chunks.starts, strict=True)):
        tokens = chunks.tokens[chunks.offsets[chunk] : chunks.offsets[chunk + 1]].tolist()
        assert tokens.pop(0) == DIST
        if tokens and tokens[-1] == END:
            tokens.pop()
            ends[owner] += 1
            assert start + len(tokens) == len(corpus[int(owner)])
        assert len(tokens) <= context
        for place, token in enumerate(tokens):
            seen[owner][start + place] = token
    assert ends == [int(end)] * len(corpus)
    for index, sequence in enumerate(corpus):
        assert seen[index] == [key + SPECIALS if key < 6 else UNSEEN for key in sequence.tolist()]


def test_the_last_chunk_reaches_back_to_be_full() -> None:
    chunks = Chunks.of(Corpus.of([[0, 1, 2, 3, 4]]), VOCABULARY, context=4, end=True)
    assert chunks.starts.tolist() == [0, 1]
    assert chunks.lengths.tolist() == [5, 6]


def test_fog_lies_behind_a_hidden_end_only_and_unseen_keys_are_read_as_masks() -> None:
    tokens = np.array([[DIST, 5, UNSEEN, END, PAD, PAD, PAD], [DIST, 5, 6, END, PAD, PAD, PAD]])
    hidden = np.zeros(tokens.shape, dtype=np.bool_)
    hidden[0, 3] = hidden[1, 1] = True
    assert view(tokens, hidden, np.array([2, 2])).tolist() == [
        [DIST, 5, MASK, MASK, MASK, MASK, PAD],
        [DIST, MASK, 6, END, PAD, PAD, PAD],
    ]
