"""The word list: which words speak of failure or of routine, and how loudly. It is a TOML file that may be replaced."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


class Patterns:
    """Words and phrases, of which a star stands for any ending; the longest match wins.

    Examples
    --------
    >>> patterns = Patterns(["fail*", "not found", "not"])
    >>> patterns.match(["file", "not", "found"], 1)
    ('not found', 2)
    >>> patterns.match(["failures"], 0)
    ('fail*', 1)
    >>> patterns.match(["file"], 0) is None
    True
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._phrases: dict[str, list[tuple[str, list[str]]]] = {}
        self._longest = 1
        for pattern in patterns:
            words = pattern.split()
            self._longest = max(self._longest, len(words))
            self._phrases.setdefault(_opening(words[0]), []).append((pattern, words))
        for found in self._phrases.values():
            found.sort(key=lambda entry: (len(entry[1]), len(entry[0])), reverse=True)

    def match(self, words: Sequence[str], place: int) -> tuple[str, int] | None:
        """Give the longest pattern that begins at this place and how many words it covers."""
        for pattern, parts in self._phrases.get(_opening(words[place]), ()):
            there = words[place : place + len(parts)]
            if len(there) == len(parts) and all(map(_fits, parts, there)):
                return pattern, len(parts)
        return None


def _opening(word: str) -> str:
    """Give what a pattern and every word it fits have in common."""
    return word[:2]


def _fits(part: str, word: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A word list with its rules, as read from TOML.

    Attributes
    ----------
    tables
        The tables of the file, checked: `failure`, `routine`, `activity`, `levels` (pattern or level to weight) and the
        rules in `negation`, `subject`, `combine` and `kinship`.
    """

    tables: Mapping[str, Mapping[str, Any]]
    evidence: Patterns = field(init=False)
    subjects: Patterns = field(init=False)
    subjects_before: Patterns = field(init=False)
    settings: Patterns = field(init=False)
    deniers: Patterns = field(init=False)

    def __post_init__(self) -> None:
        rules, subject = self.tables["negation"], self.tables["subject"]
        object.__setattr__(
            self, "evidence", Patterns([*self.tables["failure"], *self.tables["routine"], *self.tables["activity"]])
        )
        object.__setattr__(self, "subjects", Patterns(subject["words"]))
        object.__setattr__(self, "subjects_before", Patterns(subject["before"]))
        object.__setattr__(self, "settings", Patterns(subject["settings"]))
        object.__setattr__(self, "deniers", Patterns(rules["denies_routine"]))

    @classmethod
    def english(cls) -> Self:
        """Give the word list that comes with logbert."""
        return cls.parse((resources.files(__package__) / "english.toml").read_text("utf-8"), origin="english.toml")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a word list of one's own."""
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read the word list {path}: {error}") from error
        return cls.parse(text, origin=str(path))

    @classmethod
    def parse(cls, text: str, *, origin: str) -> Self:
        """Take a word list as TOML text; `origin` is named when something is wrong with it."""
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{origin} is no TOML: {error}") from error
        for table in ("failure", "routine", "activity", "levels", "negation", "subject", "combine", "kinship"):
            if not isinstance(tables.get(table), dict):
                raise InputError(f"{origin} has no table [{table}]")
        for table in ("failure", "routine", "activity", "levels"):
            for word, weight in tables[table].items():
                if not isinstance(weight, int | float) or (weight < 0 and table != "levels"):
                    raise InputError(f"{origin} [{table}] {word!r} = {weight!r}: a weight is a number of at least 0")
        return cls(tables)
