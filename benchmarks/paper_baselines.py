"""Two baselines as the code of LogBERT's paper ran them, on the HDFS sample: what its figures for them rest on.

    .venv/bin/python -m benchmarks.paper_baselines [--data ../shared/data/hdfs] [--seeds 0 1 2 3 4]

That code fitted the forest on the raw key counts of normal sessions and half as many abnormal ones, whose labels were
known; all short sessions stayed in the test. The sample has 350 abnormal sessions; 40 % of them go into training, as
there, so that a training set a third abnormal has 280 normal ones. Beside it stands the same forest without the
abnormal ones. Its boundary is scikit-learn's own in both.

LogCluster was fitted on normal sessions alone, on raw counts, too: clusters of the first thousand by complete linkage
up to a cosine distance of .3, their means as representatives, and farther than .3 from all is abnormal. Its short
sessions stayed in the test as well, while those of LogBERT had been dropped. Labels of the test set only measure.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.ensemble import IsolationForest

from benchmarks.baselines_hdfs import TRAIN, sessions

if TYPE_CHECKING:
    from benchmarks.baselines_hdfs import Sessions

SHORT = 10  # keys
LABELLED = 0.4  # of the abnormal sessions go into training
CLUSTERED = 1_000  # the first so many sessions; the others would join their clusters
DISTANCE = 0.3


def counts(log: Sessions) -> np.ndarray:
    """Count the keys of each session, (sessions, keys)."""
    matrix = np.zeros((len(log.corpus), int(log.corpus.keys.max()) + 1))
    np.add.at(matrix, (log.corpus.owners, log.corpus.keys), 1.0)
    return np.asarray(matrix[log.corpus.inverse])


def forest_flags(seed: int, train: np.ndarray, judged: np.ndarray) -> np.ndarray:
    forest = IsolationForest(n_estimators=100, contamination="auto", random_state=seed).fit(train)
    return np.asarray(forest.predict(judged) < 0)


def cluster_flags(train: np.ndarray, judged: np.ndarray) -> np.ndarray:
    first = unit(train[:CLUSTERED])
    clustering = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="complete", distance_threshold=DISTANCE
    )
    labels = clustering.fit(np.clip(1 - first @ first.T, 0, 2)).labels_
    means = np.stack([train[:CLUSTERED][labels == label].mean(axis=0) for label in range(labels.max() + 1)])
    return np.asarray(1 - (unit(judged) @ unit(means).T).max(axis=1) > DISTANCE)


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def runs(log: Sessions, matrix: np.ndarray, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Give for each way of fitting which sessions were judged and which of them flagged."""
    draw = np.random.default_rng(seed)
    normal, abnormal = (draw.permutation(np.flatnonzero(log.abnormal == kind)) for kind in (False, True))
    known = abnormal[: int(LABELLED * len(abnormal))]
    few, many = normal[: 2 * len(known)], normal[:TRAIN]
    forest = partial(forest_flags, seed)
    found = {}
    rest = np.setdiff1d(np.arange(len(matrix)), np.concatenate([many, known]))
    for name, taught, flags in (
        ("forest, a third of training abnormal", [few, known], forest),
        ("forest, the same without them", [few], forest),
        ("forest, 4,855 normal", [many], forest),
        ("LogCluster, 4,855 normal", [many], cluster_flags),
    ):
        train = matrix[np.concatenate(taught)]
        seen = train.any(axis=0)
        found[name] = (rest, flags(train[:, seen], matrix[rest][:, seen]))
    return found


def figures(flagged: np.ndarray, truth: np.ndarray) -> list[float]:
    hits = int((flagged & truth).sum())
    precision, recall = hits / max(int(flagged.sum()), 1), hits / int(truth.sum())
    return [precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/hdfs"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    options = parser.parse_args()
    log = sessions(options.data)
    matrix, long = counts(log), log.corpus.lengths[log.corpus.inverse] >= SHORT
    found: dict[str, list[list[float]]] = {}
    for seed in options.seeds:
        for name, (rest, flagged) in runs(log, matrix, seed).items():
            for sessions_judged, kept in (("all", np.ones(len(rest), dtype=np.bool_)), ("of 10 keys up", long[rest])):
                row = figures(flagged[kept], log.abnormal[rest][kept])
                found.setdefault(f"{name:37} {sessions_judged:14}", []).append(row)
    print(f"{'fitted on':37} {'judged':14}     P      R     F1  (mean and standard deviation)")
    for name, rows in found.items():
        means, spread = np.mean(rows, axis=0), np.std(rows, axis=0)
        print(name, " ".join(f"{mean:.3f}" for mean in means), " ", " ".join(f"{one:.3f}" for one in spread))


if __name__ == "__main__":
    main()
