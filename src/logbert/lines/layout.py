"""What every way of taking lines apart has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

if TYPE_CHECKING:
    from typing import Self

MATCHED = "_matched"  # the line fits the layout
INSIDE = "_inside"  # the line belongs to the record that began before it, and its text is in there already


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
    def from_state(cls, state: dict[str, Any]) -> Self:
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
    def from_state(cls, state: dict[str, Any]) -> WholeLine:
        """Make it again."""
        return cls()
