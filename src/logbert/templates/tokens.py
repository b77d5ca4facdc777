r"""Masked messages cut into words, as numbers: what grouping and matching work on.

A token is a word with the blank before it, one separating sign, or a run of wildcards; joined, tokens give their
message back. A value that is left out (`user= rhost=`, `""`, ` ()`) is a token too, an empty one, so that a message
with the value and one without have the same number of tokens.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import IntEnum
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_CHARACTERS = 4096
MOST_TOKENS = 128
_LONGEST_UNIT = 8

EMPTY = "\x00"
"""Stands where a value was left out; control characters never survive masking as tokens of their own."""

HOLE = "\x01"
"""Stands in a template where different words were seen, and any word fits; the template's text shows it as `<*>`."""

REST = " <*>"
"""Stands for all that follows after `MOST_TOKENS` tokens."""

_SIGNS = r"""=,;()\[\]{}"':|"""
_RUN = r"<\*>(?:[ ,;:/.+\-]*<\*>)*"
_WORD = rf"(?:[A-Za-z]'[A-Za-z]|<\*>|[^\s{_SIGNS}]|:[^\s{_SIGNS}])+"
_LIST = rf"{_WORD}(?:, ?{_WORD}){{2,}}"
SPAN = rf" ?(?:{_RUN}|[^\s,;]+|[,;])"
TOKEN = rf"\x00| ?(?:{_RUN}|{_LIST}|{_WORD}|[{_SIGNS}])"


_WILDS = ["<*>", " <*>", HOLE, " " + HOLE]


class Kind(IntEnum):
    """What a token looks like, which decides how soon it is taken for a value."""

    SIGN = 0
    """No letter and no digit."""
    WORD = 1
    """Plain wording."""
    STATE = 2
    """A word that tells kinds of event apart: `STARTED`, `Paused`, `down`, `false`."""
    MIXED = 3
    """A word with a wildcard inside: `eth<*>`, `LOCAL(<*>)`."""
    VALUE = 4
    """A name in dots, a list, an address: `com.apple.Safari`, `a, b, c`."""
    WILD = 5
    """Nothing but wildcards, or a value left out."""


_WORDS = tomllib.loads((files("logbert.templates") / "words.toml").read_text(encoding="utf-8"))
_STATES = "|".join(_WORDS["states"].split())
_ANNOUNCING = "|".join(_WORDS["announcing"].split())
_ANNOUNCES = rf"(?i)^ ?(?:{_ANNOUNCING})s?$"

_KINDS: tuple[tuple[Kind, str], ...] = (
    (Kind.WILD, r"^[^\p{L}\p{N}]*(?:[\x00\x01]|<\*>)[^\p{L}\p{N}]*$"),
    (Kind.SIGN, r"^[^\p{L}\p{N}]*$"),
    (Kind.VALUE, r", ?\S"),
    (Kind.STATE, r"^ ?[\p{Lu}][\p{Lu}_\-]+[.!?]*$"),
    (Kind.STATE, r"^ ?\p{L}\p{Ll}+(?:ed|ing)[.!?]*$"),
    (Kind.STATE, rf"(?i)^ ?(?:{_STATES})[.!?]*$"),
    (Kind.STATE, r"(?:Exception|Error|Failure|Fault)[.:!?]*$"),
    (Kind.WORD, r"\.\.|_.*_"),
    (Kind.VALUE, r"<\*>.*[.@\\$]|[.@\\$].*<\*>"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-]+(?:\.[\p{L}\p{N}_$\-]+){2,}\.?$"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-]{2,}\.[\p{L}\p{N}_$\-]{2,}\.?$"),
    (Kind.VALUE, r"[^\s]@[^\s]"),
    (Kind.MIXED, r"<\*>|\x01"),
)


def kinds_of(texts: pl.Series) -> NDArray[np.int8]:
    """Say what each token looks like.

    Parameters
    ----------
    texts
        Token texts.

    Examples
    --------
    >>> [Kind(kind).name for kind in kinds_of(pl.Series(["session", " Paused", " com.apple.Safari", "<*>", "("]))]
    ['WORD', 'STATE', 'VALUE', 'WILD', 'SIGN']
    """
    kinds = np.full(len(texts), Kind.WORD, dtype=np.int8)
    for kind, regex in reversed(_KINDS):
        kinds[texts.str.contains(regex).to_numpy()] = kind
    return kinds


@dataclass(frozen=True)
class Vocabulary:
    """All tokens met, numbered in the order of their text, so that no number depends on the order of messages.

    Parameters
    ----------
    texts
        Token texts, blank before them included.
    kinds
        A `Kind` each.
    announces
        True if the word says what kind of value comes next: `user`, `host`.
    spaced
        True if a blank stands before the word.
    opens
        True for signs that a value follows: `=` and quotes.
    """

    texts: list[str]
    kinds: NDArray[np.int8]
    announces: NDArray[np.bool_]
    spaced: NDArray[np.bool_]
    opens: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: pl.Series) -> Vocabulary:
        """Look at every token once."""
        ordered = pl.concat([texts, pl.Series(_WILDS)]).unique().sort()
        return cls(
            ordered.to_list(),
            kinds_of(ordered),
            ordered.str.contains(_ANNOUNCES).to_numpy(),
            ordered.str.starts_with(" ").to_numpy(),
            ordered.str.contains(r"^ ?[=\"']$").to_numpy(),
        )

    def wild_for(self, ids: NDArray[np.int32], *, hole: bool) -> NDArray[np.int32]:
        """Give, for each token, the wildcard (or the hole) that keeps the blank before it."""
        bare, spaced = (self.texts.index(text) for text in (_WILDS[2:] if hole else _WILDS[:2]))
        return np.where(self.spaced[ids], spaced, bare).astype(np.int32)

    def spell(self, rows: NDArray[np.int32]) -> list[list[str]]:
        """Give the tokens of rows of numbers."""
        return [[self.texts[token] for token in row] for row in rows.tolist()]

    def is_hole(self) -> NDArray[np.bool_]:
        """Say of each number whether it is a hole."""
        return np.isin(np.arange(len(self.texts)), [self.texts.index(text) for text in _WILDS[2:]])


def cut(masked: pl.Series) -> pl.Series:
    """Cut masked messages into tokens.

    Parameters
    ----------
    masked
        Masked messages, one line each.

    Examples
    --------
    >>> cut(pl.Series(["session opened for user=bob (uid=<*>)"]))[0].to_list()
    ['session', ' opened', ' for', ' user', '=', 'bob', ' (', 'uid', '=', '<*>', ')']
    """
    plain = masked.str.replace_all(r"[\x00\x01\s]+", " ").str.strip_chars(" ")
    marked = (
        plain.str.replace_all(r'""', '"\0"', literal=True)
        .str.replace_all("''", "'\0'", literal=True)
        .str.replace_all(" ()", " (\0)", literal=True)
        .str.replace_all("[]", "[\0]", literal=True)
        .str.replace_all("{}", "{\0}", literal=True)
        .str.replace_all(r"([\p{L}\p{N}_])=([ ,;)\]}]|$)", "${1}=\0${2}")
    )
    tokens = marked.str.extract_all(TOKEN)
    return _capped(_without_repeats(tokens))


def _without_repeats(tokens: pl.Series) -> pl.Series:
    """Leave one of several equal pieces in a row that hold a value, as in `blk_<*> blk_<*> blk_<*>`."""
    frame = pl.DataFrame({"row": np.arange(len(tokens)), "token": tokens}).explode("token")
    rows, names = frame["row"].to_numpy(), frame["token"].hash().to_numpy()
    wild = frame["token"].str.contains("<*>", literal=True).fill_null(value=False).to_numpy()
    repeating = [_repeating_rows(rows, names, wild, size) for size in range(1, _LONGEST_UNIT + 1)]
    found = np.unique(np.concatenate(repeating))
    if not len(found):
        return tokens
    collapsed = pl.Series([_collapsed(row) for row in tokens.gather(found).to_list()], dtype=pl.List(pl.String))
    kept = np.setdiff1d(np.arange(len(tokens)), found)
    order = np.argsort(np.concatenate([kept, found]))
    return pl.concat([tokens.gather(kept), collapsed]).gather(order)


def _repeating_rows(
    rows: NDArray[np.int64], names: NDArray[np.uint64], wild: NDArray[np.bool_], size: int
) -> NDArray[np.int64]:
    """Say in which rows a piece of `size` tokens, one of them with a wildcard, stands twice in a row."""
    if len(rows) <= size:
        return np.zeros(0, dtype=np.int64)
    equal = (names[size:] == names[:-size]) & (rows[size:] == rows[:-size])
    run = np.convolve(equal, np.ones(size, dtype=np.int64))[size - 1 :][: len(equal)]
    values = np.convolve(wild, np.ones(size, dtype=np.int64))[size - 1 :][: len(equal)]
    found: NDArray[np.int64] = rows[: len(equal)][(run == size) & (values > 0)]
    return found


def _collapsed(tokens: list[str]) -> list[str]:
    kept: list[str] = []
    i = 0
    while i < len(tokens):
        size = next((n for n in range(1, _LONGEST_UNIT + 1) if _repeats(tokens, i, n)), 0)
        if size:
            i += size
        else:
            kept.append(tokens[i])
            i += 1
    return kept


def _repeats(tokens: list[str], start: int, size: int) -> bool:
    unit = tokens[start : start + size]
    return unit == tokens[start + size : start + 2 * size] and any("<*>" in token for token in unit)


def _capped(tokens: pl.Series) -> pl.Series:
    long = tokens.list.len() > MOST_TOKENS
    if not long.any():
        return tokens
    frame = pl.DataFrame({"tokens": tokens, "long": long})
    capped = pl.col("tokens").list.head(MOST_TOKENS - 1).list.concat(pl.lit([REST], dtype=pl.List(pl.String)))
    return frame.select(pl.when("long").then(capped).otherwise("tokens").alias("tokens")).to_series()


def cut_spans(masked: pl.Series) -> pl.Series:
    """Cut masked messages, or templates, into pieces between blanks, commas and semicolons.

    Parameters
    ----------
    masked
        Texts, one line each.

    Examples
    --------
    >>> cut_spans(pl.Series(["synchronized to LOCAL(<*>), stratum <*>"]))[0].to_list()
    ['synchronized', ' to', ' LOCAL(<*>)', ',', ' stratum', ' <*>']
    """
    return _capped(_without_repeats(masked.str.replace_all(r"[ \t]+", " ").str.strip_chars(" ").str.extract_all(SPAN)))


@dataclass(frozen=True)
class Variant:
    """One form of a template.

    Parameters
    ----------
    tokens
        Its tokens, holes among them.
    spans
        True if they are pieces between blanks, as `cut_spans` gives them.
    """

    tokens: list[str]
    spans: bool = False


def join(tokens: list[str]) -> str:
    """Write tokens as the text of a template."""
    return "".join(tokens).replace(EMPTY, "").replace(HOLE, "<*>").strip()


def by_length(tokens: pl.Series, numbers: pl.Series) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
    """Give the messages of equal length as one matrix of token numbers.

    Parameters
    ----------
    tokens
        List of tokens a message.
    numbers
        The same tokens, exploded, as numbers.

    Yields
    ------
    rows, matrix
        Which messages, shape (n,), and their tokens, shape (n, length).
    """
    lengths = tokens.list.len().to_numpy().astype(np.int64)
    ends = np.cumsum(lengths)
    flat = numbers.to_numpy()
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        starts = ends[rows] - length
        yield rows, flat[starts[:, None] + np.arange(length)]
