"""loghub format strings, taken verbatim: `<Date> <Time> <Level> <Component>: <Content>` to columns.

A format string is a regular expression around fields: what stands between fields is taken as an expression, runs of
spaces in it mean any white space, and a field is as short as it can be. Matching that expression costs more than all
else that happens to a line, so lines that have single spaces in their header, as nearly all do, are cut at the literal
separators instead, and only the rest goes through the expression. Both give the same columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import OptionError
from logbert.lines.layout import MATCHED

if TYPE_CHECKING:
    from collections.abc import Callable

CONTENT_NAMES = ("content", "message", "msg")

_FIELD = re.compile(r"<([^<>]+)>")
_TAG = re.compile(r"<([^<>]+)>\(\\\[<([^<>]+)>\\\]\)\?")
_LITERAL = re.compile(r"(?:\\[^\w\s]|[^\\^$.|?*+()\[\]{}])*")
_WHITE = r"[\t\x0b\x0c\r]"  # white space that is no space, in ASCII and beyond
_WHITE_ANYWHERE = r"[\t\x0b\x0c\r\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"


@dataclass(frozen=True)
class Cut:
    """A literal separator after a field.

    Attributes
    ----------
    separator
        What to cut at.
    count
        How many times in a row it separates fields.
    tag
        The field that may stand in square brackets after the last field before the cut (`sshd[123]: `), if any.
    """

    separator: str
    count: int
    tag: bool = False


@dataclass(frozen=True)
class Pattern:
    r"""A format string, or a regular expression with named groups, compiled.

    Parameters
    ----------
    text
        The format string. One without a field in angle brackets but with named groups is a regular expression.

    Examples
    --------
    >>> pattern = Pattern(r"<Component>(\[<PID>\])?: <Content>")
    >>> pattern.take_apart(pl.Series(["sshd[12]: session opened", "no header"])).rows()
    [('sshd', '12', 'session opened', True), (None, None, None, False)]
    """

    text: str

    kind = "pattern"

    def __post_init__(self) -> None:
        if not self.fields:
            raise OptionError(
                f"the format {self.text!r} names no field; "
                "write fields in angle brackets: '<Date> <Time> <Level> <Content>'"
            )
        double = {name for name in self.fields if self.fields.count(name) > 1}
        if double:
            raise OptionError(
                f"the format {self.text!r} names {', '.join(sorted(double))} twice; give each field its own name"
            )
        try:
            pl.Series([""]).str.extract_groups(self.expression)
        except pl.exceptions.ComputeError as error:
            why = str(error).split("\n\nThis error occurred", maxsplit=1)[0].replace("\n", " ")
            raise OptionError(
                f"the format {self.text!r} cannot be compiled ({why}); "
                "write a bracket or another special character as \\["
            ) from error

    @cached_property
    def is_expression(self) -> bool:
        """Whether the text is a regular expression already."""
        return "(?P<" in self.text

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in order."""
        if self.is_expression:
            return tuple(re.findall(r"\(\?P<(\w+)>", self.text))
        return tuple(_FIELD.findall(self.text))

    @cached_property
    def content(self) -> str:
        """The field that holds the message: `Content` or a name like it, else the last."""
        for name in self.fields:
            if name.lower() in CONTENT_NAMES:
                return name
        return self.fields[-1]

    @cached_property
    def separators(self) -> list[str]:
        """What stands before, between and after the fields."""
        return _FIELD.split(self.text)[::2]

    @cached_property
    def expression(self) -> str:
        """The regular expression; group `f0` is the first field."""
        if self.is_expression:
            expression = self.text
            for number, name in enumerate(self.fields):
                expression = expression.replace(f"(?P<{name}>", f"(?P<f{number}>", 1)
            return expression
        parts = ["^", self._spaced(0)]
        for number in range(len(self.fields)):
            parts += [f"(?P<f{number}>.*?)", self._spaced(number + 1)]
        return "".join(parts) + "$"

    def _spaced(self, number: int) -> str:
        separator = self.separators[number]
        # A bracket around a field that nobody escaped can only mean the bracket itself.
        separator = re.sub(r"(?<!\\)\[$", r"\\[", separator)
        separator = re.sub(r"^\](?=\s|:|$)", r"\\]", separator)
        separator = re.sub(r"(?<!\\)\((?!\?)", "(?:", separator)
        spaced = re.sub(" +", r"\\s+", separator)
        if number == len(self.fields) - 1 and self.separators[-1] == "" and spaced.endswith(r"\s+"):
            # A header with nothing after it is a record with an empty message.
            spaced = spaced.removesuffix(r"\s+") + r"(?:\s+|$)"
        return spaced

    @cached_property
    def opening(self) -> str:
        """The literal text before the first field."""
        return _literal(self._escaped(0)) or ""

    def _escaped(self, number: int) -> str:
        return re.sub(r"^\](?=\s|:|$)", r"\\]", re.sub(r"(?<!\\)\[$", r"\\[", self.separators[number]))

    @cached_property
    def cuts(self) -> tuple[Cut, ...] | None:
        """The separators to cut at, if they are all literal; None if only the expression will do."""
        if self.is_expression or self.separators[-1] or _literal(self._escaped(0)) is None:
            return None
        tag = _TAG.search(self.text)
        tagged = self.fields.index(tag.group(1)) if tag else -1
        cuts: list[Cut] = []
        number = 1
        while number < len(self.fields):
            is_tag = number - 1 == tagged
            if is_tag:
                number += 1
                separator = _literal(re.sub(" +", " ", self.separators[number].removeprefix(r"\])?")))
            else:
                separator = _literal(re.sub(" +", " ", self._escaped(number)))
            if not separator or (is_tag and not separator.startswith(":")):
                return None
            if cuts and not is_tag and not cuts[-1].tag and cuts[-1].separator == separator:
                cuts[-1] = Cut(separator, cuts[-1].count + 1)
            else:
                cuts.append(Cut(separator, 1, is_tag))
            number += 1
        return tuple(cuts)

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give a column a field, null where the line does not fit, and whether it fits."""
        if self.cuts is None:
            return self._match(lines)
        table = self._cut(lines, self.cuts, padded=False)
        if all(" " not in cut.separator.strip(" ") for cut in self.cuts):
            table = self._complete(table, lines, lambda rest: self._cut(rest, self.cuts or (), padded=True))
        return self._complete(table, lines, self._match)

    @staticmethod
    def _complete(
        table: pl.DataFrame, lines: pl.Series, take_apart: Callable[[pl.Series], pl.DataFrame]
    ) -> pl.DataFrame:
        """Take the lines that did not fit so far apart in another way."""
        left = (~table[MATCHED]).arg_true()
        if left.is_empty():
            return table
        if len(left) == len(lines):
            return take_apart(lines)
        rest = take_apart(lines.gather(left))
        return table.with_columns(table[name].scatter(left, rest[name]) for name in table.columns)

    def _match(self, lines: pl.Series) -> pl.DataFrame:
        groups = lines.str.extract_groups(self.expression).struct.unnest()
        table = groups.select(pl.col(f"f{number}").alias(name) for number, name in enumerate(self.fields))
        # A group that took no part is null even in a line that fits; the content takes part in every one.
        return table.with_columns(pl.col(self.content).is_not_null().alias(MATCHED))

    def _cut(self, lines: pl.Series, cuts: tuple[Cut, ...], padded: bool) -> pl.DataFrame:
        """Cut at the literal separators; what comes out is right where `MATCHED` is true.

        Lines with runs of spaces in their header are not, unless they are cut as `padded`: one by one, each field and
        each rest freed of the spaces around it.
        """
        ascii_only = bool((lines.str.len_bytes() == lines.str.len_chars()).all())
        names = list(self.fields)
        table = pl.DataFrame({"_line": lines}).lazy()
        table = table.with_columns(_rest=pl.col("_line").str.slice(len(self.opening)) if self.opening else "_line")
        fits = pl.col("_line").str.starts_with(self.opening) if self.opening else pl.lit(True)
        for cut in _singly(cuts) if padded else cuts:
            table = table.with_columns(pl.col("_rest").str.splitn(cut.separator, cut.count + 1).alias("_pieces"))
            taken = names[: cut.count]
            del names[: cut.count]
            table = table.with_columns(
                *(pl.col("_pieces").struct.field(f"field_{number}").alias(name) for number, name in enumerate(taken)),
                _rest=pl.col("_pieces").struct.field(f"field_{cut.count}"),
            )
            if padded:
                table = table.with_columns(
                    pl.col(taken[0]).str.strip_chars_end(" ") if cut.separator.startswith(" ") else pl.col(taken[0]),
                    pl.col("_rest").str.strip_chars_start(" ") if cut.separator.endswith(" ") else pl.col("_rest"),
                )
            if cut.tag:
                table = _cut_tag(table, taken[-1], names.pop(0))
                fits &= pl.col("_tag_fits")
        header = pl.col("_line").str.len_bytes() - pl.col("_rest").str.len_bytes()
        white = pl.col("_line").str.find(_WHITE if ascii_only else _WHITE_ANYWHERE)
        # After a space, white space at the beginning of the message belongs to the header.
        fits &= white.is_null() | (white > header if cuts[-1].separator.endswith(" ") else white >= header)
        if not padded:
            twice = pl.col("_line").str.find("  ", literal=True)
            fits &= twice.is_null() | (twice >= header)
        fits &= pl.col("_rest").is_not_null()
        content = pl.col("_rest").alias(self.fields[-1])
        return table.select(*self.fields[:-1], content, fits.fill_null(False).alias(MATCHED)).collect()

    def openings(self, time: tuple[str, ...]) -> list[Pattern]:
        """Give shorter patterns for lines that begin as this one does: the longest such, and the time alone.

        >>> pattern = Pattern("<Date> <Time> <Level> <Component>: <Content>")
        >>> [shorter.text for shorter in pattern.openings(("Date", "Time"))]
        ['<Date> <Time> <Level> <Content>', '<Date> <Time> <Content>']
        """
        if self.is_expression or not time or self.content != self.fields[-1]:
            return []
        least = 1 + max(self.fields.index(name) for name in time)
        counts = [count for count in range(least, len(self.fields) - 1) if self._closing(count)]
        return [Pattern(self._opening(count)) for count in dict.fromkeys(counts[-1:] + counts[:1])]

    def _closing(self, count: int) -> str:
        """Give the part of a separator that ends the field before it, if it can stand alone."""
        separator = self.separators[count]
        closing = separator[: separator.rfind(" ") + 1] or (separator if _literal(separator) else "")
        return closing if _literal(closing) else ""

    def _opening(self, count: int) -> str:
        parts = [part for number in range(count) for part in (self.separators[number], f"<{self.fields[number]}>")]
        return "".join(parts) + self._closing(count) + "<Content>"

    def state(self) -> dict[str, str]:
        """Give what a saved format holds of it."""
        return {"kind": self.kind, "text": self.text}

    @classmethod
    def from_state(cls, state: dict[str, str]) -> Pattern:
        """Make it again."""
        return cls(state["text"])


def _singly(cuts: tuple[Cut, ...]) -> tuple[Cut, ...]:
    return tuple(Cut(cut.separator, 1, cut.tag) for cut in cuts for _ in range(cut.count))


def _cut_tag(table: pl.LazyFrame, component: str, tag: str) -> pl.LazyFrame:
    """Cut `sshd[123]` into two; a bracket that closes elsewhere is for the expression."""
    pieces = pl.col(component).str.splitn("[", 2)
    inside = pieces.struct.field("field_1")
    return table.with_columns(
        pieces.struct.field("field_0").alias(component),
        inside.str.strip_suffix("]").alias(tag),
        _tag_fits=inside.is_null() | inside.str.ends_with("]"),
    )


def _literal(separator: str) -> str | None:
    """Give the text an expression stands for, if it stands for one only."""
    if not _LITERAL.fullmatch(separator):
        return None
    return re.sub(r"\\(.)", r"\1", separator)
