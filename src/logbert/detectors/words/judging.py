"""Whether a text speaks of failure or of routine: evidence word by word, turned round by negation, added up.

The rules are those a reader follows without thinking. A failure that is denied ("no errors") or put right ("detected
and corrected") is none; a routine that is denied ("not ready", "failed to start") is a failure; one that is merely
talked about ("error handler installed", "timeout set to 30 s") says little. Their weights are in the word list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.detectors.words.reading import VALUE, is_stop, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.detectors.words.lexicon import Lexicon

_FIELD = re.compile(r"\.{3,}\s*(?:<[^<>\s]*>|\w+)\s*(?:\([^()]*\))?\s*$")  # dots lead from a name to its value
COUNTABLE = (
    "with",
    "and",
    "has",
    "had",
    "have",
    "found",
    "is",
    "was",
    "are",
    "were",
    "total",
    "of",
    "but",
    "got",
    "saw",
)


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence: the words, the pattern they fit, and what they weigh (above zero is failure)."""

    words: str
    pattern: str
    weight: float


@dataclass(frozen=True)
class Judgement:
    """What a text says.

    Attributes
    ----------
    badness
        Above zero it speaks of failure, below of routine; natural logarithm of odds.
    evidence
        What made it so, the weightiest first.
    """

    badness: float
    evidence: tuple[Evidence, ...]

    @property
    def words(self) -> str:
        """The words that weigh most in the direction of the judgement, for a reason's text."""
        return ", ".join(piece.words for piece in self.evidence if piece.weight * self.badness > 0)


@dataclass
class _Term:
    """A pattern found in a text."""

    begin: int
    end: int
    pattern: str
    weight: float  # as it stands in the list; above zero is failure
    share: float = 1.0


def judge(text: str, lexicon: Lexicon) -> Judgement:
    """Weigh the words of a text."""
    words = words_of(text)
    terms = _terms(words, lexicon)
    _mark_subjects(words, terms, lexicon)
    if _FIELD.search(text):
        _mark_all(terms, lexicon.tables["subject"]["field_share"])
    _apply_negation(words, terms, lexicon)
    _deny_routine(words, terms, lexicon)
    _spoil_activities(terms, lexicon)
    evidence = sorted(
        (
            Evidence(" ".join(words[term.begin : term.end]), term.pattern, term.weight * term.share)
            for term in terms
            if term.share and term.weight
        ),
        key=lambda piece: (-abs(piece.weight), piece.words),
    )
    return Judgement(_total(evidence, lexicon), tuple(evidence))


def _terms(words: Sequence[str], lexicon: Lexicon) -> list[_Term]:
    """Find all patterns, left to right, the longest at each place."""
    failure, good = lexicon.tables["failure"], {**lexicon.tables["activity"], **lexicon.tables["routine"]}
    found: list[_Term] = []
    place = 0
    while place < len(words):
        match = lexicon.evidence.match(words, place)
        if match is None:
            place += 1
            continue
        pattern, length = match
        weight = failure[pattern] if pattern in failure else -good[pattern]
        found.append(_Term(place, place + length, pattern, float(weight)))
        place += length
    return found


def _mark_subjects(words: Sequence[str], terms: list[_Term], lexicon: Lexicon) -> None:
    """Take weight from failures that are talked about rather than reported."""
    rules = lexicon.tables["subject"]
    for term in terms:
        if term.weight <= 0:
            continue
        after = term.end < len(words) and lexicon.subjects.match(words, term.end)
        if after or _preceded(words, term.begin, lexicon):
            term.share = rules["share"]
        if lexicon.settings.match(words, term.begin) and _is_set(words, term.end):
            term.share = rules["setting_share"]
        if term.share == 1.0 and _is_counted(words, term):
            term.share = rules["counted_share"]


def _mark_all(terms: list[_Term], share: float) -> None:
    for term in terms:
        term.share = min(term.share, share)


def _preceded(words: Sequence[str], begin: int, lexicon: Lexicon) -> bool:
    """Say whether one of the words (or pairs of words) right before makes the failure a subject."""
    for start in range(max(begin - 3, 0), begin):
        match = lexicon.subjects_before.match(words, start)
        if match and start + match[1] == begin:
            return True
    return False


def _is_set(words: Sequence[str], end: int) -> bool:
    """Say whether a value is given to what stands before: "= <*>", ": <*>", "set to", "of <*>", "<*>"."""
    ahead = [word for word in words[end : end + 5] if word not in {"is", "was", "value", "interval", "period"}][:2]
    if not ahead:
        return False
    if ahead[0] in {"=", ":", "of", "to"}:
        return len(ahead) > 1 and (ahead[1] in {VALUE, "0"})
    return ahead[0] in {VALUE, "set", "changed", "configured", "0"}


def _is_counted(words: Sequence[str], term: _Term) -> bool:
    """Say whether a value counts the failures, which may well be none: "<*> errors", "failures: <*>"."""
    if not words[term.end - 1].endswith("s") or words[term.end - 1].endswith("ss"):
        return False
    before = words[term.begin - 1] if term.begin else ""
    after = [word for word in words[term.end : term.end + 2] if word not in {":", "="}][:1]
    return VALUE in {before, *after}


def _apply_negation(words: Sequence[str], terms: list[_Term], lexicon: Lexicon) -> None:
    """Turn round the first term after each negation, and a count that is 0."""
    rules = lexicon.tables["negation"]
    covered = {place for term in terms for place in range(term.begin, term.end)}
    for place, word in enumerate(words):
        if word not in rules["words"] or place in covered:
            continue
        if word == "0" and not _counts(words, place):
            _deny_count_before(words, terms, place, rules["good"])
            continue
        term = _next_term(words, terms, place + 1, rules["reach"])
        if term is not None and (word != "0" or term.weight > 0):
            _turn(term, rules["good"], rules["bad"])
        elif word == "0":
            _deny_count_before(words, terms, place, rules["good"])


def _turn(term: _Term, good: float, bad: float) -> None:
    term.weight = -min(good, term.weight) if term.weight > 0 else min(bad, -2.0 * term.weight)
    term.share = 1.0


def _counts(words: Sequence[str], place: int) -> bool:
    """Say whether a 0 counts what follows ("with 0 errors") rather than numbers what is before it ("CPU 0 error")."""
    return place == 0 or is_stop(words[place - 1]) or words[place - 1] in COUNTABLE


def _deny_count_before(words: Sequence[str], terms: list[_Term], place: int, good: float) -> None:
    """Deny "errors: 0" and "failed = 0"."""
    before = place - 1
    while before >= 0 and words[before] in {":", "=", "count", "is", "was"}:
        before -= 1
    for term in terms:
        if term.end == before + 1 and term.weight > 0:
            term.weight, term.share = -min(good, term.weight), 1.0


def _next_term(words: Sequence[str], terms: list[_Term], begin: int, reach: int) -> _Term | None:
    """Give the first term that begins within reach, if no stop stands between."""
    for term in terms:
        if term.begin >= begin:
            near = term.begin - begin < reach and not any(is_stop(word) for word in words[begin : term.begin])
            return term if near else None
    return None


def _deny_routine(words: Sequence[str], terms: list[_Term], lexicon: Lexicon) -> None:
    """Drop routine that failed: "failed to start", "unable to recover", "recovery failed"."""
    reach = lexicon.tables["negation"]["reach"]
    for term in terms:
        if term.weight <= 0 or not lexicon.deniers.match(words, term.begin):
            continue
        for other in terms:
            between = words[term.end : other.begin] if other.begin >= term.end else words[other.end : term.begin]
            if other.weight < 0 and len(between) <= reach and not any(is_stop(word) for word in between):
                other.share = 0.0


def _spoil_activities(terms: list[_Term], lexicon: Lexicon) -> None:
    """Drop activities from a text that has a failure in it."""
    failure = max((term.weight * term.share for term in terms), default=0.0)
    if failure >= lexicon.tables["combine"]["spoils"]:
        for term in terms:
            if term.weight < 0 and term.pattern in lexicon.tables["activity"]:
                term.share = 0.0


def _total(evidence: Sequence[Evidence], lexicon: Lexicon) -> float:
    """Add up failure less routine; each further piece of evidence counts less, and the same pattern only once."""
    fading = lexicon.tables["combine"]["fading"]
    sides = {True: 0.0, False: 0.0}
    seen: set[tuple[bool, str]] = set()
    counted = {True: 0, False: 0}
    for piece in evidence:
        side = piece.weight > 0
        if (side, piece.pattern) not in seen:
            seen.add((side, piece.pattern))
            sides[side] += piece.weight * fading ** counted[side]
            counted[side] += 1
    return sides[True] + sides[False]
