"""What the commands print on stdout."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import typer

from logbert.pipeline.outputs import with_times_as_text
from logbert.pipeline.reasons import beside, by_line

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import polars as pl

    from logbert.pipeline import Detection

REASONS_SHOWN = 4
NARROWEST = 60
ROWS_OF_A_LINE = 3  # as many rows of a terminal may one line of a log take
WIDEST = 1000  # ... and as many characters where it is no terminal


def print_detection(detection: Detection, top: int) -> None:
    """Print the incidents worth reading, worst first; where there is none, what came nearest."""
    verdicts, incidents = detection.verdicts, detection.incidents
    anomalous = int(verdicts["anomaly"].sum())
    if not anomalous:
        _print_nearest(detection, top)
        return
    shown = min(top, len(incidents))
    rest = "" if shown == len(incidents) else f"; the worst {shown}" if shown else ""
    typer.echo(
        f"{anomalous:,} of {len(verdicts):,} {_plural('sequence', len(verdicts))} {'is' if anomalous == 1 else 'are'} "
        f"out of the ordinary ({anomalous / len(verdicts):.2%}), "
        f"in {len(incidents):,} {_plural('incident', len(incidents))}{rest}"
    )
    for number, incident in enumerate(incidents.head(top).iter_rows(named=True), start=1):
        _print_incident(number, incident)


def _print_nearest(detection: Detection, top: int) -> None:
    """Say that nothing is anomalous, what is oddest all the same, and when the boundary is more than the data bear."""
    size = len(detection.verdicts)
    nearest = detection.nearest.head(top)
    below = "; the oddest, below the boundary:" if len(nearest) else ""
    typer.echo(f"nothing out of the ordinary in {size:,} {_plural('sequence', size)}{below}")
    for number, incident in enumerate(nearest.iter_rows(named=True), start=1):
        _print_incident(number, incident)
    advice = detection.advice
    if len(nearest) and advice is not None:
        typer.echo(f"\n{advice}")


def _print_incident(number: int, incident: dict[str, Any]) -> None:
    typer.echo()
    typer.echo(typer.style(f"{number}. {printable(incident['title'])}", bold=True))
    worst = f"worst: {printable(incident['worst'])}, score {incident['score']:.2f}"
    typer.echo(f"   incident {incident['incident']}{_period(incident['start'], incident['end'])}; {worst}")
    shown = incident["reasons"][:REASONS_SHOWN]
    for reasons in by_line(shown):
        has_line = reasons[0]["original"] is not None
        if has_line:
            _print_line(reasons[0])
        for reason in reasons:
            typer.echo(f"   {'   ' if has_line else ''}- {printable(beside(incident['title'], reason))}")
    more = len(incident["reasons"]) - REASONS_SHOWN
    if more > 0:
        typer.echo(f"   … and {more} more {_plural('reason', more)}")


def _print_line(reason: dict[str, Any]) -> None:
    """Print a record: whole where there is room, else as much as a few rows of the terminal hold.

    Of a stack trace the line after the first is shown, too: it names the exception.
    """
    place = printable(f"{reason['source']}:{reason['number']}")
    first, *rest = reason["original"].split("\n")
    room = _room()
    typer.echo(f"   {typer.style(place, fg='cyan')}  {_cut(printable(first), room - len(place) - 5)}")
    if rest:
        more = f" (+{len(rest) - 1} {_plural('line', len(rest) - 1)})" if len(rest) > 1 else ""
        typer.echo(f"      {_cut(printable(rest[0].strip()), room - len(more) - 6)}{more}")


def _room() -> int:
    if not sys.stdout.isatty():
        return WIDEST
    return max(shutil.get_terminal_size((120, 24)).columns, NARROWEST) * ROWS_OF_A_LINE


def print_incidents_as_json(incidents: pl.DataFrame) -> None:
    """Print one JSON object an incident, worst first."""
    typer.echo(with_times_as_text(incidents).write_ndjson(), nl=False)


def print_model(folder: Path, top: int, *, as_json: bool) -> None:
    """Print what a model knows."""
    from logbert.pipeline import Pipeline

    knowledge = Pipeline.load(folder).describe()
    if as_json:
        typer.echo(json.dumps(knowledge, ensure_ascii=False, indent=1, default=str))
        return
    templates = knowledge.pop("templates")
    width = max(len(name) for name in knowledge)
    for name, value in knowledge.items():
        typer.echo(f"{name:{width}}  {printable(str(value))}")
    shown = templates[:top] if top else templates
    typer.echo(f"\n{len(templates):,} {_plural('template', len(templates))}, most frequent first:")
    for template in shown:
        typer.echo(f"{template['count']:>10,}  {template['key']:>5}  {_cut(printable(template['template']), 200)}")
    if len(shown) < len(templates):
        typer.echo(f"… and {len(templates) - len(shown):,} more (--top 0 lists all)")


def printable(text: str) -> str:
    r"""Make log content safe to print: control characters, which could command a terminal, become visible.

    Examples
    --------
    >>> printable("red \x1b[31malert\x07")
    'red \\x1b[31malert\\x07'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" if c != "\t" else " " for c in text)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 1)] + "…"


def _plural(noun: str, number: int) -> str:
    return noun if number == 1 else f"{noun}s"


def _period(start: datetime | None, end: datetime | None) -> str:
    if start is None or end is None:
        return ""
    first = f"{start:%Y-%m-%d %H:%M:%S}"
    if start == end:
        return f", {first}"
    return f", {first} to {end:%H:%M:%S}" if start.date() == end.date() else f", {first} to {end:%Y-%m-%d %H:%M:%S}"
