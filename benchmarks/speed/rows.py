"""What there is to measure: rows of the table, and curves of how it grows."""

from __future__ import annotations

import fnmatch
import pkgutil
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal, TypeAlias

from benchmarks.speed import groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.speed.data import Data
    from benchmarks.speed.measure import Work


@dataclass(frozen=True)
class Target:
    """How good a row must be, and what is aimed for: a ratio to the peer (at least), seconds or MB (at most)."""

    of: Literal["ratio", "seconds", "MB"]
    must: float
    aim: float

    def verdict(self, value: float) -> str:
        """Say how a value compares."""
        if self.of == "ratio":
            return "aim" if value >= self.aim else "must" if value >= self.must else "below"
        return "aim" if value <= self.aim else "must" if value <= self.must else "below"


@dataclass(frozen=True)
class Peer:
    """Whom we are compared with.

    Attributes
    ----------
    name
        As the table names it.
    work
        What to run.
    needs
        The package it is; without it the row has no ratio.
    """

    name: str
    work: Callable[[Data], Work]
    needs: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes
    ----------
    name
        What to type to measure this row alone.
    work
        What is done, in words.
    unit
        What is counted, as in `lines`; empty where only the seconds matter.
    ours, peer
        What to run, given the data.
    targets
        What is to be reached.
    repeats
        How often each is run, in turns; the fastest counts.
    """

    name: str
    work: str
    unit: str
    ours: Callable[[Data], Work]
    peer: Peer | None = None
    targets: tuple[Target, ...] = ()
    repeats: int = 2


@dataclass(frozen=True)
class Curve:
    """How time and memory grow with something.

    Attributes
    ----------
    name, work
        As in `Row`.
    axis
        What grows.
    points
        Its values.
    full
        Values that are only measured with `--full`.
    ours
        What to run, given the data and a value.
    """

    name: str
    work: str
    axis: str
    points: tuple[int, ...]
    ours: Callable[[Data, int], Work]
    full: tuple[int, ...] = ()


Entry: TypeAlias = Row | Curve


def entries(chosen: Sequence[str] = ()) -> list[tuple[str, Entry]]:
    """Give the group and the entry of all rows and curves, or of those whose name or group is chosen (globs)."""
    found: list[tuple[str, Entry]] = []
    for module in pkgutil.iter_modules(groups.__path__):
        group = import_module(f"{groups.__name__}.{module.name}")
        found += [(module.name, entry) for entry in group.ENTRIES]
    if not chosen:
        return found
    return [
        (group, entry)
        for group, entry in found
        if any(fnmatch.fnmatch(entry.name, glob) or fnmatch.fnmatch(group, glob) for glob in chosen)
    ]
