from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logbert.detectors.measured.rarely import Rarely


@given(st.lists(st.one_of(st.just(0.0), st.floats(0, 50)), max_size=80), st.floats(0, 500), st.floats(0, 500))
def test_p_values_never_rise_with_the_score(raw: list[float], some: float, other: float) -> None:
    low, high = Rarely.of(np.array(raw, dtype=np.float64)).p_values(np.array(sorted((some, other))))
    assert 0 <= high <= low <= 1


def test_where_no_normal_row_has_any_the_number_of_rows_counts() -> None:
    few, many = (Rarely.of(np.zeros(size)).p_values(np.array([5.0]))[0] for size in (10, 10_000))
    assert few > 100 * many


def test_a_heavy_tail_among_normal_rows_makes_far_ones_likelier() -> None:
    rng = np.random.default_rng(0)
    light = Rarely.of(np.concatenate([np.zeros(5000), rng.exponential(1, 400)]))
    heavy = Rarely.of(np.concatenate([np.zeros(5000), rng.pareto(1, 400)]))
    assert heavy.p_values(np.array([40.0]))[0] > 1000 * light.p_values(np.array([40.0]))[0]
