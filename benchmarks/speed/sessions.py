"""Sequences of keys to train on and to judge: many sessions made of few, and windows as a supercomputer's log has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed.measure import Done

if TYPE_CHECKING:
    import numpy as np

Session = tuple[int, ...]

MOST_TURNS = 4  # how often one session is changed to make another
TAIL = 0.03  # of the rows: the part that falls to sessions the source does not have, as the whole HDFS log has them
REPEATED = 0.6  # of a window's keys: the same as the key before, as bursts are


def write_sessions(*, source: str, rows: str, distinct: str, count: int, kinds: int, seed: int) -> Done:
    """Write so many sessions of so many kinds, and each kind once.

    The source's own sessions come as often as they do there; the others are these with neighbours exchanged and steps
    left out or done twice, and share a few rows in a hundred, the first of them most.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    known: dict[Session, int] = {}
    for line in Path(source).read_text(encoding="utf-8").splitlines():
        session = tuple(map(int, line.split()))
        known[session] = known.get(session, 0) + 1
    sessions = list(known)
    own = np.array(list(known.values()), dtype=float)
    while len(known) < kinds:
        made = _turned(sessions[int(draw.choice(len(own), p=own / own.sum()))], draw)
        if made and known.setdefault(made, 0) == 0 and len(known) > len(sessions):
            sessions.append(made)
    others = 1 / (np.arange(len(sessions) - len(own)) + 10)
    often = np.concatenate([own / own.sum() * (1 - TAIL), others / others.sum() * TAIL])
    chosen = np.concatenate([np.arange(len(sessions)), draw.choice(len(sessions), count - len(sessions), p=often)])
    lines = [" ".join(map(str, session)) + "\n" for session in sessions]
    with Path(rows).open("w", encoding="ascii") as file:
        file.writelines(lines[index] for index in draw.permutation(chosen).tolist())
    Path(distinct).write_text("".join(lines), encoding="ascii")
    return Done(count)


def _turned(session: Session, draw: np.random.Generator) -> Session:
    """Change a session in one to four places: exchange neighbours, leave a step out, do one twice."""
    keys = list(session)
    for kind in draw.integers(4, size=int(draw.integers(1, MOST_TURNS + 1))).tolist():
        if len(keys) < 2:
            break
        place = int(draw.integers(len(keys) - 1))
        if kind == 0:
            keys.pop(place)
        elif kind == 1:
            keys.insert(place, keys[place])
        else:
            keys[place], keys[place + 1] = keys[place + 1], keys[place]
    return tuple(keys)


def write_windows(*, out: str, count: int, length: int, templates: int, seed: int) -> Done:
    """Write windows of so many keys: bursts of one template, a few templates frequent and most of them rare."""
    import numpy as np

    draw = np.random.default_rng(seed)
    often = 1 / (np.arange(templates) + 3)
    fresh = draw.choice(templates, (count, length), p=often / often.sum()) + 1
    begins = draw.random((count, length)) >= REPEATED
    begins[:, 0] = True
    burst = np.maximum.accumulate(np.where(begins, np.arange(length), 0), axis=1)
    keys = np.take_along_axis(fresh, burst, axis=1)
    with Path(out).open("w", encoding="ascii") as file:
        file.writelines(" ".join(map(str, window)) + "\n" for window in keys.tolist())
    return Done(count)


def read(path: str) -> list[list[int]]:
    """Read such a file: one sequence a line."""
    return [list(map(int, line.split())) for line in Path(path).read_text(encoding="utf-8").splitlines()]
