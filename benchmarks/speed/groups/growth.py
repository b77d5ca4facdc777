"""How time and memory grow: with the length of the log, the templates, the length and the number of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed import copies
from benchmarks.speed.groups.reading import to_sequences
from benchmarks.speed.measure import call
from benchmarks.speed.rows import Curve

if TYPE_CHECKING:
    from benchmarks.speed.data import Data
    from benchmarks.speed.measure import Call

LINES = 1_000_000
JOBS = r"session:job_\d+"


def _length(data: Data, times: int) -> Call:
    return call(to_sequences, log=data.hdfs(times), out=data.out("growth.parquet"))


def _jobs(data: Data, *, templates: int = 100, length: int = 20, opened: int = 1_000) -> Call:
    log = data.folder / f"jobs-{templates}-{length}-{opened}.log"
    work = call(copies.write_jobs, log=log, lines=LINES, templates=templates, length=length, opened=opened, seed=0)
    return call(to_sequences, log=data.made(log.name, work), out=data.out("growth.parquet"), group=JOBS)


ENTRIES = [
    Curve("growth-log", "HDFS to sessions of keys", "times the sample (222,579 lines)", (1, 3, 10), _length, (30, 100)),
    Curve(
        "growth-templates",
        "1M lines to sessions of keys",
        "distinct templates",
        (100, 1_000, 10_000, 100_000),
        lambda data, value: _jobs(data, templates=value),
    ),
    Curve(
        "growth-sessions",
        "1M lines to sessions of keys",
        "lines in a session",
        (10, 100, 1_000, 10_000),
        lambda data, value: _jobs(data, length=value, opened=min(1_000, LINES // value)),
    ),
    Curve(
        "growth-open",
        "1M lines to sessions of keys",
        "sessions open at the same time",
        (1_000, 10_000, 100_000, 1_000_000),
        lambda data, value: _jobs(data, opened=value),
    ),
]
