"""Blocks end where lines end, whatever their size, and a line without end is cut between characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logbert.lines import streams
from logbert.lines.streams import Intake, read_blocks


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.text("aé\t ", max_size=9), max_size=20), size=st.integers(1, 60), end=st.booleans())
def test_blocks_are_whole_lines(tmp_path: Path, lines: list[str], size: int, end: bool) -> None:
    content = ("\n".join(lines) + "\n" * end).encode()
    (tmp_path / "a.log").write_bytes(content)
    blocks = list(read_blocks(tmp_path / "a.log", "a.log", size, Intake()))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_line_without_end_is_cut_between_characters_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST_LINE", 1_000_001)
    text = "a" + "é" * 1_700_000
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    intake = Intake()
    blocks = list(read_blocks(tmp_path / "a.log", "a.log", 1 << 18, intake))
    assert "".join(block.decode() for block in blocks).replace("\n", "") == text
    assert intake.cut == len(blocks) - 1 >= 2
