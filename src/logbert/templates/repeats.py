"""Lists in messages: equal pieces one after the other, of which one is as good as many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_UNIT = 8


def without_repeats(tokens: pl.Series) -> pl.Series:
    """Leave one of several equal pieces in a row that hold a value.

    Parameters
    ----------
    tokens
        List of tokens a message.

    Examples
    --------
    >>> without_repeats(pl.Series([["ask", " blk_<*>", " blk_<*>", " blk_<*>"], ["no", " no"]])).to_list()
    [['ask', ' blk_<*>'], ['no', ' no']]
    """
    candidates = np.flatnonzero(tokens.list.join("").str.count_matches("<*>", literal=True).to_numpy() > 1)
    found = candidates[_repeating(tokens.gather(candidates))]
    if not len(found):
        return tokens
    collapsed = pl.Series([_collapsed(row) for row in tokens.gather(found).to_list()], dtype=pl.List(pl.String))
    kept = np.setdiff1d(np.arange(len(tokens)), found)
    order = np.argsort(np.concatenate([kept, found]))
    return pl.concat([tokens.gather(kept), collapsed]).gather(order)


def _repeating(tokens: pl.Series) -> NDArray[np.int64]:
    frame = pl.DataFrame({"row": np.arange(len(tokens)), "token": tokens}).explode("token")
    rows, names = frame["row"].to_numpy(), frame["token"].hash().to_numpy()
    wild = frame["token"].str.contains("<*>", literal=True).to_numpy()
    return np.unique(np.concatenate([_rows_with(rows, names, wild, size) for size in range(1, _LONGEST_UNIT + 1)]))


def _rows_with(
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
