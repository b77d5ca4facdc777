"""Messages are grouped with all of them in view."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.templates import Evidence, Masks, Templates
from logbert.templates.grouping import group_messages
from logbert.templates.matching import Matcher

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "ken", "lea"]


def templates_of(messages: list[str], evidence: Evidence | None = None) -> list[str]:
    masked = Masks.default().apply(pl.Series(messages)).unique(maintain_order=True)
    return group_messages(masked, evidence).texts.to_list()


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["link eth0 up", "link eth0 down"], ["link eth<*> up", "link eth<*> down"]),
        ([f"job went from {a} to {b}" for a in ("NEW", "SETUP") for b in ("RUNNING", "FAILED", "KILLED")], 6),
        ([f"the {name} service is {state}" for name in NAMES for state in ("up", "down")], 2),
        ([f"login of user {name} failed again" for name in NAMES[:3]], ["login of user <*> failed again"]),
        ([f"login by {name} failed again" for name in NAMES[:3]], 3),
        ([f"ask 10.0.0.7 to delete{' blk_17' * n}" for n in (1, 2, 9, 30)], ["ask <*> to delete blk_<*>"]),
        ([f"channels {' '.join(map(str, range(n)))} ready" for n in (1, 3, 12)], ["channels <*> ready"]),
        (["clock in sync to 10.0.0.7, stratum 3", "clock in sync to LOCAL(0), stratum 5"], 1),
        (["request from 10.0.0.7 (a.b7.org) done", "request from 10.0.0.7 () done"], 1),
        ([f'lock tag="{tag}", uid=7 taken' for tag in ("View Lock", "net", "a long job name", "job")], 1),
        ([f'level=warn msg="{text}"' for text in ("disk is full", "disk is back", "fan is slow", "fan is off")], 4),
        (["plugin com.acme.first.one loaded", "plugin org.other.thing loaded"], ["plugin <*> loaded"]),
        (["java.io.IOException: gone", "java.net.ConnectException: gone"], 2),
        (["roots: a, b, c, d mounted ok", "roots: x, y, z mounted ok"], ["roots: <*> mounted ok"]),
        (["one", "two", "three", "four", "five", "six", "seven"], 7),
        (["", " ", "<*>"], 2),
    ],
)
def test_what_is_one_template_and_what_is_not(messages: list[str], expected: list[str] | int) -> None:
    found = templates_of(messages)
    assert (found if isinstance(expected, list) else len(found)) == expected


def test_several_wildcards_are_found_though_no_two_messages_differ_in_one_word_only() -> None:
    dice = random.Random(0)
    words = ["".join(dice.choices("bcdfgklmnprstvz", k=7)) for _ in range(3000)]
    messages = [
        f"copied {dice.choice(words)} over to {dice.choice(words)} for {dice.choice(words)}" for _ in range(2000)
    ]
    assert templates_of(messages) == ["copied <*> over to <*> for <*>"]


def test_evidence_is_adjustable() -> None:
    messages = [f"login by {name} failed again" for name in NAMES[:3]]
    assert templates_of(messages, Evidence(fillers=2)) == ["login by <*> failed again"]
    assert len(templates_of([f"login by {name} failed again" for name in NAMES], Evidence(fillers=50))) == len(NAMES)


WORDS = st.sampled_from(["open", "user", "alice", "bob", "=", "(", ")", "<*>", "a.b.c", "eth<*>", "failed", "to", ","])
LINES = st.lists(st.lists(WORDS, max_size=7).map(" ".join), min_size=1, max_size=40, unique=True)


@given(LINES)
@settings(max_examples=60, deadline=None)
def test_every_message_fits_the_template_it_was_made_from(lines: list[str]) -> None:
    masked = pl.Series(lines)
    found = group_messages(masked)
    assert np.array_equal(Matcher(found.forms).match(masked), found.keys)


@given(LINES, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_changes_no_group(lines: list[str], dice: random.Random) -> None:
    shuffled = dice.sample(lines, len(lines))
    found, again = group_messages(pl.Series(lines)), group_messages(pl.Series(shuffled))
    groups = dict(zip(lines, found.texts.gather(found.keys), strict=True))
    assert groups == dict(zip(shuffled, again.texts.gather(again.keys), strict=True))


@pytest.mark.real_data
def test_real_messages_fit_their_templates_and_the_order_of_lines_changes_nothing(shared_data: Path) -> None:
    for path in sorted((shared_data / "loghub_2k").glob("*_structured_corrected.csv")):
        messages = pl.read_csv(path, infer_schema=False)["Content"]
        masked = Masks.default().apply(messages).unique(maintain_order=True)
        found = group_messages(masked)
        assert np.array_equal(Matcher(found.forms).match(masked), found.keys), path.name
        again = group_messages(masked.reverse())
        assert found.texts.gather(found.keys).equals(again.texts.gather(again.keys).reverse()), path.name


@pytest.mark.real_data
def test_a_hundred_times_more_lines_are_not_more_templates(shared_data: Path) -> None:
    lines = pl.read_csv(
        shared_data / "hdfs" / "HDFS_sample.log.gz",
        has_header=False,
        separator="\x01",
        quote_char=None,
        new_columns=["l"],
    )["l"]
    messages = lines.str.splitn(" ", 6).struct.field("field_5")
    templates = Templates()
    for start in range(0, len(messages), 30_000):
        templates.encode(messages[start : start + 30_000])
    templates.learn()
    assert 28 <= len(templates) <= 34
    assert int(templates.table["count"].sum()) == len(messages) == 222_579
