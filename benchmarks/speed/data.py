"""What is measured on: made on demand in a temporary folder, each once a run, by processes of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import copies
from benchmarks.speed.measure import Command, call, run

if TYPE_CHECKING:
    from benchmarks.speed.measure import Work

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
LOGHUB_LINES = 2_000
BARE_COPIES = 10  # as many copies of a system's messages are written for the peers


class MissingDataError(Exception):
    """The real logs are not there."""


class Data:
    """The logs and models of one run.

    Parameters
    ----------
    folder
        Where they are made.
    shared
        Where the real logs are.
    """

    def __init__(self, folder: Path, shared: Path = SHARED) -> None:
        self.folder = folder
        self.shared = shared

    def real(self, name: str) -> Path:
        """Give one of the real logs."""
        path = self.shared / name
        if not path.is_file():
            raise MissingDataError(f"{name} is not in {self.shared}")
        return path

    def out(self, name: str) -> Path:
        """Give a place to write to."""
        return self.folder / "out" / name

    def made(self, name: str, work: Work) -> Path:
        """Give a file of this folder, made by this work if it is not there yet."""
        path = self.folder / name
        if not path.exists():
            self.out("").mkdir(parents=True, exist_ok=True)
            run(work)
        return path

    def hdfs(self, times: int = 1) -> Path:
        """Give the HDFS sample so many times (222,579 lines each), with fresh ids and later days."""
        log, messages = self.folder / f"hdfs{times}.log", self.folder / f"hdfs{times}.messages"
        sample = self.real("hdfs/HDFS_sample.log.gz")
        return self.made(log.name, call(copies.write_hdfs, sample=sample, log=log, messages=messages, copies=times))

    def hdfs_messages(self) -> Path:
        """Give the messages of the HDFS sample, without headers, one a line."""
        return self.hdfs().with_suffix(".messages")

    def loghub(self, system: str, lines: int) -> Path:
        """Give one of loghub's twelve systems, repeated with fresh numbers to so many lines."""
        log = self.folder / f"{system}{lines}.log"
        work = call(
            copies.write_loghub,
            sample=self.real(f"loghub_2k/{system}_2k.log"),
            structured=self.real(f"loghub_2k/{system}_2k.log_structured_corrected.csv"),
            log=log,
            messages=log.with_suffix(".messages"),
            copies=lines // LOGHUB_LINES,
            bare_copies=BARE_COPIES,
        )
        return self.made(log.name, work)

    def loghub_messages(self, system: str, lines: int) -> Path:
        """Give messages of such a log, without headers, one a line: its first ten copies."""
        return self.loghub(system, lines).with_suffix(".messages")

    def prose(self, count: int) -> Path:
        """Give so many messages of free text, all different."""
        log = self.folder / f"prose{count}.log"
        return self.made(log.name, call(copies.write_prose, log=log, count=count, seed=0))

    def model(self, detector: str) -> Path:
        """Give a model trained on the HDFS sample."""
        model = self.folder / f"{detector}.model"
        arguments = ("train", str(self.hdfs()), "-o", str(model), "--detector", detector, "--quiet")
        return self.made(model.name, Command(arguments))
