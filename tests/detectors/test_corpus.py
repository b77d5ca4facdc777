"""A corpus holds each distinct sequence once and forgets nothing about the rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.detectors import Corpus
from logbert.errors import InputError

rows_of_keys = st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=30)


@given(rows_of_keys)
def test_rows_can_be_had_back(rows: list[list[int]]) -> None:
    corpus = Corpus.of(rows)
    assert [corpus[index].tolist() for index in corpus.inverse] == rows
    assert corpus.rows == len(rows)


@given(rows_of_keys)
def test_each_distinct_sequence_is_held_once_and_counted(rows: list[list[int]]) -> None:
    corpus = Corpus.of(rows)
    held = [tuple(keys.tolist()) for keys in corpus]
    assert len(held) == len(set(held)) == len(corpus)
    assert [rows.count(list(keys)) for keys in held] == corpus.counts.tolist()


@given(rows_of_keys)
def test_owners_and_lengths_agree_with_the_keys(rows: list[list[int]]) -> None:
    corpus = Corpus.of(rows)
    assert corpus.lengths.tolist() == [len(keys) for keys in corpus]
    assert corpus.owners.tolist() == [index for index, keys in enumerate(corpus) for _ in keys]


@given(rows_of_keys, st.data())
def test_taking_rows_is_the_same_as_building_from_them(rows: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=10)) if rows else []
    taken = Corpus.of(rows).take_rows(np.array(chosen, dtype=np.int64))
    assert [taken[index].tolist() for index in taken.inverse] == [rows[row] for row in chosen]
    assert taken.counts.sum() == len(chosen)


def test_a_mask_takes_rows_too() -> None:
    taken = Corpus.of([[1], [2], [1]]).take_rows(np.array([True, False, True]))
    assert (taken[0].tolist(), taken.counts.tolist()) == ([1], [2])


@given(rows_of_keys)
def test_one_value_a_distinct_sequence_becomes_one_a_row(rows: list[list[int]]) -> None:
    corpus = Corpus.of(rows)
    assert corpus.spread(corpus.lengths).tolist() == [len(keys) for keys in rows]


def test_a_frame_a_column_and_lists_are_the_same() -> None:
    rows = [[5, 22], [], [5, 22], [9]]
    column = pl.Series("keys", rows, dtype=pl.List(pl.Int64))
    for shape in (
        column,
        pl.DataFrame({"keys": column, "label": [None] * 4}),
        [np.array(r, dtype=np.int16) for r in rows],
    ):
        assert [keys.tolist() for keys in Corpus.of(shape)] == [[5, 22], [], [9]]


def test_a_corpus_is_taken_as_it_is() -> None:
    corpus = Corpus.of([[1]])
    assert Corpus.of(corpus) is corpus


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (pl.DataFrame({"events": [[1]]}), "needs a list column 'keys'"),
        (pl.Series("keys", [[1], None]), "1 of 2 sequences are null"),
        ([["receiving", "block"]], "integer log keys"),
        ([[2**40]], "integer log keys"),
        ([5, 22], "integer log keys"),
    ],
    ids=str,
)
def test_what_is_no_sequence_of_keys_is_an_error(bad: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.of(bad)
