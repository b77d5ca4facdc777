"""The ids that messages name."""

from __future__ import annotations

import numpy as np
import polars as pl

from logbert.alike import ALIKE
from logbert.matches import Matches, ranges


class IdFinder:
    """Finds the ids that messages name: group 1 of each match of a regex if it has one, else the whole match.

    Parameters
    ----------
    regex
        In the syntax of Rust's regex crate.

    Examples
    --------
    >>> IdFinder("a[0-9]")(pl.DataFrame({"message": ["from a1 to a2", "nothing", "a1 to a1"]})).rows()
    [(0, 'a1'), (0, 'a2'), (2, 'a1')]
    """

    def __init__(self, regex: str) -> None:
        self._matches = Matches(regex)

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Give a frame of (`row`, `id`): which row names which id, in order of rows and without repeats."""
        alike = frame[ALIKE] if ALIKE in frame.columns else None
        located = self._matches.locate(frame["message"], alike)
        counts = located.counts
        rows, nth = np.repeat(np.arange(len(frame)), counts), ranges(np.zeros_like(counts), counts)
        ids = pl.DataFrame({"row": pl.Series(rows, dtype=pl.UInt32), "id": located.texts(rows, nth)})
        if located.some_empty:
            ids = ids.filter(pl.col("id").fill_null("") != "")
        if len(counts) and counts.max() > 1:
            several = pl.Series(counts > 1).gather(ids["row"])
            alone, twice = ids.filter(~several), ids.filter(several).unique(maintain_order=True)
            ids = pl.concat([alone, twice]).sort("row", maintain_order=True)
        return ids
