"""What words look like: wording, words that tell events apart, values."""

from __future__ import annotations

import tomllib
from enum import IntEnum
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


class Kind(IntEnum):
    """What a token looks like, which decides how soon it is taken for a value."""

    SIGN = 0
    """No letter and no digit."""
    WORD = 1
    """Plain wording."""
    STATE = 2
    """A word that tells kinds of event apart: `STARTED`, `Paused`, `down`, `intent.action.SCREEN_OFF`."""
    MIXED = 3
    """A word with a wildcard inside: `eth<*>`, `LOCAL(<*>)`."""
    VALUE = 4
    """A name in dots, a list, an address: `com.apple.Safari`, `a, b, c`."""
    WILD = 5
    """Nothing but wildcards, or a value left out."""


_WORDS = tomllib.loads((files("logbert.templates") / "words.toml").read_text(encoding="utf-8"))
_STATES = "|".join(_WORDS["states"].split())
_NOTHING = "|".join(_WORDS["nothing"].split())
_ANNOUNCING = "|".join(_WORDS["announcing"].split())
_ANNOUNCES = rf"(?i)^ ?(?:{_ANNOUNCING})s?$"

_KINDS: tuple[tuple[Kind, str], ...] = (
    (Kind.WILD, r"^[^\p{L}\p{N}]*(?:[\x00\x01]|<\*>)[^\p{L}\p{N}]*$"),
    (Kind.SIGN, r"^[^\p{L}\p{N}]*$"),
    (Kind.VALUE, r", ?\S"),
    (Kind.VALUE, rf"(?i)^ ?(?:{_NOTHING})$"),
    (Kind.STATE, r"^ ?[\p{Lu}][\p{Lu}_\-]+[.!?]*$"),
    (Kind.STATE, r"^ ?\p{L}\p{Ll}+(?:ed|ing)[.!?]*$"),
    (Kind.STATE, rf"(?i)^ ?(?:{_STATES})[.!?]*$"),
    (Kind.STATE, r"(?:Exception|Error|Failure|Fault)[.:!?]*$"),
    (Kind.STATE, r"^ ?(?:\p{Ll}[\p{L}\p{N}_]*\.){2,}\p{Lu}[\p{Lu}\p{N}_]+$"),
    (Kind.WORD, r"\.\.|_.*_"),
    (Kind.VALUE, r"<\*>.*[.@\\$]|[.@\\$].*<\*>"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-/]+(?:\.[\p{L}\p{N}_$\-/]+){2,}\.?$"),
    (Kind.VALUE, r"^ ?[\p{L}\p{N}_$\-]{2,}\.[\p{L}\p{N}_$\-]{2,}\.?$"),
    (Kind.VALUE, r"[^\s]@[^\s]"),
    (Kind.MIXED, r"<\*>|[\x00\x01]"),
)


def kinds_of(texts: pl.Series) -> NDArray[np.int8]:
    """Say what each token looks like.

    Parameters
    ----------
    texts
        Token texts.

    Examples
    --------
    >>> import polars as pl
    >>> [Kind(kind).name for kind in kinds_of(pl.Series(["session", " Paused", " com.apple.Safari", "<*>", "("]))]
    ['WORD', 'STATE', 'VALUE', 'WILD', 'SIGN']
    """
    kinds = np.full(len(texts), Kind.WORD, dtype=np.int8)
    for kind, regex in reversed(_KINDS):
        kinds[texts.str.contains(regex).to_numpy()] = kind
    return kinds


def announcing(texts: pl.Series) -> NDArray[np.bool_]:
    """Say which words tell what kind of value comes next, as `user` and `host` do.

    Parameters
    ----------
    texts
        Token texts.
    """
    return texts.str.contains(_ANNOUNCES).to_numpy()
