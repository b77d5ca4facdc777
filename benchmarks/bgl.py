"""What the default detector does on BGL, on data that drifts: near, drift, and drift with an operator who answers.

    python -m benchmarks.bgl                      # some ten seconds on 2 cores
    python -m benchmarks.bgl --members novelty,logbert

Train: the normal windows of the log's first half, cut into 100 records; for "near" also the normal windows of the first
60 % of the dev stream. Test: the rest of the dev stream (near) or all of it (drift), in time order, in windows of 100
records. Nothing is chosen by labels of the stream; they serve for the figures, and for what the operator answers.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.detectors.fusion import Fusion
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.novelty import Novelty
from logbert.detectors.watch import Watch
from logbert.evaluation import Figures, operate, over_time
from logbert.study import find_sources

if TYPE_CHECKING:
    import numpy.typing as npt

BGL = Path(__file__).resolve().parents[2] / "shared" / "data" / "bgl"
Sequences = list[list[int]]


@dataclass(frozen=True)
class Split:
    """What to train on and what to judge."""

    name: str
    train: Sequences
    test: Sequences
    labels: npt.NDArray[np.bool_]


def load(folder: Path) -> tuple[list[Split], KeyTexts]:
    """Take the splits of the study."""
    splits = []
    texts = KeyTexts()
    for source in find_sources(folder):
        if source.name in {"bgl-near", "bgl-drift"}:
            exam = source.deal("honest", seed=0)
            texts = exam.texts
            name = source.name.removeprefix("bgl-")
            splits.append(Split(name, exam.train["keys"].to_list(), exam.test["keys"].to_list(), exam.truth))
    return splits, texts


def line(figures: Figures) -> str:
    """Give precision, recall, F1 and the realised false-alarm rate."""
    return (
        f"P {figures.precision:.3f}  R {figures.recall:.3f}  F1 {figures.f1:.3f}  "
        f"false alarms {figures.false_alarms:.4f}"
    )


def show(
    what: str, flagged: npt.NDArray[np.bool_], split: Split, scores: npt.NDArray[np.float64] | None = None
) -> None:
    """Print one line of the table."""
    figures = Figures.of(np.where(flagged, 2.0, 0.0) if scores is None else scores, split.labels)
    area = "" if scores is None else f"  PR-AUC {figures.pr_auc:.3f}"
    print(f"{split.name:18} {what:34} {line(figures)}{area}")


def trivial(split: Split) -> None:
    """Print the trivial detectors: new at all, part by part."""
    for part, unseen in Novelty().fit(split.train).unseen(split.test).items():
        show(f"trivial: unseen {part}", unseen, split)


def members(fusion: Fusion, split: Split) -> None:
    """Print each member alone and the fusion without regard to time."""
    from logbert.detectors import Corpus

    corpus = Corpus.of(split.test)
    for name, evidence in fusion.evidence(corpus).items():
        scores = evidence[corpus.inverse] / fusion.boundary
        show(f"member: {name}", scores >= 1, split, scores)
    scores = fusion.score(corpus)
    show("fusion, each sequence by itself", scores >= 1, split, scores)


def operate_on(fusion: Fusion, split: Split, batch: int) -> None:
    """Let an operator answer each new incident once, with the truth of the sequence that raised it."""
    keys = pl.Series("keys", split.test, dtype=pl.List(pl.Int32))
    operated = operate(over_time(fusion, keys), split.labels, batch=batch)
    for moment in operated.moments:
        part = line(moment.figures)
        print(f"  windows {moment.begin:6,} to {moment.end:6,}: {moment.answers:3} answers so far  {part}")
    what = f"fusion over time, {operated.answers} answers"
    print(f"{split.name:18} {what:34} {line(operated.figures)}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=BGL)
    parser.add_argument("--members", default="novelty")
    parser.add_argument("--false-alarms", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--batch", type=int, default=1, help="windows judged between answers")
    options = parser.parse_args()
    splits, texts = load(options.data)
    for split in splits:
        print(f"{split.name}: {len(split.train):,} train, {len(split.test):,} test, {split.labels.sum():,} abnormal")
        trivial(split)
        fusion = Fusion(options.members.split(","), false_alarms=options.false_alarms, seed=options.seed)
        fusion.read(texts).fit(split.train)
        members(fusion, split)
        watched = Watch(fusion).judge(split.test)
        show("fusion over time", watched.anomalous, split, watched.scores)
        operate_on(fusion, split, options.batch)
        print()


if __name__ == "__main__":
    main()
