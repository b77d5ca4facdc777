"""JSON lines: the message is found, nesting does not fragment it, and a broken record is a record."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.lines import open_records
from logbert.lines.layout import MATCHED
from logbert.lines.objects import Objects, decode, learn_objects


def read(path: Path, lines: list[str], **options: int) -> pl.DataFrame:
    path.write_text("\n".join(lines) + "\n")
    with open_records([path], **options) as reader:  # type: ignore[arg-type]
        return pl.concat(list(reader))


SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text('aé"\\\n {}[]:,0', max_size=6)
RECORDS = st.dictionaries(st.sampled_from(["a", "b", "c"]), SCALARS | st.lists(SCALARS, max_size=2), max_size=3)
BROKEN = st.sampled_from(["{", '{"a": 1', "null", "[1]", '{"a": 1} x', "text", '{"a": nan}'])


@settings(max_examples=60, deadline=None)
@given(st.lists(RECORDS.map(json.dumps) | BROKEN, min_size=1, max_size=12))
def test_fields_are_what_python_reads_whatever_stands_beside_them(lines: list[str]) -> None:
    table = decode(pl.Series(lines), ["a", "b"])
    for line, row in zip(lines, table.iter_rows(named=True), strict=True):
        try:
            one = json.loads(line) if line.startswith("{") else None
        except ValueError:
            one = None
        assert row[MATCHED] == (one is not None), line
        for name in ("a", "b"):
            value = (one or {}).get(name)
            expected = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            found = row[name] if not isinstance(value, list) else json.dumps(json.loads(row[name]), ensure_ascii=False)
            assert found == expected, line


def test_a_nested_body_is_not_part_of_the_message(tmp_path: Path) -> None:
    lines = [json.dumps({"time": f"2024-05-01T10:00:{n:02d}Z", "msg": "done", "http": {"id": n}}) for n in range(20)]
    frame = read(tmp_path / "a.log", lines)
    assert frame["message"].unique().to_list() == ["done"]
    assert frame.columns == ["line", "source", "timestamp", "message", "time"]


def test_without_a_message_the_scalar_fields_are_it_in_the_order_of_their_names(tmp_path: Path) -> None:
    lines = ['{"path": "/x", "ts": 1714557606850, "ok": true}', '{"ok": false, "ts": 1714557606851, "path": "/x"}']
    assert read(tmp_path / "a.log", lines)["message"].to_list() == ["ok=true path=/x", "ok=false path=/x"]


def test_a_record_without_the_message_field_of_the_others_gets_one_made(tmp_path: Path) -> None:
    lines = ['{"msg": "up", "n": 1}'] * 9 + ['{"n": 2}']
    assert read(tmp_path / "a.log", lines)["message"][-1] == "n=2"


def test_a_field_named_as_a_column_of_records_keeps_its_value_beside_it(tmp_path: Path) -> None:
    frame = read(tmp_path / "a.log", ['{"message": "up", "source": "kernel", "line": 7, "label": "x"}'] * 3)
    assert frame["source_"].to_list() == ["kernel"] * 3
    assert frame["line"].to_list() == [1, 2, 3]
    assert frame["line_"].to_list() == ["7"] * 3


def test_broken_records_and_strange_lines_are_records_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(
        "\n".join(['{"msg": "up"}'] * 30 + ['{"msg": "cut', "panic: oh no", "\tmain.go:7", '{"msg": "up"}'])
    )
    with open_records([path]) as reader:
        messages = pl.concat(list(reader))["message"].to_list()
    assert messages[30:] == ['{"msg": "cut', "panic: oh no\n\tmain.go:7", "up"]
    assert reader.summary.unmatched == 2


def test_a_json_array_of_records_is_read_too(tmp_path: Path) -> None:
    frame = read(tmp_path / "a.json.log", ['[{"msg": "a"},', '{"msg": "b"},', '{"msg": "c"}]'])
    assert frame["message"].to_list() == ["a", "b", "c"]


def test_what_was_learnt_survives_being_saved() -> None:
    shape = learn_objects([{"msg": "x", "a": 1, "b": {"c": 1}}, {"msg": "y", "a": [1]}])
    assert shape.mixed == {("a",)}
    assert Objects.from_state(json.loads(json.dumps(shape.state()))) == shape
