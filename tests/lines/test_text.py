"""Blocks of bytes become readable lines, the same whatever stands beside them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logbert.lines.text import Repairs, to_lines


@given(st.lists(st.binary(max_size=8).filter(lambda part: not set(part) & set(b"\r\n\0\x1b")), min_size=1))
def test_lines_are_replaced_where_they_are_invalid_and_nowhere_else(parts: list[bytes]) -> None:
    repairs = Repairs()
    lines = to_lines(b"\n".join(parts) + b"\n", repairs).to_list()
    assert lines == [part.decode("utf-8", "replace") for part in parts]
    assert repairs.invalid == sum(
        line.count("\ufffd") - part.count(b"\xef\xbf\xbd") for line, part in zip(lines, parts, strict=True)
    )


def test_a_replacement_character_that_was_there_is_not_counted() -> None:
    repairs = Repairs()
    to_lines("seen \ufffd before".encode() + b" \xff\n", repairs)
    assert repairs.invalid == 1
