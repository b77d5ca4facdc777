"""LogAnomaly: what templates say, and how often they came."""

from __future__ import annotations

import numpy as np
import pytest

from logbert.detectors import restore
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.loganomaly import LogAnomaly
from logbert.detectors.next_key.meaning import Meaning, words

TEXTS = {
    1: "Receiving block <*> src: <*> dest: <*>",
    2: "Received block <*> of size <*> from <*>",
    3: "PacketResponder <*> for block <*> terminating",
    4: "Verification succeeded for <*>",
}
REWORDED, FAILURE, UNTOLD = 50, 51, 52
LATER = {REWORDED: "PacketResponders <*> for block <*> terminating", FAILURE: "Disk <*> is full, giving up"}


def sessions(count: int) -> list[list[int]]:
    draw = np.random.default_rng(0)
    return [[1, *([2, 3] * draw.integers(1, 4)), 4] for _ in range(count)]


@pytest.fixture(scope="module")
def fitted() -> LogAnomaly:
    return LogAnomaly(hidden=16, steps=150, false_alarms=0.01).read(KeyTexts(TEXTS)).fit(sessions(200))


def test_a_reworded_template_takes_the_place_of_the_known_one(fitted):
    before = fitted.score([[1, 2, REWORDED, 4]])
    fitted.read(KeyTexts(TEXTS | LATER))
    assert before >= 1
    assert fitted.score([[1, 2, REWORDED, 4]]) == fitted.score([[1, 2, 3, 4]])
    assert fitted.score([[1, 2, 3, 4]]) < 1


def test_a_reworded_template_in_the_wrong_place_is_still_anomalous(fitted):
    fitted.read(KeyTexts(TEXTS | LATER))
    assert fitted.predict([[REWORDED, 2, 1, 4]]).all()


def test_a_template_like_no_other_and_one_without_text_are_unseen(fitted):
    fitted.read(KeyTexts(TEXTS | LATER))
    for key in (FAILURE, UNTOLD):
        assert fitted.predict([[1, 2, 3, key, 4]]).all()
        assert fitted.explain([1, 2, 3, key, 4])[0].kind == "unseen key"


def test_what_was_read_is_saved(fitted):
    again = restore(fitted.read(KeyTexts(TEXTS | LATER)).state())
    assert again.score([[1, 2, REWORDED, 4], [1, 2, FAILURE, 4]]).tolist() == (
        fitted.score([[1, 2, REWORDED, 4], [1, 2, FAILURE, 4]]).tolist()
    )


def test_without_texts_meanings_are_learnt():
    detector = LogAnomaly(hidden=16, steps=150, false_alarms=0.01).fit(sessions(200))
    assert detector.meaning_ is None
    assert detector.predict([[1, 2, 3, 4], [1, 3, 2, 4]]).tolist() == [False, True]
    assert detector.read(KeyTexts(TEXTS | LATER)).predict([[1, 2, REWORDED, 4]]).all()


def test_keys_without_text_among_keys_with_text_are_told_apart():
    detector = LogAnomaly(hidden=16, steps=150, false_alarms=0.01).read(KeyTexts({1: TEXTS[1]})).fit(sessions(200))
    assert detector.predict([[1, 2, 3, 4], [1, 3, 2, 4]]).tolist() == [False, True]


def test_words_are_found_in_code_and_prose():
    assert words("dfs.DataNode$DataXceiver: IOException <*> 0x1F") == [
        "dfs",
        "data",
        "node",
        "data",
        "xceiver",
        "io",
        "exception",
        "x",
        "f",
    ]


def test_a_common_stem_is_near_and_a_rare_word_decides():
    meaning = Meaning.of(TEXTS.values())
    vector = meaning.vector
    assert vector("terminating") @ vector("terminated") > 0.5
    assert abs(vector("terminating") @ vector("verification")) < 0.4
    assert vector("Receiving block <*>") @ vector(TEXTS[1]) > vector("Receiving block <*>") @ vector(TEXTS[3])
    assert not vector("<*> 17 <*>").any()
