"""From inputs to sequences: raw logs by way of templates, or files that hold sequences of keys already.

An intake learns what it must know of the inputs (`learn`, at training) and applies it (`take`, at detection) without
changing: what one detection saw never colours the next.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import polars as pl

from logbert.alike import ALIKE
from logbert.detectors.key_texts import KeyTexts
from logbert.errors import InputError, OptionError
from logbert.lines import Format, RecordReader, open_records
from logbert.lines.layout import ALWAYS
from logbert.pipeline.levels import LevelTally
from logbert.sequences import Grouping
from logbert.templates import Masks, Templates, ValueReader

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from logbert.progress import Progress

NO_TEMPLATES = "--templates gives text to the keys of sequence files; this input is a log, which has text"
CHOOSING_RECORDS = 100_000  # how many first records `--group auto` looks at


@dataclass
class Taken:
    """Sequences, and what is needed to speak of them in the words of the log.

    Attributes
    ----------
    sequences
        One row a sequence, as the sequences room gives them.
    names
        What to call each key: the text of its template, or the name the input has for it.
    known
        Texts and levels of the keys that have any, for detectors that read.
    texts
        The original text of the records that begin at these lines: line, source, number, text.
    records
        How many records went in.
    facts
        What was read, in sentences, for the user.
    values
        What stood in the wildcards of the messages, if that was asked for: line, key, slot, unit, number, word.
    """

    sequences: pl.DataFrame
    names: dict[int, str]
    known: KeyTexts
    texts: Callable[[Sequence[int]], pl.DataFrame]
    records: int
    facts: list[str] = field(default_factory=list)
    values: pl.DataFrame | None = None

    def name_of(self, key: int) -> str:
        """Give what to call a key."""
        return self.names.get(key, f"key {key}")


class Intake(Protocol):
    """Whatever turns inputs into sequences.

    Attributes
    ----------
    slots
        Which values are to be read from messages, as (key, number of the wildcard); None for all, empty for none.
    """

    slots: Collection[tuple[int, int]] | None

    def learn(self, inputs: Sequence[str | Path], progress: Progress) -> Taken:
        """Learn from training inputs, and give their sequences."""

    def learn_from(self, inputs: Sequence[str | Path], chosen: pl.DataFrame, progress: Progress) -> Taken:
        """Learn afresh from the chosen sequences only; give all sequences as a model so taught has them."""

    def take(self, inputs: Sequence[str | Path], progress: Progress, templates: str | Path | None) -> Taken:
        """Give the sequences of other inputs, without changing."""

    def save(self, folder: Path) -> dict[str, Any]:
        """Write what was learnt into a folder; what JSON can hold is given back."""

    def describe(self) -> dict[str, Any]:
        """Give what there is to know, for people; `templates` is a list of key, template and count."""


class LogIntake:
    """Raw logs: header format, templates, grouping."""

    kind: ClassVar[str] = "log"

    def __init__(self, *, format: str | Format, group: str | Grouping, masks: Masks) -> None:  # noqa: A002
        self.format = format
        self.group = group
        self.slots: Collection[tuple[int, int]] | None = ()
        self.templates = Templates(masks=masks)

    def learn(self, inputs: Sequence[str | Path], progress: Progress) -> Taken:
        """Find the format and the grouping where they are on auto, then learn the templates."""
        reader = open_records(inputs, self.format, progress=progress, compare=True)
        frames, first = _with_first_records(reader, CHOOSING_RECORDS)
        if isinstance(self.group, str):
            self.group = Grouping.choose(first) if self.group == "auto" else Grouping.parse(self.group)
        progress.note(f"sequences: {self.group.why}")
        taken = self._group(inputs, reader, frames, self.templates, learning=True)
        self.format = reader.format
        return taken

    def learn_from(self, inputs: Sequence[str | Path], chosen: pl.DataFrame, progress: Progress) -> Taken:
        """Learn the templates from the records of the chosen sequences; the others' messages are followed."""
        lines = chosen["lines"].explode().unique().implode()
        self.templates = Templates(masks=self.templates.masks)
        reader = open_records(inputs, self.format, progress=progress, compare=True)
        reader.only(())
        for frame in reader:
            own = frame.filter(pl.col("line").is_in(lines))
            self.templates.encode(own["message"], own[ALIKE])
        self.templates.learn()
        return self._group(inputs, reader, reader, deepcopy(self.templates), learning=False)

    def take(self, inputs: Sequence[str | Path], progress: Progress, templates: str | Path | None = None) -> Taken:
        """Read with the learnt format, give new messages new keys on a copy of the templates."""
        if templates is not None:
            raise OptionError(NO_TEMPLATES)
        reader = open_records(inputs, self.format, progress=progress, compare=True)
        return self._group(inputs, reader, reader, deepcopy(self.templates), learning=False)

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the templates; give format and grouping."""
        if isinstance(self.format, str) or isinstance(self.group, str):
            raise InputError("nothing has been learnt yet; call fit first")
        self.templates.save(folder / "templates")
        return {"kind": self.kind, "format": self.format.state(), "group": self.group.state()}

    @classmethod
    def load(cls, folder: Path, state: dict[str, Any]) -> LogIntake:
        """Take back what `save` wrote."""
        templates = Templates.load(folder / "templates")
        intake = cls(
            format=Format.from_state(state["format"]),
            group=Grouping.from_state(state["group"]),
            masks=templates.masks,
        )
        intake.templates = templates
        return intake

    def describe(self) -> dict[str, Any]:
        """Give what there is to know, for people."""
        table = self.templates.table.sort("count", descending=True, maintain_order=True)
        return {
            "input": "a log",
            "format": str(self.format),
            "grouping": self.group if isinstance(self.group, str) else self.group.why,
            "templates": table.select("key", "template", "count").to_dicts(),
        }

    def _group(
        self,
        inputs: Sequence[str | Path],
        reader: RecordReader,
        frames: Iterable[pl.DataFrame],
        templates: Templates,
        *,
        learning: bool,
    ) -> Taken:
        assert isinstance(self.group, Grouping)  # noqa: S101 - learn has run
        if set(self.group.fields) <= {*reader.format.columns, *ALWAYS}:  # else whoever misses one names all there are
            reader.only({"level", "label", *self.group.fields})
        collector = self.group.collector()
        levels = LevelTally()
        reader_of_values = ValueReader(templates, self.slots) if self.slots is None or self.slots else None
        for frame in frames:
            codes = templates.encode(frame["message"], frame[ALIKE])
            collector.add(frame, codes)
            levels.add(frame, codes)
            if reader_of_values is not None:
                reader_of_values.add(frame["line"], frame["message"], codes, frame[ALIKE])
        if learning:
            templates.learn()
        else:
            templates.follow()
        sequences = collector.finish(templates.key_of_code)
        summary = reader.summary
        if not summary.records:
            raise InputError(f"there are no records in {', '.join(map(str, inputs))}")
        names = dict(templates.table.select("key", "template").iter_rows())
        return Taken(
            sequences=sequences,
            names=names,
            known=KeyTexts(names, levels.of_keys(templates.key_of_code)),
            texts=reader.texts,
            records=summary.records,
            facts=[str(summary), *collector.notes],
            values=None if reader_of_values is None else reader_of_values.finish(),
        )


def _with_first_records(reader: RecordReader, wanted: int) -> tuple[Iterator[pl.DataFrame], pl.DataFrame]:
    """Look at the first records without losing them: all frames again, and one of the first `wanted` records."""
    held: list[pl.DataFrame] = []
    rest = iter(reader)
    seen = 0
    for frame in rest:
        held.append(frame)
        seen += len(frame)
        if seen >= wanted:
            break

    def replay() -> Iterator[pl.DataFrame]:
        while held:
            yield held.pop(0)
        yield from rest

    first = pl.concat(held, how="diagonal").head(wanted) if held else pl.DataFrame()
    return replay(), first
