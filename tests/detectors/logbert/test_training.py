"""Losses are the paper's equations; training can be stopped, taken up and repeated."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT, training
from logbert.detectors.logbert.config import DEFAULT, PAPER
from logbert.detectors.logbert.network import LogBERTNetwork
from logbert.detectors.logbert.panel import Panel, dealt_rows
from logbert.detectors.logbert.tokens import DIST, MASK, PAD, Chunks, Vocabulary
from logbert.detectors.logbert.training import Lessons, Teacher, hypersphere_loss, prediction_loss
from logbert.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logbert.progress import Step

TINY = replace(PAPER, input=6, hidden=8, feed_forward=8, layers=1, heads=2, dropout=0.0, alpha=0.3, rows=1)
ONES = torch.ones(2)


def teacher(config: object = TINY) -> Teacher:
    torch.manual_seed(0)
    return Teacher(LogBERTNetwork(config, keys=3), config, seed=0, device=torch.device("cpu"))


def test_equation_5_sums_over_masked_keys_and_averages_over_sequences() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]))
    truth, owners = torch.tensor([0, 1, 0]), torch.tensor([0, 0, 1])
    by_hand = -(np.log(0.5) + np.log(0.8) + np.log(0.2)) / 2
    assert float(prediction_loss(logits, truth, owners, ONES)) == pytest.approx(by_hand)


def test_equation_6_is_the_mean_squared_distance_to_the_centre() -> None:
    vectors, centre = torch.tensor([[1.0, 2.0], [4.0, 6.0]]), torch.tensor([1.0, 2.0])
    assert float(hypersphere_loss(vectors, centre, ONES)) == pytest.approx((0 + 25) / 2)


def test_equation_7_adds_the_two_with_alpha_over_masked_positions_only() -> None:
    taught = teacher()
    taught.network.eval()
    tokens = np.array([[DIST, 5, 6, 7], [DIST, 6, 5, PAD]])
    hidden = np.array([[False, True, False, True], [False, False, True, False]])
    centre = torch.full((8,), 0.1)
    loss = taught.loss(tokens, hidden, np.zeros(2, dtype=np.int64), ONES, centre)
    seen = torch.tensor([[DIST, MASK, 6, MASK], [DIST, 6, MASK, PAD]])
    with torch.no_grad():
        h = taught.network(seen)
        log_p = taught.network.logits(h).log_softmax(-1)
    surprise = -(log_p[0, 1, 0] + log_p[0, 3, 2] + log_p[1, 2, 0])  # classes are keys: token 5 is class 0
    spread = ((h[:, 0] - centre) ** 2).sum()
    assert float(loss.detach()) == pytest.approx(float(surprise + 0.3 * spread) / 2, rel=1e-5)
    loss.backward()
    assert taught.network.output.bias.grad is not None


def test_each_task_can_be_left_out() -> None:
    tokens, hidden = np.array([[DIST, 5, 6]]), np.array([[False, True, False]])
    arguments = (tokens, hidden, np.zeros(1, dtype=np.int64), torch.ones(1), torch.zeros(8))
    both = float(teacher().loss(*arguments).detach())
    mlkp = float(teacher(replace(TINY, vhm=False)).loss(*arguments).detach())
    vhm = float(teacher(replace(TINY, mlkp=False)).loss(*arguments).detach())
    assert both == pytest.approx(mlkp + vhm, rel=1e-5)
    assert mlkp > 0
    assert vhm > 0


def test_the_centre_is_the_mean_over_all_training_rows() -> None:
    corpus = Corpus.of([[1, 2]] * 5 + [[2, 3, 1]])
    taught = teacher()
    chunks = Chunks.of(corpus, Vocabulary(np.array([1, 2, 3], dtype=np.int32)), context=10, end=False)
    vectors = taught.reader.represent(chunks)
    centre = taught.centre(Lessons.of(chunks, corpus.counts, TINY)).numpy()
    assert np.allclose(centre, (5 * vectors[0] + vectors[1]) / 6, atol=1e-6)


def test_a_sequence_weighs_as_often_as_it_occurs_however_often_it_is_shown() -> None:
    corpus = Corpus.of([[1, 2]] * 9 + [[2, 3, 1]])
    chunks = Chunks.of(corpus, Vocabulary(np.array([1, 2, 3], dtype=np.int32)), context=10, end=False)
    lessons = Lessons.of(chunks, corpus.counts, replace(TINY, emphasis=1.0, repeats=0.5))
    assert lessons.repeats.tolist() == [3, 1]
    total = lessons.weights * lessons.repeats
    assert total[0] / total[1] == pytest.approx(9)


def test_a_log_of_few_distinct_sequences_has_them_shown_more_often_for_the_same_weight() -> None:
    corpus = Corpus.of([[1, 2]] * 9 + [[2, 3, 1]])
    chunks = Chunks.of(corpus, Vocabulary(np.array([1, 2, 3], dtype=np.int32)), context=10, end=False)
    lessons = Lessons.of(chunks, corpus.counts, replace(TINY, emphasis=1.0, repeats=0.5, rows=100))
    assert lessons.repeats.sum() >= 100
    total = lessons.weights * lessons.repeats
    assert total[0] / total[1] == pytest.approx(9)


class Interrupting(Silent):
    """Presses Ctrl-C after some epochs."""

    def __init__(self, after: int) -> None:
        self.left = after

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        outer = self

        class Bar:
            def advance(self, amount: float = 1, **facts: float | str) -> None:
                outer.left -= 1
                if outer.left <= 0:
                    raise KeyboardInterrupt

        yield Bar()


def test_an_interrupted_fit_is_fitted_and_goes_on_to_what_an_uninterrupted_one_learns(normal: list[list[int]]) -> None:
    whole = LogBERT(epochs=6, hidden=16, networks=1).fit(normal)
    cut = LogBERT(epochs=6, hidden=16, networks=1, progress=Interrupting(3)).fit(normal)
    assert cut.interrupted_
    assert cut.courses_[0].epoch == 3
    assert np.isfinite(cut.score(normal)).all()
    again = LogBERT.from_state(cut.state()).fit_more(normal)
    assert not again.interrupted_
    assert again.courses_[0].held_out_losses == whole.courses_[0].held_out_losses
    assert again.score(normal[:50]).tolist() == whole.score(normal[:50]).tolist()


def test_interrupted_before_the_first_epoch_it_still_scores_saves_and_goes_on(normal: list[list[int]]) -> None:
    def interrupt(*_: object) -> float:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Teacher, "_epoch", interrupt)
        cut = LogBERT(epochs=2, hidden=16).fit(normal)
    again = LogBERT.from_state(cut.state())
    assert again.score(normal[:5]).tolist() == cut.score(normal[:5]).tolist()
    assert again.fit_more(normal).courses_[0].epoch == 2


def test_another_round_follows_a_whole_fit_and_new_keys_join(normal: list[list[int]]) -> None:
    detector = LogBERT(epochs=4, hidden=16).fit(normal)
    known = detector.vocabulary_.keys.tolist()
    changed = [[*session[:-1], 77, 6] for session in normal]
    detector = LogBERT.from_state(detector.state()).fit_more(changed)
    assert detector.vocabulary_.keys.tolist() == [*known, 77]
    assert detector.courses_[0].rounds == 1
    assert len(detector.courses_[0].losses) == 8


def test_where_sequences_are_many_and_long_fewer_epochs_show_a_part_of_them() -> None:
    corpus = Corpus.of([[n, *[1] * 99] for n in range(2, 602)])
    chunks = Chunks.of(corpus, Vocabulary(np.unique(corpus.keys)), context=512, end=True)
    tokens = int(chunks.lengths.sum())
    plenty, some, few = (
        Lessons.of(chunks, corpus.counts, replace(TINY, epochs=40, rows=1, tokens=times * tokens // 2))
        for times in (1000, 20, 4)
    )
    assert [(each.epochs, each.share) for each in (plenty, some)] == [(40, 1.0), (10, 1.0)]
    assert (few.epochs, few.share) == (4, 0.5)
    shown = np.concatenate(list(few.batches(64, np.random.default_rng(0))))
    assert len(shown) == len(np.unique(shown)) == 300


def test_several_networks_each_learn_without_one_part_and_judge_it(normal: list[list[int]]) -> None:
    detector = LogBERT(epochs=3, hidden=16, networks=3).fit(normal)
    assert len(detector.courses_) == len(detector.panel_.readers) == 3
    assert len(detector.calibration_.held_out) == len(normal)  # every sequence helps to find the boundary
    apart = dealt_rows(Corpus.of(normal), 3, seed=0)
    first = Corpus.of([normal[row] for row in apart[0]])
    alone = LogBERT.from_state(detector.state())
    alone.panel_ = Panel(detector.panel_.readers[:1])
    own = np.sort(alone.raw_scores(first)[first.inverse])
    assert np.isin(own, detector.calibration_.held_out).all()


def test_one_network_is_enough_where_a_quarter_of_the_sequences_shows_the_rate(normal: list[list[int]]) -> None:
    assert len(LogBERT(epochs=1, hidden=16, false_alarms=0.2).fit(normal).courses_) == 1


@pytest.mark.parametrize(("epochs", "judging"), [(2, 1), (3, 1), (5, 2)])
def test_interrupted_while_several_learn_those_judge_that_had_time_and_all_go_on(
    normal: list[list[int]], epochs: int, judging: int
) -> None:
    whole = LogBERT(epochs=3, hidden=16, networks=2).fit(normal)
    cut = LogBERT(epochs=3, hidden=16, networks=2, progress=Interrupting(epochs)).fit(normal)
    assert cut.interrupted_
    assert len(cut.panel_.readers) == judging
    assert len(cut.calibration_.held_out) == len(normal) * judging // 2
    again = LogBERT.from_state(cut.state()).fit_more(normal)
    assert not again.interrupted_
    assert again.score(normal[:50]).tolist() == whole.score(normal[:50]).tolist()


def test_the_same_seed_learns_the_same_and_leaves_the_users_random_numbers_alone(normal: list[list[int]]) -> None:
    torch.manual_seed(123)
    before = torch.random.get_rng_state()
    first = LogBERT("paper", epochs=2, hidden=16, input=8).fit(normal)
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(5)
    second = LogBERT("paper", epochs=2, hidden=16, input=8).fit(normal)
    other = LogBERT("paper", epochs=2, hidden=16, input=8, seed=1).fit(normal)
    assert second.courses_[0].losses == first.courses_[0].losses
    assert other.courses_[0].losses != first.courses_[0].losses


def test_training_stops_when_held_out_normals_gain_nothing_more(normal: list[list[int]]) -> None:
    detector = LogBERT(epochs=50, patience=1, learning_rate=0.05, hidden=16).fit(normal)
    assert detector.courses_[0].finished
    assert detector.courses_[0].epoch < 50
    assert detector.courses_[0].best_loss == min(detector.courses_[0].held_out_losses)


@pytest.mark.parametrize("vhm", [False, True])
def test_a_batch_in_parts_has_the_gradient_of_the_whole(
    normal: list[list[int]], vhm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(DEFAULT, input=8, hidden=8, feed_forward=8, vhm=vhm, batch=32)
    corpus = Corpus.of(normal)
    chunks = Chunks.of(corpus, Vocabulary(np.unique(corpus.keys)), context=100, end=True)
    lessons = Lessons.of(chunks, corpus.counts, config)
    learnt = []
    for parts in (1, 2, 5):
        monkeypatch.setattr(training, "PARTS", parts)
        torch.manual_seed(0)
        taught = Teacher(LogBERTNetwork(config, keys=8), config, seed=0, device=torch.device("cpu"))
        rows = next(lessons.batches(32, np.random.default_rng(0)))
        pieces = list(taught._parts(lessons, rows, np.random.default_rng(1)))
        assert len(pieces) == parts
        whole = torch.zeros_like(taught.optimiser.weights)
        for part in pieces:
            whole += taught._gradient(part, torch.zeros(8) if vhm else None)[1] * (len(part.tokens) / 32)
        learnt.append(whole)
    assert torch.allclose(learnt[0], learnt[1], atol=1e-5)
    assert torch.allclose(learnt[0], learnt[2], atol=1e-5)


def test_what_is_learnt_does_not_depend_on_the_number_of_threads(normal: list[list[int]]) -> None:
    before = torch.get_num_threads()
    learnt = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            learnt.append(LogBERT(epochs=3).fit(normal).score(normal).tolist())
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert learnt[0] == learnt[1] == learnt[2]
