"""Bytes out of a file, whatever it is packed in: blocks of UTF-8 text that end where a line ends."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from logbert.errors import InputError
from logbert.lines.packing import DAMAGE, read_unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LONGEST_LINE = 1 << 27  # bytes; a longer line is cut here and counted
SNIFF = 1 << 16  # bytes looked at to tell text from the rest

# Openings of files that are not text, and what to do about each.
NOT_TEXT = (
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"PAR1", "a Parquet file; logs are text (sequences in Parquet go in by their own option)"),
    (b"LPKSHHRH", "a systemd journal; pipe `journalctl -o export` in instead"),
    (b"ElfFile\x00", "a Windows event log; export it as text first"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture"),
    (b"%PDF", "a PDF"),
)
CONTROL = bytes({*range(1, 9), *range(14, 27), *range(28, 32), 127})
CONTROL_SHARE = 0.05  # of the bytes looked at; logs hold next to none
ODD_NULS = 0.3  # share of odd (or even) bytes that are NUL in UTF-16 text without a mark


class NotTextError(InputError):
    """A file holds something other than text; in a folder it is left out, by name it is refused."""


@dataclass
class Intake:
    """What went through a stream, and what had to be put right on the way.

    Attributes
    ----------
    bytes
        Bytes taken from disk.
    lines
        Lines read, as whoever makes lines of the blocks counts them.
    nuls
        NUL bytes found; a run of them is one mark in the text, or nothing at the ends of a line.
    cut
        Lines cut because they were longer than any line is read.
    """

    bytes: int = 0
    lines: int = 0
    nuls: int = 0
    cut: int = 0
    advanced: Callable[[int], None] = field(default=lambda _: None)

    def take(self, count: int) -> None:
        """Count bytes taken from disk."""
        self.bytes += count
        self.advanced(count)


def read_blocks(path: Path, name: str, block_bytes: int, intake: Intake) -> Iterator[bytes]:
    """Read a file as blocks of about `block_bytes`, each ending at the end of a line, unpacked and as UTF-8.

    Raises
    ------
    NotTextError
        If the file is not text.
    InputError
        If it cannot be read, or is packed and damaged or cut short; what could be read was given before.
    """
    parts: list[bytes] = []
    held = 0
    try:
        for piece in _without_nuls(_text(path, name, intake), intake):
            parts.append(piece)
            held += len(piece)
            if held < block_bytes:
                continue
            block, rest = _cut_at_line(b"".join(parts), intake)
            parts, held = [rest], len(rest)
            if block:
                yield block
    except DAMAGE as error:
        whole = b"".join(parts)
        end = whole.rfind(b"\n") + 1
        if end:
            yield whole[:end]
        raise InputError(_say_damage(name, error, intake.lines)) from error
    whole = b"".join(parts)
    if whole:
        yield whole


def _say_damage(name: str, error: BaseException, lines: int) -> str:
    if isinstance(error, PermissionError):
        return f"{name}: no permission to read it; change its permissions or run as a user who may"
    what = "it ends too early" if isinstance(error, EOFError) else f"it is damaged ({error})"
    return f"{name}: {what}; {lines:,} lines before that could be read. Get a whole copy, or leave this file out"


def _cut_at_line(buffer: bytes, intake: Intake) -> tuple[bytes, bytes]:
    end = buffer.rfind(b"\n") + 1
    if end:
        return buffer[:end], buffer[end:]
    if len(buffer) < LONGEST_LINE:
        return b"", buffer
    intake.cut += 1
    start = len(buffer)
    while start > len(buffer) - 4 and buffer[start - 1] & 0xC0 == 0x80:  # not inside a character
        start -= 1
    start -= buffer[start - 1] >= 0xC0
    return buffer[:start] + b"\n", buffer[start:]


def _text(path: Path, name: str, intake: Intake) -> Iterator[bytes]:
    """Unpack, refuse what is not text, and bring UTF-16 to UTF-8."""
    pieces = read_unpacked(path, intake.take)
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= SNIFF:
            break
    check_text(head, name)
    encoding, mark = _encoding(head)
    if encoding == "utf-8":
        yield head[mark:]
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(head[mark:]).encode("utf-8", "replace")
    for piece in pieces:
        yield decoder.decode(piece).encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")


def _encoding(head: bytes) -> tuple[str, int]:
    """Tell the encoding and how many bytes its mark takes."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if head.startswith(mark):
            return encoding, len(mark)
    half = len(head) // 2
    if half >= 8:
        even, odd = head[::2].count(0) / half, head[1::2].count(0) / half
        if odd > ODD_NULS and even < ODD_NULS / 5:
            return "utf-16-le", 0
        if even > ODD_NULS and odd < ODD_NULS / 5:
            return "utf-16-be", 0
    return "utf-8", 0


def check_text(head: bytes, name: str) -> None:
    """Refuse a file whose first bytes are not those of a text."""
    for magic, what in NOT_TEXT:
        if head.startswith(magic):
            raise NotTextError(f"{name}: this is {what}")
    if head[257:262] == b"ustar":
        raise NotTextError(f"{name}: this is a tar archive; unpack it and name the folder")
    if _encoding(head)[0] != "utf-8":
        return
    text = head.replace(b"\0", b"")
    control = len(text) - len(text.translate(None, CONTROL))
    if control > CONTROL_SHARE * len(text) or (head and not text):
        raise NotTextError(f"{name}: this does not look like text; name the log files themselves")


def _without_nuls(pieces: Iterator[bytes], intake: Intake) -> Iterator[bytes]:
    """Make each run of NULs one NUL, so that a log padded with gigabytes of them stays small."""
    ended = False
    for piece in pieces:
        if b"\0" not in piece:
            ended = False
            yield piece
            continue
        intake.nuls += piece.count(b"\0")
        short = re.sub(rb"\0+", b"\0", piece)
        if ended and short.startswith(b"\0"):
            short = short[1:]
        ended = piece.endswith(b"\0")
        yield short
