"""What values and gaps add to the default detector, and what they cost.

    python -m benchmarks.measured simulator                      # slow steps and values outside, seeds 1 2 3
    python -m benchmarks.measured hdfs                           # the HDFS sample, seeds 0 to 4, with and without them
    python -m benchmarks.measured logs                           # alarms they add on logs without such faults
    python -m benchmarks.measured simulator --members novelty    # without the network: some seconds a seed

Labels and the simulator's truth measure the verdicts; nothing else sees them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.logbert_hdfs import BLOCK, Sample, line, summary
from logbert.detectors.fusion import Fusion
from logbert.detectors.measured import Measurements
from logbert.evaluation.metrics import Figures
from logbert.pipeline import Pipeline
from logbert.simulator import read_truth, simulate
from logbert.simulator.faults import FAULTS
from logbert.simulator.judging import judge

if TYPE_CHECKING:
    from logbert.pipeline import Detection

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
KINDS = ("value outside", "new value", "slow step")
LOGS = {
    "Thunderbird, windows of 20": ("thunderbird/Thunderbird_sample.log.gz", "thunderbird", "count:20"),
    "Thunderbird, minutes": ("thunderbird/Thunderbird_sample.log.gz", "thunderbird", "time:1min"),
    "BGL_2k, windows of 10": ("loghub_2k/BGL_2k.log", "bgl", "count:10"),
    "OpenStack_2k, windows of 10": ("loghub_2k/OpenStack_2k.log", "auto", "count:10"),
    "Zookeeper_2k, windows of 10": ("loghub_2k/Zookeeper_2k.log", "auto", "count:10"),
    "Mac_2k, windows of 10": ("loghub_2k/Mac_2k.log", "auto", "count:10"),
}


def simulator(options: argparse.Namespace) -> None:
    """Switch all faults on, and count how many of each kind are found."""
    for seed in options.seeds or (1, 2, 3):
        with tempfile.TemporaryDirectory() as folder:
            simulation = simulate(Path(folder), seed=seed, faults=list(FAULTS))
            pipeline = _pipeline(options, seed).fit(simulation.train)
            truth = read_truth(simulation.truth)
            with_them, without = _both(pipeline, simulation.watch)
        for name, detection in (("with", with_them), ("without", without)):
            figures = judge(detection.verdicts, truth)
            kinds = ", ".join(f"{kind.kind} {kind.found}/{kind.sessions}" for kind in figures.kinds)
            print(
                f"seed {seed}, {name:7}  P {figures.precision:.3f}  R {figures.recall:.3f}  F1 {figures.f1:.3f}  "
                f"false alarms {figures.false_alarm_rate:.5f}, {figures.steady_false_alarm_rate:.5f} where nothing "
                f"changed; {kinds}",
                flush=True,
            )
        healthy = with_them.verdicts.join(truth.filter(label=0), on="sequence", how="semi")
        print(f"seed {seed}: {_raised(healthy)} healthy of {len(healthy):,} raised by them", flush=True)


def hdfs(options: argparse.Namespace) -> None:
    """Train on 4,855 normal sessions of the HDFS sample, judge all others."""
    sample = Sample.read(DATA / "hdfs")
    runs: dict[str, list[Figures]] = {}
    for seed in options.seeds or range(5):
        with tempfile.TemporaryDirectory() as folder:
            train, test = Path(folder, "train.log"), Path(folder, "test.log")
            for file, lines in zip((train, test), sample.split(seed), strict=True):
                file.write_text("\n".join(lines["text"]) + "\n")
            pipeline = _pipeline(options, seed, group=f"session:{BLOCK}").fit(train)
            taken = pipeline.take(test)
        fusion = pipeline.detector_
        assert isinstance(fusion, Fusion)
        assert fusion.measured_ is not None
        truth = np.array([sample.abnormal[block] for block in taken.sequences["sequence"]])
        with fusion.reading(taken.known):
            found = fusion.measured_.judge(Measurements(taken.sequences, taken.values))
            keys = fusion.score(taken.sequences)
            fusion.measured_ = None
            alone = fusion.score(taken.sequences)
        judged = {"with": np.maximum(keys, found.scores), "without": alone, "they alone": found.scores}
        for name, scores in judged.items():
            figures = Figures.of(scores, truth)
            print(line(f"seed {seed}, {name}", figures), flush=True)
            runs.setdefault(name, []).append(figures)
    for name, figures_of_all in runs.items():
        print(summary(name, figures_of_all))


def logs(options: argparse.Namespace) -> None:
    """Train on the first 60 % of each log, judge the rest, and count what they add; on Hadoop, by the normal runs."""
    for name, (path, log_format, group) in LOGS.items():
        raw = (DATA / path).read_bytes()
        text = (gzip.decompress(raw) if path.endswith(".gz") else raw).decode("utf-8", "replace").splitlines()
        with tempfile.TemporaryDirectory() as folder:
            train, test = Path(folder, "train.log"), Path(folder, "test.log")
            train.write_text("\n".join(text[: len(text) * 6 // 10]) + "\n")
            test.write_text("\n".join(text[len(text) * 6 // 10 :]) + "\n")
            pipeline = _pipeline(options, 0, format=log_format, group=group).fit(train)
            _print_added(name, *_both(pipeline, test))
    with tempfile.TemporaryDirectory() as folder, tarfile.open(DATA / "hadoop/Hadoop_wordcount.tar.xz") as archive:
        archive.extractall(folder, filter="data")
        label = next(Path(folder).rglob("abnormal_label.txt")).read_text()
        normal = [run for run in label.split("Machine down")[0].split() if run.startswith("application")]
        runs = {path.name: path for path in Path(folder).rglob("application_*") if path.is_dir()}
        pipeline = _pipeline(options, 0).fit([path for run, path in runs.items() if run in normal])
        _print_added("Hadoop, failed runs", *_both(pipeline, [path for run, path in runs.items() if run not in normal]))


def _pipeline(options: argparse.Namespace, seed: int, **how: str) -> Pipeline:
    fusion = Fusion(options.members.split(","), false_alarms=options.false_alarms, seed=seed)
    return Pipeline(detector=fusion, false_alarms=options.false_alarms, seed=seed, **how)  # type: ignore[arg-type]


def _both(pipeline: Pipeline, inputs: Path | list[Path]) -> tuple[Detection, Detection]:
    """Judge with and without values and gaps."""
    fusion = pipeline.detector_
    assert isinstance(fusion, Fusion)
    with_them = pipeline.examine(inputs)
    measured, fusion.measured_ = fusion.measured_, None
    without = pipeline.examine(inputs)
    fusion.measured_ = measured
    return with_them, without


def _raised(verdicts: pl.DataFrame) -> int:
    """Count the anomalous verdicts whose first reason is a value or a gap."""
    first = verdicts.filter("anomaly").select(pl.col("reasons").list.first().struct.field("kind"))["kind"]
    return int(first.is_in(KINDS).sum())


def _print_added(name: str, with_them: Detection, without: Detection) -> None:
    added = with_them.verdicts.filter(pl.col("anomaly") & ~without.verdicts["anomaly"])
    print(
        f"{name}: {len(with_them.verdicts):,} sequences, {without.verdicts['anomaly'].sum()} anomalous in "
        f"{len(without.incidents)} incidents without them; with them {with_them.verdicts['anomaly'].sum()} in "
        f"{len(with_them.incidents)}, {len(added)} of them new",
        flush=True,
    )
    kinds = with_them.incidents.filter(pl.col("reasons").list.first().struct.field("kind").is_in(KINDS))
    for incident in kinds.iter_rows(named=True):
        told = {"sequences": incident["sequences"], "why": incident["reasons"][0]["text"]}
        print(f"    {json.dumps(told, ensure_ascii=False)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["simulator", "hdfs", "logs"])
    parser.add_argument("--seeds", type=int, nargs="+")
    parser.add_argument("--members", default="novelty,logbert")
    parser.add_argument("--false-alarms", type=float, default=0.001)
    options = parser.parse_args()
    {"simulator": simulator, "hdfs": hdfs, "logs": logs}[options.what](options)


if __name__ == "__main__":
    main()
