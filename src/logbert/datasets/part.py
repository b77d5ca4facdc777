"""The half of a file that is being fetched: kept under another name until it is whole."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Self

from logbert.datasets.disk import say_disk
from logbert.errors import InputError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from pathlib import Path
    from types import TracebackType

CHUNK = 1 << 20


@dataclass(frozen=True)
class Origin:
    """What a half file is the half of: the address, the version and the size of the whole, as far as known."""

    url: str
    validator: str | None = None
    total: int | None = None


class Part:
    """`X.part` beside where X will be, and `X.part.json`: what it is a part of.

    Used as a context, it belongs to this process alone; what was written stays when the context ends.

    Parameters
    ----------
    target
        Where the whole will be.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = part_of(target)
        self.memo = target.with_name(f"{target.name}.part.json")

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
            self._file = self.path.open("r+b", buffering=0)  # no buffer that a full disk could leave behind
        except OSError as error:
            raise InputError(say_disk(self.path.parent, error)) from error
        if not _claim(self._file):
            self._file.close()
            raise InputError(f"{self.path}: another process is fetching this file; wait for it, or name another folder")
        self.size = self.path.stat().st_size
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
        if self.path.exists() and not self.path.stat().st_size:
            self.remove()

    def origin(self) -> Origin | None:
        """Tell what it is a part of, if that was kept."""
        try:
            return Origin(**json.loads(self.memo.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def belongs_to(self, origin: Origin) -> None:
        """Keep what it is a part of."""
        if origin != self.origin():
            try:
                self.memo.write_text(json.dumps(asdict(origin)), encoding="utf-8")
            except OSError as error:
                raise InputError(say_disk(self.memo.parent, error)) from error

    def kept(self) -> Iterator[bytes]:
        """Give what is there, from the first byte on."""
        self._file.seek(0)
        while chunk := self._file.read(CHUNK):
            yield chunk

    def append(self, chunk: bytes) -> None:
        """Add to its end; what a full disk still took of it counts as there."""
        rest = memoryview(chunk)
        self._file.seek(self.size)
        while rest:
            try:
                written = self._file.write(rest)
            except OSError as error:
                raise InputError(f"{say_disk(self.path.parent, error)}; what was fetched is kept") from error
            self.size += written
            rest = rest[written:]

    def empty(self) -> None:
        """Forget what is there."""
        self._file.truncate(0)
        self.size = 0
        self.memo.unlink(missing_ok=True)

    def become_whole(self) -> None:
        """Give it the name of the whole."""
        self._file.close()
        self.path.replace(self.target)
        self.memo.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove it."""
        self._file.close()
        self.path.unlink(missing_ok=True)
        self.memo.unlink(missing_ok=True)


def part_of(target: Path) -> Path:
    """Give the name the half of a file has."""
    return target.with_name(f"{target.name}.part")


def _claim(file: FileIO) -> bool:
    """Keep others from writing to a file until it is closed; the system lets go of it if we are killed."""
    try:
        if sys.platform == "win32":
            file.seek(1 << 62)  # a byte that is never there, so that all others can be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
