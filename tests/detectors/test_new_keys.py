"""New keys are judged by their texts; where new keys are an everyday matter, one that says nothing is no alarm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.new_keys import NewKeys
from logbert.errors import InputError

TEXTS = KeyTexts(
    {
        1: "Receiving block <*> src: <*> dest: <*>",
        2: "PacketResponder <*> for block <*> terminating",
        3: "Verification succeeded for <*>",
        4: "writeBlock <*> received exception <*>",
        5: "Unexpected error trying to delete block <*>, panic",
        6: "Moving block <*> to <*>",
        7: "Link error on port <*>",
        8: "Link error on port <*> lane <*>",
    },
    levels={6: "INFO"},
)
NORMAL = [[1, 2], [1, 1, 2], [1, 2, 2]] * 30


@pytest.fixture(scope="module")
def new_keys() -> NewKeys:
    return NewKeys().read(TEXTS).fit(NORMAL)


def test_known_keys_and_routine_texts_are_no_anomaly(new_keys: NewKeys) -> None:
    assert new_keys.score([[1, 2], [], [1, 3, 2], [3]]).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_the_worse_a_new_text_the_higher_the_score(new_keys: NewKeys) -> None:
    silent, failing, worse, both = new_keys.score([[1, 99], [1, 4], [1, 5], [1, 4, 5]])
    assert 1.0 <= silent < failing < worse < both


def test_tones_are_those_of_text_and_level(new_keys: NewKeys) -> None:
    assert {key: new_keys.judge(key).tone for key in (3, 4, 5, 6, 99)} == {
        3: "routine",
        4: "failure",
        5: "failure",
        6: "routine",
        99: "silent",
    }


def test_texts_known_from_training_are_routine_whatever_they_say() -> None:
    assert NewKeys().read(TEXTS).fit(NORMAL).judge(8).tone == "failure"
    used_to_it = NewKeys().read(TEXTS).fit([[1, 2, 7]] * 60)
    assert used_to_it.predict([[1, 7]]).tolist() == [False]
    assert used_to_it.judge(8).tone == "neutral"


def test_texts_may_come_after_training(new_keys: NewKeys) -> None:
    later = NewKeys().fit(NORMAL)
    assert later.judge(5).tone == "silent"
    assert later.read(TEXTS).judge(5) == new_keys.judge(5)


def test_reasons_name_new_keys_where_they_first_stand_and_quote_the_words(new_keys: NewKeys) -> None:
    reasons = new_keys.explain([1, 99, 5, 1, 5])
    assert [(reason.kind, reason.key, reason.position) for reason in reasons] == [
        ("unseen key", 5, 2),
        ("unseen key", 99, 1),
    ]
    assert "panic" in reasons[0].detail
    assert "not known" in reasons[1].detail
    assert new_keys.explain([1, 2]) == []


def test_where_new_keys_are_common_a_silent_one_is_no_alarm() -> None:
    every_tenth_has_its_own = [[1, 2, 1000 + row] if row % 10 == 0 else [1, 2] for row in range(2000)]
    used_to_it = NewKeys(false_alarms=0.01).read(TEXTS).fit(every_tenth_has_its_own)
    assert used_to_it.predict([[1, 2, 99], [1, 2, 5]]).tolist() == [False, True]


def test_it_says_so_when_not_fitted() -> None:
    with pytest.raises(InputError, match="fit"):
        NewKeys().explain([1])


@given(st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 5, 6, 99]), max_size=6), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_scores_depend_on_the_sequence_alone_and_survive_a_round_trip(batch: list[list[int]]) -> None:
    again = NewKeys.from_state(FITTED.state())
    together = FITTED.score(batch)
    assert [FITTED.score([sequence])[0] for sequence in batch] == together.tolist()
    assert again.score(batch).tolist() == together.tolist()
    assert np.all(FITTED.raw_scores(Corpus.of(batch)) >= 0)


FITTED = NewKeys().read(TEXTS).fit(NORMAL)
