"""What people said about incidents, kept with the model: who, when, why; listed, undone, applied to the next log.

Keys of templates that training never saw are numbered anew in every log, so an answer is kept under the words of its
incident and finds its keys again by them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from logbert.detectors.feedback import Cause, Feedback
from logbert.errors import ModelError, OptionError
from logbert.pipeline.incidents import NEW, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterable

WILDCARD = "<*>"


@dataclass(frozen=True)
class Answer:
    """One answer about one incident."""

    trouble: Trouble
    normal: bool
    who: str = ""
    when: str = ""
    why: str = ""

    @property
    def verdict(self) -> str:
        """The answer in a word."""
        return "normal" if self.normal else "anomaly"


class Answers:
    """The answers given so far; the last about an incident counts.

    Examples
    --------
    >>> answers = Answers()
    >>> answers.give(Answer(Trouble("unseen key", "Index of <*> warmed"), normal=True, who="ana", why="new release"))
    >>> feedback = answers.feedback({3: "Index of <*> warmed", 4: "Disk failed"})
    >>> feedback.cleared_keys
    frozenset({3})
    """

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._answers = {answer.trouble: answer for answer in answers}

    def __iter__(self) -> Any:
        """Go through the answers, oldest first."""
        return iter(self._answers.values())

    def __len__(self) -> int:
        """Count the answers."""
        return len(self._answers)

    def give(self, answer: Answer) -> None:
        """Take an answer; it replaces an earlier one about the same incident."""
        self._answers.pop(answer.trouble, None)
        self._answers[answer.trouble] = answer

    def undo(self, incident: str) -> Answer:
        """Take the answer about an incident back; as much of its id as is unambiguous is enough."""
        matching = [trouble for trouble in self._answers if incident and trouble.id.startswith(incident)]
        if len(matching) == 1:
            return self._answers.pop(matching[0])
        what = (
            f"{len(matching)} answers are about incidents that begin with" if matching else "nobody has answered about"
        )
        raise OptionError(f"{what} {incident!r}; `logbert feedback MODEL` lists the answers")

    def feedback(self, names: dict[int, str]) -> Feedback:
        """Give the answers as the detectors understand them, for the keys of one log."""
        feedback = Feedback()
        for answer in self._answers.values():
            for cause in _causes(answer.trouble, names):
                feedback.answer(cause, normal=answer.normal, who=answer.who, when=answer.when, why=answer.why)
        return feedback

    def state(self) -> list[dict[str, Any]]:
        """Give the answers as plain data for JSON."""
        return [asdict(answer) for answer in self._answers.values()]

    @classmethod
    def from_state(cls, state: object) -> Answers:
        """Take back what `state` gave."""
        try:
            entries = [dict(entry) for entry in state]  # type: ignore[attr-defined]
            return cls(Answer(**{**entry, "trouble": Trouble(**entry["trouble"])}) for entry in entries)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the model's answers are damaged: {error!r}; restore or remove them") from error


def _causes(trouble: Trouble, names: dict[int, str]) -> list[Cause]:
    """Find the causes an answer is about, among the keys of one log."""
    if trouble.template is None:
        return [Cause(trouble.kind)]
    keys = [key for key, name in names.items() if _is_the_same(trouble.template, name)]
    if trouble.kind == NEW:
        return [Cause.of_new_keys([key]) for key in keys]
    return [Cause(trouble.kind, (key,)) for key in keys]


def _is_the_same(answered: str, name: str) -> bool:
    """Say whether two templates are one: alike word for word, but for words that one of them has a wildcard for.

    A new template's wildcards depend on which of its messages a log happens to hold.
    """
    if answered == name:
        return True
    ours, theirs = answered.split(), name.split()
    return len(ours) == len(theirs) and all(
        mine == other or WILDCARD in mine or WILDCARD in other for mine, other in zip(ours, theirs, strict=True)
    )
