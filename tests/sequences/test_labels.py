import polars as pl
import pytest

from logbert.errors import InputError
from logbert.sequences import KeyNames, apply_labels, read_sequences


def sequences(*names: str) -> pl.DataFrame:
    return pl.DataFrame(
        {"sequence": names, "keys": [[1]] * len(names), "label": [None] * len(names)},
        schema_overrides={"label": pl.Boolean},
    )


def labels(**of: bool) -> pl.DataFrame:
    return pl.DataFrame({"id": list(of), "abnormal": list(of.values())})


def test_labels_find_their_sequence_by_id() -> None:
    labelled, notes = apply_labels(sequences("blk_2", "blk_1"), labels(blk_1=True, blk_2=False))
    assert labelled.rows() == [("blk_2", [1], False), ("blk_1", [1], True)]
    assert notes == []


def test_ids_on_either_side_alone_are_counted() -> None:
    labelled, notes = apply_labels(sequences("a", "b", "c"), labels(c=True, x=True, y=False))
    assert labelled["label"].to_list() == [None, None, True]
    assert notes == ["2 of 3 sequences are not in the labels", "2 labels are of no sequence here"]


def test_a_session_that_occurs_twice_is_labelled_twice() -> None:
    assert apply_labels(sequences("a", "a"), labels(a=True))[0]["label"].to_list() == [True, True]


def test_labels_of_other_sequences_altogether_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"none of the 1 sequences; the first label is of 'blk_9', the first sequence is '2005-"
    ):
        apply_labels(sequences("2005-11-15T05:28:00/5min"), labels(blk_9=True))
    with pytest.raises(InputError, match="first label is of nothing"):
        apply_labels(sequences("a"), labels())


def test_labels_that_contradict_each_other_are_refused() -> None:
    twice = pl.concat([labels(a=True), labels(a=False)])
    with pytest.raises(InputError, match="'a' both normal and abnormal"):
        apply_labels(sequences("a"), twice)


def test_one_label_a_sequence_goes_by_their_order() -> None:
    assert apply_labels(sequences("x", "y"), pl.Series([1, 0]))[0]["label"].to_list() == [True, False]


def test_one_label_a_line_may_count_the_empty_lines_of_the_sequence_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "test"
    path.write_text("1\n\n2\n3\n")
    read = read_sequences(path, KeyNames())
    assert apply_labels(read, pl.Series([False, True, False, True]))[0]["label"].to_list() == [False, False, True]
    assert apply_labels(read, pl.Series([False, True, True]))[0]["label"].to_list() == [False, True, True]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_another_number_of_labels_is_refused(count: int) -> None:
    with pytest.raises(InputError, match=f"there are {count} labels, one a line, for 2 sequences"):
        apply_labels(sequences("1", "2"), pl.Series([True] * count, dtype=pl.Boolean))
