"""Drift: gradual, harmless, and only what was asked for."""

from __future__ import annotations

import itertools

import pytest

from logbert.simulator.drift import LATER, ROLLOUT, USUAL, Drift, Mix
from logbert.simulator.simulate import Period, watch_period

NEW = {"restarting", "restarted", "tiering", "warmed"}


def period(drift: Drift) -> Period:
    return watch_period(2, 3000, fault_share=0.0, faults=(), drift=drift)


def reads(watched: Period, *, late: bool) -> float:
    half = watched.course.seconds / 2
    lives = [life for life in watched.lives if (life.start >= half) == late]
    return sum(step.event.name == "get" for life in lives for step in life.steps) / len(lives)


@pytest.mark.parametrize("drift", ["none", "mix"])
def test_without_a_new_message_there_is_none(drift: Drift) -> None:
    assert not NEW & {step.event.name for step in period(drift).steps()}


def test_a_new_message_comes_only_with_the_roll_out_and_touches_few_sessions() -> None:
    watched = period("new message")
    new = [step for step in watched.steps() if step.event.name in NEW]
    assert {step.event.name for step in new} == NEW
    assert min(step.at for step in new) >= ROLLOUT[0] * watched.course.seconds
    touched = [life for life in watched.lives if life.drifted]
    assert 10 <= len(touched) <= 90


def test_each_bay_is_updated_on_its_own() -> None:
    updates = sorted(period("both").course.updates.values())
    assert len(updates) == 12
    assert all(later > earlier for earlier, later in itertools.pairwise(updates))


def test_the_mix_shifts_towards_more_reads_only_if_asked() -> None:
    shifting, steady = period("mix"), period("none")
    assert reads(shifting, late=True) > 1.08 * reads(shifting, late=False)
    assert abs(reads(steady, late=True) / reads(steady, late=False) - 1) < 0.08


def test_sizes_grow_over_the_period() -> None:
    lives = [life for life in period("mix").lives if life.size > 9_000]
    third = len(lives) // 3
    early = sorted(life.size for life in lives[:third])[third // 2]
    late = sorted(life.size for life in lives[-third:])[third // 2]
    assert late > 1.2 * early


def test_a_mix_turns_into_another_by_degrees() -> None:
    assert USUAL.towards(LATER, 0.0) == USUAL
    halfway = USUAL.towards(LATER, 0.5)
    assert halfway.deletion == pytest.approx((USUAL.deletion + LATER.deletion) / 2)
    assert sum(halfway.reads) == pytest.approx(1.0)


def test_upkeep_shares_leave_room_for_none_of_it() -> None:
    for mix in (Mix(), LATER):
        assert mix.renewal + mix.copied + mix.audit + mix.move < 0.5
