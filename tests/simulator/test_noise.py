"""Background records: there are enough of them, of every kind, and none belongs to a session."""

from __future__ import annotations

from collections import Counter

from logbert.simulator.dice import Dice
from logbert.simulator.drift import Course
from logbert.simulator.noise import CHATTER, chatter
from logbert.simulator.store import BAYS

HOURS = 4


def test_every_kind_occurs_about_as_often_as_it_says() -> None:
    steps = chatter(Dice(0, "noise"), Course.steady(HOURS * 3600.0))
    counts = Counter(step.event.name for step in steps)
    for talk in CHATTER:
        expected = HOURS * 3600 / talk.every * len(talk.nodes)
        assert 0.3 * expected < counts[talk.event.name] < 2 * expected, talk.event.name


def test_no_background_record_names_a_session() -> None:
    course = Course.drifting(3600.0, "both", Dice(0, "drift"))
    for step in chatter(Dice(0, "noise"), course):
        assert "slab-" not in step.event.text.format_map(step.values)
        assert step.at >= 0


def test_some_warnings_and_errors_are_part_of_normal_operation() -> None:
    levels = Counter(step.event.level for step in chatter(Dice(0, "noise"), Course.steady(HOURS * 3600.0)))
    assert levels["WARN"] > 50
    assert levels["ERROR"] > 20


def test_a_bay_reports_its_new_release_once() -> None:
    course = Course.drifting(9000.0, "new message", Dice(4, "drift"))
    up = Counter(step.node for step in chatter(Dice(4, "noise"), course) if step.event.name == "restarted")
    assert up == dict.fromkeys(BAYS, 1)
