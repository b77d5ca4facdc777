"""One measurement: a function or a command in a fresh process, its time, its peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
LAST_WORDS = 2_000  # characters of a failed process's output that are shown


@dataclass(frozen=True)
class Done:
    """What a measured function gives back.

    Attributes
    ----------
    units
        How many lines, sequences, ... it went through.
    seconds
        What the work alone took, where start-up is not part of it; None for the whole life of the process.
    facts
        Anything else worth keeping in the results.
    """

    units: int
    seconds: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Call:
    """A module-level function to run in a fresh process, with arguments that JSON can hold (paths become text)."""

    function: Callable[..., Done]
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Command:
    """A command line of logbert, and how many units it goes through."""

    arguments: tuple[str, ...]
    units: int = 1


Work: TypeAlias = Call | Command


@dataclass(frozen=True)
class Measured:
    """What one process took.

    Attributes
    ----------
    units, seconds, facts
        As in `Done`; the seconds of the whole process, unless the function timed itself.
    cpu
        Seconds of all cores together, of the whole process.
    peak
        The most memory it held, in MB.
    """

    units: int
    seconds: float
    cpu: float
    peak: float
    facts: dict[str, Any]

    @property
    def rate(self) -> float:
        """Units a second."""
        return self.units / self.seconds


@contextmanager
def one_thread() -> Iterator[Callable[[], float]]:
    """Have torch work on one thread, and give a clock of the processor's seconds: other programs do not count.

    Threads of torch that share a core with other programs wait for each other actively: beside a few of them, a network
    on two threads takes ten times as long as it needs, and no ratio means anything.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield time.process_time
    finally:
        torch.set_num_threads(before)


def call(function: Callable[..., Done], **arguments: Any) -> Call:
    """Say what to run."""
    return Call(function, {name: str(v) if isinstance(v, Path) else v for name, v in arguments.items()})


def run(work: Work) -> Measured:
    """Run it in a process of its own, and wait for it.

    Peak memory is that of the process alone: Linux counts what the parent held when it was started, which is why this
    process imports next to nothing.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer, said = Path(folder, "answer.json"), Path(folder, "said.txt")
        with said.open("wb") as out:
            began = time.perf_counter()
            process = subprocess.Popen(_argv(work, answer), stdout=out, stderr=out, cwd=ROOT, env=ENV)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            words = said.read_text(encoding="utf-8", errors="replace")[-LAST_WORDS:]
            raise RuntimeError(f"{work} ended with {process.returncode}:\n{words}")
        done = Done(**json.loads(answer.read_text())) if isinstance(work, Call) else Done(work.units)
    return Measured(
        units=done.units,
        seconds=seconds if done.seconds is None else done.seconds,
        cpu=usage.ru_utime + usage.ru_stime,
        peak=usage.ru_maxrss / 1024,
        facts=done.facts,
    )


def _argv(work: Work, answer: Path) -> list[str]:
    if isinstance(work, Command):
        return [sys.executable, "-c", "from logbert.cli import main; main()", *work.arguments]
    place = f"{work.function.__module__}:{work.function.__qualname__}"
    return [sys.executable, "-m", "benchmarks.speed.measure", place, json.dumps(work.arguments), str(answer)]


def main() -> None:
    """Be the fresh process: run one function, write what it gives back."""
    from importlib import import_module

    place, arguments, answer = sys.argv[1:]
    module, _, name = place.partition(":")
    done = getattr(import_module(module), name)(**json.loads(arguments))
    Path(answer).write_text(json.dumps(asdict(done)))


if __name__ == "__main__":
    main()
