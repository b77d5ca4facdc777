"""The demonstration: simulate, train, detect, and compare with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.pipeline import Pipeline
from logbert.progress import SILENT, Progress
from logbert.simulator.judging import judge
from logbert.simulator.simulate import read_truth, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.pipeline import Detection
    from logbert.simulator.judging import DemoFigures
    from logbert.simulator.simulate import Simulation

MODEL = "model"


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What the demonstration made and found.

    Attributes
    ----------
    simulation
        The logs and the truth.
    model
        The model directory.
    detection
        The verdicts on the watch log, and the incidents they fall into.
    figures
        How they compare with the truth.
    """

    simulation: Simulation
    model: Path
    detection: Detection
    figures: DemoFigures


def run_demo(
    folder: Path,
    *,
    seed: int = 0,
    sessions: int = 4000,
    watched: int = 3000,
    detector: str = "fusion",
    false_alarms: float = 0.005,
    progress: Progress = SILENT,
) -> DemoResult:
    """Simulate a block store, train on its quiet day, judge the next one and compare with the truth.

    The pipeline gets two log files and nothing else: it finds the format, the templates and the sessions by itself, and
    its boundary comes from the quiet day.

    Parameters
    ----------
    folder
        Where the logs, the truth and the model go.
    seed
        Decides the simulation and the training.
    sessions, watched
        How many sessions there are to train on and to watch.
    detector
        Which detector judges.
    false_alarms
        The share of normal sessions that may be flagged: of 4,000, twenty, so that a few faults are worth hearing of.
    progress
        Who is told how it goes.
    """
    simulation = simulate(folder, seed=seed, sessions=sessions, watched=watched)
    progress.note(
        f"simulated {simulation.train_lines:,} lines of normal operation and {simulation.watch_lines:,} of the next "
        f"day, with faults in {simulation.faults} of {simulation.watch_sessions:,} sessions"
    )
    pipeline = Pipeline(detector=detector, false_alarms=false_alarms, seed=seed, progress=progress)
    pipeline.fit(simulation.train)
    pipeline.save(folder / MODEL)
    detection = pipeline.examine(simulation.watch)
    figures = judge(detection.verdicts, read_truth(simulation.truth))
    return DemoResult(simulation=simulation, model=folder / MODEL, detection=detection, figures=figures)
