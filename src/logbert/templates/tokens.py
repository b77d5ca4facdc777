r"""Masked messages cut into tokens, which is what grouping and matching work on.

A token is a word with the blank before it, one separating sign, or a run of wildcards; joined, tokens give their
message back. A value that is left out (`user= rhost=`, `""`, ` ()`) is a token too, an empty one, so that a message
with the value and one without have the same number of tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logbert.templates.repeats import without_repeats

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

BETWEEN = "\x1f"
"""Stands between the tokens of a form: a template's tokens written as one text."""

_SIGNS = r"""=,;()\[\]{}"':|"""
_RUN = r"<\*>(?:[ ,;:/.+\-]*<\*>)*"
_WORD = rf"(?:[A-Za-z]'[A-Za-z]|<\*>|[^\s{_SIGNS}]|:[^\s{_SIGNS}])+"
_LIST = rf"{_WORD}(?:, ?{_WORD}){{2,}}"
SPAN = rf" ?(?:{_RUN}|[^\s,;]+|[,;])"
TOKEN = rf"\x00| ?(?:{_RUN}|{_LIST}|{_WORD}|[{_SIGNS}])"


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
    return _capped(without_repeats(_marked(masked).str.extract_all(TOKEN)))


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
    return _capped(without_repeats(_marked(masked).str.extract_all(SPAN)))


def _marked(masked: pl.Series) -> pl.Series:
    """Set `EMPTY` where a value was left out; a message that brings control characters of its own loses them."""
    plain = masked.str.replace_all(r"[\x1f\s]+", " ").str.strip_chars(" ")
    return (
        plain.str.replace_all('""', '"\0"', literal=True)
        .str.replace_all("''", "'\0'", literal=True)
        .str.replace_all(" ()", " (\0)", literal=True)
        .str.replace_all("[]", "[\0]", literal=True)
        .str.replace_all("{}", "{\0}", literal=True)
        .str.replace_all(r"([\p{L}\p{N}_])=([ ,;)\]}]|$)", "${1}=\0${2}")
    )


def _capped(tokens: pl.Series) -> pl.Series:
    long = tokens.list.len() > MOST_TOKENS
    if not long.any():
        return tokens
    frame = pl.DataFrame({"tokens": tokens, "long": long})
    capped = pl.col("tokens").list.head(MOST_TOKENS - 1).list.concat(pl.lit([REST], dtype=pl.List(pl.String)))
    return frame.select(pl.when("long").then(capped).otherwise("tokens").alias("tokens")).to_series()


def form_texts(forms: pl.Series) -> pl.Series:
    r"""Write forms as people read them.

    Parameters
    ----------
    forms
        Tokens with `BETWEEN` between them.

    Examples
    --------
    >>> form_texts(pl.Series(["user\x1f=\x1f\x01", "()"])).to_list()
    ['user=<*>', '()']
    """
    plain = forms.str.replace_all(r"[\x00\x1f]", "").str.replace_all(HOLE, "<*>", literal=True)
    return plain.str.strip_chars(" ")


def form_tokens(forms: pl.Series) -> pl.Series:
    """Give the tokens of forms.

    Parameters
    ----------
    forms
        Tokens with `BETWEEN` between them.
    """
    return forms.str.extract_all(r"[^\x1f]+")


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
