"""The demonstration from end to end, small and with the quick detector."""

from __future__ import annotations

import pytest

from logbert.pipeline import Pipeline
from logbert.simulator import judge, read_truth
from logbert.simulator.demo import DemoResult, run_demo


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    folder = tmp_path_factory.mktemp("demo")
    return run_demo(folder, seed=0, sessions=1500, watched=1000, detector="novelty", false_alarms=0.001)


def test_every_session_is_found_by_itself_and_judged(result: DemoResult) -> None:
    assert result.figures.sessions == len(result.detection.verdicts) == 1000
    assert (result.figures.unjudged, result.figures.unknown) == (0, 0)


def test_memory_finds_most_storms_at_few_false_alarms(result: DemoResult) -> None:
    figures = result.figures
    assert figures.faults == 40
    assert {kind.kind: kind.recall for kind in figures.kinds}["retry storm"] >= 0.8
    assert figures.recall > 0.15
    assert figures.precision > 0.5


def test_the_figures_are_those_of_the_verdicts_and_the_truth(result: DemoResult) -> None:
    assert result.figures == judge(result.detection.verdicts, read_truth(result.simulation.truth))


def test_the_model_it_leaves_behind_gives_the_same_verdicts(result: DemoResult) -> None:
    again = Pipeline.load(result.model).detect(result.simulation.watch)
    assert again.equals(result.detection.verdicts)
