"""`logbert feedback`: answers about incidents, given, listed, taken back."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from logbert.cli.printing import printable
from logbert.pipeline import Answer, Pipeline, find_incident

if TYPE_CHECKING:
    from pathlib import Path


def answer(model: Path, incident: str, *, normal: bool, who: str, why: str) -> None:
    """Write an answer into the model."""
    pipeline = Pipeline.load(model)
    trouble = find_incident(model, incident)
    given = Answer(trouble, normal, who or _user(), datetime.now(UTC).isoformat(timespec="seconds"), why)
    pipeline.answers_.give(given)
    pipeline.save(model)
    effect = "is not reported any more" if normal else "is reported always"
    typer.echo(f"{trouble.id} {effect}: {printable(trouble.title)}")


def take_back(model: Path, incident: str) -> None:
    """Take an answer out of the model again."""
    pipeline = Pipeline.load(model)
    gone = pipeline.answers_.undo(incident)
    pipeline.save(model)
    typer.echo(f"{gone.trouble.id} is judged as before: {printable(gone.trouble.title)}")


def list_answers(model: Path) -> None:
    """Print the answers, oldest first."""
    answers = Pipeline.load(model).answers_
    if not len(answers):
        typer.echo("no answers yet; give one with: logbert feedback MODEL INCIDENT --normal (or --anomaly)")
    for one in answers:
        because = f" ({printable(one.why)})" if one.why else ""
        said = f"{one.verdict:7}  {one.when}  {printable(one.who)}{because}"
        typer.echo(f"{one.trouble.id}  {said}: {printable(one.trouble.title)}")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
