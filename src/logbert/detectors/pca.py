"""PCA on weighted key counts: what normal sequences do not vary in, and this one does."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from logbert.detectors.baseline import HELD_OUT, Baseline
from logbert.detectors.corpus import Corpus, Scores
from logbert.detectors.count_reasons import count_reasons
from logbert.detectors.count_vectors import CountVectors, Matrix, Vocabulary, inverse_document_frequency
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from logbert.detectors.base import Reason


class PCA(Baseline):
    """Principal components of tf-idf weighted key counts, after Xu et al. (2009).

    The counts of normal sequences vary together: as many blocks are closed as were opened. A few principal components
    hold most of that variation; what is left of a sequence outside them, squared and summed (the squared prediction
    error, SPE), is its raw score.

    Works when sessions are counted by steps that belong together, and in an instant. Does not see order at all, nor
    the absence of a key that every sequence has: its tf-idf weight is zero. Long windows of mixed activity have too
    many independent counts for a small subspace.

    Parameters
    ----------
    variance
        The share of the variance the principal components must hold.
    threshold
        "held-out" for the boundary of all detectors, "q" for the paper's: the Q-statistic of Jackson and Mudholkar.
    q_alpha
        The false-alarm rate the Q-statistic is to keep if counts were normally distributed, which they are not.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences.

    References
    ----------
    W. Xu, L. Huang, A. Fox, D. Patterson, M. I. Jordan: Detecting large-scale system problems by mining console logs.
    SOSP 2009.

    Examples
    --------
    >>> normal = [[1, 2, 3] * n + [4] * (n % 3) for n in range(1, 101)]
    >>> detector = PCA(false_alarms=0.1).fit(normal)
    >>> detector.predict([[1, 2, 3] * 10, [1] * 10 + [2] * 25 + [3] * 10, [1, 2, 3, 99]]).tolist()
    [False, False, True]
    """

    name: ClassVar[str] = "pca"
    own_rule: ClassVar[str] = "q"

    def __init__(
        self,
        *,
        variance: float = 0.95,
        threshold: str = HELD_OUT,
        q_alpha: float = 0.001,
        folds: int = 5,
        false_alarms: float = 0.001,
        seed: int = 0,
    ) -> None:
        self.variance = variance
        self.threshold = threshold
        self.q_alpha = q_alpha
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        self._check_threshold()
        if not 0 < self.variance < 1:
            raise OptionError(f"variance {self.variance} is no share: give one between 0 and 1, such as 0.95")
        self.vocabulary_ = Vocabulary.of(train)
        counts = CountVectors.of(train, self.vocabulary_)
        self.idf_ = inverse_document_frequency(counts, train.counts)
        self.mean_, covariance = _moments(counts.weighted(self.idf_), train.counts.astype(np.float64))
        values, vectors = np.linalg.eigh(covariance)
        values = np.maximum(values[::-1], 0.0)
        held = np.cumsum(values)
        size = int(np.searchsorted(held, self.variance * held[-1])) + 1 if held[-1] > 0 else 0
        self.components_ = np.ascontiguousarray(vectors.T[::-1][:size])
        self.q_limit_ = q_limit(values[size:], self.q_alpha)

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give the squared prediction error of each distinct sequence."""
        scores = np.empty(len(corpus), dtype=np.float64)
        for rows, vectors in CountVectors.of(corpus, self.vocabulary_).weighted(self.idf_).blocks():
            scores[rows] = np.square(self._residuals(vectors)).sum(axis=1)
        return scores

    def _residuals(self, vectors: CountVectors) -> Matrix:
        """Give what the principal components leave of each weighted vector, (sequences, columns)."""
        residuals = vectors.dense() - self.mean_
        coordinates = vectors.times(self.components_.T) - (self.components_ * self.mean_).sum(axis=1)
        for component, along in zip(self.components_, coordinates.T, strict=True):
            residuals -= along[:, None] * component
        return residuals

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the keys with the largest part in the residual, and how often the components expected them."""
        self._must_be_fitted()
        corpus = Corpus.of([sequence])
        if self._is_ordinary(corpus):
            return []
        vectors = CountVectors.of(corpus, self.vocabulary_)
        residual = self._residuals(vectors.weighted(self.idf_))[0]
        surplus = np.divide(residual, self.idf_, out=np.zeros_like(residual), where=self.idf_ > 0)
        typical = np.round(vectors.dense()[0] - surplus)
        return count_reasons(corpus[0], self.vocabulary_, np.square(residual), typical)

    def _own_boundary(self) -> float:
        return max(self.q_limit_, self.unit)

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "keys": self.vocabulary_.keys,
            "idf": self.idf_,
            "mean": self.mean_,
            "components": self.components_,
        }
        return {"q_limit": self.q_limit_}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.q_limit_ = float(facts["q_limit"])
        self.vocabulary_ = Vocabulary(np.asarray(arrays["keys"], dtype=np.int32))
        self.idf_ = np.asarray(arrays["idf"], dtype=np.float64)
        self.mean_ = np.asarray(arrays["mean"], dtype=np.float64)
        self.components_ = np.asarray(arrays["components"], dtype=np.float64)


def _moments(vectors: CountVectors, weights: Matrix) -> tuple[Matrix, Matrix]:
    """Give the weighted mean and covariance, block by block."""
    total = weights.sum()
    mean = np.zeros(vectors.width, dtype=np.float64)
    for rows, block in vectors.blocks():
        mean += weights[rows] @ block.dense()
    mean /= total
    covariance = np.zeros((vectors.width, vectors.width), dtype=np.float64)
    for rows, block in vectors.blocks():
        centred = block.dense() - mean
        covariance += (centred * weights[rows, None]).T @ centred
    return mean, covariance / total


def q_limit(eigenvalues: Matrix, alpha: float) -> float:
    """Give the squared prediction error that a share `alpha` of normally distributed data exceeds.

    Jackson and Mudholkar (1979), from the eigenvalues of the residual subspace. Where their approximation has no
    answer (h0 not positive, or the root of a negative number), Box's: a scaled chi-squared with the same mean and
    variance.

    Examples
    --------
    >>> round(q_limit(np.array([1.0]), 0.05), 2)  # a chi-squared with one degree of freedom: 3.84
    3.75
    """
    theta1, theta2, theta3 = (float(np.sum(eigenvalues**power)) for power in (1, 2, 3))
    if theta2 <= 0:
        return 0.0
    deviate = NormalDist().inv_cdf(1 - alpha)
    h0 = 1 - 2 * theta1 * theta3 / (3 * theta2**2)
    if h0 > 0:
        base = deviate * np.sqrt(2 * theta2 * h0**2) / theta1 + 1 + theta2 * h0 * (h0 - 1) / theta1**2
        if base > 0:
            return float(theta1 * base ** (1 / h0))
    freedom = theta1**2 / theta2
    spread = 2 / (9 * freedom)  # Wilson and Hilferty's cube root of a chi-squared
    return float(theta2 / theta1 * freedom * max(1 - spread + deviate * np.sqrt(spread), 0.0) ** 3)
