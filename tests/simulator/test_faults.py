"""Healthy sessions keep the rules of the store, and every labelled fault breaks one of them."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from logbert.simulator.drift import WARMED
from logbert.simulator.faults import DEFAULT_FAULTS, FAULTS, NEVER_SEEN
from logbert.simulator.simulate import Period, normal_period, watch_period
from logbert.simulator.store import EVENTS

# Prefix by prefix, there are never more of the second than of the first.
WAITS = [
    ("taking", "stored"),
    ("stored", "acknowledged"),
    ("sealed", "answered"),
    ("get", "served"),
    ("moving", "moved"),
    ("moved", "dropped"),
    ("aborted", "abandoned"),
    ("audit", "passed"),
]
# All of the first come before any of the second.
BEFORE = [
    ("acknowledged", "sealed"),
    ("digest", "passed"),
    ("deleted", "erased"),
    ("erased", "forgotten"),
    ("abandoned", "erased"),
]


def complaints(names: list[str]) -> list[str]:
    """Say which rules of the store a session breaks, written down without a look at how sessions are made."""
    count = Counter(names)
    placed, aborted = count["placed"], count["aborted"]
    equal = {
        "sealed once": (count["sealed"], 1 - aborted),
        "answered once": (count["answered"], 1 - aborted),
        "opened if placed": (count["opened"], placed),
        "three bays take it, one more for a move": (count["taking"], 3 * placed + count["moving"]),
        "what is taken is stored": (count["stored"], 0 if aborted else count["taking"]),
        "three acknowledge": (count["acknowledged"], 0 if aborted else 3 * placed),
        "reads are answered": (count["get"], count["served"]),
        "reads are served or cached": (count["get"], count["serving"] + count["cached"]),
        "audits pass": (count["audit"], count["passed"]),
        "three digests an audit": (count["digest"], 3 * count["audit"]),
        "moves finish": (count["moving"], count["moved"]),
        "moves clean up": (count["moving"], count["dropped"]),
        "all replicas are erased": (count["erased"], 3 * placed if count["deleted"] or aborted else 0),
        "one end": (count["released"] + count["forgotten"], 1),
    }
    wrong = [rule for rule, (one, other) in equal.items() if one != other]
    wrong += [f"unknown {name}" for name in names if name not in EVENTS and name != WARMED.name]
    if names[-1] not in {"released", "forgotten"}:
        wrong.append("ends with the end")
    if count["slow"] > 5:
        wrong.append("few retries")
    for first, second in WAITS:
        open_ = 0
        for name in names:
            open_ += (name == first) - (name == second)
            if open_ < 0:
                wrong.append(f"{second} waits for {first}")
                break
    for first, second in BEFORE:
        if count[first] and count[second] and names[::-1].index(first) < len(names) - 1 - names.index(second):
            wrong.append(f"{second} after all {first}")
    return wrong


@pytest.fixture(scope="module")
def watched() -> Period:
    return watch_period(3, 3000, fault_share=0.2, faults=tuple(FAULTS), drift="both")


def test_the_rules_notice_what_they_are_about() -> None:
    small = ["put", "journalled", "sealed", "answered", "get", "cached", "served", "released"]
    assert complaints(small) == []
    assert complaints([name for name in small if name != "served"]) == ["reads are answered"]
    assert complaints(small[:4]) == ["one end", "ends with the end"]
    assert "answered waits for sealed" not in complaints(small)
    assert "sealed after all acknowledged" in complaints(["sealed", "acknowledged", "released"])
    assert complaints(["put", "journalled", "answered", "sealed", "released"]) == ["answered waits for sealed"]


@pytest.mark.parametrize("seed", [0, 11])
def test_healthy_sessions_keep_the_rules(seed: int) -> None:
    told = normal_period(seed, 3000).names()
    assert len(told) == 3000
    # A record about a copy of it may fall into a session anywhere.
    broken = {slab: found for slab, names in told.items() if (found := complaints(names))}
    assert broken == {}


def test_healthy_sessions_keep_the_rules_while_the_store_drifts(watched: Period) -> None:
    healthy = {slab: names for slab, names in watched.names().items() if slab not in watched.wrong}
    assert [slab for slab, names in healthy.items() if complaints(names)] == []


@pytest.mark.parametrize("kind", DEFAULT_FAULTS)
def test_a_fault_breaks_a_rule(watched: Period, kind: str) -> None:
    told = watched.names()
    broken = [slab for slab, (its, _) in watched.wrong.items() if its == kind]
    assert len(broken) == 75
    assert [told[slab] for slab in broken if not complaints(told[slab])] == []


@pytest.mark.parametrize("kind", ["slow step", "value outside"])
def test_faults_of_time_and_value_leave_the_order_as_it_was(watched: Period, kind: str) -> None:
    told = watched.names()
    assert [slab for slab, (its, _) in watched.wrong.items() if its == kind and complaints(told[slab])] == []


def test_a_slow_step_is_far_slower_than_any_healthy_one(watched: Period) -> None:
    def longest_wait(slab: str) -> float:
        steps = next(life.steps for life in watched.lives if life.slab == slab)
        return max(later.at - step.at for step, later in itertools.pairwise(steps))

    slow = [longest_wait(slab) for slab, (kind, _) in watched.wrong.items() if kind == "slow step"]
    healthy = [longest_wait(life.slab) for life in watched.lives if life.slab not in watched.wrong]
    assert len(slow) == 75
    assert min(slow) >= 240
    # Waiting for a read is a matter of chance without a bound; nearly always it is far shorter.
    assert sorted(healthy)[int(0.999 * len(healthy))] < min(slow)


def test_a_value_outside_is_larger_than_any_healthy_one(watched: Period) -> None:
    outside = [int(what.split()[0]) for kind, what in watched.wrong.values() if kind == "value outside"]
    healthy = [
        int(str(step.values["ms"]))
        for life in watched.lives
        if life.slab not in watched.wrong
        for step in life.steps
        if "ms" in step.values
    ]
    assert min(outside) > 10 * max(healthy)


def test_never_seen_messages_come_in_words_of_failure_and_in_plain_ones(watched: Period) -> None:
    wording = {what.split("'")[1] for kind, what in watched.wrong.values() if kind == "never-seen message"}
    assert wording == {event.name for event in NEVER_SEEN}
    levels = Counter(event.level for event in NEVER_SEEN)
    assert levels["INFO"] == levels.total() / 2


def test_a_session_that_shares_a_record_with_another_is_never_broken(watched: Period) -> None:
    shared = {life.slab for life in watched.lives if life.copied_at or life.source}
    assert len(shared) > 50
    assert not shared & set(watched.wrong)


def test_faults_do_not_change_what_healthy_sessions_do() -> None:
    few = watch_period(5, 400, fault_share=0.02, faults=DEFAULT_FAULTS, drift="mix")
    many = watch_period(5, 400, fault_share=0.3, faults=DEFAULT_FAULTS, drift="mix")
    healthy = [slab for slab in few.names() if slab not in few.wrong and slab not in many.wrong]
    assert len(healthy) > 200
    told_few, told_many = few.names(), many.names()
    assert [slab for slab in healthy if told_few[slab] != told_many[slab]] == []
