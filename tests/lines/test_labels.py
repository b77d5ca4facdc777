"""Label files of both kinds are told apart and read, and what is no label is an error."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from logbert.errors import InputError
from logbert.lines import read_labels


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.real_data
def test_loghubs_labels_of_hdfs(shared_data: Path) -> None:
    labels = read_labels(shared_data / "hdfs" / "anomaly_label.csv")
    assert isinstance(labels, pl.DataFrame)
    assert labels.columns == ["id", "abnormal"]
    assert (len(labels), int(labels["abnormal"].sum())) == (11_501, 350)


@pytest.mark.parametrize(
    "text", ["id,label\na,0\nb,1\n", "a,Normal\nb,Anomaly", '"a","normal"\r\n"b","ABNORMAL"\r\n', "a,0\nb,1\n\na,0\n"]
)
def test_ids_and_labels(tmp_path: Path, text: str) -> None:
    labels = read_labels(write(tmp_path / "labels.csv", text))
    assert isinstance(labels, pl.DataFrame)
    assert labels.rows() == [("a", False), ("b", True)]


@pytest.mark.parametrize("text", ["0\n1\n0\n", "label\n0\n1\n0", "-\nFAIL\nnormal\n"])
def test_one_label_a_line(tmp_path: Path, text: str) -> None:
    labels = read_labels(write(tmp_path / "labels.txt", text))
    assert isinstance(labels, pl.Series)
    assert labels.to_list() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the label file is empty"),
        ("0\n1\nmaybe\n", "line 3 is no label: 'maybe'"),
        ("a,Normal\nb,perhaps\n", "line 2 is no label: 'b,perhaps'"),
        ("a,Normal\na,Anomaly\n", "'a' is labelled both normal and abnormal"),
    ],
)
def test_what_is_no_label_is_an_error(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_labels(write(tmp_path / "labels", text))


def test_a_missing_label_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such label file"):
        read_labels(tmp_path / "none.csv")
