"""What figures 4 and 5 of the paper are drawn from: the network's own vectors, and its figures over its parameters."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from logbert.detectors.corpus import Corpus
from logbert.detectors.logbert import LogBERT
from logbert.study.exams import drawn
from logbert.study.judging import fitted, legacy_figures, missed_tenths
from logbert.study.methods import build

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from logbert.study.exams import Exam

DRAWN: Final = 1_000  # sessions of each kind in figure 4
NEIGHBOURS: Final = 30  # of the locally linear embedding
VOTERS: Final = 10  # neighbours that say what a point is, where separation is measured
SWEEP_TRAIN: Final = 500  # sequences figure 5 learns from ...
SWEEP_TEST: Final = 3_000  # ... and judges: it trains a network for every point ...
SWEEP_EPOCHS: Final = 4  # ... for so long
ALPHAS: Final = (0.0, 0.1, 0.5, 1.0, 10.0)  # as the paper's code counts them
MASK_RATIOS: Final = (0.1, 0.3, 0.5, 0.7, 0.9)
CANDIDATES: Final = (1, 3, 5, 9, 15, 20, 30)


def represent(exam: Exam, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Embed the vectors h_DIST of normal and abnormal sequences in the plane, each distinct sequence once."""
    learn = Corpus.of(exam.train)
    detector = fitted(build("logbert", given, learn, seed), learn, "legacy")
    assert isinstance(detector, LogBERT)  # noqa: S101 - what build makes of this name
    draw = np.random.default_rng([seed, DRAWN])
    kinds = [np.flatnonzero(exam.truth == kind) for kind in (False, True)]
    rows = np.concatenate([draw.choice(kind, min(DRAWN, len(kind)), replace=False) for kind in kinds])
    chosen = Corpus.of(exam.test[rows])
    abnormal = np.bincount(chosen.inverse, weights=exam.truth[rows], minlength=len(chosen)).astype(np.float64)
    first = np.unique(chosen.inverse, return_index=True)[1]
    vectors = detector.represent(chosen)[first].astype(np.float64)
    distances = np.sqrt(np.square(vectors - detector.centre_).sum(axis=1))
    plane = embedded(vectors, seed)
    normal = chosen.counts.astype(np.float64) - abnormal
    return {
        "points": np.round(plane, 6).tolist(),
        "normal": normal.astype(int).tolist(),
        "abnormal": abnormal.astype(int).tolist(),
        "distances": np.round(distances, 6).tolist(),
        "separation": {
            "plane": separation(plane, normal, abnormal),
            "space": separation(vectors, normal, abnormal),
            "distance": ranked_apart(distances, normal, abnormal),
        },
    }


def embedded(vectors: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    """Lay vectors out in the plane by locally linear embedding, each axis scaled to a spread of 1."""
    from sklearn.manifold import LocallyLinearEmbedding

    neighbours = min(NEIGHBOURS, len(vectors) - 1)
    embedding = LocallyLinearEmbedding(n_neighbors=neighbours, eigen_solver="dense", random_state=seed)
    plane = embedding.fit_transform(vectors)
    return np.asarray((plane - plane.mean(axis=0)) / np.maximum(plane.std(axis=0), 1e-12), dtype=np.float64)


def separation(
    points: npt.NDArray[np.float64], normal: npt.NDArray[np.float64], abnormal: npt.NDArray[np.float64]
) -> float:
    """Say how well a point's nearest others tell whether it is abnormal: the area under the ROC of their vote.

    0.5 is mixed, 1 is apart. Each point is a distinct sequence that so many normal and abnormal sessions share.

    Examples
    --------
    >>> points = np.concatenate([np.arange(20.0), 100 + np.arange(20.0)])[:, None]
    >>> normal, abnormal = np.repeat([1.0, 0.0], 20), np.repeat([0.0, 1.0], 20)
    >>> separation(points, normal, abnormal)
    1.0
    """
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=min(VOTERS + 1, len(points))).fit(points).kneighbors(points)[1]
    others = np.array([row[row != place][:VOTERS] for place, row in enumerate(near)])
    return ranked_apart(abnormal[others].sum(axis=1) / (normal + abnormal)[others].sum(axis=1), normal, abnormal)


def ranked_apart(
    values: npt.NDArray[np.float64], normal: npt.NDArray[np.float64], abnormal: npt.NDArray[np.float64]
) -> float:
    """Give the area under the ROC: how often an abnormal session has the larger value of a random pair."""
    from sklearn.metrics import roc_auc_score

    truth = np.repeat([False, True], len(values))
    weights = np.concatenate([normal, abnormal])
    return float(roc_auc_score(truth, np.tile(values, 2), sample_weight=weights))


def sweep(exam: Exam, given: Mapping[str, Any], candidates: list[int], seed: int) -> dict[str, Any]:
    """Train one network and give its legacy figures under each number of candidates."""
    train = exam.train if len(exam.train) <= SWEEP_TRAIN else drawn(exam.train, SWEEP_TRAIN / len(exam.train), seed)
    test = exam.test if len(exam.test) <= SWEEP_TEST else drawn(exam.test, SWEEP_TEST / len(exam.test), seed)
    learn, judged = Corpus.of(train), Corpus.of(test)
    truth = test["label"].to_numpy().astype(np.bool_)
    detector = fitted(build("logbert", {"epochs": SWEEP_EPOCHS, **given}, learn, seed), learn, "legacy")
    assert isinstance(detector, LogBERT)  # noqa: S101 - what build makes of this name
    tenths = missed_tenths(detector, judged, candidates)
    figures = {str(g): asdict(legacy_figures(own, truth)) for g, own in zip(candidates, tenths, strict=True)}
    return {"figures": figures, "train": len(train), "test": len(test)}
