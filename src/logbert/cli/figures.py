"""Figures as a table, or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from statistics import mean, stdev
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.evaluation import Figures, Trial

SHOWN = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "pr_auc": "PR-AUC",
    "false_alarms": "false alarms",
    "oracle_f1": "oracle F1*",
}
ORACLE = "* the best F1 any boundary would give; it takes the truth to find it"


def print_figures(figures: dict[str, Figures], *, as_json: bool) -> None:
    """Print one figure a detector."""
    if as_json:
        typer.echo(json.dumps({name: asdict(one) for name, one in figures.items()}, indent=1))
        return
    any_of = next(iter(figures.values()))
    typer.echo(f"{any_of.normal:,} normal and {any_of.abnormal:,} abnormal sequences")
    _table({name: [one] for name, one in figures.items()})


def print_trials(trials: Sequence[Trial], *, as_json: bool) -> None:
    """Print mean and spread over the trials."""
    if as_json:
        typer.echo(json.dumps([asdict(trial) for trial in trials], indent=1))
        return
    any_of = next(iter(trials[0].figures.values()))
    seeds = ", ".join(str(trial.seed) for trial in trials)
    typer.echo(f"judged {any_of.normal:,} normal and {any_of.abnormal:,} abnormal sequences; seeds {seeds}")
    rows = {name: [trial.figures[name] for trial in trials] for name in trials[0].figures}
    first = next(iter(rows))
    short = {f"{first}, short ones left out": [trial.short_left_out for trial in trials]}
    _table({first: rows.pop(first), **short, **rows})
    typer.echo(
        f"trained in {mean(trial.train_seconds for trial in trials):.1f} s, "
        f"judged in {mean(trial.judge_seconds for trial in trials):.1f} s (mean)"
    )


def _table(rows: dict[str, list[Figures]]) -> None:
    width = max(map(len, rows))
    several = any(len(figures) > 1 for figures in rows.values())
    cell = 15 if several else 12
    typer.echo(" " * width + "".join(f"{title:>{cell}}" for title in SHOWN.values()))
    for name, figures in rows.items():
        cells = [_cell([getattr(one, field) for one in figures], field) for field in SHOWN]
        typer.echo(f"{name:{width}}" + "".join(f"{text:>{cell}}" for text in cells))
    typer.echo(ORACLE)


def _cell(values: list[float], field: str) -> str:
    digits = 4 if field == "false_alarms" else 3
    spread = f"±{stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"
