"""Headers no preset knows: a time of any known kind, and what programs put between it and the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logbert.lines import clocks
from logbert.lines.format import Format, time_text
from logbert.lines.layout import LEVELS, MATCHED, share
from logbert.lines.pattern import Pattern

if TYPE_CHECKING:
    import polars as pl

# How a time may stand at the beginning of a line, or after a level, the particular first.
TIMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\[<Date> <Time>\]", ("Date", "Time")),
    (r"\[<Date> <Time> <Zone>\]", ("Date", "Time", "Zone")),
    (r"\[<Weekday> <Month> <Day> <Time> <Year>\]", ("Weekday", "Month", "Day", "Time", "Year")),
    (r"\[<Timestamp>\]", ("Timestamp",)),
    ("<Weekday> <Month> <Day> <Time> <Year>", ("Weekday", "Month", "Day", "Time", "Year")),
    ("<Weekday> <Day> <Month> <Year> <Time> <Zone>", ("Weekday", "Day", "Month", "Year", "Time", "Zone")),
    ("<Day> <Month> <Year> <Time>", ("Day", "Month", "Year", "Time")),
    ("<Date> <Time> <Zone>", ("Date", "Time", "Zone")),
    ("<Month> <Day> <Time>", ("Month", "Day", "Time")),
    ("<Date> <Time>", ("Date", "Time")),
    ("<Timestamp>", ("Timestamp",)),
)
# What may follow the time. `Level` must look like one, `Thread`, `Pid` and `Logger` like theirs.
RESTS: tuple[str, ...] = (
    r" \[<Thread>\] <Level> <Logger> - <Content>",
    r" \[<Thread>\] <Level> <Logger>: <Content>",
    r" <Level> \[<Thread>\] <Logger> - <Content>",
    r" <Level> \[<Thread>\] <Logger>: <Content>",
    r" <Level> <Pid> --- \[<Application>\] \[<Thread>\] <Logger> : <Content>",
    r" <Level> <Pid> --- \[<Thread>\] <Logger> : <Content>",
    r" \| <Level> \| <Logger> - <Content>",
    r" \[<Level>\] \[<Logger>\] <Content>",
    r" \[<Level>\] <Pid>#<Thread>: <Content>",
    r" \[<Level>\] <Logger>: <Content>",
    r" \[<Thread>\] \[<Level>\] <Content>",
    r" \[<Pid>\] <Level>: <Content>",
    r" \[<Pid>\] <Level> <Content>",
    r" \[<Thread>\] <Level> <Content>",
    r" - <Logger> - <Level> - <Content>",
    r" - <Level> - <Logger> - <Content>",
    r" - <Level> - <Content>",
    r" <Pid> <Level> <Logger>: <Content>",
    r" <Pid> <Level> <Logger> <Content>",
    r" <Level> <Logger>: <Content>",
    r" <Level>:<Logger>:<Content>",
    r" <Level> <Logger> - <Content>",
    r" <Level> \[<Thread>\] <Module> <Content>",
    r" <Level> \[<Logger>\] <Content>",
    r" <Level> <Module> <Content>",
    r" \[<Level>\] <Module> <Content>",
    r" <Logger>\.<Level>: <Content>",
    r" <Logger> <Level>: <Content>",
    r" <Logger> <Level> <Content>",
    r" <Level>: <Content>",
    r" \[<Level>\]: <Content>",
    r" \[<Level>\] <Content>",
    r" \|<Level>\|<Content>",
    r" <Level> <Content>",
    r" - <Content>",
    r": <Content>",
    r" <Content>",
)
LEVEL_FIRST: tuple[tuple[str, str], ...] = (
    (r"\[<Level>\] ", " <Content>"),
    ("<Level> ", " <Content>"),
    (r"<Level>: ", " <Content>"),
)
CHECKS = {
    "Level": LEVELS,
    # Without a sign after it, a logger must look like one: several names in a row, as `my.app` or `server/main.go:12`.
    "Module": r"^[A-Za-z_][\w$-]*(?:[.:/]+[\w$<>-]+)+$",
    "Pid": r"^\d+$",
    "Logger": r"^[\w.$/:@*-]+$",
    "Thread": r"^[^\[\]]+$",
}
CHECKED = 0.95
ENOUGH = 0.5  # share of the sample's lines that must begin with a time


def generic_formats(lines: pl.Series) -> list[Format]:
    r"""Find headers that begin with a time (or with a level and a time), the most particular first; at most two.

    >>> import polars as pl
    >>> lines = pl.Series(["2024-05-01 10:00:00.123 [main] WARN app.Pool - slow"])
    >>> generic_formats(lines)[0].layout
    '<Date> <Time> \\[<Thread>\\] <Level> <Logger> - <Content>'
    """
    stripped = lines.str.strip_chars()
    found: list[Format] = []
    for time, fields in TIMES:
        clock = _clock(stripped, f"{time} <Content>", fields) or _clock(stripped, f"{time}: <Content>", fields)
        if clock:
            found += [_with(time + rest, fields, clock) for rest in _fitting(stripped, time, fields, clock, RESTS)[:1]]
            break
    if found:
        return found
    for before, rest in LEVEL_FIRST:
        for time, fields in TIMES:
            clock = _clock(stripped, before + time + rest, fields)
            if clock and _fitting(stripped, before + time, fields, clock, (rest,)):
                return [_with(before + time + rest, fields, clock)]
    return []


def _with(text: str, fields: tuple[str, ...], clock: str) -> Format:
    level = "Level" if "<Level>" in text else ""
    return Format("generic", Pattern(text), fields, clock, level=level, joins="all")


def _clock(lines: pl.Series, text: str, fields: tuple[str, ...]) -> str:
    """Find the clock that reads these fields in enough of the lines."""
    table = Pattern(text).take_apart(lines).filter(MATCHED)
    if len(table) < ENOUGH * len(lines) * 0.2:
        return ""
    times = time_text(table, fields)
    plausible = times.filter(times.str.contains(clocks.TIME_TEXT))
    if len(plausible) < ENOUGH * len(lines) * 0.2:
        return ""
    clock = clocks.choose_clock(plausible)
    return clock.name if clock else ""


def _fitting(lines: pl.Series, time: str, fields: tuple[str, ...], clock: str, rests: tuple[str, ...]) -> list[str]:
    """Give the rests of a header that fit nearly every line that begins with such a time."""
    general = Pattern(f"{time} <Content>").take_apart(lines)
    dated = clocks.BY_NAME[clock].read(time_text(general, fields)).is_not_null()
    own = lines.filter(dated)
    good = []
    for rest in rests:
        shape = Pattern(time + rest)
        table = shape.take_apart(own)
        right = table[MATCHED] & clocks.BY_NAME[clock].read(time_text(table, fields)).is_not_null()
        for name, expression in CHECKS.items():
            if name in table.columns:
                right &= table[name].str.contains(expression).fill_null(False)
        if len(own) and share(right) >= CHECKED:
            good.append(rest)
    return good
