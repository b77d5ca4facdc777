"""What a detector is examined on: normal sequences to learn from, labelled ones to judge, and the texts of the keys."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from logbert.atomic import whole_folder
from logbert.detectors.key_texts import KeyTexts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

TENTH = 0.1


@dataclass(frozen=True, eq=False)
class Exam:
    """One split of one data set.

    Attributes
    ----------
    train
        Normal sequences, a list column `keys`; in order of time where there is time.
    test
        Sequences with their `keys` and `label`, in order of time where there is time.
    texts
        The texts of the keys, as far as they are known.
    facts
        Counts for table 1, and of what the protocol left out.

    Examples
    --------
    >>> exam = Exam.of(pl.DataFrame({"keys": [[1, 2], [1]]}), pl.DataFrame({"keys": [[3]], "label": [True]}))
    >>> exam.facts["train"], exam.facts["test_abnormal"], exam.facts["train_keys"], exam.facts["keys"]
    (2, 1, 2, 3)
    """

    train: pl.DataFrame
    test: pl.DataFrame
    texts: KeyTexts
    facts: Mapping[str, int]

    @classmethod
    def of(cls, train: pl.DataFrame, test: pl.DataFrame, texts: KeyTexts | None = None, **facts: int) -> Self:
        """Count what there is; `facts` are what cannot be counted here."""
        keys = pl.concat([train["keys"], test["keys"]]).explode().drop_nulls()
        abnormal = int(test["label"].sum())
        counted = {
            "keys": keys.n_unique(),
            "train_keys": train["keys"].explode().drop_nulls().n_unique(),
            "train": len(train),
            "test_normal": len(test) - abnormal,
            "test_abnormal": abnormal,
        }
        return cls(train.select("keys"), test.select("keys", "label"), texts or KeyTexts(), counted | facts)

    @property
    def truth(self) -> npt.NDArray[np.bool_]:
        """Which of the judged sequences are abnormal."""
        return np.asarray(self.test["label"].to_numpy(), dtype=np.bool_)

    def tenth(self, seed: int) -> Self:
        """Keep a tenth of what is learnt from and of what is judged, drawn by `seed`, in the same order."""
        thin = self.of(drawn(self.train, TENTH, seed), drawn(self.test, TENTH, seed), self.texts)
        return replace(thin, facts={**self.facts, **thin.facts})

    def save(self, folder: Path) -> None:
        """Write it to a folder, whole or not at all."""
        with whole_folder(folder) as partial:
            self.train.write_parquet(partial / "train.parquet")
            self.test.write_parquet(partial / "test.parquet")
            facts = {"texts": self.texts.state(), "facts": dict(self.facts)}
            (partial / "exam.json").write_text(json.dumps(facts), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read back what `save` wrote."""
        facts = json.loads((folder / "exam.json").read_text(encoding="utf-8"))
        train, test = (pl.read_parquet(folder / f"{part}.parquet") for part in ("train", "test"))
        return cls(train, test, KeyTexts.from_state(facts["texts"]), facts["facts"])


def facts_of(folder: Path) -> dict[str, int]:
    """Read the counts of a saved exam, without its sequences."""
    facts: dict[str, int] = json.loads((folder / "exam.json").read_text(encoding="utf-8"))["facts"]
    return facts


def drawn(rows: pl.DataFrame, share: float, seed: int) -> pl.DataFrame:
    """Draw a share of the rows, at least one, and keep their order."""
    size = max(1, round(len(rows) * share))
    chosen = np.random.default_rng([seed, len(rows)]).choice(len(rows), size=min(size, len(rows)), replace=False)
    return rows[np.sort(chosen)]
