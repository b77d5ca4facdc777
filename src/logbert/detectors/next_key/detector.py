"""What DeepLog and LogAnomaly have in common as detectors: surprise at the next key."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from logbert.detectors.base import Reason
from logbert.detectors.baseline import Baseline
from logbert.detectors.corpus import Corpus, Keys, Rows, Scores
from logbert.detectors.count_vectors import Matrix, Vocabulary
from logbert.detectors.next_key.histories import Alphabet, Histories, PrefixTree, Symbols
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.detectors.next_key.network import NextKeyNetwork

DECIMALS = 6  # log-probabilities are rounded to: far coarser than the noise of summing in another order
CONTEXTS = 4_096  # histories a pass through the network
POSITIONS = 500_000  # judged at a time, to bound memory
LEAST_LOG_P = -25.0  # below this a softmax says nothing but "never"
UNSEEN_SURPRISE = 30.0  # of a key the network has no output for
POWER = 4  # of the mean that joins the surprises of a sequence: near the worst, a little more if there are several
FORESEEN = 0.95  # the share of training sequences whose end must be among the top g for ends to be judged
WORTH_TELLING = 0.5  # of the worst surprise
MOST_REASONS = 8
MOST_EXPECTED = 3


@dataclass(frozen=True, eq=False)
class Positions:
    """Every position of some sequences: what the network thought of what stands there.

    Attributes
    ----------
    surprise
        Minus the log-probability of what stands there.
    rank
        How many targets were likelier.
    offsets
        Where each sequence's positions begin; one more entry than there are sequences.
    """

    surprise: Scores
    rank: Rows
    offsets: Rows


class NextKeyDetector(Baseline):
    """Predict each key from the `history` keys before it; what was not foreseen is odd.

    By the paper's rule ("top-g") a sequence with any key outside the `g` likeliest is anomalous, and the raw score is
    the number of such misses, with the worst surprise as the fraction. By the calibrated rule the raw score is the
    fourth-power norm of all surprises: close to the worst single one, and no `g` has to be guessed.
    """

    own_rule: ClassVar[str] = "top-g"
    quantitative: ClassVar[bool]

    history: int
    hidden: int
    layers: int
    g: int
    end: bool
    steps: int

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        from logbert.detectors.next_key import training

        self._check_options()
        self.vocabulary_ = Vocabulary.of(train)
        self.meaning_ = self._meaning()
        network = self._build()
        targets = self._alphabet.targets
        examples, checks = (
            training.Examples.of(self._histories(corpus), corpus.counts, targets) for corpus in (train, held_out)
        )
        training.train(network, examples, checks, steps=self.steps, seed=self.seed)
        self._keep(network)
        self.judges_end_ = self.end and self._ends_are_foreseen(train)

    def _check_options(self) -> None:
        self._check_threshold()
        for option in ("history", "hidden", "layers", "g", "steps"):
            if getattr(self, option) < 1:
                raise OptionError(f"{option} {getattr(self, option)} is too few: give 1 or more")

    @property
    def _alphabet(self) -> Alphabet:
        return Alphabet(len(self.vocabulary_.keys))

    @abstractmethod
    def _meaning(self) -> npt.NDArray[np.float32] | None:
        """Give each input symbol a fixed vector, or None to have them learnt."""

    def _columns(self, keys: Keys) -> Rows:
        """Give each key the symbol the network knows it by."""
        return self.vocabulary_.columns(keys)

    def _histories(self, corpus: Corpus) -> Histories:
        return Histories.of(corpus, self._columns(corpus.keys), self._alphabet, self.history)

    def _build(self) -> NextKeyNetwork:
        from logbert.detectors.next_key.network import NextKeyNetwork, Shape

        alphabet = self._alphabet
        shape = Shape(
            symbols=alphabet.symbols,
            targets=alphabet.targets,
            silent=alphabet.unseen,
            history=self.history,
            hidden=self.hidden,
            layers=self.layers,
            quantitative=self.quantitative,
        )
        return NextKeyNetwork(shape, self.meaning_, self.seed)

    def _keep(self, network: NextKeyNetwork) -> None:
        self.weights_ = {name: tensor.detach().float().numpy().copy() for name, tensor in network.state_dict().items()}
        self.network_ = network.double().requires_grad_(requires_grad=False)

    def _ends_are_foreseen(self, train: Corpus) -> bool:
        """Whether sequences end where the network expects it: sessions do, windows are cut anywhere."""
        foreseen = 0
        for run in train.runs(POSITIONS):
            positions = self._judge(run)
            foreseen += int(run.counts[positions.rank[positions.offsets[1:] - 1] < self.g].sum())
        return foreseen >= FORESEEN * train.rows

    def _log_p(self, contexts: Symbols) -> Matrix:
        """Give the log-probability of each target after each history, in double precision and rounded.

        Both together make it the same whatever histories are asked about at once.
        """
        log_p = self.network_(PrefixTree.of(contexts)).numpy()
        return np.asarray(np.round(np.maximum(log_p, LEAST_LOG_P), DECIMALS), dtype=np.float64)

    def _judge(self, corpus: Corpus) -> Positions:
        histories = self._histories(corpus)
        targets = self._alphabet.targets
        known = np.flatnonzero(histories.targets >= 0)
        surprise = np.full(len(histories.targets), UNSEEN_SURPRISE)
        rank = np.full(len(histories.targets), targets, dtype=np.int64)
        pairs, inverse = np.unique(histories.places[known] * targets + histories.targets[known], return_inverse=True)
        likelihood = np.empty(len(pairs))
        likelier = np.empty(len(pairs), dtype=np.int64)
        for start in range(0, len(histories.contexts), CONTEXTS):
            log_p = self._log_p(histories.contexts[start : start + CONTEXTS])
            low, high = np.searchsorted(pairs, [start * targets, (start + CONTEXTS) * targets])
            rows, columns = pairs[low:high] // targets - start, pairs[low:high] % targets
            own = log_p[rows, columns]
            likelihood[low:high] = own
            likelier[low:high] = _likelier(log_p, rows, own)
        surprise[known] = -likelihood[inverse]
        rank[known] = likelier[inverse]
        return Positions(surprise, rank, histories.offsets)

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give each distinct sequence the norm of its surprises, or by the paper's rule its misses."""
        found = [self._join(self._judge(run)) for run in corpus.runs(POSITIONS)]
        return np.concatenate([np.empty(0, dtype=np.float64), *found])

    def _join(self, positions: Positions) -> Scores:
        # fewer keys than g there may be, but one that cannot be predicted is never among the candidates
        surprise, missed = positions.surprise, positions.rank >= min(self.g, self._alphabet.targets)
        starts, last = positions.offsets[:-1], positions.offsets[1:] - 1
        if not self.judges_end_:
            surprise, missed = surprise.copy(), missed.copy()
            surprise[last], missed[last] = 0.0, False
        norm = np.add.reduceat(surprise**POWER, starts) ** (1 / POWER)
        if self.threshold != self.own_rule:
            return np.asarray(norm, dtype=np.float64)
        return np.asarray(np.add.reduceat(missed.astype(np.float64), starts) + norm / (1.0 + norm), dtype=np.float64)

    def _own_boundary(self) -> float:
        return 1.0

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the positions that surprised most: what stood there, how likely it was, what was expected."""
        self._must_be_fitted()
        corpus = Corpus.of([sequence])
        if self._is_ordinary(corpus):
            return []
        positions = self._judge(corpus)
        surprise = positions.surprise if self.judges_end_ else positions.surprise[:-1]
        histories = self._histories(corpus)
        order = np.argsort(-surprise, kind="stable")[:MOST_REASONS]
        worst = order[surprise[order] >= WORTH_TELLING * surprise.max(initial=0.0)]
        return [
            self._reason(
                corpus[0], int(place), positions, self._log_p(histories.contexts[[histories.places[place]]])[0]
            )
            for place in worst
        ]

    def _reason(self, sequence: Keys, place: int, positions: Positions, log_p: Matrix) -> Reason:
        end = self._alphabet.end
        likely = [target for target in np.argsort(-log_p, kind="stable")[: MOST_EXPECTED + 1].tolist() if target != end]
        at_end = place == len(sequence)
        unseen = positions.rank[place] > end
        ending = float(np.exp(log_p[end]))
        detail = f"the end was expected here ({ending:.0%})" if not at_end and log_p[end] >= log_p.max() else ""
        return Reason(
            "unseen key" if unseen else "unexpected end" if at_end else "unexpected key",
            weight=float(positions.surprise[place]),
            position=place,
            key=None if at_end else int(sequence[place]),
            rank=int(positions.rank[place]),
            probability=0.0 if unseen else float(np.exp(-positions.surprise[place])),
            expected=tuple(
                (int(self.vocabulary_.keys[target]), float(np.exp(log_p[target]))) for target in likely[:MOST_EXPECTED]
            ),
            detail=detail,
        )

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {"keys": self.vocabulary_.keys}
        arrays.update({f"network.{name}": array for name, array in self.weights_.items()})
        return {"judges_end": self.judges_end_, "shape": asdict(self.network_.shape)}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        import torch

        self.vocabulary_ = Vocabulary(np.asarray(arrays["keys"], dtype=np.int32))
        self.judges_end_ = bool(facts["judges_end"])
        weights = {
            name.removeprefix("network."): np.array(array, dtype=np.float32)
            for name, array in arrays.items()
            if name.startswith("network.")
        }
        self.meaning_ = weights.get("meaning")
        network = self._build()
        network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        self._keep(network)


def _likelier(log_p: Matrix, rows: Rows, own: Scores) -> Rows:
    """Count the targets that are likelier than each one's own, some thousands at a time."""
    found = np.empty(len(rows), dtype=np.int64)
    step = max(1, 4_000_000 // log_p.shape[1])
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        found[part] = (log_p[rows[part]] > own[part, None]).sum(axis=1)
    return found
