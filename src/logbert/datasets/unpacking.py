"""Write what an archive holds into a folder, all of it or the first lines of its log."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from logbert.datasets.disk import say_disk
from logbert.datasets.measuring import LineCounter
from logbert.datasets.receipt import NAME as RECEIPT
from logbert.datasets.receipt import FileRecord
from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from logbert.datasets.archives import Member
    from logbert.progress import Step


@dataclass(frozen=True)
class Cut:
    """Where to stop.

    Attributes
    ----------
    log
        The pattern of the log that is cut.
    first
        How many of its lines are taken.
    then_stop
        Whether nothing that comes after it is wanted.
    """

    log: str
    first: int
    then_stop: bool


def write_members(
    members: Generator[Member], folder: Path, name: str, step: Step, cut: Cut | None = None
) -> tuple[FileRecord, ...]:
    """Write files into a folder.

    Parameters
    ----------
    members
        The files, one after the other.
    folder
        An empty folder.
    name
        The archive, for errors.
    step
        Is told of bytes written; of lines, if the log is cut.
    cut
        Which of them to cut, and where.

    Raises
    ------
    InputError
        If two of them have the same name, on any system, or the disk does not take them.
    """
    records: list[FileRecord] = []
    taken = {RECEIPT}
    with closing(members):
        for member in members:
            # Names that differ in case only are one file on Windows and macOS.
            key = str(member.path).casefold()
            if key in taken:
                raise InputError(f"{name}: holds {member.path} twice; it is not the published archive, remove it")
            taken.add(key)
            here = cut if cut is not None and member.path.match(cut.log) else None
            record = _write(member, folder, step, here, by_lines=cut is not None)
            records.append(record)
            if here is not None and here.then_stop and record.lines >= here.first:
                break
    return tuple(records)


def first_lines(pieces: Iterator[bytes], count: int) -> Iterator[bytes]:
    r"""Give the pieces of a text up to the end of its line `count`; reads no piece further.

    Examples
    --------
    >>> b"".join(first_lines(iter([b"1\n2", b"\n3\n4\n"]), 3))
    b'1\n2\n3\n'
    """
    left = count
    for piece in pieces:
        ends = piece.count(b"\n")
        if ends < left:
            left -= ends
            yield piece
            continue
        yield piece[: len(piece) - len(piece.split(b"\n", left)[left])]
        return


def _write(member: Member, folder: Path, step: Step, cut: Cut | None, *, by_lines: bool) -> FileRecord:
    pieces = member.pieces if cut is None else first_lines(member.pieces, cut.first)
    checksum, lines, written = hashlib.sha256(), LineCounter(), 0
    target = folder / member.path
    with _Target(target) as file:
        for piece in pieces:
            file.write(piece)
            checksum.update(piece)
            written += len(piece)
            before = lines.lines
            lines.update(piece)
            if not by_lines:
                step.advance(len(piece))
            elif cut is not None:
                step.advance(lines.lines - before)
    return FileRecord(member.path.as_posix(), written, checksum.hexdigest(), lines.lines)


class _Target:
    """A new file; whatever the disk has against it is said in a line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Self:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("xb")
        except OSError as error:
            raise InputError(say_disk(self.path, error)) from error
        return self

    def write(self, piece: bytes) -> None:
        try:
            self._file.write(piece)
        except OSError as error:
            raise InputError(say_disk(self.path, error)) from error

    def __exit__(self, *_: object) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise InputError(say_disk(self.path, error)) from error
