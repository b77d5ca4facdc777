"""What holds for every baseline: scores that depend on nothing but the sequence, and models that survive the disk."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils import estimator_checks

from logbert.detectors import DetectorState, LittleDataWarning, detector_class, restore
from logbert.detectors.corpus import Corpus
from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError, OptionError

OPEN, WRITE, ACK, CLOSE, RETRY = 3, 7, 8, 11, 40
NEVER_SEEN = 2**31 - 1
SMALL_NETWORK = {"hidden": 16, "steps": 200}
BASELINES = {
    "pca": {},
    "isolation-forest": {"trees": 25},
    "one-class-svm": {},
    "logcluster": {},
    "deeplog": SMALL_NETWORK,
    "loganomaly": SMALL_NETWORK,
}
OWN_RULES = {
    "pca": "q",
    "isolation-forest": "half",
    "one-class-svm": "sign",
    "logcluster": "distance",
    "deeplog": "top-g",
    "loganomaly": "top-g",
}
ORDER_BLIND = ("pca", "isolation-forest", "one-class-svm", "logcluster")
TEXTS = {OPEN: "Opening file <*>", WRITE: "Writing block <*>", ACK: "Ack of block <*>", CLOSE: "Closing file <*>"}

keys = st.sampled_from([OPEN, WRITE, ACK, CLOSE, RETRY, 0, 5, 99, -4, NEVER_SEEN])
some_sequences = st.lists(st.lists(keys, max_size=25), min_size=1, max_size=8)


def normal_sessions(count: int, seed: int) -> list[list[int]]:
    """Files opened, written block by block, each acknowledged, now and then with a retry, and closed."""
    draw = np.random.default_rng(seed)
    return [
        [OPEN, *(key for _ in range(draw.integers(1, 5)) for key in (WRITE, ACK))]
        + [RETRY] * int(draw.random() < 0.1)
        + [CLOSE]
        for _ in range(count)
    ]


def make(name: str, **options):
    detector = detector_class(name)(**{**BASELINES[name], "false_alarms": 0.01, **options})
    return detector.read(KeyTexts(TEXTS)) if name == "loganomaly" else detector


def briefly(name: str, **options):
    """Make a detector that trains for a moment, where only what surrounds the training is tested."""
    return make(name, **options, **({"steps": 10} if name in {"deeplog", "loganomaly"} else {}))


@pytest.fixture(scope="module")
def fitted():
    known = {name: make(name).fit(normal_sessions(300, seed=1)) for name in BASELINES}
    return known.__getitem__


every_baseline = pytest.mark.parametrize("name", BASELINES)


def through_disk(state: DetectorState) -> DetectorState:
    """What safetensors and JSON leave of a state."""
    arrays = {name: np.ascontiguousarray(array).copy() for name, array in state.arrays.items()}
    return DetectorState(
        state.detector, json.loads(json.dumps(state.params)), json.loads(json.dumps(state.facts)), arrays
    )


@every_baseline
@settings(max_examples=25, deadline=None)
@given(sequences=some_sequences)
def test_a_score_does_not_depend_on_neighbours(name, fitted, sequences):
    together = fitted(name).score(sequences)
    alone = [fitted(name).score([sequence])[0] for sequence in sequences]
    assert together.tolist() == alone
    assert np.isfinite(together).all()
    assert (together >= 0).all()


@every_baseline
@settings(max_examples=10, deadline=None)
@given(sequences=some_sequences)
def test_saving_and_loading_is_the_identity(name, fitted, sequences):
    again = restore(through_disk(fitted(name).state()))
    assert again.score(sequences).tolist() == fitted(name).score(sequences).tolist()
    assert again.explain(sequences[0]) == fitted(name).explain(sequences[0])
    assert again.calibration_.threshold == fitted(name).calibration_.threshold


@every_baseline
def test_a_second_save_is_the_first(name, fitted):
    state = fitted(name).state()
    again = restore(through_disk(state)).state()
    assert again.facts == json.loads(json.dumps(state.facts))
    assert again.arrays.keys() == state.arrays.keys()
    for part, array in state.arrays.items():
        np.testing.assert_array_equal(again.arrays[part], array)


@every_baseline
def test_threads_change_nothing(name, fitted):
    sequences = [*normal_sessions(40, seed=5), [OPEN, ACK, WRITE], [CLOSE] * 30]
    before = torch.get_num_threads()
    try:
        scores = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            scores.append(fitted(name).score(sequences).tolist())
    finally:
        torch.set_num_threads(before)
    assert scores[0] == scores[1]


@every_baseline
def test_the_same_seed_gives_the_same_detector_and_leaves_global_generators_alone(name, fitted):
    numpy_state, torch_state = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002 - it is the global one that is watched
    again = make(name).fit(normal_sessions(300, seed=1))
    sequences = [*normal_sessions(20, seed=6), [RETRY] * 9, [NEVER_SEEN]]
    assert again.score(sequences).tolist() == fitted(name).score(sequences).tolist()
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_state)  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), torch_state)


@every_baseline
def test_a_key_that_training_never_saw_is_anomalous_and_named(name, fitted):
    odd = [OPEN, WRITE, ACK, NEVER_SEEN, NEVER_SEEN, CLOSE]
    assert fitted(name).predict([odd]).all()
    reason = fitted(name).explain(odd)[0]
    assert (reason.kind, reason.key, reason.position) == ("unseen key", NEVER_SEEN, 3)


@every_baseline
def test_what_is_normal_passes_and_needs_no_explanation(name, fitted):
    fresh = normal_sessions(400, seed=2)
    assert fitted(name).predict(fresh).mean() <= 0.03
    assert fitted(name).explain([OPEN, WRITE, ACK, WRITE, ACK, CLOSE]) == []


@pytest.mark.parametrize("name", ["one-class-svm", "logcluster", "deeplog", "loganomaly"])
def test_a_storm_of_one_key_is_anomalous_and_named(name, fitted):
    # not so PCA and the isolation forest: one varies along this key, the other makes no cut beyond the counts it saw
    storm = [OPEN, WRITE, ACK, *[RETRY] * 30, CLOSE]
    assert fitted(name).predict([storm]).all()
    assert RETRY in [reason.key for reason in fitted(name).explain(storm)]


@pytest.mark.parametrize("name", ["deeplog", "loganomaly"])
def test_the_networks_see_order(name, fitted):
    assert fitted(name).predict([[OPEN, ACK, WRITE, CLOSE], [CLOSE, WRITE, ACK, OPEN], [OPEN, WRITE]]).all()


@pytest.mark.parametrize("name", ORDER_BLIND)
def test_the_counters_do_not_see_order(name, fitted):
    straight, shuffled = fitted(name).score([[OPEN, WRITE, ACK, CLOSE], [CLOSE, ACK, OPEN, WRITE]])
    assert straight == shuffled


@every_baseline
def test_empty_sequences_and_no_sequences_are_legal(name, fitted):
    assert fitted(name).score([]).tolist() == []
    assert np.isfinite(fitted(name).score([[]])).all()
    assert fitted(name).explain([]) is not None


@every_baseline
@pytest.mark.parametrize("sequences", [[[1, 2, 3]], [[1, 2]] * 5, [[], []], [[], [4]]])
def test_little_and_poor_training_data_is_survived_with_a_warning(name, sequences):
    with pytest.warns(LittleDataWarning):
        detector = briefly(name).fit(sequences)
    assert np.isfinite(detector.score([*sequences, [9, 9], []])).all()


@every_baseline
def test_the_papers_own_rule_can_draw_the_boundary(name, fitted):
    own = briefly(name, threshold=OWN_RULES[name])
    own.fit(normal_sessions(200, seed=1))
    assert own.calibration_.threshold == own._own_boundary()
    assert own.predict([[NEVER_SEEN] * 6]).all()
    again = restore(through_disk(own.state()))
    assert again.calibration_.threshold == own.calibration_.threshold


@every_baseline
def test_unknown_rules_are_refused(name):
    with pytest.raises(OptionError, match=f"no threshold 'best-f1': give 'held-out' or '{OWN_RULES[name]}'"):
        make(name, threshold="best-f1").fit(normal_sessions(60, seed=1))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pca", {"variance": 1.5}),
        ("isolation-forest", {"trees": 0}),
        ("one-class-svm", {"nu": 0.0}),
        ("logcluster", {"distance": 1.0}),
        ("deeplog", {"history": 0}),
        ("loganomaly", {"g": 0}),
    ],
)
def test_senseless_options_are_refused(name, options):
    with pytest.raises(OptionError, match="give"):
        make(name, **options).fit(normal_sessions(60, seed=1))


@every_baseline
def test_an_unfitted_detector_says_so(name):
    with pytest.raises(InputError, match="fit first"):
        make(name).score([[1]])
    with pytest.raises(InputError, match="fit first"):
        make(name).explain([1])


@pytest.mark.parametrize("name", ORDER_BLIND)
def test_folds_let_every_normal_sequence_help_to_draw_the_boundary(name):
    sessions = normal_sessions(200, seed=1)
    assert len(make(name, folds=5).fit(sessions).calibration_.held_out) == 200
    assert len(make(name, folds=1).fit(sessions).calibration_.held_out) == 20
    assert len(make(name, folds=5).fit(sessions, held_out=sessions[:30]).calibration_.held_out) == 30


def test_twins_of_a_reading_detector_have_read_too():
    detector = make("loganomaly", folds=2, steps=20)
    assert len(detector.fit(normal_sessions(60, seed=1)).calibration_.held_out) == 60
    assert detector._twin().texts == KeyTexts(TEXTS)


@every_baseline
def test_scikit_learns_manners(name, fitted):
    # check_estimator as a whole feeds tables of numbers, sample weights and string labels; sequences of log keys have
    # different lengths and are no table. These are its checks that need no data.
    copy = clone(fitted(name))
    assert copy.get_params() == fitted(name).get_params()
    assert not hasattr(copy, "calibration_")
    unfitted = make(name)
    for check in ("check_parameters_default_constructible", "check_get_params_invariance", "check_set_params"):
        getattr(estimator_checks, check)(name, unfitted)
    with pytest.raises(OptionError, match="has no parameter 'colour'"):
        unfitted.set_params(colour="red")


@every_baseline
def test_a_table_of_numbers_is_no_list_of_sequences(name):
    with pytest.raises(InputError, match="lists of integer log keys"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make(name).fit(np.random.default_rng(0).normal(size=(60, 3)))


def test_importing_the_detectors_loads_neither_torch_nor_scikit_learn():
    code = (
        "import sys\n"
        "from logbert.detectors import PLACES, detector_class\n"
        f"[detector_class(name)() for name in {list(BASELINES)}]\n"
        "print(sorted({'torch', 'sklearn', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.real_data
@pytest.mark.parametrize("name", ORDER_BLIND)
def test_real_sessions_keep_the_rate_that_was_asked_for(name, shared_data):
    lines = (shared_data / "hdfs" / "hdfs_train").read_text().splitlines()
    sessions = [[int(key) for key in line.split()] for line in lines]
    detector = detector_class(name)(false_alarms=0.01).fit(sessions[::2])
    assert 0.001 <= detector.predict(sessions[1::2]).mean() <= 0.02
    assert Corpus.of(sessions).rows == 4855
