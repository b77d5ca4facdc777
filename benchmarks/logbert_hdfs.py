r"""LogBERT alone on the HDFS sample, from raw text to verdicts.

    .venv/bin/python -m benchmarks.logbert_hdfs --data ../shared/data --seeds 0 1 2 3 4 --preset default \
        --false-alarms 0.001 0.002 0.005

Each seed draws 4,855 normal sessions, writes their raw lines to a file of their own, trains a whole pipeline on it and
judges the raw lines of all other sessions. Labels choose the normal sessions to train on and measure the verdicts;
nothing else sees them. The last column is what no detector may claim: the best F1 any boundary would have given.

About a minute a seed on 2 cores with the default preset, three with the paper's.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT
from logbert.evaluation.metrics import Figures
from logbert.pipeline import Pipeline

TRAINING_SESSIONS = 4_855
SHORT = 10  # the paper's code dropped sessions with fewer keys than this
BLOCK = r"(blk_-?\d+)"


@dataclass(frozen=True)
class Sample:
    """The raw lines, the session of each, and which sessions are abnormal."""

    lines: pl.DataFrame
    abnormal: dict[str, bool]

    @classmethod
    def read(cls, folder: Path) -> Sample:
        text = gzip.decompress((folder / "HDFS_sample.log.gz").read_bytes()).decode("utf-8", "replace")
        lines = pl.DataFrame({"text": text.splitlines()}).with_columns(
            block=pl.col("text").str.extract(BLOCK),
        )
        labels = pl.read_csv(folder / "anomaly_label.csv")
        known = dict(zip(labels["BlockId"], labels["Label"] == "Anomaly", strict=True))
        return cls(lines, {block: known[block] for block in lines["block"].unique(maintain_order=True)})

    def split(self, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Give the raw lines of the training sessions, and of all others."""
        normal = [block for block, abnormal in self.abnormal.items() if not abnormal]
        chosen = np.random.default_rng(seed).permutation(len(normal))[:TRAINING_SESSIONS]
        training = pl.Series([normal[index] for index in chosen])
        inside = pl.col("block").is_in(training.implode())
        return self.lines.filter(inside), self.lines.filter(~inside)


@dataclass(frozen=True)
class Judged:
    """Figures by the rate that was asked for, of all sessions and of the long ones, and the seconds it took."""

    every: dict[float, Figures]
    long: dict[float, Figures]
    train_seconds: float
    judge_seconds: float


def judge(sample: Sample, seed: int, detector: LogBERT, rates: list[float], *, short: bool = True) -> Judged:
    """Train and judge once; the boundary for each rate comes from the same normal sessions."""
    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file = Path(folder, "train.log"), Path(folder, "test.log")
        train, test = sample.split(seed)
        if not short:
            train = train.filter(pl.len().over("block") >= SHORT)
        train_file.write_text("\n".join(train["text"]) + "\n")
        test_file.write_text("\n".join(test["text"]) + "\n")
        begin = time.perf_counter()
        pipeline = Pipeline(group=f"session:{BLOCK}", detector=detector).fit(str(train_file))
        trained = time.perf_counter()
        sequences = pipeline.take(str(test_file)).sequences
        corpus = Corpus.of(sequences)
        raw = corpus.spread(detector.raw_scores(corpus))
        judged = time.perf_counter()
    truth = np.array([sample.abnormal[block] for block in sequences["sequence"]])
    long = sequences["keys"].list.len().to_numpy() >= SHORT
    scores = {rate: replace(detector.calibration_, false_alarms=rate).score(raw) for rate in rates}
    return Judged(
        every={rate: Figures.of(score, truth) for rate, score in scores.items()},
        long={rate: Figures.of(score[long], truth[long]) for rate, score in scores.items()},
        train_seconds=trained - begin,
        judge_seconds=judged - trained,
    )


def line(name: str, figures: Figures) -> str:
    return (
        f"{name:<44} P {figures.precision:.3f}  R {figures.recall:.3f}  F1 {figures.f1:.3f}  "
        f"false alarms {figures.false_alarms:.5f}  PR-AUC {figures.pr_auc:.3f}  oracle F1 {figures.oracle_f1:.3f}"
    )


def summary(name: str, runs: list[Figures]) -> str:
    parts = []
    for title, field in (("P", "precision"), ("R", "recall"), ("F1", "f1"), ("false alarms", "false_alarms")):
        values = np.array([getattr(figures, field) for figures in runs])
        parts.append(f"{title} {values.mean():.4f} ± {values.std():.4f}")
    return f"{name:<44} {'  '.join(parts)}  oracle F1 {np.mean([figures.oracle_f1 for figures in runs]):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--preset", choices=["default", "paper"], default="default")
    parser.add_argument("--false-alarms", type=float, nargs="+", default=[0.001, 0.002, 0.005])
    options = parser.parse_args()
    sample = Sample.read(options.data / "hdfs")
    rates = options.false_alarms
    means: dict[str, list[Figures]] = {}
    for seed in options.seeds:
        judged = judge(sample, seed, LogBERT(options.preset, false_alarms=rates[0], seed=seed), rates)
        runs = {"all sessions": judged.every}
        if options.preset == "paper":
            runs["short ones left out of the test"] = judged.long
            again = LogBERT("paper", false_alarms=rates[0], seed=seed)
            runs["short ones left out"] = judge(sample, seed, again, rates, short=False).long
        for name, figures_by_rate in runs.items():
            for rate, figures in figures_by_rate.items():
                print(line(f"seed {seed}, {name}, {rate:g}", figures), flush=True)
                means.setdefault(f"{name}, {rate:g}", []).append(figures)
        print(f"seed {seed}: {judged.train_seconds:.0f} s to train, {judged.judge_seconds:.1f} s to judge", flush=True)
    for name, figures_of_all in means.items():
        print(summary(f"mean, {name}", figures_of_all))


if __name__ == "__main__":
    main()
