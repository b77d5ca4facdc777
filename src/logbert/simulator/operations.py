"""What a healthy session does: the life of a slab, stage by stage, with the detours that are rare but normal.

A stage takes a life and the time it begins, lets the nodes write what they write, and gives the time it is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from logbert.simulator.drift import WARMED
from logbert.simulator.store import ADDRESSES, BAYS, COORDINATORS, EVENTS, FOLDERS, GATEWAYS, SUFFIXES, TENANTS, Step

if TYPE_CHECKING:
    from logbert.simulator.dice import Dice
    from logbert.simulator.drift import Course, Mix
    from logbert.simulator.store import Event

REPLICAS = 3
CHUNK = 4_000_000  # bytes

# Rare but normal, each as a share of the occasions on which it can happen.
SLOW_BAY = 0.006
DECLINED = 0.004
RESET = 0.003
QUOTA = 0.006
ABORTED = 0.008
MISMATCH = 0.006
BUSY = 0.05
CACHED = 0.3


@dataclass
class Life:
    """One slab, from the first record about it to the last.

    Attributes
    ----------
    slab
        Its name.
    start
        When it begins, in seconds since the period began.
    steps
        What was written about it by its own operations, in order of time once `live` is done.
    copied_at
        When another slab was made a copy of it; the copy's first record names both.
    source
        The slab it is a copy of.
    """

    slab: str
    start: float
    dice: Dice
    course: Course
    source: str | None = None
    steps: list[Step] = field(default_factory=list)
    copied_at: list[float] = field(default_factory=list)
    tenant: str = ""
    gateway: str = ""
    coordinator: str = ""
    size: int = 0
    bays: list[str] = field(default_factory=list)

    @property
    def mix(self) -> Mix:
        """How often sessions do what, when this one begins."""
        return self.course.mix(self.start)

    @property
    def drifted(self) -> bool:
        """Whether a record of the new release is in it."""
        return any(step.event is WARMED for step in self.steps)

    def write(self, at: float, event: str | Event, node: str, **values: object) -> None:
        """Let a node write something about this slab."""
        values["slab"] = self.slab
        self.steps.append(Step(at, EVENTS[event] if isinstance(event, str) else event, node, values))


def live(life: Life) -> None:
    """Lead a slab's life from its first record to its last."""
    dice, mix = life.dice, life.mix
    life.tenant = dice.pick(TENANTS)
    life.gateway = dice.pick(GATEWAYS)
    life.coordinator = COORDINATORS[0] if dice.chance(0.7) else COORDINATORS[1]
    small = dice.chance(mix.journalled)
    life.size = dice.whole(200, 9_000) if small else int(mix.size * dice.lapse(0.05, 1.0) ** 1.4) + 9_001
    at = _ask(life, life.start)
    if small:
        at = _keep_in_journal(life, at)
    elif dice.chance(ABORTED):
        _abort(life, at)
        life.steps.sort(key=_time)
        return
    else:
        at = _replicate(life, at)
    at = _use(life, _seal(life, at))
    (_reclaim if dice.chance(mix.deletion) else _release)(life, at)
    life.steps.sort(key=_time)


def _time(step: Step) -> float:
    return step.at


def _ask(life: Life, at: float) -> float:
    """Begin: a client puts an object, or another slab is to be copied."""
    dice = life.dice
    if life.source is None:
        folder, number, suffix = dice.pick(FOLDERS), dice.whole(1, 99_999), dice.pick(SUFFIXES)
        path = f"/{life.tenant}/{folder}/{number:05d}.{suffix}"
        life.write(at, "put", life.gateway, path=path, size=life.size, client=dice.address())
    else:
        life.write(at, "copy", life.coordinator, source=life.source, tenant=life.tenant)
    if dice.chance(QUOTA):
        at += dice.lapse(0.001, 0.004)
        life.write(at, "quota", life.coordinator, tenant=life.tenant, percent=dice.whole(90, 99))
    return at + dice.lapse(0.014, 0.02)


def _place(life: Life, at: float) -> float:
    dice = life.dice
    life.bays = dice.some(BAYS, REPLICAS)
    bays = ", ".join(life.bays)
    life.write(at, "placed", life.coordinator, bays=bays, tenant=life.tenant, lease=dice.pick((60, 120, 300)))
    return at + dice.lapse(0.014, 0.01)


def _keep_in_journal(life: Life, at: float) -> float:
    life.write(at, "journalled", life.coordinator, size=life.size, offset=life.dice.whole(1, 2**31))
    return at + life.dice.lapse(0.014, 0.01)


def _replicate(life: Life, at: float) -> float:
    """Send the object down the pipeline; the bays work side by side."""
    dice = life.dice
    at = _place(life, at)
    life.write(at, "opened", life.gateway, hops=REPLICAS)
    sent = _send_chunks(life, at)
    ends = []
    for hop, bay in enumerate(tuple(life.bays)):
        begin = at + hop * dice.lapse(0.002, 0.01)
        if dice.chance(DECLINED):
            bay, begin = _replace(life, bay, begin)  # noqa: PLW2901 - from here on the hop is the other bay
        ends.append(_store(life, bay, begin, sent=sent))
    return max(ends)


def _send_chunks(life: Life, at: float) -> float:
    """Send an object of more than one chunk piece by piece, and give the time the last one is out."""
    chunks = min(1 + life.size // CHUNK, 4)
    for chunk in range(1, chunks + 1) if chunks > 1 else ():
        at += life.dice.lapse(0.02, 0.03)
        size = min(CHUNK, life.size - (chunk - 1) * CHUNK)
        life.write(at, "sent", life.gateway, chunk=chunk, chunks=chunks, size=size)
    return at


def _store(life: Life, bay: str, at: float, *, sent: float = 0.0, acknowledge: bool = True) -> float:
    """Let one bay take a slab, write it to disk and say so."""
    dice = life.dice
    peer = f"{ADDRESSES[life.gateway]}:{dice.whole(40_000, 49_999)}"
    life.write(at, "taking", bay, peer=peer)
    begin, at = at, max(at, sent) + dice.lapse(0.02, 0.15)
    if acknowledge and dice.chance(RESET):
        at = _reset(life, bay, at)
    values = {"ms": int(1000 * (at - begin)), "crc": dice.hexadecimal(8), "volume": dice.whole(1, 6)}
    life.write(at, "stored", bay, size=life.size, **values)
    if acknowledge:
        if dice.chance(SLOW_BAY):
            at = _send_again(life, bay, at, attempts=1 + dice.chance(0.3))
        at += dice.lapse(0.014, 0.01)
        life.write(at, "acknowledged", life.gateway, bay=bay, ms=int(1000 * (at - begin)))
    return at


def _send_again(life: Life, bay: str, at: float, *, attempts: int) -> float:
    for attempt in range(1, attempts + 1):
        at += life.dice.lapse(0.3, 0.2)
        life.write(at, "slow", life.gateway, bay=bay, attempt=attempt)
        at += life.dice.lapse(0.014, 0.02)
        life.write(at, "duplicate", bay)
    return at


def _reset(life: Life, bay: str, at: float) -> float:
    at += life.dice.lapse(0.014, 0.02)
    life.write(at, "reset", life.gateway, bay=bay, line=life.dice.pick((141, 156)))
    at += life.dice.lapse(0.2, 0.1)
    life.write(at, "resumed", life.gateway, bay=bay, offset=life.dice.whole(0, life.size))
    return at + life.dice.lapse(0.02, 0.1)


def _replace(life: Life, bay: str, at: float) -> tuple[str, float]:
    """Let a full bay decline and the coordinator find another."""
    dice = life.dice
    other = dice.pick([name for name in BAYS if name not in life.bays])
    life.write(at, "declined", bay, volume=dice.whole(1, 6), percent=dice.whole(95, 98))
    at += dice.lapse(0.014, 0.02)
    life.write(at, "replaced", life.coordinator, bay=bay, other=other)
    life.bays[life.bays.index(bay)] = other
    return other, at + dice.lapse(0.014, 0.02)


def _seal(life: Life, at: float) -> float:
    dice = life.dice
    at += dice.lapse(0.014, 0.01)
    life.write(at, "sealed", life.coordinator, replicas=max(len(life.bays), 1), generation=dice.whole(1, 9_999))
    at += dice.lapse(0.014, 0.01)
    life.write(at, "answered", life.gateway, ms=int(1000 * (at - life.start)))
    return at


def _abort(life: Life, at: float) -> None:
    """Let the client go away in the middle of it; what was begun is cleaned up."""
    dice = life.dice
    at = _place(life, at)
    life.write(at, "opened", life.gateway, hops=REPLICAS)
    for bay in life.bays:
        life.write(
            at + dice.lapse(0.002, 0.02), "taking", bay, peer=f"{ADDRESSES[life.gateway]}:{dice.whole(40_000, 49_999)}"
        )
    at += dice.lapse(0.4, 0.4)
    life.write(at, "aborted", life.gateway, client=dice.address())
    at += dice.lapse(0.014, 0.02)
    life.write(at, "abandoned", life.coordinator, replicas=REPLICAS)
    _erase(life, at)


def _use(life: Life, at: float) -> float:
    """Read a sealed slab, and audit, move or copy it, some of it at the same time."""
    dice, mix = life.dice, life.mix
    span = dice.lapse(2.0, 25.0)
    ends = [at + span]
    ends += [_read(life, at + span * dice.fraction()) for _ in range(dice.weighted(mix.reads))]
    upkeep = dice.fraction()  # at most one of these happens to a slab; what is left of 1 is none of them
    if upkeep < mix.renewal:
        life.write(at + span * dice.fraction(), "renewed", life.coordinator, lease=dice.pick((60, 120, 300)))
    elif upkeep < mix.renewal + mix.copied:
        life.copied_at.append(at + span * dice.fraction())
    elif life.bays and upkeep < mix.renewal + mix.copied + mix.audit:
        ends.append(_audit(life, at + span * dice.fraction()))
    elif life.bays and upkeep < mix.renewal + mix.copied + mix.audit + mix.move:
        ends.append(_move(life, max(ends) + dice.lapse(0.5, 2.0)))
    return max(ends) + dice.lapse(0.1, 1.0)


def _read(life: Life, at: float) -> float:
    dice = life.dice
    begin, gateway = at, dice.pick(GATEWAYS)
    first = dice.whole(0, life.size // 2)
    last = dice.whole(first, life.size)
    life.write(at, "get", gateway, first=first, last=last, client=dice.address())
    at += dice.lapse(0.014, 0.01)
    if dice.chance(CACHED) or not life.bays:
        life.write(at, "cached", gateway, age=int(at - life.start))
    else:
        bay = dice.pick(life.bays)
        life.write(at, "serving", bay, peer=f"{ADDRESSES[gateway]}:{dice.whole(40_000, 49_999)}")
        if dice.chance(MISMATCH):
            at = _repair(life, bay, at)
    at += dice.lapse(0.014, 0.08)
    life.write(at, "served", gateway, size=last - first, ms=int(1000 * (at - begin)))
    return at


def _repair(life: Life, bay: str, at: float) -> float:
    dice = life.dice
    at += dice.lapse(0.005, 0.02)
    digests = {"expected": dice.hexadecimal(16), "found": dice.hexadecimal(16)}
    offset = dice.whole(0, life.size)
    life.write(at, "mismatch", bay, offset=offset, line=dice.pick((203, 217)), **digests)
    at += dice.lapse(0.1, 0.2)
    life.write(
        at, "repaired", bay, bay=dice.pick([name for name in life.bays if name != bay]), size=min(65_536, life.size)
    )
    return at


def _audit(life: Life, at: float) -> float:
    dice = life.dice
    auditor = COORDINATORS[1]
    life.write(at, "audit", auditor, round=dice.whole(100, 160))
    if dice.chance(BUSY):
        wait = dice.whole(1, 5)
        life.write(at + 0.002, "busy", auditor, bay=dice.pick(life.bays), seconds=wait)
        at += wait
    at += dice.lapse(0.014, 0.02)
    ends = []
    for bay in life.bays:
        begin = at + dice.lapse(0.002, 0.05)
        if life.course.updated(bay, begin):
            life.write(begin, WARMED, bay)
        end = begin + dice.lapse(0.02, 0.2)
        life.write(end, "digest", bay, digest=dice.hexadecimal(16), ms=int(1000 * (end - begin)))
        ends.append(end)
    at = max(ends) + dice.lapse(0.014, 0.02)
    life.write(at, "passed", auditor, replicas=len(life.bays))
    return at


def _move(life: Life, at: float) -> float:
    """Let the balancer move a replica from a full bay to an empty one."""
    dice = life.dice
    bay = dice.pick(life.bays)
    other = dice.pick([name for name in BAYS if name not in life.bays])
    levels = {"percent": dice.whole(70, 90), "less": dice.whole(20, 50)}
    life.write(at, "moving", COORDINATORS[1], bay=bay, other=other, **levels)
    at = _store(life, other, at + dice.lapse(0.014, 0.03), acknowledge=False) + dice.lapse(0.014, 0.02)
    life.write(at, "moved", life.coordinator, other=other)
    at += dice.lapse(0.02, 0.1)
    life.write(at, "dropped", bay, size=life.size, volume=dice.whole(1, 6))
    life.bays[life.bays.index(bay)] = other
    return at


def _release(life: Life, at: float) -> None:
    life.write(at, "released", life.coordinator, replicas=max(len(life.bays), 1))


def _reclaim(life: Life, at: float) -> None:
    grace = life.dice.whole(0, 3)
    life.write(at, "deleted", life.coordinator, tenant=life.tenant, grace=grace)
    _erase(life, at + grace + life.dice.lapse(0.05, 0.3))


def _erase(life: Life, at: float) -> None:
    dice = life.dice
    ends = [at]
    for bay in life.bays:
        end = at + dice.lapse(0.014, 0.3)
        file = f"/srv/quarry/v{dice.whole(1, 6)}/{life.slab[5:7]}/{life.slab[7:9]}/{life.slab[5:]}.slab"
        life.write(end, "erased", bay, file=file)
        ends.append(end)
    at = max(ends) + dice.lapse(0.014, 0.05)
    life.write(at, "forgotten", life.coordinator, age=int(at - life.start), replicas=len(life.bays))
