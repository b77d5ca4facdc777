"""Two days in the life of a store: a day to learn from, a day to watch, and the truth about the second."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logbert.errors import OptionError
from logbert.simulator.dice import Dice
from logbert.simulator.drift import DRIFTS, LATER, ROLLOUT, USUAL, Course
from logbert.simulator.faults import DEFAULT_FAULTS, FAULTS
from logbert.simulator.noise import chatter
from logbert.simulator.operations import Life, live
from logbert.simulator.writer import write_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from logbert.simulator.drift import Drift
    from logbert.simulator.store import Step

TRAIN_BEGIN = np.datetime64("2024-03-11T06:00:00.000", "ms")
WATCH_BEGIN = np.datetime64("2024-03-12T06:00:00.000", "ms")
SECONDS_PER_SESSION = 3.6  # a thousand an hour; some ten are open at any time
TRUTH_SCHEMA = {"sequence": pl.String, "label": pl.Int8, "kind": pl.String, "drift": pl.String}


@dataclass(frozen=True)
class Period:
    """What happened in one period: the lives of its slabs, the background, and what is wrong with which life."""

    course: Course
    lives: list[Life]
    background: list[Step]
    wrong: dict[str, tuple[str, str]]

    def steps(self) -> Iterator[Step]:
        """Give everything that was written, in no particular order."""
        for life in self.lives:
            yield from life.steps
        yield from self.background

    def names(self) -> dict[str, list[str]]:
        """Give the true event names of each session by true time, records about two slabs in both."""
        told: dict[str, list[Step]] = {life.slab: list(life.steps) for life in self.lives}
        for step in self.steps():
            if "source" in step.values:
                told[str(step.values["source"])].append(step)
        return {slab: [step.event.name for step in sorted(steps, key=lambda s: s.at)] for slab, steps in told.items()}


@dataclass(frozen=True)
class Simulation:
    """Where a simulation was written, and how much there is of it.

    Attributes
    ----------
    train, watch
        The log of normal operation, and the log of the later period with faults.
    truth
        CSV, one row a session of the watch log: `sequence`, `label` (1 is a fault), `kind` of fault, and `drift`: which
        harmless change shows in it. Drift is never a fault.
    events
        JSON: what exactly is wrong with each faulty session, and what changed harmlessly.
    train_sessions, watch_sessions, faults
        How many sessions there are, and how many of the watched ones are faulty.
    train_lines, watch_lines
        How many lines the logs have.
    """

    train: Path
    watch: Path
    truth: Path
    events: Path
    train_sessions: int
    watch_sessions: int
    faults: int
    train_lines: int
    watch_lines: int


def simulate(
    folder: Path,
    *,
    seed: int = 0,
    sessions: int = 4000,
    watched: int = 3000,
    fault_share: float = 0.04,
    faults: Sequence[str] = DEFAULT_FAULTS,
    drift: Drift = "both",
) -> Simulation:
    """Write the logs of a block store and the truth about them.

    Parameters
    ----------
    folder
        Where `train.log`, `watch.log`, `truth.csv` and `truth_events.json` go; made if need be.
    seed
        Decides everything: equal arguments give equal bytes.
    sessions, watched
        How many sessions the train log and the watch log hold.
    fault_share
        The share of watched sessions that are faulty, divided evenly among `faults`.
    faults
        The kinds of fault. "slow step" and "value outside", which show in times and values alone, are off by default.
    drift
        What changes harmlessly over the watch period: the "mix" of operations and their sizes, a "new message" that
        comes with a new release of the bays, "both", or "none".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     simulation = simulate(pathlib.Path(folder), sessions=20, watched=50)
    ...     (simulation.watch_sessions, simulation.faults)
    (50, 2)
    """
    _check(sessions, watched, fault_share, faults, drift)
    folder.mkdir(parents=True, exist_ok=True)
    train = normal_period(seed, sessions)
    watch = watch_period(seed, watched, fault_share=fault_share, faults=faults, drift=drift)
    simulation = Simulation(
        train=folder / "train.log",
        watch=folder / "watch.log",
        truth=folder / "truth.csv",
        events=folder / "truth_events.json",
        train_sessions=len(train.lives),
        watch_sessions=len(watch.lives),
        faults=len(watch.wrong),
        train_lines=write_log(
            folder / "train.log", list(train.steps()), begin=TRAIN_BEGIN, dice=Dice(seed, "train writing")
        ),
        watch_lines=write_log(
            folder / "watch.log", list(watch.steps()), begin=WATCH_BEGIN, dice=Dice(seed, "watch writing")
        ),
    )
    truth_of(watch).write_csv(simulation.truth)
    simulation.events.write_text(json.dumps(_account(watch, drift), indent=1) + "\n", encoding="utf-8")
    return simulation


def normal_period(seed: int, sessions: int) -> Period:
    """Let the store run for a while with nothing wrong and nothing changing."""
    course = Course.steady(sessions * SECONDS_PER_SESSION)
    return Period(course, _lives(Dice(seed, "train"), course, sessions), chatter(Dice(seed, "train noise"), course), {})


def watch_period(seed: int, sessions: int, *, fault_share: float, faults: Sequence[str], drift: Drift) -> Period:
    """Let the store run on, with faults in some sessions and with drift."""
    course = Course.drifting(sessions * SECONDS_PER_SESSION, drift, Dice(seed, "drift"))
    lives = _lives(Dice(seed, "watch"), course, sessions)
    wrong = _go_wrong(Dice(seed, "faults"), lives, round(fault_share * sessions), faults)
    return Period(course, lives, chatter(Dice(seed, "watch noise"), course), wrong)


def truth_of(period: Period) -> pl.DataFrame:
    """Give one row a session: is it faulty, how, and does a harmless change show in it."""
    rows = [
        (life.slab, int(life.slab in period.wrong), period.wrong.get(life.slab, ("", ""))[0], _drift_in(life))
        for life in period.lives
    ]
    return pl.DataFrame(rows, schema=TRUTH_SCHEMA, orient="row")


def read_truth(path: Path) -> pl.DataFrame:
    """Read the truth that `simulate` wrote."""
    return pl.read_csv(path, schema=TRUTH_SCHEMA).with_columns(pl.col("kind", "drift").fill_null(""))


def _drift_in(life: Life) -> str:
    return "new message" if life.drifted else ""


def _check(sessions: int, watched: int, fault_share: float, faults: Sequence[str], drift: str) -> None:
    if sessions < 1 or watched < 1:
        raise OptionError(f"a simulation needs sessions to train on and to watch, not {sessions} and {watched}")
    if not 0 <= fault_share <= 0.5:
        raise OptionError(f"a share of {fault_share} faulty sessions makes no sense; give one from 0 to 0.5")
    unknown = [kind for kind in faults if kind not in FAULTS]
    if unknown:
        raise OptionError(f"no fault is called {unknown[0]!r}; there are {', '.join(FAULTS)}")
    if drift not in DRIFTS:
        raise OptionError(f"no drift is called {drift!r}; there are {', '.join(DRIFTS)}")


def _lives(dice: Dice, course: Course, sessions: int) -> list[Life]:
    """Lead as many lives as asked for; those that are copied bring another with them."""
    lives: list[Life] = []
    arrivals = sorted((dice.between(0.0, course.seconds) for _ in range(sessions)), reverse=True)
    names = _names(dice)
    while len(lives) < sessions:
        waiting = [Life(next(names), arrivals.pop(), dice, course)]
        while waiting and len(lives) < sessions:
            life = waiting.pop()
            live(life)
            lives.append(life)
            waiting += [Life(next(names), at, dice, course, source=life.slab) for at in life.copied_at]
    return lives


def _names(dice: Dice) -> Iterator[str]:
    given = set()
    while True:
        name = f"slab-{dice.hexadecimal(12)}"
        if name not in given:
            given.add(name)
            yield name


def _go_wrong(dice: Dice, lives: list[Life], count: int, kinds: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Break `count` lives, as many of each kind, and say what is wrong with which.

    A slab that shares a record with another is left alone, so that the fault of one never shows in the other.
    """
    candidates = [life for life in lives if life.source is None and not life.copied_at]
    wrong: dict[str, tuple[str, str]] = {}
    while kinds and candidates and len(wrong) < count:
        kind = kinds[len(wrong) % len(kinds)]
        life = candidates.pop(int(len(candidates) * dice.fraction()))
        broken = FAULTS[kind](life, dice)
        if broken is not None:
            life.steps = broken.steps
            wrong[life.slab] = (kind, broken.what)
    return wrong


def _account(watch: Period, drift: Drift) -> dict[str, Any]:
    """Tell what is wrong and what merely changed."""
    starts = {life.slab: life.start for life in watch.lives}
    return {
        "faults": [
            {"sequence": slab, "kind": kind, "what": what, "start": str(_time(starts[slab]))}
            for slab, (kind, what) in sorted(watch.wrong.items(), key=lambda item: starts[item[0]])
        ],
        "drift": {
            "asked": drift,
            "mix": _mix_account(watch.course),
            "new message": {
                bay: str(_time(at)) for bay, at in sorted(watch.course.updates.items(), key=lambda u: u[1])
            },
            "rollout": list(ROLLOUT),
            "sessions": sum(life.drifted for life in watch.lives),
        },
    }


def _mix_account(course: Course) -> dict[str, Any]:
    if course.end is USUAL:
        return {}
    return {"from": vars(USUAL), "to": vars(LATER)}


def _time(seconds: float) -> np.datetime64:
    return WATCH_BEGIN + np.timedelta64(round(seconds * 1000), "ms")
