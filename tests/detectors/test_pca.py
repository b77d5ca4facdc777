"""PCA against numpy's own decomposition, and what it can and cannot see."""

from __future__ import annotations

import numpy as np
import pytest

from logbert.detectors.corpus import Corpus
from logbert.detectors.pca import PCA, q_limit

REQUEST, REPLY, CACHE, ALLOCATE, FREE = 1, 2, 3, 4, 5


def balanced(count: int) -> list[list[int]]:
    """As many replies as requests, as many frees as allocations; a third of the sessions have neither of a pair."""
    draw = np.random.default_rng(0)
    pairs = draw.integers(0, 12, size=(count, 2)) * (draw.random((count, 2)) < 0.7)
    return [[REQUEST, REPLY] * asks + [ALLOCATE, FREE] * blocks + [CACHE] for asks, blocks in pairs.tolist()]


@pytest.fixture(scope="module")
def fitted() -> PCA:
    return PCA(false_alarms=0.01).fit(balanced(500))


def test_the_squared_prediction_error_is_that_of_a_dense_decomposition():
    sessions = [*balanced(300), [REQUEST] * 4, [FREE, 99], []]
    detector = PCA(folds=1).fit(sessions, held_out=sessions[:50])
    corpus = Corpus.of(sessions)
    known = np.array([[session.count(key) for key in (1, 2, 3, 4, 5, 99)] for session in sessions], dtype=np.float64)
    weighted = known * np.log(len(sessions) / np.count_nonzero(known, axis=0))
    centred = weighted - weighted.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    size = int(np.searchsorted(np.cumsum(singular**2) / np.sum(singular**2), 0.95)) + 1
    assert len(detector.components_) == size
    residual = centred - centred @ axes[:size].T @ axes[:size]
    expected = np.square(residual).sum(axis=1)
    np.testing.assert_allclose(corpus.spread(detector.raw_scores(corpus)), expected, atol=1e-9)


def test_a_broken_balance_is_anomalous_and_the_surplus_is_named(fitted):
    leak = [ALLOCATE] * 11 + [FREE] * 2 + [CACHE]
    assert fitted.predict([leak]).all()
    named = {reason.key: reason.kind for reason in fitted.explain(leak)}
    assert named[ALLOCATE] == "too many of"
    assert named[FREE] == "too few of"


def test_more_of_what_varies_together_is_not(fitted):
    assert not fitted.predict([[REQUEST, REPLY] * 40 + [CACHE]]).any()


def test_the_lack_of_a_key_that_all_sequences_have_is_not_seen(fitted):
    with_it, without = fitted.score([[REQUEST, REPLY, CACHE], [REQUEST, REPLY]])
    assert with_it == without


def test_the_q_statistic_is_near_the_quantile_of_simulated_residuals():
    eigenvalues = 1.2 ** -np.arange(12.0)
    residuals = np.random.default_rng(0).normal(size=(200_000, 12)) ** 2 @ eigenvalues
    for alpha in (0.05, 0.01, 0.001):
        assert q_limit(eigenvalues, alpha) == pytest.approx(np.quantile(residuals, 1 - alpha), rel=0.05)


def test_the_q_statistic_has_an_answer_where_the_approximation_of_its_paper_has_none():
    eigenvalues = np.array([10.0, *[0.5] * 200])  # h0 = 1 - 2 * 110 * 1025 / (3 * 150**2) < 0
    residuals = np.random.default_rng(0).chisquare(1, size=(20_000, 201)) @ eigenvalues
    assert q_limit(eigenvalues, 0.05) == pytest.approx(np.quantile(residuals, 0.95), rel=0.05)
    assert q_limit(np.zeros(3), 0.01) == 0.0
