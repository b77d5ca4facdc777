"""The tokens of a set of messages as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.kinds import announcing, kinds_of
from logbert.templates.tokens import BETWEEN, HOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WILDS = ["<*>", " <*>", HOLE, " " + HOLE]


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
    quotes, colons
        True for these signs.
    """

    texts: pl.Series
    kinds: NDArray[np.int8]
    announces: NDArray[np.bool_]
    spaced: NDArray[np.bool_]
    opens: NDArray[np.bool_]
    quotes: NDArray[np.bool_]
    colons: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: pl.Series) -> Vocabulary:
        """Look at every token once."""
        ordered = pl.concat([texts.alias("token"), pl.Series("token", _WILDS)]).unique().sort()
        return cls(
            ordered,
            kinds_of(ordered),
            announcing(ordered),
            ordered.str.starts_with(" ").to_numpy(),
            ordered.str.contains(r"^ ?[=\"']$").to_numpy(),
            ordered.str.contains(r"^ ?[\"']$").to_numpy(),
            ordered.str.contains(r"^ ?:$").to_numpy(),
        )

    @cached_property
    def wilds(self) -> NDArray[np.int32]:
        """The numbers of `<*>` and of the hole, each without and with a blank before it."""
        return np.array([self.texts.search_sorted(text) for text in _WILDS], dtype=np.int32)

    def numbers(self, tokens: pl.Series) -> pl.Series:
        """Give the number of each token."""
        count = pl.Series(np.arange(len(self.texts), dtype=np.int32))
        return tokens.replace_strict(self.texts, count, return_dtype=pl.Int32)

    def wild_for(self, ids: NDArray[np.int32], *, hole: bool) -> NDArray[np.int32]:
        """Give, for each token, the wildcard (or the hole) that keeps the blank before it."""
        bare, spaced = self.wilds[2:] if hole else self.wilds[:2]
        wild: NDArray[np.int32] = np.where(self.spaced[ids], spaced, bare).astype(np.int32)
        return wild

    def is_hole(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Say of each token whether it is a hole."""
        hole: NDArray[np.bool_] = (ids == self.wilds[2]) | (ids == self.wilds[3])
        return hole

    def forms(self, rows: NDArray[np.int32]) -> pl.Series:
        """Write rows of numbers as forms."""
        if not rows.shape[1]:
            return pl.Series([""] * len(rows), dtype=pl.String)
        return self.texts.gather(rows.ravel()).reshape(rows.shape).arr.join(BETWEEN)
