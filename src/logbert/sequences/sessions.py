"""Sessions: records that name the same id belong together, wherever they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.alike import ALIKE
from logbert.errors import OptionError
from logbert.sequences.collector import Collector, assemble, in_schema, merge_sources

if TYPE_CHECKING:
    from collections.abc import Callable

SEPARATOR = "/"  # between the values of several fields, in a session's name


class SessionCollector(Collector):
    """Sessions by id; a record that names several distinct ids is in several sessions, one that names none in none.

    Parameters
    ----------
    ids_of
        Gives, for a frame of records, a frame of (`row`, `id`): which of its rows names which id, in order of rows
        and without repeats.
    """

    def __init__(self, ids_of: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        super().__init__()
        self._ids_of = ids_of
        # Ids are held as numbers; the text of each distinct id is held once, for as long as this collector lives.
        self._category = pl.Categorical(pl.Categories.random())

    def _members(self, frame: pl.DataFrame, narrow: pl.DataFrame) -> pl.DataFrame:
        ids = self._ids_of(frame)
        named = ids["row"].n_unique()
        self.left_out += len(frame) - named
        group = ids["id"].cast(self._category).alias("group")
        if len(ids) == len(frame) == named:
            return narrow.with_columns(group)
        return narrow[ids["row"]].with_columns(group)

    def _sequences(self, members: pl.DataFrame) -> pl.DataFrame:
        if not self._clocks.several:
            sessions = assemble(members, "group")
        else:
            named = members.select("group").unique(maintain_order=True)
            members = self._clocks.with_source(members)
            merged = merge_sources(members.with_columns(self._clocks.times(members).alias("at")), "group")
            sessions = named.join(assemble(merged, "group"), on="group", how="left", maintain_order="left")
        return in_schema(sessions.rename({"group": "sequence"}))

    @property
    def notes(self) -> list[str]:
        """How many records belong to no session."""
        if not self.left_out:
            return []
        share = 100 * self.left_out / self.records
        return [f"{self.left_out:,} of {self.records:,} records ({share:.1f} %) name no session and are not judged"]


def ids_in_fields(frame: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """Take header fields as ids; a record in which one of them is missing or empty names none."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        there = ", ".join(name for name in frame.columns if name != ALIKE)
        raise OptionError(f"there is no field {missing[0]!r} in these records to group by; they have {there}")
    values = [pl.col(name).cast(pl.String) for name in names]
    empty = pl.any_horizontal(value.fill_null("") == "" for value in values)
    return frame.select(
        pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"),
        pl.when(~empty).then(pl.concat_str(values, separator=SEPARATOR)).alias("id"),
    ).drop_nulls()
