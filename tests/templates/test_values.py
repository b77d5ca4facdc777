"""Values are read where a template has wildcards, the same whatever the batches are."""

from __future__ import annotations

from copy import deepcopy

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.lines.text import Repairs, to_lines_and_likenesses
from logbert.templates import Templates, ValueReader
from tests.digits import with_other_digits

COLUMNS = ("line", "key", "slot", "unit", "number", "word")


def read(
    messages: list[str],
    sizes: list[int],
    templates: Templates | None = None,
    slots: object = None,
    *,
    alike: bool = False,
) -> pl.DataFrame:
    """Read messages in batches of these sizes, the last as large as need be."""
    learning = templates is None
    if alike:
        hashes = to_lines_and_likenesses("".join(f"{message}\n" for message in messages).encode(), Repairs())[1]
    templates = Templates() if templates is None else deepcopy(templates)
    reader = ValueReader(templates, slots)  # type: ignore[arg-type]
    column, lines = pl.Series(messages, dtype=pl.String), pl.Series(range(len(messages)), dtype=pl.Int64)
    begin = 0
    for size in [*sizes, len(messages)]:
        batch = column.slice(begin, size)
        own = hashes.slice(begin, size) if alike else None
        reader.add(lines.slice(begin, size), batch, templates.encode(batch), own)
        begin += size
    if learning:
        templates.learn()
    else:
        templates.follow()
    return reader.finish().sort(COLUMNS)


MESSAGES = [
    "Received block blk_38 of size 67108864 from /10.0.0.1",
    "Received block blk_-39 of size 12 from /10.0.0.2",
    "PacketResponder 0 for block blk_38 terminating",
    "took 3 ms\n\tat A.b(A.java:3)",
    "took 2 s",
    "idle",
    "",
]


def test_numbers_are_read_and_names_addresses_and_ids_are_not() -> None:
    values = read(MESSAGES, [])
    assert values.select("line", "slot", "number", "unit").rows() == [
        (0, 1, 67108864.0, 0),
        (1, 1, 12.0, 0),
        (2, 0, 0.0, 0),
        (3, 0, 0.003, 1),
        (4, 0, 2.0, 1),
    ]


def test_words_are_read_where_a_template_takes_any_word() -> None:
    names = ["ann", "bob", "cyd", "dan", "eve"]
    messages = [f"session opened for user {name} by uid {turn}" for turn, name in enumerate(names * 2)]
    values = read(messages, [])
    assert values.drop_nulls("word").sort("line")["word"].to_list() == names * 2
    assert values.drop_nulls("number").sort("line")["number"].to_list() == list(range(10))
    assert values["slot"].unique().sort().to_list() == [0, 1]


def test_something_else_in_place_of_a_number_is_no_number() -> None:
    values = read(["left 7 of it", "left 10.0.0.1 of it", "left 9 of it"], [])
    assert values.select("line", "number").rows() == [(0, 7.0), (1, None), (2, 9.0)]


@settings(max_examples=20)
@given(st.lists(st.sampled_from(MESSAGES), max_size=12), st.lists(st.integers(0, 4), max_size=6))
def test_batches_do_not_matter(messages: list[str], sizes: list[int]) -> None:
    assert read(messages, sizes).equals(read(messages, []))


@settings(max_examples=20)
@given(st.lists(st.sampled_from([*MESSAGES, "Served 4 of 5"]), max_size=12), st.lists(st.integers(0, 4), max_size=6))
def test_at_detection_what_is_wanted_is_read_and_nothing_else(messages: list[str], sizes: list[int]) -> None:
    templates = Templates()
    templates.encode(pl.Series(MESSAGES))
    templates.learn()
    key = templates.table.filter(pl.col("template").str.starts_with("Received"))["key"][0]
    values = read(messages, sizes, templates, [(key, 1)])
    expected = [(line, float(text.split()[5])) for line, text in enumerate(messages) if text.startswith("Received")]
    assert values.filter(key=key).select("line", "number").rows() == expected
    assert set(values["key"]) <= {key}


@given(
    st.lists(
        st.sampled_from(
            [*(m for m in MESSAGES if "\n" not in m), "at 0x1f for 3 s", "at 7x1f for 4 s", "sent 1,024 B"]
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 4), max_size=6),
    st.data(),
)
def test_values_are_cut_where_they_stand_in_messages_that_are_alike(
    messages: list[str], sizes: list[int], data: st.DataObject
) -> None:
    messages += [with_other_digits(message, data) for message in messages]
    assert read(messages, sizes, alike=True).equals(read(messages, []))


def test_messages_past_the_most_a_codebook_holds_do_no_harm() -> None:
    templates = Templates(most_messages=2)
    reader = ValueReader(templates)
    messages = pl.Series(["a 1", "b 2", "c 3 4", "c 5", "b 6"])
    reader.add(pl.Series(range(5)), messages, templates.encode(messages))
    templates.learn()
    assert reader.finish().select("line", "number").rows() == [(0, 1.0), (1, 2.0), (4, 6.0)]


@pytest.mark.real_data
def test_on_hdfs_only_sizes_and_responders_are_numbers(shared_data: object) -> None:
    from logbert.lines import open_records

    templates = Templates()
    reader = ValueReader(templates)
    for frame in open_records([f"{shared_data}/loghub_2k/HDFS_2k.log"], "hdfs"):
        reader.add(frame["line"], frame["message"], templates.encode(frame["message"]))
    templates.learn()
    values = reader.finish()
    texts = {
        templates.texts[key].split("<*>")[slot].split()[-1] for key, slot in values.select("key", "slot").iter_rows()
    }
    assert texts <= {"size", "PacketResponder"}
