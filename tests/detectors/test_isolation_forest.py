"""The isolation forest against scikit-learn's scoring of the same trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as Forest

from logbert.detectors import restore
from logbert.detectors.corpus import Corpus
from logbert.detectors.isolation_forest import IsolationForest, Trees, expected_path


def counts(rows: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).poisson([0.2, 1, 3, 20, 0], size=(rows, 5)).astype(np.float64)


@pytest.mark.parametrize("rows", [1, 2, 3, 300])
def test_scores_are_scikit_learns_to_the_last_bits(rows):
    train, fresh = counts(rows, seed=1), counts(500, seed=2)
    forest = Forest(n_estimators=50, max_samples=min(256, rows), random_state=3).fit(train.astype(np.float32))
    expected = -forest.score_samples(fresh.astype(np.float32))
    np.testing.assert_allclose(Trees.of(forest).score(fresh), expected, rtol=1e-13)


def test_one_sequence_is_as_far_as_scikit_learn_says_also_after_loading():
    sessions = [[1, 2] * n + [3] for n in np.random.default_rng(0).integers(1, 9, size=200).tolist()]
    detector = IsolationForest(trees=30, seed=5).fit(sessions, held_out=sessions)
    table = np.array([[s.count(1), s.count(2), s.count(3), 0] for s in sessions], dtype=np.float32)
    forest = Forest(n_estimators=30, max_samples=200, random_state=5).fit(table)
    corpus = Corpus.of(sessions)
    again = restore(detector.state())
    np.testing.assert_allclose(corpus.spread(again.raw_scores(corpus)), -forest.score_samples(table), rtol=1e-13)


def test_expected_paths_are_those_of_the_paper():
    np.testing.assert_allclose(expected_path(np.array([1, 2, 3])), [0, 1, 2 * (np.log(2) + np.euler_gamma) - 4 / 3])


def test_an_odd_count_is_named_with_its_usual_value():
    sessions = [[7, 8, 8] + [9] * n for n in np.random.default_rng(0).integers(1, 5, size=300).tolist()]
    detector = IsolationForest(false_alarms=0.01).fit([*sessions, [7, 8, 8], [7] * 9 + [8, 8, 9]])
    reason = detector.explain([7] * 9 + [8, 8, 9, 9])[0]
    assert (reason.kind, reason.key, reason.detail) == ("too many of", 7, "9 times, 1 expected")


def test_memory_is_bounded_by_a_sample_of_the_rows(monkeypatch):
    monkeypatch.setattr("logbert.detectors.isolation_forest.MOST_ROWS", 50)
    detector = IsolationForest(trees=5, sample=64).fit([[1] * (n % 7 + 1) for n in range(400)])
    assert detector.forest_.sample == 50
