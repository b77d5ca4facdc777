"""One sequence, record by record, each coloured by how surprising it was."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logbert.detectors import Reason
    from logbert.pipeline import Detection

CONTEXT = 6  # calm records shown on each side of an odd one
MOST_RECORDS = 200
WIDEST = 600  # characters of a record that are shown


@dataclass(frozen=True)
class Row:
    """One record of the sequence as the page shows it."""

    place: str
    text: str
    heat: float  # 0 is as expected, 1 is the worst of this sequence
    remark: str


def rows_of(detection: Detection, row: int, reasons: list[Reason]) -> list[Row | int]:
    """Give the records of one judged sequence worth showing; a number stands for that many calm ones left out."""
    sequence = detection.taken.sequences.row(row, named=True)
    keys: list[int] = sequence["keys"]
    worst = max((reason.weight for reason in reasons), default=1.0) or 1.0
    heat: dict[int, float] = {}
    remarks: dict[int, list[str]] = {}
    for reason in reasons:
        for position in _positions(reason, keys):
            heat[position] = max(heat.get(position, 0.0), reason.weight / worst)
            remarks.setdefault(position, []).append(reason.kind)
    shown = _worth_showing(len(keys), sorted(heat))
    texts = _texts(detection, sequence, shown)
    return _with_gaps(shown, len(keys), texts, heat, remarks)


def _positions(reason: Reason, keys: list[int]) -> list[int]:
    """Find the records a reason is about: its position, else the records of its key."""
    if reason.position is not None:
        return [min(reason.position, len(keys) - 1)] if keys else []
    return [index for index, key in enumerate(keys) if key == reason.key][:MOST_RECORDS]


def _worth_showing(length: int, odd: list[int]) -> list[int]:
    """Choose the odd positions and their neighbours; a short sequence is shown whole."""
    if length <= 2 * CONTEXT + len(odd):
        return list(range(length))
    near = {spot for position in odd for spot in range(position - CONTEXT, position + CONTEXT + 1)}
    chosen = sorted(spot for spot in near if 0 <= spot < length)[:MOST_RECORDS]
    return chosen or list(range(min(length, 2 * CONTEXT)))


def _texts(detection: Detection, sequence: dict[str, list[int]], shown: list[int]) -> dict[int, tuple[str, str]]:
    """Give place and text of these positions: the original lines, or the templates where there are no lines."""
    lines = sequence["lines"]
    keys = sequence["keys"]
    if not lines:
        return {spot: ("", detection.taken.name_of(keys[spot])) for spot in shown}
    found = {
        line: (f"{source}:{number}", text)
        for line, source, number, text in detection.taken.texts(sorted({lines[s] for s in shown})).iter_rows()
    }
    return {spot: found[lines[spot]] for spot in shown if lines[spot] in found}


def _with_gaps(
    shown: list[int],
    length: int,
    texts: dict[int, tuple[str, str]],
    heat: dict[int, float],
    remarks: dict[int, list[str]],
) -> list[Row | int]:
    """Lay the shown positions out in order, with the number of those left out between them."""
    rows: list[Row | int] = []
    last = -1
    for spot in shown:
        if spot > last + 1:
            rows.append(spot - last - 1)
        place, text = texts.get(spot, ("", ""))
        rows.append(Row(place, text, heat.get(spot, 0.0), ", ".join(dict.fromkeys(remarks.get(spot, [])))))
        last = spot
    if last < length - 1:
        rows.append(length - 1 - last)
    return rows


def sequence_view(rows: list[Row | int]) -> str:
    """Render the rows as a list; log content is escaped, whatever it holds."""
    parts = ['<ol class="records">']
    for row in rows:
        if isinstance(row, int):
            parts.append(f'<li class="gap">{row:,} more as expected</li>')
            continue
        text = row.text if len(row.text) <= WIDEST else row.text[: WIDEST - 1] + "…"
        remark = f'<span class="remark">{escape(row.remark)}</span>' if row.remark else ""
        place = f'<span class="place">{escape(row.place)}</span>' if row.place else ""
        parts.append(f'<li style="--heat:{row.heat:.2f}">{place}<code>{escape(text)}</code>{remark}</li>')
    return "".join([*parts, "</ol>"])
