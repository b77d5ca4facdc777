"""The one-class machine against scikit-learn's decision values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import OneClassSVM as Machine

from logbert.detectors import restore
from logbert.detectors.corpus import Corpus
from logbert.detectors.one_class_svm import OneClassSVM


def sessions(count: int) -> list[list[int]]:
    draw = np.random.default_rng(1)
    return [[1] * a + [2] * b + [3] for a, b in draw.integers(1, 9, size=(count, 2)).tolist()]


def table(rows: list[list[int]]) -> np.ndarray:
    return np.array([[row.count(1), row.count(2), row.count(3), 0] for row in rows], dtype=np.float64)


def test_decisions_are_scikit_learns_on_the_whole_table_also_after_loading():
    rows = sessions(400)
    detector = OneClassSVM(nu=0.1).fit(rows, held_out=rows)
    whole = Machine(nu=0.1, gamma="scale", tol=1e-10).fit(table(rows))
    assert detector.gamma_ == pytest.approx(1 / (4 * table(rows).var()))
    fresh = [*sessions(30), [1] * 40, [2], [3, 3]]
    corpus = Corpus.of(fresh)
    for machine in (detector, restore(detector.state())):
        found = corpus.spread(machine.decision(corpus))
        # alphas of the whole table sum to nu times its rows, ours to nu times the distinct vectors
        scale = whole.dual_coef_.sum() / machine.coefficients_.sum()
        np.testing.assert_allclose(found * scale, whole.decision_function(table(fresh)), atol=1e-4)


def test_the_raw_score_keeps_the_order_of_the_decisions_and_goes_on_where_they_are_flat():
    rows = sessions(400)
    detector = OneClassSVM(nu=0.1).fit(rows)
    far = Corpus.of([[1] * n for n in (3, 20, 60, 100, 200)])
    raw, decision = detector.raw_scores(far), detector.decision(far)
    assert (np.diff(raw) > 0).all()
    assert (np.diff(decision) <= 0).all()
    assert decision[-1] == decision[-2]


def test_about_nu_of_the_training_data_is_outside_by_the_machines_own_sign():
    rows = sessions(2000)
    detector = OneClassSVM(nu=0.1, threshold="sign").fit(rows)
    assert 0.03 <= detector.predict(rows).mean() <= 0.12


def test_sequences_as_common_as_to_lie_on_the_border_are_not_flagged_for_rounding():
    rows = [[1, 2, 3]] * 900 + [[1, 1, 2]] * 95 + [[2, 2, 3, 3]] * 5
    detector = OneClassSVM(false_alarms=0.01).fit(rows)
    assert not detector.predict([[1, 2, 3], [1, 1, 2]]).any()


def test_the_nearest_support_vector_says_what_is_different():
    detector = OneClassSVM(false_alarms=0.01).fit(sessions(400))
    reason = detector.explain([1, 1, 2, 2, *[3] * 30])[0]
    assert (reason.kind, reason.key, reason.detail) == ("too many of", 3, "30 times, 1 expected")


def test_the_fit_is_bounded_by_a_sample_of_the_distinct_vectors(monkeypatch):
    monkeypatch.setattr("logbert.detectors.one_class_svm.MOST_VECTORS", 10)
    detector = OneClassSVM(nu=0.5).fit(sessions(300))
    assert len(detector.support_) <= 10
