"""What every way of taking lines apart has in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

if TYPE_CHECKING:
    from typing import Self

ALWAYS = frozenset({"line", "source", "timestamp", "message"})  # columns that every frame of records has
MATCHED = "_matched"  # the line fits the layout
INSIDE = "_inside"  # the line belongs to the record that began before it, and its text is in there already

LEVELS = (
    r"(?i)^(?:trace|debug|dbg|info|information|informational|notice|note|warn|warning|error|err|severe|fatal|critical|crit|"
    r"alert|emerg|emergency|panic|verbose|fine|finer|finest|config|failure|success|audit|log|statement|hint|detail|"
    r"[TDIWEFVNC]|\d)$"
)


def share(mask: pl.Series) -> float:
    """Tell what share of a mask is true.

    >>> share(pl.Series([True, False, None, None]))
    0.25
    """
    return int(mask.sum()) / max(1, len(mask))


def constant(value: bool | str | None, length: int, kind: type[pl.DataType] | pl.DataType = pl.Boolean) -> pl.Series:
    """Make a series of one value.

    >>> constant(True, 2).to_list()
    [True, True]
    """
    return pl.Series([value], dtype=kind).new_from_index(0, length)


@dataclass(frozen=True)
class Rows:
    """Lines taken apart by a format, one row a line.

    Attributes
    ----------
    table
        The format's columns. A line that does not fit has its whole text as `message`, and nothing else.
    fits
        Whether the line fits, or begins as the format does.
    partial
        Whether it only begins as the format does, up to the time at least.
    inside
        Whether it belongs to the record that began before it, whose message has its text already.
    dated
        False where the line fits and its time is no time.
    """

    table: pl.DataFrame
    fits: pl.Series
    partial: pl.Series
    inside: pl.Series
    dated: pl.Series

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.table)

    @property
    def whole(self) -> pl.Series:
        """Where the line fits all of the format, its time included."""
        return self.fits & self.dated & ~self.partial


class Layout(Protocol):
    """A way of taking lines apart into fields."""

    @property
    def kind(self) -> str:
        """What sort of layout it is, as a saved format names it."""

    @property
    def text(self) -> str:
        """How it would be written for a person."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields, the message's among them."""

    @property
    def content(self) -> str:
        """The field that holds the message."""

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give a String column a field, `MATCHED`, and `INSIDE` if a record may have several lines of its own."""

    def state(self) -> dict[str, Any]:
        """Give what a saved format holds of it."""

    @classmethod
    def from_state(cls, state: dict[str, Any], /) -> Self:
        """Make it again."""


class WholeLine:
    """No header: the whole line is the message.

    >>> WholeLine().take_apart(pl.Series(["one"])).rows()
    [('one', True)]
    """

    kind = "whole"
    text = "<Content>"
    fields = ("Content",)
    content = "Content"

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give the lines as they are."""
        return pl.DataFrame({"Content": lines}).with_columns(pl.lit(True).alias(MATCHED))

    def state(self) -> dict[str, Any]:
        """Give what a saved format holds of it."""
        return {"kind": self.kind}

    @classmethod
    def from_state(cls, _: dict[str, Any], /) -> WholeLine:
        """Make it again."""
        return cls()
