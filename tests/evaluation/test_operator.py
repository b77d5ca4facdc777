"""An operator over time: asked once about each incident, answering with the truth, and what that is worth."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors.feedback import Feedback
from logbert.detectors.fusion import Fusion
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.novelty import Novelty
from logbert.detectors.watch import Watch
from logbert.evaluation import operate, over_time
from logbert.evaluation.operator import WatchOver, answer

TEXTS = KeyTexts({1: "Receiving <*>", 2: "Received <*>", 6: "Moving <*>", 7: "Disk <*> failed", 8: "Replica <*> lost"})
NORMAL = [[1, 2], [1, 1, 2, 2], [1, 1, 1, 2, 2, 2]] * 40
FUSION = Fusion(members=("novelty",)).read(TEXTS).fit(NORMAL)
FAILED, LOST = 7, 8
streams = st.lists(
    st.tuples(st.lists(st.sampled_from([1, 2, 6, FAILED, LOST]), max_size=4), st.booleans()), min_size=1, max_size=60
)


def column(stream: list[list[int]]) -> pl.Series:
    return pl.Series("keys", stream, dtype=pl.List(pl.Int32))


def test_a_harmless_new_message_costs_one_answer_and_no_more_alarms() -> None:
    stream = [[1, 2], [1, LOST, 2], *[[1, 2, LOST]] * 20]
    truth = np.zeros(len(stream), dtype=np.bool_)
    operated = operate(over_time(FUSION, column(stream)), truth)
    assert operated.answers == 1
    assert round(operated.figures.false_alarms * len(stream)) == 1


def test_a_fault_costs_one_answer_and_is_reported_always() -> None:
    stream = [[1, 2]] * 5 + [[1, FAILED, 2]] * 30
    truth = np.array([False] * 5 + [True] * 30)
    operated = operate(over_time(FUSION, column(stream)), truth)
    assert (operated.answers, operated.figures.recall, operated.figures.precision) == (1, 1.0, 1.0)


def test_what_is_answered_says_nothing_of_another_message() -> None:
    stream = [[1, LOST, 2], [1, LOST, 2], [1, FAILED, 2], [1, FAILED, 2]]
    truth = np.array([False, False, True, True])
    operated = operate(over_time(FUSION, column(stream)), truth)
    assert operated.answers == 2
    assert operated.figures.recall == 1.0


def test_moments_cover_all_sequences_in_order_and_end_at_the_whole() -> None:
    truth = np.array([False, True] * 25)
    operated = operate(over_time(FUSION, column([[1, 2], [1, FAILED]] * 25)), truth)
    assert [moment.begin for moment in operated.moments[1:]] == [moment.end for moment in operated.moments[:-1]]
    assert operated.moments[-1].end == 50
    assert operated.moments[-1].answers == operated.answers
    assert operated.moments[-1].so_far == operated.figures


def test_a_single_detector_has_an_operator_too() -> None:
    stream = [[1, 2], [1, 2, 9], [1, 2, 9], [1, 2, 9]]
    detector = Novelty().fit(NORMAL)
    assert operate(over_time(detector, column(stream)), np.zeros(4, dtype=np.bool_)).answers == 1
    assert operate(over_time(detector, column(stream)), np.array([False, True, True, True])).figures.recall == 1.0


@given(streams, st.integers(1, 7))
@settings(max_examples=40)
def test_judging_many_at_a_time_gives_what_judging_batch_after_batch_gives(
    stream: list[tuple[list[int], bool]], batch: int
) -> None:
    keys, truth = column([one for one, _ in stream]), np.array([label for _, label in stream])
    naive = WatchOver(Watch(FUSION, Feedback()), keys)
    scores, asked = [], 0
    for begin in range(0, len(truth), batch):
        end = min(begin + batch, len(truth))
        raised = naive.judge(begin, end)
        asked += len(answer(naive.feedback, raised, truth[begin:end]))
        scores.extend(raised.scores.tolist())
    other = WatchOver(Watch(FUSION), keys)
    operated = operate(other, truth, batch=batch)
    assert operated.answers == asked
    assert [answered.cause for answered in other.feedback.answers] == [
        answered.cause for answered in naive.feedback.answers
    ]
    assert operated.figures.false_alarms == np.mean(np.array(scores)[~truth] >= 1) if (~truth).any() else True
