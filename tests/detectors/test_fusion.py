"""The fusion keeps the rate that was asked for, hears every member, and stays itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus, Detector, LittleDataWarning
from logbert.detectors.fusion import Fusion, cut_anywhere, slow_p_values, subset
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.logbert import LogBERT
from logbert.detectors.novelty import Novelty
from logbert.errors import OptionError

TEXTS = KeyTexts({5: "Receiving block <*>", 9: "Received block <*>", 7: "Disk <*> failed", 3: "Verification succeeded"})
NORMAL = [[5, 22, 11, 9, 26], [5, 5, 22, 11, 9, 26, 26], [22, 5, 11, 9, 26, 23, 21]] * 30
sequences = st.lists(st.sampled_from([5, 22, 11, 9, 26, 23, 21, 7, 3, 1_000_000]), max_size=10)


def fitted() -> Fusion:
    return Fusion(members=("novelty",)).read(TEXTS).fit(NORMAL)


FUSION = fitted()


def jobs(rng: np.random.Generator, size: int) -> list[list[int]]:
    """Make jobs of three kinds whose steps repeat, with a step now and then that hardly any other job has."""
    lengths = rng.geometric(0.35, size=(size, 3))
    kinds = rng.integers(0, 3, size=size)
    rare = rng.random(size) < 0.02
    odd = rng.zipf(1.6, size=size) % 500
    return [
        [10 + kind] + [1] * a + [2] * b + [3] * c + ([100 + step] if has else [])
        for (a, b, c), kind, has, step in zip(lengths, kinds, rare, odd, strict=True)
    ]


@pytest.mark.parametrize("asked", [0.005, 0.02, 0.1], ids=["too few held out to see", "just enough", "plenty"])
def test_no_more_than_the_asked_share_of_exchangeable_sequences_is_flagged(asked: float) -> None:
    realised = []
    for seed in range(10):
        everything = jobs(np.random.default_rng(seed), 9000)
        fusion = Fusion(members=("novelty",), false_alarms=asked, seed=seed).fit(everything[:3000])
        realised.append(float(fusion.predict(everything[3000:]).mean()))
    assert np.mean(realised) <= 1.3 * asked
    assert np.mean(realised) > 0


@given(st.integers(0, 2**32 - 1), st.floats(0.001, 0.2), st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_the_smallest_weighted_p_value_is_careful_whatever_the_dependence(seed: int, asked: float, tie: float) -> None:
    rng = np.random.default_rng(seed)
    shared, own = rng.random(20_000), rng.random((3, 20_000))
    together = np.where(rng.random((3, 20_000)) < tie, shared, own)
    weights = np.array([0.1, 0.7, 0.2])
    share = float(np.mean(np.min(together / weights[:, None], axis=0) <= asked))
    assert share <= asked + 4 * np.sqrt(asked / 20_000)


def test_it_hears_a_new_failure_a_missing_step_and_a_wrong_order() -> None:
    odd = [[5, 22, 11, 9, 26, 7], [5, 22, 11], [26, 9, 11, 22, 5], [5, 22, 11, 9, 26]]
    assert FUSION.predict(odd).tolist() == [True, True, True, False]


def test_it_is_no_worse_than_the_memory_alone_on_what_the_memory_sees() -> None:
    rng = np.random.default_rng(3)
    everything = jobs(rng, 6000)
    faulty = [job[:1] + job[-1:] for job in jobs(rng, 500)] + [[*job, 11, 10, 12] for job in jobs(rng, 500)]
    for asked in (0.01, 0.001):
        memory = Novelty(false_alarms=asked).fit(everything).predict(faulty).mean()
        fusion = Fusion(members=("novelty",), false_alarms=asked).fit(everything).predict(faulty).mean()
        assert fusion >= memory - 0.02


def test_reasons_come_from_all_members_and_say_a_new_key_once() -> None:
    reasons = FUSION.explain([5, 22, 11, 7])
    kinds = {reason.kind for reason in reasons}
    assert {"unseen key", "missing key"} <= kinds
    assert [reason.kind for reason in reasons if reason.key == 7] == ["unseen key"]
    assert FUSION.explain(NORMAL[0]) == []


def test_in_windows_cut_anywhere_the_memory_keeps_silent() -> None:
    rng = np.random.default_rng(0)
    windows = rng.integers(1, 40, size=(600, 20)).tolist()
    fusion = Fusion(members=("novelty",)).read(KeyTexts({77: "kernel panic"})).fit(windows)
    assert fusion.windows_
    assert not fusion.predict(rng.integers(1, 40, size=(500, 20)).tolist()).any()
    assert fusion.predict([[*windows[0][:-1], 77]]).tolist() == [True]
    assert not Fusion(members=("novelty",), windows=False).fit(windows).windows_


def test_in_windows_cut_anywhere_no_network_is_taught() -> None:
    rng = np.random.default_rng(0)
    fusion = WithSmallNetwork().fit(rng.integers(1, 40, size=(600, 20)).tolist())
    assert set(fusion.members_) == {"new keys", "novelty"}


def test_sessions_of_equal_length_are_not_taken_for_windows() -> None:
    assert not cut_anywhere(Corpus.of([[1, 2, 3, 4], [1, 3, 2, 4]] * 200))


@given(st.lists(sequences, min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_scores_depend_on_the_sequence_alone_and_survive_a_round_trip(batch: list[list[int]]) -> None:
    together = FUSION.score(batch)
    assert [FUSION.score([sequence])[0] for sequence in batch] == together.tolist()
    again = Fusion.from_state(FUSION.state())
    assert again.score(batch).tolist() == together.tolist()
    assert [again.explain(sequence) for sequence in batch] == [FUSION.explain(sequence) for sequence in batch]


def test_its_state_is_json_and_arrays() -> None:
    state = FUSION.state()
    assert json.loads(json.dumps(state.facts)) == state.facts
    assert all(array.dtype != object for array in state.arrays.values())


def test_texts_read_at_detection_change_what_is_thought_of_new_keys() -> None:
    fusion = fitted()
    assert fusion.explain([5, 22, 11, 9, 26, 8])[0].detail.endswith("its text is not known")
    fusion.read(KeyTexts({**TEXTS.texts, 8: "Replica <*> lost"}))
    assert fusion.explain([5, 22, 11, 9, 26, 8])[0].detail == "never in training, and speaks of failure (lost)"


def test_scikit_learn_can_clone_it() -> None:
    from sklearn.base import clone

    copy = clone(Fusion(members=("novelty",), false_alarms=0.02, windows=True, seed=4))
    assert (copy.members, copy.false_alarms, copy.windows, copy.seed) == (("novelty",), 0.02, True, 4)


@pytest.mark.parametrize("members", [(), ("oracle",), ("new keys",)])
def test_an_unknown_member_is_an_error_that_names_the_known_ones(members: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match="'novelty', 'logbert'"):
        Fusion(members=members).fit(NORMAL)


@pytest.mark.filterwarnings("ignore::logbert.detectors.LittleDataWarning")
@pytest.mark.parametrize("normal", [[[]], [[3]], [[], [3]], [[1, 2]] * 3], ids=str)
def test_the_smallest_training_sets_work(normal: list[list[int]]) -> None:
    fusion = Fusion(members=("novelty",)).fit(normal)
    assert fusion.predict(normal[-1:]).tolist() == [False]
    assert np.isfinite(fusion.score([[], [9], [9] * 3000])).all()


def test_a_warning_says_when_there_is_too_little_data() -> None:
    with pytest.warns(LittleDataWarning) as caught:
        Fusion(members=("novelty",)).fit([[1, 2]] * 5)
    assert len(caught) == 1


def test_a_subset_keeps_order() -> None:
    corpus = Corpus.of([[1], [2, 3], [], [4]])
    assert [keys.tolist() for keys in subset(corpus, np.array([3, 2, 1]))] == [[4], [], [2, 3]]
    assert len(subset(corpus, np.array([], dtype=np.int64))) == 0


class WithSmallNetwork(Fusion):
    """The whole fusion, with a network that trains in a moment."""

    def _made(self) -> dict[str, Detector]:
        small = LogBERT(input=8, hidden=16, feed_forward=16, layers=1, heads=2, masks=2, epochs=2, device="cpu")
        return {**super()._made(), "logbert": small}


@pytest.fixture(scope="module")
def with_network() -> Fusion:
    return WithSmallNetwork(seed=1).read(TEXTS).fit(NORMAL)


def test_the_network_survives_a_round_trip_too(with_network: Fusion) -> None:
    batch = [*NORMAL[:3], [26, 9, 11, 22, 5], [], [5, 7]]
    again = Fusion.from_state(with_network.state())
    assert again.score(batch).tolist() == with_network.score(batch).tolist()
    assert again.explain(batch[-3]) == with_network.explain(batch[-3])
    assert set(with_network.evidence(Corpus.of(batch))) == {"new keys", "novelty", "logbert"}


def test_what_is_a_little_odd_to_network_and_memory_is_odder_to_both(with_network: Fusion) -> None:
    corpus = Corpus.of([*NORMAL[:3], [26, 9, 11, 22, 5], [5, 22, 11, 9], [5, 5, 5, 22]])
    network = with_network.members_["logbert"]
    alone = -np.log(slow_p_values(network.calibration_.held_out, network.raw_scores(corpus)))
    assert np.all(with_network._agreement(with_network._raws(corpus)) >= alone - 1e-12)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.floats(0, 1000), st.floats(0, 1000))
def test_slow_p_values_never_rise_with_the_score(held_out: list[float], some: float, other: float) -> None:
    low, high = sorted((some, other))
    p_values = slow_p_values(np.sort(np.array(held_out)), np.array([low, high]))
    assert p_values[0] >= p_values[1]
    assert np.all((p_values >= 0) & (p_values <= 1))
