"""What a store writes that belongs to no session: heartbeats, reports, rounds, reloads, warnings that mean nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.simulator.drift import RESTARTED, RESTARTING, TIERING
from logbert.simulator.store import BAYS, COORDINATORS, GATEWAYS, NODES, TENANTS, Event, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logbert.simulator.dice import Dice
    from logbert.simulator.drift import Course

Values = dict[str, object]

IDLE_TRACE = (
    "io.quarry.net.IdleException: no request within {limit} ms",
    "\tat io.quarry.gateway.Keepalive.check(Keepalive.java:58)",
    "\tat io.quarry.gateway.Keepalive.lambda$start$0(Keepalive.java:31)",
    "\tat java.base/java.util.concurrent.FutureTask.run(FutureTask.java:317)",
)
CONFIG_DIFF = ("  - reads.parallel: {less}", "  + reads.parallel: {count}")


@dataclass(frozen=True)
class Chatter:
    """One kind of background record: who writes it, how often, with which values.

    Attributes
    ----------
    every
        Seconds between two of them on one node.
    regular
        Whether they come like clockwork (with a little jitter) or at random.
    """

    event: Event
    nodes: tuple[str, ...]
    every: float
    values: Callable[[Dice], Values]
    regular: bool = True


def _heartbeat(dice: Dice) -> Values:
    return {"count": dice.whole(8_000, 60_000), "free": round(dice.between(0.8, 11.9), 2), "queue": dice.whole(0, 9)}


def _pause(dice: Dice) -> Values:
    before = dice.whole(900, 3_800)
    return {"before": before, "after": before // dice.whole(2, 5), "ms": round(dice.lapse(1.0, 9.0), 1)}


def _totals(dice: Dice) -> Values:
    return {"puts": dice.whole(10, 90), "gets": dice.whole(5, 99), "errors": 0, "p99": dice.whole(40, 900)}


CHATTER = (
    Chatter(
        Event(
            "heartbeat", "DEBUG", "node.Agent", "agent", "Heartbeat: {count} slabs, {free} TB free, {queue} in queue"
        ),
        BAYS,
        45.0,
        _heartbeat,
    ),
    Chatter(
        Event("pause", "INFO", "node.Memory", "gc", "Pause of {ms} ms, heap {before}M -> {after}M"),
        NODES,
        240.0,
        _pause,
        regular=False,
    ),
    Chatter(
        Event(
            "totals",
            "INFO",
            "gateway.Report",
            "report",
            "Last minute: {puts} puts, {gets} gets, {errors} errors, p99 {p99} ms",
        ),
        GATEWAYS,
        60.0,
        _totals,
    ),
    Chatter(
        Event("members", "INFO", "coord.Members", "raft", "Term {term}: {count} of {count} bays alive, {free} TB free"),
        COORDINATORS[:1],
        60.0,
        lambda dice: {"term": 41, "free": dice.whole(40, 90), "count": len(BAYS)},
    ),
    Chatter(
        Event(
            "reaper", "INFO", "coord.Reaper", "reaper", "Round {round}: {count} leases looked at, {less} due, {ms} ms"
        ),
        COORDINATORS[:1],
        300.0,
        lambda dice: {
            "round": dice.whole(2_000, 9_000),
            "count": dice.whole(500, 900),
            "less": dice.whole(0, 60),
            "ms": dice.whole(5, 80),
        },
    ),
    Chatter(
        Event("snapshot", "INFO", "coord.Journal", "journal", "Snapshot {number} written to {path}, {size} bytes"),
        COORDINATORS,
        600.0,
        lambda dice: {
            "number": dice.whole(10_000, 99_999),
            "path": f"/var/lib/quarry/journal/{dice.hexadecimal(8)}.snap",
            "size": dice.whole(10**7, 10**8),
        },
    ),
    Chatter(
        Event("balance", "INFO", "coord.Balancer", "balance", "Spread is {percent}%, nothing to move for {tenant}"),
        COORDINATORS[1:],
        180.0,
        lambda dice: {"percent": round(dice.between(1.0, 12.0), 1), "tenant": dice.pick(TENANTS)},
    ),
    Chatter(
        Event(
            "reload", "INFO", "node.Config", "main", "Configuration reloaded from /etc/quarry/{file}.yaml:", CONFIG_DIFF
        ),
        NODES,
        14_000.0,
        lambda dice: {"file": dice.pick(("limits", "tenants")), "less": dice.whole(4, 8), "count": dice.whole(9, 16)},
        regular=False,
    ),
    Chatter(
        Event("fullness", "WARN", "bay.Disk", "drop", "Volume {volume} is {percent}% full, above the soft mark of 85%"),
        BAYS,
        3_600.0,
        lambda dice: {"volume": dice.whole(1, 6), "percent": dice.whole(86, 93)},
        regular=False,
    ),
    Chatter(
        Event("fsync", "WARN", "bay.Disk", "flush", "Flush of volume {volume} took {ms} ms (limit 500 ms)"),
        BAYS,
        2_400.0,
        lambda dice: {"volume": dice.whole(1, 6), "ms": dice.whole(501, 1_400)},
        regular=False,
    ),
    Chatter(
        Event("idle", "WARN", "gateway.FrontDoor", "http-", "Closing idle connection from {client}", IDLE_TRACE),
        GATEWAYS,
        700.0,
        lambda dice: {"client": dice.address(), "limit": 30_000},
        regular=False,
    ),
    Chatter(
        Event(
            "token",
            "ERROR",
            "gateway.FrontDoor",
            "http-",
            "401 for {client}: token of {tenant} expired {seconds} s ago",
        ),
        GATEWAYS,
        900.0,
        lambda dice: {"client": dice.address(), "tenant": dice.pick(TENANTS), "seconds": dice.whole(1, 900)},
        regular=False,
    ),
)


def chatter(dice: Dice, course: Course) -> list[Step]:
    """Give all background records of a period, in no particular order."""
    steps = [
        Step(at, talk.event, node, talk.values(dice))
        for talk in CHATTER
        for node in talk.nodes
        for at in _times(dice, talk, course.seconds)
    ]
    return steps + list(_new_release(dice, course))


def _times(dice: Dice, talk: Chatter, seconds: float) -> Iterator[float]:
    at = dice.between(0.0, talk.every)
    while at < seconds:
        yield at
        at += talk.every * dice.between(0.99, 1.01) if talk.regular else dice.lapse(0.01, talk.every)


def _new_release(dice: Dice, course: Course) -> Iterator[Step]:
    """Each bay restarts once for the new release, which then reports things the old one did not."""
    for bay, at in course.updates.items():
        yield Step(at, RESTARTING, bay, {"release": "4.2.0"})
        up = at + dice.between(2.0, 6.0)
        yield Step(up, RESTARTED, bay, {"release": "4.2.0", "ms": int(1000 * (up - at)), "count": 6})
        sweep = up + dice.between(10.0, 300.0)
        while sweep < course.seconds:
            values = {"count": dice.whole(2_000, 9_000), "less": dice.whole(100, 900), "ms": dice.whole(30, 400)}
            yield Step(sweep, TIERING, bay, dict(values))
            sweep += 300.0
