"""All collectors against the rules written out record by record, whatever the batches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import InputError
from logbert.sequences import Grouping

KEYS = np.array([10, 11, 12, 13], dtype=np.int32)


@dataclass
class Record:
    line: int
    source: str
    time: int | None  # seconds
    ids: tuple[str, ...]
    code: int
    label: bool | None


@st.composite
def logs(draw: st.DrawFn) -> list[Record]:
    """Files one after the other, with clocks that jump, records without time, and lines that continue."""
    records = []
    line = 1
    for number in range(draw(st.integers(1, 3))):
        clock = draw(st.integers(-50, 50))
        for _ in range(draw(st.integers(0, 12))):
            clock += draw(st.integers(-3, 9))
            records.append(
                Record(
                    line=line,
                    source=f"file{number}",
                    time=draw(st.one_of(st.just(clock), st.none())),
                    ids=tuple(draw(st.lists(st.sampled_from("abcd"), max_size=3))),
                    code=draw(st.integers(0, 3)),
                    label=draw(st.sampled_from([None, False, True])),
                )
            )
            line += draw(st.integers(1, 3))
    return records


def frame_of(records: list[Record]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "line": [r.line for r in records],
            "source": [r.source for r in records],
            "timestamp": [None if r.time is None else r.time * 1_000_000 for r in records],
            "message": [" ".join(f"id={i}" for i in r.ids) for r in records],
            "label": [r.label for r in records],
            "code": [r.code for r in records],
        },
        schema={
            "line": pl.Int64,
            "source": pl.String,
            "timestamp": pl.Datetime("us"),
            "message": pl.String,
            "label": pl.Boolean,
            "code": pl.UInt32,
        },
    )


def collect(spec: str, records: list[Record], cuts: list[int] | None = None) -> tuple[pl.DataFrame, list[str]]:
    collector = Grouping.parse(spec).collector()
    frame = frame_of(records)
    edges = sorted({0, *(cut % (len(frame) + 1) for cut in cuts or []), len(frame)})
    for begin, end in pairwise(edges):
        part = frame[begin:end]
        collector.add(part.drop("code"), part["code"])
    return collector.finish(KEYS), collector.notes


def effective(records: list[Record]) -> dict[int, int]:
    """The rule for records without a time: the last of the source, else its next, else the record before or after."""
    found: dict[int, int | None] = {}
    for source in {r.source for r in records}:
        own = [r for r in records if r.source == source]
        for ordered in (own, own[::-1]):
            last = None
            for record in ordered:
                last = record.time if record.time is not None else last
                if found.get(record.line) is None:
                    found[record.line] = last
    for ordered in (records, records[::-1]):
        last = None
        for record in ordered:
            last = found[record.line] if found[record.line] is not None else last
            found[record.line] = last
    return {line: time for line, time in found.items() if time is not None}


def in_order(members: list[Record], times: dict[int, int]) -> list[Record]:
    """The rule for order: as written within a source, merged by clocks that stand still rather than go back."""
    if len({r.source for r in members}) < 2:
        return sorted(members, key=lambda r: r.line)
    clocks: dict[str, float] = {}
    placed = []
    for record in sorted(members, key=lambda r: r.line):
        clock = max(clocks.get(record.source, -math.inf), times.get(record.line, math.inf))
        clocks[record.source] = clock
        placed.append((clock, record.line, record))
    return [record for _, _, record in sorted(placed, key=lambda place: place[:2])]


def row_of(name: str, members: list[Record]) -> dict[str, object]:
    known = [r.time for r in members if r.time is not None]
    labels = [r.label for r in members if r.label is not None]
    moments = [datetime.fromtimestamp(t, tz=UTC).replace(tzinfo=None) if known else None for t in known]
    return {
        "sequence": name,
        "start": min(moments, default=None),
        "end": max(moments, default=None),
        "keys": [10 + r.code for r in members],
        "lines": [r.line for r in members],
        "times": [None if r.time is None else r.time * 1_000_000 for r in members],
        "label": any(labels) if labels else None,
    }


def expected_sessions(records: list[Record]) -> list[dict[str, object]]:
    times = effective(records)
    sessions: dict[str, list[Record]] = {}
    for record in records:
        for name in dict.fromkeys(record.ids):
            sessions.setdefault(name, []).append(record)
    ordered = sorted(sessions.items(), key=lambda item: (item[1][0].line, records_order(item[1][0], item[0])))
    return [row_of(name, in_order(members, times)) for name, members in ordered]


def records_order(record: Record, name: str) -> int:
    return list(dict.fromkeys(record.ids)).index(name)


def expected_windows(records: list[Record], size: int, step: int) -> list[dict[str, object]]:
    times = effective(records)
    windows: dict[int, list[Record]] = {}
    for record in records:
        at = times[record.line]
        for window in range((at - size) // step + 1, at // step + 1):
            windows.setdefault(window, []).append(record)
    rows = []
    for window in sorted(windows):
        begin = datetime.fromtimestamp(window * step, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S")
        rows.append(row_of(f"{begin}/{size}s", in_order(windows[window], times)))
    return rows


def expected_counts(records: list[Record], size: int, step: int) -> list[dict[str, object]]:
    rows = []
    for begin in range(0, len(records), step):
        members = records[begin : begin + size]
        rows.append(row_of(f"lines {members[0].line}-{members[-1].line}", members))
        if begin + size >= len(records):
            break
    return rows


@settings(max_examples=80, deadline=None)
@given(logs(), st.lists(st.integers(0, 40), max_size=5))
def test_sessions_follow_their_rules_whatever_the_batches(records: list[Record], cuts: list[int]) -> None:
    sequences, _ = collect("session:id=(.)", records, cuts)
    assert sequences.to_dicts() == expected_sessions(records)


@settings(max_examples=80, deadline=None)
@given(logs(), st.lists(st.integers(0, 40), max_size=5), st.sampled_from([(10, 10), (10, 3), (7, 5), (1, 1)]))
def test_time_windows_follow_their_rules_whatever_the_batches(
    records: list[Record], cuts: list[int], window: tuple[int, int]
) -> None:
    if all(r.time is None for r in records):
        records = [*records, Record(1000, "file9", 5, (), 0, None)]
    sequences, _ = collect(f"time:{window[0]}s/{window[1]}s", records, cuts)
    assert sequences.to_dicts() == expected_windows(records, *window)


@settings(max_examples=80, deadline=None)
@given(logs(), st.lists(st.integers(0, 40), max_size=5), st.sampled_from([(10, 10), (5, 2), (4, 3), (1, 1)]))
def test_count_windows_follow_their_rules_whatever_the_batches(
    records: list[Record], cuts: list[int], window: tuple[int, int]
) -> None:
    sequences, _ = collect(f"count:{window[0]}/{window[1]}", records, cuts)
    assert sequences.to_dicts() == expected_counts(records, *window)


@pytest.mark.parametrize("spec", ["session:x", "field:source", "time:5min", "count:10"])
def test_no_records_give_no_sequences(spec: str) -> None:
    sequences, notes = collect(spec, [])
    assert (len(sequences), notes) == (0, [])
    assert sequences.columns == ["sequence", "start", "end", "keys", "lines", "times", "label"]


def test_the_columns_keep_their_types_where_a_frame_knows_neither_time_nor_label() -> None:
    collector = Grouping.parse("session:a.").collector()
    collector.add(pl.DataFrame({"line": [1], "message": ["a1"]}), np.zeros(1, dtype=np.uint32))
    row = collector.finish(KEYS)
    assert dict(row.schema) == {
        "sequence": pl.String,
        "start": pl.Datetime("us"),
        "end": pl.Datetime("us"),
        "keys": pl.List(pl.Int32),
        "lines": pl.List(pl.Int64),
        "times": pl.List(pl.Int64),
        "label": pl.Boolean,
    }
    assert row.row(0) == ("a1", None, None, [10], [1], [None], None)


def test_codes_that_do_not_fit_the_records_are_refused() -> None:
    collector = Grouping.parse("count:10").collector()
    frame = pl.DataFrame({"line": [1, 2], "message": ["a", "b"]})
    with pytest.raises(InputError, match="2 records came with 1 codes"):
        collector.add(frame, np.zeros(1, dtype=np.uint32))
    collector.add(frame, np.array([0, 7], dtype=np.uint32))
    with pytest.raises(InputError, match="code 7"):
        collector.finish(KEYS)
