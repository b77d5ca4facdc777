from __future__ import annotations

import re

import pytest

from logbert.datasets import Dataset, all_sets, dataset_named
from logbert.errors import OptionError

SETS = list(all_sets().values())


def test_it_holds_what_the_paper_used_and_all_of_loghub() -> None:
    assert set(all_sets()) == {
        *("HDFS_v1", "HDFS_v2", "HDFS_v3", "Hadoop", "Spark", "Zookeeper", "OpenStack"),
        *("BGL", "HPC", "Thunderbird", "Spirit", "Liberty"),
        *("Windows", "Linux", "Mac", "Android_v1", "Android_v2", "HealthApp", "Apache", "OpenSSH", "Proxifier"),
    }
    assert {dataset.name for dataset in SETS if dataset.paper} == {"HDFS_v1", "BGL", "Thunderbird"}


@pytest.mark.parametrize("dataset", SETS, ids=lambda dataset: dataset.name)
def test_every_entry_says_what_a_user_must_know(dataset: Dataset) -> None:
    assert dataset.about
    assert dataset.licence
    assert dataset.citations
    assert dataset.page.startswith("https://")
    assert dataset.size
    assert dataset.lines
    assert dataset.unpacked
    assert dataset.unpacked > dataset.size
    assert dataset.unpacked / dataset.lines < 1000  # bytes a line


@pytest.mark.parametrize("dataset", SETS, ids=lambda dataset: dataset.name)
def test_a_checksum_is_the_publishers_or_said_to_be_unknown(dataset: Dataset) -> None:
    if dataset.md5 is None:
        assert dataset.bytes is None
        assert "not published" in dataset.checksums
    else:
        assert re.fullmatch(r"[0-9a-f]{32}", dataset.md5)
        assert dataset.bytes
        assert "Zenodo" in dataset.checksums


def test_no_two_sets_share_an_archive_or_a_checksum() -> None:
    assert len({dataset.archive for dataset in SETS}) == len(SETS)
    published = [dataset.md5 for dataset in SETS if dataset.md5]
    assert len(set(published)) == len(published)


def test_a_set_that_is_evaluated_is_labelled_and_its_command_names_its_log() -> None:
    for dataset in SETS:
        if dataset.evaluate:
            assert dataset.labels
            assert dataset.is_one_log == ("{log}" in dataset.evaluate)
            assert dataset.is_one_log or any(f"{{folder}}/{log}" in dataset.evaluate for log in dataset.logs)


def test_a_slip_in_the_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"'Thunderbirds'; did you mean .*Thunderbird"):
        dataset_named("Thunderbirds")
    with pytest.raises(OptionError, match=r"'xyzzy'; `logbert datasets list` shows all"):
        dataset_named("xyzzy")
