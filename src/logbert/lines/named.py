"""Formats that the user names: a preset, or a loghub format string taken verbatim."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from logbert.errors import OptionError
from logbert.lines import clocks
from logbert.lines.detection import LINES, choose_time, settle, structured
from logbert.lines.format import Format, time_text
from logbert.lines.layout import LEVELS, MATCHED, share
from logbert.lines.pattern import Pattern
from logbert.lines.presets import ALIASES, BY_NAME

if TYPE_CHECKING:
    import polars as pl

STRUCTURED = ("json", "logfmt", "journal", "cri", "docker")

# Fields that make a time, by the names that loghub and logging frameworks use; the first that can be read is taken.
TIME_FIELDS: tuple[tuple[str, ...], ...] = (
    ("weekday", "month", "day", "time", "year"),
    ("day", "month", "year", "time"),
    ("month", "day", "year", "time"),
    ("month", "date", "time"),
    ("month", "day", "time"),
    ("date", "day", "time"),
    ("date", "time", "zone"),
    ("date", "time"),
    ("timestamp",),
    ("datetime",),
    ("asctime",),
    ("time",),
    ("ts",),
    ("date",),
)
LEVEL_NAMES = ("level", "levelname", "severity", "loglevel", "priority")
LEVEL_SHARE = 0.5


def format_names() -> list[str]:
    """Give every name that `--format` knows."""
    return sorted([*BY_NAME, *ALIASES, *STRUCTURED, "lines", "auto"])


def named_format(given: str, sample: pl.Series) -> Format:
    """Make the format that a user named.

    Raises
    ------
    OptionError
        If it is neither a preset nor a format string.
    """
    name = ALIASES.get(given.lower(), given.lower())
    if name == "lines":
        return replace(LINES, how="given")
    if name in STRUCTURED:
        return replace(structured(name, sample), how="given")
    if name in BY_NAME:
        preset = BY_NAME[name]
        table = Pattern(preset.text).take_apart(sample.str.strip_chars()).filter(MATCHED)
        clock = clocks.choose_clock(time_text(table, preset.time), preset.clocks) if preset.time else None
        return settle(preset.format(clock.name if clock else ""), sample)
    if "<" in given or "(?P<" in given:
        return settle(_custom(given, sample), sample)
    close = difflib.get_close_matches(given.lower(), format_names(), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(format_names())}"
    raise OptionError(f"{given!r} is no format: {hint} A format string names fields: '<Date> <Time> <Level> <Content>'")


def _custom(given: str, sample: pl.Series) -> Format:
    shape = Pattern(given)
    table = shape.take_apart(sample.str.strip_chars()).filter(MATCHED)
    by_lower = {name.lower(): name for name in shape.fields}
    combinations = [
        tuple(by_lower[name] for name in names) for names in TIME_FIELDS if all(name in by_lower for name in names)
    ]
    # An epoch is in UTC, the written time beside it in an unknown zone.
    combinations.sort(key=lambda fields: not (len(fields) == 1 and _is_epoch(table, fields[0])))
    time, clock = choose_time(table, combinations)
    level = next((by_lower[name] for name in LEVEL_NAMES if name in by_lower), "")
    if level and share(table[level].str.contains(LEVELS).fill_null(False)) < LEVEL_SHARE:
        level = ""
    label = by_lower.get("label", "")
    real = bool(time) or len(shape.fields) > 2
    return Format("custom", shape, time, clock, level=level, label=label, joins="all" if real else "traces")


def _is_epoch(table: pl.DataFrame, name: str) -> bool:
    clock = clocks.choose_clock(table[name], ("epoch",))
    return clock is not None
