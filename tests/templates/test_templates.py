"""Messages get keys that never change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import ModelError, OptionError
from logbert.templates import Masks, Templates

if TYPE_CHECKING:
    from pathlib import Path

USERS = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"]

MESSAGES = (
    [f"session opened for user {user} by (uid={i})" for i, user in enumerate(USERS)]
    + [f"session closed for user {user}" for user in USERS]
    + [f"[instance: {i}] VM {state} (Lifecycle Event)" for i in range(3) for state in ("Started", "Paused", "Resumed")]
    + [f"eth{i}: link {state}, {speed} Mbps" for i in range(4) for state in ("up", "down") for speed in (100, 1000)]
    + [f"Receiving block blk_{i * 7919} src: /10.0.0.{i}:5001 dest: /10.0.1.{i}:5010" for i in range(20)]
    + ["Starting up", "", "ready"]
)


def keys_of(templates: Templates, messages: list[str], batch: int = 1000) -> list[int]:
    codes = [
        templates.encode(pl.Series(messages[i : i + batch], dtype=pl.String)) for i in range(0, len(messages), batch)
    ]
    templates.follow()
    return templates.keys(pl.concat(codes)).to_list()


def learnt(messages: list[str], batch: int = 1000) -> Templates:
    templates = Templates()
    for i in range(0, len(messages), batch):
        templates.encode(pl.Series(messages[i : i + batch], dtype=pl.String))
    templates.learn()
    return templates


def test_words_that_tell_events_apart_stay_in_the_templates() -> None:
    found = set(learnt(MESSAGES).table["template"])
    assert found == {
        "session opened for user <*> by (uid=<*>)",
        "session closed for user <*>",
        "[instance: <*>] VM Started (Lifecycle Event)",
        "[instance: <*>] VM Paused (Lifecycle Event)",
        "[instance: <*>] VM Resumed (Lifecycle Event)",
        "eth<*>: link up, <*> Mbps",
        "eth<*>: link down, <*> Mbps",
        "Receiving block blk_<*> src: <*> dest: <*>",
        "Starting up",
        "",
        "ready",
    }


@given(st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=80), st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_batch_size_changes_no_key(messages: list[str], batch: int) -> None:
    whole, parts = learnt(messages), learnt(messages, batch)
    assert whole.table.equals(parts.table)
    assert keys_of(whole, messages) == keys_of(parts, messages, batch)


@given(st.permutations(MESSAGES))
@settings(max_examples=20, deadline=None)
def test_the_order_of_messages_changes_no_template(messages: list[str]) -> None:
    assert set(learnt(messages).table["template"]) == set(learnt(MESSAGES).table["template"])


@given(
    st.lists(
        st.sampled_from([*MESSAGES, "disk sda full", "disk sdb full", "fan 3 stopped", "a b"]), min_size=1, max_size=60
    )
)
@settings(max_examples=40, deadline=None)
def test_a_key_once_given_stays(messages: list[str]) -> None:
    templates = learnt(MESSAGES[:30])
    before = keys_of(templates, messages)
    templates.encode(pl.Series(MESSAGES))
    templates.learn()
    assert keys_of(templates, messages) == before


def test_following_gives_new_wording_new_keys_in_order_of_appearance() -> None:
    templates = learnt(MESSAGES)
    known = templates.learnt
    keys = keys_of(
        templates, ["session closed for user mallory", "disk sda full", "Starting up", "oom killed 7", "disk sda full"]
    )
    assert keys[0] == keys_of(templates, ["session closed for user alice"])[0]
    assert keys[1:] == [known, keys_of(templates, ["Starting up"])[0], known + 1, known]


def test_save_and_load_is_the_identity(tmp_path: Path) -> None:
    templates = learnt(MESSAGES)
    later = ["disk sda full", "session closed for user mallory", "entirely new wording here", "disk sdb full"]
    keys = keys_of(templates, MESSAGES + later)
    templates.save(tmp_path)
    again = Templates.load(tmp_path)
    assert again.table.equals(templates.table)
    assert again.masks == templates.masks
    more = [*later, "yet another message", *MESSAGES]
    assert keys_of(again, MESSAGES + later) == keys
    assert keys_of(again, more) == keys_of(templates, more)


@pytest.mark.parametrize("name", ["templates.json", "templates.parquet", "forms.parquet", "messages.parquet"])
def test_a_damaged_file_is_a_one_line_error(tmp_path: Path, name: str) -> None:
    learnt(MESSAGES).save(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ModelError, match=name) as caught:
        Templates.load(tmp_path)
    assert "\n" not in str(caught.value)
    path.unlink()
    with pytest.raises(ModelError, match=name):
        Templates.load(tmp_path)


def test_open_codes_have_no_key_yet() -> None:
    templates = Templates()
    codes = templates.encode(pl.Series(["a"]))
    with pytest.raises(OptionError, match="learn"):
        templates.keys(codes)


def test_a_stack_trace_is_its_first_line_and_its_exception() -> None:
    trace = "Failed to fetch block {}\njava.io.IOException: no route to host{}\n\tat a.b.C.d(C.java:{})"
    messages = [trace.format(i, i, i) for i in range(9)] + ["Failed to fetch block 3", "Failed to fetch block 3\nmore"]
    templates = learnt(messages)
    assert templates.table["template"].to_list() == [
        "Failed to fetch block <*> ↵ java.io.IOException",
        "Failed to fetch block <*>",
    ]


def test_parameters_are_the_raw_texts_at_the_wildcards() -> None:
    templates = learnt(MESSAGES)
    messages = pl.Series(["session opened for user alice by (uid=0)", "eth3: link down, 100 Mbps", "ready"])
    keys = templates.keys(templates.encode(messages))
    assert templates.parameters(messages, keys).to_list() == [["alice", "0"], ["3", "100"], []]


def test_no_masks_at_all_is_allowed() -> None:
    templates = Templates(Masks([]))
    templates.encode(pl.Series(["a 1", "a 2"]))
    templates.learn()
    assert templates.table["template"].to_list() == ["a 1", "a 2"]
