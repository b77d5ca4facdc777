"""Masks cover every position evenly and depend on nothing but size and seed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logbert.detectors.logbert.config import DEFAULT, PAPER
from logbert.detectors.logbert.masking import masked_count, patterns
from logbert.detectors.logbert.tokens import DIST, PAD
from logbert.detectors.logbert.training import training_masks

sizes = st.integers(1, 60)


@given(sizes, st.integers(1, 12), st.floats(0.05, 1.0), st.integers(0, 5))
def test_every_mask_hides_its_share_and_every_position_equally_often(
    size: int, masks: int, ratio: float, seed: int
) -> None:
    hidden = patterns(size, masks=masks, ratio=ratio, seed=seed)
    assert hidden.sum(axis=1).tolist() == [masked_count(size, ratio)] * masks
    assert np.ptp(hidden.sum(axis=0)) <= 1


@given(sizes.filter(lambda size: size % 2 == 0))
def test_at_one_half_masks_come_in_complementary_pairs(size: int) -> None:
    hidden = patterns(size, masks=8, ratio=0.5, seed=0)
    assert np.array_equal(hidden[0::2], ~hidden[1::2])


def test_masks_are_the_same_in_another_process_and_differ_by_seed() -> None:
    call = "patterns(9, masks=3, ratio=0.5, seed={}).astype(int).tolist()"
    code = f"from logbert.detectors.logbert.masking import patterns; print({call.format(7)})"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert other.strip() == str(patterns(9, masks=3, ratio=0.5, seed=7).astype(int).tolist())
    assert other.strip() != str(patterns(9, masks=3, ratio=0.5, seed=8).astype(int).tolist())


def test_an_empty_sequence_has_nothing_to_hide() -> None:
    assert patterns(0, masks=2, ratio=0.5, seed=0).shape == (2, 0)


def test_training_hides_a_drawn_share_of_each_sequence_and_never_dist_or_padding() -> None:
    tokens = np.full((500, 22), 9, dtype=np.int64)
    tokens[:, 0] = DIST
    tokens[:, 21:] = PAD
    hidden = training_masks(tokens, DEFAULT, np.random.default_rng(0))
    assert not hidden[:, 0].any()
    assert not hidden[:, 21].any()
    shares = hidden.sum(axis=1) / 20
    assert shares.min() >= 0.3
    assert shares.max() <= 0.9
    assert len(np.unique(shares)) > 8
    assert set(training_masks(tokens, PAPER, np.random.default_rng(0)).sum(axis=1)) == {10}
