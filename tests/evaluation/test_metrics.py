from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_fscore_support

from logbert.errors import InputError
from logbert.evaluation import Figures

cases = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 0.99, 1.0, 1.5, 7.0]), st.booleans()), min_size=1, max_size=60)


@given(cases)
def test_figures_agree_with_scikit_learn(rows: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in rows])
    truth = np.array([label for _, label in rows])
    figures = Figures.of(scores, truth)
    p, r, f, _ = precision_recall_fscore_support(truth, scores >= 1, average="binary", zero_division=0)
    assert (figures.precision, figures.recall) == pytest.approx((p, r))
    assert figures.f1 == pytest.approx(f)
    if truth.any():
        assert figures.pr_auc == pytest.approx(average_precision_score(truth, scores))


@given(cases)
def test_no_boundary_beats_the_oracle(rows: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in rows])
    truth = np.array([label for _, label in rows])
    oracle = Figures.of(scores, truth).oracle_f1
    by_hand = max(Figures.of(np.where(scores >= boundary, 2.0, 0.0), truth).f1 for boundary in scores)
    assert oracle == pytest.approx(by_hand)


def test_no_anomalies_give_zeroes_not_an_error() -> None:
    figures = Figures.of([0.2, 3.0], [False, False])
    assert (figures.f1, figures.pr_auc, figures.false_alarms) == (0.0, 0.0, 0.5)


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="2 verdicts but 1 labels"):
        Figures.of([0.2, 3.0], [True])
