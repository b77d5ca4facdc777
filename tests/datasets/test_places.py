from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from logbert.datasets import cache_folder, find, how_to_get
from logbert.datasets.receipt import FileRecord, Receipt, read_receipt
from logbert.errors import InputError, OptionError


def lay(folder: Path, name: str, content: str = "- 1 a\n", first: int | None = None) -> Receipt:
    """Lay one file and its receipt into a folder, as `get` leaves them."""
    folder.mkdir(parents=True)
    (folder / name).write_text(content)
    record = FileRecord(name, len(content), hashlib.sha256(content.encode()).hexdigest(), content.count("\n"))
    receipt = Receipt(folder.name, "http://x", "2026-01-01T00:00:00+00:00", first, None, None, None, False, (record,))
    receipt.write(folder)
    return receipt


@pytest.mark.parametrize(
    ("environment", "platform", "end"),
    [
        ({"XDG_CACHE_HOME": "/x"}, "linux", "/x/logbert"),
        ({"XDG_CACHE_HOME": "not/absolute"}, "linux", "/.cache/logbert"),
        ({}, "linux", "/.cache/logbert"),
        ({}, "darwin", "/Library/Caches/logbert"),
        ({"LOCALAPPDATA": "/users/me/local"}, "win32", "/users/me/local/logbert/Cache"),
        ({}, "win32", "/AppData/Local/logbert/Cache"),
        ({"LOGBERT_CACHE": "/big", "XDG_CACHE_HOME": "/x"}, "linux", "/big"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(environment: dict[str, str], platform: str, end: str) -> None:
    assert cache_folder(environment, platform).as_posix().endswith(end)


def test_a_set_is_found_in_the_folder_named_before_the_cache(cache: Path, tmp_path: Path) -> None:
    assert find("BGL", tmp_path) is None
    lay(cache / "datasets" / "BGL", "BGL.log")
    assert find("BGL", tmp_path) == find("bgl") == cache / "datasets" / "BGL"
    lay(tmp_path / "BGL", "BGL.log")
    assert find("BGL", tmp_path) == tmp_path / "BGL"


def test_a_set_laid_there_by_hand_is_found_if_logs_and_labels_are_there(tmp_path: Path) -> None:
    (tmp_path / "HDFS_v1" / "preprocessed").mkdir(parents=True)
    (tmp_path / "HDFS_v1" / "HDFS.log").write_text("x\n")
    assert find("HDFS_v1", tmp_path) is None
    (tmp_path / "HDFS_v1" / "preprocessed" / "anomaly_label.csv").write_text("BlockId,Label\n")
    assert find("HDFS_v1", tmp_path) == tmp_path / "HDFS_v1"


def test_fewer_lines_than_the_study_needs_are_not_found(tmp_path: Path) -> None:
    lay(tmp_path / "BGL", "BGL.log", first=1)
    assert find("BGL", tmp_path) is None
    lay(tmp_path / "Thunderbird", "Thunderbird.log", first=19_999_999)
    assert find("Thunderbird", tmp_path) is None
    lay(tmp_path / "more" / "Thunderbird", "Thunderbird.log", first=20_000_000)
    assert find("Thunderbird", tmp_path / "more") == tmp_path / "more" / "Thunderbird"


def test_a_set_whose_file_shrank_is_not_found(tmp_path: Path) -> None:
    lay(tmp_path / "BGL", "BGL.log")
    (tmp_path / "BGL" / "BGL.log").write_text("")
    assert find("BGL", tmp_path) is None


def test_how_to_get_names_the_folder_where_it_is_looked_for(tmp_path: Path) -> None:
    assert how_to_get("thunderbird") == "logbert datasets get Thunderbird"
    assert how_to_get("BGL", tmp_path) == f"logbert datasets get BGL -o {tmp_path}"
    with pytest.raises(OptionError):
        how_to_get("nothing")


def test_a_receipt_comes_back_as_it_was_written(tmp_path: Path) -> None:
    assert read_receipt(tmp_path) is None
    assert read_receipt(tmp_path / "nowhere") is None
    receipt = lay(tmp_path / "BGL", "BGL.log", first=3)
    assert read_receipt(tmp_path / "BGL") == receipt


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": [{}]}', '{"files": []}'])
def test_a_damaged_receipt_is_an_error_and_nothing_is_found(tmp_path: Path, text: str) -> None:
    lay(tmp_path / "BGL", "BGL.log")
    (tmp_path / "BGL" / "logbert-receipt.json").write_text(text)
    assert find("BGL", tmp_path) is None
    with pytest.raises(InputError, match="get the set again"):
        read_receipt(tmp_path / "BGL")
