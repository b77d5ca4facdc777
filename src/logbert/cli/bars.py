"""Progress for people: a bar with rate and ETA on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as RichProgress
    from rich.progress import ProgressColumn, Task, TaskID
    from rich.text import Text

    from logbert.progress import Progress, Step

SECONDS_BETWEEN_LINES = 10.0


def progress_on(stream: TextIO | None = None, *, quiet: bool = False) -> Progress:
    """Give the progress that suits the stream (stderr, if none is named)."""
    stream = stream or sys.stderr
    if quiet:
        return _Quiet(stream)
    return _Bars(stream) if stream.isatty() else _Lines(stream)


WARNING = "warning: "


class _Quiet:
    """No progress and no remarks, only what would be a mistake not to know."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        yield _PlainStep(self.stream, name, total, unit, every=float("inf"))

    def note(self, text: str) -> None:
        if text.startswith(WARNING):
            print(text, file=self.stream, flush=True)


class _Lines:
    """Remarks, and a line now and then about how far it is, for logs and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        yield _PlainStep(self.stream, name, total, unit, every=SECONDS_BETWEEN_LINES)

    def note(self, text: str) -> None:
        print(text, file=self.stream, flush=True)


class _PlainStep:
    def __init__(self, stream: TextIO, name: str, total: float | None, unit: str, *, every: float) -> None:
        self.stream, self.name, self.total, self.unit, self.every = stream, name, total, unit, every
        self.done = 0.0
        self.began = self.said = time.monotonic()

    def advance(self, amount: float = 1, **facts: float | str) -> None:
        self.done += amount
        now = time.monotonic()
        if now - self.said < self.every:
            return
        self.said = now
        done = _amount(self.done, self.unit)
        if self.total:
            done = f"{done.removesuffix(f' {self.unit}')} of {_amount(self.total, self.unit)}"
        rate = self.done / max(now - self.began, 1e-9)
        left = f", {_clock((self.total - self.done) / rate)} left" if self.total and rate else ""
        more = "".join(f", {_fact(name, value)}" for name, value in facts.items())
        print(
            f"{self.name}: {done}, {_amount(rate, self.unit)}/s{left}{more}",
            file=self.stream,
            flush=True,
        )


class _Bars:
    """Bars that vanish when their work is done, so that what stays on the screen is worth reading."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self.console = Console(file=stream, stderr=stream is sys.stderr)

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        columns: tuple[str | ProgressColumn, ...] = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            _rate_column(unit),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[facts]}"),
        )
        with Progress(*columns, console=self.console, transient=True) as bars:
            yield _BarStep(bars, bars.add_task(name, total=total, facts=""))

    def note(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


class _BarStep:
    def __init__(self, bars: RichProgress, task: TaskID) -> None:
        self.bars, self.task = bars, task

    def advance(self, amount: float = 1, **facts: float | str) -> None:
        if facts:
            self.bars.update(self.task, facts=" ".join(_fact(name, value) for name, value in facts.items()))
        self.bars.advance(self.task, amount)


def _rate_column(unit: str) -> ProgressColumn:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = task.finished_speed or task.speed
            done = _amount(task.completed, unit)
            return Text(f"{done} at {_amount(rate, unit)}/s" if rate else done, style="dim")

    return Rate()


def _amount(value: float, unit: str) -> str:
    """Write a number of units as people do: 1.2 GB, 3.4M records, 12 epochs."""
    if unit in {"B", "bytes"}:
        for suffix in ("B", "kB", "MB", "GB"):
            if value < 1000 or suffix == "GB":
                return f"{value:.0f} {suffix}" if suffix == "B" else f"{value:.1f} {suffix}"
            value /= 1000
    if value >= 1e6:
        text = f"{value / 1e6:.1f}M"
    elif value >= 1e4:
        text = f"{value / 1e3:.0f}k"
    else:
        text = f"{value:.1f}" if value < 10 and value != int(value) else f"{value:.0f}"
    return f"{text} {unit}".rstrip()


def _fact(name: str, value: float | str) -> str:
    return f"{name.replace('_', ' ')} {value:.4g}" if isinstance(value, float) else f"{name} {value}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    return f"{minutes}:{rest:02d}"
