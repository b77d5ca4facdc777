"""A range is a boundary where it stays one; how far outside a number is counts in steps of the slot's own tail."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors.measured.ranges import LEAST_ROWS, Ranges


def rows(numbers: np.ndarray | list[float | None], *, key: int = 5) -> pl.DataFrame:
    """One number a row, in the order of time."""
    column = pl.Series("number", numbers, dtype=pl.Float64)
    return pl.DataFrame({"row": range(len(numbers)), "key": key, "slot": 0, "unit": 0}).with_columns(column)


def learnt(numbers: np.ndarray, *, upper_only: bool = False) -> Ranges:
    return Ranges.learn(rows(numbers), np.arange(len(numbers)), upper_only=upper_only)[0]


def steps(ranges: Ranges, *numbers: float) -> list[float]:
    found = ranges.outside(rows(list(numbers)))
    raw = dict(found.select("row", "raw").iter_rows())
    return [raw.get(row, 0.0) for row in range(len(numbers))]


SIZES = np.random.default_rng(0).lognormal(8, 1, 400)


def test_inside_is_nothing_and_outside_is_more_the_further() -> None:
    low, high = float(SIZES.min()), float(SIZES.max())
    inside, little, far, tiny = steps(learnt(SIZES), high, high * 1.1, high * 1000, low / 1000)
    assert inside == 0.0
    assert 0.0 < little < 1.0
    assert far > 5.0
    assert tiny > 3.0
    assert steps(learnt(SIZES, upper_only=True), low / 1000) == [0.0]


@pytest.mark.parametrize(
    "growing",
    [
        np.arange(400.0) + 1e6,
        np.random.default_rng(1).lognormal(3, 0.5, 400) * np.geomspace(1, 300, 400),
        np.cumsum(np.random.default_rng(2).exponential(5, 400)),
        np.concatenate([np.random.default_rng(3).integers(1, 9, 360), np.full(40, 1e5)]),
    ],
    ids=["a sequence number", "a size that grows", "an uptime", "a jump near the end"],
)
def test_what_grows_over_training_is_not_judged_by_its_largest(growing: np.ndarray) -> None:
    assert steps(learnt(growing.astype(np.float64)), 1e12) == [0.0]


def test_what_shrinks_is_judged_on_neither_side() -> None:
    assert steps(learnt(np.linspace(4000, 100, 400)), 1e9, 0.0) == [0.0, 0.0]


def test_a_burst_in_one_stretch_of_time_is_no_boundary() -> None:
    numbers = SIZES.copy()
    numbers[200:206] = 1e9
    assert steps(learnt(numbers), 1e15) == [0.0]


def test_the_order_is_that_of_time_not_of_rows() -> None:
    counter = np.arange(400.0)
    shuffled = np.random.default_rng(4).permutation(400)
    ranges, _ = Ranges.learn(rows(counter[shuffled]), shuffled)
    assert steps(ranges, 1e12) == [0.0]


def test_a_slot_of_few_rows_or_with_other_things_in_it_says_nothing() -> None:
    assert steps(learnt(SIZES[: LEAST_ROWS - 1]), 1e15) == [0.0]
    mixed = [*SIZES.tolist(), *[None] * 10]
    ranges, _ = Ranges.learn(rows(mixed), np.arange(len(mixed)))
    assert steps(ranges, 1e15) == [0.0]


def test_one_number_far_outside_in_training_is_seen_as_that() -> None:
    numbers = SIZES.copy()
    numbers[123] = 1e12
    ranges, raw = Ranges.learn(rows(numbers), np.arange(400))
    assert np.argmax(raw) == 123
    assert raw[123] > 5.0
    assert steps(ranges, 1e11) == [0.0]


def test_a_number_of_another_slot_is_not_compared() -> None:
    assert learnt(SIZES).outside(rows([1e15], key=6)).is_empty()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["lognormal", "exponential", "few", "pareto"]))
def test_of_exchangeable_rows_few_are_outside_and_hardly_any_far(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    draw = {
        "lognormal": lambda: rng.lognormal(3, 2, 1000),
        "exponential": lambda: rng.exponential(40, 1000),
        "few": lambda: rng.integers(0, 4, 1000).astype(float),
        "pareto": lambda: rng.pareto(1.0, 1000),
    }[kind]
    ranges, raw = Ranges.learn(rows(draw()), np.arange(1000))
    assert np.sum(raw > 0) <= 12
    new = steps(ranges, *draw())
    assert np.sum(np.array(new) > 0) <= 30
    assert np.sum(np.array(new) > 9) <= 1
