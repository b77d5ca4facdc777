"""What can go wrong in a session. Each fault takes a healthy life and gives the steps of a broken one.

A fault answers None when this life gives it nothing to break (no replicas in a session that was kept in the journal).
Otherwise it gives the new steps and a sentence that says what was done, for whoever reads the truth afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logbert.simulator.store import BAYS, EVENTS, Event, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from logbert.simulator.dice import Dice
    from logbert.simulator.operations import Life


class Broken(NamedTuple):
    """The steps of a session with a fault in it, and what the fault is."""

    steps: list[Step]
    what: str


FIRST_STEPS = 3  # these stay as they are: a fault happens to a session that has begun

ALWAYS_FOLLOW = (
    "opened",
    "taking",
    "stored",
    "acknowledged",
    "sealed",
    "answered",
    "served",
    "digest",
    "passed",
    "moved",
    "erased",
)
IN_ORDER = (
    ("acknowledged", "sealed"),
    ("sealed", "answered"),
    ("taking", "stored"),
    ("stored", "acknowledged"),
    ("moving", "dropped"),
    ("erased", "forgotten"),
    ("deleted", "erased"),
    ("get", "served"),
    ("digest", "passed"),
)

TORN_TRACE = (
    "io.quarry.disk.TornWriteException: page {page} ends after {size} of 4096 bytes",
    "\tat io.quarry.disk.SlabFile.replay(SlabFile.java:412)",
    "\tat io.quarry.bay.Recovery.run(Recovery.java:77)",
    "Caused by: java.io.IOException: Input/output error",
    "\tat java.base/sun.nio.ch.FileDispatcherImpl.pread0(Native Method)",
    "\t... 4 more",
)
NEVER_SEEN = (
    Event("torn", "ERROR", "bay.Recovery", "recovery", "Replay of {slab} failed at page {page}", TORN_TRACE),
    Event("lost", "ERROR", "coord.Members", "raft", "Lost contact with {bay} while it held the only copy of {slab}"),
    Event("fenced", "WARN", "bay.Receiver", "rx-", "Refused a write to {slab}: epoch {page} is older than {size}"),
    Event("owners", "INFO", "coord.Lease", "lease", "{slab} has two owners, {tenant} and {other}"),
    Event("backwards", "INFO", "coord.Placement", "place-", "Generation of {slab} went from {size} to {page}"),
    Event("scratch", "INFO", "bay.Disk", "rx-", "{slab} goes to the scratch area, volume order is {page},{size}"),
)


def missing_step(life: Life, dice: Dice) -> Broken | None:
    """Leave out a step that always follows what was done: one record of it, or every one."""
    places = _places(life.steps, ALWAYS_FOLLOW)
    if not places:
        return None
    # The kind of step first: of the three "stored" each is as likely to be the missing one as the only "sealed".
    name = dice.pick(sorted({life.steps[place].event.name for place in places}))
    places = [place for place in places if life.steps[place].event.name == name]
    missing = set(places) if dice.chance(0.5) else {dice.pick(places)}
    steps = [step for place, step in enumerate(life.steps) if place not in missing]
    return Broken(steps, f"{len(missing)} of {len(places)} '{name}' missing")


def out_of_order(life: Life, dice: Dice) -> Broken | None:
    """Let a step happen before the one it has to wait for."""
    names = [step.event.name for step in life.steps]
    pairs = [pair for pair in IN_ORDER if pair[0] in names and pair[1] in names]
    if not pairs:
        return None
    earlier, later = dice.pick(pairs)
    before = names.index(earlier)
    after = names.index(later, before)
    at = life.steps[before].at - dice.between(0.03, 0.05)
    hasty = life.steps[after]._replace(at=at)
    rest = [step for place, step in enumerate(life.steps) if place != after]
    return Broken(_in_time([*rest, hasty]), f"'{later}' before '{earlier}'")


def never_seen(life: Life, dice: Dice) -> Broken:
    """Let a node write something it never wrote before, in words of failure or in plain ones."""
    event = dice.pick(NEVER_SEEN)
    node = dice.pick(life.bays or BAYS) if event.component.startswith("bay.") else life.coordinator
    first, last = life.steps[FIRST_STEPS - 1].at, life.steps[-1].at
    values: dict[str, object] = {
        "slab": life.slab,
        "bay": dice.pick(life.bays or BAYS),
        "tenant": life.tenant,
        "other": "harbour" if life.tenant != "harbour" else "fjord",
        "page": dice.whole(1, 400),
        "size": dice.whole(401, 4_095),
    }
    times = dice.whole(1, 3)
    new = [Step(dice.between(first, last), event, node, values) for _ in range(times)]
    return Broken(_in_time([*life.steps, *new]), f"'{event.name}', never seen before, {times} times")


def retry_storm(life: Life, dice: Dice) -> Broken | None:
    """Send the same thing again and again."""
    places = _places(life.steps, ("acknowledged",))
    if not places:
        return None
    place = dice.pick(places)
    done = life.steps[place]
    bay = str(done.values["bay"])
    attempts = dice.whole(6, 24)
    at, more = done.at, []
    for attempt in range(1, attempts + 1):
        values = {"slab": life.slab, "bay": bay}
        more.append(Step(at, EVENTS["slow"], life.gateway, {**values, "attempt": attempt}))
        more.append(Step(at + dice.lapse(0.014, 0.02), EVENTS["duplicate"], bay, dict(values)))
        at += dice.lapse(0.3, 0.2)
    later = [step._replace(at=step.at + at - done.at) for step in life.steps[place:]]
    return Broken(_in_time([*life.steps[:place], *more, *later]), f"{attempts} attempts at {bay}")


def never_ends(life: Life, dice: Dice) -> Broken:
    """Stop somewhere on the way."""
    place = dice.whole(FIRST_STEPS, len(life.steps) - 1)
    return Broken(life.steps[:place], f"stops after '{life.steps[place - 1].event.name}'")


def replica_count(life: Life, dice: Dice) -> Broken | None:
    """Write one replica too few: a bay is named and never takes part."""
    busy = {step.node for step in life.steps if step.event.name == "serving"}  # what it served would be missing too
    bays = {step.node for step in life.steps if step.event.name == "taking"}
    if not _places(life.steps, ("sealed",)) or _places(life.steps, ("declined", "moving")) or not bays - busy:
        return None
    bay = dice.pick(sorted(bays - busy))
    steps = [step for step in life.steps if bay not in {step.node, step.values.get("bay")}]
    steps = [
        step._replace(values={**step.values, "replicas": len(bays) - 1}) if "replicas" in step.values else step
        for step in steps
    ]
    return Broken(steps, f"no replica on {bay}")


def slow_step(life: Life, dice: Dice) -> Broken | None:
    """Wait far longer than ever before a step; the order of the records stays as it was."""
    places = _places(life.steps, ("sealed", "answered", "served", "passed", "moved", "forgotten"))
    if not places:
        return None
    place = dice.pick(places)
    wait = dice.between(240.0, 900.0)
    later = [step._replace(at=step.at + wait) for step in life.steps[place:]]
    return Broken(life.steps[:place] + later, f"{wait:.0f} s before '{life.steps[place].event.name}'")


def value_outside(life: Life, dice: Dice) -> Broken | None:
    """Write a value far outside anything this message ever carried."""
    places = [
        place for place in _places(life.steps, ("stored", "acknowledged", "answered", "digest")) if place >= FIRST_STEPS
    ]
    if not places:
        return None
    place = dice.pick(places)
    step = life.steps[place]
    value = dice.whole(3_000_000, 90_000_000)
    steps = list(life.steps)
    steps[place] = step._replace(values={**step.values, "ms": value})
    return Broken(steps, f"{value} ms in '{step.event.name}'")


FAULTS: dict[str, Callable[[Life, Dice], Broken | None]] = {
    "missing step": missing_step,
    "step out of order": out_of_order,
    "never-seen message": never_seen,
    "retry storm": retry_storm,
    "never ends": never_ends,
    "replica count": replica_count,
    "slow step": slow_step,
    "value outside": value_outside,
}
DEFAULT_FAULTS = tuple(FAULTS)[:6]  # the last two leave the order of records as it was: only times and values show them


def _places(steps: Sequence[Step], names: Sequence[str]) -> list[int]:
    """Find the steps of these names that a fault may touch."""
    return [place for place, step in enumerate(steps) if place >= FIRST_STEPS and step.event.name in names]


def _in_time(steps: list[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: step.at)
