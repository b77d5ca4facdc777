"""The range in which each slot's numbers lie, and how far outside it a number is.

Numbers are compared on a logarithmic scale: on it, what machines measure (sizes, times, counts) has tails that fall off
about exponentially. How far outside is then counted in the steps in which the slot's own tail falls off, and in
doublings where the tail is steeper than that.

A range is only a boundary where it stays one. Sequences are taken in the order of time and cut into ten stretches of
equal length. If numbers of one stretch leave the range of all others more than a few times, or those of the second half
leave the range of the first, then the slot grows, drifts or comes in bursts, and that side of it is not judged:
counters, uptimes, sequence numbers. The same stretches show how often, and how far, normal sequences leave the range of
the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import numpy.typing as npt

    from logbert.detectors.corpus import Scores

SLOT = ["key", "slot", "unit"]
SCHEMA = {
    "key": pl.Int32(),
    "slot": pl.Int32(),
    "unit": pl.Int8(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "grain": pl.Float64(),
    "low_scale": pl.Float64(),
    "high_scale": pl.Float64(),
}
STRETCHES = 10
LEAST_ROWS = 50  # sequences a slot must be in before its range says anything
MOST_AT_ONCE = 3  # of one stretch outside all others: more than that happens by chance to 1 steady slot in 1,000
MOST_LATER = 7  # of the second half outside the first: more than that happens by chance to 1 in 256
STRANGERS = 0.01  # a slot with a larger share of things that are no number is not judged
TAIL = 0.1
LEAST_TAIL = 10
DOUBLING = float(np.log(2.0))


@dataclass(frozen=True, eq=False)
class Ranges:
    """Where the numbers of each slot lay in training.

    Attributes
    ----------
    table
        One row a judged slot: key, slot, unit; `low` and `high` as they were written; the `grain` from which the scale
        is logarithmic; and the size of a step on each side, null where that side is not judged.

    Examples
    --------
    >>> sizes = np.random.default_rng(0).integers(100, 2000, 300).astype(float)
    >>> rows = pl.DataFrame({"row": range(300), "key": 5, "slot": 0, "unit": 0, "number": sizes})
    >>> ranges, _ = Ranges.learn(rows, rank=np.arange(300))
    >>> new = pl.DataFrame({"row": [0, 1], "key": 5, "slot": 0, "unit": 0, "number": [700.0, 9e6]})
    >>> ranges.outside(new).select("row", "number", "above").rows()
    [(1, 9000000.0, True)]
    """

    table: pl.DataFrame

    @classmethod
    def learn(
        cls, values: pl.DataFrame, rank: npt.NDArray[np.integer], *, upper_only: bool = False
    ) -> tuple[Self, Scores]:
        """Learn the ranges, and how far each row is outside those of the other stretches.

        Parameters
        ----------
        values
            row, key, slot, unit, number; a null number is something that is none.
        rank
            The place of each row in the order of time.
        upper_only
            Judge what is too large only; the scale then begins at the slot's median.
        """
        raw = np.zeros(len(rank), dtype=np.float64)
        learnt = []
        for (key, slot, unit), extremes in _extremes(values, rank):
            low, high = extremes["low"].to_numpy(), extremes["high"].to_numpy()
            grain = _grain(low, high, upper_only=upper_only)
            rows = extremes["row"].to_numpy()
            below = None if upper_only else _side(-_scaled(low, grain))
            above = _side(_scaled(high, grain))
            for side in (below, above):
                if side is not None:
                    np.maximum.at(raw, rows, side.outside)
            if below is not None or above is not None:
                scales = [None if side is None else side.scale for side in (below, above)]
                learnt.append((key, slot, unit, float(low.min()), float(high.max()), grain, *scales))
        return cls(pl.DataFrame(learnt, SCHEMA, orient="row")), raw

    def outside(self, values: pl.DataFrame) -> pl.DataFrame:
        """Give the values outside their range, with `raw`: by how many steps; `above`; and the range."""
        joined = values.drop_nulls("number").cast({name: SCHEMA[name] for name in SLOT})
        joined = joined.join(self.table, on=SLOT, how="inner", maintain_order="left")
        at, low, high = (_scale_of(pl.col(name)) for name in ("number", "low", "high"))
        below = ((low - at) / pl.col("low_scale")).fill_null(0.0)
        above = ((at - high) / pl.col("high_scale")).fill_null(0.0)
        judged = joined.with_columns(raw=pl.max_horizontal(below, above), above=above > 0)
        return judged.filter(pl.col("raw") > 0).select(*values.columns, "raw", "above", "low", "high")


@dataclass(frozen=True, eq=False)
class _Side:
    """The upper side of a slot: the size of a step, and how far outside the other stretches each row is."""

    scale: float
    outside: Scores


def _extremes(values: pl.DataFrame, rank: npt.NDArray[np.integer]) -> list[tuple[tuple[int, int, int], pl.DataFrame]]:
    """Give for each slot its lowest and highest number in each row, in the order of time."""
    ranked = pl.Series("rank", rank)
    strange = pl.col("number").is_null().mean().over("key", "slot") > STRANGERS
    kept = values.filter(~strange).drop_nulls("number")
    per_row = (
        kept.group_by(*SLOT, "row")
        .agg(pl.col("number").min().alias("low"), pl.col("number").max().alias("high"))
        .filter(pl.len().over(SLOT) >= LEAST_ROWS)
    )
    ordered = per_row.with_columns(rank=ranked.gather(per_row["row"])).sort(*SLOT, "rank")
    slots = ordered.partition_by(SLOT, maintain_order=True, as_dict=True)
    return [((int(key), int(slot), int(unit)), extremes) for (key, slot, unit), extremes in slots.items()]


def _grain(low: Scores, high: Scores, *, upper_only: bool) -> float:
    """Say from which size on the scale is logarithmic."""
    sizes = np.abs(high if upper_only else np.concatenate([low, high]))
    sizes = sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    return float(np.median(sizes)) if upper_only else min(1.0, float(sizes.min()))


def _scaled(numbers: Scores, grain: float) -> Scores:
    return np.asarray(np.sign(numbers) * np.log1p(np.abs(numbers) / grain), dtype=np.float64)


def _scale_of(number: pl.Expr) -> pl.Expr:
    return number.sign() * (number.abs() / pl.col("grain")).log1p()


def _side(at: Scores) -> _Side | None:
    """Judge the upper side of a slot by its rows in the order of time; None if it is no boundary."""
    size = len(at)
    stretch = np.arange(size) * STRETCHES // size
    tops = np.maximum.reduceat(at, np.searchsorted(stretch, np.arange(STRETCHES)))
    highest = int(np.argmax(tops))
    limit = np.full(STRETCHES, tops[highest])
    limit[highest] = np.delete(tops, highest).max()
    beyond = np.maximum(at - limit[stretch], 0.0)
    if np.sum(beyond > 0) > MOST_AT_ONCE or np.sum(at[size // 2 :] > at[: size // 2].max()) > MOST_LATER:
        return None
    most = max(int(np.ceil(size * TAIL)), LEAST_TAIL)
    tail = np.partition(at, size - most)[size - most :]
    # The median, which one number far outside hardly moves; of an exponential tail it is a step times log 2.
    scale = max(float(np.median(tail - tail.min())) / DOUBLING, DOUBLING)
    return _Side(scale, beyond / scale)
