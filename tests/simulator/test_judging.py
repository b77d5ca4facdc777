"""Verdicts against truth, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

from logbert.errors import InputError
from logbert.simulator import KindFigures, judge

TRUTH = pl.DataFrame(
    [
        ("slab-a", 1, "never ends", ""),
        ("slab-b", 1, "never ends", ""),
        ("slab-c", 1, "retry storm", "new message"),
        ("slab-d", 0, "", "new message"),
        ("slab-e", 0, "", "new message"),
        ("slab-f", 0, "", ""),
        ("slab-g", 0, "", ""),
    ],
    schema=["sequence", "label", "kind", "drift"],
    orient="row",
)


def verdicts(flagged: dict[str, str], calm: str = "") -> pl.DataFrame:
    rows = [(f"slab-{name}", True, incident) for name, incident in flagged.items()]
    rows += [(f"slab-{name}", False, None) for name in calm]
    return pl.DataFrame(
        rows, schema={"sequence": pl.String, "anomaly": pl.Boolean, "incident": pl.String}, orient="row"
    )


def test_faults_found_and_false_alarms_are_counted() -> None:
    figures = judge(verdicts({"a": "i1", "c": "i2", "f": "i3"}, "bdeg"), TRUTH)
    assert (figures.sessions, figures.faults, figures.found, figures.false_alarms) == (7, 3, 2, 1)
    assert figures.precision == pytest.approx(2 / 3)
    assert figures.recall == pytest.approx(2 / 3)
    assert figures.f1 == pytest.approx(2 / 3)
    assert figures.false_alarm_rate == pytest.approx(1 / 4)


def test_each_kind_has_its_recall() -> None:
    figures = judge(verdicts({"a": "i1", "c": "i2"}, "bdefg"), TRUTH)
    assert figures.kinds == (KindFigures("never ends", 2, 1), KindFigures("retry storm", 1, 1))
    assert [kind.recall for kind in figures.kinds] == [0.5, 1.0]


def test_alarms_about_drift_are_told_apart_from_other_false_alarms() -> None:
    figures = judge(verdicts({"d": "i1", "e": "i1", "f": "i2"}, "abcg"), TRUTH)
    assert (figures.false_alarms, figures.drift_alarms) == (3, 2)
    assert figures.steady_false_alarm_rate == pytest.approx(1 / 4)
    assert (figures.incidents, figures.false_incidents, figures.drift_incidents) == (2, 2, 1)


def test_a_fault_among_the_drift_does_not_hide_a_drift_incident() -> None:
    figures = judge(verdicts({"c": "i1", "d": "i1", "e": "i1"}, "abfg"), TRUTH)
    assert (figures.incidents, figures.false_incidents, figures.drift_incidents) == (1, 0, 1)


def test_drift_in_a_faulty_session_is_no_drift_alarm() -> None:
    figures = judge(verdicts({"c": "i1"}, "abdefg"), TRUTH)
    assert (figures.found, figures.drift_alarms, figures.drift_incidents) == (1, 0, 0)


def test_a_session_without_a_verdict_is_not_found_and_is_counted() -> None:
    figures = judge(verdicts({"a": "i1"}, "defg"), TRUTH)
    assert (figures.found, figures.faults, figures.unjudged) == (1, 3, 2)


def test_verdicts_about_anything_else_are_counted_apart() -> None:
    figures = judge(verdicts({"a": "i1", "zz": "i9"}, "bcdefg"), TRUTH)
    assert (figures.unknown, figures.false_alarms, figures.incidents) == (1, 0, 1)


def test_nothing_flagged_is_nothing_found() -> None:
    figures = judge(verdicts({}, "abcdefg"), TRUTH)
    assert (figures.precision, figures.recall, figures.f1, figures.incidents) == (0.0, 0.0, 0.0, 0)


def test_verdicts_about_another_log_are_refused() -> None:
    other = pl.DataFrame({"sequence": ["2024-03-12 06:00"], "anomaly": [True], "incident": ["i1"]})
    with pytest.raises(InputError, match="none of the 1 verdicts"):
        judge(other, TRUTH)
