"""LogCluster: clusters, representatives, distances."""

from __future__ import annotations

import numpy as np
import pytest

from logbert.detectors.corpus import Corpus
from logbert.detectors.logcluster import LogCluster

UPLOADS = [[1, 2, *[3] * n, 4] for n in range(1, 40)]
REPORTS = [[7, *[8, 9] * n] for n in range(1, 40)]


@pytest.fixture(scope="module")
def fitted() -> LogCluster:
    return LogCluster(false_alarms=0.01).fit(UPLOADS * 3 + REPORTS * 2)


def test_each_kind_of_run_has_its_own_representatives(fitted):
    kinds = {tuple(row[:4] > 0) for row in fitted.representatives_}
    assert kinds == {(True,) * 4, (False,) * 4}


def test_no_member_is_farther_than_the_distance_from_its_representative(fitted):
    corpus = Corpus.of(UPLOADS + REPORTS)
    assert (fitted.raw_scores(corpus) <= -np.log(1 - fitted.distance)).all()


def test_distances_are_minus_the_logarithm_of_the_cosine(fitted):
    corpus = Corpus.of([[1, 2, 3, 8]])
    vector = fitted.weights_ * np.array([1, 1, 1, 0, 0, 1, 0, 0])
    damped = np.where(fitted.representatives_ > 0, 1 + np.log(np.maximum(fitted.representatives_, 1)), 0)
    unit = damped * fitted.weights_
    cosines = unit @ vector / np.linalg.norm(unit, axis=1) / np.linalg.norm(vector)
    assert fitted.raw_scores(corpus)[0] == pytest.approx(-np.log(cosines.max()), rel=1e-12)


def test_a_run_of_two_kinds_is_anomalous_and_told_from_the_nearest(fitted):
    mixed = [1, 2, 3, 3, 4, 7, 8]
    assert fitted.predict([mixed]).all()
    assert {reason.key for reason in fitted.explain(mixed)} >= {7, 8}


def test_a_missing_step_is_named(fitted):
    assert ("missing key", 4) in [(reason.kind, reason.key) for reason in fitted.explain([1, 3, 3, 3, 8, 8])]


def test_clustering_in_turns_leaves_none_too_far(monkeypatch):
    monkeypatch.setattr("logbert.detectors.logcluster.MOST_VECTORS", 7)
    draw = np.random.default_rng(0)
    sessions = [draw.integers(0, 30, size=draw.integers(3, 9)).tolist() for _ in range(150)]
    detector = LogCluster().fit(sessions, held_out=sessions)
    assert len(detector.representatives_) > 7
    assert (detector.raw_scores(Corpus.of(sessions)) <= -np.log(1 - detector.distance) + 1e-9).all()
