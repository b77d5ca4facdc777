"""Whether a set that is there is what was published, or at least what was fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from logbert.datasets.disk import size
from logbert.datasets.measuring import Measure, measure
from logbert.datasets.places import how_to_get, logs_in, sets_folder
from logbert.datasets.receipt import read_receipt
from logbert.errors import InputError
from logbert.lines.labels import read_labels
from logbert.lines.packing import DAMAGE
from logbert.progress import SILENT

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.datasets.catalogue import Count, Dataset
    from logbert.datasets.receipt import FileRecord, Receipt
    from logbert.progress import Progress, Step


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    what
        A file, or `lines`, `labels`, `archive`.
    good
        Whether it is as it should be; `None` if there is nothing to compare it with, or a published figure may be off.
    says
        What was found, and what should be.
    """

    what: str
    good: bool | None
    says: str


@dataclass(frozen=True)
class Verdict:
    """What was found of a set."""

    dataset: Dataset
    folder: Path
    findings: tuple[Finding, ...]

    @property
    def whole(self) -> bool:
        """Tell whether nothing is wrong with it."""
        return all(finding.good is not False for finding in self.findings)


def folder_of(dataset: Dataset, data: Path | None = None) -> Path | None:
    """Give the folder in which a set lies, whole or not: in `data`, else in the cache."""
    places = dict.fromkeys((sets_folder(data) / dataset.name, sets_folder() / dataset.name))
    return next((place for place in places if place.is_dir()), None)


def verify(dataset: Dataset, data: Path | None = None, *, progress: Progress = SILENT) -> Verdict:
    """Read a set through and compare it with its receipt and with what is published of it.

    Parameters
    ----------
    dataset
        An entry of the catalogue.
    data
        The folder that holds its folder; the cache is looked at, too.
    progress
        Is told of the bytes read.

    Raises
    ------
    InputError
        If it is not there at all.
    """
    folder = folder_of(dataset, data)
    if folder is None:
        raise InputError(f"{dataset.name} is not in {sets_folder(data)}; get it with: {how_to_get(dataset.name, data)}")
    receipt = read_receipt(folder)
    files = _files(folder, dataset, receipt)
    total = sum(path.stat().st_size for path in files if path.is_file())
    measured: dict[Path, Measure] = {}
    with progress.step(f"reading {dataset.name}", total, "B") as step:
        findings = [_look_at(folder, path, record, measured, step) for path, record in files.items()]
    logs = [measured[log] for log in logs_in(folder, dataset) if log in measured]
    if logs:
        findings.append(_count_lines(dataset, receipt, logs))
    findings += _count_labels(dataset, folder, logs)
    findings += _archive(dataset, receipt)
    return Verdict(dataset, folder, tuple(findings))


def _files(folder: Path, dataset: Dataset, receipt: Receipt | None) -> dict[Path, FileRecord | None]:
    """Give the files to look at: those of the receipt, or what must be there."""
    if receipt is not None:
        return {folder / record.path: record for record in receipt.files}
    wanted = [folder / log for log in dataset.logs if "*" not in log]
    if dataset.labels and dataset.labels.file:
        wanted.append(folder / dataset.labels.file)
    return dict.fromkeys([*wanted, *logs_in(folder, dataset)])


def _look_at(folder: Path, path: Path, record: FileRecord | None, measured: dict[Path, Measure], step: Step) -> Finding:
    name = path.relative_to(folder).as_posix()
    if not path.is_file():
        return Finding(name, good=False, says="is not there")
    try:
        found = measured[path] = measure(path, step.advance)
    except DAMAGE as error:
        return Finding(name, good=False, says="ends too early" if isinstance(error, EOFError) else f"damaged ({error})")
    if record is None:
        return Finding(name, good=None, says=f"{size(found.bytes)}, put there by hand: SHA-256 {found.sha256}")
    if found.bytes != record.bytes:
        return Finding(name, good=False, says=f"has {found.bytes:,} bytes, had {record.bytes:,} when it was unpacked")
    if found.sha256 != record.sha256:
        return Finding(name, good=False, says="is not as it was unpacked: its SHA-256 is another")
    return Finding(name, good=True, says=f"{size(found.bytes)}, SHA-256 as unpacked")


def _count_lines(dataset: Dataset, receipt: Receipt | None, logs: list[Measure]) -> Finding:
    lines = sum(log.lines for log in logs)
    first = receipt.first if receipt else None
    if first is not None:
        wanted = first if dataset.lines is None else min(first, dataset.lines)
        return Finding("lines", lines == wanted, f"{lines:,}, the first {wanted:,} were asked for")
    if dataset.lines is None:
        return Finding("lines", None, f"{lines:,}, nothing published to compare with")
    if lines == dataset.lines:
        return Finding("lines", good=True, says=f"{lines:,}, as published")
    # With the published checksum it is the publisher's count that is off, or made in another way.
    vouched = receipt is not None and receipt.published
    return Finding("lines", None if vouched else False, f"{lines:,}, published are {dataset.lines:,}")


def _count_labels(dataset: Dataset, folder: Path, logs: list[Measure]) -> list[Finding]:
    labels = dataset.labels
    if labels is None:
        return []
    if labels.kind == "other":
        return [Finding("labels", None, f"{labels.how}; not counted")]
    if labels.kind == "first column":
        if not logs:
            return []
        total, abnormal = sum(log.lines for log in logs), sum(log.alerts for log in logs)
    else:
        file = folder / (labels.file or "")
        if not file.is_file():
            return []
        read = read_labels(file)
        marks = read if isinstance(read, pl.Series) else read["abnormal"]
        total, abnormal = len(marks), int(marks.sum())
    return [_compare(total, abnormal, labels.unit, [count for count in (labels.known, labels.known_of_first) if count])]


def _compare(total: int, abnormal: int, unit: str, known: list[Count]) -> Finding:
    says = f"{abnormal:,} of {total:,} {unit} are abnormal"
    published = next((count for count in known if count.total == total), None)
    if published is None:
        return Finding("labels", None, f"{says}, nothing published to compare with")
    if published.abnormal == abnormal:
        return Finding("labels", good=True, says=f"{says}, as published")
    return Finding("labels", None, f"{says}, published are {published.abnormal:,}")


def _archive(dataset: Dataset, receipt: Receipt | None) -> list[Finding]:
    if receipt is None:
        return []
    if receipt.sha256 is None:
        return [Finding("archive", None, "only its beginning was fetched: no checksum to compare")]
    if receipt.published:
        return [Finding("archive", receipt.md5 == dataset.md5, f"MD5 {receipt.md5}, {dataset.checksums}")]
    return [Finding("archive", None, f"SHA-256 {receipt.sha256} on {receipt.fetched}; {dataset.checksums}")]
