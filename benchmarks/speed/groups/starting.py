"""What a process takes before it does anything, and for a small job."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from benchmarks.speed.measure import Command
from benchmarks.speed.rows import Row, Target

if TYPE_CHECKING:
    from benchmarks.speed.data import Data

SMALL = 1_000


def _detect_small(data: Data) -> Command:
    log = data.folder / "small.log"
    if not log.exists():
        with data.hdfs().open("rb") as file:
            log.write_bytes(b"".join(islice(file, SMALL)))
    return Command(("detect", str(log), "-m", str(data.model("fusion")), "--quiet"), SMALL)


ENTRIES = [
    Row(
        "help",
        "logbert --help, whole process",
        "",
        lambda _: Command(("--help",)),
        targets=(Target("seconds", 0.3, 0.15),),
        repeats=5,
    ),
    Row(
        "show",
        "logbert show, whole process",
        "",
        lambda data: Command(("show", str(data.model("novelty")))),
        repeats=3,
    ),
    Row(
        "small",
        "logbert detect on 1,000 lines, whole process",
        "",
        _detect_small,
        targets=(Target("seconds", 3, 1.5),),
        repeats=3,
    ),
]
