from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from logbert.atomic import check_place, whole_file, whole_folder
from logbert.errors import OutputError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_only_when_whole(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with whole_file(target) as partial:
        partial.write_text("a,b\n")
        assert not target.exists()
    assert target.read_text() == "a,b\n"
    assert names(tmp_path) == ["out.csv"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(target) as partial:
        partial.write_text("half of the n")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.csv"]


def test_a_failed_folder_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.mkdir()
    (target / "weights").write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_folder(target) as partial:
        (partial / "weights").write_text("half")
        raise KeyboardInterrupt
    assert (target / "weights").read_text() == "old"
    assert names(tmp_path) == ["model"]


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "model"
    for text in ("first", "second"):
        with whole_folder(target) as partial:
            (partial / text).write_text(text)
    assert names(target) == ["second"]
    assert names(tmp_path) == ["model"]


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write in"), whole_file(tmp_path / "file" / "out.csv"):
        pass


def test_a_place_that_cannot_be_written_is_found_before_any_work(tmp_path: Path) -> None:
    check_place(tmp_path / "new" / "folder" / "out.csv")
    assert names(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        check_place(tmp_path / "file" / "out.csv")


def test_a_full_disk_is_one_clear_line_and_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(OutputError, match="No space left on device"), whole_file(target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.csv"]


def test_a_fault_in_between_is_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ours"), whole_file(tmp_path / "out.csv"):
        raise ValueError("a mistake of ours")
