import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import InputError, ModelError
from logbert.sequences import KeyNames

NAMES = st.lists(st.one_of(st.from_regex(r"E?[0-9]{1,3}", fullmatch=True), st.text(min_size=1, max_size=5)))


def known(*names: str) -> KeyNames:
    table = KeyNames()
    table.encode(pl.Series(names, dtype=pl.String))
    return table


def test_names_that_arrive_together_are_numbered_as_a_person_would_list_them() -> None:
    assert known("E10", "E9", "x", "10", "9", "E9").table["name"].to_list() == ["9", "10", "E9", "E10", "x"]


@settings(max_examples=80, deadline=None)
@given(NAMES, NAMES)
def test_a_name_keeps_its_number_whatever_comes_later(first: list[str], second: list[str]) -> None:
    names = known(*first)
    before = names.table
    keys = names.encode(pl.Series(second, dtype=pl.String))
    assert names.table[: len(before)].equals(before)
    assert names.decode(keys).to_list() == second
    assert len(names) == len({*first, *second})


@settings(max_examples=80, deadline=None)
@given(NAMES)
def test_the_order_of_arrival_changes_nothing(names: list[str]) -> None:
    assert known(*names).table.equals(known(*reversed(names)).table)


@settings(max_examples=80, deadline=None)
@given(NAMES)
def test_names_survive_json(names: list[str]) -> None:
    table = known(*names)
    assert KeyNames.from_state(json.loads(json.dumps(table.state()))).table.equals(table.table)


def test_a_copy_grows_alone() -> None:
    names = known("5")
    names.copy().encode(pl.Series(["6"]))
    assert len(names) == 1


@pytest.mark.parametrize("state", [{}, {"names": "E5"}, {"names": [1]}, {"names": ["a", "a"]}])
def test_damaged_names_are_an_error_of_the_model(state: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="key names are damaged"):
        KeyNames.from_state(state)


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "templates.csv"
    path.write_text('\ufeffEventId,EventTemplate\nE5,Receiving block <*>\n22,"allocateBlock: <*>, <*>"\nE5,again\n')
    return path


def test_templates_match_names_with_and_without_their_letter(templates: Path) -> None:
    texts = known("5", "E5", "22", "E22", "7").texts(templates)
    assert dict(texts.select("name", "template").iter_rows()) == {
        "5": "Receiving block <*>",
        "E5": "Receiving block <*>",
        "22": "allocateBlock: <*>, <*>",
        "E22": "allocateBlock: <*>, <*>",
        "7": None,
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\n", "columns EventId and EventTemplate; it has a, b"),
        ("", "no CSV of templates"),
        (None, "cannot read"),
    ],
)
def test_a_file_that_holds_no_templates_is_refused(tmp_path: Path, content: str | None, says: str) -> None:
    path = tmp_path / "templates.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=says) as caught:
        known("5").texts(path)
    assert "\n" not in str(caught.value)


@pytest.mark.real_data
def test_the_published_hdfs_templates_give_every_training_key_its_text(shared_data: Path) -> None:
    used = (shared_data / "hdfs" / "hdfs_train").read_text().split()
    texts = known(*used).texts(shared_data / "hdfs" / "hdfs_templates_e29.csv")
    assert texts["template"].null_count() == 0
