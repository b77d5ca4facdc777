"""`make bench`: speed against named peers measured in the same run, and the quality of templates beside drain3's.

The HDFS sample is needed at ../shared/data; without it there is nothing to measure and the run says so.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import template_quality
from logbert import Pipeline
from logbert.lines import open_records
from logbert.sequences import Grouping
from logbert.templates import Templates

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
COPIES = 10
PEER_MESSAGES = 50_000


def main() -> int:
    sample = DATA / "hdfs" / "HDFS_sample.log.gz"
    if not sample.is_file():
        print(f"the HDFS sample is not at {sample}: nothing to measure")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "hdfs.log"
        log.write_bytes(gzip.decompress(sample.read_bytes()) * COPIES)
        rows = [*reading(log), *parsing(log), *judging(sample)]
    print(f"{'work':46}{'ours':>14}{'peer':>14}{'ratio':>8}")
    for work, ours, peer, unit in rows:
        print(f"{work:46}{ours:>12,.0f}/s{peer:>12,.0f}/s{ours / peer:>8.1f}  {unit}")
    Path("results").mkdir(exist_ok=True)
    Path("results/bench.json").write_text(
        json.dumps([{"work": work, "ours": ours, "peer": peer, "peer_is": unit} for work, ours, peer, unit in rows])
    )
    template_quality.main()
    return 0


def reading(log: Path) -> list[tuple[str, float, float, str]]:
    """Reading with the header split, beside Python's own reading of lines with a regex for the header."""
    began = time.perf_counter()
    records = sum(len(frame) for frame in open_records([log]))
    ours = records / (time.perf_counter() - began)
    header = re.compile(r"^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(.*?): (.*)$")
    began = time.perf_counter()
    with log.open(encoding="utf-8") as lines:
        matched = sum(header.match(line) is not None for _, line in zip(range(records // COPIES), lines, strict=False))
    return [("raw HDFS lines to records", ours, matched / (time.perf_counter() - began), "Python, line by line")]


def parsing(log: Path) -> list[tuple[str, float, float, str]]:
    """Raw file to keys and sessions, beside drain3 on the bare messages."""
    try:
        from drain3 import TemplateMiner
        from drain3.masking import RegexMaskingInstruction
        from drain3.template_miner_config import TemplateMinerConfig
    except ImportError:
        print("drain3 is not installed (pip install 'logbert[bench]'): no peer for parsing")
        return []
    began = time.perf_counter()
    templates = Templates()
    collector = Grouping.parse(r"session:blk_-?\d+").collector()
    records, messages = 0, []
    for frame in open_records([log]):
        collector.add(frame, templates.encode(frame["message"]))
        records += len(frame)
        if len(messages) < PEER_MESSAGES:
            messages += frame["message"].to_list()
    templates.learn()
    collector.finish(templates.key_of_code)
    ours = records / (time.perf_counter() - began)
    config = TemplateMinerConfig()
    config.masking_instructions = [
        RegexMaskingInstruction(r"blk_-?\d+", "BLK"),
        RegexMaskingInstruction(r"\d+\.\d+\.\d+\.\d+(:\d+)?", "IP"),
        RegexMaskingInstruction(r"\b\d+\b", "NUM"),
    ]
    miner = TemplateMiner(config=config)
    began = time.perf_counter()
    for message in messages[:PEER_MESSAGES]:
        miner.add_log_message(message)
    peer = PEER_MESSAGES / (time.perf_counter() - began)
    return [("raw HDFS file to keys and sessions", ours, peer, "drain3, messages only")]


def judging(sample: Path) -> list[tuple[str, float, float, str]]:
    """Judging distinct sessions with the network under eight masks, beside judging them with the memory alone."""
    speeds = {}
    for detector in ("logbert", "novelty"):
        pipeline = Pipeline(detector=detector)
        intake = pipeline.new_intake([sample])
        taken = intake.learn([sample], pipeline.progress)
        sequences = taken.sequences
        fitted = pipeline.new_detector(taken.known).fit(sequences.head(3000))
        began = time.perf_counter()
        fitted.score(sequences)
        speeds[detector] = len(sequences) / (time.perf_counter() - began)
    return [("sessions judged by the network", speeds["logbert"], speeds["novelty"], "memory alone")]


if __name__ == "__main__":
    sys.exit(main())
