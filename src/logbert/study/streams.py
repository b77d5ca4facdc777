"""A parsed log in order of time, a record a row, as data sets: shuffled as the paper does, near, and drifting."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError
from logbert.evaluation import split_rows
from logbert.sequences import KeyNames, read_sequences
from logbert.study.exams import Exam
from logbert.study.rules import NEAR, WINDOW, Protocol
from logbert.study.sources import Source, key_texts

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.progress import Progress


class Stream(Source):
    """A parsed log in order of time, a record a row (`event_id`, `alert`), cut into windows of 100 records.

    As the paper's code would have it: windows that overlap by half, shuffled before the split.
    """

    protocols: ClassVar[tuple[Protocol, ...]] = ("legacy",)

    def __init__(
        self, name: str, dataset: str, stream: Path, texts: Path | None = None, earlier: Path | None = None
    ) -> None:
        super().__init__(name, dataset, stream, texts, earlier)
        self.texts = texts
        self.earlier = earlier

    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""
        return f"parsed stream, windows of {WINDOW} records every {WINDOW // 2}, shuffled before the split"

    def _legacy(self, seed: int, progress: Progress) -> Exam:
        stream, names = self._stream()
        windows = cut_windows(stream, WINDOW // 2)
        size = self.rules.train_size(int((~windows["label"]).sum()))
        chosen, judged = split_rows(windows, size, split="random", seed=seed)
        return Exam.of(windows[chosen], windows[judged], self._texts(names), **_stream_counts(stream))

    def _honest(self, seed: int, progress: Progress) -> Exam:
        raise InputError(f"{self.name} is shuffled; the same stream in order of time is near and drift")

    def _stream(self) -> tuple[pl.DataFrame, KeyNames]:
        """Read the stream with its events numbered."""
        frame = pl.read_parquet(self.files[0], columns=["event_id", "alert"])
        names = KeyNames()
        return frame.select(key=names.encode(frame["event_id"].cast(pl.String)), label=pl.col("alert") != 0), names

    def _texts(self, names: KeyNames) -> KeyTexts:
        return KeyTexts() if self.texts is None else key_texts(names, self.texts)

    def _earlier(self, names: KeyNames, progress: Progress) -> pl.DataFrame:
        """Cut the normal windows of the time before the stream, where there are any, to the same length."""
        if self.earlier is None:
            return pl.DataFrame(schema={"keys": pl.List(pl.Int32)})
        hours = read_sequences(self.earlier, names, progress=progress).select("keys").with_row_index("hour")
        place = pl.int_range(pl.len()).over("hour")
        size = pl.len().over("hour")
        return (
            hours.explode("keys")
            .with_columns(window=place // WINDOW)
            .filter((pl.col("window") + 1) * WINDOW <= size.clip(WINDOW))
            .group_by("hour", "window", maintain_order=True)
            .agg("keys")
            .select("keys")
        )


class Near(Stream):
    """The stream in order of time: learn from the normal windows of its first part and of before, judge the rest."""

    protocols: ClassVar[tuple[Protocol, ...]] = ("honest",)

    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""
        before = "normal windows of the log's first half and " if self.earlier is not None else ""
        return (
            f"parsed stream in order of time, windows of {WINDOW} records: learns from {before}"
            f"the normal windows of its first {NEAR:.0%}, judges the rest"
        )

    def split_seed(self, protocol: Protocol, seed: int) -> int:
        """Give 0: the split goes by time."""
        return 0

    def _honest(self, seed: int, progress: Progress) -> Exam:
        stream, names = self._stream()
        cut = int(len(stream) * NEAR)
        learnt, judged = cut_windows(stream[:cut]), cut_windows(stream[cut:])
        normal = learnt.filter(~pl.col("label")).select("keys")
        train = pl.concat([self._earlier(names, progress), normal])
        return Exam.of(train, judged, self._texts(names), **_stream_counts(stream))


class Drift(Near):
    """The whole stream, judged by what was normal before it began."""

    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""
        return (
            f"parsed stream in order of time, windows of {WINDOW} records: learns from normal windows of the log's "
            "first half, judges the whole stream"
        )

    def _honest(self, seed: int, progress: Progress) -> Exam:
        stream, names = self._stream()
        train = self._earlier(names, progress)
        return Exam.of(train, cut_windows(stream), self._texts(names), **_stream_counts(stream))


def cut_windows(stream: pl.DataFrame, step: int = WINDOW) -> pl.DataFrame:
    """Cut whole windows of `WINDOW` records (`key`, `label`); one is abnormal if any of its records is.

    Examples
    --------
    >>> stream = pl.DataFrame({"key": range(250), "label": [False] * 220 + [True] + [False] * 29})
    >>> windows = cut_windows(stream.with_columns(pl.col("key").cast(pl.Int32)), step=50)
    >>> [(keys[0], label) for keys, label in windows.rows()]
    [(0, False), (50, False), (100, False), (150, True)]
    """
    begins = np.arange(0, len(stream) - WINDOW + 1, step)
    places = (begins[:, None] + np.arange(WINDOW)).ravel()
    members = stream[places].with_columns(window=pl.Series(np.repeat(np.arange(len(begins)), WINDOW)))
    return (
        members.group_by("window", maintain_order=True)
        .agg(keys=pl.col("key"), label=pl.col("label").any())
        .select("keys", "label")
    )


def _stream_counts(stream: pl.DataFrame) -> dict[str, int]:
    return {"messages": len(stream), "abnormal_messages": int(stream["label"].sum())}
