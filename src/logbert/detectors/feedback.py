"""What people said about incidents: answers attach to a cause, and change the verdicts of that cause only.

The cause of an incident is what its verdicts have in common: a set of new keys, or one kind of oddity of one key. "That
is normal" makes those keys, or that oddity of that key, known. "That is an anomaly" makes every sequence with all of
those keys, or with that oddity, an anomaly from now on; if some of the keys turn out to be normal, it was the others.
Nothing is retrained, and an answer can be taken back.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from logbert.detectors.base import Reason

NEW_KEYS = "new keys"  # the kind of cause that is a set of keys


@dataclass(frozen=True, order=True)
class Cause:
    """What verdicts have in common.

    Attributes
    ----------
    kind
        `NEW_KEYS`, or the kind of the worst reason ("missing key", "unseen counts", ...).
    keys
        The new keys, ascending; or the one key the reason is about, if it is about one.
    """

    kind: str
    keys: tuple[int, ...] = ()

    @classmethod
    def of_new_keys(cls, keys: Iterable[int]) -> Self:
        """Name the cause that is this set of keys."""
        return cls(NEW_KEYS, tuple(sorted(set(keys))))


def cause_of(reason: Reason) -> Cause:
    """Name the cause that a verdict's worst reason stands for."""
    keys = () if reason.subject is None else (reason.subject,)
    return Cause.of_new_keys(keys) if reason.kind == "unseen key" else Cause(reason.kind, keys)


def causes_of(reasons: Sequence[Reason]) -> list[Cause]:
    """Name what a single detector's verdict stands on: its worst reason, and every key it never saw, worst first.

    An answer about one of them says nothing of the others. Verdicts without reasons have their score as cause.
    """
    causes = [cause_of(reason) for place, reason in enumerate(reasons) if not place or reason.kind == "unseen key"]
    return causes or [Cause("high score")]


@dataclass(frozen=True)
class Answer:
    """What somebody said about a cause.

    Attributes
    ----------
    cause
        What it is about.
    normal
        Whether it is normal; otherwise it is an anomaly.
    beside
        Other new keys of the sequence that was asked about: if the sequence is normal, so are they.
    who, when, why
        As given; kept for those who come later.
    """

    cause: Cause
    normal: bool
    beside: tuple[int, ...] = ()
    who: str = ""
    when: str = ""
    why: str = ""


class Feedback:
    """The answers given so far. The last answer about a cause counts.

    Examples
    --------
    >>> feedback = Feedback()
    >>> feedback.answer(Cause.of_new_keys([7, 9]), normal=False, who="op", why="disk replaced")
    >>> feedback.convicted({7, 8, 9}), feedback.convicted({7})
    (Cause(kind='new keys', keys=(7, 9)), None)
    >>> feedback.answer(Cause.of_new_keys([7]), normal=True)
    >>> sorted(feedback.cleared_keys), feedback.convicted({8, 9})
    ([7], Cause(kind='new keys', keys=(7, 9)))
    >>> feedback.undo(Cause.of_new_keys([7, 9])), feedback.convicted({7, 8, 9})
    (True, None)
    """

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._answers: dict[Cause, Answer] = {}
        for answer in answers:
            self._answers.pop(answer.cause, None)
            self._answers[answer.cause] = answer
        self._settle()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers that count, oldest first."""
        return tuple(self._answers.values())

    def answer(
        self,
        cause: Cause,
        *,
        normal: bool,
        beside: Iterable[int] = (),
        who: str = "",
        when: str = "",
        why: str = "",
    ) -> None:
        """Take an answer; it replaces an earlier one about the same cause."""
        self._answers.pop(cause, None)
        self._answers[cause] = Answer(cause, normal, tuple(sorted(set(beside))), who, when, why)
        self._settle()

    def undo(self, cause: Cause) -> bool:
        """Take the answer about a cause back; say whether there was one."""
        found = self._answers.pop(cause, None) is not None
        self._settle()
        return found

    def _settle(self) -> None:
        self.cleared_keys: frozenset[int] = frozenset(
            key
            for answer in self._answers.values()
            if answer.normal and answer.cause.kind == NEW_KEYS
            for key in (*answer.cause.keys, *answer.beside)
        )
        blamed = [answer.cause for answer in self._answers.values() if not answer.normal]
        sets = [(cause, frozenset(cause.keys) - self.cleared_keys) for cause in blamed if cause.kind == NEW_KEYS]
        self._convicted = sorted((found for found in sets if found[1]), key=lambda found: (len(found[1]), found[0]))

    def is_cleared(self, cause: Cause) -> bool:
        """Say whether a cause was called normal."""
        if cause.kind == NEW_KEYS:
            return self.cleared_keys.issuperset(cause.keys)
        answer = self._answers.get(cause)
        return answer is not None and answer.normal

    def is_convicted(self, cause: Cause) -> bool:
        """Say whether a cause was called an anomaly."""
        answer = self._answers.get(cause)
        return answer is not None and not answer.normal

    def standing(self, causes: Iterable[Cause]) -> Cause | None:
        """Give the first cause that was not called normal."""
        return next((cause for cause in causes if not self.is_cleared(cause)), None)

    def convicted(self, new_keys: Iterable[int]) -> Cause | None:
        """Give the smallest set of new keys that was called an anomaly and is wholly among these."""
        present = frozenset(new_keys)
        return next((cause for cause, keys in self._convicted if keys <= present), None)

    def state(self) -> list[dict[str, Any]]:
        """Give the answers as plain data for JSON."""
        return [asdict(answer) for answer in self._answers.values()]

    @classmethod
    def from_state(cls, state: Iterable[dict[str, Any]]) -> Self:
        """Take back what `state` gave."""
        return cls(
            Answer(
                cause=Cause(entry["cause"]["kind"], tuple(entry["cause"]["keys"])),
                normal=entry["normal"],
                beside=tuple(entry["beside"]),
                who=entry["who"],
                when=entry["when"],
                why=entry["why"],
            )
            for entry in state
        )
