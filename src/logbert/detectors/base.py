"""What every detector is: fit on normal sequences, a score with 1.0 as the boundary, and reasons."""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus, Scores, SequencesLike
from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

HELD_OUT_SHARE = 0.1  # of the normal sequences, for the boundary
ENOUGH_SEQUENCES = 50  # fewer than this, and a warning says what the verdicts are worth


class LittleDataWarning(UserWarning):
    """There was too little normal data for the verdicts to be trusted."""


@dataclass(frozen=True)
class Reason:
    """One thing that is odd about a sequence.

    Attributes
    ----------
    kind
        What sort of oddity, in a few plain words: "unexpected key", "unseen key", "unseen set keys", "missing key".
    weight
        How much it counts beside the sequence's other reasons; larger is worse.
    position
        The index of the key in the sequence; None when it is about the whole. The sequence's length means its end.
    key
        The log key it is about.
    rank
        How many keys the detector found likelier there (0 is the likeliest).
    probability
        What the detector gave the key that was there.
    expected
        What it would have found normal there instead: keys with their probabilities, likeliest first.
    detail
        What else there is to say, in words ("seen 14 times, at most 3 in training").
    """

    kind: str
    weight: float
    position: int | None = None
    key: int | None = None
    rank: int | None = None
    probability: float | None = None
    expected: tuple[tuple[int, float], ...] = ()
    detail: str = ""

    @property
    def subject(self) -> int | None:
        """The key to name it by: its own or, where something is missing at the end, the likeliest to follow."""
        if self.key is None and self.kind == "missing key" and self.expected:
            return self.expected[0][0]
        return self.key


@dataclass(frozen=True, eq=False)
class DetectorState:
    """A fitted detector as plain data: what JSON can hold, and arrays for safetensors."""

    detector: str
    params: dict[str, Any]
    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)


class Detector(ABC):
    """The protocol all detectors share, in scikit-learn's manners.

    The constructor only stores its parameters; `fit` learns from normal sequences and returns self; names of what was
    learnt end in an underscore. A subclass implements `_learn`, `raw_scores`, `explain`, `_learnt` and `_recall`;
    calibration, scoring, saving and the splitting-off of held-out sequences are done here.
    """

    name: ClassVar[str]
    unit: ClassVar[float] = 1e-9

    false_alarms: float
    seed: int
    texts: KeyTexts = KeyTexts()
    calibration_: Calibration

    def read(self, texts: KeyTexts) -> Self:
        """Take the texts of all keys there are by now: before `fit`, and again when there are new keys.

        Most detectors know keys by their numbers only; those that read make more of them.
        """
        self.texts = texts
        return self

    @contextmanager
    def reading(self, texts: KeyTexts) -> Iterator[None]:
        """Know these texts for a while, and afterwards what was known before."""
        before = self.texts
        self.read(texts)
        try:
            yield
        finally:
            self.read(before)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the constructor's parameters."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change constructor parameters; takes effect at the next `fit`."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise OptionError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Self:
        """Make an unfitted twin; whoever is told of progress stays the same, where a copy would speak to nobody."""
        return type(self)(**self.get_params())

    def __repr__(self) -> str:
        """Show the detector as it is constructed."""
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def fit(self, sequences: SequencesLike, y: object = None, *, held_out: SequencesLike | None = None) -> Self:
        """Learn what is normal.

        Parameters
        ----------
        sequences
            Normal sequences of log keys.
        y
            Ignored; there for scikit-learn.
        held_out
            Normal sequences for the boundary. Without them a part of `sequences` is drawn by `seed` and kept apart: a
            tenth, unless the detector says otherwise.
        """
        return self._fit(sequences, held_out, self._learn, self._learn_across)

    def fit_more(self, sequences: SequencesLike, *, held_out: SequencesLike | None = None) -> Self:
        """Go on learning from more sequences; a detector that cannot do that learns afresh from these."""
        return self.fit(sequences, held_out=held_out)

    def _fit(
        self,
        sequences: SequencesLike,
        held_out: SequencesLike | None,
        learn: Callable[[Corpus, Corpus], None],
        learn_across: Callable[[Corpus], Scores | None],
    ) -> Self:
        """Learn from all sequences, each judged by what did not learn from it, or hold some out; find the boundary."""
        corpus = Corpus.of(sequences)
        if corpus.rows == 0:
            raise InputError("there are no sequences to learn from")
        apart = None if held_out is None else Corpus.of(held_out)
        rows = corpus.rows + (0 if apart is None else apart.rows)
        if rows < ENOUGH_SEQUENCES:
            warnings.warn(
                f"only {rows} normal {'sequence' if rows == 1 else 'sequences'} to learn from: "
                f"verdicts are a guess below {ENOUGH_SEQUENCES}",
                LittleDataWarning,
                stacklevel=3,
            )
        if apart is None:
            raw = learn_across(corpus)
            if raw is not None:
                self._calibrate_on(raw[~np.isnan(raw)])
                return self
            corpus, apart = split_held_out(corpus, seed=self.seed, share=self._held_out_share(corpus.rows))
        learn(corpus, apart)
        self.calibrate(apart)
        return self

    def _learn_across(self, corpus: Corpus) -> Scores | None:
        """Learn from all of it, and give each row a score that owes nothing to having learnt from that row.

        None, with nothing learnt, where that cannot be done: then some sequences are held out. NaN where a row could
        not be judged.
        """
        return None

    def _held_out_share(self, rows: int) -> float:
        """Say which share of the normal sequences is kept apart when none are given."""
        return HELD_OUT_SHARE

    def calibrate(self, held_out: SequencesLike) -> None:
        """Set the boundary from normal sequences that were held out of training."""
        corpus = Corpus.of(held_out)
        self._calibrate_on(np.asarray(corpus.spread(self.raw_scores(corpus)), dtype=np.float64))

    def _calibrate_on(self, raw: Scores) -> None:
        """Set the boundary from the raw scores of normal sequences that were not learnt from, one a row."""
        self.calibration_ = Calibration.of(raw, false_alarms=self.false_alarms, unit=self.unit)

    def score(self, sequences: SequencesLike) -> Scores:
        """Score each sequence; 1.0 and above is anomalous."""
        self._must_be_fitted()
        corpus = Corpus.of(sequences)
        scores = self.calibration_.score(self.raw_scores(corpus))
        return np.asarray(corpus.spread(scores), dtype=np.float64)

    def predict(self, sequences: SequencesLike) -> npt.NDArray[np.bool_]:
        """Say which sequences are anomalous."""
        return self.score(sequences) >= 1.0

    def state(self) -> DetectorState:
        """Give everything that was learnt, as plain data."""
        self._must_be_fitted()
        facts, arrays = self._learnt()
        facts = {**facts, "calibration": self.calibration_.state()}
        params = {name: value for name, value in self.get_params().items() if name != "progress"}
        return DetectorState(self.name, params, facts, {**arrays, "held_out": self.calibration_.held_out})

    @classmethod
    def from_state(cls, state: DetectorState) -> Self:
        """Make the detector again from what `state` gave."""
        detector = cls(**state.params)
        detector._recall(state.facts, state.arrays)
        held_out = np.asarray(state.arrays["held_out"], dtype=np.float64)
        detector.calibration_ = Calibration.of(held_out, **state.facts["calibration"])
        return detector

    def _must_be_fitted(self) -> None:
        if not hasattr(self, "calibration_"):
            raise InputError(f"this {type(self).__name__} has not been fitted yet; call fit first")

    @abstractmethod
    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        """Learn from `train`; `held_out` may guide when to stop, nothing else."""

    @abstractmethod
    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give each *distinct* sequence a score of at least 0 on the detector's own scale; larger is odder.

        A sequence's score may depend on nothing but that sequence and the fitted detector.
        """

    @abstractmethod
    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Say what is odd about one sequence, worst first; an empty list when nothing is."""

    def explain_all(self, corpus: Corpus) -> list[list[Reason]]:
        """Explain each distinct sequence; detectors that can do many at once do so here."""
        return [self.explain(sequence) for sequence in corpus]

    @abstractmethod
    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        """Give what was learnt: facts for JSON, arrays for safetensors."""

    @abstractmethod
    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        """Take back what `_learnt` gave."""


def split_held_out(corpus: Corpus, *, seed: int, share: float = HELD_OUT_SHARE) -> tuple[Corpus, Corpus]:
    """Split rows into those to learn from and those held out, at random by `seed`.

    With a single row there is nothing to hold out, and it serves for both.
    """
    if corpus.rows < 2:
        return corpus, corpus
    order = np.random.default_rng(seed).permutation(corpus.rows)
    size = max(1, round(corpus.rows * share))
    return corpus.take_rows(np.sort(order[size:])), corpus.take_rows(np.sort(order[:size]))
