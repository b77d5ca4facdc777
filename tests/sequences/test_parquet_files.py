from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from logbert.errors import InputError
from logbert.sequences import Grouping, KeyNames, read_sequences

NOON = datetime.fromisoformat("2024-05-01T12:00:00")


def stored(tmp_path: Path, frame: pl.DataFrame) -> Path:
    path = tmp_path / "sequences.parquet"
    frame.write_parquet(path)
    return path


def test_lists_of_integers_or_names_are_sequences(tmp_path: Path) -> None:
    numbers = stored(tmp_path, pl.DataFrame({"keys": [[300, 7], [], [7]]}))
    assert read_sequences(numbers)["keys"].to_list() == [[300, 7], [], [7]]
    names = KeyNames()
    words = stored(tmp_path, pl.DataFrame({"keys": [["E9", "E5"], ["E5"]]}))
    assert read_sequences(words, names)["keys"].to_list() == [[1, 0], [0]]
    assert read_sequences(words, names)["sequence"].to_list() == ["1", "2"]


def test_what_else_the_file_knows_is_kept(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "sequence": ["blk_1", None],
            "label": [1, 0],
            "keys": [[1, 2], [3]],
            "start": [NOON, None],
            "times": [[NOON, NOON], [NOON]],
            "note": ["a", "b"],
        }
    )
    row = read_sequences(stored(tmp_path, frame)).to_dicts()
    assert [r["sequence"] for r in row] == ["blk_1", "2"]
    assert [r["label"] for r in row] == [True, False]
    assert [r["start"] for r in row] == [NOON, None]
    assert row[0]["times"] == [1714564800000000] * 2
    assert "note" not in row[0]


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pl.DataFrame({"events": [1]}), "neither a list column 'keys'.*it has events"),
        (pl.DataFrame({"keys": ["1 2"]}), "'keys' .* must be a list"),
        (pl.DataFrame({"keys": [[1.5]]}), "'keys' .* must be a list of integers or strings"),
        (pl.DataFrame({"keys": [[1], [None]]}), "row 2 .* null keys"),
        (pl.DataFrame({"keys": [[1], None]}), "row 2 .* null keys"),
        (pl.DataFrame({"keys": [[1]], "label": ["yes"]}), "'label' .* true and false"),
        (pl.DataFrame({"keys": [[1]], "label": [2]}), "'label' .* true and false"),
        (pl.DataFrame({"keys": [[1]], "start": ["noon"]}), "'start' .* dates"),
        (pl.DataFrame({"keys": [[1, 2]], "times": [[5]]}), "'times' .* as many entries"),
        (pl.DataFrame({"keys": [[1]], "times": [5]}), "'times' .* must be a list"),
        (pl.DataFrame({"event_id": [1.5]}), "'event_id' .* integers or strings"),
        (pl.DataFrame({"event_id": [1, None]}), "1 of the 2 records .* no event_id"),
        (pl.DataFrame({"event_id": pl.Series([], dtype=pl.Int16)}), "no sequences"),
        (pl.DataFrame({"keys": pl.Series([], dtype=pl.List(pl.Int32))}), "no sequences"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path: Path, frame: pl.DataFrame, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read_sequences(stored(tmp_path, frame))
    assert "\n" not in str(caught.value)


def test_a_stream_of_records_is_cut_into_windows(tmp_path: Path) -> None:
    frame = pl.DataFrame({"line": [11, 12, 20], "event_id": [4, 300, 4], "alert": [False, False, True]})
    sequences = read_sequences(stored(tmp_path, frame), grouping=Grouping.parse("count:2"))
    assert sequences.select("sequence", "keys", "lines", "label").rows() == [
        ("lines 11-12", [4, 300], [11, 12], False),
        ("lines 20-20", [4], [20], True),
    ]


def test_a_stream_may_be_cut_by_time_or_by_a_field(tmp_path: Path) -> None:
    frame = pl.DataFrame({"event_id": ["a", "b"], "timestamp": [NOON, NOON], "node": ["n1", "n2"]})
    path = stored(tmp_path, frame)
    assert len(read_sequences(path, KeyNames(), grouping=Grouping.parse("time:1min"))) == 1
    assert read_sequences(path, KeyNames(), grouping=Grouping.parse("field:node"))["sequence"].to_list() == ["n1", "n2"]


def test_a_folder_may_hold_parquet(tmp_path: Path) -> None:
    stored(tmp_path, pl.DataFrame({"keys": [[1]]}))
    (tmp_path / "a.txt").write_text("2 3\n")
    assert read_sequences(tmp_path)["keys"].to_list() == [[2, 3], [1]]


@pytest.mark.real_data
def test_the_bgl_stream_gives_the_published_windows(shared_data: Path) -> None:
    sequences = read_sequences(shared_data / "bgl" / "bgl_dev_stream.parquet", KeyNames())
    full = sequences.filter(pl.col("keys").list.len() == 100)
    assert (len(full), full["label"].sum()) == (14_140, 1_206)
