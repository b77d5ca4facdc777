"""Each baseline of the paper on the raw HDFS sample: P, R, F1, false alarms, seconds. Honest protocol, labels unused.

    python -m benchmarks.baselines_hdfs --seeds 0 1 2 3 4 [--detectors pca deeplog] [--data ../shared/data/hdfs]

Trains on 4,855 random normal sessions (a tenth of them held out for the boundary), judges all others, short ones too,
by the boundary for each false-alarm rate asked for and by the rule of the detector's own paper.

The raw score of the two networks, and how long they train, were chosen with the labels of every second session in
view; by default only the others are judged (`--judge all` for both). Even these are no clean test: figures of the whole
sample were seen while the boundary by folds and the scale of unseen keys in the support vector machine were decided on.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.detectors.baseline import Baseline
from logbert.detectors.corpus import Corpus
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.registry import detector_class

if TYPE_CHECKING:
    from logbert.detectors.base import Detector

TRAIN = 4_855
BASELINES = ("pca", "isolation-forest", "one-class-svm", "logcluster", "deeplog", "loganomaly")


@dataclass(frozen=True)
class Sessions:
    """All sessions of the log, whether each is abnormal, and the text of each key."""

    corpus: Corpus
    abnormal: np.ndarray
    texts: dict[int, str]


def sessions(folder: Path) -> Sessions:
    """Read the raw log by simple masks."""
    lines = pl.read_csv(
        folder / "HDFS_sample.log.gz", has_header=False, separator="\x01", quote_char=None, new_columns=["line"]
    )
    message = pl.col("line").str.splitn(": ", 2).struct.field("field_1")
    records = lines.select(
        line=pl.int_range(pl.len()),
        block=pl.col("line").str.extract_all(r"blk_-?\d+").list.unique(maintain_order=True),
        template=message.str.replace_all(r"blk_-?\d+", "<*>")
        .str.replace_all(r"/?\d+\.\d+\.\d+\.\d+(:\d+)?", "<*>")
        .str.replace_all(r"(/[\w.$-]+)+", "<*>")
        .str.replace_all(r"\b\d+\b", "<*>")
        .str.replace_all(r"(<\*>\s+)+<\*>", "<*>"),
    )
    templates = records["template"].unique(maintain_order=True)
    keys = records["template"].replace_strict(
        templates, pl.int_range(len(templates), eager=True), return_dtype=pl.Int32
    )
    grouped = (
        records.with_columns(key=keys).explode("block").group_by("block", maintain_order=True).agg(keys=pl.col("key"))
    )
    labels = pl.read_csv(folder / "anomaly_label.csv")
    labelled = grouped.join(labels, left_on="block", right_on="BlockId", how="inner", maintain_order="left")
    abnormal = (labelled["Label"] == "Anomaly").to_numpy()
    return Sessions(Corpus.of(labelled), abnormal, dict(enumerate(templates.to_list())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/hdfs"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--detectors", nargs="+", default=list(BASELINES))
    parser.add_argument("--false-alarms", type=float, nargs="+", default=[0.001, 0.005])
    parser.add_argument("--judge", choices=["all", "other"], default="other", help="which half to judge")
    options = parser.parse_args()
    log = sessions(options.data)
    print(f"{log.corpus.rows} sessions, {len(log.corpus)} distinct, {int(log.abnormal.sum())} abnormal")
    print("detector          boundary  seed      P      R     F1   alarms  train s  score s")
    for name in options.detectors:
        found: dict[str, list[list[float]]] = {}
        for seed in options.seeds:
            for boundary, figures in measure(name, seed, log, options).items():
                found.setdefault(boundary, []).append(figures)
                show(name, boundary, str(seed), figures)
        for boundary, rows in found.items():
            show(name, boundary, "mean", np.mean(rows, axis=0).tolist())
            show(name, boundary, "+-", np.std(rows, axis=0).tolist())


def show(name: str, boundary: str, seed: str, figures: list[float]) -> None:
    precision, recall, f1, alarms, train, score = figures
    print(
        f"{name:17} {boundary:>8} {seed:>5} {precision:6.3f} {recall:6.3f} {f1:6.3f} {alarms:8.5f} "
        f"{train:8.1f} {score:8.1f}",
        flush=True,
    )


def measure(name: str, seed: int, log: Sessions, options: argparse.Namespace) -> dict[str, list[float]]:
    """Train once on random normal sessions; judge the others by each boundary."""
    detector = detector_class(name)(seed=seed)
    if hasattr(detector, "read"):
        detector.read(KeyTexts(log.texts))
    normal = np.random.default_rng(seed).permutation(np.flatnonzero(~log.abnormal))[:TRAIN]
    train = log.corpus.take_rows(np.sort(normal))
    rest = np.setdiff1d(np.arange(log.corpus.rows), normal)
    if options.judge == "other":
        rest = rest[rest % 2 == 1]
    began = time.perf_counter()
    detector.fit(train)
    trained = time.perf_counter() - began
    figures = {}
    for rate in options.false_alarms:
        detector.calibration_ = replace(detector.calibration_, false_alarms=rate)
        figures[str(rate)] = judge(detector, log, rest, trained)
    if isinstance(detector, Baseline):
        detector.set_params(threshold=detector.own_rule).calibrate(train)
        figures[detector.own_rule] = judge(detector, log, rest, trained)
    return figures


def judge(detector: Detector, log: Sessions, rest: np.ndarray, trained: float) -> list[float]:
    began = time.perf_counter()
    flagged = detector.predict(log.corpus.take_rows(rest))
    taken = time.perf_counter() - began
    truth = log.abnormal[rest]
    hits = int((flagged & truth).sum())
    precision, recall = hits / max(int(flagged.sum()), 1), hits / int(truth.sum())
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return [precision, recall, f1, float(flagged[~truth].mean()), trained, taken]


if __name__ == "__main__":
    main()
