"""Codes number distinct masked messages in order of first appearance, and memory has a bound."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from logbert.alike import NONE
from logbert.lines.text import Repairs, to_lines_and_likenesses
from logbert.templates import Masks, Templates
from logbert.templates.codebook import Codebook, masked_messages


@given(st.lists(st.sampled_from(["a 1", "a 2", "b", "c 7 d", "", None]), max_size=30), st.integers(1, 7))
def test_codes_number_messages_by_first_appearance(messages: list[str | None], batch: int) -> None:
    book = Codebook(Masks.default())
    codes: list[int] = []
    for i in range(0, len(messages), batch):
        codes += book.encode(pl.Series(messages[i : i + batch], dtype=pl.String)).to_list()
    masked = ["a <*>" if m in {"a 1", "a 2"} else "c <*> d" if m == "c 7 d" else m or "" for m in messages]
    order = list(dict.fromkeys(masked))
    assert codes == [order.index(message) for message in masked]
    assert book.counts.tolist() == [masked.count(message) for message in order]
    assert book.masked().to_list() == order


def test_beyond_the_bound_learnt_templates_still_fit_and_the_rest_share_outlines() -> None:
    templates = Templates(most_messages=12)
    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    templates.encode(pl.Series([f"user {name} logged in at last" for name in names] + ["ready"]))
    templates.learn()
    messages = [f"wholly new event {word}" for word in "pqrstuvwxyz"] + ["user zeta logged in at last"]
    codes = templates.encode(pl.Series(messages))
    templates.follow()
    keys = templates.keys(codes).to_list()
    assert keys[-1] == 0
    assert len(set(keys[6:-1])) == 1
    assert templates.table["template"][keys[-2]] == "wholly new …"
    assert templates.keys(templates.encode(pl.Series(messages))).to_list() == keys


@given(st.integers(1, 9))
def test_beyond_the_bound_batch_size_still_changes_nothing(batch: int) -> None:
    messages = [f"{a} {b} {c}" for a in "abcdef" for b in "uvw" for c in "xyz"]
    whole, parts = Codebook(Masks.default(), most=10), Codebook(Masks.default(), most=10)
    codes = whole.encode(pl.Series(messages)).to_list()
    pieces = [parts.encode(pl.Series(messages[i : i + batch])).to_list() for i in range(0, len(messages), batch)]
    assert [code for piece in pieces for code in piece] == codes
    assert len(whole) == len(parts) <= 12


@given(
    st.lists(
        st.sampled_from(["a 1", "a 22", "b 0x1", "b 7x1", "b", "c 7 d", "9é 3", ""]) | st.text("ax 07", max_size=5)
    ),
    st.integers(1, 9),
    st.sampled_from([3, 1_000]),
)
def test_masking_the_first_of_each_likeness_gives_the_codes_that_masking_all_gives(
    messages: list[str], batch: int, most: int
) -> None:
    plain, quick = Codebook(Masks.default(), most=most), Codebook(Masks.default(), most=most)
    for i in range(0, len(messages), batch):
        part = messages[i : i + batch]
        lines, alike = to_lines_and_likenesses("".join(f"{one}\n" for one in part).encode(), Repairs())
        if i % 2:  # some records are like nothing
            alike = alike.scatter(0, NONE)
        assert quick.encode(lines, alike).to_list() == plain.encode(pl.Series(part)).to_list()
    assert quick.counts.tolist() == plain.counts.tolist()
    assert quick.masked().to_list() == plain.masked().to_list()
    assert quick.take_examples().to_list() == plain.take_examples().to_list()


def test_long_and_strange_messages_are_shortened_not_refused() -> None:
    masks = Masks.default()
    long = masked_messages(pl.Series(["x" * 3_000_000, "é" * 9000]), masks)
    assert long.str.len_chars().to_list() == [4096, 4096]
    strange = pl.Series(["\x00a\x01b\x1f c\x02", "\n\nfirst\nsecond", "\n", "a\r\nb", "�� 7"])
    templates = Templates()
    codes = templates.encode(strange)
    templates.learn()
    assert len(set(templates.keys(codes).to_list())) == 5
    assert templates.table["template"].to_list()[1:] == ["first", "", "a", "�� <*>"]


def test_thousands_of_words_in_one_message_are_cut_off() -> None:
    templates = Templates()
    tail = " ".join(["word"] * 500)
    codes = templates.encode(pl.Series([f"begin {tail} {end}" for end in "abc"]))
    templates.learn()
    assert templates.keys(codes).to_list() == [0, 0, 0]
    assert templates.table["template"][0].endswith("word <*>")


def test_the_exception_of_a_trace_is_found_in_java_and_python() -> None:
    java = "job 7 failed\n\tat a.B.c(B.java:1)\nCaused by: java.net.ConnectException: refused\n\t... 3 more"
    python = 'Unhandled\nTraceback (most recent call last):\n  File "x.py", line 3, in f\nValueError: bad 3'
    plain = "job 7 failed\n  with no reason given"
    masked = masked_messages(pl.Series([java, python, plain]), Masks.default())
    assert masked.to_list() == [
        "job <*> failed ↵ java.net.ConnectException",
        "Unhandled ↵ ValueError",
        "job <*> failed",
    ]
