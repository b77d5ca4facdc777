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

EMPTY = "\x00"
"""Stands where a value was left out; control characters never survive masking as tokens of their own."""

HOLE = "\x01"
"""Stands in a template where different words were seen, and any word fits; the template's text shows it as `<*>`."""

REST = " <*>"
"""Stands for all that follows after `MOST_TOKENS` tokens."""

_SIGNS = r"""=,;()\[\]{}"':|"""
_RUN = r"<\*>(?:[ ,;:/.+\-]*<\*>)*"
_WORD = rf"(?:[A-Za-z]'[A-Za-z]|<\*>|[^\s{_SIGNS}]|:[^\s{_SIGNS}])+"
TOKEN = rf"\x00| ?(?:{_RUN}|{_WORD}|[{_SIGNS}])"


_WILDS = ["<*>", " <*>", HOLE, " " + HOLE]


class Kind(IntEnum):
    """What a token looks like, which decides how soon it is taken for a value."""

    SIGN = 0
    """No letter and no digit."""
    WORD = 1
    """Plain wording."""
    STATE = 2
    """A word that tells kinds of event apart: `STARTED`, `Paused`, `down`, `false`."""
    VALUE = 3
    """A name in dots, an address, a word with a wildcard set off inside: `com.apple.Safari`, `wpad:<*>`."""
    WILD = 4
    """Nothing but wildcards, or a value left out."""


_WORDS = tomllib.loads((files("logbert.templates") / "words.toml").read_text(encoding="utf-8"))
_STATES = "|".join(_WORDS["states"].split())
_ANNOUNCING = "|".join(_WORDS["announcing"].split())
_ANNOUNCES = rf"(?i)^ ?(?:{_ANNOUNCING})s?$"

_KINDS: tuple[tuple[Kind, str], ...] = (
    (Kind.WILD, r"^ ?(?:[\x00\x01]|<\*>(?:[ ,;:/.+\-]*<\*>)*)$"),
    (Kind.SIGN, r"^[^\p{L}\p{N}]*$"),
    (Kind.STATE, r"^ ?[\p{Lu}][\p{Lu}_\-]+[.!?]*$"),
    (Kind.STATE, r"^ ?\p{L}\p{Ll}+(?:ed|ing)[.!?]*$"),
    (Kind.STATE, rf"(?i)^ ?(?:{_STATES})[.!?]*$"),
    (Kind.STATE, r"(?:Exception|Error|Failure|Fault)[.:!?]*$"),
    (Kind.WORD, r"\.\.|_.*_"),
    (Kind.VALUE, r"<\*>.*[.@\\$]|[.@\\$].*<\*>"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-]+(?:\.[\p{L}\p{N}_$\-]+){2,}\.?$"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-]{2,}\.[\p{L}\p{N}_$\-]{2,}\.?$"),
    (Kind.VALUE, r"[^\s]@[^\s]"),
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
    return _capped(tokens)


def _capped(tokens: pl.Series) -> pl.Series:
    long = tokens.list.len() > MOST_TOKENS
    if not long.any():
        return tokens
    frame = pl.DataFrame({"tokens": tokens, "long": long})
    capped = pl.col("tokens").list.head(MOST_TOKENS - 1).list.concat(pl.lit([REST], dtype=pl.List(pl.String)))
    return frame.select(pl.when("long").then(capped).otherwise("tokens").alias("tokens")).to_series()


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
