"""The page itself: timeline, incidents with their lines, the worst sequence of each."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from logbert.atomic import whole_file
from logbert.report.sequence_view import rows_of, sequence_view
from logbert.report.timeline import timeline

if TYPE_CHECKING:
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
    verdicts, incidents = detection.verdicts, detection.incidents
    anomalous = int(verdicts["anomaly"].sum())
    shown = incidents.head(MOST_INCIDENTS)
    rows = {name: row for row, name in enumerate(verdicts["sequence"])}
    sections = [
        _incident(number, incident, detection, detector, rows[incident["worst"]])
        for number, incident in enumerate(shown.iter_rows(named=True), start=1)
    ]
    left_out = len(incidents) - len(shown)
    if left_out:
        sections.append(f"<p>{left_out:,} more incidents are not shown; all verdicts: <code>-o out.jsonl</code>.</p>")
    summary = (
        f"{anomalous:,} of {len(verdicts):,} sequences are out of the ordinary, in {len(incidents):,} incidents."
        if anomalous
        else f"Nothing out of the ordinary in {len(verdicts):,} sequences."
    )
    slots = {
        "title": escape(title),
        "summary": escape(summary),
        "facts": "".join(f"<li>{escape(fact)}</li>" for fact in detection.taken.facts),
        "timeline": timeline(verdicts),
        "incidents": "".join(sections),
    }
    # In one pass, so that a log that says {{incidents}} is only ever text.
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: slots[slot[1]], _template())


def _incident(number: int, incident: dict[str, Any], detection: Detection, detector: Detector, row: int) -> str:
    keys = detection.taken.sequences["keys"][row].to_list()
    reasons = "".join(_reason(reason) for reason in incident["reasons"])
    view = sequence_view(rows_of(detection, row, detector.explain(keys)))
    period = "" if incident["start"] is None else f"{incident['start']:%Y-%m-%d %H:%M:%S} to {incident['end']:%H:%M:%S}"
    opened = " open" if number <= OPEN_INCIDENTS else ""
    return (
        f'<details class="incident" id="{escape(incident["incident"])}"{opened}>'
        f'<summary><span class="score">{incident["score"]:.1f}</span> {escape(incident["title"])}</summary>'
        f'<p class="facts">{incident["sequences"]:,} sequences, {incident["events"]:,} records'
        f" · {escape(period)} · incident <code>{escape(incident['incident'])}</code></p>"
        f"<h3>Why</h3><ul>{reasons}</ul>"
        f"<h3>Worst: {escape(str(incident['worst']))}</h3>{view}</details>"
    )


def _reason(reason: dict[str, Any]) -> str:
    line = ""
    if reason["original"] is not None:
        place = f"{reason['source']}:{reason['number']}"
        line = f'<br><span class="place">{escape(place)}</span><code>{escape(reason["original"][:600])}</code>'
    return f"<li>{escape(reason['text'])}{line}</li>"


def _template() -> str:
    return files("logbert.report").joinpath("page.html").read_text(encoding="utf-8")
