"""Dice: equal seeds give equal draws, purposes do not disturb each other, bounds hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logbert.simulator.dice import DRAWS, Dice


@given(low=st.integers(-50, 50), more=st.integers(0, 50), seed=st.integers(0, 2**32))
def test_whole_numbers_stay_within_both_bounds(low: int, more: int, seed: int) -> None:
    dice = Dice(seed, "bounds")
    drawn = {dice.whole(low, low + more) for _ in range(20)}
    assert min(drawn) >= low
    assert max(drawn) <= low + more


def test_equal_seed_and_purpose_give_equal_draws_past_the_end_of_a_batch() -> None:
    one, two = Dice(7, "faults"), Dice(7, "faults")
    assert [one.fraction() for _ in range(DRAWS + 5)] == [two.fraction() for _ in range(DRAWS + 5)]


def test_another_purpose_or_seed_gives_other_draws() -> None:
    drawn = {Dice(seed, purpose).whole(0, 10**9) for seed in (0, 1) for purpose in ("faults", "noise")}
    assert len(drawn) == 4


@given(count=st.integers(0, 6), seed=st.integers(0, 1000))
def test_some_takes_different_ones(count: int, seed: int) -> None:
    taken = Dice(seed, "some").some("abcdef", count)
    assert len(taken) == len(set(taken)) == count
    assert set(taken) <= set("abcdef")


def test_weights_say_how_often() -> None:
    dice = Dice(0, "weights")
    drawn = [dice.weighted((0.5, 0.0, 1.5)) for _ in range(8000)]
    assert drawn.count(1) == 0
    assert 0.23 < drawn.count(0) / len(drawn) < 0.27


def test_a_lapse_is_never_shorter_than_its_least_and_averages_what_it_says() -> None:
    dice = Dice(0, "lapse")
    drawn = [dice.lapse(2.0, 3.0) for _ in range(8000)]
    assert min(drawn) >= 2.0
    assert 4.8 < sum(drawn) / len(drawn) < 5.2
