"""A score is the sequence's own, survives the disk, and can be explained."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT
from logbert.errors import OptionError

if TYPE_CHECKING:
    from logbert.detectors import Detector

FITTED: dict[str, LogBERT] = {}
sequences = st.lists(st.sampled_from([1, 2, 3, 4, 5, 6, 99]), max_size=40)
batches = st.lists(sequences, min_size=1, max_size=12)
names = st.sampled_from(["default", "paper"])


@pytest.fixture(scope="module", autouse=True)
def _fitted(default: LogBERT, paper: LogBERT) -> None:
    FITTED.update(default=default, paper=paper)


@given(names, batches, st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_a_score_does_not_depend_on_neighbours_or_order(name: str, batch: list[list[int]], random: object) -> None:
    detector = FITTED[name]
    together = detector.score(batch)
    assert [detector.score([sequence])[0] for sequence in batch] == together.tolist()
    order = list(range(len(batch)))
    random.shuffle(order)
    assert detector.score([batch[row] for row in order]).tolist() == together[order].tolist()


@given(names, batches)
@settings(max_examples=8, deadline=None)
def test_a_score_does_not_depend_on_threads(name: str, batch: list[list[int]]) -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = FITTED[name].score(batch).tolist()
        torch.set_num_threads(2)
        assert FITTED[name].score(batch).tolist() == alone
    finally:
        torch.set_num_threads(threads)


@given(names, batches)
@settings(max_examples=8, deadline=None)
def test_every_anomaly_has_a_reason_and_reasons_come_worst_first(name: str, batch: list[list[int]]) -> None:
    detector = FITTED[name]
    for sequence, score in zip(batch, detector.score(batch), strict=True):
        reasons = detector.explain(sequence)
        weights = [reason.weight for reason in reasons]
        assert weights == sorted(weights, reverse=True)
        assert reasons or score < 1
        for reason in reasons:
            assert reason.key == (None if reason.position == len(sequence) else sequence[reason.position])
            assert reason.kind == "unseen key" if reason.key == 99 else reason.kind != "unseen key"
        if name == "paper":
            assert sum(weights) == pytest.approx(score)  # each reason's misses, over the boundary


def test_a_large_batch_scores_as_each_sequence_alone(default: LogBERT, normal: list[list[int]]) -> None:
    rng = np.random.default_rng(0)
    many = [[int(key) for key in rng.integers(1, 7, size=rng.integers(0, 90))] for _ in range(150)] + normal
    together = default.score(many)
    alone = [default.score([sequence])[0] for sequence in many[::17]]
    assert together[::17].tolist() == alone


@pytest.mark.parametrize("name", ["default", "paper"])
def test_saved_and_loaded_it_is_the_same(name: str, normal: list[list[int]]) -> None:
    detector: Detector = FITTED[name]
    state = detector.state()
    assert "progress" not in state.params
    again = LogBERT.from_state(state)
    odd = [*normal[:40], [], [1], [99], [1, 2, 3] * 30]
    assert again.score(odd).tolist() == detector.score(odd).tolist()
    assert again.explain([1, 2, 6]) == detector.explain([1, 2, 6])
    assert again.get_params() == detector.get_params()


def test_faults_are_found_and_normal_sessions_left_alone(default: LogBERT, normal: list[list[int]]) -> None:
    assert default.predict(normal).mean() <= 0.05
    faults = [[1, 2, 3], [1, 5, 6, 2, 3], [2, 3, 5, 6], [1, 2, 3, 5, 99, 6], [6, 5, 3, 2, 1], [], [1], [99]]
    assert default.predict(faults).all()


def test_a_missing_end_is_named_with_what_should_have_followed(default: LogBERT) -> None:
    ended = [reason for reason in default.explain([1, 2, 3, 5]) if reason.kind == "missing key"]
    assert [reason.position for reason in ended] == [4]
    assert 6 in [key for key, _ in ended[0].expected[:2]]


def test_an_unseen_key_is_named_with_what_was_expected(default: LogBERT) -> None:
    worst = default.explain([1, 2, 99, 5, 6])[0]
    assert (worst.kind, worst.key, worst.position, worst.expected[0][0]) == ("unseen key", 99, 2, 3)
    assert worst.rank is None


def test_more_candidates_never_mean_more_misses(paper: LogBERT, normal: list[list[int]]) -> None:
    counts = [paper.misses(normal, candidates=g) for g in range(1, 7)]
    assert all(np.all(fewer <= more) for more, fewer in pairwise(counts))
    assert not counts[-1].any()  # every key is among the likeliest six of six
    assert np.all(counts[0] <= paper.masked(normal))
    assert paper.masked([[1, 2, 3, 5, 6]]).tolist() == [3]  # half of five keys, rounded up
    assert np.array_equal(paper.missed_shares(normal, range(1, 7)), np.stack(counts) / paper.masked(normal))


def test_g_and_r_by_hand_are_the_papers_rule(normal: list[list[int]]) -> None:
    detector = LogBERT("paper", epochs=2, hidden=16, candidates=2, misses_allowed=1).fit(normal)
    misses = detector.misses(normal)
    assert np.array_equal(detector.predict(normal), misses > 1)


def test_g_is_chosen_on_normals_when_it_is_not_given(paper: LogBERT) -> None:
    assert 1 <= paper.candidates_ <= 6


def test_without_key_prediction_the_distance_to_the_centre_decides(normal: list[list[int]]) -> None:
    detector = LogBERT("paper", mlkp=False, epochs=2, hidden=16, false_alarms=0.05).fit(normal)
    vectors = detector.represent(normal)
    distances = np.sqrt(((vectors - detector.centre_) ** 2).sum(axis=1))
    assert np.allclose(detector.raw_scores(Corpus.of(normal))[Corpus.of(normal).inverse], distances, atol=1e-3)
    far = normal[int(np.argmax(distances))]
    assert [reason.kind for reason in detector.explain(far)] == ["far from normal"] * int(detector.predict([far])[0])


def test_long_sequences_are_judged_whole_in_chunks(normal: list[list[int]]) -> None:
    detector = LogBERT(epochs=10, context=8, false_alarms=0.02).fit(normal)
    fine = [1, *[2, 3] * 3, 5, 6]
    for place in range(1, len(fine)):  # a foreign key anywhere, in whichever chunk
        reasons = detector.explain([*fine[:place], 99, *fine[place:]])
        assert (reasons[0].kind, reasons[0].position) == ("unseen key", place)


def test_logs_of_one_key_and_of_one_sequence_work() -> None:
    detector = LogBERT(epochs=3).fit([[7]] * 60)
    assert detector.predict([[7]]).tolist() == [False]
    assert np.isfinite(detector.score([[7], [], [8], [7] * 1000])).all()
    assert np.isfinite(LogBERT(epochs=2).fit([[]] * 60 + [[1, 2]] * 5).score([[], [1]])).all()


def test_an_unknown_device_is_refused_in_words(normal: list[list[int]]) -> None:
    with pytest.raises(OptionError, match="no device 'abacus'"):
        LogBERT(device="abacus").fit(normal)


def test_torch_is_not_imported_before_a_network_is_needed() -> None:
    code = (
        "import sys; from logbert.detectors.logbert import LogBERT; LogBERT('paper').config; "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.real_data
def test_on_real_hdfs_sessions_faults_outrank_held_out_normals(hdfs: Corpus) -> None:
    train, held_out = hdfs.take_rows(np.arange(0, 3_000)), hdfs.take_rows(np.arange(3_000, 4_855))
    detector = LogBERT(false_alarms=0.01, epochs=12).fit(train)
    assert detector.predict(held_out).mean() <= 0.03
    truncated = [held_out[index][:7].tolist() for index in range(100)]
    backwards = [held_out[index][::-1].tolist() for index in range(100)]
    assert detector.predict(truncated).mean() >= 0.9
    assert detector.predict(backwards).mean() >= 0.9
