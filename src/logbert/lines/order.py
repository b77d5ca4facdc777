"""The canonical order of sources: by the time of the first record, then by name."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.lines.clocks import BY_NAME

if TYPE_CHECKING:
    import polars as pl

    from logbert.lines.format import Format
    from logbert.lines.sources import Source

DAY = 86_400
YEAR = 366 * DAY
TURN_GAP = 183 * DAY
NEAR_TURN = 92 * DAY
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (all times here are naive)


@dataclass(frozen=True)
class Opened:
    """A source with its format.

    Attributes
    ----------
    source
        The file.
    format
        How its lines are read.
    turned
        Years to add to times that name no year, because an earlier source is of the year before.
    """

    source: Source
    format: Format
    turned: int = 0


def in_order(found: list[tuple[Source, pl.Series, Format]]) -> list[Opened]:
    """Put sources in canonical order; those whose first record has no time come last."""
    firsts = {source.name: first_time(lines, format_) for source, lines, format_ in found}
    yearless = {
        source.name: first
        for source, _, format_ in found
        if (first := firsts[source.name]) and _turns(format_) == "year"
    }
    turned = _turned_years(yearless)
    opened = [Opened(source, format_, turned.get(source.name, 0)) for source, _, format_ in found]

    def key(one: Opened) -> tuple[bool, int, str]:
        first = firsts[one.source.name]
        if first is None:
            return True, 0, one.source.name
        seconds = int((first - _EPOCH).total_seconds() * 1_000_000) + one.turned * YEAR * 1_000_000
        return False, seconds, one.source.name

    return sorted(opened, key=key)


def first_time(lines: pl.Series, format_: Format) -> dt.datetime | None:
    """Give the time of the first record that has one."""
    times = format_.read(lines).table["timestamp"].drop_nulls()
    return times[0] if len(times) else None


def _turns(format_: Format) -> str:
    clock = BY_NAME.get(format_.clock)
    return clock.turns if clock and not format_.wrapper else ""


def _turned_years(firsts: dict[str, dt.datetime]) -> dict[str, int]:
    """Tell which sources are of the year after, among some whose times name no year.

    Rotated logs that span a New Year begin in autumn and winter: if the longest stretch of the year's circle in which
    none begins is over half a year, and the turn of the year is not in it, the log began after that stretch.

    >>> import datetime as dt
    >>> _turned_years({"syslog.1": dt.datetime(2000, 12, 24), "syslog": dt.datetime(2000, 1, 3)})
    {'syslog.1': 0, 'syslog': 1}
    """
    order = sorted(firsts.values())
    if len(order) < 2:
        return {}
    gaps = [(int((later - earlier).total_seconds()), later) for earlier, later in zip(order, order[1:], strict=False)]
    longest, begin = max(gaps)
    over_turn = YEAR - int((order[-1] - order[0]).total_seconds())
    if longest < TURN_GAP or over_turn > NEAR_TURN:
        return {}
    return {name: int(first < begin) for name, first in firsts.items()}
