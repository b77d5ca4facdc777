"""The words of a file, each held once and numbered as it comes, until they get the keys they are to keep."""

from __future__ import annotations

import polars as pl


class Tokens:
    """Numbers words as they come. The numbers mean nothing outside, and need not be the same another time.

    Examples
    --------
    >>> tokens = Tokens()
    >>> numbers = tokens.encode(pl.Series(["E5", "E22", "E5"]))
    >>> dict(tokens.table.rows())[numbers[1]]
    'E22'
    """

    def __init__(self) -> None:
        self._dtype = pl.Categorical(pl.Categories.random())
        self._seen: list[pl.Series] = []

    def encode(self, words: pl.Series) -> pl.Series:
        """Give the number of each word."""
        categories = words.cast(pl.String).cast(self._dtype)
        self._seen.append(categories.unique())
        return categories.to_physical().cast(pl.Int32)

    def encode_lists(self, words: pl.Series) -> pl.Series:
        """Give the number of each word of each list."""
        self._seen.append(words.explode().drop_nulls().cast(pl.String).cast(self._dtype).unique())
        numbers = pl.element().cast(pl.String).cast(self._dtype).to_physical().cast(pl.Int32)
        return words.list.eval(numbers)

    @property
    def table(self) -> pl.DataFrame:
        """The words so far, as a frame (number, word)."""
        words = pl.concat([pl.Series([], dtype=self._dtype), *self._seen]).drop_nulls().unique()
        self._seen = [words]
        return pl.DataFrame({"number": words.to_physical().cast(pl.Int32), "word": words.cast(pl.String)})
