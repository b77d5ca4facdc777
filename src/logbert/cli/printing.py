"""What the commands print on stdout."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    import polars as pl

REASONS_SHOWN = 4
NARROWEST = 60


def print_incidents(verdicts: pl.DataFrame, incidents: pl.DataFrame, top: int) -> None:
    """Print the incidents worth reading, worst first."""
    anomalous = int(verdicts["anomaly"].sum())
    if not anomalous:
        typer.echo(f"nothing out of the ordinary in {len(verdicts):,} {_plural('sequence', len(verdicts))}")
        return
    shown = min(top, len(incidents))
    rest = "" if shown == len(incidents) else f"; the worst {shown}" if shown else ""
    typer.echo(
        f"{anomalous:,} of {len(verdicts):,} sequences are out of the ordinary ({anomalous / len(verdicts):.2%}), "
        f"in {len(incidents):,} {_plural('incident', len(incidents))}{rest}"
    )
    for number, incident in enumerate(incidents.head(top).iter_rows(named=True), start=1):
        _print_incident(number, incident)


def _print_incident(number: int, incident: dict[str, Any]) -> None:
    typer.echo()
    typer.echo(typer.style(f"{number}. {printable(incident['title'])}", bold=True))
    sequences = incident["sequences"]
    where = f"{sequences:,} {_plural('sequence', sequences)}{_period(incident['start'], incident['end'])}"
    worst = f"worst: {printable(incident['worst'])}, score {incident['score']:.2f}"
    typer.echo(f"   incident {incident['incident']}, {where}; {worst}")
    for reason in incident["reasons"][:REASONS_SHOWN]:
        _print_reason(reason)
    more = len(incident["reasons"]) - REASONS_SHOWN
    if more > 0:
        typer.echo(f"   … and {more} more {_plural('reason', more)}")


def _print_reason(reason: dict[str, Any]) -> None:
    width = max(shutil.get_terminal_size((120, 24)).columns, NARROWEST)
    if reason["original"] is not None:
        place = f"{reason['source']}:{reason['number']}"
        first, *rest = reason["original"].split("\n")
        more = f" (+{len(rest)} lines)" if rest else ""
        line = _cut(printable(first), width - len(place) - len(more) - 5)
        typer.echo(f"   {typer.style(printable(place), fg='cyan')}  {line}{more}")
    typer.echo(f"      {printable(reason['text'])}")


def print_incidents_as_json(incidents: pl.DataFrame) -> None:
    """Print one JSON object an incident, worst first."""
    text = incidents.write_ndjson()
    typer.echo(text, nl=False)


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
