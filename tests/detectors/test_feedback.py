"""An answer changes the verdicts of its cause, and of no other; it can be listed and taken back."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from logbert.detectors.feedback import Answer, Cause, Feedback

keys = st.frozensets(st.integers(0, 6), min_size=1, max_size=4)
answers = st.lists(st.tuples(keys, st.booleans()), max_size=8)
BURST = Cause("unseen counts", (26,))


def given_answers(said: list[tuple[frozenset[int], bool]]) -> Feedback:
    feedback = Feedback()
    for about, normal in said:
        feedback.answer(Cause.of_new_keys(about), normal=normal)
    return feedback


def test_normal_clears_the_keys_of_the_cause_and_those_beside_them() -> None:
    feedback = Feedback()
    feedback.answer(Cause.of_new_keys([7, 9]), normal=True, beside=[11])
    assert feedback.cleared_keys == {7, 9, 11}
    assert feedback.is_cleared(Cause.of_new_keys([7]))
    assert not feedback.is_cleared(Cause.of_new_keys([7, 8]))


def test_an_anomaly_convicts_sequences_with_all_its_keys() -> None:
    feedback = given_answers([(frozenset({7, 9}), False)])
    assert feedback.convicted({7, 8, 9}) == Cause.of_new_keys([7, 9])
    assert feedback.convicted({7, 8}) is None


def test_what_is_left_of_a_convicted_set_is_guilty_when_the_others_are_cleared() -> None:
    feedback = given_answers([(frozenset({7, 9}), False), (frozenset({7}), True)])
    assert feedback.convicted({9}) == Cause.of_new_keys([7, 9])


def test_the_last_answer_about_a_cause_counts() -> None:
    feedback = given_answers([(frozenset({7}), False), (frozenset({7}), True)])
    assert feedback.is_cleared(Cause.of_new_keys([7]))
    assert not feedback.is_convicted(Cause.of_new_keys([7]))
    assert len(feedback.answers) == 1


def test_an_oddity_of_one_key_is_not_that_of_another() -> None:
    feedback = Feedback()
    feedback.answer(BURST, normal=True)
    assert feedback.is_cleared(BURST)
    assert not feedback.is_cleared(Cause("unseen counts", (9,)))
    assert not feedback.is_cleared(Cause("missing key", (26,)))
    assert feedback.cleared_keys == frozenset()


def test_who_when_and_why_are_kept() -> None:
    feedback = Feedback()
    feedback.answer(BURST, normal=False, who="ana", when="2026-11-18T03:10:00", why="retry storm, ticket 12")
    assert feedback.answers == (Answer(BURST, False, (), "ana", "2026-11-18T03:10:00", "retry storm, ticket 12"),)


@given(answers, keys, st.booleans())
def test_undoing_an_answer_leaves_no_trace(
    said: list[tuple[frozenset[int], bool]], about: frozenset[int], normal: bool
) -> None:
    before = given_answers([one for one in said if one[0] != about])
    feedback = Feedback(before.answers)
    feedback.answer(Cause.of_new_keys(about), normal=normal)
    assert feedback.undo(Cause.of_new_keys(about))
    assert not feedback.undo(Cause.of_new_keys(about))
    assert (feedback.answers, feedback.cleared_keys) == (before.answers, before.cleared_keys)


@given(answers, keys)
def test_feedback_survives_a_round_trip_through_json(
    said: list[tuple[frozenset[int], bool]], present: frozenset[int]
) -> None:
    feedback = given_answers(said)
    again = Feedback.from_state(json.loads(json.dumps(feedback.state())))
    assert again.answers == feedback.answers
    assert again.convicted(present) == feedback.convicted(present)


@given(answers, keys)
def test_what_convicts_is_never_a_cleared_key(said: list[tuple[frozenset[int], bool]], present: frozenset[int]) -> None:
    feedback = given_answers(said)
    assert feedback.convicted(present & feedback.cleared_keys) is None
