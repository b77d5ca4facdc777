"""A format: how lines are taken apart, which fields make the time, and what a record is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from logbert.errors import ModelError
from logbert.lines.clocks import BY_NAME, MICROSECONDS, TIME_TEXT
from logbert.lines.containers import Wrapper
from logbert.lines.journal import JournalExport
from logbert.lines.key_values import KeyValues
from logbert.lines.layout import INSIDE, LEVELS, MATCHED, Layout, Rows, WholeLine, constant
from logbert.lines.objects import Objects
from logbert.lines.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

RESERVED = ("line", "source", "timestamp", "message", "level", "label")
NORMAL_LABEL = "-"
KINDS: Mapping[str, type[Layout]] = {
    kind.kind: kind for kind in (Pattern, Objects, KeyValues, JournalExport, WholeLine)
}
TIMESTAMP = "\0timestamp"  # no field of a log is called this


@dataclass(frozen=True)
class Format:
    """How the lines of a log become records.

    Attributes
    ----------
    name
        A preset's name, or `custom`, `generic`, `json`, `logfmt`, `lines` (no header).
    shape
        What takes a line apart.
    time
        The fields that make the timestamp, in order; empty if there is none.
    clock
        The name of the clock that reads them.
    level, label
        The fields that hold the severity and the alert label; empty if there are none.
    wrapper
        The container runtime whose envelope is around each line, or empty.
    joins
        What becomes of lines that do not fit: "all" are continuations unless they begin like a record, "traces" only if
        they look like part of a stack trace, "none" ever.
    how
        `given`, `detected` or `remembered`.
    share
        The share of the sample's records that fit.
    rivals
        What else came close: names and shares.
    others
        The formats of the sources that differ; empty if all are alike.
    """

    name: str
    shape: Layout
    time: tuple[str, ...] = ()
    clock: str = ""
    level: str = ""
    label: str = ""
    wrapper: str = ""
    joins: str = "none"
    how: str = "given"
    share: float = 1.0
    rivals: tuple[tuple[str, float], ...] = ()
    others: tuple[Format, ...] = field(default=())

    @property
    def layout(self) -> str:
        """How a line is written, for a person to read."""
        inner = self.shape.text
        return f"{self.wrapper} around {inner}" if self.wrapper else inner

    def __str__(self) -> str:
        """Say the format, and how sure it is."""
        sure = "" if self.how == "given" else f", fits {self.share:.1%} of the sample"
        rivals = "".join(f"; {name} fits {share:.1%}" for name, share in self.rivals)
        others = "".join(f"; some sources are {other.name} ({other.layout})" for other in self.others)
        return f"{self.name} ({self.layout}){sure}{rivals}{others}"

    @property
    def columns(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        """The columns that records of this format have, after `line` and `source`."""
        columns: dict[str, pl.DataType | type[pl.DataType]] = {"timestamp": MICROSECONDS, "message": pl.String}
        if self.level:
            columns["level"] = pl.String
        if self.label:
            columns["label"] = pl.Boolean
        columns.update(dict.fromkeys(self.renamed.values(), pl.String))
        if self.wrapper:
            columns["stream"] = pl.String
        for other in self.others:
            columns.update(other.columns)
        return columns

    @property
    def renamed(self) -> dict[str, str]:
        """The header fields that stay as they are, and the columns they are in."""
        names = [name for name in self.shape.fields if name not in (self.shape.content, self.level)]
        taken = (*RESERVED, *(("stream",) if self.wrapper else ()))
        return {name: f"{name}_" if name in taken else name for name in names}

    @property
    def headless(self) -> bool:
        """Whether lines have no header, so that nothing but their look tells where a record begins."""
        return isinstance(self.shape, WholeLine)

    @property
    def alternatives(self) -> tuple[Format, ...]:
        """The format by itself, and the others it stands for."""
        return (replace(self, others=()), *self.others)

    def read(self, lines: pl.Series) -> Rows:
        """Take lines apart."""
        if not self.wrapper:
            return self._read(lines)
        outer = Wrapper(self.wrapper).unwrap(lines)
        inner = self._read(pl.select(pl.coalesce(outer["text"], lines)).to_series())
        # The runtime knows the time of every line; the program's own is the same, or in an unknown zone.
        time = BY_NAME["iso"].read(outer["time"])
        fits = inner.fits & outer[MATCHED]
        table = inner.table.with_columns(timestamp=time, stream=outer["stream"])
        return Rows(table, fits, inner.partial, inner.inside | outer[INSIDE], time.is_not_null() | ~outer[MATCHED])

    def _read(self, lines: pl.Series) -> Rows:
        # loghub matches lines without the white space around them.
        stripped = lines.str.strip_chars() if isinstance(self.shape, Pattern) else lines
        table = self._take_apart(lines, stripped)
        fits = table[MATCHED]
        partial = constant(False, len(table))
        if isinstance(self.shape, Pattern) and not fits.all():
            for shorter in self.shape.openings(self.time):
                table = self._open(table, stripped, shorter)
            partial = table[MATCHED] & ~fits
            fits = table[MATCHED]
        columns = [table[TIMESTAMP].alias("timestamp"), table[self.shape.content].alias("message")]
        if self.level:
            columns.append(table[self.level].alias("level"))
        if self.label:
            columns.append((table[self.label] != NORMAL_LABEL).alias("label"))
        columns += [table[name].alias(column) for name, column in self.renamed.items()]
        result = pl.DataFrame(columns)
        inside = table[INSIDE] if INSIDE in table.columns else constant(False, len(table))
        if not fits.all():
            whole = lines.str.strip_chars_end()
            nothing = pl.when(fits).then(pl.all())
            message = pl.when(fits).then("message").otherwise(whole).alias("message")
            result = result.select(nothing).with_columns(result.select(message).to_series())
        dated = result["timestamp"].is_not_null() | ~fits if self.time else constant(True, len(table))
        return Rows(result, fits, partial, inside, dated)

    def _take_apart(self, lines: pl.Series, stripped: pl.Series) -> pl.DataFrame:
        """Take lines apart and read their times; a line in whose time's place something else stands does not fit."""
        table = self.shape.take_apart(stripped)
        if not self.time:
            if isinstance(self.shape, Pattern):
                indented = lines.str.contains(r"^\s")
                table = table.with_columns(table[MATCHED] & ~indented)
            return table.hstack([constant(None, len(table), MICROSECONDS).alias(TIMESTAMP)])
        text = time_text(table, self.time)
        timestamp = BY_NAME[self.clock].read(text)
        if timestamp.null_count() and isinstance(self.shape, Pattern):
            at = timestamp.is_null().arg_true()
            plausible = text.gather(at).str.contains(TIME_TEXT).fill_null(False)
            table = table.with_columns(table[MATCHED].scatter(at, table[MATCHED].gather(at) & plausible))
        return table.hstack([timestamp.alias(TIMESTAMP)])

    def _open(self, table: pl.DataFrame, lines: pl.Series, shorter: Pattern) -> pl.DataFrame:
        """Take the lines that do not fit but begin with a time for records whose header is short."""
        left = (~table[MATCHED]).arg_true()
        rest = shorter.take_apart(lines.gather(left))
        timestamp = BY_NAME[self.clock].read(time_text(rest, self.time))
        fits = rest[MATCHED] & timestamp.is_not_null()
        if self.level in rest.columns:
            fits &= rest[self.level].str.contains(LEVELS).fill_null(False)
        if not fits.any():
            return table
        at = left.filter(fits)
        rest = rest.hstack([timestamp.alias(TIMESTAMP)]).filter(fits).rename({shorter.content: self.shape.content})
        empty = constant(None, len(at), pl.String)
        return table.with_columns(
            table[name].scatter(at, rest[name] if name in rest.columns else empty) for name in table.columns
        )

    def unfinished(self, lines: pl.Series) -> int:
        """Count the lines at the end of a batch that can only be read with those that follow."""
        if self.wrapper:
            return Wrapper(self.wrapper).unfinished(lines)
        if isinstance(self.shape, JournalExport):
            return self.shape.unfinished(lines)
        return 0

    def state(self) -> dict[str, Any]:
        """Give the format as what JSON can hold."""
        return {
            "name": self.name,
            "shape": self.shape.state(),
            "time": list(self.time),
            "clock": self.clock,
            "level": self.level,
            "label": self.label,
            "wrapper": self.wrapper,
            "joins": self.joins,
            "share": self.share,
            "others": [other.state() for other in self.others],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Format:
        """Make a format again from its `state`.

        Raises
        ------
        ModelError
            If the state is not one that this version of logbert writes.
        """
        try:
            shape = KINDS[state["shape"]["kind"]].from_state(state["shape"])
            clock = state["clock"]
            if clock:
                BY_NAME[clock]
            return cls(
                name=state["name"],
                shape=shape,
                time=tuple(state["time"]),
                clock=clock,
                level=state["level"],
                label=state["label"],
                wrapper=state["wrapper"],
                joins=state["joins"],
                how="remembered",
                share=state["share"],
                others=tuple(cls.from_state(other) for other in state["others"]),
            )
        except (KeyError, TypeError) as error:
            raise ModelError(
                f"the saved format cannot be understood ({error!r}); "
                "the model was written by another logbert, or damaged"
            ) from error


def time_text(table: pl.DataFrame, fields: tuple[str, ...]) -> pl.Series:
    """Put the parts of a time together, as a clock reads them."""
    if len(fields) == 1:
        return table[fields[0]]
    return table.select(pl.concat_str(fields, separator=" ").alias("time")).to_series()
