"""Slots that only ever hold one of a few values: a status, a code, a name.

A value that is none of them is new. That says something where there are few, each was seen many times, and none came
and went. Whole numbers count as such names only if they are far apart (200, 404): of numbers next to each other (1, 2,
3) the next one is no news, and their range says all there is to say. A word is new only if no message of training had
it anywhere: which words share a template is partly a matter of how messages were grouped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from logbert.detectors.measured.ranges import SLOT, STRANGERS, STRETCHES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from logbert.detectors.corpus import Scores

LEAST_ROWS = 100  # sequences a slot must be in
LEAST_EACH = 10  # ... and each of its values
MOST = 12  # values
APART = 8  # whole numbers are names if they span this many times as many as there are
SURE = 12.0  # a new value counts as many steps as the rarest known one has rows, up to this
WORDS = -1  # the unit of a slot that holds words
BETWEEN_WORDS = r"[\s,;:=()\[\]\"']+"
EXACT = 2.0**53  # beyond, not every whole number can be told from its neighbours


@dataclass(frozen=True, eq=False)
class Choices:
    """What each slot chooses from.

    Attributes
    ----------
    known
        The values of each slot (key, slot, unit), most frequent first.
    raw
        How much a new value says there.
    vocabulary
        The words of training, in slots and in templates.

    Examples
    --------
    >>> states = ["ok", "busy", "ok", "idle"] * 50
    >>> rows = pl.DataFrame({"row": range(200), "key": 5, "slot": 0, "unit": None, "number": None, "word": states})
    >>> choices, _ = Choices.learn(rows, rank=np.arange(200))
    >>> new = pl.DataFrame({"row": [0, 1], "key": 5, "slot": 0, "unit": None, "number": None, "word": ["ok", "ill"]})
    >>> choices.new(new).select("row", "value", "raw").rows()
    [(1, 'ill', 12.0)]
    """

    known: dict[tuple[int, int, int], tuple[str, ...]]
    raw: dict[tuple[int, int, int], float]
    vocabulary: frozenset[str] = frozenset()

    @classmethod
    def learn(
        cls, values: pl.DataFrame, rank: npt.NDArray[np.integer], templates: Iterable[str] = ()
    ) -> tuple[Self, Scores]:
        """Learn the choices, and how much the rows say that hold a value all other stretches of time do not.

        Parameters
        ----------
        values
            row, key, slot, unit, number, word.
        rank
            The place of each row in the order of time.
        templates
            The texts of the templates of training.
        """
        raw = np.zeros(len(rank), dtype=np.float64)
        choices = cls({}, {}, _vocabulary(values, templates))
        for slot, counted, rows in _candidates(values, rank):
            lasts = (pl.col("rows") >= LEAST_EACH) & pl.col("lasts")
            lasting, passing = counted.filter(lasts), counted.filter(~lasts)
            if lasting.is_empty():
                continue
            says = min(float(lasting["rows"].min() or 0), SURE)  # type: ignore[arg-type]
            if passing.is_empty():
                choices.known[slot] = tuple(lasting.sort("rows", "value", descending=[True, False])["value"])
                choices.raw[slot] = says
            elif len(passing) == 1 and passing["stretches"][0] == 1:
                told = rows.filter(pl.col("value") == passing["value"][0])["row"].to_numpy()
                raw[told] = np.maximum(raw[told], says)
        return choices, raw

    def new(self, values: pl.DataFrame) -> pl.DataFrame:
        """Give the values their slot never held, with `value`, and `raw`: how much that says."""
        named = _named(values)
        slots = pl.DataFrame(
            [(*slot, raw) for slot, raw in self.raw.items()], [*_SLOT_TYPES.items(), ("raw", pl.Float64)], orient="row"
        )
        pairs = [(*slot, value) for slot, known in self.known.items() for value in known]
        known = pl.DataFrame(pairs, [*_SLOT_TYPES.items(), ("value", pl.String)], orient="row")
        judged = named.join(slots, on=SLOT, how="inner", maintain_order="left").filter(pl.col("value").is_not_null())
        new = judged.join(known, on=[*SLOT, "value"], how="anti", maintain_order="left")
        return new.filter((pl.col("unit") != WORDS) | ~pl.col("value").is_in(sorted(self.vocabulary)))

    def state(self) -> dict[str, Any]:
        """Give them as what JSON can hold."""
        slots = [
            {"slot": list(slot), "known": list(known), "raw": self.raw[slot]} for slot, known in self.known.items()
        ]
        return {
            "slots": slots,
            "vocabulary": sorted(self.vocabulary) if WORDS in {slot[2] for slot in self.known} else [],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Take back what `state` gave."""
        slots = [(int(key), int(slot), int(unit)) for key, slot, unit in (entry["slot"] for entry in state["slots"])]
        return cls(
            {slot: tuple(entry["known"]) for slot, entry in zip(slots, state["slots"], strict=True)},
            {slot: float(entry["raw"]) for slot, entry in zip(slots, state["slots"], strict=True)},
            frozenset(state["vocabulary"]),
        )


_SLOT_TYPES: dict[str, type[pl.DataType]] = {"key": pl.Int32, "slot": pl.Int32, "unit": pl.Int8}


def _vocabulary(values: pl.DataFrame, templates: Iterable[str]) -> frozenset[str]:
    words = {word for text in templates for word in re.split(BETWEEN_WORDS, text)}
    return frozenset(words | set(values["word"].drop_nulls().unique()))


def _named(values: pl.DataFrame) -> pl.DataFrame:
    """Give each value as a text: words as they are, whole numbers in digits, nothing else."""
    number = pl.col("number").cast(pl.Float64)
    whole = (number == number.round()) & (number.abs() < EXACT)
    digits = pl.when(whole).then(number.cast(pl.Int64, strict=False)).cast(pl.String)
    unit = pl.when(pl.col("word").is_not_null()).then(pl.lit(WORDS)).otherwise(pl.col("unit"))
    return values.with_columns(value=pl.coalesce("word", digits), unit=unit).with_columns(
        pl.col(name).cast(dtype) for name, dtype in _SLOT_TYPES.items()
    )


def _candidates(
    values: pl.DataFrame, rank: npt.NDArray[np.integer]
) -> list[tuple[tuple[int, int, int], pl.DataFrame, pl.DataFrame]]:
    """Give the slots with few values: each value with its rows and stretches of time, and which row holds which."""
    named = _named(values).filter(pl.col("unit").is_not_null())
    known = pl.col("value").n_unique().over(SLOT)
    strange = pl.col("value").is_null().mean().over(SLOT) > STRANGERS
    held = (
        named.filter(~strange, known <= MOST + 1)
        .drop_nulls("value")
        .unique([*SLOT, "row", "value"], maintain_order=True)
    )
    held = held.with_columns(rank=pl.Series("rank", rank).gather(held["row"])).sort(*SLOT, "rank")
    place = pl.col("rank").rank("dense").over(SLOT).cast(pl.Int64) - 1
    held = held.with_columns(place=place).with_columns(
        stretch=pl.col("place") * STRETCHES // (pl.col("place").max().over(SLOT) + 1)
    )
    found = []
    for (key, slot, unit), rows in held.partition_by(SLOT, maintain_order=True, as_dict=True).items():
        counted = rows.group_by("value", maintain_order=True).agg(
            pl.col("row").n_unique().alias("rows"),
            pl.col("stretch").n_unique().alias("stretches"),
            # in both halves of the time; a value of ten rows that is not so by chance is 1 in 500
            ((pl.col("stretch").min() < STRETCHES // 2) & (pl.col("stretch").max() >= STRETCHES // 2)).alias("lasts"),
        )
        if (
            rows["row"].n_unique() >= LEAST_ROWS
            and 2 <= len(counted) <= MOST
            and _are_names(counted["value"], int(unit))
        ):
            found.append(((int(key), int(slot), int(unit)), counted, rows.select("row", "value")))
    return found


def _are_names(values: pl.Series, unit: int) -> bool:
    """Say whether values are names: words, or whole numbers far apart."""
    if unit == WORDS:
        return True
    numbers = values.cast(pl.Int64).to_numpy()
    return bool(unit == 0 and numbers.max() - numbers.min() + 1 >= APART * len(numbers))
