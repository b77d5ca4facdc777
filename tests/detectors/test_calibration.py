"""The boundary keeps the rate that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Calibration
from logbert.detectors.calibration import Tail

DRAWS = {
    "exponential": lambda rng, size: rng.exponential(size=size),
    "heavy": lambda rng, size: rng.pareto(2.0, size=size),
    "log-normal": lambda rng, size: rng.lognormal(size=size),
    "counts": lambda rng, size: rng.poisson(0.5, size=size).astype(np.float64),
}


def realised(draw: str, size: int, rate: float, repeats: int = 200) -> float:
    """Give the mean share of fresh normal scores that reach the boundary, over many held-out sets."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(repeats):
        calibration = Calibration.of(DRAWS[draw](rng, size), false_alarms=rate)
        shares.append(np.mean(calibration.score(DRAWS[draw](rng, 5_000)) >= 1.0))
    return float(np.mean(shares))


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize(("size", "rate"), [(1_000, 0.01), (1_999, 0.001), (485, 0.01)])
def test_within_reach_of_the_held_out_scores_the_rate_is_never_exceeded_on_average(
    draw: str, size: int, rate: float
) -> None:
    assert realised(draw, size, rate) <= rate * 1.15  # 15 % for the finite number of repeats


@pytest.mark.parametrize("draw", ["exponential", "heavy", "log-normal"])
def test_within_reach_of_continuous_scores_the_rate_is_kept_within_a_factor_of_two(draw: str) -> None:
    assert realised(draw, 1_999, 0.001) >= 0.0005


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("size", [485, 900])
def test_past_the_held_out_scores_the_rate_is_exceeded_at_most_twofold_on_average(draw: str, size: int) -> None:
    assert realised(draw, size, 0.001) <= 0.002


@pytest.mark.parametrize("draw", ["exponential", "heavy", "log-normal"])
def test_past_the_held_out_scores_the_boundary_is_not_out_of_reach(draw: str) -> None:
    assert realised(draw, 485, 0.001) >= 0.0003


scores = st.lists(st.floats(0, 1e6), min_size=1, max_size=200).map(lambda values: np.array(values, dtype=np.float64))


@given(scores, st.sampled_from([0.0001, 0.001, 0.01, 0.2]))
@settings(max_examples=200, deadline=None)
def test_no_more_held_out_scores_reach_the_boundary_than_the_rate_allows(held_out: np.ndarray, rate: float) -> None:
    calibration = Calibration.of(held_out, false_alarms=rate)
    assert np.sum(calibration.score(held_out) >= 1.0) <= int((len(held_out) + 1) * rate)
    assert np.isfinite(calibration.threshold)


@given(scores, st.lists(st.floats(0, 1e7), min_size=2, max_size=20))
@settings(max_examples=200, deadline=None)
def test_an_odder_score_never_has_a_larger_p_value(held_out: np.ndarray, raw: list[float]) -> None:
    p_values = Calibration.of(held_out, false_alarms=0.01).p_values(np.sort(np.array(raw)))
    assert np.all(np.diff(p_values) <= 0)
    assert np.all((p_values >= 0) & (p_values <= 1))


def test_a_boundary_set_by_hand_is_taken_and_kept() -> None:
    calibration = Calibration.of(np.arange(10.0), false_alarms=0.1, unit=1.0, fixed=4.0)
    assert calibration.score(np.array([3.0, 4.0])).tolist() == [0.75, 1.0]
    again = Calibration.of(calibration.held_out, **calibration.state())
    assert again.threshold == 4.0


def test_nothing_below_one_unit_is_anomalous() -> None:
    assert Calibration.of(np.zeros(500), false_alarms=0.01, unit=1.0).threshold == 1.0


def test_the_shape_of_a_tail_is_recovered() -> None:
    rng = np.random.default_rng(1)
    heavy = Tail.of(np.sort(rng.pareto(2.0, size=50_000)), unit=1e-9)
    light = Tail.of(np.sort(rng.exponential(size=50_000)), unit=1e-9)
    assert heavy.shape == pytest.approx(0.5, abs=0.1)
    assert light.shape == pytest.approx(0.0, abs=0.05)
    assert light.quantile(0.0001) == pytest.approx(np.log(10_000), rel=0.1)
    assert heavy.quantile(0.0001) == pytest.approx(99.0, rel=0.25)  # of 1 - (1 + x)^-2
