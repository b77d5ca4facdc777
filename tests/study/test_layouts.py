from __future__ import annotations

from pathlib import Path

import pytest

from logbert.errors import InputError
from logbert.study import find_sources


def test_every_layout_is_found_and_nothing_else(data: Path) -> None:
    found = {source.name: [file.name for file in source.files] for source in find_sources(data)}
    stream = ["bgl_stream.parquet", "bgl_templates.csv"]
    assert found == {
        "hdfs-sequences": ["hdfs_train", "hdfs_test_normal", "hdfs_test_abnormal", "hdfs_templates.csv"],
        "bgl": ["BGL.log"],
        "bgl-shuffled": stream,
        "bgl-near": [*stream, "bgl_normal_windows.txt"],
        "bgl-drift": [*stream, "bgl_normal_windows.txt"],
    }


def test_sequence_files_may_be_named_by_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "Thunderbird"
    folder.mkdir()
    for name in ("train.txt", "test_normal.txt", "test_abnormal.txt"):
        (folder / name).write_text("1 2 3\n")
    assert [source.name for source in find_sources(tmp_path)] == ["thunderbird-sequences"]


@pytest.mark.parametrize("place", ["anomaly_label.csv", "preprocessed/anomaly_label.csv"])
def test_hdfs_needs_its_labels(tmp_path: Path, place: str) -> None:
    (tmp_path / "HDFS.log.gz").write_bytes(b"")
    assert find_sources(tmp_path) == []
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("BlockId,Label\n")
    assert [source.name for source in find_sources(tmp_path)] == ["hdfs"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder; name the one the data sets are in with --data"):
        find_sources(tmp_path / "nowhere")


def test_a_changed_file_changes_the_checksum(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "BGL.log"
    path.write_bytes((data / "raw" / "BGL.log").read_bytes())
    before = find_sources(tmp_path)[0].checksum
    assert find_sources(tmp_path)[0].checksum == before
    path.write_bytes(path.read_bytes().replace(b"KERNDTLB", b"KERNTERM"))
    assert find_sources(tmp_path)[0].checksum != before
