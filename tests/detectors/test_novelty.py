"""The memory: what it calls new, how sure it is, what it says, and that it stays itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from logbert.detectors import Corpus, LittleDataWarning
from logbert.detectors.novelty import Novelty
from logbert.errors import InputError, OptionError

if TYPE_CHECKING:
    from pathlib import Path

# Steps of HDFS sessions: 5 receiving, 22 allocate, 11 responder, 9 received, 26 stored, 23 and 21 delete.
WRITTEN = [5, 22, 5, 5, 11, 9, 11, 9, 11, 9, 26, 26, 26]
INTERLEAVED = [22, 5, 5, 5, 11, 9, 26, 11, 9, 26, 11, 9, 26]
DELETED = [*WRITTEN, 23, 23, 23, 21, 21, 21]
NORMAL = [WRITTEN, INTERLEAVED, DELETED] * 40

PARTS = ("key", "key set", "count vector", "length", "2-gram")


@pytest.fixture(scope="module")
def novelty() -> Novelty:
    return Novelty().fit(NORMAL)


def test_what_was_seen_in_training_scores_zero(novelty: Novelty) -> None:
    assert novelty.score([WRITTEN, INTERLEAVED, DELETED]).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "sequence",
    [
        pytest.param([*WRITTEN, 7], id="a key never seen"),
        pytest.param(WRITTEN[:-3], id="the set of keys lacks one"),
        pytest.param([*WRITTEN, 26], id="once too many"),
        pytest.param(WRITTEN * 9, id="far too long"),
        pytest.param(WRITTEN[::-1], id="in the wrong order"),
        pytest.param([], id="nothing at all"),
        pytest.param([2**31 - 1, -1, 0], id="keys of no training sequence"),
    ],
)
def test_what_is_new_is_anomalous(novelty: Novelty, sequence: list[int]) -> None:
    assert novelty.predict([sequence]).tolist() == [True]
    assert novelty.explain(sequence) or not sequence


@pytest.mark.parametrize(
    ("part", "sequence"),
    [
        ("key", [*WRITTEN, 7]),
        ("key set", [5, 22, 11, 9]),
        ("count vector", [*WRITTEN, 26]),
        ("length", WRITTEN[:4]),
        ("2-gram", WRITTEN[::-1]),
    ],
)
def test_each_part_alone_sees_its_own_kind_of_novelty(part: str, sequence: list[int]) -> None:
    alone = Novelty(parts=(part,)).fit(NORMAL)
    assert alone.predict([sequence, WRITTEN]).tolist() == [True, False]
    assert list(alone.unseen([sequence])) == [part]
    assert alone.explain(WRITTEN) == []
    assert alone.explain(sequence)


def test_parts_say_what_is_new_without_any_boundary(novelty: Novelty) -> None:
    unseen = novelty.unseen([WRITTEN, [*WRITTEN, 26], WRITTEN[::-1]])
    assert {part: flags.tolist() for part, flags in unseen.items()} == {
        "key": [False, False, False],
        "key set": [False, False, False],
        "count vector": [False, True, False],
        "length": [False, True, False],
        "2-gram": [False, False, True],
    }


def test_further_from_known_is_odder(novelty: Novelty) -> None:
    scores = novelty.score([[*WRITTEN, *new] for new in ([7], [7, 8], [7, 8, 1, 2])])
    assert scores[0] < scores[1] < scores[2]
    fewer = novelty.score([[5, 22, 11, 9], [5, 22], [22]])
    assert fewer[0] < fewer[1] < fewer[2]


def test_a_kind_of_novelty_that_normal_sequences_show_is_no_alarm() -> None:
    rng = np.random.default_rng(0)
    common = [[5] * 3 + [9] * int(times) for times in rng.integers(1, 6, size=800)]
    varied = [[5] * 3 + [9] * int(times) for times in rng.choice(np.arange(6, 2000), size=40, replace=False)]
    novelty = Novelty(parts=("count vector",), false_alarms=0.01).fit([*common, *varied])
    never_seen = [[5] * 3 + [9] * int(times) for times in rng.integers(6, 2000, size=200)]
    assert novelty.unseen(never_seen)["count vector"].mean() > 0.9
    assert novelty.predict(never_seen).mean() < 0.5
    assert novelty.calibration_.p_values(novelty.raw_scores(Corpus.of(never_seen[:1])))[0] > 0.003


def test_the_asked_rate_is_kept_on_normal_sequences_of_the_same_kind() -> None:
    realised = {0.01: [], 0.05: []}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        lengths = rng.geometric(0.35, size=(6000, 3))
        sessions = [[1] * a + [2] * b + [3] * c for a, b, c in lengths]
        for asked, rates in realised.items():
            novelty = Novelty(false_alarms=asked, seed=seed).fit(sessions[:3000])
            rates.append(float(novelty.predict(sessions[3000:]).mean()))
    for asked, rates in realised.items():
        assert np.mean(rates) <= asked * 2  # equal scores stay together, so fewer are possible


def test_reasons_name_the_new_key_where_it_first_stands(novelty: Novelty) -> None:
    first = novelty.explain([*WRITTEN[:4], 7, *WRITTEN[4:], 7])[0]
    assert (first.kind, first.key, first.position) == ("unseen key", 7, 4)
    assert first.detail == "never in training, here twice"


def test_reasons_name_the_key_that_the_nearest_known_set_has(novelty: Novelty) -> None:
    missing = [reason for reason in novelty.explain(WRITTEN[:-3]) if reason.kind == "missing key"]
    assert [reason.key for reason in missing] == [26]


def test_reasons_say_how_many_are_too_many(novelty: Novelty) -> None:
    counts = [reason for reason in novelty.explain([*WRITTEN, *[26] * 11]) if reason.kind == "unseen counts"]
    assert [(reason.key, reason.position, reason.detail) for reason in counts] == [
        (26, 13, "seen 14 times, at most 3 in training")
    ]


def test_reasons_say_what_follows_normally(novelty: Novelty) -> None:
    swapped = [5, 22, 5, 5, 9, 11, 11, 9, 11, 9, 26, 26, 26]
    pair = next(reason for reason in novelty.explain(swapped) if reason.kind == "unseen 2-gram")
    assert (pair.key, pair.position) == (9, 4)
    assert pair.expected[0][0] in {5, 11}
    assert 0 < pair.expected[0][1] <= 1


def test_reasons_are_worst_first_and_blame_a_key_once(novelty: Novelty) -> None:
    reasons = novelty.explain([*WRITTEN[:-3], 7, 7])
    weights = [reason.weight for reason in reasons]
    assert weights == sorted(weights, reverse=True)
    blamed = [reason.key for reason in reasons if reason.kind != "unseen 2-gram" and reason.key is not None]
    assert len(blamed) == len(set(blamed))


def test_an_unknown_part_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match="'key set'"):
        Novelty(parts=("keys",)).fit(NORMAL)
    with pytest.raises(OptionError, match="choose one or more"):
        Novelty(parts=()).fit(NORMAL)


def test_it_says_so_when_not_fitted() -> None:
    with pytest.raises(InputError, match="fit"):
        Novelty().explain(WRITTEN)
    with pytest.raises(InputError, match="fit"):
        Novelty().unseen([WRITTEN])


@pytest.mark.filterwarnings("ignore::logbert.detectors.LittleDataWarning")
@pytest.mark.parametrize("normal", [[[]], [[3]], [[], [3]], [[1, 2]] * 3], ids=str)
def test_the_smallest_training_sets_work(normal: list[list[int]]) -> None:
    novelty = Novelty().fit(normal)
    assert novelty.predict(normal[-1:]).tolist() == [False]
    assert np.isfinite(novelty.score([[], [9], [9] * 20000])).all()
    with pytest.warns(LittleDataWarning):
        Novelty().fit(normal)


def test_its_state_holds_only_json_and_arrays(novelty: Novelty) -> None:
    state = novelty.state()
    assert json.loads(json.dumps(state.facts)) == state.facts
    assert json.loads(json.dumps(state.params))["parts"] == list(PARTS)
    assert all(array.dtype != object for array in state.arrays.values())


def test_reasons_are_the_same_after_a_round_trip(novelty: Novelty) -> None:
    again = Novelty.from_state(novelty.state())
    for sequence in ([*WRITTEN, 7], WRITTEN[:-3], WRITTEN[::-1]):
        assert again.explain(sequence) == novelty.explain(sequence)


@pytest.mark.real_data
def test_half_a_million_hdfs_sessions_score_as_each_distinct_one_does(shared_data: Path) -> None:
    lines = (shared_data / "hdfs" / "hdfs_train").read_text().splitlines()
    train = [[int(key) for key in line.split()] for line in lines]
    novelty = Novelty().fit(train)
    rng = np.random.default_rng(0)
    distinct = [
        [*train[row], *rng.integers(1, 30, size=size)] for row, size in rng.integers(0, 4000, size=(18000, 2)) % 97
    ]
    rows = rng.integers(0, len(distinct), size=570_000)
    assert np.array_equal(novelty.score(Corpus.of(distinct).take_rows(rows)), novelty.score(distinct)[rows])
