"""The page itself: timeline, incidents with their lines, the worst sequence of each."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from logbert.atomic import whole_file
from logbert.pipeline.reasons import beside, by_line
from logbert.report.sequence_view import View, cut, rows_of, sequence_view, texts_of, view_of
from logbert.report.timeline import timeline

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from logbert.detectors import Detector
    from logbert.pipeline import Detection

MOST_INCIDENTS = 100
OPEN_INCIDENTS = 3


def write_report(detection: Detection, detector: Detector, path: Path, *, title: str) -> None:
    """Write the report: one file, no network access, safe whatever the log holds."""
    with whole_file(path) as partial:
        partial.write_text(page(detection, detector, title=title), encoding="utf-8")


def page(detection: Detection, detector: Detector, *, title: str) -> str:
    """Make the page's HTML."""
    verdicts = detection.verdicts
    anomalous = int(verdicts["anomaly"].sum())
    found = detection.incidents if anomalous else detection.nearest
    shown = found.head(MOST_INCIDENTS)
    rows = {name: row for row, name in enumerate(verdicts["sequence"])}
    told = list(shown.iter_rows(named=True))
    with detector.reading(detection.taken.known):
        views = [_view(incident, detection, detector, rows[incident["worst"]]) for incident in told]
    texts = texts_of(detection, views)
    sections = [
        _incident(number, incident, sequence_view(rows_of(detection, view, texts)))
        for number, (incident, view) in enumerate(zip(told, views, strict=True), start=1)
    ]
    left_out = len(found) - len(shown)
    if left_out:
        sections.append(f"<p>{left_out:,} more incidents are not shown; all verdicts: <code>-o out.jsonl</code>.</p>")
    advice = None if anomalous else detection.advice
    if sections and advice is not None:
        sections.append(f'<p class="facts">{escape(advice)}.</p>')
    slots = {
        "title": escape(title),
        "summary": escape(_summary(anomalous, len(verdicts), len(found))),
        "facts": "".join(f"<li>{escape(fact)}</li>" for fact in detection.taken.facts),
        "timeline": timeline(verdicts),
        "incidents": "".join(sections),
    }
    # In one pass, so that a log that says {{incidents}} is only ever text.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: slots[slot[1]], _template())


def _summary(anomalous: int, sequences: int, incidents: int) -> str:
    if anomalous:
        return (
            f"{anomalous:,} of {_several(sequences, 'sequence')} {'is' if anomalous == 1 else 'are'} out of the "
            f"ordinary ({anomalous / sequences:.2%}), in {_several(incidents, 'incident')}."
        )
    below = " The oddest, below the boundary:" if incidents else ""
    return f"Nothing out of the ordinary in {_several(sequences, 'sequence')}.{below}"


def _several(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _view(incident: dict[str, Any], detection: Detection, detector: Detector, row: int) -> View:
    keys = detection.taken.sequences["keys"][row].to_list()
    return view_of(detection, row, detector.explain(keys), incident["reasons"])


def _incident(number: int, incident: dict[str, Any], view: str) -> str:
    reasons = "".join(_reasons(incident["title"], told) for told in by_line(incident["reasons"]))
    period = "" if incident["start"] is None else f" · {_period(incident['start'], incident['end'])}"
    opened = " open" if number <= OPEN_INCIDENTS else ""
    calm = "" if incident["score"] >= 1 else " low"
    return (
        f'<details class="incident" id="{escape(incident["incident"])}"{opened}>'
        f'<summary><span class="score{calm}">{incident["score"]:.1f}</span> {escape(incident["title"])}</summary>'
        f'<p class="facts">incident <code>{escape(incident["incident"])}</code>{escape(period)}</p>'
        f'<h3>Why</h3><ul class="why">{reasons}</ul>'
        f"<h3>{'Worst of them' if incident['sequences'] > 1 else 'Sequence'}: {escape(str(incident['worst']))}</h3>"
        f"{view}</details>"
    )


def _period(start: datetime, end: datetime) -> str:
    last = f"{end:%H:%M:%S}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    return f"{start:%Y-%m-%d %H:%M:%S}" if start == end else f"{start:%Y-%m-%d %H:%M:%S} to {last}"


def _reasons(title: str, reasons: list[dict[str, Any]]) -> str:
    """Show what is said of one line, under the line."""
    line = ""
    if reasons[0]["original"] is not None:
        place = f"{reasons[0]['source']}:{reasons[0]['number']}"
        text = cut(reasons[0]["original"])
        line = f'<span class="place">{escape(place)}</span><code>{escape(text)}</code>'
    said = "".join(f"<p>{escape(beside(title, reason))}</p>" for reason in reasons)
    return f"<li>{line}{said}</li>"


def _template() -> str:
    return files("logbert.report").joinpath("page.html").read_text(encoding="utf-8")
