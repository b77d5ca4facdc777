"""The default detector on the HDFS sample, from raw text: the fusion, its members, and the trivial baselines.

    python -m benchmarks.fusion_hdfs                          # with LogBERT, about a minute a seed on 2 cores
    python -m benchmarks.fusion_hdfs --members novelty        # without it, a few seconds a seed

Each seed draws 4,855 normal sessions to train on and judges all others. Labels choose those sessions and measure the
verdicts; nothing else sees them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.logbert_hdfs import BLOCK, Sample, line, summary
from logbert.detectors import Corpus
from logbert.detectors.fusion import Fusion
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.novelty import Novelty
from logbert.evaluation.metrics import Figures
from logbert.pipeline import Pipeline

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def judge(sample: Sample, seed: int, members: list[str], false_alarms: float) -> dict[str, Figures]:
    """Train and judge once; give the figures of everything that judged."""
    with tempfile.TemporaryDirectory() as folder:
        train_file, test_file = Path(folder, "train.log"), Path(folder, "test.log")
        for file, lines in zip((train_file, test_file), sample.split(seed), strict=True):
            file.write_text("\n".join(lines["text"]) + "\n")
        reader = Pipeline(group=f"session:{BLOCK}", detector=Novelty()).fit(str(train_file))
        train = reader.take(str(train_file)).sequences
        taken = reader.take(str(test_file))
        test = taken.sequences
        keys = {int(key) for frame in (train, test) for key in frame["keys"].explode().unique()}
        texts = KeyTexts({key: taken.name_of(key) for key in sorted(keys)})
    truth = np.array([sample.abnormal[block] for block in test["sequence"]])
    fusion = Fusion(members, false_alarms=false_alarms, seed=seed).read(texts).fit(train)
    corpus = Corpus.of(test)
    found = {"fusion": Figures.of(fusion.score(corpus), truth)}
    for name, evidence in fusion.evidence(corpus).items():
        found[f"  {name}, its share"] = Figures.of(evidence[corpus.inverse] / fusion.boundary, truth)
    for part, unseen in Novelty(seed=seed).fit(train).unseen(corpus).items():
        found[f"  trivial: unseen {part}"] = Figures.of(unseen.astype(np.float64), truth)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--members", default="novelty,logbert")
    parser.add_argument("--false-alarms", type=float, default=0.001)
    options = parser.parse_args()
    sample = Sample.read(options.data / "hdfs")
    runs: dict[str, list[Figures]] = {}
    for seed in options.seeds:
        found = judge(sample, seed, options.members.split(","), options.false_alarms)
        print(line(f"seed {seed}", found["fusion"]), flush=True)
        for name, figures in found.items():
            runs.setdefault(name, []).append(figures)
    for name, figures_of_all in runs.items():
        print(summary(name, figures_of_all))


if __name__ == "__main__":
    main()
