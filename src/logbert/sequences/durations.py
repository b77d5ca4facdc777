"""Lengths of time as people write them: 30s, 5min, 1h, 1d."""

from __future__ import annotations

import re

MICROSECONDS = {"s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}

_SPELLINGS = {"s": "s", "sec": "s", "m": "min", "min": "min", "h": "h", "hour": "h", "d": "d", "day": "d"}
_DURATION = re.compile(r"\s*(\d{1,9})\s*([a-z]+)\s*")


def parse_duration(text: str) -> int | None:
    """Read a length of time in microseconds; None when it is not one.

    Examples
    --------
    >>> parse_duration("5min"), parse_duration("90 sec"), parse_duration("five")
    (300000000, 90000000, None)
    """
    match = _DURATION.fullmatch(text.lower())
    if match is None or match[2] not in _SPELLINGS:
        return None
    return int(match[1]) * MICROSECONDS[_SPELLINGS[match[2]]]


def format_duration(microseconds: int) -> str:
    """Write a length of time in the largest unit that divides it.

    Examples
    --------
    >>> format_duration(300_000_000), format_duration(90_000_000)
    ('5min', '90s')
    """
    unit = max((u for u in MICROSECONDS if microseconds % MICROSECONDS[u] == 0), key=MICROSECONDS.__getitem__)
    return f"{microseconds // MICROSECONDS[unit]}{unit}"
