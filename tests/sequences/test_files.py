import bz2
import gzip
import io
import lzma
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import InputError
from logbert.sequences import Grouping, KeyNames, read_sequences, write_sequences
from logbert.sequences.text_files import TextReader
from logbert.sequences.tokens import Tokens


class Notes:
    """Progress that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def step(self, name: str, total: float | None = None, unit: str = "") -> object:
        from logbert.progress import SILENT

        return SILENT.step(name, total, unit)

    def note(self, text: str) -> None:
        self.told.append(text)


def names_read(path: Path | list[Path], **options: object) -> list[list[str]]:
    names = KeyNames()
    sequences = read_sequences(path, names, **options)  # type: ignore[arg-type]
    return [names.decode(pl.Series(keys)).to_list() for keys in sequences["keys"]]


def written(tmp_path: Path, content: str | bytes, name: str = "train") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_keys_may_be_numbers_or_names_and_line_ends_any(tmp_path: Path) -> None:
    path = written(tmp_path, "5 5 22 \r\n E5\tE22  send_ok\n-1 blk:ä")
    assert names_read(path) == [["5", "5", "22"], ["E5", "E22", "send_ok"], ["-1", "blk:ä"]]


def test_a_sequence_is_named_by_its_line_and_empty_lines_are_counted(tmp_path: Path) -> None:
    progress = Notes()
    path = written(tmp_path, "1 2\n\n3\n   \n\n")
    sequences = read_sequences(path, KeyNames(), progress=progress)  # type: ignore[arg-type]
    assert sequences["sequence"].to_list() == ["1", "3"]
    assert progress.told == [f"3 empty lines of {path} hold no sequence and are passed over"]


def test_several_files_keep_the_order_given_and_are_told_apart(tmp_path: Path) -> None:
    b, a = written(tmp_path, "1\n", "b"), written(tmp_path, "2\n", "a")
    names = KeyNames()
    sequences = read_sequences([b, a], names)
    assert sequences["sequence"].to_list() == [f"{b}:1", f"{a}:1"]
    assert sequences["keys"].to_list() == [[0], [1]]
    assert read_sequences([a, b], KeyNames())["keys"].to_list() == [[1], [0]]
    assert names_read(tmp_path) == [["2"], ["1"]]
    assert len(read_sequences(str(tmp_path / "?"), names)) == 2


def test_seconds_beside_keys_become_times(tmp_path: Path) -> None:
    path = written(tmp_path, "5,0 22,1.5 5,2e-3\n9,7\n")
    assert names_read(path) == [["5", "22", "5"], ["9"]]
    assert read_sequences(path, KeyNames())["times"].to_list() == [[0, 1_500_000, 1_502_000], [7_000_000]]


def test_keys_that_hold_a_comma_are_keys_where_not_all_are_pairs(tmp_path: Path) -> None:
    assert names_read(written(tmp_path, "a,b c\n1,2 3\n")) == [["a,b", "c"], ["1,2", "3"]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no sequences"),
        ("\n \n", "no sequences"),
        ("5,0 22,1\n5,0 22\n", "line 2 .* has '22'.*give every key its seconds"),
        ("5,22,5,11\n", "line 1 .* separated by commas"),
        (b"5 22\n\xff\xfe 5\n", "not UTF-8"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(32)) * 20, "train"),
        (b"PAR1 and no more", "no Parquet file"),
        (gzip.compress(b"5 22\n" * 1000, mtime=0)[:-20], "train"),
    ],
)
def test_what_holds_no_sequences_is_refused_in_one_line(tmp_path: Path, content: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read_sequences(written(tmp_path, content), KeyNames())
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no_such"):
        read_sequences(tmp_path / "no_such", KeyNames())


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_packed_files_are_unpacked(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    assert names_read(written(tmp_path, packed(b"5 22\n9\n"))) == [["5", "22"], ["9"]]


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"5 22\n9\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    assert read_sequences("-")["keys"].to_list() == [[5, 22], [9]]


def test_without_names_integers_stay_as_they_are_and_words_are_refused(tmp_path: Path) -> None:
    assert read_sequences(written(tmp_path, "5 22\n"))["keys"].to_list() == [[5, 22]]
    with pytest.raises(InputError, match="'E5' is no integer"):
        read_sequences(written(tmp_path, "E5 22\n"))


def test_a_line_of_ten_million_keys_is_one_sequence(tmp_path: Path) -> None:
    path = written(tmp_path, b"12 345 " * 5_000_000 + b"\n7\n")
    assert read_sequences(path, KeyNames())["keys"].list.len().to_list() == [10_000_000, 1]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.lists(st.from_regex(r"[0-9A-Za-z_.:-]{1,6}", fullmatch=True), min_size=1, max_size=6), min_size=1),
    st.integers(1, 5),
)
def test_neither_blocks_nor_a_way_there_and_back_change_sequences(sequences: list[list[str]], lines: int) -> None:
    text = [" ".join(keys).encode() + b"\n" for keys in sequences]
    tokens = Tokens()
    blocks = (b"".join(text[begin : begin + lines]) for begin in range(0, len(text), lines))
    frame = pl.concat(TextReader("train", tokens).read(blocks))
    words = dict(tokens.table.iter_rows())
    assert [[words[key] for key in keys] for keys in frame["keys"]] == sequences
    assert frame["sequence"].to_list() == [str(number + 1) for number in range(len(sequences))]


@pytest.mark.parametrize("name", ["out.txt", "out.parquet"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    names = KeyNames()
    sequences = read_sequences(written(tmp_path, "E5 E22\nE9\n"), names)
    write_sequences(sequences, tmp_path / name, names)
    assert read_sequences(tmp_path / name, names).equals(sequences)
    write_sequences(sequences, tmp_path / name)
    assert read_sequences(tmp_path / name).equals(sequences)


def test_times_and_labels_survive_in_parquet(tmp_path: Path) -> None:
    collector = Grouping.parse("count:2").collector()
    moments = pl.Series([0, 5, 9]).cast(pl.Datetime("us"))
    frame = pl.DataFrame({"line": [1, 2, 3], "timestamp": moments, "label": [False, True, None]})
    collector.add(frame, pl.Series([0, 1, 0]))
    sequences = collector.finish(pl.Series([4, 5]).to_numpy())
    write_sequences(sequences, tmp_path / "out.parquet")
    assert read_sequences(tmp_path / "out.parquet").equals(sequences)


def test_a_name_with_spaces_cannot_go_into_text(tmp_path: Path) -> None:
    names = KeyNames()
    sequences = pl.DataFrame({"keys": [names.encode(pl.Series(["lost contact"]))]})
    with pytest.raises(InputError, match="'lost contact' cannot be written as text"):
        write_sequences(sequences, tmp_path / "out.txt", names)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_data
def test_the_published_training_file_is_read_whole(shared_data: Path) -> None:
    path = shared_data / "hdfs" / "hdfs_train"
    assert names_read(path) == [line.split() for line in path.read_text().splitlines()]
