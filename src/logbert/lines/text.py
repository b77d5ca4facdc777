"""Blocks of bytes to lines: a Polars series of readable text, with what had to be replaced counted."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from logbert.alike import ALIKE, likeness

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
NUL_MARK = "\N{SYMBOL FOR NULL}"

_COLOURS = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_NULS_AT_ENDS = re.compile(rb"^\0+|\0+$", re.MULTILINE)


@dataclass
class Repairs:
    """What was replaced to make text readable.

    Attributes
    ----------
    invalid
        Places that are not UTF-8, each now a replacement character.
    colours
        Terminal colour codes taken out.
    """

    invalid: int = 0
    colours: int = 0


def to_lines(block: bytes, repairs: Repairs) -> pl.Series:
    r"""Give the lines of a block of text, without their line ends.

    >>> to_lines(b"one\r\ntwo\xff\n", repairs := Repairs()).to_list(), repairs.invalid
    (['one', 'two\ufffd'], 1)
    """
    return _split(_readable(block, repairs))


def to_lines_and_likenesses(block: bytes, repairs: Repairs, seed: int = 0) -> tuple[pl.Series, pl.Series]:
    r"""Give the lines of a block of text, and of each line the hash of its likeness.

    Lines that two formats read are not alike, whatever they look like: each has its `seed`.

    >>> lines, alike = to_lines_and_likenesses(b"took 3 ms\ntook 8 ms\n", Repairs())
    >>> lines.to_list(), alike.n_unique()
    (['took 3 ms', 'took 8 ms'], 1)
    """
    text = _readable(block, repairs)
    return _split(text), _split(likeness(text)).hash(seed).alias(ALIKE)


def _split(text: bytes) -> pl.Series:
    lines = pl.Series("text", [text], dtype=pl.Binary).cast(pl.String).str.split("\n").explode()
    return lines.head(-1) if text.endswith(b"\n") else lines


def _readable(block: bytes, repairs: Repairs) -> bytes:
    """Give a block as UTF-8 with whole lines that end in LF, but for the last."""
    if not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError:
            text = block.decode("utf-8", "replace")
            repairs.invalid += text.count(REPLACEMENT) - block.count(REPLACEMENT.encode())
            block = text.encode()
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    if b"\x1b" in block:
        block, count = _COLOURS.subn(b"", block)
        repairs.colours += count
    if b"\0" in block:
        block = _NULS_AT_ENDS.sub(b"", block).replace(b"\0", NUL_MARK.encode())
    return block
