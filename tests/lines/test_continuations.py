"""Lines without a header belong to the record before them, unless they plainly begin one of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from logbert.lines import Format, open_records
from logbert.lines.detection import detect

HEADER = "2015-10-17 21:26:31,747 ERROR [main] org.apache.Task: it failed"
HADOOP = detect(pl.Series([HEADER]))


def records(tmp_path: Path, text: str, format_: Format = HADOOP) -> list[str]:
    path = tmp_path / "app.log"
    path.write_text(text)
    with open_records([path], format_) as reader:
        return pl.concat(list(reader))["message"].to_list()


@pytest.mark.parametrize(
    "line",
    [
        "java.io.IOException: connection reset",
        "\tat java.lang.Thread.run(Thread.java:745)",
        "Caused by: java.net.ConnectException",
        "... 12 more",
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in f',
        "ValueError: no such key",
        "goroutine 1 [running]:",
        "#3 /var/www/index.php(12): run()",
        "}",
        '    "status": 500,',
        "a sentence of its own",
        "12 more lines follow: see below",
        "INFO [main] is not a time: either",
    ],
)
def test_a_line_without_a_header_joins_the_record_before(tmp_path: Path, line: str) -> None:
    assert records(tmp_path, f"{HEADER}\n{line}\n{HEADER}\n") == [f"it failed\n{line}", "it failed"]


@pytest.mark.parametrize(
    "line",
    [
        "2015-10-17T21:26:31Z another program writes here",
        "Oct 17 21:26:31 web cron[3]: session opened",
        "17/06/09 20:10:40 started",
        "[Sun Dec 04 04:47:44 2005] [notice] up",
        "<34>Oct 17 21:26:31 web su: failed",
        '{"msg": "a JSON record"}',
        '10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1',
        "I0102 15:04:05.000000 1 a.go:1] klog",
        "081109 203615 148 INFO dfs.DataNode: up",
    ],
)
def test_a_line_that_begins_as_records_do_is_one(tmp_path: Path, line: str) -> None:
    assert records(tmp_path, f"{HEADER}\n{line}\n{HEADER}\n") == ["it failed", line, "it failed"]


def test_a_line_that_begins_with_the_formats_own_time_keeps_it(tmp_path: Path) -> None:
    text = f"{HEADER}\n2015-10-17 21:26:32,000 shutting down\n"
    assert records(tmp_path, text) == ["it failed", "shutting down"]


def test_lines_before_the_first_header_are_records(tmp_path: Path) -> None:
    assert records(tmp_path, f"Starting up\nbanner\n{HEADER}\n") == ["Starting up\nbanner", "it failed"]


def test_where_strangers_are_not_joined_traces_still_are(tmp_path: Path) -> None:
    text = f"{HEADER}\nstray\n\tat a.b(C.java:1)\n{HEADER}\n"
    found = records(tmp_path, text, replace(HADOOP, joins="traces"))
    assert found == ["it failed", "stray\n\tat a.b(C.java:1)", "it failed"]


def test_a_record_never_crosses_from_one_file_into_another(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(HEADER)
    (tmp_path / "b.log").write_text(f"\tat a.b(C.java:1)\n{HEADER.replace('2015', '2016')}\n")
    with open_records([tmp_path], HADOOP) as reader:
        frame = pl.concat(list(reader))
    assert frame["message"].to_list() == ["it failed", "\tat a.b(C.java:1)", "it failed"]
    assert reader.summary.unmatched == 1


def test_an_impossible_date_is_a_record_without_a_time_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(f"{HEADER}\n{HEADER.replace('10-17', '02-31')}\n")
    with open_records([path], HADOOP) as reader:
        frame = pl.concat(list(reader))
    assert frame["message"].to_list() == ["it failed", "it failed"]
    assert frame["timestamp"][1] is None
    assert reader.summary.undated == 1
