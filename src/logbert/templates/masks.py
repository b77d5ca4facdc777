r"""What in a message is a value and not wording: named regexes, all applied in one pass.

The masks are joined into a single alternation, so that a column of messages is read once, whatever the number of masks.
Among the masks that fit at the same place the first in the list wins; every match becomes the wildcard `<*>`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from logbert.alike import nearly_blind
from logbert.errors import InputError, ModelError, OptionError
from logbert.matches import on_all_cores
from logbert.templates.drain3_ini import read_drain3_ini

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

WILDCARD = "<*>"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ESCAPED_WORD_BOUNDARY = re.compile(r"(?<!\\)((?:\\\\)*)\\b(?!\{)")
_TABLES = {"mask", "remove", "order", "inherit"}


@dataclass(frozen=True)
class Mask:
    r"""One kind of value.

    Parameters
    ----------
    name
        A word to call it by, as in `ipv4`.
    regex
        What it looks like, in the syntax of Rust's `regex` (no look-around, no back-references).

    Examples
    --------
    >>> Mask("order", r"ORD-\d+")
    Mask(name='order', regex='ORD-\\d+')
    """

    name: str
    regex: str

    def __post_init__(self) -> None:
        """Refuse what could not be applied, in the words of the user."""
        if not _NAME.fullmatch(self.name):
            raise OptionError(f"mask name {self.name!r} is not a word; call it something like 'order_id'")
        try:
            empty = pl.Series([""]).str.contains(self.compiled)[0]
        except pl.exceptions.PolarsError as error:
            raise OptionError(f"mask {self.name!r}: {_why(self.regex, error)}") from None
        if empty:
            raise OptionError(f"mask {self.name!r}: {self.regex!r} matches the empty text; make it need one character")

    @property
    def compiled(self) -> str:
        r"""The regex as it is run: `\b` is ASCII, which keeps the engine on its fast path when a line is not."""
        return _ESCAPED_WORD_BOUNDARY.sub(r"\1(?-u:\\b)", self.regex)


def _why(regex: str, error: Exception) -> str:
    if re.search(r"\(\?<?[=!]", regex):
        return f"{regex!r} uses look-around, which this regex engine has not; match the value alone, or use \\b"
    return f"{regex!r} is not a regex: {_last_line(str(error))}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "unknown error"


class Masks:
    r"""An ordered set of masks.

    A message is read once, from left to right. At each place the first mask of the order that fits takes its text. The
    masks are therefore independent of each other: none sees the wildcards another one left.

    Parameters
    ----------
    masks
        In order of preference; names must differ.

    Examples
    --------
    >>> masks = Masks.default()
    >>> masks.apply(pl.Series(["Receiving block blk_-38 src: /10.0.0.1:40 dest: /data/x", "took 3.2 ms"])).to_list()
    ['Receiving block blk_<*> src: <*> dest: <*>', 'took <*>']
    >>> masks.name_matches("GET http://a.b/c from 10.0.0.7")
    [('url', 'http://a.b/c'), ('ipv4', '10.0.0.7')]
    """

    def __init__(self, masks: Iterable[Mask]) -> None:
        self._masks = tuple(masks)
        names = [mask.name for mask in self._masks]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise OptionError(f"two masks are called {twice[0]!r}; give each a name of its own")

    def __iter__(self) -> Iterator[Mask]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Masks) and self._masks == other._masks

    def __hash__(self) -> int:
        return hash(self._masks)

    def __repr__(self) -> str:
        return f"Masks({', '.join(mask.name for mask in self._masks)})"

    @classmethod
    def default(cls) -> Self:
        """Give the masks that come with logbert."""
        text = (files("logbert.templates") / "default_masks.toml").read_text(encoding="utf-8")
        return cls(Mask(entry["name"], entry["regex"]) for entry in tomllib.loads(text)["mask"])

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        r"""Read a file of adjustments to the default masks.

        `[[mask]]` tables with `name` and `regex` add a mask before all others, or replace the one of that name where it
        stands; `remove = ["email"]` drops some; `order = ["number", "hex"]` puts these first; `inherit = false` starts
        from nothing.

        Parameters
        ----------
        path
            The TOML file.
        """
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path}: cannot read the masks: {error.strerror or error}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path}: not a TOML file: {error}") from None
        try:
            return cls.default()._adjusted(content)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None

    @classmethod
    def from_drain3_ini(cls, path: Path) -> Self:
        """Take the masks of a `drain3.ini`, and only these.

        Parameters
        ----------
        path
            The file; its [MASKING] section is read.
        """
        named = read_drain3_ini(path)
        try:
            return cls(Mask(name, regex) for name, regex in named)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of masks: a `drain3.ini` by its ending, else a TOML file of adjustments.

        Parameters
        ----------
        path
            The file.
        """
        return cls.from_drain3_ini(path) if path.suffix.lower() == ".ini" else cls.from_toml(path)

    @classmethod
    def from_state(cls, state: object) -> Self:
        """Rebuild masks from what `state` gave."""
        try:
            return cls(Mask(entry["name"], entry["regex"]) for entry in state)  # type: ignore[attr-defined]
        except (TypeError, KeyError, OptionError) as error:
            raise ModelError(f"the masks of the model are damaged: {error}; train it again") from None

    def state(self) -> list[dict[str, str]]:
        """Give plain values that JSON can hold."""
        return [{"name": mask.name, "regex": mask.regex} for mask in self._masks]

    def _adjusted(self, content: Mapping[str, Any]) -> Self:
        unknown = sorted(set(content) - _TABLES)
        if unknown:
            raise OptionError(f"unknown entry {unknown[0]!r}; known are {', '.join(sorted(_TABLES))}")
        start = self._masks if content.get("inherit", True) else ()
        kept = {mask.name: mask for mask in start}
        for name in _names(content, "remove"):
            _must_exist(name, kept)
            del kept[name]
        added: dict[str, Mask] = {}
        for mask in _read_masks(content.get("mask", [])):
            if mask.name in added:
                raise OptionError(f"two masks are called {mask.name!r}; give each a name of its own")
            (kept if mask.name in kept else added)[mask.name] = mask
        everything = added | kept
        first = _names(content, "order")
        for name in first:
            _must_exist(name, everything)
        ordered = [*dict.fromkeys(first), *(name for name in everything if name not in first)]
        return type(self)(everything[name] for name in ordered)

    @cached_property
    def alternation(self) -> str:
        """The one regex that stands for all masks; empty if there are none."""
        return "|".join(f"(?:{mask.compiled})" for mask in self._masks)

    @cached_property
    def blind(self) -> bool:
        """Whether the masks take the same places in messages that differ only in digits, but for `UNLIKE`."""
        return all(nearly_blind(mask.regex) for mask in self._masks)

    def apply(self, messages: pl.Series) -> pl.Series:
        """Put the wildcard in place of every value.

        Parameters
        ----------
        messages
            Texts.
        """
        if not self._masks:
            return messages
        return on_all_cores(messages.alias("message"), pl.col("message").str.replace_all(self.alternation, WILDCARD))

    def name_matches(self, message: str) -> list[tuple[str, str]]:
        """Say which mask took what of one message, for whoever adjusts them.

        Parameters
        ----------
        message
            One text.
        """
        if not self._masks:
            return []
        found = pl.Series([message]).str.extract_all(self.alternation)[0].to_list()
        named: list[tuple[str, str]] = []
        rest = message
        for text in found:
            before, _, rest_after = rest.partition(text)
            named.append((self._name_of(text, before[-1:], rest_after[:1]), text))
            rest = rest_after
        return named

    def _name_of(self, text: str, before: str, after: str) -> str:
        around = pl.Series([before + text + after])
        for mask in self._masks:
            first = around.str.extract(f"({mask.compiled})", 1)[0]
            if first == text:
                return mask.name
        return self._masks[-1].name


def _names(content: Mapping[str, Any], entry: str) -> list[str]:
    names = content.get(entry, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise OptionError(f'{entry!r} must be a list of mask names, as in {entry} = ["email"]')
    return names


def _must_exist(name: str, masks: Mapping[str, Mask]) -> None:
    if name not in masks:
        raise OptionError(f"there is no mask {name!r}; there are {', '.join(masks)}")


def _read_masks(entries: object) -> list[Mask]:
    if not isinstance(entries, list):
        raise OptionError("masks are written as [[mask]] tables with a name and a regex")
    masks = []
    for entry in entries:
        if (
            not isinstance(entry, dict)
            or set(entry) != {"name", "regex"}
            or not all(isinstance(x, str) for x in entry.values())
        ):
            raise OptionError(f"a [[mask]] has a name and a regex, nothing else; this one has {entry!r}")
        masks.append(Mask(entry["name"], entry["regex"]))
    return masks
