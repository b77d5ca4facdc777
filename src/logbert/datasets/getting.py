"""Get a set: fetched, checked, unpacked, and only then in its place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from logbert.atomic import whole_folder
from logbert.datasets.archives import (
    is_one_packed_file,
    is_zip,
    member_of_packed,
    members_of_tar,
    members_of_zip,
    read_chunks,
    reading,
)
from logbert.datasets.disk import need_room, say_disk
from logbert.datasets.download import PATIENCE, ChangedError
from logbert.datasets.fetching import LOCAL_REMEDY, Archive
from logbert.datasets.limits import LIMITS, Budget
from logbert.datasets.measuring import measure
from logbert.datasets.places import is_complete, is_intact, logs_in, sets_folder
from logbert.datasets.receipt import FileRecord, Receipt, read_receipt
from logbert.datasets.unpacking import Cut, write_members
from logbert.datasets.web import check_url
from logbert.errors import InputError, OptionError
from logbert.progress import SILENT

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.datasets.catalogue import Dataset
    from logbert.datasets.download import Patience
    from logbert.datasets.fetching import Beginning
    from logbert.datasets.limits import Limits
    from logbert.datasets.measuring import Checksums
    from logbert.progress import Progress

VERSIONS = 3  # how often a server may change the file under our hands


@dataclass(frozen=True)
class Got:
    """A set that is there.

    Attributes
    ----------
    dataset
        Which one.
    folder
        Where it lies.
    receipt
        What was fetched; `None` if someone put it there by hand.
    fresh
        Whether it was fetched just now.
    """

    dataset: Dataset
    folder: Path
    receipt: Receipt | None
    fresh: bool


def get(
    dataset: Dataset,
    data: Path | None = None,
    *,
    first: int | None = None,
    base: str | None = None,
    patience: Patience = PATIENCE,
    limits: Limits = LIMITS,
    progress: Progress = SILENT,
) -> Got:
    """Fetch a set, check it and unpack it, unless it is there.

    Parameters
    ----------
    dataset
        An entry of the catalogue.
    data
        The folder to put its folder into; the cache's, if `None`.
    first
        Take only so many lines of its log. Of an archive that can be read as it comes, no more than needed is fetched.
        If more are there already, they are left as they are.
    base
        Another server's folder with the same file.
    patience, limits
        How long to bear with the server, and how much the archive may unpack to.
    progress
        Is told how it goes.

    Raises
    ------
    InputError
        If it cannot be fetched, is not the published file, or cannot be written.
    OptionError
        If `first` or `base` make no sense for it, or something else lies where it would go.
    """
    _check_options(dataset, first, base)
    archive = Archive(dataset, sets_folder(data), base or dataset.base, patience, progress)
    home = archive.folder / dataset.name
    if there := _what_is_there(dataset, home, first):
        return there
    work = _Work(dataset, archive, home, first, limits, progress)
    for _ in range(VERSIONS):
        try:
            receipt = work.have_first_lines(first) if first and not is_zip(dataset.archive) else work.have_all()
        except ChangedError:
            progress.note(f"{archive.url}: what is here is not the beginning of what is there now; beginning anew")
        else:
            return Got(dataset, home, receipt, fresh=True)
    raise InputError(f"{archive.url}: the server's file changes at every try; try another --url, {archive.by_hand}")


def _check_options(dataset: Dataset, first: int | None, base: str | None) -> None:
    if base is not None:
        check_url(base)
    if first is not None and first < 1:
        raise OptionError(f"{first} lines are none; give how many to take, such as 1000000")
    if first is not None and not dataset.is_one_log:
        raise OptionError(f"{dataset.name} is many logs, of which the first lines mean nothing; get all of it")


def _what_is_there(dataset: Dataset, home: Path, first: int | None) -> Got | None:
    """Give what lies there, if it is as much as is asked for; refuse to replace what is not ours."""
    receipt = read_receipt(home)
    if receipt is not None:
        # More lines than asked for are never thrown away for fewer.
        enough = receipt.first is None or (first is not None and receipt.first >= first)
        return Got(dataset, home, receipt, fresh=False) if enough and is_intact(home, receipt) else None
    if is_complete(home, dataset):
        return Got(dataset, home, None, fresh=False)
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise OptionError(f"{home} holds something else; move it away, or name another folder with -o")
    return None


@dataclass(frozen=True)
class _Work:
    dataset: Dataset
    archive: Archive
    home: Path
    first: int | None
    limits: Limits
    progress: Progress

    def have_all(self) -> Receipt:
        """Have the whole archive, then unpack it."""
        stays_packed = is_one_packed_file(self.dataset.archive)
        if not stays_packed:
            need_room(self.archive.folder, self.archive.missing + self._room(), f"all of {self.dataset.name}")
        whole = self.archive.whole()
        self._compare_with_earlier(whole.sums)
        if stays_packed:
            files = self._measure_packed()
            with whole_folder(self.home) as home:
                self._move_into(home)
                return self._sign(home, whole.source, files, whole.sums)
        with whole_folder(self.home) as home:
            files = self._unpack(home)
            receipt = self._sign(home, whole.source, files, whole.sums)
        self.archive.path.unlink(missing_ok=True)
        return receipt

    def have_first_lines(self, first: int) -> Receipt:
        """Read the archive as it comes, and stop when there are lines enough."""
        need_room(self.archive.folder, self._room(), f"{first:,} lines of {self.dataset.name}")
        with self.archive.beginning() as beginning, whole_folder(self.home) as home:
            files = self._write_first_lines(beginning, home, first)
            return self._sign(home, beginning.source, files)

    def _unpack(self, home: Path) -> tuple[FileRecord, ...]:
        name, path = self.dataset.archive, self.archive.path
        zipped = is_zip(name)
        budget = Budget(name, self.limits, path.stat().st_size if zipped else 0)
        cut = None if self.first is None else Cut(self.dataset.logs[0], self.first, then_stop=False)
        total, unit = (self._room() or None, "B") if cut is None else (cut.first, "lines")
        with reading(str(path), LOCAL_REMEDY), self.progress.step(f"unpacking {name}", total, unit) as step:
            if zipped:
                return write_members(members_of_zip(path, budget, self._left_out), home, name, step, cut)
            return write_members(members_of_tar(read_chunks(path), budget, self._left_out), home, name, step, cut)

    def _write_first_lines(self, beginning: Beginning, home: Path, first: int) -> tuple[FileRecord, ...]:
        name = self.dataset.archive
        budget = Budget(name, self.limits)
        if is_one_packed_file(name):
            log = f"{self.archive.path.stem}.log"
            members = member_of_packed(beginning.chunks, log, budget)
        else:
            log = self.dataset.logs[0]
            members = members_of_tar(beginning.chunks, budget, self._left_out)
        with reading(beginning.source, beginning.remedy), self.progress.step(f"fetching {log}", first, "lines") as step:
            return write_members(members, home, name, step, Cut(log, first, then_stop=True))

    def _measure_packed(self) -> tuple[FileRecord, ...]:
        """Read a packed log through: it stays packed, but must be whole."""
        path = self.archive.path
        total = path.stat().st_size
        budget = Budget(path.name, self.limits, total)
        with reading(str(path), LOCAL_REMEDY), self.progress.step(f"reading {path.name} through", total, "B") as step:
            found = measure(path, step.advance, budget.spend)
        return (FileRecord(path.name, found.bytes, found.sha256, found.lines),)

    def _move_into(self, home: Path) -> None:
        try:
            self.archive.path.replace(home / self.archive.path.name)
        except OSError as error:
            raise InputError(say_disk(home, error)) from error

    def _sign(self, home: Path, source: str, files: tuple[FileRecord, ...], sums: Checksums | None = None) -> Receipt:
        """Check that the log is there, and write the receipt."""
        if not logs_in(home, self.dataset):
            held = ", ".join(file.path for file in files[:5]) or "nothing"
            raise InputError(
                f"{source}: holds no {' or '.join(self.dataset.logs)}, but {held}; it is not the set we know"
            )
        receipt = Receipt(
            dataset=self.dataset.name,
            url=source,
            fetched=datetime.now(UTC).isoformat(timespec="seconds"),
            first=self.first,
            bytes=sums.bytes if sums else None,
            md5=sums.md5 if sums else None,
            sha256=sums.sha256 if sums else None,
            published=sums is not None and self.dataset.md5 is not None,
            files=files,
        )
        try:
            receipt.write(home)
        except OSError as error:
            raise InputError(say_disk(home, error)) from error
        return receipt

    def _compare_with_earlier(self, sums: Checksums) -> None:
        """Say so if a file whose checksum nobody publishes is not the one fetched before."""
        earlier = read_receipt(self.home)
        if earlier and not earlier.published and earlier.sha256 not in {None, sums.sha256}:
            self.progress.note(f"{self.dataset.archive}: this is not the file that was fetched on {earlier.fetched}")

    def _room(self) -> int:
        """Give about how much it will take on the disk."""
        known = self.dataset.unpacked or 0
        if self.first is None or not self.dataset.lines:
            return known
        return known * min(self.first, self.dataset.lines) // self.dataset.lines

    def _left_out(self, name: str) -> None:
        self.progress.note(f"{self.dataset.archive}: {name!r} is a link or a device and was left out")
