from __future__ import annotations

import pytest

from logbert.detectors.measured.telling import new_choice, outside, slot_name, slow

SIZE = {"number": 98231554112.0, "low": 12.0, "high": 67108864.0, "unit": 0}


def test_a_value_outside_is_told_with_what_was_usual() -> None:
    assert outside(SIZE, "size") == "size 98,231,554,112 where 12 to 67,108,864 was usual"
    assert outside({**SIZE, "low": 3.0, "high": 3.0, "number": 900.0}, "hops") == "hops 900 where always 3 was usual"


def test_a_new_value_is_told_with_the_known_ones() -> None:
    assert new_choice({"value": "degraded"}, "status", ("ok", "busy")) == (
        "status `degraded`, one of `ok`, `busy` in training"
    )
    many = tuple("abcdefg")
    assert new_choice({"value": "x"}, "kind", many).endswith("`e` and 2 more in training")


def test_a_slow_step_is_told_in_units_people_use() -> None:
    assert slow({"number": 492.0, "high": 2.1}) == "8 min 12 s after the record before it; at most 2.1 s in training"


@pytest.mark.parametrize(
    ("template", "slot", "name"),
    [
        ("Received block blk_<*> of size <*> from <*>", 1, "size"),
        ("<*> for <*> after <*>", 2, "after"),
        ("worker[<*>] said (retries=<*>)", 1, "retries"),
        ("<*>", 0, "value"),
        ("gone", 3, "value"),
    ],
)
def test_a_slot_is_named_by_the_word_before_it(template: str, slot: int, name: str) -> None:
    assert slot_name(template, slot) == name
