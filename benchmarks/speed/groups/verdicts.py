"""From a raw file to verdicts, in one process, with the default detector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed.measure import Command
from benchmarks.speed.rows import Row, Target

if TYPE_CHECKING:
    from benchmarks.speed.data import Data

SAMPLE_LINES = 222_579
WHOLE = 50  # samples: as many lines and sessions as the whole HDFS log has


def _detect_all(data: Data) -> Command:
    log, out = data.hdfs(WHOLE), data.out("verdicts.parquet")
    model = data.model("fusion")
    return Command(("detect", str(log), "-m", str(model), "-o", str(out), "--quiet"), SAMPLE_LINES * WHOLE)


ENTRIES = [
    Row(
        "whole-hdfs",
        "logbert detect, HDFS x 50: 11.1M lines, 575,050 sessions",
        "lines",
        _detect_all,
        targets=(Target("seconds", 60, 30), Target("MB", 2048, 1024)),
        repeats=1,
    ),
]
