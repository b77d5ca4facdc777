"""What an expression takes of messages, looked for in one of those that are alike and cut out of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.alike import FRESH, MOST_LIKENESSES, NONE, UNLIKE, Numbers, blind, firsts, nearly_blind

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARK = "\0"  # no message holds one
FEW = 1_000  # messages that are looked at each, however many of them are alike
_LEAST_PART = 10_000
_GROUP_AT_END = re.compile(r"(?<!\\)\((?!\?)(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^()\\\[])*\)$")


@dataclass(frozen=True, eq=False)
class Located:
    """Where the matches in some messages are.

    Attributes
    ----------
    counts
        How many there are in each message.
    some_empty
        Whether the text of a match, or of its group, may be empty or missing.
    """

    counts: NDArray[np.int64]
    some_empty: bool
    _messages: pl.Series
    _known: NDArray[np.bool_]  # cut by places; the others' texts are in `_texts`
    _first: NDArray[np.int64]  # each message's first place, or text
    _places: NDArray[np.int64]
    _texts: pl.Series

    def texts(self, rows: NDArray[np.int64], nth: NDArray[np.int64]) -> pl.Series:
        """Give the text of the nth match (from 0) of each of these messages."""
        place = self._first[rows] + nth
        if self._known.all():
            return self._cut(rows, place)
        known = self._known[rows]
        if not known.any():
            return self._texts.gather(place)
        of_known = self._cut(rows[known], place[known])
        both = pl.concat([of_known, self._texts.gather(place[~known])])
        order = np.empty(len(rows), dtype=np.int64)
        order[np.concatenate([np.flatnonzero(known), np.flatnonzero(~known)])] = np.arange(len(rows))
        return both.gather(order)

    def _cut(self, rows: NDArray[np.int64], place: NDArray[np.int64]) -> pl.Series:
        whole = len(rows) == len(self._messages) and bool((rows == np.arange(len(rows))).all())
        text = (self._messages if whole else self._messages.gather(rows)).cast(pl.Binary).alias("text")
        at, length = pl.Series("at", self._places[place, 0]), pl.Series("length", self._places[place, 1])
        cut = pl.col("text").bin.slice("at", "length").cast(pl.String)
        return pl.DataFrame([text, at, length]).select(cut).to_series()


class Matches:
    r"""The matches of an expression: group 1 of each if it has one, else the whole.

    Parameters
    ----------
    regex
        In the syntax of Rust's regex crate.

    Examples
    --------
    >>> located = Matches(r"\d+").locate(pl.Series(["2 of 30", "none"]))
    >>> located.counts.tolist(), located.texts(np.array([0, 0]), np.array([1, 0])).to_list()
    ([2, 0], ['30', '2'])
    """

    def __init__(self, regex: str) -> None:
        self.regex = regex
        groups = len(pl.Series([""]).str.extract_groups(regex).struct.fields) if regex else 0
        self.grouped = groups > 0
        # Where a group begins inside a match is known if it ends with it.
        placed = not groups or (groups == 1 and _GROUP_AT_END.search(regex) is not None)
        self.comparable = bool(regex) and placed and nearly_blind(regex)
        self._blind = blind(regex)
        self._numbers = Numbers()
        self._first = np.zeros(1, dtype=np.int64)  # each likeness's first place, and one beyond the last
        self._places = np.zeros((0, 2), dtype=np.int64)
        self._some_empty = False

    def locate(self, messages: pl.Series, alike: pl.Series | None = None) -> Located:
        """Find the matches in some messages; `alike` is the column of their likenesses, if there is one."""
        numbers = np.full(len(messages), -1, dtype=np.int64)
        if self.comparable and alike is not None:
            numbers = self._numbered(messages, alike.to_numpy())
        known = numbers >= 0
        first = self._first[numbers]
        counts = np.where(known, self._first[np.where(known, numbers + 1, 0)] - first, 0)
        texts = pl.Series([], dtype=pl.String)
        others = np.flatnonzero(~known)
        if len(others):
            taken = self._search(messages.gather(others))
            lengths = taken.list.len().fill_null(0).to_numpy().astype(np.int64)
            counts[others] = lengths
            first[others] = np.cumsum(lengths) - lengths
            texts = taken.filter(pl.Series(lengths > 0)).explode()
            if self.grouped:
                texts = texts.str.extract(self.regex, 1)
        empty = self._some_empty or bool((texts.str.len_bytes().fill_null(0) == 0).any())
        return Located(counts, empty, messages, known, first, self._places, texts)

    def _numbered(self, messages: pl.Series, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give the number of each message's likeness, new ones learnt; -1 where it is to be looked at by itself."""
        numbers = self._numbers.find(hashes)
        missing = np.flatnonzero(numbers < 0)
        if not len(missing) or len(self._numbers) > MOST_LIKENESSES:
            return numbers
        first = missing[firsts(hashes[missing])]
        first = first[hashes[first] != NONE]
        if len(first) > max(FEW, FRESH * len(hashes)):
            return numbers
        if not self._blind:
            first = first[~messages.gather(first).str.contains(UNLIKE).fill_null(True).to_numpy()]
        self._learn(messages.gather(first))
        self._numbers.add(hashes[first])
        numbers[missing] = self._numbers.find(hashes[missing])
        return numbers

    def _learn(self, messages: pl.Series) -> None:
        """Find the places in messages of new likenesses: marks around each match tell them."""
        marked = messages.fill_null("").str.replace_all(self.regex, f"{MARK}${{0}}{MARK}").str.split(MARK)
        pieces = pl.DataFrame({"message": np.arange(len(messages)), "text": marked}).explode("text")
        pieces = pieces.with_columns(
            length=pl.col("text").str.len_bytes().cast(pl.Int64), nth=pl.int_range(pl.len()).over("message")
        ).with_columns(at=(pl.col("length").cum_sum() - pl.col("length")).over("message"))
        found = pieces.filter(pl.col("nth") % 2 == 1)
        if self.grouped:
            group = pl.col("text").str.extract(self.regex, 1).str.len_bytes().cast(pl.Int64).fill_null(0)
            found = found.with_columns(at=pl.col("at") + pl.col("length") - group, length=group)
        self._some_empty |= bool((found["length"] == 0).any())
        counts = np.bincount(found["message"].to_numpy(), minlength=len(messages))
        self._places = np.concatenate([self._places, found.select("at", "length").to_numpy()])
        self._first = np.concatenate([self._first, self._first[-1] + np.cumsum(counts)])

    def _search(self, messages: pl.Series) -> pl.Series:
        """Look at every message."""
        if not self.regex:
            return pl.Series([[]], dtype=pl.List(pl.String)).new_from_index(0, len(messages))
        return on_all_cores(messages.alias("message"), pl.col("message").str.extract_all(self.regex))


def on_all_cores(texts: pl.Series, expression: pl.Expr) -> pl.Series:
    """Work an expression out for a column of texts: a regex runs on one core, so that each gets a part of them.

    Examples
    --------
    >>> on_all_cores(pl.Series("text", ["a1", "b2"]), pl.col("text").str.extract("([0-9])")).to_list()
    ['1', '2']
    """
    frame = texts.to_frame().lazy()
    size = max(_LEAST_PART, -(-len(texts) // pl.thread_pool_size()))
    parts = [frame.slice(at, size).select(expression) for at in range(0, max(1, len(texts)), size)]
    return pl.concat([part.to_series() for part in pl.collect_all(parts)])


def ranges(begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give so many whole numbers from each beginning on, one range after the other.

    Examples
    --------
    >>> ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    within: NDArray[np.int64] = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(begins, sizes) + within
