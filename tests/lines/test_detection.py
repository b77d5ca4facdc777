"""`auto` finds the format of every kind of log, and takes the header off where the publishers do."""

from __future__ import annotations

import datetime as dt
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from logbert.lines import Format, open_records
from logbert.lines.detection import detect

WORDS = ["connection from 10.0.0.%d accepted", "user %d logged in", "disk /dev/sda%d is full", "request took %d ms"]
LEVELS = ["INFO", "WARN", "ERROR", "DEBUG"]


def at(n: int) -> dt.datetime:
    return dt.datetime(2024, 5, 1, 10) + dt.timedelta(milliseconds=1370 * n + 1)  # noqa: DTZ001


def text(n: int) -> str:
    return WORDS[n % 4] % (n % 50)


def level(n: int) -> str:
    return LEVELS[n % 4]


def iso(n: int) -> str:
    return at(n).isoformat()


# name of the case: (name of the format, one line, its level)
CASES: dict[str, tuple[str, Callable[[int], str], str | None]] = {
    "android": ("android", lambda n: f"{at(n):%m-%d %H:%M:%S}.123  1702  {2395 + n} D WindowManager: {text(n)}", "D"),
    "healthapp": ("healthapp", lambda n: f"20171223-{n // 60}:{n % 60}:29:{n}|Step_LSC|30002312|{text(n)}", None),
    "openssh": ("openssh", lambda n: f"Dec 10 06:{n // 60:02d}:{n % 60:02d} LabSZ sshd[{24200 + n}]: {text(n)}", None),
    "spark": ("spark", lambda n: f"17/06/09 20:{n // 60:02d}:{n % 60:02d} WARN executor.Executor: {text(n)}", "WARN"),
    "RFC 3164": ("syslog", lambda n: f"<34>{at(n):%b %e %H:%M:%S} web{n % 3} nginx[{n}]: {text(n)}", None),
    "RFC 5424": ("syslog-5424", lambda n: f'<165>1 {iso(n)}Z web app {n} ID47 [x@1 a="]\\"" b="c"] {text(n)}', None),
    "RFC 5424 without data": ("syslog-5424", lambda n: f"<13>1 {iso(n)}+02:00 web app - - - {text(n)}", None),
    "Linux syslog": (
        "linux",
        lambda n: f"{at(n):%b %e %H:%M:%S} web{n % 3} {['cron', 'sshd[1]'][n % 2]}: {text(n)}",
        None,
    ),
    "journalctl -o short-iso": ("syslog-iso", lambda n: f"{iso(n)}+0200 host1 sshd[{n}]: {text(n)}", None),
    "klog": ("klog", lambda n: f"W{at(n):%m%d %H:%M:%S.%f}   {n} server.go:{n}] {text(n)}", "W"),
    "Apache error": ("apache", lambda n: f"[{at(n):%a %b %d %H:%M:%S.%f %Y}] [core:error] {text(n)}", "core:error"),
    "nginx error": ("nginx-error", lambda n: f"{at(n):%Y/%m/%d %H:%M:%S} [error] {n}#{n}: *{n} {text(n)}", "error"),
    "Python": ("python", lambda n: f"{at(n):%Y-%m-%d %H:%M:%S},123 - my.app - WARNING - {text(n)}", "WARNING"),
    "Python, unformatted": ("python-default", lambda n: f"WARNING:root:{text(n)}", "WARNING"),
    "Python, no signs": ("generic", lambda n: f"{at(n):%Y-%m-%d %H:%M:%S},123 INFO my.app {text(n)}", "INFO"),
    "logfmt": ("logfmt", lambda n: f'time={iso(n)}Z level=warn msg="{text(n)}" caller=a.go:{n}', "warn"),
    "JSON": ("json", lambda n: json.dumps({"ts": iso(n), "severity": "low", "msg": text(n), "at": {"x": n}}), "low"),
    "JSON, nested message": ("json", lambda n: json.dumps({"timestamp": iso(n), "fields": {"message": text(n)}}), None),
    "JSON, dotted names": (
        "json",
        lambda n: json.dumps({"@timestamp": iso(n), "log.level": "x", "message": text(n)}),
        None,
    ),
    "journalctl -o json": (
        "json",
        lambda n: json.dumps({"__REALTIME_TIMESTAMP": "1714557600001000", "MESSAGE": text(n)}),
        None,
    ),
    "redis": ("redis", lambda n: f"{n}:M {at(n):%d %b %Y %H:%M:%S}.123 * {text(n)}", None),
    "dmesg": ("dmesg", lambda n: f"[{n * 1.5:12.6f}] {text(n)}", None),
    "logback": ("generic", lambda n: f"{at(n):%H:%M:%S}.123 [main] {'WARN ':5s} c.e.App - {text(n)}", "WARN"),
    "Spring": ("generic", lambda n: f"{iso(n)}Z  INFO 1 --- [  main] c.e.App    : {text(n)}", "INFO"),
    "PostgreSQL": ("generic", lambda n: f"{at(n):%Y-%m-%d %H:%M:%S}.123 UTC [{n}] LOG:  {text(n)}", "LOG"),
    "brackets": ("generic", lambda n: f"[{at(n):%Y-%m-%d %H:%M:%S}] [ERROR] {text(n)}", "ERROR"),
    "Laravel": ("generic", lambda n: f"[{at(n):%Y-%m-%d %H:%M:%S}] production.ERROR: {text(n)}", "ERROR"),
    "level first": ("generic", lambda n: f"[INFO] {at(n):%Y-%m-%d %H:%M:%S} {text(n)}", "INFO"),
    "epoch": ("generic", lambda n: f"17145576{n:02d}.123 INFO {text(n)}", "INFO"),
    "Go": ("generic", lambda n: f"{at(n):%Y/%m/%d %H:%M:%S} {text(n)}", None),
    "ctime": ("generic", lambda n: f"{at(n):%a %b %e %H:%M:%S %Y} {text(n)}", None),
    "Tomcat": ("generic", lambda n: f"{at(n):%d-%b-%Y %H:%M:%S}.123 INFO [main] org.apache.Foo.bar {text(n)}", "INFO"),
    "zap": ("generic", lambda n: f"{iso(n)}Z\tINFO\tserver/main.go:{n}\t{text(n)}", "INFO"),
    "Spring Boot 3": ("generic", lambda n: f"{iso(n)}Z  WARN 1 --- [app] [main] c.e.App : {text(n)}", "WARN"),
    "Python, basicConfig": ("generic", lambda n: f"{at(n):%Y-%m-%d %H:%M:%S},123 INFO:root:{text(n)}", "INFO"),
    "loguru": ("generic", lambda n: f"{at(n):%Y-%m-%d %H:%M:%S}.123 | INFO     | app:run:{n} - {text(n)}", "INFO"),
    "epoch in brackets": ("generic", lambda n: f"[17145576{n:02d}.123456] {text(n)}", None),
    "glog": ("klog", lambda n: f"E{at(n):%Y%m%d %H:%M:%S.%f} {n} file.cc:{n}] {text(n)}", "E"),
    "Ruby": ("ruby", lambda n: f"W, [{iso(n)} #{n}]  WARN -- : {text(n)}", "WARN"),
    "Celery": ("celery", lambda n: f"[{at(n):%Y-%m-%d %H:%M:%S},123: INFO/Worker-{n}] {text(n)}", "INFO"),
    "Cassandra": (
        "cassandra",
        lambda n: f"WARN  [main] {at(n):%Y-%m-%d %H:%M:%S},123 Disk.java:{n} - {text(n)}",
        "WARN",
    ),
    "Elasticsearch": ("elasticsearch", lambda n: f"[{iso(n)}][WARN ][o.e.n.Node    ] [node-1] {text(n)}", "WARN"),
    "Envoy": ("envoy", lambda n: f"[{at(n):%Y-%m-%d %H:%M:%S}.123][{n}][info][main] [server.cc:{n}] {text(n)}", "info"),
    "JSON of MongoDB": (
        "json",
        lambda n: json.dumps({"t": {"$date": iso(n) + "Z"}, "s": "I", "msg": text(n), "attr": {"n": n}}),
        None,
    ),
    "JSON of Serilog": (
        "json",
        lambda n: json.dumps({"Timestamp": iso(n) + "Z", "Level": "Warning", "RenderedMessage": text(n)}),
        "Warning",
    ),
    "Rust": ("generic", lambda n: f"{iso(n)}Z  INFO app::net: {text(n)}", "INFO"),
    "CRI": ("lines", lambda n: f"{at(n).isoformat()}789Z stdout F {text(n)}", None),
    "CRI with JSON": ("json", lambda n: f"{iso(n)}Z stderr F " + json.dumps({"level": "info", "msg": text(n)}), "info"),
    "Docker": ("lines", lambda n: json.dumps({"log": text(n) + "\n", "stream": "stdout", "time": iso(n) + "Z"}), None),
    "nothing": ("lines", text, None),
}
TIMELESS = {"Python, unformatted", "nothing"}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_log_is_found_and_its_header_taken_off(case: str, tmp_path: Path) -> None:
    name, line, severity = CASES[case]
    path = tmp_path / "app.log"
    path.write_text("".join(line(n) + "\n" for n in range(60)))
    with open_records([path]) as reader:
        frame = pl.concat(list(reader))
        again = Format.from_state(json.loads(json.dumps(reader.format.state())))
        remembered = pl.concat(list(open_records([path], again)))
    assert reader.format.name == name
    assert frame["message"].to_list() == [text(n) for n in range(60)]
    assert frame["timestamp"].null_count() == (60 if case in TIMELESS else 0)
    if severity:
        assert frame["level"].unique().to_list() == [severity]
    assert "label" not in frame.columns
    assert remembered.equals(frame)
    assert reader.format.share == 1
    assert (reader.summary.unmatched, reader.summary.partial, reader.summary.undated) == (0, 0, 0)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (lambda n: f'10.0.0.1 - - [{at(n):%d/%b/%Y:%H:%M:%S} +0000] "GET /{n} HTTP/1.1" 200 {n}', "common"),
        (
            lambda n: f'10.0.0.1 - bob [{at(n):%d/%b/%Y:%H:%M:%S} +0000] "GET /{n} HTTP/1.1" 200 {n} "-" "Moz \\"x\\""',
            "combined",
        ),
    ],
)
def test_the_message_of_an_access_log_is_its_request_and_status(
    line: Callable[[int], str], name: str, tmp_path: Path
) -> None:
    path = tmp_path / "access.log"
    path.write_text("".join(line(n) + "\n" for n in range(60)))
    with open_records([path]) as reader:
        frame = pl.concat(list(reader))
    assert reader.format.name == name
    assert frame["message"][7] == '"GET /7 HTTP/1.1" 200'
    assert frame["timestamp"][7] == at(7).replace(microsecond=0)


def test_the_journals_export_is_found_and_read_entry_by_entry(tmp_path: Path) -> None:
    path = tmp_path / "export"
    entries = (
        f"__CURSOR=s=1;i={n}\n__REALTIME_TIMESTAMP={1714557600000000 + n}\n_PID={n}\nPRIORITY=6\nMESSAGE={text(n)}\n\n"
        for n in range(60)
    )
    path.write_text("".join(entries))
    for size in (1 << 22, 500):
        with open_records([path], batch_bytes=size) as reader:
            frame = pl.concat(list(reader))
        assert reader.format.name == "journal"
        assert frame["message"].to_list() == [text(n) for n in range(60)]
        assert frame["line"].to_list() == [1 + 6 * n for n in range(60)]
    assert reader.texts([7])["text"][0].splitlines()[-1] == f"MESSAGE={text(1)}"


SYSTEMS = [
    "Apache",
    "BGL",
    "HDFS",
    "HPC",
    "Hadoop",
    "Linux",
    "Mac",
    "OpenStack",
    "Proxifier",
    "Thunderbird",
    "Windows",
    "Zookeeper",
]


@pytest.mark.real_data
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_systems_of_loghub_are_found_and_split_as_published(system: str, shared_data: Path) -> None:
    path = shared_data / "loghub_2k" / f"{system}_2k.log"
    published = pl.read_csv(f"{path}_structured_corrected.csv", infer_schema=False)
    # The published table of BGL has lost the word NULL to empty cells.
    published = published.fill_null("NULL") if system == "BGL" else published
    with open_records([path]) as reader:
        frame = pl.concat(list(reader))
    assert reader.format.name == system.lower()
    assert len(frame) == 2000
    assert frame["message"].equals(published["Content"].str.strip_chars(), check_names=False)
    assert frame["timestamp"].null_count() == 0
    if "level" in frame.columns:
        assert frame["level"].equals(published["Level"], check_names=False)
    for name in set(frame.columns) & set(published.columns) - {"PID", "Date", "Time"}:
        assert frame[name].equals(published[name], check_names=False), name
    assert ("label" in frame.columns) == (system in {"BGL", "Thunderbird"})


@pytest.mark.real_data
def test_the_alerts_of_thunderbird_are_labels(shared_data: Path) -> None:
    with open_records([shared_data / "thunderbird" / "Thunderbird_sample.log.gz"]) as reader:
        frame = pl.concat(list(reader))
    assert (len(frame), int(frame["label"].sum())) == (19_350, 715)
    # "exiting on signal 15" has no component; it is a record with the time and label all the same.
    assert reader.summary.partial == 3


@pytest.mark.real_data
def test_hdfs_is_read_whole(shared_data: Path) -> None:
    with open_records([shared_data / "hdfs" / "HDFS_sample.log.gz"]) as reader:
        frame = pl.concat(list(reader))
    assert len(frame) == 222_579
    assert frame["timestamp"].null_count() == 0
    assert frame["timestamp"].min() == dt.datetime(2008, 11, 9, 20, 35, 30)  # noqa: DTZ001
    assert str(reader.summary) == "222,579 records from 222,579 lines of 1 source"


@pytest.mark.real_data
def test_the_stack_traces_of_hadoop_join_their_records(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "hadoop" / "Hadoop_wordcount.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    with open_records([tmp_path / "application_*"]) as reader:
        frame = pl.concat(list(reader))
    assert reader.format.name == "hadoop"
    assert reader.format.others == ()
    assert reader.summary.unmatched == 0
    traced = frame.filter(pl.col("message").str.contains("\n"))
    assert len(traced) > 100
    assert traced["message"].str.contains(r"\n(\s+\S|Caused by|[\w.]+Exception|\w)").all()
    assert traced["message"].str.contains(r"\n\s+at [\w.$]+\(").sum() > 100
    assert reader.summary.records + reader.summary.continuation + reader.summary.blank == reader.summary.lines


def lines(*texts: str) -> pl.Series:
    return pl.Series(texts * 20)


def test_a_first_column_of_dashes_alone_is_no_label() -> None:
    found = detect(lines("- 1117838570 start of job one", "- 1117838573 end of job one"))
    assert found.label == ""


def test_severity_words_are_no_host_names() -> None:
    found = detect(lines("2024-05-01T10:00:00Z ERROR billing: card refused"))
    assert (found.name, found.level) == ("generic", "Level")


def test_a_log_that_is_mostly_traces_is_known_by_its_headers() -> None:
    trace = ["\tat a.b.C.run(C.java:12)"] * 30
    found = detect(
        pl.Series(["2015-10-17 21:26:30,653 ERROR [main] a.b.C: failed", "a.b.BadException: no", *trace] * 5)
    )
    assert found.name == "hadoop"
    assert found.joins == "all"


def test_a_file_with_lines_of_many_kinds_is_not_glued_together() -> None:
    stray = ["served one request", "cache is warm", "tick"]
    mixed = pl.Series([line for n in range(30) for line in (f"2024-05-01 10:00:{n:02d} INFO started job {n}", *stray)])
    found = detect(mixed)
    assert found.joins != "all"


def test_what_was_found_says_how_sure_it_is() -> None:
    found = detect(lines("Dec 10 06:55:46 LabSZ sshd[24200]: check pass", "Dec 10 06:55:48 LabSZ sshd[24200]: bye"))
    assert str(found).startswith("openssh (<Date> <Day> <Time> <Component> sshd")
    assert "fits 100.0% of the sample; " in str(found)
    assert ("linux", 1.0) in found.rivals


def test_a_syslog_that_names_every_process_is_not_a_macs() -> None:
    assert (
        detect(lines("Dec 10 06:55:46 web systemd[1]: Started nginx", "Dec 10 06:55:47 web cron[7]: run")).name
        == "linux"
    )
