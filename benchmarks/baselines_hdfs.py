"""Each baseline of the paper on the raw HDFS sample: P, R, F1, false alarms, seconds. Honest protocol, labels unused.

    python -m benchmarks.baselines_hdfs --seeds 0 1 2 3 4 [--detectors pca deeplog] [--data ../shared/data/hdfs]

Trains on 4,855 random normal sessions (a tenth of them held out for the boundary), judges all others, short ones too.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

from logbert.detectors.corpus import Corpus
from logbert.detectors.registry import detector_class

TRAIN = 4_855
BASELINES = ("pca", "isolation-forest", "one-class-svm", "logcluster", "deeplog", "loganomaly")


def sessions(folder: Path) -> tuple[Corpus, np.ndarray, dict[int, str]]:
    """Read the raw log by simple masks: the sessions, whether each is abnormal, and the text of each key."""
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
    return Corpus.of(labelled), (labelled["Label"] == "Anomaly").to_numpy(), dict(enumerate(templates.to_list()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/hdfs"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--detectors", nargs="+", default=list(BASELINES))
    parser.add_argument("--false-alarms", type=float, default=0.001)
    parser.add_argument("--own-rule", action="store_true", help="the boundary of each detector's own paper")
    options = parser.parse_args()
    corpus, abnormal, texts = sessions(options.data)
    print(f"{corpus.rows} sessions, {len(corpus)} distinct, {int(abnormal.sum())} abnormal, {len(texts)} keys")
    print(f"{'detector':18} {'seed':>4} {'P':>6} {'R':>6} {'F1':>6} {'alarms':>8} {'train s':>8} {'score s':>8}")
    for name in options.detectors:
        found = [measure(name, seed, corpus, abnormal, texts, options) for seed in options.seeds]
        mean, spread = np.mean(found, axis=0), np.std(found, axis=0)
        print(
            f"{name:18} mean {' '.join(f'{value:6.3f}' for value in mean[:3])}  F1 spread {spread[2]:.3f}", flush=True
        )


def measure(
    name: str, seed: int, corpus: Corpus, abnormal: np.ndarray, texts: dict[int, str], options: argparse.Namespace
) -> tuple[float, float, float]:
    """Train on random normal sessions, judge the others, print a line."""
    kind = detector_class(name)
    detector = kind(seed=seed, false_alarms=options.false_alarms)
    if options.own_rule:
        detector.set_params(threshold=kind.own_rule)
    if hasattr(detector, "read"):
        detector.read(texts)
    train = np.random.default_rng(seed).permutation(np.flatnonzero(~abnormal))[:TRAIN]
    rest = np.setdiff1d(np.arange(corpus.rows), train)
    began = time.perf_counter()
    detector.fit(corpus.take_rows(np.sort(train)))
    trained = time.perf_counter()
    flagged = detector.predict(corpus.take_rows(rest))
    scored = time.perf_counter()
    truth = abnormal[rest]
    hits = int((flagged & truth).sum())
    precision, recall = hits / max(int(flagged.sum()), 1), hits / int(truth.sum())
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    alarms = float(flagged[~truth].mean())
    print(
        f"{name:18} {seed:4} {precision:6.3f} {recall:6.3f} {f1:6.3f} {alarms:8.5f} "
        f"{trained - began:8.1f} {scored - trained:8.1f}",
        flush=True,
    )
    return precision, recall, f1


if __name__ == "__main__":
    main()
