from __future__ import annotations

from pathlib import Path

import pytest

from logbert import Pipeline
from logbert.errors import ModelError, OptionError
from logbert.pipeline import Answer, Answers
from logbert.pipeline.incidents import Trouble
from tests.shop import ODD, shop_log

REFUSED = Trouble("unseen key", "[worker-1] billing: gateway refused the charge for order <*>")


def test_an_answer_finds_its_keys_by_their_words_in_any_log() -> None:
    answers = Answers([Answer(REFUSED, normal=True)])
    names = {4: "shipped <*>", 9: "[worker-<*>] billing: gateway refused the charge for order <*>"}
    assert answers.feedback(names).cleared_keys == {9}
    assert answers.feedback({4: "shipped <*>"}).cleared_keys == frozenset()


def test_the_last_answer_counts_and_can_be_taken_back() -> None:
    answers = Answers()
    answers.give(Answer(REFUSED, normal=True))
    answers.give(Answer(REFUSED, normal=False, who="ana", why="ticket 12"))
    assert [(one.verdict, one.who, one.why) for one in answers] == [("anomaly", "ana", "ticket 12")]
    assert answers.undo(REFUSED.id).verdict == "anomaly"
    assert len(answers) == 0
    with pytest.raises(OptionError, match="nobody has answered"):
        answers.undo(REFUSED.id)


def test_answers_survive_being_written() -> None:
    answers = Answers([Answer(REFUSED, normal=False, who="ana", when="2024-03-05T08:00:00", why="ticket 12")])
    assert Answers.from_state(answers.state()).state() == answers.state()
    with pytest.raises(ModelError, match="damaged"):
        Answers.from_state([{"trouble": 7}])


def test_what_was_called_normal_is_silent_and_only_that(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(shop_log(600))
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    pipeline = Pipeline(detector="novelty").fit(tmp_path / "good.log")
    before = pipeline.examine(tmp_path / "bad.log")
    refused = next(trouble for trouble in before.troubles.values() if "refused" in (trouble.template or ""))
    pipeline.answers_.give(Answer(refused, normal=True))
    pipeline.save(tmp_path / "model")
    after = Pipeline.load(tmp_path / "model").examine(tmp_path / "bad.log")
    assert set(before.troubles) - set(after.troubles) == {refused.id}
    assert after.verdicts["anomaly"].sum() == before.verdicts["anomaly"].sum() - 1
