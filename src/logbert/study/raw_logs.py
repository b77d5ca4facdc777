"""Raw logs as data sets: read, parsed and grouped by our own rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.evaluation import split_rows
from logbert.lines import open_records, read_labels
from logbert.pipeline.intake import LogIntake
from logbert.sequences import apply_labels
from logbert.study.exams import Exam
from logbert.study.rules import LONG, SHORT, Protocol
from logbert.study.sources import Source, cut_long, left_out, long_enough
from logbert.templates import Masks

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.pipeline.intake import Taken
    from logbert.progress import Progress


class RawLog(Source):
    """The raw log, with its labels in it or in the second file."""

    def __init__(self, name: str, dataset: str, log: Path, labels: Path | None = None) -> None:
        super().__init__(name, dataset, log, labels)
        self._whole: dict[str, tuple[LogIntake, Taken]] = {}

    def describe(self, protocol: Protocol) -> str:
        """Say in a sentence what is learnt from and what is judged."""
        rules = self.rules
        if protocol == "legacy":
            return (
                f"raw log, {rules.legacy_group}, all of it parsed at once, sequences under {SHORT} keys dropped, "
                f"cut at {LONG} keys, split at random"
            )
        split = "in order of time" if rules.honest_split == "time" else "at random"
        return f"raw log, {rules.honest_group}, parsed from the training part alone, split {split}, nothing dropped"

    def forget(self) -> None:
        """Let go of the parsed log."""
        self._whole.clear()

    def split_seed(self, protocol: Protocol, seed: int) -> int:
        """Give the seed the split is drawn by; 0 where it goes by time."""
        return 0 if protocol == "honest" and self.rules.honest_split == "time" else seed

    def _legacy(self, seed: int, progress: Progress) -> Exam:
        _, taken = self._learnt(self.rules.legacy_group, progress)
        every = taken.sequences
        kept = long_enough(every)
        size = self.rules.train_size(int((~kept["label"]).sum()))
        chosen, judged = split_rows(kept, size, split="random", seed=seed)
        return Exam.of(
            cut_long(kept[chosen]), cut_long(kept[judged]), taken.known, **self._counts(taken), **left_out(every, kept)
        )

    def _honest(self, seed: int, progress: Progress) -> Exam:
        intake, whole = self._learnt(self.rules.honest_group, progress)
        sequences = whole.sequences
        size = self.rules.train_size(int((~sequences["label"]).sum()))
        chosen, judged = split_rows(sequences, size, split=self.rules.honest_split, seed=seed)
        taken = intake.learn_from(self.files[:1], sequences[chosen], progress)
        keys = taken.sequences.select("keys")
        return Exam.of(
            keys[chosen],
            keys[judged].with_columns(sequences["label"].gather(judged)),
            taken.known,
            **self._counts(whole),
        )

    def _learnt(self, group: str, progress: Progress) -> tuple[LogIntake, Taken]:
        """Read and parse the whole log, once for each way of grouping; sequences without a label are normal."""
        if group not in self._whole:
            intake = LogIntake(format=self.rules.format, group=group, masks=Masks.default())
            taken = intake.learn(self.files[:1], progress)
            if len(self.files) > 1:
                taken.sequences, notes = apply_labels(taken.sequences, read_labels(self.files[1]))
                for note in notes:
                    progress.note(f"{self.name}: {note}")
            taken.sequences = taken.sequences.with_columns(pl.col("label").fill_null(value=False))
            self._whole[group] = (intake, taken)
        return self._whole[group]

    def _counts(self, taken: Taken) -> dict[str, int]:
        """Count messages, and the abnormal ones: as the log labels them, else those of abnormal sequences."""
        if len(self.files) > 1:
            abnormal = int(taken.sequences.filter("label")["keys"].list.len().sum())
        else:
            records = open_records(self.files, self.rules.format)
            abnormal = sum(int(frame["label"].sum()) for frame in records)
        return {"messages": taken.records, "abnormal_messages": abnormal}
