from __future__ import annotations

import bz2
import gzip
import hashlib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from logbert.datasets.measuring import LineCounter, measure
from logbert.datasets.unpacking import first_lines

PIECES = st.lists(st.text(alphabet="- a\n", max_size=8).map(str.encode))


@given(PIECES)
def test_lines_are_counted_the_same_however_they_are_cut(pieces: list[bytes]) -> None:
    counter = LineCounter()
    for piece in pieces:
        counter.update(piece)
    text = b"".join(pieces)
    lines = text.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    assert counter.lines == len(lines)
    assert counter.alerts == sum(not line.startswith(b"- ") for line in lines)


@given(PIECES, st.integers(1, 10))
def test_the_first_lines_are_the_first_lines_however_they_are_cut(pieces: list[bytes], count: int) -> None:
    whole = b"".join(pieces).splitlines(keepends=True)
    assert b"".join(first_lines(iter(pieces), count)) == b"".join(whole[:count])


def test_a_file_is_measured_as_it_lies_and_its_lines_as_they_are_read(tmp_path: Path) -> None:
    text = b"- 1 fine\nKERNDTLB 2 bad\n" * 500
    read: list[int] = []
    for name, content in {"a.log": text, "a.gz": gzip.compress(text), "a.bz2": bz2.compress(text)}.items():
        (tmp_path / name).write_bytes(content)
        found = measure(tmp_path / name, read.append)
        assert (found.lines, found.alerts) == (1000, 500)
        assert found.bytes == len(content)
        assert found.sha256 == hashlib.sha256(content).hexdigest()
    assert sum(read) == sum(path.stat().st_size for path in tmp_path.iterdir())
