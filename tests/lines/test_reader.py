"""Reading gives every line a place, the same one however the log is named, packed and cut into batches."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logbert.errors import InputError, OptionError
from logbert.lines import Format, open_records
from logbert.lines.detection import detect

LOG = """\
2015-10-17 21:26:30,653 INFO [main] org.apache.hadoop.mapred.YarnChild: Executing with tokens:
2015-10-17 21:26:31,747 ERROR [main] org.apache.hadoop.mapred.Task: Communication exception
java.io.IOException: Failed on local exception: connection reset
\tat org.apache.hadoop.net.NetUtils.wrapException(NetUtils.java:772)

Caused by: java.io.IOException: An existing connection was forcibly closed
\t... 12 more
2015-10-17 21:26:32,100 WARN [main] org.apache.hadoop.ipc.Client: Address change detected
"""


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def read(*inputs: str | Path, **options: object) -> pl.DataFrame:
    with open_records(list(inputs), **options) as reader:  # type: ignore[arg-type]
        return pl.concat(list(reader))


def test_a_record_has_its_line_source_time_level_and_fields(tmp_path: Path) -> None:
    path = write(tmp_path / "app.log", LOG)
    with open_records([path]) as reader:
        frame = pl.concat(list(reader))
    assert reader.format.name == "hadoop"
    assert frame.columns == ["line", "source", "timestamp", "message", "level", "Date", "Time", "Process", "Component"]
    assert frame.schema["timestamp"] == pl.Datetime("us")
    assert frame["line"].to_list() == [1, 2, 8]
    assert frame["source"].unique().to_list() == [str(path)]
    assert frame["level"].to_list() == ["INFO", "ERROR", "WARN"]


def test_a_stack_trace_joins_its_record(tmp_path: Path) -> None:
    with open_records([write(tmp_path / "app.log", LOG)]) as reader:
        frame = pl.concat(list(reader))
    assert frame["message"][1].split("\n") == [
        "Communication exception",
        "java.io.IOException: Failed on local exception: connection reset",
        "\tat org.apache.hadoop.net.NetUtils.wrapException(NetUtils.java:772)",
        "Caused by: java.io.IOException: An existing connection was forcibly closed",
        "\t... 12 more",
    ]
    summary = reader.summary
    assert (summary.lines, summary.records, summary.continuation, summary.blank) == (8, 3, 4, 1)


def test_the_original_text_of_a_record_can_be_shown(tmp_path: Path) -> None:
    one = write(tmp_path / "a.log", LOG)
    two = write(tmp_path / "b.log", LOG.replace("2015", "2016"))
    with open_records([two, one]) as reader:
        texts = reader.texts([10, 2, 10])
        list(reader)
        assert texts.equals(reader.texts([2, 10]))
    assert texts["line"].to_list() == [2, 10]
    assert texts["source"].to_list() == [str(one), str(two)]
    assert texts["number"].to_list() == [2, 2]
    assert texts["text"][0].startswith("2015-10-17 21:26:31,747 ERROR [main] org.apache.hadoop.mapred.Task: Comm")
    assert texts["text"][0].count("\n") == 4
    assert reader.texts([4])["text"].to_list() == [
        "\tat org.apache.hadoop.net.NetUtils.wrapException(NetUtils.java:772)"
    ]


LINES = st.sampled_from(
    [
        *LOG.splitlines(),
        "   ",
        "stray text without a header",
        "2015-10-17 21:26:33,000 header of another kind",
        '{"a": 1}',
        "2015-99-99 21:26:33,000 INFO [main] a.b: impossible day",
        "2015-10-17 21:26:33,000 INFO [é main] a.b:  \N{EM SPACE} odd spaces ",
    ]
)


HADOOP = detect(pl.Series(LOG.splitlines()))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, min_size=1, max_size=40), size=st.integers(1, 900), end=st.sampled_from(["", "\n"]))
def test_the_size_of_batches_changes_nothing(tmp_path: Path, lines: list[str], size: int, end: str) -> None:
    path = write(tmp_path / "app.log", LOG + "\n".join(lines) + end)
    with open_records([path], HADOOP) as reader, open_records([path], HADOOP, batch_bytes=size) as small:
        whole, pieces = pl.concat(list(reader)), pl.concat(list(small))
        assert whole.equals(pieces)
        assert reader.summary == small.summary
        assert reader.texts(whole["line"]).equals(small.texts(whole["line"]))
    assert whole["line"].is_sorted()
    assert small.summary.records == len(whole)


def test_no_line_is_lost(tmp_path: Path) -> None:
    chance = random.Random(7)
    lines = [chance.choice([*LOG.splitlines(), "stray", "", "a b c"]) for _ in range(3000)]
    with open_records([write(tmp_path / "app.log", LOG + "\n".join(lines))], batch_bytes=3000) as reader:
        frame = pl.concat(list(reader))
    summary = reader.summary
    assert summary.lines == 3008
    assert summary.records + summary.continuation + summary.blank == summary.lines
    assert frame["message"].str.count_matches("\n").sum() == summary.continuation - summary.clipped


def test_neither_the_order_of_arguments_nor_the_names_of_folders_change_the_records(tmp_path: Path) -> None:
    days = [write(tmp_path / f"app.log.{9 - day}", LOG.replace("10-17", f"10-1{day}")) for day in range(5)]
    frames = [read(*days), read(*reversed(days)), read(tmp_path), read(tmp_path / "app.*"), read(*days, tmp_path)]
    assert all(frame.equals(frames[0]) for frame in frames)
    assert frames[0]["timestamp"].is_sorted()
    assert frames[0]["line"].to_list() == sorted(set(frames[0]["line"]))


def test_a_reader_can_be_read_twice(tmp_path: Path) -> None:
    with open_records([write(tmp_path / "app.log", LOG)]) as reader:
        first = pl.concat(list(reader))
        summary = str(reader.summary)
        assert first.equals(pl.concat(list(reader)))
        assert str(reader.summary) == summary


def test_standard_input_is_kept_to_be_read_again_and_then_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LOG.encode()))))
    with open_records(["-"]) as reader:
        assert len(pl.concat(list(reader))) == 3
        assert reader.sources == ["-"]
        assert reader.texts([8])["text"][0].endswith("Address change detected")
        kept = reader._spool
        assert kept is not None
        assert kept.exists()
    assert not kept.exists()


def test_what_a_shell_pipes_into_a_file_descriptor_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, LOG.encode())
    os.close(writing)
    try:
        assert len(read(f"/dev/fd/{reading}")) == 3
    finally:
        os.close(reading)


def test_sources_of_different_formats_are_each_read_in_their_own(tmp_path: Path) -> None:
    write(tmp_path / "hadoop.log", LOG)
    write(tmp_path / "plain.log", "it rains\nit pours\n")
    write(tmp_path / "json.log", '{"time": "2015-10-18T00:00:00Z", "msg": "up", "port": 80}\n' * 3)
    with open_records([tmp_path]) as reader:
        frame = pl.concat(list(reader))
    assert frame["message"].to_list()[3:] == ["up"] * 3 + ["it rains", "it pours"]
    assert frame["port"].to_list() == [None] * 3 + ["80"] * 3 + [None] * 2
    assert {reader.format.name, *(other.name for other in reader.format.others)} == {"hadoop", "json", "lines"}
    remembered = Format.from_state(reader.format.state())
    assert read(tmp_path, format=remembered).equals(frame)


def test_a_rotated_syslog_is_read_over_the_turn_of_the_year(tmp_path: Path) -> None:
    write(tmp_path / "syslog", "Jan  2 10:00:00 web cron[1]: c\nJan  3 10:00:00 web cron[1]: d\n")
    write(tmp_path / "syslog.1", "Dec 30 10:00:00 web cron[1]: a\nJan  1 10:00:00 web cron[1]: b\n")
    frame = read(tmp_path)
    assert frame["message"].to_list() == ["a", "b", "c", "d"]
    assert frame["timestamp"].is_sorted()


def test_files_whose_first_record_has_no_time_come_last_by_name(tmp_path: Path) -> None:
    write(tmp_path / "b.log", "no time\n")
    write(tmp_path / "a.log", "none here\n")
    write(tmp_path / "c.log", LOG)
    assert [Path(name).name for name in open_records([tmp_path]).sources] == ["c.log", "a.log", "b.log"]


class TestBadInput:
    def test_invalid_utf8_is_replaced_and_counted(self, tmp_path: Path) -> None:
        with open_records(
            [write(tmp_path / "a.log", LOG.encode() + b"2015-10-17 21:26:32,1 INFO [m] a: caf\xe9 \xff\n")]
        ) as it:
            assert pl.concat(list(it))["message"][-1] == "caf\ufffd \ufffd"
        assert it.summary.invalid == 2
        assert "2 invalid bytes replaced" in str(it.summary)

    def test_nuls_are_taken_out_or_made_visible_and_counted(self, tmp_path: Path) -> None:
        padded = bytes(5_000_000) + LOG.encode() + b"2015-10-17 21:26:33,100 INFO [m] a: one\0two\0\n"
        with open_records([write(tmp_path / "a.log", padded)]) as reader:
            frame = pl.concat(list(reader))
        assert frame["message"][-1] == "one\N{SYMBOL FOR NULL}two"
        assert reader.summary.nuls == 5_000_002
        assert reader.summary.unmatched == 0

    def test_cr_lf_marks_and_a_missing_last_newline_change_nothing(self, tmp_path: Path) -> None:
        plain = read(write(tmp_path / "a.log", LOG)).drop("source")
        dos = LOG.replace("\n", "\r\n")
        for text in (
            LOG.removesuffix("\n").encode(),
            dos.encode(),
            dos.removesuffix("\n").encode(),
            b"\xef\xbb\xbf" + LOG.encode(),
            dos.encode("utf-16"),
            dos.encode("utf-16-be").join([b"\xfe\xff", b""]),
            LOG.encode("utf-16-le"),
        ):
            assert read(write(tmp_path / "a.log", text)).drop("source").equals(plain)

    def test_colour_codes_are_removed_and_counted(self, tmp_path: Path) -> None:
        coloured = "\x1b[32m2024-05-01T10:00:00Z\x1b[0m \x1b[1mINFO\x1b[0m app: up\n"
        with open_records([write(tmp_path / "a.log", coloured)]) as reader:
            assert pl.concat(list(reader))["message"].to_list() == ["up"]
        assert reader.summary.colours == 4

    def test_a_line_of_fifty_megabytes_survives(self, tmp_path: Path) -> None:
        long = "2015-10-17 21:26:32,100 WARN [main] a.b: " + "x" * 50_000_000
        frame = read(write(tmp_path / "a.log", LOG + long + "\n" + LOG))
        assert frame["message"].str.len_bytes().max() == 50_000_000
        assert len(frame) == 7

    def test_a_trace_of_a_million_lines_is_bounded_and_counted(self, tmp_path: Path) -> None:
        text = LOG + "\tat a.b.C.run(C.java:1)\n" * 1_000_000
        with open_records([write(tmp_path / "a.log", text)]) as reader:
            frame = pl.concat(list(reader))
        assert len(frame) == 3
        assert frame["message"][-1].count("\n") == 1000
        assert reader.summary.continuation == 1_000_004
        assert reader.summary.clipped == 999_000

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            (b"", "there is nothing to read"),
            (b"\x7fELF\x02\x01\x01\0", "this is a program"),
            (b"PK\x03\x04xxxx", "a zip archive; unpack it first"),
            (b"LPKSHHRH", "journalctl -o export"),
            (bytes(range(256)) * 100, "does not look like text"),
            (b"\0" * 257 + b"ustar\0", "a tar archive"),
        ],
    )
    def test_what_is_not_text_is_refused(self, tmp_path: Path, content: bytes, says: str) -> None:
        with pytest.raises(InputError, match=says) as error:
            read(write(tmp_path / "a.log", content))
        assert str(tmp_path / "a.log") in str(error.value)
        assert "\n" not in str(error.value)

    def test_in_a_folder_what_is_not_text_is_left_out_and_told(self, tmp_path: Path) -> None:
        write(tmp_path / "a.log", LOG)
        write(tmp_path / "core", b"\x7fELF\x02\x01\x01\0")
        write(tmp_path / "empty.log", b"")
        with open_records([tmp_path]) as reader:
            assert len(pl.concat(list(reader))) == 3
        assert {Path(one.name).name: one.reason for one in reader.summary.skipped} == {
            "core": "this is a program",
            "empty.log": "empty",
        }
        assert "not read: 2" in str(reader.summary)

    def test_nothing_given_is_an_error(self) -> None:
        with pytest.raises(InputError, match="no input was given"):
            open_records([])

    def test_a_given_format_that_fits_no_line_is_an_error_that_quotes_both(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.log", LOG)
        with pytest.raises(InputError, match="no line fits the format 'apache'") as error:
            open_records([path], "apache")
        assert LOG[:40] in str(error.value)

    def test_a_misspelt_format_is_an_error_that_knows_better(self, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="did you mean 'hadoop'"):
            open_records([write(tmp_path / "a.log", LOG)], "hadop")
