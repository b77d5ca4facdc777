from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from logbert.detectors.measured.choices import Choices


def rows(said: list[str] | list[float]) -> pl.DataFrame:
    words = isinstance(said[0], str)
    values = {"number": None if words else said, "word": said if words else None}
    unit = None if words else 0
    return pl.DataFrame({"row": range(len(said)), "key": 5, "slot": 1}).with_columns(
        pl.lit(unit, pl.Int8).alias("unit"),
        pl.Series("number", values["number"] or [None] * len(said), dtype=pl.Float64),
        pl.Series("word", values["word"] or [None] * len(said), dtype=pl.String),
    )


def mixed(*values: str | float, times: int = 60) -> list[str] | list[float]:
    order = np.random.default_rng(0).permutation(len(values) * times)
    return [values[place % len(values)] for place in order]  # type: ignore[return-value]


def learnt(said: list[str] | list[float], templates: tuple[str, ...] = ()) -> Choices:
    return Choices.learn(rows(said), np.arange(len(said)), templates)[0]


@pytest.mark.parametrize(
    ("known", "new"), [(("ok", "busy"), "degraded"), ((200.0, 404.0, 301.0), 500.0), ((60.0, 300.0), 90.0)]
)
def test_a_value_that_is_none_of_the_few_is_new(known: tuple[str | float, ...], new: str | float) -> None:
    choices = learnt(mixed(*known))
    found = choices.new(rows([*known, new]))  # type: ignore[list-item]
    assert found["value"].to_list() == [str(new).removesuffix(".0")]


@pytest.mark.parametrize(
    "said",
    [
        mixed(1.0, 2.0, 3.0),
        mixed(1.5, 900.5),
        mixed("ok", "busy", times=40),
        [*mixed("ok", "busy"), "idle"],
        ["ok"] * 200 + ["busy"] * 200,
        [f"user-{number}" for number in range(400)],
        ["ok"] * 400,
    ],
    ids=["a count", "no whole numbers", "few rows", "one seen once", "came and went", "many", "always the same"],
)
def test_slots_that_choose_from_no_fixed_few_say_nothing(said: list[str] | list[float]) -> None:
    assert learnt(said).known == {}


def test_a_word_that_training_had_anywhere_is_not_new() -> None:
    choices = learnt(mixed("ok", "busy"), ("worker <*>: idle, draining",))
    assert choices.new(rows(["idle", "draining", "degraded"]))["value"].to_list() == ["degraded"]


def test_the_one_row_of_a_passing_value_shows_how_often_that_happens() -> None:
    said = [*mixed("ok", "busy"), "idle"]
    _, raw = Choices.learn(rows(said), np.arange(len(said)))
    assert np.flatnonzero(raw).tolist() == [len(said) - 1]


def test_choices_survive_json() -> None:
    choices = learnt(mixed("ok", "busy"))
    again = Choices.from_state(json.loads(json.dumps(choices.state())))
    assert again == choices or (again.known, again.raw, again.vocabulary) == (
        choices.known,
        choices.raw,
        choices.vocabulary,
    )
