import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.alike import NONE
from logbert.errors import OptionError
from logbert.lines.text import Repairs, to_lines_and_likenesses
from logbert.sequences import Grouping
from logbert.sequences.collector import Collector
from logbert.sequences.id_finder import IdFinder
from tests.digits import with_other_digits

DATANODE = [
    "Receiving block blk_-1608999687919862906 src: /10.250.19.102:54106 dest: /10.250.19.102:50010",
    "BLOCK* ask 10.251.126.5:50010 to delete blk_-1608999687919862906 blk_7503483334202473044 blk_7503483334202473044",
    "Served block blk_7503483334202473044 to /10.251.43.115",
    "Starting thread to transfer",
]


def frame_of(messages: list[str | None], **columns: object) -> pl.DataFrame:
    return pl.DataFrame({"line": range(1, len(messages) + 1), "message": messages, **columns})


def collected(spec: str, frame: pl.DataFrame) -> tuple[Collector, dict[str, list[int]]]:
    collector = Grouping.parse(spec).collector()
    collector.add(frame, np.zeros(len(frame), dtype=np.uint32))
    sequences = collector.finish(np.array([0], dtype=np.int32))
    return collector, dict(sequences.select("sequence", "lines").iter_rows())


def test_a_record_naming_several_ids_joins_each_session_once() -> None:
    collector, sessions = collected(r"session:blk_-?\d+", frame_of(DATANODE))
    assert sessions == {"blk_-1608999687919862906": [1, 2], "blk_7503483334202473044": [2, 3]}
    assert collector.left_out == 1
    assert collector.notes == ["1 of 4 records (25.0 %) name no session and are not judged"]


def test_with_a_capture_group_the_id_is_what_it_captures() -> None:
    messages = ['{"trace":"9f1","span":"a"}', '{"trace": "9f1"}', '{"span":"9f1"}', '{"trace":""}']
    _, sessions = collected(r'session:"trace":\s*"(\w*)"', frame_of(messages))
    assert sessions == {"9f1": [1, 2]}


def test_records_without_a_message_name_nothing() -> None:
    collector, sessions = collected("session:a1", frame_of([None, "a1", ""]))
    assert (sessions, collector.left_out) == ({"a1": [2]}, 2)


def test_ids_are_found_beyond_line_ends_and_ascii() -> None:
    ids = IdFinder(r"\p{L}+-\d")(frame_of(["Traceback\n  in Ärger-7\n  at Ärger-9"]))
    assert ids["id"].to_list() == ["Ärger-7", "Ärger-9"]


@given(
    st.lists(st.sampled_from([*DATANODE, "blk_1 blk_1 blk_23", "é blk_-7", "blk_", ""]), max_size=25),
    st.sampled_from([r"blk_-?\d+", r"blk_\w+", r"blk_(-?\d+)", r"(blk)_\d", r"(?P<a>\d)(\d)", "blk_1[0-9]*"]),
    st.data(),
)
def test_ids_are_cut_where_they_stand_in_messages_that_are_alike(
    messages: list[str], regex: str, data: st.DataObject
) -> None:
    again = [with_other_digits(message, data) for message in messages]
    finder = IdFinder(regex)
    for part in (messages, again, messages + again):
        if not part:
            continue
        lines, alike = to_lines_and_likenesses("".join(f"{one}\n" for one in part).encode(), Repairs())
        alike = alike.scatter(data.draw(st.integers(0, len(part) - 1)), NONE)
        frame = pl.DataFrame({"message": lines})
        assert finder(frame.with_columns(alike)).rows() == IdFinder(regex)(frame).rows()


def test_header_fields_group_too_alone_or_together() -> None:
    frame = frame_of(["a", "b", "c", "d"], host=["web1", "web2", "web1", None], pid=[7, 7, 7, 8])
    assert collected("field:pid", frame)[1] == {"7": [1, 2, 3], "8": [4]}
    collector, sessions = collected("field:host,pid", frame)
    assert sessions == {"web1/7": [1, 3], "web2/7": [2]}
    assert collector.left_out == 1


def test_a_field_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(OptionError, match=r"no field 'trace_id'.*line, message"):
        collected("field:trace_id", frame_of(["a"]))


def test_a_session_spread_over_several_files_is_merged_by_time() -> None:
    times = pl.Series([0, 20, 40, 10, 30, 50]).cast(pl.Datetime("us"))
    frame = frame_of(["x1"] * 6, source=["node1"] * 3 + ["node2"] * 3, timestamp=times)
    assert collected("session:x1", frame)[1] == {"x1": [1, 4, 2, 5, 3, 6]}


def test_a_clock_set_back_does_not_reorder_what_one_program_wrote() -> None:
    times = pl.Series([0, 20, 5, 30]).cast(pl.Datetime("us"))
    assert collected("session:x1", frame_of(["x1"] * 4, timestamp=times))[1] == {"x1": [1, 2, 3, 4]}
    both = pl.concat(
        [
            frame_of(["x1"] * 4, timestamp=times, source=["a"] * 4),
            frame_of(["x1"], timestamp=times[2:3], source=["b"]).with_columns(line=pl.lit(5, pl.Int64)),
        ]
    )
    assert collected("session:x1", both)[1] == {"x1": [1, 5, 2, 3, 4]}


@pytest.mark.real_data
def test_every_session_of_the_hdfs_sample_is_found(shared_data: Path) -> None:
    with gzip.open(shared_data / "hdfs" / "HDFS_sample.log.gz", "rt") as file:
        lines = file.read().splitlines()
    labels = pl.read_csv(shared_data / "hdfs" / "anomaly_label.csv")
    collector, sessions = collected(r"session:blk_-?\d+", frame_of(lines))
    assert set(sessions) == set(labels["BlockId"])
    assert collector.left_out == 0
    assert min(len(members) for members in sessions.values()) >= 1
    for name in list(sessions)[::2000]:
        assert sessions[name] == [number for number, line in enumerate(lines, 1) if f"{name} " in f"{line} "]
