"""What every data set is, however it was found: files with a checksum that a protocol splits into exams."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError
from logbert.progress import SILENT, Progress
from logbert.study.rules import LONG, PROTOCOLS, RULES, SHORT, Protocol, Rules

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.sequences import KeyNames
    from logbert.study.exams import Exam

READ_AT_ONCE = 1 << 24  # bytes


class Source(ABC):
    """One data set as it was found.

    Parameters
    ----------
    name
        What it is called here: "hdfs", "hdfs-sample", "bgl-near".
    dataset
        Whose column of the paper's tables it belongs to.
    files
        What is read.
    """

    protocols: ClassVar[tuple[Protocol, ...]] = PROTOCOLS

    def __init__(self, name: str, dataset: str, *files: Path | None) -> None:
        self.name = name
        self.dataset = dataset
        self.files = tuple(file for file in files if file is not None)

    @property
    def rules(self) -> Rules:
        """How the paper's code treats this set."""
        return RULES[self.dataset]

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over the contents of all files."""
        digest = hashlib.sha256()
        for path in self.files:
            with path.open("rb") as file:
                while block := file.read(READ_AT_ONCE):
                    digest.update(block)
        return digest.hexdigest()

    def deal(self, protocol: Protocol, seed: int, progress: Progress = SILENT) -> Exam:
        """Split by a protocol."""
        if protocol not in self.protocols:
            raise InputError(f"{self.name} cannot be split by the {protocol} protocol")
        return self._legacy(seed, progress) if protocol == "legacy" else self._honest(seed, progress)

    def forget(self) -> None:  # noqa: B027 - most keep nothing
        """Let go of what was kept between one split and the next."""

    def split_seed(self, protocol: Protocol, seed: int) -> int:
        """Give the seed the split is drawn by; 0 where nothing is drawn."""
        return seed

    @abstractmethod
    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""

    @abstractmethod
    def _legacy(self, seed: int, progress: Progress) -> Exam: ...

    @abstractmethod
    def _honest(self, seed: int, progress: Progress) -> Exam: ...


def cut_long(sequences: pl.DataFrame) -> pl.DataFrame:
    """Cut off what the paper's code does not read."""
    return sequences.with_columns(pl.col("keys").list.head(LONG))


def left_out(every: pl.DataFrame, *kept: pl.DataFrame) -> dict[str, int]:
    """Count what the legacy protocol drops and cuts."""
    abnormal = int(every["label"].sum())
    return {
        "dropped": len(every) - sum(map(len, kept)),
        "dropped_abnormal": abnormal - sum(int(part["label"].sum()) for part in kept),
        "cut": sum(int((part["keys"].list.len() > LONG).sum()) for part in kept),
    }


def long_enough(sequences: pl.DataFrame) -> pl.DataFrame:
    """Drop the sequences that the paper's code drops."""
    return sequences.filter(pl.col("keys").list.len() >= SHORT)


def key_texts(names: KeyNames, path: Path) -> KeyTexts:
    """Give the texts of those keys that a file of templates has."""
    return KeyTexts(dict(names.texts(path).drop_nulls("template").select("key", "template").iter_rows()))
