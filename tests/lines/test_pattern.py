"""Format strings mean what loghub means by them, however the lines are cut."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logbert.errors import OptionError
from logbert.lines.layout import MATCHED
from logbert.lines.pattern import Pattern
from logbert.lines.presets import PRESETS

STRINGS = [preset.text for preset in PRESETS if "(?P<" not in preset.text]


def slow(text: str, line: str) -> dict[str, str | None] | None:
    """loghub's own reading of a format string, one line at a time, and an empty message after a whole header."""
    pieces = re.split(r"(<[^<>]+>)", text)
    expression = ""
    for piece in pieces:
        if piece.startswith("<") and piece.endswith(">"):
            expression += f"(?P<{piece[1:-1]}>.*?)"
        else:
            expression += re.sub(" +", r"\\s+", piece)
    expression = re.sub(r"\\s\+(\(\?P<\w+>\.\*\?\))$", r"(?:\\s+|$)\1", expression)
    match = re.search(f"^{expression}$", line)
    return match.groupdict() if match else None


def both(text: str, lines: list[str]) -> None:
    table = Pattern(text).take_apart(pl.Series(lines, dtype=pl.String))
    for line, row in zip(lines, table.iter_rows(named=True), strict=True):
        expected = slow(text, line)
        assert row.pop(MATCHED) == (expected is not None), line
        if expected is not None:
            assert row == expected, line


PIECES = st.sampled_from(
    ["a", "b1", "INFO", "081109", "203615", "12", "sshd", "[7]", "[", "]", ":", ": ", " ", "  ", "\t", " - ", ",", ", ",
     "@", "] [", "é", "\u2003", "|", "-", "(x)", " (", "):", "2005.11.09", "..."]
)  # fmt: skip


@pytest.mark.parametrize("text", STRINGS)
@settings(max_examples=40, deadline=None)
@example(lines=[": a - : : : \u2003a"])
@example(lines=["a b c d e f \tg"])
@given(lines=st.lists(st.lists(PIECES, min_size=1, max_size=24).map(lambda parts: "".join(parts).strip()), min_size=1))
def test_any_line_is_read_as_the_slow_way_reads_it(text: str, lines: list[str]) -> None:
    both(text, lines)


@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(["a", "x y", "", "k:v"]),
            st.sampled_from([" ", "  ", "\t"]),
            st.sampled_from(["b", "[c", "d]"]),
            st.sampled_from(["", "[12]", "[1 2]", "[]", "[[3]"]),
            st.sampled_from([": ", ":  ", ":", " : ", ":\t"]),
            st.sampled_from(["text", "more: text", "[4]: x", "", " a  b "]),
        ).map(lambda parts: "".join(parts).strip()),
        min_size=1,
        max_size=30,
    )
)
def test_a_bracketed_tag_is_optional(lines: list[str]) -> None:
    both(r"<Host> <Component>(\[<PID>\])?: <Content>", lines)


def test_a_header_with_nothing_after_it_is_an_empty_message() -> None:
    row = Pattern("<Date> <Component>: <Content>").take_apart(pl.Series(["today kernel:"]))
    assert row.rows() == [("today", "kernel", "", True)]


def test_brackets_nobody_escaped_mean_themselves() -> None:
    row = Pattern("[<Time>] [<Level>] <Content>").take_apart(pl.Series(["[noon] [error] gone"]))
    assert row.rows() == [("noon", "error", "gone", True)]


def test_nearly_all_known_formats_are_cut_without_an_expression() -> None:
    slow_ones = [preset.name for preset in PRESETS if "(?P<" not in preset.text and Pattern(preset.text).cuts is None]
    assert slow_ones == ["mac"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no fields", "names no field"),
        ("<A> <A> <Content>", "names A twice"),
        ("<A>( <Content>", "cannot be compiled"),
        ("<A>(?=x) <Content>", "cannot be compiled"),
    ],
)
def test_a_format_string_that_makes_no_sense_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(OptionError, match=says) as error:
        Pattern(text)
    assert "\n" not in str(error.value)
    assert repr(text) in str(error.value)
