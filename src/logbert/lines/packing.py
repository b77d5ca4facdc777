"""Unpack gzip, bzip2, xz and zstd, known by their first bytes, in pieces of bounded size."""

from __future__ import annotations

import bz2
import lzma
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHUNK = 1 << 20  # bytes of a file, or of unpacked text, asked for at a time
ZSTD_CHUNK = 1 << 14  # packed bytes at a time: zstd gives all their text at once, up to thousands of times as much

DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


class Unpacker(Protocol):
    """One packed stream being unpacked."""

    @property
    def eof(self) -> bool:
        """Tell whether the stream has ended as it should."""

    @property
    def unused_data(self) -> bytes:
        """Give what came after the end of the stream."""

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        """Unpack some more, in pieces of bounded size."""


class _Gzip:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        while True:
            piece = self._inner.decompress(packed, CHUNK)
            packed = self._inner.unconsumed_tail
            yield piece
            if self.eof or (not packed and len(piece) < CHUNK):
                return


class _Bounded:
    def __init__(self, inner: bz2.BZ2Decompressor | lzma.LZMADecompressor) -> None:
        self._inner = inner

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        yield self._inner.decompress(packed, CHUNK)
        while not (self.eof or self._inner.needs_input):
            yield self._inner.decompress(b"", CHUNK)


class _Zstd:
    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor().decompressobj()

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        yield self._inner.decompress(packed)


PACKINGS: tuple[tuple[bytes, int, Callable[[], Unpacker]], ...] = (
    (b"\x1f\x8b", CHUNK, _Gzip),
    (b"BZh", CHUNK, lambda: _Bounded(bz2.BZ2Decompressor())),
    (b"\xfd7zXZ\0", CHUNK, lambda: _Bounded(lzma.LZMADecompressor())),
    (b"\x28\xb5\x2f\xfd", ZSTD_CHUNK, _Zstd),
)
LONGEST_MAGIC = max(len(magic) for magic, _, _ in PACKINGS)


def read_unpacked(path: Path, took: Callable[[int], None]) -> Iterator[bytes]:
    """Read a file in pieces, unpacked if it is packed; `took` is told how many bytes came from disk.

    Raises
    ------
    EOFError
        If a packed stream ends too early.
    OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError
        If the file cannot be read or a packed stream is damaged (`DAMAGE` names them all).
    """
    with path.open("rb") as file:
        head = file.peek(6)[:6]
        for magic, size, make in PACKINGS:
            if head.startswith(magic):
                yield from _unpack(_chunks(file.read, size, took), make)
                return
        yield from _chunks(file.read, CHUNK, took)


def unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack what comes in chunks, from a network or an archive, if it is packed; in pieces of bounded size.

    Raises
    ------
    EOFError
        If a packed stream ends too early.
    OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError
        If a packed stream is damaged.

    Examples
    --------
    >>> import gzip
    >>> b"".join(unpacked(iter([gzip.compress(b"one"), gzip.compress(b" two")])))
    b'one two'
    """
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= LONGEST_MAGIC:
            break
    whole = chain([head], chunks)
    for magic, size, make in PACKINGS:
        if head.startswith(magic):
            yield from _unpack(_sliced(whole, size), make)
            return
    yield from whole


def _sliced(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _chunks(read: Callable[[int], bytes], size: int, took: Callable[[int], None]) -> Iterator[bytes]:
    while chunk := read(size):
        took(len(chunk))
        yield chunk


def _unpack(chunks: Iterator[bytes], make: Callable[[], Unpacker]) -> Iterator[bytes]:
    """Unpack streams that may follow one another in a file, as appended logs and parallel packers leave them."""
    unpacker: Unpacker | None = None
    for chunk in chunks:
        rest = chunk
        while rest:
            if unpacker is None:
                rest = rest.lstrip(b"\0")  # tapes and block devices pad with zeros
                if not rest:
                    break
                unpacker = make()
            yield from unpacker.pieces(rest)
            rest = b""
            if unpacker.eof:
                rest, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise EOFError
