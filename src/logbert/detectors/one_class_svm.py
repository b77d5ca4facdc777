"""One-class support vector machine on key counts: how far a sequence is from the crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from logbert.detectors.baseline import HELD_OUT, Baseline
from logbert.detectors.corpus import Corpus, Scores
from logbert.detectors.count_reasons import count_reasons
from logbert.detectors.count_vectors import CountVectors, Matrix, Vocabulary
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from logbert.detectors.base import Reason

MOST_VECTORS = 5_000  # distinct ones to fit on; the fit takes time with the square of their number
TOLERANCE = 1e-8  # of the fit: common sequences lie exactly on the border, and must not fall off it by rounding
DECIMALS = 3  # of the raw score, for the same reason: half of all sequences may share the border's log 2


class OneClassSVM(Baseline):
    """A one-class support vector machine with a Gaussian kernel on key counts, after Schölkopf et al. (2001).

    A few count vectors of normal sequences, the support vectors, span a density; a sequence below the machine's offset
    rho is outside. The raw score is log(1 + rho / density): it grows with the distance from the support vectors where
    the plain decision value goes flat, keeps its order, and is log 2 on the machine's own border.

    Works when normal sequences form a few dense clouds of counts. Does not see order; and since all keys share one
    kernel width, a key that occurs hundreds of times drowns those that occur once.

    Parameters
    ----------
    nu
        The share of training sequences the machine may leave outside.
    threshold
        "held-out" for the boundary of all detectors, "sign" for the machine's own.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences, and of those to fit on when there are very many.

    References
    ----------
    B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson: Estimating the support of a
    high-dimensional distribution. Neural Computation 2001.

    Examples
    --------
    >>> normal = [[1, 2, 3] * (n % 9 + 1) for n in range(100)]
    >>> detector = OneClassSVM().fit(normal)
    >>> detector.predict([[1, 2, 3] * 5, [1] * 50, [1, 2, 99]]).tolist()
    [False, True, True]
    """

    name: ClassVar[str] = "one-class-svm"
    own_rule: ClassVar[str] = "sign"

    def __init__(
        self, *, nu: float = 0.01, threshold: str = HELD_OUT, folds: int = 5, false_alarms: float = 0.001, seed: int = 0
    ) -> None:
        self.nu = nu
        self.threshold = threshold
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _learn(self, train: Corpus, held_out: Corpus) -> None:
        from sklearn.svm import OneClassSVM as Machine

        self._check_threshold()
        if not 0 < self.nu <= 1:
            raise OptionError(f"nu {self.nu} is no share: give one above 0 and up to 1, such as 0.01")
        self.vocabulary_ = Vocabulary.of(train)
        vectors, weights = CountVectors.of(train, self.vocabulary_).distinct(train.counts)
        if len(vectors) > MOST_VECTORS:
            chosen = np.sort(np.random.default_rng(self.seed).choice(len(vectors), MOST_VECTORS, replace=False))
            vectors, weights = vectors.take(chosen), weights[chosen]
        matrix = vectors.dense()
        self.gamma_ = _gamma(matrix, weights)
        machine = Machine(nu=self.nu, gamma=self.gamma_, tol=TOLERANCE)
        machine.fit(matrix, sample_weight=weights / weights.mean())
        self.support_ = np.ascontiguousarray(matrix[machine.support_])
        self.coefficients_ = machine.dual_coef_[0].astype(np.float64)
        self.rho_ = -float(machine.intercept_[0])

    def raw_scores(self, corpus: Corpus) -> Scores:
        """Give log(1 + rho / density) of each distinct sequence."""
        return np.round(log1p_ratio(self.rho_, self._log_density(self._vectors(corpus))), DECIMALS)

    def decision(self, corpus: Corpus) -> Scores:
        """Give the machine's decision value of each distinct sequence; below zero is outside."""
        return np.exp(self._log_density(self._vectors(corpus))) - self.rho_

    def _vectors(self, corpus: Corpus) -> CountVectors:
        # the data has no scale for what it never held: as a mere count an unseen key would hardly move the density
        scale = np.ones(self.vocabulary_.width, dtype=np.float64)
        scale[-1] = self.gamma_**-0.5
        return CountVectors.of(corpus, self.vocabulary_).weighted(scale)

    def _log_density(self, vectors: CountVectors) -> Scores:
        densities = np.empty(len(vectors), dtype=np.float64)
        known = np.square(self.support_).sum(axis=1)
        for rows, block in vectors.blocks():
            distances = block.squares()[:, None] + known - 2.0 * block.times(self.support_.T)
            densities[rows] = _log_sum(np.log(self.coefficients_) - self.gamma_ * distances)
        return densities

    def explain(self, sequence: Sequence[int] | npt.NDArray[np.integer]) -> list[Reason]:
        """Name the keys whose counts differ most from those of the nearest support vector."""
        self._must_be_fitted()
        corpus = Corpus.of([sequence])
        if self._is_ordinary(corpus):
            return []
        vector = self._vectors(corpus).dense()[0]
        nearest = self.support_[np.argmin(np.square(self.support_ - vector).sum(axis=1))]
        return count_reasons(corpus[0], self.vocabulary_, self.gamma_ * np.square(vector - nearest), nearest)

    def _own_boundary(self) -> float:
        return float(np.nextafter(np.round(np.log(2.0), DECIMALS), 1.0))

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "keys": self.vocabulary_.keys,
            "support": self.support_,
            "coefficients": self.coefficients_,
        }
        return {"rho": self.rho_, "gamma": self.gamma_}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.vocabulary_ = Vocabulary(np.asarray(arrays["keys"], dtype=np.int32))
        self.support_ = np.asarray(arrays["support"], dtype=np.float64)
        self.coefficients_ = np.asarray(arrays["coefficients"], dtype=np.float64)
        self.rho_ = float(facts["rho"])
        self.gamma_ = float(facts["gamma"])


def log1p_ratio(rho: float, log_density: Scores) -> Scores:
    """Give log(1 + rho / density) without overflow, however small the density."""
    if rho <= 0:
        return np.zeros_like(log_density)
    return np.asarray(np.logaddexp(0.0, np.log(rho) - log_density), dtype=np.float64)


def _gamma(matrix: Matrix, weights: npt.NDArray[np.int64]) -> float:
    """Give one over the number of columns times the variance of all cells: scikit-learn's "scale", weighted."""
    share = weights / weights.sum()
    mean = float((share @ matrix).mean())
    variance = float((share @ np.square(matrix)).mean()) - mean**2
    return 1.0 / (matrix.shape[1] * variance) if variance > 0 else 1.0


def _log_sum(exponents: Matrix) -> Scores:
    top = exponents.max(axis=1)
    return np.asarray(top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)), dtype=np.float64)
