"""How novelty ages, what never does, and what feedback changes: at once, and only what it is about."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors.feedback import Cause, Feedback
from logbert.detectors.fusion import Fusion
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.watch import PATIENCE, Watch

TEXTS = KeyTexts(
    {
        1: "Receiving block <*>",
        2: "Received block <*>",
        6: "Moving block <*> to <*>",
        7: "Disk <*> failed",
        8: "Replica <*> lost",
        9: "Balancer started",
    }
)
NORMAL = [[1, 2], [1, 1, 2, 2], [1, 1, 1, 2, 2, 2]] * 40
FUSION = Fusion(members=("novelty",)).read(TEXTS).fit(NORMAL)
NEUTRAL, FAILING, LOST, ROUTINE, SILENT = 6, 7, 8, 9, 99
streams = st.lists(
    st.lists(st.sampled_from([1, 2, NEUTRAL, FAILING, LOST, ROUTINE, SILENT]), max_size=5), min_size=1, max_size=20
)


def verdicts(stream: list[list[int]], feedback: Feedback | None = None) -> list[bool]:
    flags: list[bool] = Watch(FUSION, feedback).judge(stream).anomalous.tolist()
    return flags


@pytest.mark.parametrize("key", [NEUTRAL, SILENT])
def test_a_new_key_that_says_nothing_is_reported_a_few_times_and_then_known(key: int) -> None:
    assert verdicts([[1, key, 2]] * 6) == [True] * PATIENCE + [False] * (6 - PATIENCE)


def test_a_new_key_that_speaks_of_failure_is_never_known_by_itself() -> None:
    assert all(verdicts([[1, FAILING, 2]] * 200))


def test_a_new_key_that_speaks_of_routine_does_not_raise_an_incident_of_its_own() -> None:
    watched = Watch(FUSION).judge([[1, 2, ROUTINE]] * 6)
    assert all(cause is None or cause.kind != "new keys" for cause in watched.causes)
    assert not watched.anomalous[PATIENCE:].any()


def test_without_any_text_every_new_key_is_reported_every_time() -> None:
    mute = Fusion(members=("novelty",)).fit(NORMAL)
    assert Watch(mute).judge([[1, NEUTRAL, 2]] * 8).anomalous.all()


def test_a_missing_step_is_reported_every_time_in_sessions() -> None:
    watched = Watch(FUSION).judge([[1, 1]] * 10)
    assert watched.anomalous.all()
    assert set(watched.causes) == {Cause("missing key", (2,))}


def test_a_missing_step_is_seen_beside_a_new_key_that_is_known_by_now() -> None:
    stream = [[1, NEUTRAL, 2]] * 5 + [[1, NEUTRAL, 1]]
    watched = Watch(FUSION).judge(stream)
    assert watched.anomalous.tolist() == [True, True, True, False, False, True]
    assert watched.causes[-1] == Cause("missing key", (2,))


def test_normal_silences_that_cause_at_once_and_no_other() -> None:
    watch = Watch(FUSION)
    first = watch.judge([[1, FAILING, 2], [1, LOST, 2]])
    watch.feedback.answer(first.causes[0], normal=True)
    assert watch.judge([[1, FAILING, 2], [1, LOST, 2], [1, FAILING, LOST, 2]]).anomalous.tolist() == [False, True, True]


def test_normal_silences_an_oddity_of_known_keys() -> None:
    feedback = Feedback()
    feedback.answer(Cause("missing key", (2,)), normal=True)
    assert verdicts([[1, 1], [2, 2], [1, FAILING]], feedback) == [False, True, True]


def test_an_anomaly_is_reported_for_ever() -> None:
    feedback = Feedback()
    feedback.answer(Cause.of_new_keys([NEUTRAL]), normal=False)
    assert all(verdicts([[1, NEUTRAL, 2]] * 20, feedback))


def test_undoing_an_answer_brings_the_verdict_back() -> None:
    watch = Watch(FUSION)
    cause = watch.judge([[1, FAILING, 2]]).causes[0]
    watch.feedback.answer(cause, normal=True)
    watch.feedback.undo(cause)
    assert watch.judge([[1, FAILING, 2]]).anomalous.tolist() == [True]


def test_the_cause_is_all_new_keys_that_are_not_routine_and_the_others_stand_beside() -> None:
    watched = Watch(FUSION).judge([[1, FAILING, ROUTINE, SILENT, 2]])
    assert watched.causes == [Cause.of_new_keys([FAILING, SILENT])]
    assert watched.beside == [(ROUTINE,)]


def test_in_windows_an_oddity_ages_too() -> None:
    rng = np.random.default_rng(0)
    fusion = Fusion(members=("novelty",), windows=False).fit(NORMAL)
    fusion.windows_ = False
    assert Watch(fusion).judge([[1, 1]] * 6).anomalous.sum() == 6
    windows = rng.integers(1, 40, size=(600, 20)).tolist()
    cut = Fusion(members=("novelty",)).fit(windows)
    assert not Watch(cut).judge(rng.integers(1, 40, size=(50, 20)).tolist()).anomalous.any()


@given(streams, st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_batches_change_nothing_and_a_watch_can_be_resumed(stream: list[list[int]], size: int) -> None:
    whole = Watch(FUSION).judge(stream)
    watch = Watch(FUSION)
    flags: list[bool] = []
    causes: list[Cause | None] = []
    for begin in range(0, len(stream), size):
        watched = watch.judge(stream[begin : begin + size])
        flags += watched.anomalous.tolist()
        causes += watched.causes
        state = json.loads(json.dumps(watch.state()))
        watch = Watch(FUSION, watch.feedback)
        watch.resume(state)
    assert flags == whole.anomalous.tolist()
    assert causes == whole.causes


@given(streams)
@settings(max_examples=40, deadline=None)
def test_what_time_changes_is_only_ever_that_less_is_reported(stream: list[list[int]]) -> None:
    watched = Watch(FUSION).judge(stream)
    assert np.all(FUSION.predict(stream)[watched.anomalous])
    assert [cause is not None for cause in watched.causes] == watched.anomalous.tolist()
