"""The word model: a transparent list of words and rules, and the texts that training showed to be routine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

from logbert.detectors.words.judging import Evidence, Judgement, judge
from logbert.detectors.words.lexicon import Lexicon
from logbert.detectors.words.reading import VALUE, is_stop, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Tone = Literal["failure", "neutral", "routine"]


class Words:
    """Judges what a message's text and level say.

    It works for English, of any system: kernels, Java, Python, databases, networks. It knows words, not meaning: where
    a system words its failures like its routine, or in another language, it has nothing to say (a badness near 0).

    A text that is but a variant of one known to be routine is judged by how much worse it is than that one: if "Error
    loading <*>: no such file" is an everyday message, "Error loading <*>: permission denied" is hardly news.

    Parameters
    ----------
    lexicon
        The word list; the English one by default.

    Examples
    --------
    >>> words = Words()
    >>> for text in ("Kernel panic - not syncing", "0 errors found", "node_failed: ConnectionRefused", "timeout = 3"):
    ...     judgement = words.judge(text)
    ...     print(f"{judgement.badness:+.1f} {words.tone(judgement)}")
    +4.0 failure
    -1.0 routine
    +3.8 failure
    +0.2 neutral
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self.lexicon = lexicon or Lexicon.english()
        self.routines: tuple[str, ...] = ()
        self._known: list[tuple[frozenset[str], float, str]] = []

    def learn(self, texts: Iterable[str]) -> Self:
        """Take the texts of training as routine, whatever they say."""
        self.routines = tuple(sorted(set(texts)))
        self._known = [(_vocabulary(text), judge(text, self.lexicon).badness, text) for text in self.routines]
        return self

    def judge(self, text: str, level: str | None = None) -> Judgement:
        """Weigh a text and, if there is one, the level its record was written with."""
        judgement = judge(text, self.lexicon)
        extra = [piece for piece in (self._of_level(level), self._of_kin(text)) if piece is not None]
        badness = judgement.badness + sum(piece.weight for piece in extra)
        return replace(judgement, badness=badness, evidence=(*judgement.evidence, *extra))

    def tone(self, judgement: Judgement) -> Tone:
        """Say what a judgement amounts to by the bounds of the word list."""
        bounds = self.lexicon.tables["combine"]
        if judgement.badness >= bounds["failure"]:
            return "failure"
        return "routine" if judgement.badness <= bounds["routine"] else "neutral"

    def _of_level(self, level: str | None) -> Evidence | None:
        name = (level or "").strip()
        weight = float(self.lexicon.tables["levels"].get(name.lower(), 0.0))
        return Evidence(f"level {name}", "level", weight) if weight else None

    def _of_kin(self, text: str) -> Evidence | None:
        """Give what the routine text most like this one excuses, if there is one like it."""
        mine = _vocabulary(text)
        least = self.lexicon.tables["kinship"]["least"]
        best = max(((_likeness(mine, theirs), badness, kin) for theirs, badness, kin in self._known), default=None)
        if best is None or best[0] < least or best[1] <= 0:
            return None
        return Evidence(f"routinely {best[2]!r}", "routine text", -best[0] * best[1])

    def state(self) -> dict[str, Any]:
        """Give the word list and the routine texts, as plain data."""
        tables = {name: dict(table) for name, table in self.lexicon.tables.items()}
        return {"lexicon": tables, "routines": list(self.routines)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Make the model again from what `state` gave."""
        return cls(Lexicon(state["lexicon"])).learn(state["routines"])


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if word != VALUE and not is_stop(word))


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    """Give the share of their words that two texts have in common (Dice)."""
    return 2.0 * len(some & others) / max(len(some) + len(others), 1)
