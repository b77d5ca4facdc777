"""DeepLog: order, ends, candidates, and windows that end anywhere."""

from __future__ import annotations

import numpy as np
import pytest

from logbert.detectors import Reason
from logbert.detectors.corpus import Corpus
from logbert.detectors.deeplog import DeepLog
from logbert.detectors.next_key import detector as next_key

LOGIN, READ, WRITE, LOGOUT = 10, 20, 30, 40


def sessions(count: int, seed: int = 0) -> list[list[int]]:
    draw = np.random.default_rng(seed)
    return [[LOGIN, *([READ, READ, WRITE] * draw.integers(1, 4)), LOGOUT] for _ in range(count)]


@pytest.fixture(scope="module")
def fitted() -> DeepLog:
    return DeepLog(hidden=16, steps=150, false_alarms=0.01).fit(sessions(200))


def test_a_step_out_of_order_is_found_and_told_with_what_was_expected(fitted):
    odd = [LOGIN, READ, WRITE, READ, READ, WRITE, LOGOUT]
    assert fitted.predict([odd]).all()
    reason = fitted.explain(odd)[0]
    assert (reason.kind, reason.position, reason.key) == ("unexpected key", 2, WRITE)
    assert reason.expected[0][0] == READ
    assert reason.expected[0][1] > 0.8
    assert reason.probability < 0.1
    assert reason.rank >= 1


def test_a_session_that_breaks_off_is_found_and_its_end_told(fitted):
    broken = [LOGIN, READ, READ, WRITE]
    assert fitted.predict([broken]).all()
    reason = fitted.explain(broken)[0]
    assert (reason.kind, reason.position, reason.key) == ("unexpected end", 4, None)
    assert LOGOUT in [key for key, _ in reason.expected]


def test_keys_after_the_end_are_told_as_such(fitted):
    reasons = fitted.explain([LOGIN, READ, READ, WRITE, LOGOUT, READ])
    assert any("the end was expected here" in reason.detail and reason.position == 5 for reason in reasons)


def test_short_sessions_are_judged(fitted):
    assert fitted.predict([[LOGIN], [LOGOUT], [WRITE, READ]]).all()


def test_without_ends_a_session_that_breaks_off_passes():
    detector = DeepLog(hidden=16, steps=150, end=False, false_alarms=0.01).fit(sessions(200))
    assert not detector.predict([[LOGIN, READ, READ, WRITE]]).any()


def test_windows_that_end_anywhere_are_not_judged_by_their_end():
    stream = np.random.default_rng(0).integers(0, 30, size=20_000)
    stream[1::2] = stream[::2] + 100
    windows = [stream[start : start + 200].tolist() for start in range(0, 20_000, 200)]
    detector = DeepLog(history=2, hidden=16, steps=60).fit(windows)
    assert not detector.judges_end_
    assert not any(reason.kind == "unexpected end" for reason in detector.explain([1, 2, 3]))


def test_by_the_papers_rule_the_raw_score_counts_keys_outside_the_top_g():
    detector = DeepLog(hidden=16, steps=150, g=2, threshold="top-g").fit(sessions(200))
    normal, one, many = detector.raw_scores(
        Corpus.of([sessions(1)[0], [LOGIN, READ, WRITE, READ, READ, WRITE, LOGOUT], [99, 99, LOGIN]])
    )
    assert normal < 1 <= one < many
    assert detector.calibration_.threshold == 1.0
    assert detector.predict([[LOGIN, 99, LOGOUT]]).all()


def test_judging_in_small_runs_changes_nothing(fitted, monkeypatch):
    corpus = Corpus.of([*sessions(30, seed=3), [WRITE] * 40, [], [LOGIN, 77], [READ, LOGIN] * 9])
    whole = fitted.raw_scores(corpus)
    monkeypatch.setattr(next_key, "POSITIONS", 10)
    monkeypatch.setattr(next_key, "CONTEXTS", 3)
    np.testing.assert_array_equal(fitted.raw_scores(corpus), whole)


def test_a_sequence_may_be_as_long_as_it_likes(fitted):
    assert np.isfinite(fitted.score([[LOGIN] + [READ, READ, WRITE] * 5000 + [LOGOUT]])).all()


def test_reasons_are_worst_first_and_bounded(fitted):
    reasons = fitted.explain([WRITE, LOGIN] * 50)
    assert 1 < len(reasons) <= next_key.MOST_REASONS
    assert [reason.weight for reason in reasons] == sorted((reason.weight for reason in reasons), reverse=True)
    assert all(isinstance(reason, Reason) for reason in reasons)
