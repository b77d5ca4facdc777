"""LogBERT as a detector: fit on normal sequences, score, explain, save, go on learning."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from logbert.detectors.base import Detector, Reason
from logbert.detectors.corpus import Corpus, Scores, SequencesLike
from logbert.detectors.logbert import choosing, explaining, scoring
from logbert.detectors.logbert.config import LogBERTConfig, resolve
from logbert.detectors.logbert.tokens import Chunks, Vocabulary
from logbert.progress import SILENT, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from logbert.detectors.logbert.panel import Panel
    from logbert.detectors.logbert.reading import Slots

# The least that means anything: half a nat (odds of 5 to 3), one miss, a thousandth of a hidden vector's length.
UNITS = {"surprise": 0.5, "misses": 1.0, "distance": 1e-3}

SEEN_BEYOND = 10  # held-out sequences beyond the boundary: with one or two, where it lies is a matter of luck

MOST_HELD_OUT = 0.25  # of the sequences, where there is one network

JUDGED_AT_ONCE = 4_000_000  # keys, under one mask each

_OF_THE_NETWORK = (
    "input",
    "hidden",
    "feed_forward",
    "layers",
    "heads",
    "dropout",
    "context",
    "mlkp",
    "vhm",
    "alpha",
    "masks",
    "networks",
    "candidates",
    "misses_allowed",
    "score_by",
    "batch",
    "learning_rate",
    "epochs",
    "patience",
)


class LogBERT(Detector):
    """Reads a sequence with some of its keys hidden, and is surprised by what it would not have guessed.

    It works well where sequences follow rules that are richer than a list of known ones: steps that come in varying
    order or number, retries, branches. It needs some hundred normal sequences, better some thousand. It says little
    about a template it never saw (every such key is as surprising as can be) and does not know the text of any; where
    normal behaviour is a handful of fixed sequences, `Novelty` is as good and needs no training.

    The `default` preset judges each sequence under eight masks that hide half of it, always the same ones for
    sequences of the same length, and scores in nats: the surprise of its oddest key plus the root of that of all its
    misses. The `paper` preset is Guo, Yuan and Wu's to the letter: it counts masked keys outside the g likeliest.
    Parameters left at None are the preset's.

    Parameters
    ----------
    preset
        "default" or "paper".
    false_alarms
        The share of normal sequences that may reach the boundary.
    seed
        Of weights, masks, the order of training and the held-out part.
    device
        "auto", "cpu", "cuda" or whatever torch knows.
    progress
        Who is told how training goes.
    input, hidden, feed_forward, layers, heads, dropout
        The network; see `LogBERTConfig`.
    context
        Keys read at once; longer sequences are judged in chunks and take the score of the worst.
    mlkp, vhm, alpha
        The two training tasks, and the second one's weight. Without `mlkp` the score is the distance to the centre.
    mask_ratio
        Share of keys hidden, in training and detection alike (m).
    masks
        Masks each sequence is judged under.
    networks
        How many networks judge together, each taught without a part of the sequences, so that all of them help to find
        the boundary. One is enough where a quarter of the sequences shows the asked rate.
    candidates
        Likeliest keys that are no miss (g).
    misses_allowed
        Misses that are still normal (r); scores are then counts of misses, and held-out sequences set no boundary.
    score_by
        "surprise", "misses" or "distance".
    batch, learning_rate, epochs, patience
        The training; see `LogBERTConfig`.

    Examples
    --------
    >>> normal = [[5, 22, 11, 9, 26, 23], [22, 5, 11, 9, 26, 23], [5, 22, 11, 9, 11, 9, 26, 23]] * 40
    >>> detector = LogBERT(false_alarms=0.05, epochs=10).fit(normal)
    >>> detector.predict([[5, 22, 11, 9, 26, 23], [5, 22, 11], [5, 22, 11, 9, 26, 7]]).tolist()
    [False, True, True]
    >>> reason = detector.explain([5, 22, 11, 9, 26, 7])[0]
    >>> reason.kind, reason.key, reason.expected[0][0]
    ('unseen key', 7, 23)

    References
    ----------
    Haixuan Guo, Shuhan Yuan, Xintao Wu. LogBERT: Log Anomaly Detection via BERT. IJCNN 2021.
    """

    name: ClassVar[str] = "logbert"

    def __init__(
        self,
        preset: str = "default",
        *,
        false_alarms: float = 0.001,
        seed: int = 0,
        device: str = "auto",
        progress: Progress = SILENT,
        input: int | None = None,  # noqa: A002 - the paper's word
        hidden: int | None = None,
        feed_forward: int | None = None,
        layers: int | None = None,
        heads: int | None = None,
        dropout: float | None = None,
        context: int | None = None,
        mlkp: bool | None = None,
        vhm: bool | None = None,
        alpha: float | None = None,
        mask_ratio: float | None = None,
        masks: int | None = None,
        networks: int | None = None,
        candidates: int | None = None,
        misses_allowed: int | None = None,
        score_by: Literal["surprise", "misses", "distance"] | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        epochs: int | None = None,
        patience: int | None = None,
    ) -> None:
        self.preset = preset
        self.false_alarms = false_alarms
        self.seed = seed
        self.device = device
        self.progress = progress
        self.input = input
        self.hidden = hidden
        self.feed_forward = feed_forward
        self.layers = layers
        self.heads = heads
        self.dropout = dropout
        self.context = context
        self.mlkp = mlkp
        self.vhm = vhm
        self.alpha = alpha
        self.mask_ratio = mask_ratio
        self.masks = masks
        self.networks = networks
        self.candidates = candidates
        self.misses_allowed = misses_allowed
        self.score_by = score_by
        self.batch = batch
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.patience = patience

    @property
    def config(self) -> LogBERTConfig:
        """The preset, with the parameters that were given in its place."""
        given = {name: getattr(self, name) for name in _OF_THE_NETWORK}
        ratio = dict.fromkeys(("mask_ratio_least", "mask_ratio_most", "detection_ratio"), self.mask_ratio)
        return resolve(self.preset, **given, **ratio)

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        self._begin(train, 1)
        self._train([(train, held_out)])

    def _learn_across(self, corpus: Corpus) -> Scores | None:
        """Teach several networks, each without one part of the rows; give each row its score by the one without it."""
        networks = self._networks(corpus.rows)
        if networks == 1:
            return None
        self._begin(corpus, networks)
        return self._train_across(corpus)

    def _networks(self, rows: int) -> int:
        """Say how many networks it takes: one if those it can spare show the asked rate."""
        config = self.config
        if self._share_to_see(rows) <= MOST_HELD_OUT or config.score_by == "distance" or rows == 1:
            return 1
        return min(config.networks, config.masks, rows)

    def _begin(self, corpus: Corpus, networks: int) -> None:
        from logbert.detectors.logbert.course import Course

        self.config_ = self.config
        self.vocabulary_ = Vocabulary(np.unique(corpus.keys))
        self.courses_ = [Course(epochs=self.config_.epochs) for _ in range(networks)]

    def fit_more(self, sequences: SequencesLike, *, held_out: SequencesLike | None = None) -> Self:
        """Go on learning: to the end of a fit that was interrupted, or for another round after a whole one.

        Keys that are new join the vocabulary. The boundary is found anew, on the part of `sequences` held out.
        """
        self._must_be_fitted()
        return self._fit(sequences, held_out, self._learn_more, self._learn_more_across)

    def _learn_more(self, train: Corpus, held_out: Corpus) -> None:
        self.vocabulary_ = self.vocabulary_.extended(train.keys)
        self._train([(train, held_out)] * len(self.courses_))

    def _learn_more_across(self, corpus: Corpus) -> Scores | None:
        if len(self.courses_) == 1 or corpus.rows < len(self.courses_):
            return None
        self.vocabulary_ = self.vocabulary_.extended(corpus.keys)
        return self._train_across(corpus)

    def _train_across(self, corpus: Corpus) -> Scores:
        """Teach each network without its part; give each row's score by that network, NaN where Ctrl-C left none."""
        from logbert.detectors.logbert.panel import Panel, dealt_rows

        apart = dealt_rows(corpus, len(self.courses_), self.seed)
        every = np.arange(corpus.rows)
        self._train([(corpus.take_rows(np.setdiff1d(every, rows)), corpus.take_rows(rows)) for rows in apart])
        raw = np.full(corpus.rows, np.nan)
        for reader, number in zip(self.panel_.readers, self._taught, strict=True):
            part = corpus.take_rows(apart[number])
            raw[apart[number]] = part.spread(self._in_runs(part, partial(self._judged, panel=Panel([reader]))))
        return raw

    def _train(self, parts: Sequence[tuple[Corpus, Corpus]]) -> None:
        from logbert.detectors.logbert import fitting
        from logbert.detectors.logbert.panel import Panel

        taught = fitting.train(
            self.config_,
            self.vocabulary_,
            self.courses_,
            parts,
            seed=self.seed,
            device=fitting.choose_device(self.device),
            progress=self.progress,
        )
        self.panel_ = Panel([taught[number][0] for number in self._taught])
        self.centre_ = taught[0][1]
        if self.config_.candidates is not None:
            self.candidates_ = self.config_.candidates
        else:
            held_out = parts[0][1]
            self.candidates_ = choosing.best_candidates(
                self._read(held_out),
                self._read(choosing.damaged(held_out, self.vocabulary_.keys, self.seed)),
                most=len(self.vocabulary_),
                false_alarms=self.false_alarms,
            )

    @property
    def _taught(self) -> list[int]:
        """Which networks judge: those that Ctrl-C left time for an epoch, or the first."""
        return [number for number, course in enumerate(self.courses_) if course.losses] or [0]

    @property
    def interrupted_(self) -> bool:
        """Whether Ctrl-C ended the last fit early; `fit_more` goes on from there."""
        return any(course.interrupted for course in self.courses_)

    def _share_to_see(self, rows: int) -> float:
        """Say which share of the rows shows some alarms at the asked rate."""
        return SEEN_BEYOND / (self.false_alarms * rows)

    def _held_out_share(self, rows: int) -> float:
        """Keep enough apart to see some alarms at the asked rate, if a quarter is enough; never under a tenth."""
        return float(np.clip(self._share_to_see(rows), 0.1, MOST_HELD_OUT))

    def _calibrate_on(self, raw: Scores) -> None:
        """Find the boundary on the scores of held-out normals, unless `misses_allowed` sets it by hand."""
        super()._calibrate_on(raw)
        self.calibration_ = replace(self.calibration_, unit=UNITS[self.config_.score_by])
        if self.config_.score_by == "misses" and self.config_.misses_allowed is not None:
            self.calibration_ = replace(self.calibration_, fixed=self.config_.misses_allowed + 1.0)
        elif not self.calibration_.resolvable:
            self.progress.note(
                f"{len(self.calibration_.held_out)} normal sequences cannot show a false-alarm rate of "
                f"{self.false_alarms:g}: the boundary is extrapolated"
            )

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Score each distinct sequence: nats of surprise, misses, or the distance to the centre."""
        return self._in_runs(corpus, partial(self._judged, panel=self.panel_))

    def _judged(self, corpus: Corpus, panel: Panel) -> Scores:
        chunks = self._chunks(corpus)
        if self.config_.score_by == "distance":
            return scoring.distance(panel.represent(chunks), self.centre_, chunks, len(corpus))
        slots = panel.examine(chunks)
        if self.config_.score_by == "misses":
            return scoring.misses(slots, chunks, len(corpus), self.candidates_)
        return scoring.surprise(slots, chunks, len(corpus), self.candidates_)

    def misses(self, sequences: SequencesLike, candidates: int | None = None) -> npt.NDArray[np.int64]:
        """Count each sequence's masked keys outside the `candidates` likeliest, over all masks (the paper's g)."""
        self._must_be_fitted()
        g = candidates or self.candidates_

        def count(run: Corpus) -> Scores:
            _, chunks, slots = self._read(run)
            return scoring.misses(slots, chunks, len(run), g)

        corpus = Corpus.of(sequences)
        return corpus.spread(self._in_runs(corpus, count)).astype(np.int64)

    def masked(self, sequences: SequencesLike) -> npt.NDArray[np.int64]:
        """Count each sequence's masked keys over all masks: what `misses` is a part of."""
        self._must_be_fitted()

        def count(run: Corpus) -> Scores:
            _, chunks, slots = self._read(run)
            return scoring.masked(slots, chunks, len(run))

        corpus = Corpus.of(sequences)
        return corpus.spread(self._in_runs(corpus, count)).astype(np.int64)

    def missed_shares(self, sequences: SequencesLike, candidates: Sequence[int]) -> Scores:
        """Give for each number of candidates the share of each sequence's masked keys that are misses: (g, sequences).

        The network reads each sequence once, however many g there are.
        """
        self._must_be_fitted()
        corpus = Corpus.of(sequences)
        found = [np.zeros((len(candidates), 0))]
        for run in corpus.runs(self._at_once):
            _, chunks, slots = self._read(run)
            masked = np.maximum(scoring.masked(slots, chunks, len(run)), 1)
            found.append(np.stack([scoring.misses(slots, chunks, len(run), g) / masked for g in candidates]))
        return np.asarray(np.concatenate(found, axis=1)[:, corpus.inverse], dtype=np.float64)

    def represent(self, sequences: SequencesLike) -> npt.NDArray[np.float32]:
        """Give each sequence's vector h_DIST, the mean over masks and chunks: (sequences, hidden).

        `centre_` is the mean of these over the training set, c in equation 6.
        """
        self._must_be_fitted()
        corpus = Corpus.of(sequences)
        found = [self._represent(run) for run in corpus.runs(self._at_once)]
        return np.concatenate([np.zeros((0, self.config_.hidden)), *found])[corpus.inverse].astype(np.float32)

    def _represent(self, corpus: Corpus) -> npt.NDArray[np.float32]:
        chunks = self._chunks(corpus)
        total = np.zeros((len(corpus), self.config_.hidden), dtype=np.float32)
        np.add.at(total, chunks.owners, self.panel_.represent(chunks))
        parts = np.bincount(chunks.owners, minlength=len(corpus))[:, None]
        return np.asarray(total / parts, dtype=np.float32)

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the keys that made the sequence odd, worst first, with what was expected instead."""
        self._must_be_fitted()
        return self.explain_all(Corpus.of([sequence]))[0]

    def explain_all(self, corpus: Corpus) -> list[list[Reason]]:
        """Explain each distinct sequence."""
        return [reasons for run in corpus.runs(self._at_once) for reasons in self._explain_run(run)]

    def _explain_run(self, corpus: Corpus) -> list[list[Reason]]:
        chunks = self._chunks(corpus)
        boundary = self.calibration_.threshold
        if self.config_.score_by == "distance":
            return explaining.far_away(self._judged(corpus, self.panel_), boundary)
        slots = self.panel_.examine(chunks)
        if self.config_.score_by == "misses":
            weights = explaining.missed_tokens(slots, chunks, self.candidates_, boundary)
        else:
            weights = explaining.surprising_tokens(slots, chunks, self.candidates_, boundary)
        return explaining.reasons(self.panel_, self.vocabulary_, corpus, chunks, weights)

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        courses = [course.facts() for course in self.courses_]
        facts = {"config": asdict(self.config_), "candidates": self.candidates_, "networks": courses}
        arrays: dict[str, npt.NDArray[np.generic]] = {"keys": self.vocabulary_.keys, "centre": self.centre_}
        for number, course in enumerate(self.courses_):
            arrays |= {f"{number}/{name}": array for name, array in course.arrays().items()}
        return facts, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        from logbert.detectors.logbert import fitting
        from logbert.detectors.logbert.course import Course
        from logbert.detectors.logbert.panel import Panel

        self.config_ = LogBERTConfig(**facts["config"])
        self.candidates_ = facts["candidates"]
        self.vocabulary_ = Vocabulary(arrays["keys"].astype(np.int32))
        self.centre_ = arrays["centre"].astype(np.float32)
        self.courses_ = []
        for number, course in enumerate(facts["networks"]):
            own = {name.removeprefix(f"{number}/"): a for name, a in arrays.items() if name.startswith(f"{number}/")}
            self.courses_.append(Course.of(course, own))
        device = fitting.choose_device(self.device)
        weights = [self.courses_[number].best for number in self._taught]
        self.panel_ = Panel(
            [fitting.reader(self.config_, self.vocabulary_, best, seed=self.seed, device=device) for best in weights]
        )

    @property
    def _at_once(self) -> int:
        """How many keys are judged at a time, to bound memory; a key is judged once a mask."""
        return max(JUDGED_AT_ONCE // self.config_.masks, 1)

    def _in_runs(self, corpus: Corpus, judge: Callable[[Corpus], Scores]) -> Scores:
        """Judge each distinct sequence, so many at a time as memory should hold."""
        return np.concatenate([np.empty(0, dtype=np.float64), *map(judge, corpus.runs(self._at_once))])

    def _chunks(self, corpus: Corpus) -> Chunks:
        return Chunks.of(corpus, self.vocabulary_, context=self.config_.context, end=self.config_.end)

    def _read(self, corpus: Corpus) -> tuple[Corpus, Chunks, Slots]:
        chunks = self._chunks(corpus)
        return corpus, chunks, self.panel_.examine(chunks)
