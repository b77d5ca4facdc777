"""Isolation forest on key counts: how few random cuts set a sequence apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from logbert.detectors.baseline import HELD_OUT, Baseline
from logbert.detectors.corpus import Corpus, Rows, Scores
from logbert.detectors.count_reasons import count_reasons
from logbert.detectors.count_vectors import CountVectors, Matrix, Vocabulary
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.detectors.base import Reason

EULER_GAMMA = 0.5772156649015329
MOST_ROWS = 50_000  # to draw the trees' samples from; a hundred trees of 256 see half as many
OWN_BOUNDARY = 0.5  # the score of a sequence that is neither easier nor harder to set apart than the average


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of a forest, all nodes in one row.

    Attributes
    ----------
    roots
        The node each tree begins with.
    left, right
        Where to go when a count is at most `cut`, and where when it is more; a leaf leads to itself.
    column, cut
        What each node asks.
    samples
        How many training sequences ended in each node.
    sample
        How many each tree was grown from.
    """

    roots: Rows
    left: Rows
    right: Rows
    column: Rows
    cut: Matrix
    samples: Rows
    sample: int

    @classmethod
    def of(cls, forest: Any) -> Self:
        """Take the trees of a fitted scikit-learn forest."""
        trees = [estimator.tree_ for estimator in forest.estimators_]
        roots = np.cumsum([0] + [tree.node_count for tree in trees[:-1]])
        itself = [np.arange(tree.node_count) for tree in trees]

        def children(name: str) -> Rows:
            found = [np.asarray(getattr(tree, f"children_{name}")) for tree in trees]
            moved = [np.where(to < 0, own, to) + root for to, own, root in zip(found, itself, roots, strict=True)]
            return np.concatenate(moved).astype(np.int64)

        return cls(
            roots=roots.astype(np.int64),
            left=children("left"),
            right=children("right"),
            column=np.concatenate([np.maximum(tree.feature, 0) for tree in trees]).astype(np.int64),
            cut=np.concatenate([tree.threshold for tree in trees]).astype(np.float64),
            samples=np.concatenate([tree.n_node_samples for tree in trees]).astype(np.int64),
            sample=int(forest.max_samples_),
        )

    def score(self, matrix: Matrix) -> Scores:
        """Give each row 2 to the power of minus its mean path length over the expected one."""
        rows = np.arange(len(matrix))
        beyond = expected_path(self.samples)
        depths = np.zeros(len(matrix), dtype=np.float64)
        for root in self.roots:
            node = np.full(len(matrix), root, dtype=np.int64)
            while True:
                down = np.where(matrix[rows, self.column[node]] <= self.cut[node], self.left[node], self.right[node])
                moved = down != node
                if not moved.any():
                    break
                depths += moved
                node = down
            depths += beyond[node]
        most = len(self.roots) * float(expected_path(np.array([self.sample]))[0])
        # where sequences are all alike there is nothing to cut, and scikit-learn too calls the ratio one
        return np.asarray(2.0 ** -(depths / most if most > 0 else np.ones_like(depths)), dtype=np.float64)


def expected_path(samples: Rows) -> Matrix:
    """Give the mean path length of an unsuccessful search in a binary tree of so many leaves (equation 1)."""
    size = np.asarray(samples, dtype=np.float64)
    many = np.maximum(size, 3.0)
    length = 2.0 * (np.log(many - 1.0) + EULER_GAMMA) - 2.0 * (many - 1.0) / many
    return np.where(size <= 1, 0.0, np.where(size == 2, 1.0, length))


class IsolationForest(Baseline):
    """Random trees over key counts, after Liu et al. (2008).

    Each tree cuts a sample of the training sequences by random keys at random counts until every one stands alone. Odd
    sequences stand alone after few cuts. The raw score is the paper's, 2 to the power of minus the mean path length
    over the one to be expected; a key that training never saw sets a sequence apart before the first cut, and each
    occurrence adds one.

    Works when odd counts stick out one key at a time, and needs no tuning. Does not see order, nor counts that are
    ordinary one by one and only odd together; and with few distinct sequences the score has few values.

    Parameters
    ----------
    trees
        How many trees.
    sample
        How many sequences each tree is grown from.
    threshold
        "held-out" for the boundary of all detectors, "half" for the paper's: a score above 0.5.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences and for the trees.

    References
    ----------
    F. T. Liu, K. M. Ting, Z.-H. Zhou: Isolation forest. ICDM 2008.

    Examples
    --------
    >>> normal = [[1, 2, 3] * n for n in range(1, 101)]
    >>> detector = IsolationForest(trees=20, false_alarms=0.05).fit(normal)
    >>> detector.predict([[1, 2, 3] * 50, [1, 2, 99]]).tolist()
    [False, True]
    """

    name: ClassVar[str] = "isolation-forest"
    own_rule: ClassVar[str] = "half"

    def __init__(
        self,
        *,
        trees: int = 100,
        sample: int = 256,
        threshold: str = HELD_OUT,
        folds: int = 5,
        false_alarms: float = 0.001,
        seed: int = 0,
    ) -> None:
        self.trees = trees
        self.sample = sample
        self.threshold = threshold
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        from sklearn.ensemble import IsolationForest as Forest

        self._check_threshold()
        if self.trees < 1 or self.sample < 2:
            raise OptionError(f"a forest of {self.trees} trees of {self.sample}: give at least 1 tree of 2 sequences")
        self.vocabulary_ = Vocabulary.of(train)
        rows = train.inverse
        if len(rows) > MOST_ROWS:
            rows = np.random.default_rng(self.seed).choice(rows, MOST_ROWS, replace=False)
        distinct, places = np.unique(rows, return_inverse=True)
        counts = CountVectors.of(train, self.vocabulary_)
        self.typical_ = counts.medians(train.counts)
        matrix = counts.take(distinct).dense().astype(np.float32)[places]
        forest = Forest(n_estimators=self.trees, max_samples=min(self.sample, len(matrix)), random_state=self.seed)
        self.forest_ = Trees.of(forest.fit(matrix))

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give each distinct sequence the forest's score, and 1 and more where a key is unseen."""
        return self._raw(CountVectors.of(corpus, self.vocabulary_))

    def _raw(self, vectors: CountVectors) -> Scores:
        scores = np.empty(len(vectors), dtype=np.float64)
        for rows, block in vectors.blocks():
            matrix = block.dense()
            unseen = matrix[:, -1]
            scores[rows] = np.where(unseen > 0, 1.0 + unseen, self.forest_.score(matrix))
        return scores

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the keys whose usual count, put in the place of theirs, would lower the score most."""
        self._must_be_fitted()
        corpus = Corpus.of([sequence])
        if self._is_ordinary(corpus):
            return []
        vector = CountVectors.of(corpus, self.vocabulary_).dense()[0]
        substituted = np.tile(vector, (len(vector), 1))
        np.fill_diagonal(substituted, self.typical_)
        known = self.forest_.score(np.vstack([vector, substituted]))
        parts = known[0] - known[1:]
        parts[-1] = vector[-1]
        return count_reasons(corpus[0], self.vocabulary_, parts, self.typical_)

    def _own_boundary(self) -> float:
        return float(np.nextafter(OWN_BOUNDARY, 1.0))

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        forest = self.forest_
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "keys": self.vocabulary_.keys,
            "typical": self.typical_,
            "roots": forest.roots,
            "left": forest.left,
            "right": forest.right,
            "column": forest.column,
            "cut": forest.cut,
            "samples": forest.samples,
        }
        return {"sample": forest.sample}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.vocabulary_ = Vocabulary(np.asarray(arrays["keys"], dtype=np.int32))
        self.typical_ = np.asarray(arrays["typical"], dtype=np.float64)
        whole = {
            name: np.asarray(arrays[name], dtype=np.int64) for name in ("roots", "left", "right", "column", "samples")
        }
        self.forest_ = Trees(**whole, cut=np.asarray(arrays["cut"], dtype=np.float64), sample=int(facts["sample"]))
