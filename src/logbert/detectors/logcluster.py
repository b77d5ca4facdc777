"""LogCluster: normal sequences in clusters, and how far a sequence is from the nearest one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from logbert.detectors.baseline import HELD_OUT, Baseline
from logbert.detectors.corpus import Corpus, Rows, Scores
from logbert.detectors.count_reasons import count_reasons
from logbert.detectors.count_vectors import CountVectors, Matrix, Vocabulary, inverse_document_frequency
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from logbert.detectors.base import Reason

MOST_VECTORS = 2_000  # clustered at once; their distances are a matrix of 32 MB
LEAST_COSINE = 1e-12  # a sequence that shares no key with any cluster is as far as 27.6


class LogCluster(Baseline):
    """Clusters of idf-weighted key counts, after Lin et al. (2016).

    A sequence becomes a vector: each key's 1 + log(count), weighted by the sigmoid of its inverse document frequency.
    Normal vectors are clustered bottom up by cosine distance, the farthest pair deciding (complete linkage), until
    clusters are more than `distance` apart. Of each cluster the member nearest to all others represents it. Vectors
    beyond the first `MOST_VECTORS` are assigned to the nearest representative, and those too far from all are clustered
    in turn, as the paper does online. The raw score is -log(cosine) to the nearest representative.

    Works when runs come in a few distinct kinds, and says what a sequence has too much or too little of compared with
    the nearest kind. Does not see order; within a cluster all is equal, so a deviation smaller than a cluster is
    missed, and one odd key among many ordinary ones changes an angle little.

    Parameters
    ----------
    distance
        The cosine distance up to which sequences are one cluster.
    threshold
        "held-out" for the boundary of all detectors, "distance" for the paper's: farther than `distance` from all
        representatives.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences.

    References
    ----------
    Q. Lin, H. Zhang, J.-G. Lou, Y. Zhang, X. Chen: Log clustering based problem identification for online service
    systems. ICSE 2016.

    Examples
    --------
    >>> normal = [[1, 2] * n for n in range(1, 40)] + [[7, 8, 9] * n for n in range(1, 40)]
    >>> detector = LogCluster().fit(normal)
    >>> detector.predict([[1, 2, 2, 1], [1, 7], [1, 2, 99]]).tolist()
    [False, True, True]
    >>> len(detector.representatives_)
    2
    """

    name: ClassVar[str] = "logcluster"
    own_rule: ClassVar[str] = "distance"

    def __init__(
        self,
        *,
        distance: float = 0.3,
        threshold: str = HELD_OUT,
        folds: int = 5,
        false_alarms: float = 0.001,
        seed: int = 0,
    ) -> None:
        self.distance = distance
        self.threshold = threshold
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        self._check_threshold()
        if not 0 < self.distance < 1:
            raise OptionError(f"distance {self.distance} is no cosine distance: give one between 0 and 1, such as 0.3")
        self.vocabulary_ = Vocabulary.of(train)
        counts, weights = CountVectors.of(train, self.vocabulary_).distinct(train.counts)
        idf = inverse_document_frequency(counts, weights)
        self.weights_ = 1.0 / (1.0 + np.exp(-idf))
        self.representatives_ = np.zeros((0, self.vocabulary_.width), dtype=np.float64)
        order = np.argsort(-weights, kind="stable")  # the commonest kinds of run are settled first
        while len(order):
            first, order = order[:MOST_VECTORS], order[MOST_VECTORS:]
            found = self._represent(counts.take(first), weights[first])
            self.representatives_ = np.vstack([self.representatives_, found])
            far = self._oddness(counts.take(order)) > self._own_boundary()
            order = order[far]

    def _represent(self, counts: CountVectors, weights: Rows) -> Matrix:
        """Cluster these vectors and give each cluster's representative, as counts."""
        unit = self._unit_vectors(counts).dense()
        distances = np.clip(1.0 - unit @ unit.T, 0.0, 2.0)
        labels = _complete_linkage(distances, self.distance)
        chosen = []
        for label in range(labels.max() + 1):
            members = np.flatnonzero(labels == label)
            spread = np.round(distances[np.ix_(members, members)] @ weights[members], 9)
            chosen.append(members[np.argmin(spread)])
        return counts.take(np.array(chosen)).dense()

    def _unit_vectors(self, counts: CountVectors) -> CountVectors:
        damped = CountVectors(counts.starts, counts.columns, 1.0 + np.log(counts.values), counts.width)
        weighted = damped.weighted(self.weights_)
        lengths = np.sqrt(weighted.squares())
        return CountVectors(counts.starts, counts.columns, weighted.values / lengths[weighted.owners], counts.width)

    def _unit_representatives(self) -> Matrix:
        """Give the representatives as unit vectors, (clusters, columns)."""
        damped = np.log(np.maximum(self.representatives_, 1.0)) + (self.representatives_ > 0)
        weighted = damped * self.weights_
        return np.asarray(weighted / np.maximum(np.sqrt(np.square(weighted).sum(axis=1)), 1e-300)[:, None])

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give -log(cosine) of each distinct sequence to its nearest representative; an empty sequence is at none."""
        return self._oddness(CountVectors.of(corpus, self.vocabulary_))

    def _oddness(self, counts: CountVectors) -> Scores:
        scores = np.empty(len(counts), dtype=np.float64)
        representatives = self._unit_representatives().T
        for rows, block in counts.blocks():
            cosines = self._unit_vectors(block).times(representatives).max(axis=1, initial=0.0)
            scores[rows] = -np.log(np.clip(cosines, LEAST_COSINE, 1.0))
        return scores

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name what the sequence has too much or too little of beside its nearest representative."""
        self._must_be_fitted()
        corpus = Corpus.of([sequence])
        if self._is_ordinary(corpus):
            return []
        vector = self._unit_vectors(CountVectors.of(corpus, self.vocabulary_)).dense()[0]
        representatives = self._unit_representatives()
        nearest = int(np.argmax(representatives @ vector))
        parts = np.square(vector - representatives[nearest]) / 2.0  # they sum to the cosine distance
        return count_reasons(corpus[0], self.vocabulary_, parts, self.representatives_[nearest])

    def _own_boundary(self) -> float:
        return float(np.nextafter(-np.log(1.0 - self.distance), np.inf))

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "keys": self.vocabulary_.keys,
            "weights": self.weights_,
            "representatives": self.representatives_,
        }
        return {}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.vocabulary_ = Vocabulary(np.asarray(arrays["keys"], dtype=np.int32))
        self.weights_ = np.asarray(arrays["weights"], dtype=np.float64)
        self.representatives_ = np.asarray(arrays["representatives"], dtype=np.float64)


def _complete_linkage(distances: Matrix, most: float) -> Rows:
    """Cluster so that no pair within a cluster is more than `most` apart; give each vector its cluster."""
    from sklearn.cluster import AgglomerativeClustering

    if len(distances) < 2:
        return np.zeros(len(distances), dtype=np.int64)
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="complete", distance_threshold=most
    )
    return np.asarray(clustering.fit(distances).labels_, dtype=np.int64)
