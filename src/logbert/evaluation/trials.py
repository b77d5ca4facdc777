"""Train on some sequences, judge the others, several times over: figures with their spread.

The parser is fitted on the training part only, the boundary comes from normal sequences held out of it, labels serve to
keep abnormal sequences out of training and to count afterwards. Beside the detector stand the trivial ones: "a key (a
set of keys, a count vector, a length, a 2-gram) that training never showed", without any boundary.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logbert.detectors.corpus import Corpus
from logbert.detectors.fusion import Fusion
from logbert.detectors.novelty import Novelty
from logbert.detectors.watch import Watch
from logbert.evaluation.judged import in_time, members, operated
from logbert.evaluation.metrics import Figures
from logbert.evaluation.splits import Split, split_rows
from logbert.pipeline import warnings_to
from logbert.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from logbert.detectors.corpus import Rows
    from logbert.evaluation.operator import Operated
    from logbert.pipeline import Pipeline
    from logbert.pipeline.intake import Taken


@dataclass(frozen=True)
class Trial:
    """One split: what the detector and the trivial ones beside it made of it.

    Attributes
    ----------
    seed
        Drew the split and taught the detector.
    figures
        By name; the detector first, then the trivial ones.
    train_seconds, judge_seconds
        How long the detector took.
    short_left_out
        The detector's figures without sequences shorter than `SHORT`, as the paper's code counts.
    feedback
        What came of it with an operator who answers, if that was asked for.
    """

    seed: int
    figures: dict[str, Figures]
    train_seconds: float
    judge_seconds: float
    short_left_out: Figures
    feedback: Operated | None = None


SHORT = 10  # the paper's code drops sequences of fewer keys


def run_trials(
    pipeline: Pipeline,
    inputs: Sequence[str | Path],
    *,
    labels: str | Path | None,
    train: int,
    seeds: Sequence[int],
    split: Split,
    feedback: bool = False,
    progress: Progress = SILENT,
) -> list[Trial]:
    """Split, train and judge once a seed.

    Parameters
    ----------
    pipeline
        Its options say how; it is not changed itself.
    inputs
        All of the data.
    labels
        A file of labels, where the format has none.
    train
        How many normal sequences to learn from.
    seeds
        One trial each.
    split
        `random` or `time`.
    feedback
        Let an operator answer each new incident once, with the truth of the sequence that raised it.
    progress
        Who is told how it goes.
    """
    intake = pipeline.new_intake(inputs)
    sequences = pipeline.labelled(intake.learn(inputs, progress).sequences, labels)
    trials = []
    for seed in seeds:
        chosen, judged = split_rows(sequences, train, split=split, seed=seed)
        taught = intake.learn_from(inputs, sequences[chosen], progress)
        label = sequences["label"][judged]
        with warnings_to(progress):
            trial = _trial(pipeline, seed, taught, (chosen, judged), label, feedback=feedback)
        progress.note(f"seed {seed}: {_line(trial)}")
        trials.append(trial)
    return trials


def _trial(
    pipeline: Pipeline, seed: int, taken: Taken, rows: tuple[Rows, Rows], label: pl.Series, *, feedback: bool
) -> Trial:
    truth = label.fill_null(value=False).to_numpy()
    learn, judge = taken.sequences[rows[0]], taken.sequences[rows[1]]
    detector = pipeline.new_detector(taken.known).set_params(seed=seed)
    began = time.perf_counter()
    detector.fit(learn)
    taught = time.perf_counter()
    scores = detector.score(judge)
    done = time.perf_counter()
    figures = {detector.name: Figures.of(scores, truth)}
    if isinstance(detector, Fusion):
        order = in_time(judge)
        watched = Watch(detector).judge(judge["keys"].gather(order))
        figures[f"{detector.name} over time"] = Figures.of(watched.scores, truth[order])
    alone = members(detector, Corpus.of(judge))
    figures |= {name: Figures.of(values, truth) for name, values in alone.items()}
    long = judge["keys"].list.len().to_numpy() >= SHORT
    return Trial(
        seed=seed,
        figures=figures | trivial(learn, judge, truth),
        train_seconds=taught - began,
        judge_seconds=done - taught,
        short_left_out=Figures.of(scores[long], truth[long]),
        feedback=operated(detector, judge, truth) if feedback else None,
    )


def trivial(learn: pl.DataFrame, judge: pl.DataFrame, truth: np.ndarray) -> dict[str, Figures]:
    """Judge by what never occurred in training at all."""
    memory = Novelty().fit(learn, held_out=learn)
    return {
        f"unseen {part}": Figures.of(np.where(unseen, 2.0, 0.0), truth) for part, unseen in memory.unseen(judge).items()
    }


def _line(trial: Trial) -> str:
    figures = next(iter(trial.figures.values()))
    return (
        f"P {figures.precision:.3f}, R {figures.recall:.3f}, F1 {figures.f1:.3f}, false alarms "
        f"{figures.false_alarms:.4f}; trained in {trial.train_seconds:.1f} s, judged in {trial.judge_seconds:.1f} s"
    )
