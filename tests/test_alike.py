"""Lines that differ in nothing but digits are treated as one; what may not be is told apart."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.alike import UNLIKE, Numbers, blind, firsts, likeness, nearly_blind, of_firsts
from logbert.templates import Mask, Masks
from tests.digits import with_other_digits

PIECES = st.sampled_from(
    ["blk_", "-", "10.0.0.7", ":", "/", " ", "a", "f", "é", "ms", " KB", "T", "0x", "x", ".", "@", "[", "]", "%", "="]
)
DIGITS = st.integers(0, 10**9).map(str)
MESSAGES = st.lists(PIECES | DIGITS, max_size=14).map("".join)


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        (r"blk_-?\d+", True),
        (r"[0-9A-Fa-f]{8}(?:-[0-9]{4}){3,}", True),
        (r"\b[^0-9]+$", True),
        (r"2008\d+", False),
        (r"[1-9]", False),
        (r"[0-95]", False),
        (r"[/-0-9]", False),
        (r"\[0-9\]", False),
        (r"\x30+", False),
        (r"\x{30}+", False),
        (r"\p{Nd}{2}", True),
        (r"a{2,3}b{4}", True),
        (r"a\{2}", False),
    ],
)
def test_only_what_is_plainly_blind_to_digits_is_called_so(regex: str, expected: bool) -> None:
    assert blind(regex) is expected


@given(MESSAGES, st.data())
def test_the_default_masks_take_the_same_of_messages_that_are_alike(message: str, data: st.DataObject) -> None:
    assert Masks.default().blind
    other = with_other_digits(message, data)
    assert likeness(message.encode()) == likeness(other.encode())
    if re.search(UNLIKE, message) is None:
        masked = Masks.default().apply(pl.Series([message, other]))
        assert masked[0] == masked[1]


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        ("0[xX][0-9a-f]+", True),
        ("0x[0-9]+", True),
        ("[0x]+", False),
        ("0x?1*", False),
        ("0[xX]*", False),
        ("10x", False),
    ],
)
def test_a_zero_may_be_named_where_an_x_must_follow(regex: str, expected: bool) -> None:
    assert nearly_blind(regex) is expected


def test_masks_that_look_at_digits_are_not_blind() -> None:
    assert not Masks([Mask("year", r"20\d\d")]).blind
    assert Masks([Mask("hex", r"0[xX][0-9a-f]+")]).blind  # UNLIKE sees to these


@given(st.lists(st.integers(1, 40).map(lambda n: n << 16 | 5) | st.integers(1, 2**64 - 1), unique=True), st.data())
def test_hashes_are_found_whatever_slots_they_share(hashes: list[int], data: st.DataObject) -> None:
    numbers = Numbers()
    cut = data.draw(st.integers(0, len(hashes)))
    for part in (hashes[:cut], hashes[cut:]):
        numbers.add(np.array(part, dtype=np.uint64))
    asked = data.draw(st.lists(st.sampled_from([*hashes, 3, 7]), max_size=20))
    expected = [hashes.index(one) if one in hashes else -1 for one in asked]
    assert numbers.find(np.array(asked, dtype=np.uint64)).tolist() == expected


def test_many_hashes_are_found_too() -> None:
    hashes = np.random.default_rng(0).integers(1, 2**63, 200_000, dtype=np.uint64)
    numbers = Numbers()
    for part in np.array_split(hashes, 7):
        numbers.add(part)
    assert (numbers.find(hashes[::-1].copy()) == np.arange(len(hashes))[::-1]).all()
    assert (numbers.find(hashes + np.uint64(1)) == -1).all()


@given(st.lists(st.integers(0, 5), max_size=30))
def test_one_row_stands_for_each_likeness_and_each_that_is_like_nothing_for_itself(hashes: list[int]) -> None:
    column = np.array(hashes, dtype=np.uint64)
    expected = [row for row, one in enumerate(hashes) if one == 0 or hashes.index(one) == row]
    assert firsts(column).tolist() == expected
    rows, which = of_firsts(column)
    assert rows[which].tolist() == [row if one == 0 else hashes.index(one) for row, one in enumerate(hashes)]
