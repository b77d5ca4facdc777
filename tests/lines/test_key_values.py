"""logfmt: quoted values are whole, and a line without a message is one itself."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from logbert.lines import open_records


def read(path: Path, text: str) -> pl.DataFrame:
    path.write_text(text)
    with open_records([path]) as reader:
        assert reader.format.name == "logfmt"
        return pl.concat(list(reader))


def test_values_are_unquoted_and_time_is_read(tmp_path: Path) -> None:
    line = r'time="2024-05-01T10:00:00Z" level=error msg="cannot open \"a b\"" path=/x empty= n=7'
    frame = read(tmp_path / "a.log", f"{line}\n" * 5)
    row = frame.row(0, named=True)
    assert row["message"] == 'cannot open "a b"'
    assert (row["level"], row["path"], row["n"], row["empty"]) == ("error", "/x", "7", "")
    assert row["timestamp"].isoformat() == "2024-05-01T10:00:00"


def test_without_a_message_the_line_is_the_message(tmp_path: Path) -> None:
    line = "at=info method=GET path=/ host=a.example status=200"
    assert read(tmp_path / "a.log", f"{line}\n" * 5)["message"].to_list() == [line] * 5
