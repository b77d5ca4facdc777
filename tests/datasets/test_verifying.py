from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from logbert.datasets import Count, Dataset, Labels, Verdict, get, verify
from logbert.errors import InputError
from tests.datasets.server import Server
from tests.datasets.test_archives import make_zip
from tests.datasets.test_getting import published

LINES = b"- 1117838570 fine\n" * 90 + b"KERNDTLB 1117838571 bad\n" * 10
LABELS = b"BlockId,Label\nblk_1,Normal\nblk_2,Anomaly\nblk_3,Normal\n"


@pytest.fixture
def bgl(server: Server, tmp_path: Path) -> Dataset:
    path = make_zip(tmp_path / "made.zip", {"BGL.log": LINES, "README.md": b"about it\n"})
    content = path.read_bytes()
    path.unlink()
    labels = Labels("first column", "lines", known=Count(100, 10), known_of_first=Count(95, 5))
    return published(server, content, "BGL.zip", name="BGL", logs=("BGL.log",), labels=labels, lines=100)


def says(verdict: Verdict, what: str) -> tuple[bool | None, str]:
    found = {finding.what: finding for finding in verdict.findings}[what]
    return found.good, found.says


def test_a_set_as_published_is_whole(bgl: Dataset, tmp_path: Path) -> None:
    get(bgl, tmp_path)
    verdict = verify(bgl, tmp_path)
    assert verdict.whole
    assert [finding.what for finding in verdict.findings] == ["BGL.log", "README.md", "lines", "labels", "archive"]
    assert all(finding.good for finding in verdict.findings)
    assert says(verdict, "lines") == (True, "100, as published")
    assert says(verdict, "labels") == (True, "10 of 100 lines are abnormal, as published")
    assert bgl.md5
    assert bgl.md5 in says(verdict, "archive")[1]


def test_a_changed_file_is_found_though_its_size_is_the_same(bgl: Dataset, tmp_path: Path) -> None:
    log = get(bgl, tmp_path).folder / "BGL.log"
    log.write_bytes(LINES.replace(b"bad", b"gut"))
    verdict = verify(bgl, tmp_path)
    assert not verdict.whole
    assert says(verdict, "BGL.log") == (False, "is not as it was unpacked: its SHA-256 is another")
    assert says(verdict, "README.md")[0]


def test_a_file_cut_short_and_one_that_is_gone_are_found(bgl: Dataset, tmp_path: Path) -> None:
    folder = get(bgl, tmp_path).folder
    (folder / "BGL.log").write_bytes(LINES[:100])
    (folder / "README.md").unlink()
    verdict = verify(bgl, tmp_path)
    assert says(verdict, "BGL.log")[1].startswith(f"has 100 bytes, had {len(LINES):,}")
    assert says(verdict, "README.md") == (False, "is not there")


def test_the_first_lines_are_compared_with_what_is_known_of_them(bgl: Dataset, tmp_path: Path) -> None:
    get(bgl, tmp_path, first=95)
    verdict = verify(bgl, tmp_path)
    assert verdict.whole
    assert says(verdict, "lines") == (True, "95, the first 95 were asked for")
    assert says(verdict, "labels") == (True, "5 of 95 lines are abnormal, as published")


def test_other_first_lines_have_nothing_to_be_compared_with(bgl: Dataset, tmp_path: Path) -> None:
    get(bgl, tmp_path, first=92)
    assert says(verify(bgl, tmp_path), "labels") == (
        None,
        "2 of 92 lines are abnormal, nothing published to compare with",
    )


def test_labels_in_a_table_are_counted(server: Server, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "made.zip", {"HDFS.log": b"081109 x\n", "preprocessed/anomaly_label.csv": LABELS})
    dataset = published(server, path.read_bytes(), "HDFS_v1.zip", lines=1)
    assert dataset.labels
    known = replace(dataset, labels=replace(dataset.labels, known=Count(3, 1)))
    get(known, tmp_path)
    assert says(verify(known, tmp_path), "labels") == (True, "1 of 3 blocks are abnormal, as published")
    off = replace(dataset, labels=replace(dataset.labels, known=Count(3, 2)))
    assert says(verify(off, tmp_path), "labels") == (None, "1 of 3 blocks are abnormal, published are 2")


def test_a_published_count_that_is_off_does_not_outweigh_a_published_checksum(bgl: Dataset, tmp_path: Path) -> None:
    get(bgl, tmp_path)
    off = replace(bgl, lines=101)
    assert verify(off, tmp_path).whole
    assert says(verify(off, tmp_path), "lines") == (None, "100, published are 101")


def test_without_a_published_checksum_the_count_decides(bgl: Dataset, tmp_path: Path) -> None:
    unknown = replace(bgl, md5=None, bytes=None)
    get(unknown, tmp_path)
    assert verify(unknown, tmp_path).whole
    assert "on 20" in says(verify(unknown, tmp_path), "archive")[1]  # the day of the first download
    assert not verify(replace(unknown, lines=101), tmp_path).whole


def test_a_set_put_there_by_hand_is_compared_with_what_is_published(bgl: Dataset, tmp_path: Path) -> None:
    (tmp_path / "BGL").mkdir()
    log = tmp_path / "BGL" / "BGL.log"
    log.write_bytes(LINES)
    verdict = verify(bgl, tmp_path)
    assert verdict.whole
    assert says(verdict, "BGL.log")[0] is None
    log.write_bytes(LINES[:-1000])
    assert not verify(bgl, tmp_path).whole
    log.unlink()
    assert says(verify(bgl, tmp_path), "BGL.log") == (False, "is not there")


def test_a_packed_log_is_counted_unpacked_and_found_if_it_is_cut(bgl: Dataset, tmp_path: Path) -> None:
    packed = replace(bgl, name="Spirit", archive="spirit2.gz", logs=("spirit2.*",))
    (tmp_path / "Spirit").mkdir()
    log = tmp_path / "Spirit" / "spirit2.gz"
    log.write_bytes(gzip.compress(LINES))
    assert says(verify(packed, tmp_path), "labels") == (True, "10 of 100 lines are abnormal, as published")
    log.write_bytes(gzip.compress(LINES)[:-10])
    assert says(verify(packed, tmp_path), "spirit2.gz") == (False, "ends too early")


def test_a_receipt_of_another_archive_is_found(bgl: Dataset, tmp_path: Path) -> None:
    folder = get(bgl, tmp_path).folder
    receipt = json.loads((folder / "logbert-receipt.json").read_text())
    (folder / "logbert-receipt.json").write_text(json.dumps({**receipt, "md5": "0" * 32}))
    assert says(verify(bgl, tmp_path), "archive")[0] is False


def test_labels_told_in_words_are_not_counted(bgl: Dataset, tmp_path: Path) -> None:
    told = replace(bgl, labels=Labels("other", "instances", how="by instance"))
    get(told, tmp_path)
    assert says(verify(told, tmp_path), "labels") == (None, "by instance; not counted")


def test_a_set_that_is_not_there_says_how_to_get_it(bgl: Dataset, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"get it with: logbert datasets get BGL -o {tmp_path}"):
        verify(bgl, tmp_path)
