"""What `auto` decides on logs of many kinds; the figures in its reason are those of the log."""

from __future__ import annotations

import random
import tarfile
import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import polars as pl
import pytest

from logbert.lines import open_records
from logbert.sequences import CountWindows, Fields, Grouping, Sessions, TimeWindows
from logbert.sequences.choice import choose

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STEPS = ["accepted from gateway", "read from disk", "sent to peer", "committed", "released"]
WINDOWS = (TimeWindows, CountWindows)
NOON = datetime.fromisoformat("2024-05-01T12:00:00")


def interleaved(name_of: Callable[[int], str], jobs: int = 60, **fields: Callable[[int], object]) -> pl.DataFrame:
    """Give a log in which some jobs, a few at a time, each go through the same steps."""
    dice = random.Random(1)
    waiting = [[number, 0] for number in range(jobs)]
    rows = []
    while waiting:
        job = dice.choice(waiting[:6])
        number, step = job
        rows.append({"message": STEPS[step].replace("from", f"{name_of(number)} from"), "job": number, "step": step})
        job[1] += 1
        waiting = [job for job in waiting if job[1] < len(STEPS)]
    frame = pl.DataFrame(rows)
    messages = [f"{STEPS[step]} ({name_of(number)})" for number, step in frame.select("job", "step").iter_rows()]
    return pl.DataFrame(
        {
            "line": range(1, len(frame) + 1),
            "source": "app.log",
            "timestamp": [NOON + timedelta(seconds=second) for second in range(len(frame))],
            "message": messages,
            **{field: [value_of(number) for number in frame["job"]] for field, value_of in fields.items()},
        }
    )


def an_uuid(number: int) -> str:
    return str(uuid.UUID(int=random.Random(number).getrandbits(128)))


@pytest.mark.parametrize(
    "name_of",
    [
        lambda n: f"blk_{random.Random(n).randint(-(2**62), 2**62)}",
        lambda n: f"req-{an_uuid(n)}",
        an_uuid,
        lambda n: f"container_1445144423722_0020_01_{n:06d}",
        lambda n: f"task-{n:04d}",
        lambda n: f"chunk_{random.Random(n).getrandbits(48):012x}",
        lambda n: f'"trace_id": "{random.Random(n).getrandbits(64):016x}"',
        lambda n: f"session={n}",
        lambda n: f"requestId: r{n}",
        lambda n: f"transaction {7_000 + n}",
        lambda n: f"{random.Random(n).getrandbits(128):032x}",
    ],
)
def test_an_id_that_recurs_in_messages_makes_sessions(name_of: Callable[[int], str]) -> None:
    frame = interleaved(name_of)
    grouping = choose(frame)
    assert isinstance(grouping, Sessions)
    collector = grouping.collector()
    collector.add(frame, pl.Series([0] * len(frame)))
    sessions = collector.finish(pl.Series([0]).to_numpy())
    assert sessions["lines"].list.len().to_list() == [len(STEPS)] * 60
    assert collector.left_out == 0


@pytest.mark.parametrize("name", ["trace_id", "TraceId", "pid", "ADDR"])
def test_a_header_field_that_holds_such_an_id_makes_sessions(name: str) -> None:
    frame = interleaved(lambda _: "it", **{name: lambda n: f"req-{an_uuid(n)} - -"})
    assert choose(frame) == Fields((name,))


def test_the_reason_tells_the_figures() -> None:
    assert choose(interleaved(lambda n: f"task-{n:04d}")).why == (
        "session:task-\\d+, because 100 % of the first 300 records name such an id: 60 of them, "
        "each in 5 records of 5 kinds (median)"
    )


def test_what_is_there_throughout_is_a_place_and_no_session() -> None:
    frame = interleaved(lambda n: f"node-{n % 25}", worker_id=lambda n: n % 30)
    assert isinstance(choose(frame), WINDOWS)


@pytest.mark.parametrize("name", ["host", "user_id", "component", "span_id"])
def test_fields_that_name_no_work_make_no_sessions(name: str) -> None:
    frame = interleaved(lambda _: "it", **{name: lambda n: f"v{n}"})
    assert isinstance(choose(frame), WINDOWS)


def test_an_id_that_too_few_records_name_is_told_but_not_taken() -> None:
    frame = interleaved(lambda n: f"task-{n:04d}" if n % 2 else "housekeeping")
    grouping = choose(frame)
    assert isinstance(grouping, WINDOWS)
    assert "only 50.0 % of records name an id (session:task-\\d+)" in grouping.why


def test_an_id_of_one_record_each_makes_no_session() -> None:
    frame = interleaved(lambda n: "it").with_columns(message=pl.format("request id={}", "line"))
    assert isinstance(choose(frame), WINDOWS)


def test_files_that_begin_alike_are_sessions_and_pieces_of_a_log_are_not() -> None:
    frame = (
        interleaved(lambda _: "it").drop("timestamp").with_columns(source=pl.format("part{}.log", pl.col("line") // 10))
    )
    alike = frame.with_columns(
        message=pl.when(pl.col("line") % 10 == 0).then(pl.lit("Executing with tokens:")).otherwise("message")
    )
    assert choose(alike[9:]) == Fields(("source",))
    lines = frame.with_columns(
        message=pl.col("line").map_elements(lambda n: "abcdefg"[n % 7] * 3, return_dtype=pl.String)
    )
    assert isinstance(choose(lines), CountWindows)


def test_windows_of_time_are_as_short_as_they_are_full() -> None:
    frame = interleaved(lambda _: "it", jobs=2_000)
    assert choose(frame) == Grouping.parse("time:1min")
    slower = frame.with_columns(pl.col("timestamp") + pl.duration(minutes=pl.col("line")))
    assert choose(slower) == Grouping.parse("time:1h")


def test_without_times_records_are_counted_off_so_that_there_are_enough_windows() -> None:
    frame = interleaved(lambda _: "it", jobs=4_000).drop("timestamp")
    assert choose(frame) == CountWindows(100, 100)
    assert choose(frame[:2_000]) == CountWindows(20, 20)
    assert choose(frame[:30]) == CountWindows(10, 10)
    half = frame[:2_000].with_columns(timestamp=pl.when(pl.col("line") % 2 == 0).then(pl.lit(NOON)))
    assert "only 50.0 % of records have a time" in choose(half).why


@pytest.mark.parametrize("frame", [pl.DataFrame(), pl.DataFrame({"line": [1], "message": ["x"]})])
def test_next_to_nothing_is_counted_off(frame: pl.DataFrame) -> None:
    assert isinstance(choose(frame), CountWindows)


def test_codes_of_templates_tell_kinds_better_than_a_glance() -> None:
    frame = interleaved(lambda n: f"task-{n:04d}")
    assert isinstance(choose(frame, pl.Series([0] * len(frame))), WINDOWS)


def first_records(*inputs: Path) -> pl.DataFrame:
    held: list[pl.DataFrame] = []
    for frame in open_records(list(inputs)):
        held.append(frame)
        if sum(map(len, held)) >= 100_000:
            break
    return pl.concat(held, how="diagonal").head(100_000)


@pytest.mark.real_data
def test_hdfs_is_grouped_by_its_blocks(shared_data: Path) -> None:
    assert choose(first_records(shared_data / "hdfs" / "HDFS_sample.log.gz")) == Sessions(r"blk_-?\d+")


@pytest.mark.real_data
def test_thunderbird_is_grouped_by_time(shared_data: Path) -> None:
    assert isinstance(choose(first_records(shared_data / "thunderbird" / "Thunderbird_sample.log.gz")), TimeWindows)


@pytest.mark.real_data
def test_a_folder_of_container_logs_is_grouped_by_container(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "hadoop" / "Hadoop_wordcount.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    assert choose(first_records(tmp_path)) == Fields(("source",))


SAMPLES = {
    "Apache": TimeWindows,
    "BGL": TimeWindows,
    "Hadoop": TimeWindows,
    "HDFS": TimeWindows,  # lines drawn from the whole: no block occurs twice
    "HPC": CountWindows,  # 2,000 lines of three years, out of order
    "Linux": TimeWindows,
    "Mac": TimeWindows,
    "OpenStack": TimeWindows,
    "Proxifier": TimeWindows,
    "Thunderbird": CountWindows,  # half of the lines in two minutes, the others over an hour
    "Windows": CountWindows,  # 76 seconds in all
    "Zookeeper": TimeWindows,
}


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "kind"), SAMPLES.items())
def test_each_sample_of_2000_lines_gets_windows_enough_to_learn_from(
    shared_data: Path, system: str, kind: type[Grouping]
) -> None:
    frame = first_records(shared_data / "loghub_2k" / f"{system}_2k.log")
    grouping = choose(frame)
    assert isinstance(grouping, kind)
    assert grouping.why.startswith(f"{grouping}, because ")
    collector = grouping.collector()
    collector.add(frame, pl.Series([0] * len(frame)))
    assert len(collector.finish(pl.Series([0]).to_numpy())) >= 50
    assert collector.left_out == 0
