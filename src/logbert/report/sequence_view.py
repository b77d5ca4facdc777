"""One sequence, record by record, each coloured by how surprising it was."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from logbert.pipeline.reasons import MISSING, in_short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logbert.detectors import Reason
    from logbert.pipeline import Detection

CONTEXT = 6  # calm records shown on each side of an odd one
MOST_RECORDS = 200
WIDEST = 600  # characters of a record that are shown


@dataclass(frozen=True)
class Row:
    """One record of the sequence as the page shows it."""

    source: str
    number: int | None
    text: str
    heat: float  # 0 is as expected, 1 is the worst of this sequence
    remark: str


@dataclass(frozen=True)
class View:
    """What is to be shown of a judged sequence, before its text is read.

    Attributes
    ----------
    keys
        All of its keys.
    lines
        The lines its records begin at; empty where the input has none.
    shown
        The positions worth showing.
    heat, remarks
        How surprising those that are odd were, and in what way.
    """

    keys: list[int]
    lines: list[int]
    shown: list[int]
    heat: dict[int, float]
    remarks: dict[int, list[str]]

    @property
    def wanted(self) -> list[int]:
        """The lines whose text is needed."""
        return [self.lines[spot] for spot in self.shown] if self.lines else []


def view_of(detection: Detection, row: int, reasons: list[Reason], told: Sequence[dict[str, Any]] = ()) -> View:
    """Choose the records of one judged sequence that are worth showing.

    `told` are reasons of the verdict, which know what was measured of its lines, too.
    """
    sequence = detection.taken.sequences.row(row, named=True)
    keys: list[int] = sequence["keys"]
    lines: list[int] = sequence["lines"] or []
    place_of = {line: place for place, line in enumerate(lines)}
    found = [(position, one.weight, one.kind) for one in reasons for position in _positions(one, keys)]
    found += [
        (place_of[one["line"]], one["weight"], one["kind"])
        for one in told
        if one["line"] in place_of and one["kind"] != MISSING  # that is odd about no record there is
    ]
    worst = max((weight for _, weight, _ in found), default=1.0) or 1.0
    heat: dict[int, float] = {}
    remarks: dict[int, list[str]] = {}
    for position, weight, kind in found:
        heat[position] = max(heat.get(position, 0.0), weight / worst)
        remarks.setdefault(position, []).append(in_short(kind))
    shown = _worth_showing(len(keys), sorted(heat, key=lambda position: (-heat[position], position)))
    return View(keys, lines, shown, heat, remarks)


def texts_of(detection: Detection, views: Iterable[View]) -> dict[int, tuple[str, int, str]]:
    """Read the original text of all lines that views want, in one go through the log: source, number, text."""
    wanted = sorted({line for view in views for line in view.wanted})
    if not wanted:
        return {}
    return {line: (source, number, text) for line, source, number, text in detection.taken.texts(wanted).iter_rows()}


def rows_of(detection: Detection, view: View, texts: dict[int, tuple[str, int, str]]) -> list[Row | int]:
    """Lay a view out in order; a number stands for that many calm records left out."""
    rows: list[Row | int] = []
    last = -1
    for spot in view.shown:
        if spot > last + 1:
            rows.append(spot - last - 1)
        last = spot
        source, number, text = "", None, detection.taken.name_of(view.keys[spot])
        if view.lines:
            source, number, text = texts.get(view.lines[spot], (source, number, text))
        remark = ", ".join(dict.fromkeys(view.remarks.get(spot, [])))
        rows.append(Row(source, number, text, view.heat.get(spot, 0.0), remark))
    if last < len(view.keys) - 1:
        rows.append(len(view.keys) - 1 - last)
    return rows


def _positions(reason: Reason, keys: list[int]) -> list[int]:
    """Find the records a reason is about: its position, else the records of its key."""
    if reason.position is not None:
        return [min(reason.position, len(keys) - 1)] if keys else []
    return [index for index, key in enumerate(keys) if key == reason.key][:MOST_RECORDS]


def _worth_showing(length: int, odd: list[int]) -> list[int]:
    """Choose the odd positions, which come oddest first, and their neighbours; a short sequence is shown whole.

    Examples
    --------
    >>> _worth_showing(3, [1])
    [0, 1, 2]
    >>> shown = _worth_showing(100_000, [90_000, *range(1_000)])
    >>> len(shown) <= MOST_RECORDS, 90_000 in shown, 0 in shown
    (True, True, True)
    """
    if length <= min(2 * CONTEXT + len(odd), MOST_RECORDS):
        return list(range(length))
    chosen: set[int] = set()
    for position in odd:
        near = range(max(position - CONTEXT, 0), min(position + CONTEXT + 1, length))
        if len(chosen.union(near)) > MOST_RECORDS:
            break
        chosen.update(near)
    return sorted(chosen) or list(range(min(length, 2 * CONTEXT)))


def cut(text: str) -> str:
    """Cut a record to what a page bears."""
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def sequence_view(rows: list[Row | int]) -> str:
    """Render the rows as a list, with the name of the file where it changes; log content is escaped, whatever it is."""
    parts = ['<ol class="records">']
    source = ""
    for row in rows:
        if isinstance(row, int):
            parts.append(f'<li class="gap">{row:,} more as expected</li>')
            continue
        remark = f'<span class="remark">{escape(row.remark)}</span>' if row.remark else ""
        if row.source != source:
            source = row.source
            parts.append(f'<li class="source">{escape(source)}</li>')
        place = "" if row.number is None else f'<span class="place">{row.number}</span>'
        parts.append(f'<li style="--heat:{row.heat:.2f}">{place}<code>{escape(cut(row.text))}</code>{remark}</li>')
    return "".join([*parts, "</ol>"])
