"""JSON lines: one object a line, its message, time, level and other scalar fields to columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from logbert.lines.layout import MATCHED, constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Path = tuple[str, ...]

MESSAGES: tuple[Path, ...] = tuple(
    tuple(name.split("/"))
    for name in [
        "message",
        "msg",
        "log",
        "body",
        "text",
        "event",
        "MESSAGE",
        "Message",
        "@message",
        "short_message",
        "full_message",
        "RenderedMessage",
        "@m",
        "@mt",
        "line",
        "textPayload",
        "log/message",
        "fields/message",
        "jsonPayload/message",
        "jsonPayload/msg",
        "body/stringValue",
        "attributes/message",
        "data/message",
        "event/message",
        "log_message",
        "logMessage",
        "eventMessage",
        "description",
    ]
)
TIMES: tuple[Path, ...] = tuple(
    tuple(name.split("/"))
    for name in [
        "timestamp",
        "@timestamp",
        "time",
        "ts",
        "datetime",
        "@t",
        "eventTime",
        "event_time",
        "date",
        "t",
        "asctime",
        "Timestamp",
        "Time",
        "_time",
        "receiveTimestamp",
        "__REALTIME_TIMESTAMP",
        "timeUnixNano",
        "observedTimeUnixNano",
        "timestamp_ms",
        "time_ms",
        "created_at",
        "created",
        "start_time",
        "log/time",
        "t/$date",
    ]
)
LEVELS: tuple[Path, ...] = tuple(
    tuple(name.split("/"))
    for name in [
        "level",
        "severity",
        "levelname",
        "lvl",
        "loglevel",
        "log_level",
        "logLevel",
        "severityText",
        "severity_text",
        "@l",
        "Level",
        "Severity",
        "PRIORITY",
        "priority",
        "log/level",
    ]
)
COMMON = 0.5  # share of the sample's objects that must hold a field for it to be the message


@dataclass(frozen=True)
class Objects:
    """JSON objects, one a line.

    Parameters
    ----------
    message
        The path of the field that is the message; empty if there is none, and it is made from the scalar fields.
    columns
        The paths of the fields that become columns, in key order.
    mixed
        Those among them that hold an object or a list in some records.
    """

    message: Path
    columns: tuple[Path, ...]
    mixed: frozenset[Path] = frozenset()

    kind = "json"
    content = "\0message"  # no field of a log is called this

    @property
    def text(self) -> str:
        """How it would be written for a person."""
        return "JSON lines, message in " + (f"{name_of(self.message)!r}" if self.message else "all scalar fields")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its fields."""
        return (*(name_of(path) for path in self.columns if path != self.message), self.content)

    @cached_property
    def _flat(self) -> list[Path]:
        return [path for path in self._wanted if len(path) == 1 and path not in self.mixed]

    @cached_property
    def _wanted(self) -> list[Path]:
        return [*self.columns, *([self.message] if self.message and self.message not in self.columns else [])]

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give a column a field, and the message."""
        table = decode(lines, [path[0] for path in self._flat])
        deep = [path for path in self._wanted if path not in self._flat]
        text = _object_text(lines)
        table = table.rename({path[0]: name_of(path) for path in self._flat})
        table = table.with_columns(text.str.json_path_match(_json_path(path)).alias(name_of(path)) for path in deep)
        made = pl.concat_str(
            [
                pl.lit(name_of(path) + "=") + pl.col(name_of(path))
                for path in self.columns
                if path not in TIMES and path != self.message
            ]
            or [pl.lit(None, pl.String)],
            separator=" ",
            ignore_nulls=True,
        )
        whole = pl.when(made != "").then(made).otherwise(text)
        message = pl.coalesce(name_of(self.message), whole) if self.message else whole
        fitting = pl.when(MATCHED).then(message).alias(self.content)
        return table.with_columns(fitting).select(*self.fields, MATCHED)

    def state(self) -> dict[str, Any]:
        """Give what a saved format holds of it."""
        return {
            "kind": self.kind,
            "message": list(self.message),
            "columns": [list(path) for path in self.columns],
            "mixed": sorted(list(path) for path in self.mixed),
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Objects:
        """Make it again."""
        columns = tuple(tuple(path) for path in state["columns"])
        return cls(tuple(state["message"]), columns, frozenset(tuple(path) for path in state["mixed"]))


def name_of(path: Path) -> str:
    """Name a nested field.

    >>> name_of(("log", "level"))
    'log.level'
    """
    return ".".join(path)


def _json_path(path: Path) -> str:
    return "$" + "".join(f"['{name}']" for name in path)


def _object_text(lines: pl.Series) -> pl.Series:
    """Free an object of the comma and bracket that a JSON array put around it."""
    return lines.str.strip_chars().str.strip_chars_end(",]").str.strip_chars_start("[")


def decode(lines: pl.Series, names: Sequence[str]) -> pl.DataFrame:
    """Read named scalar fields of JSON objects, one a line.

    A field that is missing is null; `MATCHED` tells where there is an object.

    >>> decode(pl.Series(['{"a": 1, "b": "x"}', "no"]), ["a", "b"]).rows()
    [('1', 'x', True), (None, None, False)]
    """
    text = _object_text(lines)
    candidate = (text.str.starts_with("{") & text.str.ends_with("}")).fill_null(False)
    schema = dict.fromkeys((*names, MATCHED), pl.String)
    at = candidate.arg_true()
    inner = _decode(text.gather(at), schema)
    if len(at) == len(lines):
        return inner
    empty = {name: constant(None, len(lines), pl.String) for name in names} | {MATCHED: constant(False, len(lines))}
    return pl.DataFrame([column.scatter(at, inner[name]).alias(name) for name, column in empty.items()])


def _decode(text: pl.Series, schema: dict[str, type[pl.String]]) -> pl.DataFrame:
    """Read objects all at once; if one of them will not be read so, halve until it is alone and read it by itself."""
    try:
        table = text.str.json_decode(pl.Struct(schema)).struct.unnest() if len(text) else pl.DataFrame(schema=schema)
        return table.with_columns(pl.lit(True).alias(MATCHED))
    except pl.exceptions.ComputeError:
        half = len(text) // 2
        if half:
            return pl.concat([_decode(text.slice(0, half), schema), _decode(text.slice(half), schema)])
    whole = text.str.json_path_match("$")
    columns = [text.str.json_path_match(_json_path((name,))).alias(name) for name in schema if name != MATCHED]
    return pl.DataFrame([*columns, whole.is_not_null().alias(MATCHED)])


def parse_sample(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Read the objects among some lines."""
    found = []
    for line in lines:
        text = line.strip().rstrip(",]").lstrip("[")
        if text.startswith("{") and text.endswith("}"):
            try:
                one = json.loads(text)
            except ValueError:
                continue
            if isinstance(one, dict) and one:
                found.append(one)
    return found


def learn_objects(sample: list[dict[str, Any]]) -> Objects:
    """Find which fields JSON records have and which is the message.

    >>> learn_objects([{"ts": 1, "msg": "started", "http": {"status": 200}}]).message
    ('msg',)
    """
    scalars: Counter[Path] = Counter()
    nested: Counter[Path] = Counter()
    texts: Counter[Path] = Counter()
    for one in sample:
        for path, value in _walk(one):
            if isinstance(value, dict | list):
                nested[path] += 1
            elif value is not None:
                scalars[path] += 1
                texts[path] += isinstance(value, str)
    enough = COMMON * len(sample)
    message = next((path for path in MESSAGES if texts[path] >= enough), ())
    special = {*MESSAGES, *TIMES, *LEVELS}
    columns = sorted(path for path in scalars if len(path) == 1 or path in special)
    return Objects(message, tuple(columns), frozenset(path for path in columns if nested[path]))


def _walk(one: dict[str, Any]) -> Iterable[tuple[Path, Any]]:
    for name, value in one.items():
        if not _nameable(name):
            continue
        yield (name,), value
        if isinstance(value, dict):
            yield from (((name, inner), below) for inner, below in value.items() if _nameable(inner))


def _nameable(name: str) -> bool:
    return not re.search(r"['\\\x00]", name)
