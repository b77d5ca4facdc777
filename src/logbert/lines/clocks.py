"""Every way logs write the time, and how to read each: text to UTC, naive, in microseconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

MICROSECONDS = pl.Datetime("us")
BASE_YEAR = (
    2000  # what a time without a year is read as, until the log shows that a year has turned; it has a 29 February
)
HALF_YEAR = 183 * 86_400_000_000
HALF_DAY = 43_200_000_000
ENOUGH = 0.9  # share of a sample a clock must read
EPOCHS = {9: 1_000_000, 10: 1_000_000, 13: 1_000, 16: 1}  # digits before the point: microseconds a unit
ZONE_NAME = r" [A-Z]{3,5}( \d{4})?$"  # PST, CEST: names mean several zones, so the time is taken as written
EARLIEST, LATEST = 1975, 2100  # years outside are not believed when clocks are chosen

# A word made of these is written by a clock; anything else is not a time, and its line is not a record's first.
TIME_TEXT = (
    r"(?i)^\W*(?:(?:\d+|jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat|"
    r"[ap]m|utc|gmt|[tz]|[a-z]{2,4}t)(?:\b|_|\d|[tz]\b)[\W_]*|\W+|[tz])*$"
)


@dataclass(frozen=True)
class Clock:
    """A way of writing the time.

    Attributes
    ----------
    name
        What it is called in a saved format.
    patterns
        chrono patterns, tried in order on what the ones before could not read.
    prefix
        What is put before the text, for what it leaves out (the year, the day).
    turns
        What comes round again because the text leaves it out: "year", "day", or nothing.
    """

    name: str
    patterns: tuple[str, ...] = ()
    prefix: str = ""
    turns: str = ""

    def read(self, text: pl.Series) -> pl.Series:
        """Read times; null where the text is not one."""
        if self.name == "epoch":
            return _read_epoch(text)
        if self.name == "healthapp":
            text = _pad_milliseconds(text)
        if "," in str(text.first()):
            text = text.str.replace(",", ".", literal=True)
        if self.prefix:
            text = self.prefix + text
        result = _strptime(text, self.patterns[0])
        if result.null_count() > text.null_count():
            text = text.str.replace(",", ".", literal=True)
            result = _fill(result, text, self.patterns[0])
        for pattern in self.patterns[1:]:
            result = _fill(result, text, pattern)
        if result.null_count() > text.null_count():
            result = _fill(result, text.str.replace(ZONE_NAME, "$1"), self.patterns[0])
        return result


def _fill(result: pl.Series, text: pl.Series, pattern: str) -> pl.Series:
    """Read with another pattern what the ones before could not."""
    if result.null_count() == text.null_count():
        return result
    left = (result.is_null() & text.is_not_null()).arg_true()
    more = _strptime(text.gather(left), pattern)
    return result if more.null_count() == len(more) else result.scatter(left, more)


def _strptime(text: pl.Series, pattern: str) -> pl.Series:
    zoned = pattern.endswith("z")
    times = text.str.strptime(pl.Datetime("us", "UTC" if zoned else None), pattern, strict=False)
    return times.dt.replace_time_zone(None) if zoned else times


def _pad_milliseconds(text: pl.Series) -> pl.Series:
    """Write HealthApp's `22:15:29:6` as `22:15:29.006`."""
    at = text.str.head(-4).str.len_chars()
    return (
        pl.DataFrame({"text": text, "at": at})
        .select(
            pl.col("text").str.extract(r"^(.*):\d{1,3}$")
            + "."
            + pl.col("text").str.extract(r":(\d{1,3})$").str.zfill(3)
        )
        .to_series()
    )


def _read_epoch(text: pl.Series) -> pl.Series:
    """Read seconds (with or without a fraction) to nanoseconds since 1970, told apart by their number of digits."""
    whole = pl.col("whole").cast(pl.Int64, strict=False)
    digits = pl.col("whole").str.len_bytes()
    microseconds = pl.coalesce(
        pl.when(digits == 19).then(whole // 1000),
        *(pl.when(digits == count).then(whole * factor) for count, factor in EPOCHS.items()),
    )
    parts = pl.DataFrame({"text": text}).lazy().select(pl.col("text").str.splitn(".", 2)).unnest("text")
    parts = parts.rename({"field_0": "whole", "field_1": "part"})
    # A fraction counts for seconds only; it is brought to six digits.
    part = pl.col("part").str.head(6).str.pad_end(6, "0").cast(pl.Int64, strict=False)
    seconds = digits.is_in([9, 10])
    microseconds_all = (
        pl.when(pl.col("part").is_null())
        .then(microseconds)
        .when(part.is_null())
        .then(None)
        .otherwise(microseconds + pl.when(seconds).then(part).otherwise(0))
    )
    return parts.select(microseconds_all.cast(MICROSECONDS).alias("timestamp")).collect().to_series()


def _isos() -> tuple[str, ...]:
    return (
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M:%S%.fZ",
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%dT%H:%M:%S%.f%#z",
        "%Y-%m-%d %H:%M:%S%.f %#z",
        "%Y-%m-%d %H:%M:%S%.f%#z",
        "%Y-%m-%d_%H:%M:%S%.f",
        "%Y-%m-%d-%H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
    )


CLOCKS: tuple[Clock, ...] = (
    Clock("iso", _isos()),
    Clock("bgl", ("%Y-%m-%d-%H.%M.%S%.f",)),
    Clock("slash-iso", ("%Y/%m/%d %H:%M:%S%.f", "%Y/%m/%d-%H:%M:%S%.f", "%Y/%m/%dT%H:%M:%S%.f")),
    Clock("dot-iso", ("%Y.%m.%d %H:%M:%S%.f", "%Y.%m.%d-%H:%M:%S%.f")),
    Clock("compact", ("%y%m%d %H%M%S%.f", "%y%m%d %H:%M:%S%.f")),
    Clock(
        "compact-long",
        (
            "%Y%m%dT%H%M%S%.fZ",
            "%Y%m%dT%H%M%S%.f",
            "%Y%m%d %H:%M:%S%.f",
            "%Y%m%d-%H%M%S%.f",
            "%Y%m%d %H%M%S%.f",
            "%Y%m%dT%H%M%S%.f%#z",
        ),
    ),
    Clock("healthapp", ("%Y%m%d-%H:%M:%S%.f",)),
    Clock("clf", ("%d/%b/%Y:%H:%M:%S %z", "%d/%b/%Y:%H:%M:%S%.f")),
    Clock("asctime", ("%a %b %d %H:%M:%S%.f %Y",)),
    Clock("mail", ("%a. %d %b %Y %H:%M:%S %z", "%a. %d %b %Y %H:%M:%S")),
    Clock(
        "month-name",
        (
            "%d %b %Y %H:%M:%S%.f",
            "%d-%b-%Y %H:%M:%S%.f",
            "%d/%b/%Y %H:%M:%S%.f",
            "%b %d %Y %H:%M:%S%.f",
            "%b %d. %Y %I:%M:%S %p",
            "%b %d. %Y %H:%M:%S%.f",
        ),
    ),
    Clock("year-first", ("%y/%m/%d %H:%M:%S%.f", "%y-%m-%d %H:%M:%S%.f")),
    Clock(
        "month-first",
        (
            "%m/%d/%Y %H:%M:%S%.f",
            "%m/%d/%Y %I:%M:%S %p",
            "%m/%d/%Y. %I:%M:%S %p",
            "%m/%d/%Y %I:%M:%S%.f %p",
            "%m/%d/%Y-%H:%M:%S%.f",
            "%m-%d-%Y %H:%M:%S%.f",
            "%m/%d/%y %H:%M:%S%.f",
        ),
    ),
    Clock(
        "day-first",
        (
            "%d/%m/%Y %H:%M:%S%.f",
            "%d.%m.%Y %H:%M:%S%.f",
            "%d-%m-%Y %H:%M:%S%.f",
            "%d/%m/%Y. %H:%M:%S%.f",
            "%d/%m/%y %H:%M:%S%.f",
        ),
    ),
    Clock("syslog", ("%Y %b %d %H:%M:%S%.f",), f"{BASE_YEAR} ", "year"),
    Clock("android", ("%Y-%m-%d %H:%M:%S%.f",), f"{BASE_YEAR}-", "year"),
    Clock("proxifier", ("%Y.%m.%d %H:%M:%S%.f",), f"{BASE_YEAR}.", "year"),
    Clock("klog", ("%Y%m%d %H:%M:%S%.f",), f"{BASE_YEAR}", "year"),
    Clock("epoch"),
    Clock("time-only", ("%Y-%m-%d %H:%M:%S%.f",), f"{BASE_YEAR}-01-01 ", "day"),
)
BY_NAME = {clock.name: clock for clock in CLOCKS}


def choose_clock(sample: pl.Series, among: Iterable[str] = ()) -> Clock | None:
    """Find the clock that reads a sample of times; of several that do, the one in whose reading time runs forward.

    >>> choose_clock(pl.Series(["081109 203615", "081109 203807"])).name
    'compact'
    >>> choose_clock(pl.Series(["13/02/2024 10:00:00", "14/02/2024 10:00:00"])).name
    'day-first'
    """
    sample = sample.drop_nulls()
    if sample.is_empty():
        return None
    best: tuple[float, Clock] | None = None
    names = set(among)
    for clock in CLOCKS:
        if names and clock.name not in names:
            continue
        times = clock.read(sample)
        years = times.dt.year()
        share = 1 - int((times.is_null() | ~years.is_between(EARLIEST, LATEST)).sum()) / len(times)
        if share < ENOUGH:
            continue
        steps = times.diff().drop_nulls()
        score = share - int((steps.dt.total_microseconds() < 0).sum()) / (len(times) + 1)
        if best is None or score > best[0] + 1e-9:
            best = (score, clock)
    return best[1] if best else None


@dataclass
class Turns:
    """Follow the years (or days) that the text of a time leaves out, over a source and its batches.

    A time more than half a year before the one before it has turned a year; more than half a year after it, the line is
    a late one of the year before. Days go the same way by half days.
    """

    unit: str
    turned: int = 0
    last: int | None = None

    def follow(self, times: pl.Series) -> pl.Series:
        """Add to each time the years or days that have turned since the source's first record."""
        known = times.drop_nulls().to_physical()
        if known.is_empty():
            return times
        half = HALF_YEAR if self.unit == "year" else HALF_DAY
        before = pl.Series([self.last if self.last is not None else known[0]], dtype=pl.Int64)
        steps = pl.concat([before, known]).diff().slice(1)
        turned = ((steps < -half).cast(pl.Int64) - (steps > half).cast(pl.Int64)).cum_sum() + self.turned
        self.last = known[-1]
        self.turned = int(turned[-1])
        if not (turned != 0).any():
            return times
        offsets = pl.zeros(len(times), pl.Int64, eager=True).scatter(times.is_not_null().arg_true(), turned)
        suffix = "y" if self.unit == "year" else "d"
        return (
            pl.DataFrame({"time": times, "turned": offsets})
            .select(pl.col("time").dt.offset_by(pl.col("turned").cast(pl.String) + suffix))
            .to_series()
        )


_TIME_TEXT = re.compile(TIME_TEXT)


def looks_like_time(text: str) -> bool:
    """Tell whether a text is made of what times are made of, even if it is no real date.

    >>> looks_like_time("2015-02-31 10:00:00"), looks_like_time("Caused by:")
    (True, False)
    """
    return bool(_TIME_TEXT.match(text)) and any(character.isdigit() for character in text)
