"""The default detector: new keys, the memory and the network, each as loud as its own rarity among normal sequences.

How they are combined
---------------------
Every member turns its raw score into a p-value: the share of normal sequences expected to be at least that odd. Where
it can, each learns from all sequences and judges each by what it learnt from the others: the memory and the new keys by
leaving one out at a time, the network by several of its kind, each taught without a part (`logbert.panel`). Where there
are so many sequences that a part of them is enough, that part is held out from all.

The members' p-values depend on each other, so they are not multiplied; each has a share w of the false alarms that were
asked for (the shares add up to 1), and the combined p-value is the smallest p / w. If each p-value is valid, no more
than the asked share of normal sequences gets below it, whatever the dependence (Bonferroni's inequality):
P(min p_i / w_i <= a) <= sum P(p_i <= w_i a) <= sum w_i a = a. That is careful where members agree. Where there are
enough such sequences to see the asked rate directly, the combined p-value is calibrated once more on them, which gives
the care back.

The network does not speak alone: its witness is the sum of -log p of network and memory, calibrated in its turn on
sequences that neither learnt from: what is a little odd to both is odd. In that sum, past the largest score that such
sequences had, the network's tail is taken to fall off like a power (Hill's estimate), which is slow.

Who judges what
---------------
A key that training never saw is judged by `NewKeys`, by what its text says, and once it is known by itself (see
`watch`) memory and network judge what is left when it is taken out.

Sequences with equal keys are equal to all of these. What stands in their messages and when their records came is judged
by `measured`, row by row, with a share of the false alarms of its own.

Windows of a fixed number of records are cut anywhere: which keys stand in one, in which order, is a matter of luck, and
after a change of load every window is new, to the memory and to the network alike. There neither judges: on the BGL
stream the network flagged 6 % and, after a drift, 33 % of the normal windows where one in a thousand was asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from logbert.detectors.base import Detector, DetectorState, Reason
from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus, Scores, SequencesLike
from logbert.detectors.measured import SHARE, Measured
from logbert.detectors.new_keys import NewKeys
from logbert.detectors.novelty import Novelty
from logbert.detectors.registry import detector_class
from logbert.detectors.tally import Tally, is_among
from logbert.errors import OptionError
from logbert.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from logbert.detectors.key_texts import KeyTexts
    from logbert.detectors.measured import Measurements

NEW_KEYS = NewKeys.name
NETWORK = "logbert"
# Of the false alarms, in tenths. A key nobody saw is so rare among normal sequences that a small share is enough, and
# the network speaks together with the memory, so that what the memory says alone is said twice.
SHARES = {NEW_KEYS: 1.0, Novelty.name: 1.0, NETWORK: 8.0}
TAIL = 0.1  # the largest tenth of the network's held-out scores is its tail
STRUCTURE = ("key set", "count vector")  # what the memory remembers beside keys; a new length is a new count vector
ORDER = "2-gram"  # ... and this, where no network judges the order
RECALIBRATES_FROM = 3  # as many held-out sequences must be expected beyond the boundary to find it among them
SAME_LENGTH = 0.95  # windows of a fixed number of records: this share of sequences has the same length ...
SELDOM_THE_SAME = 0.01  # ... and this share a count vector of its own


ONLY_NEW = (
    "windows of a fixed number of records: which messages share one is a matter of luck, so what is judged is new "
    "messages, values and gaps; --detector logbert judges the rest"
)


class Fusion(Detector):
    """New keys and their texts, the memory of what occurred, and LogBERT, in one score.

    It works on sessions and on windows. It is as good as its best member where only one sees anything, to within what
    the sharing of false alarms costs, and better where they see different things.

    Parameters
    ----------
    members
        Who judges beside `NewKeys`: "novelty", "logbert".
    false_alarms
        The share of normal sequences that may reach the boundary.
    windows
        Whether sequences are windows of a fixed number of records, cut anywhere; None finds out from the training data.
    seed
        Draws the held-out sequences when none are given, and is passed to the members.
    preset, device, progress
        For LogBERT.

    Examples
    --------
    >>> from logbert.detectors.key_texts import KeyTexts
    >>> texts = KeyTexts({5: "Receiving block <*>", 9: "Received block <*>", 7: "writeBlock received exception <*>"})
    >>> fusion = Fusion(members=("novelty",)).read(texts).fit([[5, 9], [5, 5, 9, 9]] * 40)
    >>> fusion.predict([[5, 9], [5, 9, 7], [5, 5, 5]]).tolist()
    [False, True, True]
    >>> fusion.explain([5, 9, 7])[0].detail
    'never in training, and speaks of failure (exception)'
    """

    name: ClassVar[str] = "fusion"

    def __init__(
        self,
        members: Iterable[str] = ("novelty", "logbert"),
        *,
        false_alarms: float = 0.001,
        windows: bool | None = None,
        seed: int = 0,
        preset: str = "default",
        device: str = "auto",
        progress: Progress = SILENT,
    ) -> None:
        self.members = members
        self.false_alarms = false_alarms
        self.windows = windows
        self.seed = seed
        self.preset = preset
        self.device = device
        self.progress = progress

    members_: dict[str, Detector]
    windows_: bool
    measured_: Measured | None = None

    def read(self, texts: KeyTexts) -> Self:
        """Take the texts of all keys there are by now; before `fit`, and again when there are new keys."""
        self.texts = texts
        if hasattr(self, "members_"):
            self.new_keys.read(texts)
        return self

    @property
    def new_keys(self) -> NewKeys:
        """The member that judges keys training never saw."""
        member = self.members_[NEW_KEYS]
        if not isinstance(member, NewKeys):
            raise TypeError(f"the member {NEW_KEYS!r} is a {type(member).__name__}")
        return member

    def measure(self, measurements: Measurements) -> Self:
        """Learn from the rows of the training sequences what their messages carry and how long their steps take."""
        self._must_be_fitted()
        self.measured_ = Measured(false_alarms=self.false_alarms).learn(measurements, self.texts)
        return self

    def fit_more(self, sequences: SequencesLike, *, held_out: SequencesLike | None = None) -> Self:
        """Learn afresh from these, but let the network go on from where it is."""
        self._must_be_fitted()
        return self._fit(sequences, held_out, self._learn_more, self._learn_more_across)

    def _begin(self, corpus: Corpus, network: Detector | None = None) -> None:
        self.measured_ = None
        self.members_ = self._made() | ({} if network is None else {NETWORK: network})
        self.new_keys.read(self.texts)
        self.windows_ = cut_anywhere(corpus) if self.windows is None else self.windows
        if self.windows_ and self.members_.pop(NETWORK, None) is not None:
            self.progress.note(ONLY_NEW)

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        self._each(train, held_out)

    def _learn_more(self, train: Corpus, held_out: Corpus) -> None:
        self._each(train, held_out, self.members_.get(NETWORK))

    def _learn_across(self, corpus: Corpus) -> Scores | None:
        return self._each_across(corpus)

    def _learn_more_across(self, corpus: Corpus) -> Scores | None:
        return self._each_across(corpus, self.members_.get(NETWORK))

    def _each(self, train: Corpus, held_out: Corpus, network: Detector | None = None) -> None:
        """Have every member learn; a network that is given goes on."""
        self._begin(train, network)
        for member in self.members_.values():
            learn = member._learn_more if member is network else member._learn
            learn(train, held_out)

    def _each_across(self, corpus: Corpus, network: Detector | None = None) -> Scores | None:
        """Have every member learn from all rows, and combine what each made of the rows it had not learnt from."""
        self._begin(corpus, network)
        raws: dict[str, Scores] = {}
        for name, member in reversed(self.members_.items()):  # the network first: if it must hold out, so must all
            raw = member._learn_more_across(corpus) if member is network else member._learn_across(corpus)
            if raw is None:
                return None
            raws[name] = raw
        judged = ~np.isnan(sum(raws.values()))
        for name, raw in raws.items():
            self.members_[name]._calibrate_on(raw[judged])
        if NETWORK in self.members_:
            self._agree_on(self._agreement({name: raw[judged] for name, raw in raws.items()}))
        return np.where(judged, self._together(raws), np.nan)

    def _made(self) -> dict[str, Detector]:
        chosen = (self.members,) if isinstance(self.members, str) else tuple(self.members)
        unknown = [name for name in chosen if name not in SHARES or name == NEW_KEYS]
        if unknown or not chosen:
            known = ", ".join(repr(name) for name in SHARES if name != NEW_KEYS)
            raise OptionError(f"members={chosen!r}: choose one or more of {known}")
        common: dict[str, Any] = {"false_alarms": self.false_alarms, "seed": self.seed}
        made: dict[str, Detector] = {NEW_KEYS: NewKeys(**common)}
        if Novelty.name in chosen:
            parts = [*STRUCTURE] if NETWORK in chosen else [*STRUCTURE, ORDER]
            made[Novelty.name] = Novelty(parts, **common)
        if NETWORK in chosen:
            network = {"preset": self.preset, "device": self.device, "progress": self.progress}
            made[NETWORK] = detector_class(NETWORK)(**common, **network)
        return made

    def calibrate(self, held_out: SequencesLike) -> None:
        """Calibrate every member, then the combination."""
        corpus = Corpus.of(held_out)
        for member in self.members_.values():
            member.calibrate(corpus)
        if NETWORK in self.members_:
            self._agree_on(corpus.spread(self._agreement(self._raws(corpus))))
        super().calibrate(corpus)

    def _agree_on(self, held_out: npt.NDArray[np.generic]) -> None:
        """Calibrate the sum of -log p of network and memory; no slope of such a sum is less than 1."""
        sums = np.asarray(held_out, dtype=np.float64)
        self.agreement_ = Calibration.of(sums, false_alarms=self.false_alarms, unit=1.0)

    def _raws(self, corpus: Corpus) -> dict[str, Scores]:
        return {name: member.raw_scores(corpus) for name, member in self.members_.items()}

    def _agreement(self, raws: dict[str, Scores]) -> Scores:
        """Give the sum of -log p of network and memory, if the memory judges at all."""
        sums = -_log(slow_p_values(self.members_[NETWORK].calibration_.held_out, raws[NETWORK]))
        if Novelty.name in self.members_ and not self.windows_:
            sums = sums - _log(self.members_[Novelty.name].calibration_.p_values(raws[Novelty.name]))
        return np.asarray(sums, dtype=np.float64)

    @property
    def boundary(self) -> float:
        """The raw score from which a sequence is anomalous."""
        rate = self.false_alarms if self.measured_ is None else self.false_alarms * (1.0 - SHARE)
        enough = (len(self.calibration_.held_out) + 1) * rate >= RECALIBRATES_FROM
        return replace(self.calibration_, false_alarms=rate).threshold if enough else float(-np.log(rate))

    def score(self, sequences: SequencesLike) -> Scores:
        """Score each sequence; 1.0 and above is anomalous."""
        self._must_be_fitted()
        corpus = Corpus.of(sequences)
        return np.asarray(corpus.spread(self.raw_scores(corpus) / self.boundary), dtype=np.float64)

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give -log of the combined p-value of each distinct sequence."""
        return self._together(self._raws(corpus))

    def evidence(self, corpus: Corpus) -> dict[str, Scores]:
        """Give each member's -log(p / w) for each distinct sequence; 0 is none."""
        return self._weighed(self._raws(corpus))

    def _together(self, raws: dict[str, Scores]) -> Scores:
        combined: Scores = np.max(np.stack(list(self._weighed(raws).values())), axis=0)
        return combined

    def _weighed(self, raws: dict[str, Scores]) -> dict[str, Scores]:
        judging = [name for name in self.members_ if not (name == Novelty.name and self.windows_)]
        total = sum(SHARES[name] for name in judging)
        found: dict[str, Scores] = {}
        for name, member in self.members_.items():
            if name not in judging:
                found[name] = np.zeros(len(raws[name]), dtype=np.float64)
                continue
            if name == NETWORK:
                p_values = self.agreement_.p_values(self._agreement(raws))
            else:
                p_values = member.calibration_.p_values(raws[name])
            found[name] = np.maximum(np.log(SHARES[name] / total) - _log(p_values), 0.0)
        return found

    def without_new_keys(self, corpus: Corpus) -> Corpus:
        """Take the keys out that training never saw; sequences keep their places, even if they become equal."""
        known = is_among(corpus.keys, self.new_keys.keys_)
        lengths = np.bincount(corpus.owners[known], minlength=len(corpus))
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        return replace(corpus, keys=corpus.keys[known], offsets=offsets.astype(np.int64))

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Say what is odd about one sequence, worst first."""
        return self.explain_all(Corpus.of([sequence]))[0]

    def explain_all(self, corpus: Corpus) -> list[list[Reason]]:
        """Explain each distinct sequence by all members that find it odd, the oddest first."""
        self._must_be_fitted()
        reasons: list[list[Reason]] = [[] for _ in range(len(corpus))]
        members = self.evidence(corpus)
        # A set, a length or an order that is new because a key is new is no news of its own: the key goes first.
        loudest = np.max(np.stack(list(members.values())), axis=0)
        members[NEW_KEYS] = np.where(members[NEW_KEYS] > 0, members[NEW_KEYS] + loudest, 0.0)
        for name, evidence in members.items():
            odd = np.flatnonzero(evidence > 0)
            part = subset(corpus, odd)
            for place, found in zip(odd.tolist(), self.members_[name].explain_all(part), strict=True):
                told = [reason for reason in found if name == NEW_KEYS or not self._is_about_new_key(reason)]
                worst = max((reason.weight for reason in told), default=0.0) or 1.0
                strength = float(evidence[place])
                reasons[place] += [replace(reason, weight=strength * reason.weight / worst) for reason in told]
        return [sorted(found, key=lambda reason: -reason.weight) for found in reasons]

    def _is_about_new_key(self, reason: Reason) -> bool:
        """Say whether a reason says again, in other words, that a key is new."""
        return reason.key is not None and not is_among(np.array([reason.key], dtype=np.int32), self.new_keys.keys_)[0]

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        facts: dict[str, Any] = {"windows": self.windows_, "members": {}}
        arrays: dict[str, npt.NDArray[np.generic]] = {}
        for name, member in self.members_.items():
            state = member.state()
            facts["members"][name] = {"params": state.params, "facts": state.facts}
            arrays |= {f"{name}/{array}": values for array, values in state.arrays.items()}
        if NETWORK in self.members_:
            arrays["agreement"] = self.agreement_.held_out
        if self.measured_ is not None:
            facts["measured"], measured = self.measured_.state()
            arrays |= {f"measured/{array}": values for array, values in measured.items()}
        return facts, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.windows_ = bool(facts["windows"])
        self.members_ = {}
        for name, held in facts["members"].items():
            own = {key.removeprefix(f"{name}/"): value for key, value in arrays.items() if key.startswith(f"{name}/")}
            kind = NewKeys if name == NEW_KEYS else detector_class(name)
            self.members_[name] = kind.from_state(DetectorState(name, held["params"], held["facts"], own))
        self.texts = self.new_keys.texts
        if NETWORK in self.members_:
            self._agree_on(arrays["agreement"])
        if "measured" in facts:
            own = {name.removeprefix("measured/"): array for name, array in arrays.items()}
            self.measured_ = Measured.from_state(facts["measured"], own, false_alarms=self.false_alarms)


def cut_anywhere(corpus: Corpus) -> bool:
    """Say whether sequences are windows of a fixed number of records: of one length, and hardly two of them alike.

    Examples
    --------
    >>> cut_anywhere(Corpus.of([[1, 2, 3], [1, 3, 3], [2, 2, 1], [3, 1, 1]] * 5 + [[1, 1, 1], [2, 2, 2], [3, 3, 3]]))
    True
    >>> cut_anywhere(Corpus.of([[1, 2, 3]] * 50))
    False
    """
    usual = np.bincount(corpus.lengths, weights=corpus.counts, minlength=1).max(initial=0.0)
    names = Tally.of(corpus).names
    _, inverse = np.unique(names, return_inverse=True)
    rows = np.bincount(inverse, weights=corpus.counts, minlength=1)
    return bool(usual >= SAME_LENGTH * corpus.rows and np.sum(rows == 1) >= SELDOM_THE_SAME * corpus.rows)


def slow_p_values(held_out: Scores, raw: Scores) -> Scores:
    """Give conformal p-values, which past the largest held-out score fall off like a power, by Hill's estimate.

    Examples
    --------
    >>> slow_p_values(np.arange(1.0, 100.0), np.array([0.0, 50.0, 99.0, 198.0])).round(4).tolist()
    [1.0, 0.51, 0.02, 0.0]
    """
    size = len(held_out)
    conformal = (size - np.searchsorted(held_out, raw, side="left") + 1.0) / (size + 1.0)
    largest = float(held_out[-1]) if size else 0.0
    if largest < np.finfo(np.float64).tiny:
        return np.asarray(conformal, dtype=np.float64)
    tail = held_out[-max(int(np.ceil(size * TAIL)), 1) :]
    start = max(float(tail[0]), largest * 1e-6, float(np.finfo(np.float64).tiny))
    index = max(float(np.mean(np.log(np.maximum(tail, start)) - np.log(start))), 1.0 / size)
    beyond = np.log(np.maximum(raw, largest)) - np.log(largest)
    return np.asarray(conformal * np.exp(-beyond / index), dtype=np.float64)


def _log(p_values: Scores) -> Scores:
    return np.asarray(np.log(np.maximum(p_values, np.finfo(np.float64).tiny)), dtype=np.float64)


def subset(corpus: Corpus, places: npt.NDArray[np.integer]) -> Corpus:
    """Give some of the distinct sequences, each once, in this order.

    Examples
    --------
    >>> [keys.tolist() for keys in subset(Corpus.of([[1], [2, 3], [1], [4]]), np.array([2, 0]))]
    [[4], [1]]
    """
    lengths = corpus.lengths[places]
    each = np.arange(len(places), dtype=np.int64)
    return Corpus(
        keys=np.concatenate([corpus[int(place)] for place in places]) if len(places) else corpus.keys[:0],
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]).astype(np.int64),
        counts=np.ones(len(places), dtype=np.int64),
        inverse=each,
    )
