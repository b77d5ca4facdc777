"""The three sequence files that the code of DeepLog, logdeep and LogBERT reads, as a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError
from logbert.sequences import KeyNames, read_sequences
from logbert.study.exams import Exam
from logbert.study.rules import LONG, SHORT, Protocol
from logbert.study.sources import Source, cut_long, key_texts, left_out, long_enough

if TYPE_CHECKING:
    from logbert.progress import Progress


class SequenceFiles(Source):
    """The training, normal test and abnormal test sequences in a file each, and the texts of keys in a fourth."""

    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""
        if protocol == "honest":
            return "sequence files, split as they come, nothing dropped"
        return f"sequence files, split as they come, sequences under {SHORT} keys dropped, cut at {LONG} keys"

    def split_seed(self, protocol: Protocol, seed: int) -> int:
        """Give 0: the files are the split."""
        return 0

    def _legacy(self, seed: int, progress: Progress) -> Exam:
        train, test, texts, facts = self._read(progress)
        kept = [long_enough(part) for part in (train, test)]
        if not all(len(part) for part in kept):
            raise InputError(f"{self.files[0]} and its companions hold no sequence of {SHORT} keys or more")
        return Exam.of(
            cut_long(kept[0]), cut_long(kept[1]), texts, **facts, **left_out(pl.concat([train, test]), *kept)
        )

    def _honest(self, seed: int, progress: Progress) -> Exam:
        train, test, texts, facts = self._read(progress)
        return Exam.of(train, test, texts, **facts)

    def _read(self, progress: Progress) -> tuple[pl.DataFrame, pl.DataFrame, KeyTexts, dict[str, int]]:
        names = KeyNames()
        parts = [
            read_sequences(path, names, progress=progress).select("keys", label=pl.lit(value))
            for path, value in zip(self.files[:3], (False, False, True), strict=True)
        ]
        texts = key_texts(names, self.files[3]) if len(self.files) > 3 else KeyTexts()
        messages = [int(part["keys"].list.len().sum()) for part in parts]
        facts = {"messages": sum(messages), "abnormal_messages": messages[2]}
        return parts[0], pl.concat(parts[1:]), texts, facts
