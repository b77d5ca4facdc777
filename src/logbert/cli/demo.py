"""`logbert demo`: what was simulated, what was found, and how that compares with the truth."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from logbert.cli.printing import print_detection
from logbert.errors import OptionError
from logbert.simulator.demo import run_demo

if TYPE_CHECKING:
    from logbert.progress import Progress
    from logbert.simulator.demo import DemoResult

TOP = 6


def show_demo(folder: Path | None, *, seed: int, progress: Progress) -> None:
    """Run the demonstration, in a temporary folder unless one is named, and print what it found."""
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise OptionError(f"{folder} is a file; name a folder for the demonstration")
        folder.mkdir(parents=True, exist_ok=True)
        _show(run_demo(folder, seed=seed, progress=progress))
        typer.echo(f"\nlogs, truth and model are in {folder}; try: logbert show {folder / 'model'}")
        return
    with tempfile.TemporaryDirectory(prefix="logbert-demo-") as temporary:
        _show(run_demo(Path(temporary), seed=seed, progress=progress))
    typer.echo("\nto keep logs and model: logbert demo -o FOLDER")


def _show(result: DemoResult) -> None:
    print_detection(result.detection, TOP)
    figures = result.figures
    typer.echo(
        f"\nagainst the truth: {figures.faults} of {figures.sessions:,} sessions were faulty; found {figures.found}, "
        f"with {figures.false_alarms} false {'alarm' if figures.false_alarms == 1 else 'alarms'}"
    )
    typer.echo(f"precision {figures.precision:.3f}, recall {figures.recall:.3f}, F1 {figures.f1:.3f}")
    for kind in figures.kinds:
        typer.echo(f"  {kind.kind:24} {kind.found:>3} of {kind.sessions:>3} found")
    typer.echo(
        f"a harmless change crept in as well: {figures.drift_alarms} sessions that show it were flagged, "
        f"{figures.drift_incidents} incidents are about it"
    )
