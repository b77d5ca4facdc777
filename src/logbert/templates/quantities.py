"""Texts that masks took, read as quantities: plain numbers, shares, lengths of time and sizes in one unit each."""

from __future__ import annotations

from enum import IntEnum

import polars as pl


class Unit(IntEnum):
    """What a quantity counts, once brought to one unit."""

    PLAIN = 0
    SECONDS = 1
    BYTES = 2
    PERCENT = 3


PLAIN = int(Unit.PLAIN)
_LETTER = "[A-Za-z]"
_NUMBER = r"^<?([\-+]?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)"
_UNIT = r"^[^A-Za-z%]*([A-Za-z]+|%)"
_TIMES = {
    "ns": 1e-9, "nanosecond": 1e-9, "us": 1e-6, "microsecond": 1e-6, "ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3,
    "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0,
}  # fmt: skip
_SIZES = {"bytes": 1.0, "B": 1.0} | {
    f"{prefix}{infix}B": float(base**power)
    for power, prefix in enumerate("KMGTP", start=1)
    for infix, base in (("", 1000), ("i", 1024))
}
_FACTORS = {name: factor for unit, factor in _TIMES.items() for name in (unit, f"{unit}s")} | _SIZES | {"%": 1.0}
_UNITS = (
    {name: Unit.SECONDS for unit in _TIMES for name in (unit, f"{unit}s")}
    | dict.fromkeys(_SIZES, Unit.BYTES)
    | {"%": Unit.PERCENT}
)
_WHOLE = r"(?:[\-+]?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)(?: ?(?:[A-Za-z]+|%))?(?: \([^()]*\))?$"


def quantities(texts: pl.Series) -> pl.DataFrame:
    """Read texts as quantities.

    Parameters
    ----------
    texts
        What masks took. What is no quantity (an address, a path, a time of day, a bare hexadecimal) has neither number
        nor unit.

    Returns
    -------
    Frame of `number` (Float64) and `unit` (Int8)

    Examples
    --------
    >>> quantities(pl.Series(["77", "1,024", "3.5%", "2 ms", "2 KB (2048 bytes)", "10.0.0.1", "12:30:45"])).rows()
    [(77.0, 0), (1024.0, 0), (3.5, 3), (0.002, 1), (2000.0, 2), (None, None), (None, None)]
    """
    bare = texts.set(texts.str.contains(_LETTER), None)  # digits with an e among them are no number: 7e24 is a name
    number = bare.cast(pl.Float64, strict=False).alias("number")
    read = number.to_frame().with_columns(unit=pl.when(pl.col("number").is_not_null()).then(pl.lit(PLAIN, pl.Int8)))
    rest = number.is_null().arg_true()
    if not len(rest):
        return read
    worded = _worded(texts.gather(rest))
    return read.select(read[name].scatter(rest, worded[name]) for name in read.columns)


def _worded(texts: pl.Series) -> pl.DataFrame:
    """Read what is more than a bare number: separators, units, a size given twice."""
    frame = texts.to_frame("text").with_columns(
        number=pl.col("text")
        .str.extract(_NUMBER, 1)
        .str.replace_all(",", "", literal=True)
        .cast(pl.Float64, strict=False),
        name=pl.col("text").str.extract(_UNIT, 1),
        whole=pl.col("text").str.contains(rf"^<?{_WHOLE}"),
    )
    factor = pl.col("name").replace_strict(_FACTORS, default=None, return_dtype=pl.Float64)
    kind = pl.col("name").replace_strict(
        {name: int(unit) for name, unit in _UNITS.items()}, default=None, return_dtype=pl.Int8
    )
    bare = pl.col("name").is_null()
    number = pl.col("number") * pl.when(bare).then(1.0).otherwise(factor)
    read = frame.select(
        pl.when("whole").then(number).alias("number"),
        pl.when(bare).then(pl.lit(PLAIN, pl.Int8)).otherwise(kind).alias("unit"),
    )
    return read.select("number", pl.when(pl.col("number").is_not_null()).then("unit").alias("unit"))
