"""What changes over the watch period without anything being wrong."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, Self

from logbert.simulator.store import BAYS, Event

if TYPE_CHECKING:
    from logbert.simulator.dice import Dice

Drift = Literal["none", "mix", "new message", "both"]
DRIFTS: tuple[Drift, ...] = ("none", "mix", "new message", "both")

ROLLOUT = (0.65, 0.9)  # shares of the watch period between which the bays are updated one after the other

RESTARTING = Event("restarting", "INFO", "node.Agent", "main", "Handing over to release {release}")
RESTARTED = Event(
    "restarted", "INFO", "node.Agent", "main", "Release {release} is up after {ms} ms, {count} volumes mounted"
)
TIERING = Event("tiering", "INFO", "bay.Tiering", "tier", "Tiering sweep: {count} slabs warm, {less} cold, {ms} ms")
WARMED = Event("warmed", "INFO", "bay.Disk", "digest-", "Index page of {slab} warmed for its digest")


@dataclass(frozen=True)
class Mix:
    """What sessions do, and how often.

    Attributes
    ----------
    reads
        Weights of 0, 1, 2, ... reads.
    journalled, audit, move, renewal, copied, deletion
        Shares of sessions: too small for a bay, audited, moved, with the lease renewed, copied, deleted in the end.
    size
        The median size of an object, in bytes.
    """

    reads: tuple[float, ...] = (0.46, 0.30, 0.15, 0.07, 0.02)
    journalled: float = 0.06
    audit: float = 0.06
    move: float = 0.07
    renewal: float = 0.10
    copied: float = 0.025
    deletion: float = 0.40
    size: float = 2.0e6

    def towards(self, other: Mix, share: float) -> Mix:
        """Give the mix that lies `share` of the way from this one to `other`.

        Examples
        --------
        >>> round(Mix(audit=0.1).towards(Mix(audit=0.2), 0.5).audit, 3)
        0.15
        """
        reads = tuple(mine + (theirs - mine) * share for mine, theirs in zip(self.reads, other.reads, strict=True))
        numbers = {
            field.name: getattr(self, field.name) + (getattr(other, field.name) - getattr(self, field.name)) * share
            for field in fields(self)
            if field.name != "reads"
        }
        return Mix(reads=reads, **numbers)


USUAL = Mix()
LATER = Mix(reads=(0.36, 0.32, 0.19, 0.10, 0.03), journalled=0.08, move=0.05, renewal=0.14, deletion=0.48, size=3.4e6)


@dataclass(frozen=True)
class Course:
    """How things change from the beginning of a period to its end.

    Attributes
    ----------
    seconds
        How long the period is.
    end
        The mix of operations that is reached at its end.
    updates
        When each bay gets the new release; a bay that is not in it keeps the old one.
    """

    seconds: float
    end: Mix
    updates: dict[str, float]

    @classmethod
    def steady(cls, seconds: float) -> Self:
        """Give a period in which nothing changes."""
        return cls(seconds, USUAL, {})

    @classmethod
    def drifting(cls, seconds: float, drift: Drift, dice: Dice) -> Self:
        """Give a period with the drift that was asked for."""
        updates = {}
        if drift in {"new message", "both"}:
            first, last = (share * seconds for share in ROLLOUT)
            gap = (last - first) / len(BAYS)
            updates = {
                bay: first + gap * (turn + dice.fraction()) for turn, bay in enumerate(dice.some(BAYS, len(BAYS)))
            }
        return cls(seconds, LATER if drift in {"mix", "both"} else USUAL, updates)

    def mix(self, at: float) -> Mix:
        """Give the mix of operations at a time."""
        return USUAL if self.end is USUAL else USUAL.towards(self.end, min(at / self.seconds, 1.0))

    def updated(self, bay: str, at: float) -> bool:
        """Say whether a bay runs the new release by then."""
        return at >= self.updates.get(bay, float("inf"))
