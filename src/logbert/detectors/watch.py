"""Verdicts over time: how novelty ages, and what feedback changes.

A detector's score depends on nothing but the sequence. What has been reported before is another matter, and it is
settled here, as a stated function of the sequences in the order in which they come:

* A new key that speaks of failure is reported in every sequence, and never becomes known by itself.
* A new key that says nothing either way, or has no text, is reported in the first `patience` sequences it is in. After
  that it is known by itself.
* A new key that speaks of routine is not reported, however new.
* Where no key has a text there is nothing to read, and every new key is reported every time.
* An oddity of known keys (a set, a count, an order, a surprise) is reported in every sequence if these are sessions. In
  windows of a fixed number of records, the same oddity of the same key is reported `patience` times.
* A value outside its range, a new value, a slow step is one oddity of its key: reported like those.
* What feedback called normal is not reported, and what it called an anomaly is reported always.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from logbert.detectors.corpus import Corpus, Scores, SequencesLike
from logbert.detectors.feedback import NEW_KEYS, Cause, Feedback
from logbert.detectors.fusion import subset
from logbert.detectors.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from logbert.detectors.base import Reason
    from logbert.detectors.fusion import Fusion
    from logbert.detectors.measured import RowFindings

PATIENCE = 3
BELOW = float(np.nextafter(1.0, 0.0))  # the highest score that is no anomaly


@dataclass(frozen=True, eq=False)
class Watched:
    """The verdicts of some sequences, one entry a sequence.

    Attributes
    ----------
    scores
        Scores with what is known by now left out; 1.0 and above is anomalous.
    causes
        What made it anomalous; None for those that are not.
    beside
        The other new keys of an anomalous sequence, which an answer "normal" clears too.
    reasons
        Why sequences are odd, of all that are without regard to what is known by now; by their keys, as bytes.
    """

    scores: Scores
    causes: list[Cause | None]
    beside: list[tuple[int, ...]]
    reasons: dict[bytes, list[Reason]]

    @property
    def anomalous(self) -> npt.NDArray[np.bool_]:
        """Which sequences are anomalous."""
        return self.scores >= 1.0


class Watch:
    """Judges sequences in the order in which they come, and remembers what it has reported.

    Parameters
    ----------
    fusion
        The fitted detector.
    feedback
        Answers so far; they may be added to at any time.
    patience
        In how many sequences something that is new, but says nothing of failure, is reported.

    Examples
    --------
    >>> from logbert.detectors.fusion import Fusion
    >>> from logbert.detectors.key_texts import KeyTexts
    >>> texts = KeyTexts({5: "Receiving block <*>", 6: "Moving block <*>", 7: "Disk failed: <*>"})
    >>> fusion = Fusion(members=("novelty",)).read(texts).fit([[5], [5, 5]] * 40)
    >>> watch = Watch(fusion, patience=2)
    >>> watch.judge([[5, 6], [5, 7], [5, 6], [5, 6], [5, 7]]).anomalous.tolist()
    [True, True, True, False, True]
    >>> watch.feedback.answer(Cause.of_new_keys([7]), normal=True)
    >>> watch.judge([[5, 7]]).anomalous.tolist()
    [False]
    """

    def __init__(self, fusion: Fusion, feedback: Feedback | None = None, *, patience: int = PATIENCE) -> None:
        self.fusion = fusion
        self.feedback = Feedback() if feedback is None else feedback
        self.patience = patience
        self._seen: Counter[int] = Counter()
        self._reported: Counter[Cause] = Counter()

    def judge(self, sequences: SequencesLike, measured: RowFindings | None = None) -> Watched:
        """Judge sequences, oldest first; the next call goes on where this one ended.

        `measured` is what is odd about their rows beside their keys, in the same order.
        """
        corpus = Corpus.of(sequences)
        beside_keys = {} if measured is None else measured.by_row()
        new_keys = self._new_keys(corpus)
        novel, whole = self._scores(corpus)
        changed = np.array([bool(keys) for keys in new_keys], dtype=np.bool_)
        left = whole.copy()  # what the scores are once the new keys are known
        left[changed] = self._scores(self.fusion.without_new_keys(subset(corpus, np.flatnonzero(changed))))[1]
        as_they_are = np.flatnonzero(whole >= 1.0)
        reasons = self.fusion.explain_all(subset(corpus, as_they_are))
        once_known = np.flatnonzero(changed & (left >= 1.0))
        others = self.fusion.explain_all(subset(self.fusion.without_new_keys(corpus), once_known))
        oddities = {False: _oddities(as_they_are, reasons), True: _oddities(once_known, others)}
        scores = whole[corpus.inverse]
        causes: list[Cause | None] = [None] * corpus.rows
        beside: list[tuple[int, ...]] = [()] * corpus.rows
        judged = (changed | (whole >= 1.0))[corpus.inverse]
        judged[list(beside_keys)] = True
        for row in np.flatnonzero(judged).tolist():
            place = int(corpus.inverse[row])
            keys = new_keys[place] - self.feedback.cleared_keys
            cause = self._cause_among(keys, loud=bool(novel[place] >= 1.0))
            settled = bool(new_keys[place]) and all(self._is_known_by_now(key) for key in keys)
            score = float((left if settled else whole)[place])
            if cause is not None:
                score = max(score, float(novel[place]), 1.0)
                beside[row] = tuple(sorted(keys - set(cause.keys)))
            elif score >= 1.0:
                cause = self._report(oddities[settled][place])
                score = score if cause else BELOW
            odd, odd_score = self._report_first(beside_keys.get(row, ()))
            if odd is not None and (cause is None or (cause.kind != NEW_KEYS and odd_score > score)):
                cause = odd
            scores[row], causes[row] = max(score, odd_score), cause
        told = {corpus[place].tobytes(): found for place, found in zip(as_they_are.tolist(), reasons, strict=True)}
        return Watched(scores, causes, beside, told)

    def _scores(self, corpus: Corpus) -> tuple[Scores, Scores]:
        """Score each distinct sequence by its new keys, and by all else."""
        evidence = {name: values / self.fusion.boundary for name, values in self.fusion.evidence(corpus).items()}
        novel = evidence.pop(NEW_KEYS)
        rest: Scores = np.max(np.stack(list(evidence.values())), axis=0)
        return novel, rest

    def _new_keys(self, corpus: Corpus) -> list[frozenset[int]]:
        """Give the new keys of each distinct sequence."""
        tally = Tally.of(corpus)
        new = self.fusion.new_keys.unseen(tally)
        found: list[frozenset[int]] = [frozenset()] * len(corpus)
        owners, keys = tally.owners[new], tally.keys[new]
        for place in np.unique(owners).tolist():
            begin, end = np.searchsorted(owners, [place, place + 1])
            found[place] = frozenset(keys[begin:end].tolist())
        return found

    def _cause_among(self, keys: frozenset[int], *, loud: bool) -> Cause | None:
        """Find what is to be reported of a sequence's new keys, and count that they were seen."""
        self._seen.update(keys)
        suspects = frozenset(key for key in keys if self.fusion.new_keys.judge(key).tone != "routine")
        convicted = self.feedback.convicted(suspects)
        if convicted is not None:
            return convicted
        if loud and any(not self._is_known_by_now(key) for key in suspects):
            return Cause.of_new_keys(suspects)
        return None

    def _is_known_by_now(self, key: int) -> bool:
        if not len(self.fusion.texts) or self.fusion.new_keys.judge(key).tone == "failure":
            return False
        return self._seen[key] > self.patience

    def _report(self, cause: Cause) -> Cause | None:
        """Say whether an oddity of known keys is to be reported, and count it."""
        if self.feedback.is_cleared(cause):
            return None
        self._reported[cause] += 1
        aged = self.fusion.windows_ and self._reported[cause] > self.patience
        return None if aged and not self.feedback.is_convicted(cause) else cause

    def _report_first(self, found: Iterable[dict[str, Any]]) -> tuple[Cause | None, float]:
        """Report the worst of what was found beside a row's keys, unless it was called normal or is known by now."""
        for one in found:
            cause = self._report(Cause(one["kind"], (one["key"],)))
            if cause is not None:
                return cause, float(one["score"])
        return None, 0.0

    def state(self) -> dict[str, Any]:
        """Give what was seen and reported so far, as plain data."""
        return {
            "seen": [[key, times] for key, times in sorted(self._seen.items())],
            "reported": [[cause.kind, list(cause.keys), times] for cause, times in sorted(self._reported.items())],
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self._seen = Counter(dict(state["seen"]))
        self._reported = Counter({Cause(kind, tuple(keys)): times for kind, keys, times in state["reported"]})


def _oddities(odd: npt.NDArray[np.integer], reasons: list[list[Reason]]) -> dict[int, Cause]:
    """Name the cause of each distinct sequence that is odd beside its new keys, by its worst reason."""
    causes = {}
    for place, found in zip(odd.tolist(), reasons, strict=True):
        worst = next((reason for reason in found if reason.kind != "unseen key"), None)
        keys = () if worst is None or worst.subject is None else (worst.subject,)
        causes[place] = Cause(worst.kind, keys) if worst else Cause("high score")
    return causes
