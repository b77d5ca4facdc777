"""Parsed records appear in loghub's layout, whole and in order."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.errors import InputError, OptionError
from logbert.lines import open_records
from logbert.templates import Templates
from logbert.templates.parsed_files import python_list, write_parsed

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = ["read 3 blocks from /a/b", "link eth0 down", "read 17 blocks from /c", 'odd, "quoted" text\nwith a tail']


def records(messages: list[str], size: int, **columns: str) -> list[pl.DataFrame]:
    frame = pl.DataFrame({"message": messages}).with_row_index("line", offset=1)
    frame = frame.with_columns(pl.lit("a.log").alias("source"), *(pl.lit(v).alias(k) for k, v in columns.items()))
    return [frame[i : i + size] for i in range(0, len(messages), size)]


def test_structured_and_templates_files(tmp_path: Path) -> None:
    parsed = write_parsed(records(MESSAGES, 2, level="INFO", Pid="7"), Templates(), tmp_path / "X.log.csv")
    assert [path.name for path in parsed.paths] == ["X.log_structured.csv", "X.log_templates.csv"]
    assert (parsed.records, parsed.templates) == (4, 3)
    structured, templates = (pl.read_csv(path, infer_schema=False) for path in parsed.paths)
    assert structured.columns == ["LineId", "Level", "Pid", "Content", "EventId", "EventTemplate", "ParameterList"]
    assert structured["LineId"].to_list() == ["1", "2", "3", "4"]
    assert structured["Content"].to_list() == MESSAGES
    read, link = "read <*> blocks from <*>", "link eth<*> down"
    assert structured["EventTemplate"].to_list()[:3] == [read, link, read]
    assert ast.literal_eval(structured["ParameterList"][2]) == ["17", "/c"]
    assert templates.columns == ["EventId", "EventTemplate", "Occurrences"]
    assert templates["Occurrences"].to_list() == ["2", "1", "1"]
    assert set(templates["EventId"]) == set(structured["EventId"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.log_structured.csv", "X.log_templates.csv"]


@given(size=st.integers(1, 5))
def test_batch_size_changes_nothing(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    folder = tmp_path_factory.mktemp("parsed")
    write_parsed(records(MESSAGES, size), Templates(), folder / "a.csv")
    write_parsed(records(MESSAGES, 100), Templates(), folder / "b.csv")
    for name in ("structured", "templates"):
        assert (folder / f"a_{name}.csv").read_bytes() == (folder / f"b_{name}.csv").read_bytes()


def test_parquet_holds_the_parameters_as_lists(tmp_path: Path) -> None:
    parsed = write_parsed(records(MESSAGES, 3), Templates(), tmp_path / "x.parquet")
    frame = pl.read_parquet(parsed.paths[0])
    assert frame["ParameterList"].to_list()[:2] == [["3", "/a/b"], ["0"]]
    assert frame["Content"].to_list() == MESSAGES


def test_fields_that_only_some_records_have_are_kept(tmp_path: Path) -> None:
    frames = records(MESSAGES[:1], 1, user="jo") + records(MESSAGES[1:2], 1, host="h")
    parsed = write_parsed(frames, Templates(), tmp_path / "x.csv")
    structured = pl.read_csv(parsed.paths[0])
    assert structured.select("user", "host").rows() == [("jo", None), (None, "h")]


def test_templates_that_have_learnt_are_followed(tmp_path: Path) -> None:
    templates = Templates()
    templates.encode(pl.Series(["read 1 blocks from /x"]))
    templates.learn()
    write_parsed(records(MESSAGES, 2), templates, tmp_path / "x.csv")
    assert templates.learnt == 1
    occurrences = pl.read_csv(tmp_path / "x_templates.csv")
    assert occurrences.row(0)[1:] == ("read <*> blocks from <*>", 2)


def test_nothing_is_left_behind_when_it_fails(tmp_path: Path) -> None:
    def broken() -> object:
        yield from records(MESSAGES, 2)
        raise InputError("the disk is gone")

    with pytest.raises(InputError, match="gone"):
        write_parsed(broken(), Templates(), tmp_path / "x.csv")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no records"):
        write_parsed([], Templates(), tmp_path / "x.csv")
    with pytest.raises(OptionError, match=r"\.csv or \.parquet"):
        write_parsed([], Templates(), tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())


@given(st.lists(st.lists(st.text(max_size=8), max_size=4), min_size=1, max_size=6))
def test_parameter_lists_read_back_as_python(lists: list[list[str]]) -> None:
    texts = python_list(pl.Series(lists, dtype=pl.List(pl.String)))
    assert [ast.literal_eval(text) for text in texts] == lists


@pytest.mark.real_data
@pytest.mark.parametrize("system", ["HDFS", "BGL", "Thunderbird"])
def test_the_layout_is_loghubs(shared_data: Path, tmp_path: Path, system: str) -> None:
    folder = shared_data / "loghub_2k"
    parsed = write_parsed(open_records([folder / f"{system}_2k.log"]), Templates(), tmp_path / "x.csv")
    ours = pl.read_csv(parsed.paths[0], infer_schema=False)
    theirs = pl.read_csv(folder / f"{system}_2k.log_structured_corrected.csv", infer_schema=False)
    assert parsed.records == 2000
    assert set(theirs.columns) <= set(ours.columns)
    assert ours["LineId"].equals(theirs["LineId"])
    same = ours["Content"].str.replace_all(r"\s+", " ") == theirs["Content"].str.replace_all(r"\s+", " ")
    assert same.sum() >= 1990
