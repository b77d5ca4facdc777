from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.templates import Masks
from logbert.templates.quantities import Unit, quantities


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("67108864", 67108864.0, Unit.PLAIN),
        ("-3", -3.0, Unit.PLAIN),
        ("1,024", 1024.0, Unit.PLAIN),
        ("18846 bytes (18.4 KB)", 18846.0, Unit.BYTES),
        ("4 KiB", 4096.0, Unit.BYTES),
        ("<1 sec", 1.0, Unit.SECONDS),
        ("250 ms", 0.25, Unit.SECONDS),
        ("3 minutes", 180.0, Unit.SECONDS),
        ("99.5%", 99.5, Unit.PERCENT),
    ],
)
def test_quantities_come_in_one_unit(text: str, number: float, unit: Unit) -> None:
    assert quantities(pl.Series([text])).rows() == [(pytest.approx(number), int(unit))]


@pytest.mark.parametrize(
    "text", ["10.0.0.7", "/10.0.0.7:50010", "12:30:45", "0x1f", "7e24", "inf", "v2", "2024-03-05", ""]
)
def test_what_is_no_quantity_has_no_number(text: str) -> None:
    assert quantities(pl.Series([text])).rows() == [(None, None)]


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, max_size=20))
def test_a_number_is_read_as_it_was_written_whatever_stands_beside_it(numbers: list[int]) -> None:
    texts = pl.Series([str(number) for number in numbers] + ["3 ms"])
    assert quantities(texts)["number"].to_list()[:-1] == numbers
    assert Masks.default().apply(texts).unique().to_list() == ["<*>"]
