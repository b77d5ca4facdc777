"""`logbert datasets` as a user meets it, with Liberty's place taken by a small file on a server of our own.

Liberty's checksum is not published, so that a stand-in passes for it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from logbert.datasets import all_sets
from tests.datasets.server import File, Server, serving
from tests.outcome import Run

LINES = b"- 1 2004.12.12 ladmin1 fine\n" * 900 + b"R_PBS_CHK 2 2004.12.12 ln1 bad\n" * 100


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("LOGBERT_CACHE", str(tmp_path / "cache"))
    with serving() as house:
        house["liberty2.gz"] = gzip.compress(LINES)
        yield house


def test_list_names_every_set_and_what_is_here(run: Run, server: Server, tmp_path: Path) -> None:
    before = run("datasets", "list")
    assert before.code == 0
    rows = {line.split()[0]: line for line in before.out.splitlines() if line}
    assert set(all_sets()) <= set(rows)
    assert "11,175,629" in rows["HDFS_v1"]
    assert "4,855 normal" in rows["HDFS_v1"]
    assert "~672.1 MB" in rows["Liberty"]
    run("datasets", "get", "Liberty", "--url", server.url, "--lines", "10", "-q")
    rows = {line.split()[0]: line for line in run("datasets", "list").out.splitlines() if line}
    assert rows["Liberty"].endswith("here, first 10")
    assert "here" not in rows["BGL"]


def test_get_prints_licence_citation_checksum_and_what_to_do_next(run: Run, server: Server, tmp_path: Path) -> None:
    outcome = run("datasets", "get", "liberty", "--url", server.url, "-o", tmp_path)
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "Liberty" / "liberty2.gz").is_file()
    assert f"Liberty is in {tmp_path / 'Liberty'}" in outcome.out
    assert "liberty2.gz  " in outcome.out
    assert "1,000 lines" in outcome.out
    assert f"from: {server.url}/liberty2.gz, {len(gzip.compress(LINES)):,} bytes" in outcome.out
    assert "checksum: MD5 " in outcome.out
    assert "not published" in outcome.out
    assert "licence: not stated" in outcome.out
    assert "cite: Adam J. Oliner, Jon Stearley." in outcome.out
    assert f"next: logbert evaluate {tmp_path / 'Liberty' / 'liberty2.gz'} --format thunderbird" in outcome.out
    again = run("datasets", "get", "Liberty", "--url", server.url, "-o", tmp_path)
    assert "and was there before" in again.out
    assert len(server.requests) == 1
    fewer = run("datasets", "get", "Liberty", "--url", server.url, "-o", tmp_path, "--lines", "5")
    assert "it has all its lines, and they are kept; for fewer name another folder with -o" in fewer.out


def test_thunderbird_is_its_first_twenty_million_lines_unless_more_are_asked_for(run: Run, server: Server) -> None:
    server["Thunderbird.tar.gz"] = b"not it"
    # The published size is asked for, whichever number of lines: another file is refused before it is read.
    for options in ([], ["--lines", "0"], ["--lines", "5"]):
        outcome = run("datasets", "get", "Thunderbird", "--url", server.url, *options)
        assert "has 6 bytes, the published one 2,016,100,298" in outcome.complains()
    assert all_sets()["Thunderbird"].first == 20_000_000


def test_what_goes_wrong_is_one_line(run: Run, server: Server, tmp_path: Path) -> None:
    assert "did you mean HDFS_v1" in run("datasets", "get", "HDFS").complains()
    assert "many logs" in run("datasets", "get", "Spark", "--lines", "5").complains()
    assert "no address" in run("datasets", "get", "Liberty", "--url", "nowhere").complains()
    missing = run("datasets", "get", "BGL", "--url", server.url, "-o", tmp_path / "data").complains()
    assert f"put it at {tmp_path / 'data' / 'BGL.zip'} and run this again" in missing
    server["liberty2.gz"] = File(gzip.compress(LINES)[:-5])
    assert "ends too early" in run("datasets", "get", "Liberty", "--url", server.url).complains()


def test_ctrl_c_says_that_what_came_is_kept(
    run: Run, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("logbert.datasets.get", interrupted)
    outcome = run("datasets", "get", "Liberty", "--url", server.url)
    assert outcome.code == 130
    assert "the same command goes on from there" in outcome.err


def test_verify_says_what_is_as_published_and_what_is_not(run: Run, server: Server, tmp_path: Path) -> None:
    nothing = run("datasets", "verify")
    assert (nothing.code, "no set is here" in nothing.out) == (0, True)
    assert "get it with: logbert datasets get Liberty" in run("datasets", "verify", "Liberty").complains()
    run("datasets", "get", "Liberty", "--url", server.url, "--lines", "950")
    good = run("datasets", "verify")
    assert good.code == 0
    assert "Liberty in " in good.out
    assert ": whole" in good.out
    assert "50 of 950 lines are abnormal" in good.out
    (tmp_path / "cache" / "datasets" / "Liberty" / "liberty2.log").write_bytes(LINES[:-1])
    bad = run("datasets", "verify", "Liberty")
    assert bad.code == 1
    assert "NOT as it should be" in bad.out
    assert "WRONG  liberty2.log: has " in bad.out


def test_verify_looks_where_it_is_told(run: Run, server: Server, tmp_path: Path) -> None:
    run("datasets", "get", "Liberty", "--url", server.url, "-o", tmp_path / "mine", "--lines", "10")
    assert "Liberty" not in run("datasets", "verify").out
    assert str(tmp_path / "mine" / "Liberty") in run("datasets", "verify", "--data", tmp_path / "mine").out


def test_what_was_fetched_is_a_log_that_can_be_read(run: Run, server: Server, tmp_path: Path) -> None:
    """The name of a set's format and the command named after `get` belong together."""
    stamp = "- 11028{n:05} 2004.12.12 ladmin1 Dec 12 00:0{m}:0{s} ladmin1/ladmin1 crond: session {n} opened"
    text = "\n".join(stamp.format(n=n, m=n % 10, s=n % 7) for n in range(400))
    server["liberty2.gz"] = gzip.compress(text.encode() + b"\n")
    run("datasets", "get", "Liberty", "--url", server.url, "-o", tmp_path)
    log = tmp_path / "Liberty" / "liberty2.gz"
    parsed = run("parse", log, "--format", "thunderbird", "-o", tmp_path / "out.csv", "-q")
    assert parsed.code == 0, parsed.err
    assert (tmp_path / "out_templates.csv").is_file()
