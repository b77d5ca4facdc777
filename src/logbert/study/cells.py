"""A cell: one piece of the study, worked out in a process of its own and kept on disk under all that determines it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import typing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import logbert
from logbert.atomic import whole_file
from logbert.study.methods import settled
from logbert.study.rules import Protocol  # noqa: TC001 - a dataclass field

EDITION: Final = 1  # of what cells mean; a change to judging, splitting or measuring is a new one
WORDS_OF_AN_ERROR: Final = 300  # characters of it that are shown

ONE_THREAD: Final = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1")

Record: TypeAlias = dict[str, Any]


class Work(typing.Protocol):
    """Whatever works cells out, several at a time."""

    def __call__(self, cell: Cell, exam: Path) -> Record:
        """Work a cell out, given the folder of its exam."""

    def stop(self) -> None:
        """End whatever is running."""


@dataclass(frozen=True)
class Cell:
    """One piece of work.

    Attributes
    ----------
    work
        "judge" (tables 2 and 3), "represent" (figure 4), "sweep" (figure 5) or "count" (table 1).
    source
        The data set.
    protocol
        How it is split and judged.
    method
        Who judges.
    seed
        Draws the split, where it is drawn, and everything random in the detector.
    given
        The detector's parameters.
    candidates
        The g of a sweep.
    quick
        Whether a tenth of the data is enough.
    """

    work: str
    source: str
    protocol: Protocol
    method: str = ""
    seed: int = 0
    given: dict[str, Any] = field(default_factory=dict)
    candidates: tuple[int, ...] = ()
    quick: bool = False

    def key(self, checksum: str) -> str:
        """Give the name it is kept under: everything that determines it, the data's checksum included."""
        known = {
            **asdict(self),
            "settled": settled(self.method, self.given) if self.method else {},
            "data": checksum,
            "logbert": logbert.__version__,
            "edition": EDITION,
        }
        return hashlib.sha256(json.dumps(known, sort_keys=True, default=list).encode()).hexdigest()[:20]


class CellStore:
    """The folder that finished cells are kept in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Record | None:
        """Give a finished cell; None if there is none, or it cannot be read."""
        try:
            record = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    def put(self, key: str, record: Record) -> None:
        """Keep a finished cell, whole or not at all."""
        with whole_file(self.folder / f"{key}.json") as partial:
            partial.write_text(json.dumps(record), encoding="utf-8")


class Workers:
    """Works cells out, each in a process of its own with one thread, so that its time and memory are its own.

    A process leads its own session: Ctrl-C ends it by `stop`, and does not reach a training inside it, which would
    end early and judge all the same.
    """

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()

    def __call__(self, cell: Cell, exam: Path) -> Record:
        """Work a cell out; what went wrong is told under "error"."""
        with tempfile.TemporaryDirectory(prefix="logbert-") as folder:
            request, answer = Path(folder, "request.json"), Path(folder, "answer.json")
            request.write_text(json.dumps(asdict(cell) | {"exam": str(exam)}), encoding="utf-8")
            code, complaint = self._run([sys.executable, "-m", "logbert.study.worker", str(request), str(answer)])
            if code == 0 and answer.is_file():
                record: Record = json.loads(answer.read_text(encoding="utf-8"))
                return record
            return {"error": _in_words(code, complaint.decode("utf-8", "replace"))}

    def stop(self) -> None:
        """End whatever is running."""
        for process in list(self._running):
            process.kill()

    def _run(self, command: list[str]) -> tuple[int, bytes]:
        pipe = subprocess.PIPE
        with subprocess.Popen(  # noqa: S603 - ourselves
            command, stdin=pipe, stderr=pipe, start_new_session=True, env=os.environ | ONE_THREAD
        ) as process:
            self._running.add(process)
            try:
                complaint = process.stderr.read() if process.stderr else b""
                code = process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                self._running.discard(process)
        return code, complaint


def _in_words(code: int, complaint: str) -> str:
    lines = complaint.strip().splitlines()
    said = f": {lines[-1][:WORDS_OF_AN_ERROR]}" if lines else ""
    return f"ended by signal {-code}, out of memory perhaps{said}" if code < 0 else f"failed{said}"
