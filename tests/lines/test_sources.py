"""Files, folders and globs mean what a user expects, each file once, and nothing is left out silently."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from logbert.errors import InputError
from logbert.lines.sources import describe_skipped, find_sources


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.log", "b.log.gz", "sub/c.log.2024-05-01", "sub/deep/d", ".hidden", "sub/table.parquet", "x.csv.gz"):
        path = tmp_path / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "logs"


def names(*inputs: str | Path) -> list[str]:
    return [source.name for source in find_sources(inputs)[0]]


def test_a_folder_is_read_with_all_its_folders(logs: Path) -> None:
    assert names("logs") == ["logs/a.log", "logs/b.log.gz", "logs/sub/c.log.2024-05-01", "logs/sub/deep/d"]


def test_what_a_folder_holds_that_is_no_log_is_told(logs: Path) -> None:
    skipped = find_sources(["logs"])[1]
    assert [one.name for one in skipped] == ["logs/.hidden", "logs/sub/table.parquet", "logs/x.csv.gz"]
    assert "hidden: logs/.hidden" in describe_skipped(skipped)


def test_globs_may_go_down_folders(logs: Path) -> None:
    assert names("logs/*.log") == ["logs/a.log"]
    assert names("logs/**/*") == names("logs")
    assert names("logs/**") == names("logs")


def test_a_file_that_is_named_is_read_whatever_its_name(logs: Path) -> None:
    assert names("logs/sub/table.parquet", "logs/.hidden") == ["logs/.hidden", "logs/sub/table.parquet"]


def test_a_file_with_glob_characters_in_its_name_is_that_file(logs: Path) -> None:
    (logs / "odd[1].log").write_text("text\n")
    assert names("logs/odd[1].log") == ["logs/odd[1].log"]


def test_each_file_is_read_once(logs: Path) -> None:
    (logs / "current").symlink_to("a.log")
    sources = find_sources(["logs", "logs/a.log", "logs/*.log", logs / "a.log"])[0]
    assert len(sources) == 4
    assert len({source.path.resolve() for source in sources}) == 4


def test_the_order_of_inputs_does_not_matter(logs: Path) -> None:
    assert find_sources(["logs", "logs/a.log"]) == find_sources(["logs/a.log", "logs"])


@pytest.mark.parametrize(
    ("given", "says"),
    [("missing.log", "no such file or folder"), ("logs/*.txt", "no file matches this pattern")],
)
def test_what_is_not_there_is_an_error(logs: Path, given: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        find_sources([given])
    assert str(error.value).startswith(given)


def test_a_link_that_leads_nowhere_is_told(logs: Path) -> None:
    (logs / "dangling.log").symlink_to("gone")
    assert "a link that leads nowhere" in describe_skipped(find_sources(["logs"])[1])


# These tests may run as root, whom no permission stops: the answer of the operating system is put in its place.
def test_files_without_permission_are_told_in_a_folder_and_refused_by_name(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "a.log")
    assert "no permission to read it: logs/a.log" in describe_skipped(find_sources(["logs"])[1])
    with pytest.raises(InputError, match=r"logs/a\.log: no permission to read it"):
        find_sources(["logs/a.log"])


def test_folders_without_permission_are_told_below_and_refused_by_name(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if Path(path).name in refused:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    refused = {"deep"}
    sources, skipped = find_sources(["logs"])
    assert len(sources) == 3
    assert "no permission to list it: logs/sub/deep" in describe_skipped(skipped)
    refused = {"logs"}
    with pytest.raises(InputError, match="logs: no permission to list this folder"):
        find_sources(["logs"])
