"""From a detector's reasons to what a person reads: original lines, template texts, plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from logbert.detectors import Reason

MOST_REASONS = 8  # kept for a verdict; the rest say less and less
MOST_EXPECTED = 3
TEMPLATE_WIDTH = 100
EXPECTED_WIDTH = 60
SPOKEN_OF = 2  # expected templates that the sentence names; the row has them all

# What each kind of reason means, in words for people; {} is the template it is about.
LEADS = {
    "unseen key": "never seen before: {}",
    "missing key": "missing: {}",
    "unexpected key": "out of place: {}",
    "unseen set of keys": "unusual together with the others: {}",
    "unseen counts": "unusually often or rarely: {}",
    "unseen 2-gram": "unusual order: {}",
    "value outside": "value far outside the usual: {}",
    "new value": "a value it never had: {}",
    "slow step": "slow step: {}",
}
MISSING = "missing key"
WHOLE = {
    "missing key": "ends too early",
    "unseen length": "unusual length",
    "far from normal": "unlike any normal sequence",
}

ALTERNATIVE = pl.Struct({"template": pl.String, "probability": pl.Float64})
REASON = pl.Struct(
    {
        "kind": pl.String,
        "text": pl.String,
        "weight": pl.Float64,
        "key": pl.Int32,
        "template": pl.String,
        "rank": pl.Int32,
        "probability": pl.Float64,
        "expected": pl.List(ALTERNATIVE),
        "line": pl.Int64,
        "source": pl.String,
        "number": pl.Int64,
        "original": pl.String,
    }
)


@dataclass(frozen=True)
class Told:
    """A reason with its words: what the verdict's `reasons` column holds, still without the original line."""

    reason: Reason
    text: str
    template: str | None
    line: int | None

    def row(self, name_of: Callable[[int], str], place: dict[int, tuple[str, int, str]]) -> dict[str, object]:
        """Give the reason as a value of the `reasons` column; `place` knows source, number and text of lines."""
        source, number, original = place.get(self.line, (None, None, None)) if self.line is not None else (None,) * 3
        return {
            "kind": self.reason.kind,
            "text": self.text,
            "weight": self.reason.weight,
            "key": self.reason.key,
            "template": self.template,
            "rank": self.reason.rank,
            "probability": self.reason.probability,
            "expected": [
                {"template": name_of(key), "probability": probability}
                for key, probability in self.reason.expected[:MOST_EXPECTED]
            ],
            "line": self.line,
            "source": source,
            "number": number,
            "original": original,
        }


def telling_order(reasons: list[Reason]) -> list[Reason]:
    """Put a message never seen before first, wherever there is one: whatever else is odd follows from it."""
    return sorted(reasons, key=lambda reason: reason.kind != "unseen key")


def tell(reason: Reason, name_of: Callable[[int], str], lines: Sequence[int] | None) -> Told:
    """Put a reason into words; `lines` are the line numbers of the sequence's records, if it has any."""
    position = reason.position
    line = None
    if lines and position is not None:
        line = lines[min(position, len(lines) - 1)]
    template = None if reason.key is None else name_of(reason.key)
    text = _sentence(reason, template, name_of)
    if lines and position is None and reason.kind == MISSING:
        # Nobody knows where it should have stood, but by the last record it had not come.
        line = lines[-1]
        text += "; here the sequence ends"
    return Told(reason, text, template, line)


def lead(kind: str, template: str | None) -> str:
    """Say what kind of oddity it is, about which template; the words of incident titles, too.

    Examples
    --------
    >>> lead("unseen key", "panic: <*>")
    'never seen before: "panic: <*>"'
    >>> lead("missing key", None)
    'ends too early'
    """
    if template is None:
        return WHOLE.get(kind, kind)
    return LEADS.get(kind, f"{kind}: {{}}").format(quoted(template))


def in_short(kind: str) -> str:
    """Name a kind of oddity in two or three words, for where there is no room for more.

    Examples
    --------
    >>> in_short("unseen key"), in_short("unseen length")
    ('never seen before', 'unusual length')
    """
    return LEADS[kind].removesuffix(": {}") if kind in LEADS else WHOLE.get(kind, kind)


def beside(title: str, reason: dict[str, Any]) -> str:
    """Give a reason's sentence without what the title above it says already."""
    said = lead(reason["kind"], reason["template"])
    text: str = reason["text"]
    rest = text.removeprefix(f"{said}, ")
    return rest if title.startswith(said) and rest else text


def by_line(reasons: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Put reasons about the same line together, in order of the first of them; the line need be shown but once."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for reason in reasons:
        found.setdefault((reason["source"], reason["number"]), []).append(reason)
    return list(found.values())


def _sentence(reason: Reason, template: str | None, name_of: Callable[[int], str]) -> str:
    """Say what is odd, then what was expected instead."""
    text = lead(reason.kind, template)
    if reason.detail:
        text += f": {reason.detail}" if template is None else f", {reason.detail}"
    likely = [
        f"{quoted(name_of(key), EXPECTED_WIDTH)} ({_share(probability)})"
        for key, probability in reason.expected[:SPOKEN_OF]
    ]
    if likely:
        text += f"; expected {' or '.join(likely)}"
    if template is not None and reason.rank is not None and reason.probability is not None:
        text += f"; this was the {_ordinal(reason.rank + 1)} guess ({_share(reason.probability)})"
    return text


def quoted(template: str, width: int = TEMPLATE_WIDTH) -> str:
    """Quote a template, cut to what fits a line."""
    flat = " ".join(template.split())
    return f'"{flat}"' if len(flat) <= width else f'"{flat[: width - 1]}…"'


def _ordinal(number: int) -> str:
    suffix = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _share(probability: float) -> str:
    if probability >= 0.1:
        return f"{probability:.0%}"
    return f"{probability:.2g}" if probability >= 1e-4 else "under 0.0001"
