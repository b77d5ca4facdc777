"""Lines taken apart where others that are alike were: the same columns as the format reads, at a fraction of the cost.

What the format finds in the first line of a likeness is kept as places: where in the line each field begins, and how
long it is. Only times are read line by line, for a digit decides whether they are any. A line whose likeness does not
fit the format whole, and one whose time is none, is left to the format.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from logbert.alike import ALIKE, FRESH, MOST_LIKENESSES, NONE, REST, TRIAL, Numbers, blind, firsts
from logbert.lines.clocks import BY_NAME
from logbert.lines.format import NORMAL_LABEL, Format
from logbert.lines.layout import ALWAYS, Rows, constant
from logbert.lines.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

MOST_BYTES = 1 << 16  # of a line that is compared
_FIELD = re.compile(r"<[^<>]+>")
_BLANK: Final = pl.Series([b" "], dtype=pl.Binary)
_ABSENT: Final = -1  # a field that lines of this likeness do not have


class Recogniser:
    r"""Reads lines as a format does, by what it has seen of others that are alike.

    Parameters
    ----------
    format_
        One for which `can` holds.

    Examples
    --------
    >>> from logbert.lines.presets import BY_NAME as PRESETS
    >>> from logbert.lines.text import Repairs, to_lines_and_likenesses
    >>> block = b"081109 203615 148 INFO dfs.A: took 3 ms\n081109 203807 222 INFO dfs.A: took 8 ms\n"
    >>> rows = Recogniser(PRESETS["hdfs"].format()).read(*to_lines_and_likenesses(block, Repairs()))
    >>> rows.table.select("Pid", "message").rows()
    [('148', 'took 3 ms'), ('222', 'took 8 ms')]
    """

    def __init__(self, format_: Format) -> None:
        assert isinstance(format_.shape, Pattern)  # noqa: S101 - `can` says so
        self._format = format_
        self._pattern = format_.shape
        self._fields = format_.shape.fields
        self._column_of = {**format_.renamed, self._pattern.content: "message"}
        if format_.level:
            self._column_of[format_.level] = "level"
        self._numbers = Numbers()
        self._whole = np.zeros(0, dtype=bool)
        self._places = np.zeros((0, len(self._fields), 2), dtype=np.int64)
        self._time = np.zeros((0, 2), dtype=np.int64)  # of all its fields together
        self._lines = self._fresh = self._rest = 0  # lately: lines, those like none before; batches to leave alone
        self._separators = sorted(set("".join(_FIELD.split(self._pattern.text))) | set(" \t"))

    @staticmethod
    def can(format_: Format) -> bool:
        """Tell whether a format finds the same places in lines that are alike."""
        shape = format_.shape
        return (
            isinstance(shape, Pattern)
            and not format_.wrapper
            and not shape.is_expression
            and shape.content == shape.fields[-1]
            and not shape.separators[-1]
            and blind(_FIELD.sub("", shape.text))
        )

    def is_worth_it(self) -> bool:
        """Tell, once a batch, whether to compare its lines: not where too many lately were like none before."""
        if self._rest:
            self._rest -= 1
            return False
        return len(self._numbers) < MOST_LIKENESSES

    def read(self, lines: pl.Series, alike: pl.Series, columns: Collection[str] | None = None) -> Rows:
        """Take lines apart.

        Parameters
        ----------
        lines, alike
            Lines, and the hashes of their likenesses.
        columns
            Which columns are wanted; None for all that the format reads.

        Returns
        -------
        Rows
            As the format reads them, with the column `ALIKE`: the hash again for lines that were recognised, else
            `NONE`.
        """
        hashes = alike.to_numpy()
        numbers = self._recognise(lines, hashes)
        known = numbers >= 0
        known[known] = self._whole[numbers[known]]
        if known.all():
            rows = self._cut(lines, numbers, columns)
            if rows.dated.all():
                return with_likeness(rows, alike)
            known = rows.dated.to_numpy()
        own, others = np.flatnonzero(known), np.flatnonzero(~known)
        if not len(own):
            return with_likeness(only_columns(self._format.read(lines), columns), constant_likeness(len(lines)))
        cut = with_likeness(self._cut(lines.gather(own), numbers[own], columns), alike.gather(own))
        undated = ~cut.dated.to_numpy()
        if undated.any():
            others = np.sort(np.concatenate([others, own[undated]]))
            cut, own = _filter(cut, pl.Series(~undated)), own[~undated]
        read = with_likeness(
            only_columns(self._format.read(lines.gather(others)), columns), constant_likeness(len(others))
        )
        return _merge(cut, read, np.argsort(np.concatenate([own, others])))

    def _recognise(self, lines: pl.Series, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give the number of each line's likeness, new ones learnt."""
        numbers = self._numbers.find(hashes)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            first = missing[firsts(hashes[missing])]
            first = first[(lines.gather(first).str.len_bytes() <= MOST_BYTES).to_numpy()]
            self._learn(lines.gather(first))
            self._numbers.add(hashes[first])
            numbers[missing] = self._numbers.find(hashes[missing])
            self._fresh += len(first)
        self._lines += len(hashes)
        if self._lines >= TRIAL:
            self._rest = REST if self._fresh > FRESH * self._lines else 0
            self._lines = self._fresh = 0
        return numbers

    def _learn(self, lines: pl.Series) -> None:
        """Find the places of the fields in lines of new likenesses."""
        rows = self._format.read(lines)
        frame = pl.DataFrame({"line": lines.cast(pl.Binary)})
        good = rows.whole & ~rows.inside
        end = pl.zeros(len(lines), pl.Int64, eager=True)
        places = np.full((len(lines), len(self._fields), 2), _ABSENT, dtype=np.int64)
        for number, name in enumerate(self._fields):
            text = rows.table[self._column_of[name]]
            length = text.str.len_bytes().cast(pl.Int64)
            if number == len(self._fields) - 1:
                at = lines.str.strip_chars_end().str.len_bytes().cast(pl.Int64) - length
                good &= (at >= end) & (_slices(lines, at.clip(0), length) == text.cast(pl.Binary))
            else:
                rest = frame.with_columns(end=end, text=text).select(
                    pl.col("line").bin.slice("end").cast(pl.String).str.find(pl.col("text"), literal=True)
                )
                at = end + rest.to_series().cast(pl.Int64)
                # What begins as a separator might be found in one; a field that is absent is so in all.
                found = at.is_not_null() & ~text.str.head(1).is_in(self._separators)
                good &= text.is_null() | found
            places[:, number, 0] = at.fill_null(_ABSENT).to_numpy()
            places[:, number, 1] = length.fill_null(_ABSENT).to_numpy()
            end = (at + length).fill_null(end)
        self._whole = np.concatenate([self._whole, good.to_numpy()])
        self._places = np.concatenate([self._places, places])
        self._time = np.concatenate([self._time, self._times(lines, places)])

    def _times(self, lines: pl.Series, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give where the time stands, if its fields stand in a row with a blank between; else -1."""
        parts = [places[:, self._fields.index(name)] for name in self._format.time]
        if not parts:
            return np.full((len(lines), 2), _ABSENT, dtype=np.int64)
        begin, end = parts[0][:, 0], parts[0][:, 0] + parts[0][:, 1]
        good = begin >= 0
        for part in parts[1:]:
            blank = _slices(lines, pl.Series(end), pl.Series(np.ones_like(end))) == _BLANK
            good &= (part[:, 0] == end + 1) & blank.fill_null(False).to_numpy()
            end = part[:, 0] + part[:, 1]
        return np.where(good[:, None], np.stack([begin, end - begin], axis=1), _ABSENT)

    def _cut(self, lines: pl.Series, numbers: NDArray[np.int64], columns: Collection[str] | None) -> Rows:
        """Cut lines of known likenesses; `dated` is false where the time is none."""
        format_ = self._format
        length = len(lines)
        cuts = _Cuts(lines, numbers)
        fields = {column: name for name, column in self._column_of.items()} | {"label": format_.label}
        names = [name for name in format_.columns if columns is None or name in columns or name in ALWAYS]
        for name in names:
            if name == "timestamp":
                cuts.add(name, self._time_of(cuts, numbers))
            else:
                text = cuts.at(self._places[:, self._fields.index(fields[name])])
                cuts.add(name, text != NORMAL_LABEL if name == "label" else text)
        table = cuts.made()
        dated = constant(True, length)
        if format_.time:
            times = BY_NAME[format_.clock].read(table["timestamp"]).alias("timestamp")
            table = table.with_columns(times)
            dated = times.is_not_null() if times.null_count() else dated
        else:
            table = table.with_columns(constant(None, length, pl.Datetime("us")).alias("timestamp"))
        nothing = constant(False, length)
        return Rows(table, constant(True, length), nothing, nothing, dated)

    def _time_of(self, cuts: _Cuts, numbers: NDArray[np.int64]) -> pl.Expr:
        names = self._format.time
        if not names:
            return pl.lit(None)
        if (self._time[:, 0] >= 0)[numbers].all():
            return cuts.at(self._time)
        parts = [cuts.at(self._places[:, self._fields.index(name)]) for name in names]
        return pl.concat_str(parts, separator=" ")


class _Cuts:
    """Columns cut out of lines, all at once: each call of Polars costs as much as hundreds of lines."""

    def __init__(self, lines: pl.Series, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers
        self._columns = {"line": lines.cast(pl.Binary)}
        self._made: list[pl.Expr] = []

    def at(self, places: NDArray[np.int64]) -> pl.Expr:
        """Cut where the places of a field in each likeness are; null where there is none."""
        if (places == places[:1]).all() and places[0, 0] >= 0:
            at, length = pl.lit(int(places[0, 0])), pl.lit(int(places[0, 1]))
        else:
            at = self._column(places[:, 0])
            length = self._column(np.maximum(places[:, 1], 0))
            if (places[:, 0] < 0).any():
                at = pl.when(at >= 0).then(at)
        return pl.col("line").bin.slice(at, length).cast(pl.String)

    def _column(self, of_likeness: NDArray[np.int64]) -> pl.Expr:
        name = str(len(self._columns))
        self._columns[name] = pl.Series(name, of_likeness[self._numbers])
        return pl.col(name)

    def add(self, name: str, column: pl.Expr) -> None:
        """Ask for a column."""
        self._made.append(column.alias(name))

    def made(self) -> pl.DataFrame:
        """Give the columns asked for."""
        return pl.DataFrame(self._columns).select(self._made)


def constant_likeness(length: int) -> pl.Series:
    """Give the likeness of lines that are like nothing."""
    return pl.Series(ALIKE, [NONE], dtype=pl.UInt64).new_from_index(0, length)


def _slices(lines: pl.Series, at: pl.Series, length: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"line": lines.cast(pl.Binary), "at": at, "length": length})
    return frame.select(pl.col("line").bin.slice("at", "length")).to_series()


def with_likeness(rows: Rows, alike: pl.Series) -> Rows:
    """Give a format's rows with the hashes of their likenesses."""
    return replace(rows, table=rows.table.with_columns(alike.alias(ALIKE)))


def only_columns(rows: Rows, columns: Collection[str] | None) -> Rows:
    """Leave out the columns of a format's rows that are not wanted."""
    if columns is None:
        return rows
    names = [name for name in rows.table.columns if name in columns or name in ALWAYS]
    return replace(rows, table=rows.table.select(names))


def _filter(rows: Rows, keep: pl.Series) -> Rows:
    masks = (mask.filter(keep) for mask in (rows.fits, rows.partial, rows.inside, rows.dated))
    return Rows(rows.table.filter(keep), *masks)


def _merge(one: Rows, other: Rows, order: NDArray[np.int64]) -> Rows:
    """Put rows that were read in two ways back into the order of their lines."""
    table = pl.concat([one.table, other.table.select(one.table.columns)])[order]
    masks = (
        pl.concat([own, its]).gather(order)
        for own, its in (
            (one.fits, other.fits),
            (one.partial, other.partial),
            (one.inside, other.inside),
            (one.dated, other.dated),
        )
    )
    return Rows(table, *masks)
