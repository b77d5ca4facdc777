"""From what happened to lines of text: each node by its own clock, the lines in the order in which they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logbert.simulator.store import NODES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from logbert.simulator.dice import Dice
    from logbert.simulator.store import Step

SKEW = 0.004  # seconds a node's clock may be wrong, either way
SHIPPING = 0.002  # mean seconds a line takes to the file
THREADS = 8  # in each pool


def write_log(path: Path, steps: Sequence[Step], *, begin: np.datetime64, dice: Dice) -> int:
    """Write the steps as one log and give the number of lines, continuation lines included.

    The clocks of the nodes differ by a few milliseconds, so neighbouring lines are not always in order of their times.
    """
    skews = {node: dice.between(-SKEW, SKEW) for node in NODES}
    happened = np.array([step.at for step in steps])
    arrived = happened + np.array([dice.lapse(0.0, SHIPPING) for _ in steps])
    stamps = _stamps(begin, happened + np.array([skews[step.node] for step in steps]))
    lines: list[str] = []
    for place in np.argsort(arrived, kind="stable").tolist():
        lines.extend(_lines(steps[place], stamps[place], dice))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def _stamps(begin: np.datetime64, seconds: npt.NDArray[np.float64]) -> list[str]:
    times = begin + np.round(seconds * 1000).astype(np.int64).astype("timedelta64[ms]")
    stamps: list[str] = np.datetime_as_string(times, unit="ms").tolist()
    return stamps


def _lines(step: Step, stamp: str, dice: Dice) -> list[str]:
    event = step.event
    thread = f"{event.threads}{dice.whole(1, THREADS)}" if event.threads.endswith("-") else event.threads
    head = f"{stamp[:10]} {stamp[11:]} {event.level:<5} {step.node} [{thread}] {event.component}: "
    text = head + event.text.format_map(step.values)
    return [text, *(line.format_map(step.values) for line in event.trace)]
