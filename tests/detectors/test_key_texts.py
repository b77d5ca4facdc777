"""Texts of keys come from a template table and survive a round trip."""

from __future__ import annotations

import json

import polars as pl
import pytest

from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError


def test_a_template_table_gives_texts_and_levels() -> None:
    table = pl.DataFrame(
        {
            "key": [5, 7, 9],
            "template": ["Receiving block <*>", None, ""],
            "level": ["INFO", "WARN", None],
            "count": [3, 2, 1],
        }
    )
    texts = KeyTexts.of(table)
    assert (len(texts), texts.text(5), texts.text(7), texts.text(9)) == (1, "Receiving block <*>", None, None)
    assert (texts.level(5), texts.level(7), texts.level(9)) == ("INFO", "WARN", None)


def test_levels_are_optional() -> None:
    assert KeyTexts.of(pl.DataFrame({"key": [5], "template": ["Receiving block <*>"]})).level(5) is None


def test_a_table_without_texts_is_an_error() -> None:
    with pytest.raises(InputError, match="'key' and 'template'"):
        KeyTexts.of(pl.DataFrame({"EventId": [5]}))


def test_state_and_back_is_the_identity() -> None:
    texts = KeyTexts({5: "Receiving block <*>", -1: "x"}, {5: "INFO"})
    assert KeyTexts.from_state(json.loads(json.dumps(texts.state()))) == texts


def test_texts_of_leaves_out_keys_without_one() -> None:
    assert KeyTexts({1: "a", 3: "c"}).texts_of([3, 2, 1]) == ["c", "a"]
