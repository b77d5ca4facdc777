"""The ids that messages name, cut out where they stand in other messages that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.alike import ALIKE, FRESH, MOST_LIKENESSES, NONE, Numbers, blind, firsts

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARK = "\0"  # no message holds one


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
        self.regex = regex
        self._grouped = has_group(regex)
        self._blind = blind(regex) and not self._grouped
        self._numbers = Numbers()
        self._first = np.zeros(1, dtype=np.int64)  # place of each likeness's first match, and one beyond the last
        self._at = np.zeros(0, dtype=np.int64)
        self._length = np.zeros(0, dtype=np.int64)

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Give a frame of (`row`, `id`): which row names which id, in order of rows and without repeats."""
        if not self._blind or ALIKE not in frame.columns or len(self._numbers) > MOST_LIKENESSES:
            return self._find(frame["message"])
        hashes = frame[ALIKE].to_numpy()
        numbers = self._numbers.find(hashes)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            first = missing[firsts(hashes[missing])]
            first = first[hashes[first] != NONE]
            if len(first) > FRESH * len(frame):
                return self._find(frame["message"])
            self._learn(frame["message"].gather(first))
            self._numbers.add(hashes[first])
            numbers[missing] = self._numbers.find(hashes[missing])
            apart = np.flatnonzero(numbers < 0)
            if len(apart):
                return self._in_two(frame["message"], numbers, apart)
        return self._cut(frame["message"], numbers)

    def _find(self, messages: pl.Series) -> pl.DataFrame:
        """Look for ids in every message."""
        matches = messages.to_frame("message").select(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"),
            pl.col("message").str.extract_all(self.regex).alias("id"),
        )
        matches = matches.filter(pl.col("id").list.len() > 0)
        several = matches["id"].list.len().max()
        ids = matches.explode("id")
        if self._grouped:
            ids = ids.with_columns(pl.col("id").str.extract(self.regex, 1))
        ids = ids.filter(pl.col("id").fill_null("") != "")
        return ids.unique(maintain_order=True) if isinstance(several, int) and several > 1 else ids

    def _learn(self, messages: pl.Series) -> None:
        """Find the places of the ids in messages of new likenesses: marks around each match tell them."""
        marked = messages.fill_null("").str.replace_all(self.regex, f"{MARK}${{0}}{MARK}").str.split(MARK)
        pieces = pl.DataFrame({"message": np.arange(len(messages)), "length": marked}).explode("length")
        pieces = pieces.with_columns(
            pl.col("length").str.len_bytes().cast(pl.Int64), nth=pl.int_range(pl.len()).over("message")
        ).with_columns(at=(pl.col("length").cum_sum() - pl.col("length")).over("message"))
        found = pieces.filter((pl.col("nth") % 2 == 1) & (pl.col("length") > 0))
        counts = np.bincount(found["message"].to_numpy(), minlength=len(messages))
        self._at = np.concatenate([self._at, found["at"].to_numpy()])
        self._length = np.concatenate([self._length, found["length"].to_numpy()])
        self._first = np.concatenate([self._first, self._first[-1] + np.cumsum(counts)])

    def _cut(self, messages: pl.Series, numbers: NDArray[np.int64]) -> pl.DataFrame:
        """Cut ids out of messages of known likenesses."""
        place = self._first[numbers]
        counts = self._first[numbers + 1] - place
        if (counts == 1).all():
            rows = pl.int_range(len(counts), dtype=pl.UInt32, eager=True)
        else:
            own = np.repeat(np.arange(len(counts)), counts)
            place = place[own] + np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts)
            rows = pl.Series(own, dtype=pl.UInt32)
            messages = messages.gather(rows)
        whole = pl.DataFrame({"text": messages.cast(pl.Binary), "at": self._at[place], "length": self._length[place]})
        ids = whole.select(rows.alias("row"), pl.col("text").bin.slice("at", "length").cast(pl.String).alias("id"))
        if len(counts) and counts.max() > 1:
            several = pl.Series(counts > 1).gather(rows)
            alone, twice = ids.filter(~several), ids.filter(several).unique(maintain_order=True)
            ids = pl.concat([alone, twice]).sort("row", maintain_order=True)
        return ids

    def _in_two(self, messages: pl.Series, numbers: NDArray[np.int64], apart: NDArray[np.int64]) -> pl.DataFrame:
        """Cut where likenesses are known, and look for the ids of the other messages."""
        known = np.flatnonzero(numbers >= 0)
        parts = (
            (self._cut(messages.gather(known), numbers[known]), known),
            (self._find(messages.gather(apart)), apart),
        )
        ids = pl.concat(
            [
                part.with_columns(pl.Series(rows, dtype=pl.UInt32).gather(part["row"]).alias("row"))
                for part, rows in parts
            ]
        )
        return ids.sort("row", maintain_order=True)


def has_group(regex: str) -> bool:
    """Tell whether a regex captures anything."""
    return len(pl.Series([""]).str.extract_groups(regex).struct.fields) > 0
