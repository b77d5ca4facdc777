from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from logbert.detectors.corpus import Corpus
from logbert.detectors.logbert import LogBERT
from logbert.detectors.pca import PCA
from logbert.evaluation.metrics import Figures, best_boundary
from logbert.study.exams import Exam
from logbert.study.judging import fitted, judge, legacy_figures, missed_tenths
from logbert.study.methods import ABLATIONS, METHODS, affordable_epochs, build, choose, parameters, settled
from logbert.study.rules import PROTOCOLS, RULES


@pytest.fixture(scope="module")
def exam() -> Exam:
    """Sessions that open, do some rounds of work and close; in every tenth one to judge a step is missing."""
    train = [[1] + [2, 3] * (n % 4 + 4) + [4] for n in range(200)]
    test = [[1] + [2, 3] * (n % 4 + 4) + ([4] if n % 10 else [2, 2, 2]) for n in range(100)]
    label = [n % 10 == 0 for n in range(100)]
    return Exam.of(pl.DataFrame({"keys": train}), pl.DataFrame({"keys": test, "label": label}))


def test_the_legacy_boundary_is_the_best_there_is_on_the_very_test_set() -> None:
    scores, truth = np.array([0.2, 0.3, 0.4, 0.9]), np.array([False, True, False, True])
    figures = legacy_figures(scores, truth)
    assert figures.f1 == figures.oracle_f1 == pytest.approx(0.8)
    assert Figures.of(scores, truth).f1 == 0.0


def test_flagging_everything_is_no_boundary() -> None:
    assert best_boundary([0.0, 0.0, 0.0], [True, True, False]) == np.inf
    assert legacy_figures(np.zeros(3), np.array([True, True, False])).recall == 0.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_row_has_figures_and_costs(exam: Exam, protocol: str) -> None:
    found = judge(exam, "novelty", protocol, parameters("novelty", protocol, RULES["HDFS"]), seed=0)  # type: ignore[arg-type]
    assert found["rows"]["novelty"]["recall"] == 1.0
    assert found["rows"]["novelty"]["abnormal"] == 10
    assert found["cpu_seconds"] > 0


def test_the_trivial_detectors_have_a_row_each(exam: Exam) -> None:
    assert set(judge(exam, "trivial", "honest", {}, seed=0)["rows"]) == {
        f"unseen {part}" for part in ("key", "key set", "count vector", "length", "2-gram")
    }


def test_the_default_is_also_judged_over_time_where_windows_are_cut_by_count() -> None:
    dice = np.random.default_rng(0)
    windows = dice.integers(0, 6, size=(260, 20)).tolist()
    test = pl.DataFrame(
        {"keys": [*windows[200:], *[[*row[:19], 77] for row in windows[:20]]], "label": [False] * 60 + [True] * 20}
    )
    honest = judge(
        Exam.of(pl.DataFrame({"keys": windows[:200]}), test), "fusion", "honest", {"members": ["novelty"]}, 0
    )
    assert set(honest["rows"]) == {"fusion", "fusion over time"}


def test_a_tenth_is_held_out_by_the_legacy_protocol(exam: Exam) -> None:
    corpus = Corpus.of(exam.train)
    assert len(fitted(PCA(folds=1), corpus, "legacy").calibration_.held_out) == 20
    assert len(fitted(PCA(), corpus, "honest").calibration_.held_out) == 200


def test_r_is_one_of_the_tenths_that_the_papers_code_tries(exam: Exam) -> None:
    test = Corpus.of(exam.test)
    detector = LogBERT("paper", hidden=16, input=16, feed_forward=16, epochs=1, candidates=1).fit(exam.train)
    for g, tenths in zip((1, 2), missed_tenths(detector, test, (1, 2)), strict=True):
        share = detector.misses(test, g) / detector.masked(test)
        assert set(tenths) <= set(range(11))
        for k in range(10):
            assert np.array_equal(tenths >= k + 1, share > k / 10 + 1e-12)


def test_the_papers_set_up_goes_by_the_data_set() -> None:
    code = parameters("logbert", "legacy", RULES["HDFS"])
    assert code == {"preset": "paper", "mask_ratio": 0.65, "candidates": 6, "alpha": 0.1 / 256}
    assert "alpha" not in parameters("logbert-vhm", "legacy", RULES["HDFS"])
    assert parameters("logbert", "legacy", RULES["BGL"])["candidates"] == 15
    assert parameters("logbert", "honest", RULES["BGL"]) == {"preset": "paper"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", sorted({*METHODS, *ABLATIONS} - {"trivial"}))
def test_every_method_can_be_built(name: str, protocol: str) -> None:
    given = parameters(name, protocol, RULES["BGL"])  # type: ignore[arg-type]
    detector = build(name, given, Corpus.of([[1, 2, 3]] * 10), seed=7)
    assert detector.get_params()["seed"] == 7
    assert set(detector.get_params()) - {"seed", "device", "progress"} <= set(settled(name, given))


def test_what_is_settled_holds_every_number_of_the_network() -> None:
    paper, ours = (settled(name, METHODS[name].always) for name in ("logbert", "logbert-default"))
    assert paper["network"]["hidden"] == 256
    assert paper != ours


def test_long_sequences_are_trained_on_for_fewer_epochs() -> None:
    few, many = Corpus.of([[1, 2]] * 5), Corpus.of([[n] * 400 for n in range(500)])
    assert affordable_epochs(few, "paper") == LogBERT("paper").config.epochs > affordable_epochs(many, "paper")


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(Exception, match="there is no method 'oracle' in the study; there are pca, isolation-forest"):
        choose(["pca", "oracle"])
    assert choose([]) == list(METHODS)
    assert choose(["trivial", "pca"]) == ["pca", "trivial"]
