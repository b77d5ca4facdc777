"""A simulation on disk: what the truth says is what the logs hold, and equal arguments give equal bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from logbert.detectors import Corpus
from logbert.detectors.novelty import Novelty
from logbert.errors import OptionError
from logbert.simulator import Simulation, read_truth, simulate
from logbert.simulator.faults import DEFAULT_FAULTS
from logbert.simulator.simulate import normal_period, watch_period

if TYPE_CHECKING:
    from pathlib import Path

ID = re.compile(r"slab-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return simulate(tmp_path_factory.mktemp("quarry"), seed=1, sessions=800, watched=600)


def test_the_truth_has_one_row_for_each_session_of_the_watch_log(simulation: Simulation) -> None:
    truth = read_truth(simulation.truth)
    named = set(ID.findall(simulation.watch.read_text(encoding="utf-8")))
    assert truth["sequence"].n_unique() == len(truth) == simulation.watch_sessions == 600
    assert set(truth["sequence"]) == named


def test_faults_are_labelled_and_of_every_kind_alike(simulation: Simulation) -> None:
    truth = read_truth(simulation.truth)
    faulty = truth.filter(truth["label"] == 1)
    assert len(faulty) == simulation.faults == 24
    assert Counter(faulty["kind"]) == dict.fromkeys(DEFAULT_FAULTS, 4)
    assert set(truth.filter(truth["label"] == 0)["kind"]) == {""}


def test_the_account_tells_each_fault_and_the_drift(simulation: Simulation) -> None:
    account = json.loads(simulation.events.read_text(encoding="utf-8"))
    truth = read_truth(simulation.truth)
    assert {(fault["sequence"], fault["kind"]) for fault in account["faults"]} == set(
        truth.filter(truth["label"] == 1).select("sequence", "kind").iter_rows()
    )
    assert account["drift"]["sessions"] == len(truth.filter(truth["drift"] != ""))
    assert account["drift"]["mix"]["to"]["deletion"] > account["drift"]["mix"]["from"]["deletion"]


def test_a_storm_is_in_the_log_as_the_account_tells_it(simulation: Simulation) -> None:
    account = json.loads(simulation.events.read_text(encoding="utf-8"))
    log = simulation.watch.read_text(encoding="utf-8").splitlines()
    storms = [fault for fault in account["faults"] if fault["kind"] == "retry storm"]
    for storm in storms:
        attempts, bay = storm["what"].split(" attempts at ")
        lines = [line for line in log if f"{bay} is slow on {storm['sequence']}" in line]
        assert len(lines) >= int(attempts) >= 6
    assert len(storms) == 4


def test_some_records_name_two_sessions(simulation: Simulation) -> None:
    lines = simulation.train.read_text(encoding="utf-8").splitlines()
    both = [line for line in lines if len(set(ID.findall(line))) == 2]
    assert 5 <= len(both) <= 40
    assert all("is to be a copy of" in line for line in both)


def test_the_watch_log_is_a_day_later(simulation: Simulation) -> None:
    assert simulation.train.read_text(encoding="utf-8")[:10] == "2024-03-11"
    assert simulation.watch.read_text(encoding="utf-8")[:10] == "2024-03-12"


def test_equal_arguments_give_equal_bytes_in_another_process(simulation: Simulation, tmp_path: Path) -> None:
    code = """if True:
        import pathlib, sys
        from logbert.simulator import simulate
        simulate(pathlib.Path(sys.argv[1]), seed=1, sessions=800, watched=600)
    """
    environment = {**os.environ, "PYTHONHASHSEED": "99", "TZ": "Asia/Tokyo"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=environment)
    for path in (simulation.train, simulation.watch, simulation.truth, simulation.events):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_another_seed_is_another_day(simulation: Simulation, tmp_path: Path) -> None:
    other = simulate(tmp_path, seed=2, sessions=800, watched=600)
    assert not set(read_truth(other.truth)["sequence"]) & set(read_truth(simulation.truth)["sequence"])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"sessions": 0}, "needs sessions"),
        ({"fault_share": 0.9}, "0 to 0.5"),
        ({"faults": ["fire"]}, "no fault is called 'fire'; there are missing step"),
        ({"drift": "sideways"}, "no drift is called 'sideways'; there are none"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, wrong: dict[str, object], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        simulate(tmp_path / "nothing", **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "nothing").exists()


def test_memory_alone_finds_some_faults_and_misses_others() -> None:
    """The simulation is no walk-over: true event names, and still a memory of them misses whole kinds."""
    numbers: dict[str, int] = {}

    def coded(names: list[str]) -> list[int]:
        return [numbers.setdefault(name, len(numbers)) for name in names]

    learnt = [coded(names) for names in normal_period(0, 4000).names().values()]
    watched = watch_period(0, 3000, fault_share=0.04, faults=DEFAULT_FAULTS, drift="both")
    told = watched.names()
    flagged = Novelty().fit(learnt).predict(Corpus.of([coded(names) for names in told.values()]))
    found = Counter(
        watched.wrong[slab][0] for slab, odd in zip(told, flagged, strict=True) if odd and slab in watched.wrong
    )
    assert found["never-seen message"] == 20
    assert 0.3 < found.total() / 120 < 0.9
