from __future__ import annotations

import gzip
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.speed import copies, page, plain_network, results, sessions
from benchmarks.speed.data import Data, MissingDataError
from benchmarks.speed.measure import Command, Done, call, run
from benchmarks.speed.rows import Curve, Row, Target, entries

LINES = [
    "081109 203615 148 INFO dfs.DataNode$PacketResponder: Responder 1 for block blk_38865049064139660 closes",
    "081110 203807 222 INFO dfs.DataNode$PacketResponder: Received block blk_-6952295868487656571 of size 67108864",
    "081111 204005 35 INFO dfs.FSNamesystem: BLOCK* blockMap updated: 10.251.73.220:50010 has blk_38865049064139660",
]


def count_lines(log: str) -> Done:
    return Done(len(Path(log).read_text().splitlines()), facts={"log": Path(log).name})


def fail() -> Done:
    raise ValueError("the disk is on fire")


def test_a_function_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("one\ntwo\n")
    measured = run(call(count_lines, log=log))
    assert (measured.units, measured.facts) == (2, {"log": "a.log"})
    assert measured.seconds > 0
    assert measured.peak > 1


def test_what_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="the disk is on fire"):
        run(call(fail))
    with pytest.raises(RuntimeError, match="No such command"):
        run(Command(("frobnicate",)))


def test_every_entry_has_a_name_of_its_own_that_selects_it() -> None:
    everything = entries()
    names = [entry.name for _, entry in everything]
    assert len(set(names)) == len(names)
    assert [entry.name for _, entry in entries(["hdfs"])] == ["hdfs"]
    assert len(entries(["1m-*"])) == 12
    assert {group for group, _ in entries(["reading"])} == {"reading"}


def test_a_missing_log_leaves_its_row_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MissingDataError):
        Data(tmp_path, shared=tmp_path).hdfs()
    measured = results.measure_all(entries(["hdfs"]), Data(tmp_path, shared=tmp_path), full=False, repeats=1)
    assert measured["rows"] == []
    assert [one["name"] for one in measured["left_out"]] == ["hdfs"]
    assert "left out: hdfs/HDFS_sample.log.gz is not in" in capsys.readouterr().out


def test_a_row_that_fails_says_so_and_the_others_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("g", Row(name, "trouble", "", lambda _: call(fail))) for name in ("one", "two")]
    kept = tmp_path / "bench.json"
    measured = results.measure_all(rows, Data(tmp_path), full=False, repeats=1, keep=kept)
    assert [one["name"] for one in measured["failed"]] == ["one", "two"]
    assert "the disk is on fire" in measured["failed"][0]["why"]
    assert capsys.readouterr().out.count("FAILED") == 2
    assert json.loads(kept.read_text())["failed"] == measured["failed"]


def test_copies_differ_in_every_long_number_and_in_nothing_else(tmp_path: Path) -> None:
    sample = tmp_path / "sample.gz"
    sample.write_bytes(gzip.compress("".join(line + "\n" for line in LINES).encode()))
    log, messages = tmp_path / "out.log", tmp_path / "out.messages"
    done = copies.write_hdfs(str(sample), str(log), str(messages), 3)
    written = log.read_text().splitlines()
    assert done.units == len(written) == 9
    assert written[:3] == LINES
    assert messages.read_text().splitlines() == [line.split(": ", 1)[1] for line in LINES]
    assert [line[:6] for line in written[3:6]] == ["081112", "081113", "081114"]
    for again, line in zip(written[3:6], LINES, strict=True):
        assert re.sub(r"\d", "0", again) == re.sub(r"\d", "0", line)
    blocks = [re.findall(r"blk_-?\d+", line)[0] for line in written]
    assert blocks[3] == blocks[5] != blocks[0]
    assert len(set(blocks)) == 6


def test_in_later_copies_of_a_system_long_numbers_have_other_lengths_too(tmp_path: Path) -> None:
    sample, table = tmp_path / "sample.log", tmp_path / "sample.csv"
    sample.write_text("".join(line + "\n" for line in LINES))
    contents = [line.split(": ", 1)[1] for line in LINES]
    table.write_text("Content\n" + "".join(f'"{content}"\n' for content in contents))
    log, messages = tmp_path / "out.log", tmp_path / "out.messages"
    given = {"sample": str(sample), "structured": str(table), "log": str(log), "messages": str(messages)}
    copies.write_loghub(**given, copies=40, bare_copies=2)
    written = log.read_text().splitlines()
    assert written[:3] == LINES
    assert len(written) == 120
    blocks = [re.findall(r"blk_(-?\d+)", line)[0] for line in written]
    assert blocks[0::3] == blocks[2::3]
    assert {len(block) for block in blocks[:6:3]} == {17}
    assert {len(block) for block in blocks[0::3]} == {16, 17, 18}
    shapes = {re.sub(r"\d+", "0", line) for line in written}
    assert shapes == {re.sub(r"\d+", "0", line) for line in LINES}


def test_free_text_has_no_message_twice_and_is_the_same_every_time(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        copies.write_prose(str(tmp_path / name), 2_000, seed=0)
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    assert len(set(texts[0].splitlines())) == 2_000


def test_jobs_take_turns(tmp_path: Path) -> None:
    log = tmp_path / "jobs.log"
    copies.write_jobs(log=str(log), lines=60, templates=4, length=5, opened=6, seed=0)
    jobs = re.findall(r"job_(\d+)", log.read_text())
    assert jobs[:7] == ["0", "1", "2", "3", "4", "5", "0"]
    assert sorted({jobs.count(job) for job in set(jobs)}) == [5]


@pytest.mark.parametrize(("of", "value", "verdict"), [("ratio", 9.9, "below"), ("ratio", 12, "must"), ("MB", 9, "aim")])
def test_targets_are_at_least_for_ratios_and_at_most_for_the_rest(of: str, value: float, verdict: str) -> None:
    must, aim = (10, 15) if of == "ratio" else (20, 10)
    assert Target(of, must, aim).verdict(value) == verdict  # type: ignore[arg-type]


def test_a_row_measured_again_takes_the_place_of_what_it_was() -> None:
    def measured(commit: str, *names: str) -> dict[str, object]:
        rows = [{"name": name, "of": commit} for name in names]
        return {"rows": rows, "curves": [], "machine": {"commit": commit, "load": "0.1 to 0.2"}}

    renewed = results.renewed(measured("a", "x", "y"), measured("b", "y"))
    assert [(row["name"], row["of"]) for row in renewed["rows"]] == [("x", "a"), ("y", "b")]
    assert renewed["machine"]["measured again"] == "y (commit b, load 0.1 to 0.2)"
    twice = results.renewed(renewed, measured("c", "x"))
    assert twice["machine"]["measured again"].endswith("; x (commit c, load 0.1 to 0.2)")


def test_results_become_a_page_with_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", exc_type=ImportError)
    log = tmp_path / "a.log"
    log.write_text("one\ntwo\n")
    row = Row("tiny", "two lines", "lines", lambda _: call(count_lines, log=log), targets=(Target("MB", 2_000, 1_000),))
    curve = Curve("grows", "two lines", "times", (1, 10), lambda _, __: call(count_lines, log=log))
    measured = results.measure_all([("g", row), ("g", curve)], Data(tmp_path), full=False, repeats=1)
    assert "reaches the aim" in capsys.readouterr().out
    results.write(measured, tmp_path / "bench.json")
    page.write(json.loads((tmp_path / "bench.json").read_text()), tmp_path)
    text = (tmp_path / "performance.md").read_text()
    assert "| two lines | " in text
    assert "MB ≤ 2000, aim 1000: aim" in text
    assert "(performance/grows.svg)" in text
    assert (tmp_path / "performance" / "grows.svg").stat().st_size < 100_000


def test_stand_ins_are_as_many_sessions_of_as_many_kinds_as_asked_for(tmp_path: Path) -> None:
    source, rows, distinct = tmp_path / "source", tmp_path / "rows", tmp_path / "distinct"
    source.write_text("1 2 3 4\n" * 90 + "1 3 2 4\n" * 10)
    files = {"source": str(source), "rows": str(rows), "distinct": str(distinct)}
    assert sessions.write_sessions(**files, count=2_000, kinds=30, seed=0).units == 2_000
    written = [tuple(session) for session in sessions.read(str(rows))]
    assert len(written) == 2_000
    assert sorted(set(written)) == sorted(map(tuple, sessions.read(str(distinct))))
    assert len(set(written)) == 30
    assert written.count((1, 2, 3, 4)) > 1_500
    assert {key for session in written for key in session} == {1, 2, 3, 4}


def test_windows_have_the_length_and_the_templates_asked_for_and_come_in_bursts(tmp_path: Path) -> None:
    out = tmp_path / "windows"
    sessions.write_windows(out=str(out), count=50, length=40, templates=30, seed=0)
    windows = sessions.read(str(out))
    assert {len(window) for window in windows} == {40}
    assert {key for window in windows for key in window} <= set(range(1, 31))
    assert sum(a == b for window in windows for a, b in pairwise(window)) > 50 * 39 * 0.5


def test_the_plain_network_learns_and_judges_every_sequence(tmp_path: Path) -> None:
    path = tmp_path / "sequences"
    path.write_text("1 2 3 4\n1 3 2\n" * 20)
    assert plain_network.train_epoch(str(path), 40).units == 40
    judged = plain_network.score(str(path), 33)
    assert judged.units == 33
    assert 0 <= judged.facts["missed"] <= 33 * 4
