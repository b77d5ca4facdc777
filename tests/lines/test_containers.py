"""Container logs: the envelope comes off, pieces become whole, and what is inside is read as a log of its own."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from logbert.lines import open_records


def cri(stream: str, flag: str, text: str, second: int) -> str:
    return f"2016-10-06T00:17:{second:02d}.669794202Z {stream} {flag} {text}\n"


def read(path: Path, text: str, size: int = 1 << 22) -> pl.DataFrame:
    path.write_text(text)
    with open_records([path], batch_bytes=size) as reader:
        return pl.concat(list(reader))


@pytest.mark.parametrize("size", [1 << 22, 60, 150])
def test_pieces_of_a_line_are_joined_though_another_stream_writes_between(tmp_path: Path, size: int) -> None:
    text = "".join(
        [
            cri("stdout", "F", "first", 1),
            cri("stdout", "P", "one ", 2),
            cri("stderr", "P", "oh ", 3),
            cri("stdout", "P", "two ", 4),
            cri("stderr", "F", "dear", 5),
            cri("stdout", "F", "three", 6),
            cri("stdout", "F", "last", 7),
        ]
    )
    frame = read(tmp_path / "0.log", text, size)
    assert frame["message"].to_list() == ["first", "one two three", "oh dear", "last"]
    assert frame["line"].to_list() == [1, 2, 3, 7]
    assert frame["stream"].to_list() == ["stdout", "stdout", "stderr", "stdout"]
    assert frame["timestamp"][0].isoformat() == "2016-10-06T00:17:01.669794"


def test_a_stack_trace_line_by_line_in_envelopes_joins_its_record(tmp_path: Path) -> None:
    inner = ["2015-10-17 21:26:31,747 ERROR [main] a.b.C: failed", "a.b.BadException: no", "\tat a.b.C.run(C.java:1)"]
    frame = read(tmp_path / "0.log", "".join(cri("stdout", "F", line, n) for n, line in enumerate(inner * 5)))
    assert frame["message"].to_list() == ["failed\na.b.BadException: no\n\tat a.b.C.run(C.java:1)"] * 5
    assert frame["level"].unique().to_list() == ["ERROR"]


def test_docker_cuts_long_lines_into_pieces_that_are_joined(tmp_path: Path) -> None:
    def line(text: str) -> str:
        return json.dumps({"log": text, "stream": "stdout", "time": "2024-05-01T10:00:00.5Z"}) + "\n"

    long = "x" * 16384
    text = line("short\n") + line(long) + line(long) + line("end\n") + line("without a newline") + line("last\r\n")
    for size in (1 << 22, 20_000):
        frame = read(tmp_path / "a-json.log", text, size)
        assert frame["message"].to_list() == ["short", long + long + "end", "without a newline", "last"]
        assert frame["line"].to_list() == [1, 2, 5, 6]


def test_json_inside_an_envelope_is_read_as_json(tmp_path: Path) -> None:
    inner = json.dumps({"level": "info", "msg": "up", "user": {"id": 7}, "port": 80})
    frame = read(tmp_path / "0.log", "".join(cri("stderr", "F", inner, n) for n in range(9)))
    assert frame["message"].unique().to_list() == ["up"]
    assert frame["level"].unique().to_list() == ["info"]
    assert frame["port"].unique().to_list() == ["80"]
    assert "user" not in frame.columns
