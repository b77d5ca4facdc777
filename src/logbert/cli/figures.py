"""Figures as a table, or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from statistics import mean, stdev
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.evaluation import Figures, Judged, Operated, Trial

SHOWN = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "pr_auc": "PR-AUC",
    "false_alarms": "false alarms",
    "oracle_f1": "oracle F1*",
}
ORACLE = "* the best F1 any boundary would give; it takes the truth to find it"


OVER_TIME = "over time: as `detect` reports, in the order of time, without what is known by then"
MEMBERS = "member: that part of the fusion alone, with its share of the false alarms"
GAP = 2


def print_figures(judged: Judged, *, as_json: bool) -> None:
    """Print one line a detector, and what an operator's answers made of it."""
    if as_json:
        found = {name: asdict(one) for name, one in judged.figures.items()}
        feedback = {"feedback": asdict(judged.feedback)} if judged.feedback else {}
        typer.echo(json.dumps(found | feedback, indent=1))
        return
    any_of = next(iter(judged.figures.values()))
    typer.echo(f"{any_of.normal:,} normal and {any_of.abnormal:,} abnormal sequences")
    rows = {name: [one] for name, one in judged.figures.items()}
    if judged.feedback is not None:
        rows[_answered([judged.feedback])] = [judged.feedback.figures]
    _table(rows)
    if judged.feedback is not None:
        _moments(judged.feedback)


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
    rows = {first: rows.pop(first), f"{first}, short ones left out": [trial.short_left_out for trial in trials], **rows}
    operated = [trial.feedback for trial in trials if trial.feedback is not None]
    if operated:
        rows[_answered(operated)] = [one.figures for one in operated]
    _table(rows)
    typer.echo(
        f"trained in {mean(trial.train_seconds for trial in trials):.1f} s, "
        f"judged in {mean(trial.judge_seconds for trial in trials):.1f} s (mean)"
    )
    for trial in trials:
        if trial.feedback is not None:
            _moments(trial.feedback, f", seed {trial.seed}" if len(trials) > 1 else "")


def _answered(operated: Sequence[Operated]) -> str:
    answers = mean(one.answers for one in operated)
    return f"with {answers:.0f} {'answer' if answers == 1 else 'answers'}{' (mean)' if len(operated) > 1 else ''}"


def _moments(operated: Operated, which: str = "") -> None:
    """Print how it went over time; a stretch without anything abnormal has no precision to speak of."""
    typer.echo(f"\nwith an operator who answers each new incident once{which}:")
    typer.echo(f"{'sequences':>19}{'answers':>9}{'abnormal':>10}{'P':>7}{'R':>7}{'F1':>7}{'F1 so far':>11}")
    for moment in operated.moments:
        one = moment.figures
        figures = [f"{value:.3f}" if one.abnormal else "-" for value in (one.precision, one.recall, one.f1)]
        stretch = f"{moment.begin + 1:,} to {moment.end:,}"
        so_far = f"{moment.so_far.f1:.3f}" if moment.so_far.abnormal else "-"
        typer.echo(
            f"{stretch:>19}{moment.answers:>9}{one.abnormal:>10,}"
            + "".join(f"{text:>7}" for text in figures)
            + f"{so_far:>11}"
        )


def _table(rows: dict[str, list[Figures]]) -> None:
    cells = {
        name: [_cell([getattr(one, field) for one in figures], field) for field in SHOWN]
        for name, figures in rows.items()
    }
    width = max(map(len, rows))
    titles = list(SHOWN.values())
    widths = [max(map(len, column)) + GAP for column in zip(titles, *cells.values(), strict=True)]
    for name, texts in {"": titles, **cells}.items():
        typer.echo(f"{name:{width}}" + "".join(f"{text:>{wide}}" for text, wide in zip(texts, widths, strict=True)))
    typer.echo(ORACLE)
    if any(name.endswith(" over time") for name in rows):
        typer.echo(OVER_TIME)
    if any(name.startswith("member: ") for name in rows):
        typer.echo(MEMBERS)


def _cell(values: list[float], field: str) -> str:
    digits = 4 if field == "false_alarms" else 3
    spread = f"±{stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean(values):.{digits}f}{spread}"
