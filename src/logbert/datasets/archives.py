"""What an archive holds, one file after the other: only files, only below the folder they are unpacked to."""

from __future__ import annotations

import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO, cast

from logbert.errors import InputError
from logbert.lines.packing import DAMAGE, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

    from logbert.datasets.limits import Budget

CHUNK = 1 << 20
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
JUNK = {"__MACOSX", ".DS_Store"}


class DamagedError(InputError):
    """An archive is damaged, or ends too early."""


ARCHIVE_DAMAGE = (*DAMAGE, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Member:
    """One file of an archive.

    Attributes
    ----------
    path
        Where it belongs, below the folder.
    pieces
        Its content, to be read before the next member.
    """

    path: PurePosixPath
    pieces: Iterator[bytes]


def is_zip(name: str) -> bool:
    """Tell by its name whether an archive is one that must be there as a whole before anything can be read of it."""
    return name.lower().endswith(".zip")


def is_one_packed_file(name: str) -> bool:
    """Tell by its name whether an archive is no archive but a packed log, which is read as it is."""
    return not is_zip(name) and not is_tar(name)


def is_tar(name: str) -> bool:
    """Tell by its name whether an archive is a tape archive, packed or not."""
    return any(suffix in {".tar", ".tgz", ".tbz2"} for suffix in PurePosixPath(name.lower()).suffixes[-2:])


def read_chunks(path: Path) -> Iterator[bytes]:
    """Give a file in chunks."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def members_of_zip(path: Path, budget: Budget, left_out: Callable[[str], None]) -> Generator[Member]:
    """Give the files in a zip.

    Parameters
    ----------
    path
        The archive.
    budget
        How much may come out of it.
    left_out
        Is told the names of what is no file: links and devices.

    Raises
    ------
    InputError
        If a name leads out of the folder, or too much comes out.
    """
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            budget.count_file()
            inside = checked_path(entry.filename, path.name)
            if entry.is_dir() or _is_junk(inside):
                continue
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in {0, stat.S_IFREG}:
                left_out(entry.filename)
                continue
            if entry.flag_bits & 1:
                raise InputError(f"{path.name}: {entry.filename} is encrypted; this is not the published archive")
            with archive.open(entry) as file:
                yield Member(inside, _bounded(_pieces(cast("BinaryIO", file)), budget))


def members_of_tar(chunks: Iterator[bytes], budget: Budget, left_out: Callable[[str], None]) -> Generator[Member]:
    """Give the files in a tar, packed or not, as its bytes come in; parameters and errors as for a zip."""
    reader = _Reader(_bounded(unpacked(budget.earning(chunks)), budget))
    with tarfile.open(fileobj=cast("BinaryIO", reader), mode="r|", bufsize=CHUNK // 4) as archive:
        for entry in archive:
            budget.count_file()
            inside = checked_path(entry.name, budget.name)
            if entry.isdir() or _is_junk(inside):
                continue
            file = archive.extractfile(entry) if entry.isreg() else None
            if file is None:
                left_out(entry.name)
                continue
            with file:
                yield Member(inside, _pieces(cast("BinaryIO", file)))


def member_of_packed(chunks: Iterator[bytes], name: str, budget: Budget) -> Generator[Member]:
    """Give the one file in a .gz, .bz2 or .xz, by a name of our own, as its bytes come in."""
    yield Member(PurePosixPath(name), _bounded(unpacked(budget.earning(chunks)), budget))


def checked_path(name: str, archive: str) -> PurePosixPath:
    r"""Give a member's path below the folder; both slashes separate, as they do on Windows.

    Raises
    ------
    InputError
        If it leads anywhere else.

    Examples
    --------
    >>> str(checked_path("./preprocessed/anomaly_label.csv", "HDFS_v1.zip"))
    'preprocessed/anomaly_label.csv'
    >>> checked_path("../../.bashrc", "evil.zip")
    Traceback (most recent call last):
    ...
    logbert.errors.InputError: evil.zip: holds '../../.bashrc', which is no path below the folder; nothing was unpacked
    """
    path = PurePosixPath(name.replace("\\", "/"))
    windows = PureWindowsPath(name)
    if path.is_absolute() or windows.drive or windows.root or ".." in path.parts or CONTROL.search(name):
        raise InputError(f"{archive}: holds {name!r}, which is no path below the folder; nothing was unpacked")
    return path


@contextmanager
def reading(name: str, remedy: str) -> Iterator[None]:
    """Say of damage in an archive which one it is and what to do.

    Raises
    ------
    DamagedError
        If it is damaged, or ends too early.
    InputError
        If it is packed in a way that Python cannot unpack.
    """
    try:
        yield
    except NotImplementedError as error:
        raise InputError(
            f"{name}: is packed in a way unknown here ({error}); unpack it with another program"
        ) from error
    except ARCHIVE_DAMAGE as error:
        what = "ends too early" if isinstance(error, EOFError) else f"is damaged ({error})"
        raise DamagedError(f"{name}: {what}; {remedy}") from error


def _is_junk(path: PurePosixPath) -> bool:
    """Tell whether a file is what macOS adds of its own: no log, though it may be named like one."""
    return not JUNK.isdisjoint(path.parts) or path.name.startswith("._")


def _bounded(pieces: Iterator[bytes], budget: Budget) -> Iterator[bytes]:
    for piece in pieces:
        budget.spend(len(piece))
        yield piece


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(CHUNK):
        yield piece


class _Reader:
    """What `tarfile` reads from: the pieces one after the other, cut as it wishes."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def read(self, count: int) -> bytes:
        parts = []
        while count:
            if not self._rest:
                self._rest = next((piece for piece in self._pieces if piece), b"")
                if not self._rest:
                    break
            part, self._rest = self._rest[:count], self._rest[count:]
            parts.append(part)
            count -= len(part)
        return b"".join(parts)
