"""What can be counted of a file in one reading: bytes, checksum, lines, and lines marked as alerts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.datasets.archives import read_chunks
from logbert.lines.packing import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NORMAL_LINE = b"\n- "  # BGL's manner: a line that begins with "-" is no alert


class LineCounter:
    r"""Counts lines, and those that do not begin with `-`, in text that comes in pieces.

    Examples
    --------
    >>> counter = LineCounter()
    >>> for piece in (b"- 1 fine\nFATAL 2 b", b"ad\n", b"- 3 fine"):
    ...     counter.update(piece)
    >>> counter.lines, counter.alerts
    (3, 1)
    """

    def __init__(self) -> None:
        self._ends = 0
        self._normal = 0
        self._tail = b"\n"

    def update(self, piece: bytes) -> None:
        """Count a piece more."""
        self._ends += piece.count(b"\n")
        text = self._tail + piece
        self._normal += text.count(NORMAL_LINE)
        self._tail = text[1 - len(NORMAL_LINE) :]

    @property
    def lines(self) -> int:
        """Lines so far; the last may want its end."""
        return self._ends + (not self._tail.endswith(b"\n"))

    @property
    def alerts(self) -> int:
        """Lines so far that do not begin with `-`."""
        return self.lines - self._normal


class Checksums:
    """The size and the checksums of what comes in chunks."""

    def __init__(self) -> None:
        self.bytes = 0
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._sha256 = hashlib.sha256()

    def update(self, chunk: bytes) -> None:
        """Take in a chunk more."""
        self.bytes += len(chunk)
        self._md5.update(chunk)
        self._sha256.update(chunk)

    @property
    def md5(self) -> str:
        """The MD5 so far: what archives publish."""
        return self._md5.hexdigest()

    @property
    def sha256(self) -> str:
        """The SHA-256 so far."""
        return self._sha256.hexdigest()


@dataclass(frozen=True)
class Measure:
    """What was counted of a file.

    Attributes
    ----------
    bytes, sha256
        Of the file as it lies there.
    lines, alerts
        Of its text, unpacked if it is packed.
    """

    bytes: int
    sha256: str
    lines: int
    alerts: int


def measure(path: Path, advanced: Callable[[int], None], spend: Callable[[int], None] = lambda _: None) -> Measure:
    """Read a file and count.

    Parameters
    ----------
    path
        The file, packed or not.
    advanced
        Is told how many bytes were read.
    spend
        Is told how many bytes came out of it, and may refuse.

    Raises
    ------
    OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError
        If it cannot be read, or is packed and damaged or cut short.
    """
    checksum = hashlib.sha256()
    count = 0

    def taken() -> Iterator[bytes]:
        nonlocal count
        for chunk in read_chunks(path):
            checksum.update(chunk)
            count += len(chunk)
            advanced(len(chunk))
            yield chunk

    lines = LineCounter()
    for piece in unpacked(taken()):
        spend(len(piece))
        lines.update(piece)
    return Measure(count, checksum.hexdigest(), lines.lines, lines.alerts)
