"""Intake of files that hold sequences of keys already: one sequence a line, or Parquet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from logbert.detectors.key_texts import KeyTexts
from logbert.errors import ModelError
from logbert.pipeline.intake import Taken
from logbert.pipeline.store import read_json, write_json
from logbert.sequences import Grouping, KeyNames, read_sequences

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from logbert.progress import Progress

NAMES = "names.json"


class KeyIntake:
    """Sequences of keys: the names of the keys, their text if a file gives it, and how a stream is cut into windows."""

    kind: ClassVar[str] = "keys"

    def __init__(self, *, group: str | Grouping = "auto", templates: str | Path | None = None) -> None:
        self.group: Grouping | None
        if isinstance(group, str):
            self.group = None if group == "auto" else Grouping.parse(group)
        else:
            self.group = group
        self.templates = templates
        self.slots: Collection[tuple[int, int]] | None = ()
        self.names = KeyNames()
        self.texts: dict[str, str] = {}

    def learn(self, inputs: Sequence[str | Path], progress: Progress) -> Taken:
        """Read training sequences and number their keys."""
        taken = self._read(inputs, self.names, progress)
        if self.templates is not None:
            self.texts |= self._texts_of(self.names, self.templates, progress)
        return self._named(taken, self.names, self.texts)

    def learn_from(self, inputs: Sequence[str | Path], chosen: pl.DataFrame, progress: Progress) -> Taken:
        """Give all sequences; keys come with them, so there is nothing to learn from the chosen ones."""
        return self.learn(inputs, progress)

    def take(self, inputs: Sequence[str | Path], progress: Progress, templates: str | Path | None = None) -> Taken:
        """Read other sequences; names never seen get numbers of their own, on a copy."""
        names = self.names.copy()
        if templates is not None:
            taken = self._read(inputs, names, progress)
            return self._named(taken, names, self.texts | self._texts_of(names, templates, progress))
        return self._read(inputs, names, progress)

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the names and texts; give the grouping."""
        write_json(folder / NAMES, {**self.names.state(), "texts": self.texts})
        return {"kind": self.kind, "group": None if self.group is None else self.group.state()}

    @classmethod
    def load(cls, folder: Path, state: dict[str, Any]) -> KeyIntake:
        """Take back what `save` wrote."""
        written = read_json(folder / NAMES)
        if not isinstance(written, dict) or not isinstance(written.get("texts"), dict):
            raise ModelError(f"the model {folder} is damaged: {NAMES} holds no names; train it again")
        intake = cls(group="auto" if state["group"] is None else Grouping.from_state(state["group"]))
        intake.names = KeyNames.from_state(written)
        intake.texts = written["texts"]
        return intake

    def describe(self) -> dict[str, Any]:
        """Give what there is to know, for people."""
        return {
            "input": "sequences of keys",
            "grouping": "as given" if self.group is None else str(self.group),
            "templates": [
                {"key": key, "template": self.texts.get(name, name), "count": 0}
                for key, name in self.names.table.iter_rows()
            ],
        }

    def _read(self, inputs: Sequence[str | Path], names: KeyNames, progress: Progress) -> Taken:
        sequences = read_sequences(list(inputs), names, grouping=self.group, progress=progress)
        records = int(sequences["keys"].list.len().sum())
        taken = Taken(
            sequences=sequences,
            names={},
            known=KeyTexts(),
            texts=lambda _: pl.DataFrame(schema={"line": int, "source": str, "number": int, "text": str}),
            records=records,
            facts=[f"{len(sequences):,} sequences of {records:,} keys, {len(names):,} distinct"],
        )
        return self._named(taken, names, self.texts)

    @staticmethod
    def _named(taken: Taken, names: KeyNames, texts: dict[str, str]) -> Taken:
        """Name the keys by their text where they have one, else as the input does."""
        table = names.table.rows()
        known = {key: texts[name] for key, name in table if name in texts}
        return replace(taken, names=dict(table) | known, known=KeyTexts(known))

    @staticmethod
    def _texts_of(names: KeyNames, templates: str | Path, progress: Progress) -> dict[str, str]:
        table = names.texts(Path(templates))
        known = table.drop_nulls("template")
        if len(known) < len(table):
            progress.note(f"{len(table) - len(known)} of {len(table)} keys have no text in {templates}")
        return dict(known.select("name", "template").iter_rows())
