"""Values, times and where they stand, in words."""

from __future__ import annotations

from logbert.templates.quantities import Unit

WILDCARD = "<*>"
SHORT_WORD = 3  # letters: of so short a word before a value ("in", "for"), the one before that is told, too
MOST_NAMED = 5


def spoken_seconds(seconds: float) -> str:
    """Tell a length of time.

    Examples
    --------
    >>> [spoken_seconds(s) for s in (492.3, 2.1, 0.0345, 7e-6, 90061.0, 60.0, 0.0)]
    ['8 min 12 s', '2.1 s', '34.5 ms', '7 µs', '1 d 1 h', '1 min', '0 s']
    """
    if seconds < 0:
        return f"-{spoken_seconds(-seconds)}"
    for size, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if size <= seconds < 60.0:
            return f"{seconds / size:.3g} {name}"
    if seconds < 60.0:
        return f"{seconds:.3g} s"
    whole = round(seconds)
    parts: list[tuple[int, str]] = []
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, whole = divmod(whole, size)
        if parts or count:
            parts.append((count, name))
    return " ".join(f"{count} {name}" for count, name in parts[:2] if count)


def spoken_number(number: float, unit: int) -> str:
    """Tell a quantity.

    Examples
    --------
    >>> [spoken_number(98231554112.0, 0), spoken_number(0.25, 0), spoken_number(5e6, 2), spoken_number(0.003, 1)]
    ['98,231,554,112', '0.25', '5,000,000 bytes', '3 ms']
    """
    if unit == Unit.SECONDS:
        return spoken_seconds(number)
    digits = f"{int(number):,}" if number == int(number) else f"{number:,.6g}"
    return digits + {int(Unit.BYTES): " bytes", int(Unit.PERCENT): "%"}.get(unit, "")


def slot_name(template: str | None, slot: int) -> str:
    """Name a wildcard by the word before it.

    Examples
    --------
    >>> slot_name("Received block <*> of size <*> from <*>", 1), slot_name("copied <*> files in <*>", 1)
    ('size', 'files in')
    >>> slot_name("status=<*>", 0), slot_name("<*> connections", 0), slot_name(None, 2)
    ('status', 'value', 'value')
    """
    before = (template or "").split(WILDCARD)[slot] if (template or "").count(WILDCARD) > slot else ""
    words = [word for word in before.replace("=", " ").replace(":", " ").split() if any(map(str.isalpha, word))]
    told = words[-2:] if words and len(words[-1].strip("([{\"'")) <= SHORT_WORD else words[-1:]
    return " ".join(told).strip("([{\"',;") or "value"


def outside(found: dict[str, object], name: str) -> str:
    """Tell of a number outside its range."""
    unit = int(str(found["unit"]))
    number, low, high = (spoken_number(float(str(found[field])), unit) for field in ("number", "low", "high"))
    return f"{name} {number} where {f'{low} to {high}' if low != high else f'always {low}'} was usual"


def new_choice(found: dict[str, object], name: str, known: tuple[str, ...]) -> str:
    """Tell of a value that is none of the known ones."""
    listed = ", ".join(f"`{value}`" for value in known[:MOST_NAMED])
    more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
    return f"{name} `{found['value']}`, one of {listed}{more} in training"


def slow(found: dict[str, object]) -> str:
    """Tell of a gap longer than any before."""
    took, most = (spoken_seconds(float(str(found[field]))) for field in ("number", "high"))
    return f"{took} after the record before it; at most {most} in training"
