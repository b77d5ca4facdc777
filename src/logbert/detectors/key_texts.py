"""What detectors may know of a log key beside its number: its template's text, and the level it is written with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl


@dataclass(frozen=True)
class KeyTexts:
    """Texts and levels of log keys; a key may have neither.

    Examples
    --------
    >>> texts = KeyTexts({5: "Receiving block <*>"}, levels={5: "INFO"})
    >>> texts.text(5), texts.level(5), texts.text(7)
    ('Receiving block <*>', 'INFO', None)
    """

    texts: Mapping[int, str] = field(default_factory=dict)
    levels: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: pl.DataFrame) -> Self:
        """Take the frame of a template table: `key`, `template` and, if there is one, `level`."""
        if not {"key", "template"} <= set(table.columns):
            raise InputError(f"a template table needs columns 'key' and 'template'; this one has {table.columns}")
        keys = table["key"].to_list()
        texts = dict(zip(keys, table["template"].to_list(), strict=True))
        levels = dict(zip(keys, table["level"].to_list(), strict=True)) if "level" in table.columns else {}
        return cls(_filled(texts), _filled(levels))

    def __len__(self) -> int:
        """Count the keys whose text is known."""
        return len(self.texts)

    def text(self, key: int) -> str | None:
        """Give the text of the key's template, if it is known."""
        return self.texts.get(key)

    def level(self, key: int) -> str | None:
        """Give the level the key's records are written with, if it is known."""
        return self.levels.get(key)

    def texts_of(self, keys: Iterable[int]) -> list[str]:
        """Give the texts of those of the keys that have one."""
        return [self.texts[key] for key in keys if key in self.texts]

    def state(self) -> dict[str, Any]:
        """Give texts and levels as plain data for JSON."""
        return {
            "texts": [[key, self.texts[key]] for key in sorted(self.texts)],
            "levels": [[key, self.levels[key]] for key in sorted(self.levels)],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Take back what `state` gave."""
        return cls(dict(map(tuple, state["texts"])), dict(map(tuple, state["levels"])))


def _filled(values: Mapping[int, str | None]) -> dict[int, str]:
    return {int(key): value for key, value in values.items() if key is not None and value}
