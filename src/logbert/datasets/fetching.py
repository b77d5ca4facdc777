"""Have the archive of a set: from the network or put there by hand, and checked against what is published of it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.datasets.archives import DamagedError, read_chunks
from logbert.datasets.download import ChangedError, Download
from logbert.datasets.measuring import Checksums
from logbert.datasets.part import Part, part_of
from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from logbert.datasets.catalogue import Dataset
    from logbert.datasets.download import Patience
    from logbert.progress import Progress


LOCAL_REMEDY = "remove it, and the same command fetches it"
REMOTE_REMEDY = "what came was thrown away: try another --url"


@dataclass(frozen=True)
class Whole:
    """An archive that is there, whole and checked: where it came from, and its checksums."""

    source: str
    sums: Checksums


@dataclass(frozen=True)
class Beginning:
    """An archive that is read as it comes.

    Attributes
    ----------
    source
        Where it comes from.
    chunks
        What comes.
    remedy
        What to do if it is damaged.
    """

    source: str
    chunks: Iterator[bytes]
    remedy: str


@dataclass(frozen=True)
class Archive:
    """The archive of a set.

    Attributes
    ----------
    dataset
        The set.
    folder
        Where the archive lies until it is unpacked, and where people may put it.
    base
        The URL of its folder.
    patience, progress
        How long to bear with the server, and who is told.
    """

    dataset: Dataset
    folder: Path
    base: str
    patience: Patience
    progress: Progress

    @property
    def path(self) -> Path:
        """Where it lies when it is whole."""
        return self.folder / self.dataset.archive

    @property
    def url(self) -> str:
        """Where it is fetched from."""
        return f"{self.base.rstrip('/')}/{self.dataset.archive}"

    @property
    def missing(self) -> int:
        """How many bytes of it are still to be fetched, about."""
        if self.path.is_file():
            return 0
        part = part_of(self.path)
        have = part.stat().st_size if part.is_file() else 0
        return max((self.dataset.size or 0) - have, 0)

    @property
    def by_hand(self) -> str:
        """What people can do if we cannot."""
        page = f" (see {self.dataset.page})" if self.dataset.page else ""
        return f"or fetch it by hand{page}, put it at {self.path} and run this again"

    def whole(self) -> Whole:
        """Have all of it.

        Raises
        ------
        ChangedError
            If it must be begun anew.
        InputError
            If it cannot be had, or is not the published file.
        """
        return self._check_what_lies_there() if self.path.is_file() else self._fetch()

    @contextmanager
    def beginning(self) -> Iterator[Beginning]:
        """Have as much of it as is read; when the context ends well the rest is not wanted any more.

        Raises
        ------
        ChangedError
            If it must be begun anew.
        InputError
            If it cannot be had; what came is kept, unless it is damaged.
        """
        if self.path.is_file():
            yield Beginning(str(self.path), read_chunks(self.path), LOCAL_REMEDY)
            return
        with Part(self.path) as part:
            download = self._download(part, whole=False)
            try:
                with closing(self._or_by_hand(download.chunks())) as chunks:
                    yield Beginning(self.url, chunks, f"{REMOTE_REMEDY}, {self.by_hand}")
            except DamagedError:
                self._throw_away(part, download)
                raise
            part.remove()

    def _fetch(self) -> Whole:
        """Fetch it; only when it is checked it has its name."""
        dataset, sums = self.dataset, Checksums()
        with (
            Part(self.path) as part,
            self.progress.step(f"fetching {dataset.archive}", total=dataset.size, unit="B") as step,
        ):
            download = self._download(part, whole=True)
            with closing(self._or_by_hand(download.chunks())) as chunks:
                for chunk in chunks:
                    sums.update(chunk)
                    step.advance(len(chunk))
            if wrong := self._what_is_wrong(sums):
                self._throw_away(part, download)
                raise InputError(f"{self.url}: {wrong}; {REMOTE_REMEDY}, {self.by_hand}")
            part.become_whole()
        return Whole(self.url, sums)

    def _check_what_lies_there(self) -> Whole:
        """Check an archive that was put there by hand, or left when its unpacking was broken off."""
        sums = Checksums()
        with self.progress.step(f"checking {self.path.name}", self.path.stat().st_size, "B") as step:
            for chunk in read_chunks(self.path):
                sums.update(chunk)
                step.advance(len(chunk))
        if wrong := self._what_is_wrong(sums):
            raise InputError(f"{self.path}: {wrong}; {LOCAL_REMEDY}")
        return Whole(str(self.path), sums)

    def _download(self, part: Part, *, whole: bool) -> Download:
        return Download(
            self.url,
            part,
            expected=self.dataset.bytes,
            whole=whole,
            checked=whole and self.dataset.md5 is not None,
            patience=self.patience,
            progress=self.progress,
        )

    def _throw_away(self, part: Part, download: Download) -> None:
        """Empty a part that is wrong; if it was begun in an earlier run, the file deserves to be seen once as it is."""
        part.empty()
        if download.resumed:
            raise ChangedError

    def _or_by_hand(self, chunks: Iterator[bytes]) -> Generator[bytes]:
        """Add to what goes wrong on the way that people can fetch, too."""
        try:
            yield from chunks
        except InputError as error:
            raise InputError(f"{error}; {self.by_hand}") from error

    def _what_is_wrong(self, sums: Checksums) -> str:
        dataset = self.dataset
        if dataset.bytes is not None and sums.bytes != dataset.bytes:
            return f"it has {sums.bytes:,} bytes, the published file {dataset.bytes:,}"
        if dataset.md5 is not None and sums.md5 != dataset.md5:
            return f"its checksum (MD5 {sums.md5}) is not the published one ({dataset.md5})"
        return ""
