"""Blocks of bytes to lines: a Polars series of readable text, with what had to be replaced counted."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
NUL_MARK = "\N{SYMBOL FOR NULL}"

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NULS_AT_ENDS = re.compile(r"^\0+|\0+$", re.MULTILINE)


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
    whole = memoryview(block)[: len(block) - block.endswith(b"\n")]
    try:
        text = str(whole, "utf-8")
    except UnicodeDecodeError:
        text = str(whole, "utf-8", "replace")
        repairs.invalid += text.count(REPLACEMENT) - block.count(REPLACEMENT.encode())
    if b"\r" in block:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    if b"\x1b[" in block:
        text, count = _COLOURS.subn("", text)
        repairs.colours += count
    if b"\0" in block:
        text = _NULS_AT_ENDS.sub("", text).replace("\0", NUL_MARK)
    return pl.Series("text", [text], dtype=pl.String).str.split("\n").explode()
