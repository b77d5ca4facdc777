import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.sequences.tokens import Tokens


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=4))
def test_every_word_is_found_again_by_its_number(batches: list[list[str]]) -> None:
    tokens = Tokens()
    numbers = [tokens.encode(pl.Series(batch, dtype=pl.String)).to_list() for batch in batches]
    words = dict(tokens.table.iter_rows())
    assert [[words[number] for number in batch] for batch in numbers] == batches
    assert len(words) == len({word for batch in batches for word in batch})


def test_lists_of_words_become_lists_of_the_same_numbers() -> None:
    tokens = Tokens()
    flat = tokens.encode(pl.Series(["a", "b"])).to_list()
    lists = tokens.encode_lists(pl.Series([["b", "a"], [], ["c"]])).to_list()
    assert lists[0] == flat[::-1]
    assert lists[1] == []
    assert len(tokens.table) == 3
