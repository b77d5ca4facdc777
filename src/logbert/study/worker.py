"""The process a cell is worked out in: `python -m logbert.study.worker REQUEST ANSWER`, both JSON."""

from __future__ import annotations

import json
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logbert.detectors import LittleDataWarning
from logbert.study.exams import Exam
from logbert.study.judging import judge
from logbert.study.pictures import represent, sweep

if TYPE_CHECKING:
    from logbert.study.cells import Record

KIB = 1024


def work(request: dict[str, Any]) -> Record:
    """Work out what is asked, and measure the memory it took."""
    exam = Exam.load(Path(request["exam"]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LittleDataWarning)
        found = _found(request, exam)
    told = sorted({str(warning.message) for warning in caught if warning.category is LittleDataWarning})
    return {**found, "peak_bytes": peak_memory(), "warnings": told}


def _found(request: dict[str, Any], exam: Exam) -> Record:
    if request["work"] == "judge":
        return judge(exam, request["method"], request["protocol"], request["given"], request["seed"])
    if request["work"] == "represent":
        return represent(exam, request["given"], request["seed"])
    return sweep(exam, request["given"], request["candidates"], request["seed"])


def peak_memory() -> int:
    """Give the most memory this process ever held, in bytes, Python and its libraries included.

    On Linux the kernel's own mark of this program is read: `getrusage` also counts what the process that started it
    held at that moment.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else KIB
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * KIB


def end_with_the_study() -> None:
    """End when whoever started this process is gone, however it went: the pipe that is our input closes then."""

    def wait() -> None:
        os.read(sys.stdin.fileno(), 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Read the request, write the answer."""
    end_with_the_study()
    request, answer = map(Path, sys.argv[1:3])
    record = work(json.loads(request.read_text(encoding="utf-8")))
    answer.write_text(json.dumps(record), encoding="utf-8")


if __name__ == "__main__":
    main()
