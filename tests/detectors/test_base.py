"""What all detectors promise, whatever they compute."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus, Detector, LittleDataWarning
from logbert.detectors.base import split_held_out
from logbert.detectors.novelty import Novelty
from logbert.errors import InputError, OptionError

NORMAL = [[5, 22, 11, 9, 26], [5, 5, 22, 11, 9, 26, 26], [22, 5, 11, 9, 26, 23, 21]] * 30

fitted = [Novelty().fit(NORMAL), Novelty(parts=("count vector",), false_alarms=0.05).fit(NORMAL)]
detectors = st.sampled_from(fitted)
sequences = st.lists(st.sampled_from([5, 22, 11, 9, 26, 23, 21, 7, 1_000_000]), max_size=12)
batches = st.lists(sequences, min_size=1, max_size=8)


@given(detectors, batches, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_score_does_not_depend_on_neighbours_order_or_repetition(
    detector: Detector, batch: list[list[int]], random: np.random.Generator
) -> None:
    together = detector.score(batch)
    assert [detector.score([sequence])[0] for sequence in batch] == together.tolist()
    order = list(range(len(batch))) * 2
    random.shuffle(order)
    assert detector.score([batch[row] for row in order]).tolist() == together[order].tolist()


@given(detectors, batches)
@settings(max_examples=40, deadline=None)
def test_a_detector_made_again_from_its_state_is_the_same(detector: Detector, batch: list[list[int]]) -> None:
    again = type(detector).from_state(detector.state())
    assert again.score(batch).tolist() == detector.score(batch).tolist()
    assert again.predict(batch).tolist() == detector.predict(batch).tolist()
    assert again.get_params() == detector.get_params()
    assert [again.explain(sequence) for sequence in batch] == [detector.explain(sequence) for sequence in batch]


@given(detectors, batches)
@settings(max_examples=40, deadline=None)
def test_the_shape_in_which_sequences_come_does_not_matter(detector: Detector, batch: list[list[int]]) -> None:
    column = pl.Series("keys", batch, dtype=pl.List(pl.Int32))
    scores = detector.score(batch).tolist()
    for shape in (
        column,
        column.to_frame(),
        Corpus.of(batch),
        [np.array(sequence, dtype=np.int64) for sequence in batch],
    ):
        assert detector.score(shape).tolist() == scores


@pytest.mark.parametrize("detector", fitted, ids=repr)
def test_predict_is_score_at_least_one(detector: Detector) -> None:
    batch = [*NORMAL[:3], [7], [5, 22], []]
    assert detector.predict(batch).tolist() == (detector.score(batch) >= 1.0).tolist()
    assert detector.score(batch).min() >= 0


def test_the_order_of_training_sequences_does_not_matter_when_held_out_ones_are_given() -> None:
    batch = [*NORMAL[:3], [7], [5, 22], [5, 22, 11, 9, 9, 26]]
    one = Novelty().fit(NORMAL[10:], held_out=NORMAL[:10])
    other = Novelty().fit(NORMAL[:9:-1], held_out=NORMAL[9::-1])
    assert one.score(batch).tolist() == other.score(batch).tolist()
    assert one.explain([5, 22]) == other.explain([5, 22])


def test_scikit_learn_can_clone_and_set_parameters() -> None:
    from sklearn.base import clone

    original = Novelty(parts=("key", "length"), false_alarms=0.02, seed=4).fit(NORMAL)
    copy = clone(original)
    assert copy.get_params() == {"parts": ("key", "length"), "false_alarms": 0.02, "seed": 4}
    assert not hasattr(copy, "calibration_")
    assert copy.set_params(false_alarms=0.1).false_alarms == 0.1
    assert repr(copy) == "Novelty(parts=('key', 'length'), false_alarms=0.1, seed=4)"


def test_an_unknown_parameter_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match="no parameter 'alarms'; it has parts, false_alarms, seed"):
        Novelty().set_params(alarms=1)


def test_fitting_needs_sequences_and_warns_when_there_are_few() -> None:
    with pytest.raises(InputError, match="no sequences"):
        Novelty().fit([])
    with pytest.warns(LittleDataWarning, match="only 3 normal sequences"):
        Novelty().fit(NORMAL[:3])


def test_scoring_needs_fitting_first() -> None:
    with pytest.raises(InputError, match="has not been fitted"):
        Novelty().score(NORMAL)
    with pytest.raises(InputError, match="has not been fitted"):
        Novelty().state()


@given(st.integers(2, 300), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_held_out_rows_are_a_tenth_and_none_is_lost(rows: int, seed: int) -> None:
    corpus = Corpus.of([[row] for row in range(rows)])
    train, apart = split_held_out(corpus, seed=seed)
    assert apart.rows == max(1, round(rows * 0.1))
    assert sorted([*train.keys.tolist(), *apart.keys.tolist()]) == list(range(rows))
    again, _ = split_held_out(corpus, seed=seed)
    assert again.keys.tolist() == train.keys.tolist()


def test_a_single_sequence_serves_for_both() -> None:
    corpus = Corpus.of([[1, 2]])
    assert split_held_out(corpus, seed=0) == (corpus, corpus)
