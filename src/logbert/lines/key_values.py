"""logfmt: `time=2024-01-01T00:00:00Z level=info msg="started" port=80` to columns."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from logbert.lines.layout import MATCHED
from logbert.lines.objects import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAIR = re.compile(r'([A-Za-z_@][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)')
_START = r"^[A-Za-z_@][\w.@/-]*=\S"
MOST_FIELDS = 40


@dataclass(frozen=True)
class KeyValues:
    """Lines of `key=value` pairs.

    Parameters
    ----------
    message
        The key whose value is the message; empty if there is none, and the whole line is.
    columns
        The keys that become columns.
    """

    message: str
    columns: tuple[str, ...]

    kind = "logfmt"
    content = "\0message"

    @property
    def text(self) -> str:
        """How it would be written for a person."""
        return "logfmt, message in " + (f"{self.message!r}" if self.message else "the whole line")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields."""
        return (*(name for name in self.columns if name != self.message), self.content)

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give a column a key."""
        names = sorted({*self.columns, self.message} - {""})
        line = pl.col("_line")
        table = pl.DataFrame({"_line": lines}).lazy().with_columns(line.str.contains(_START).alias(MATCHED))
        table = table.with_columns(
            pl.when(MATCHED).then(line.str.extract_groups(_one(name))).alias(f"_{name}") for name in names
        )
        table = table.with_columns(_unquote(pl.col(f"_{name}")).alias(name) for name in names)
        message = pl.coalesce(self.message, "_line") if self.message else line
        return (
            table.with_columns(pl.when(MATCHED).then(message).alias(self.content))
            .select(*self.fields, MATCHED)
            .collect()
        )

    def state(self) -> dict[str, Any]:
        """Give what a saved format holds of it."""
        return {"kind": self.kind, "message": self.message, "columns": list(self.columns)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> KeyValues:
        """Make it again."""
        return cls(state["message"], tuple(state["columns"]))


def _one(name: str) -> str:
    return rf'(?:^|\s){re.escape(name)}=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"]*))'


def _unquote(groups: pl.Expr) -> pl.Expr:
    quoted = groups.struct.field("quoted")
    for escaped, plain in ((r"\"", '"'), (r"\n", "\n"), (r"\t", "\t"), ("\\\\", "\\")):
        quoted = quoted.str.replace_all(escaped, plain, literal=True)
    return pl.coalesce(quoted, groups.struct.field("bare"))


def parse_pairs(lines: Iterable[str]) -> list[dict[str, str]]:
    """Read the pairs of some lines that are nothing but pairs, or nearly."""
    found = []
    for line in lines:
        pairs = dict(_PAIR.findall(line))
        covered = sum(len(name) + len(value) + 2 for name, value in _PAIR.findall(line))
        if len(pairs) > 1 and covered >= 0.9 * len(line.strip()) and re.match(_START, line):
            found.append(pairs)
    return found


def learn_pairs(sample: list[dict[str, str]]) -> KeyValues:
    """Find which keys the lines have and which is the message.

    >>> learn_pairs([{"level": "info", "msg": '"started"'}]).message
    'msg'
    """
    counts: Counter[str] = Counter(name for pairs in sample for name in pairs)
    often = [name for name, count in counts.items() if count >= 0.01 * len(sample)]
    message = next((path[0] for path in MESSAGES if len(path) == 1 and counts[path[0]] >= 0.5 * len(sample)), "")
    kept = sorted(sorted(often, key=lambda name: (-counts[name], name))[:MOST_FIELDS])
    return KeyValues(message, tuple(kept))
