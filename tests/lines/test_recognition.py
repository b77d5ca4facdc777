"""Lines that were recognised are read exactly as the format reads them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from logbert.alike import ALIKE, NONE
from logbert.lines import open_records
from logbert.lines.format import Format
from logbert.lines.layout import Rows
from logbert.lines.pattern import Pattern
from logbert.lines.presets import BY_NAME, PRESETS
from logbert.lines.recognition import Recogniser
from logbert.lines.text import Repairs, to_lines_and_likenesses
from tests.digits import with_other_digits

# A piece of each kind that headers are made of, right and wrong, and what comes between them.
HEADS = {
    "hdfs": ["081109 203615 148 INFO dfs.A: ", "081399 203615 148 INFO dfs.A: ", "081109 203615  148 INFO dfs.A: "],
    "bgl": [
        "- 1117838570 2005.06.03 R02-M1 2005-06-03-15.42.50.363779 R02-M1 RAS KERNEL INFO ",
        "APPREAD 1117869872 2005.06.04 R23-M1 2005-06-04-00.24.32.432192 R23-M1 RAS APP FATAL ",
    ],
    "linux": [
        "Jun  9 06:06:20 combo su(pam_unix)[10583]: ",
        "Jun 14 15:16:01 combo sshd: ",
        "Jun 44 15:16:01 combo x: ",
    ],
    "apache": ["[Sun Dec 04 04:47:44 2005] [notice] ", "[Sun Dec 04 04:47:44 2005] [error] [client 1.2.3.4] "],
    "zookeeper": [
        "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - "
    ],
    "openstack": ["nova.log.1 2017-05-16 00:00:00.008 25746 INFO nova.osapi [req-38101a0b 113d] "],
    "android": ["03-17 16:13:38.811  1702  2395 D WindowManager: ", "03-17 16:13:38.811 1702 2395 V X: "],
    "proxifier": ["[10.30 16:49:06] chrome.exe - proxy.example.edu.hk:5070 "],
}
SYSTEMS = ["Apache", "BGL", "HDFS", "HPC", "Hadoop", "Linux", "Mac", "OpenStack", "Proxifier", "Thunderbird"]
SYSTEMS += ["Windows", "Zookeeper"]
MESSAGES = st.sampled_from(
    [
        "took 3 ms",
        "took 77 ms",
        "",
        "  at main(A.java:3)",
        "blk_-38 done",
        "é 7",
        "\ttab",
        "0x1f and 3x",
        "[12]: 5",
        "a:b",
    ]
)
SPACE = st.sampled_from(["", "", "", " ", "\t", "é"])


@pytest.fixture(autouse=True)
def compared_however_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logbert.lines.batches.LONG", 0)


def slow_and_fast(format_: Format, lines: list[str], cut: int) -> tuple[list[Rows], list[Rows]]:
    recogniser = Recogniser(format_)
    slow, fast = [], []
    for part in (lines[:cut], lines[cut:]):
        if part:
            texts, alike = to_lines_and_likenesses(("\n".join(part) + "\n").encode(), Repairs())
            slow.append(format_.read(texts))
            fast.append(recogniser.read(texts, alike))
    return slow, fast


def assert_same(slow: list[Rows], fast: list[Rows]) -> None:
    for one, other in zip(slow, fast, strict=True):
        assert_frame_equal(one.table, other.table.drop(ALIKE).select(one.table.columns))
        for mask in ("fits", "partial", "inside", "dated"):
            assert getattr(one, mask).to_list() == getattr(other, mask).to_list(), mask


@settings(max_examples=150)
@given(st.sampled_from(sorted(HEADS)), st.data())
def test_recognised_lines_are_read_as_the_format_reads_them(name: str, data: st.DataObject) -> None:
    preset = BY_NAME[name]
    heads = st.sampled_from([*HEADS[name], "", "no header 12 "])
    line = st.builds(
        lambda before, head, message, after: before + head + message + after, SPACE, heads, MESSAGES, SPACE
    )
    lines = data.draw(st.lists(line, min_size=1, max_size=12))
    lines = data.draw(st.permutations(lines + [with_other_digits(line, data) for line in lines]))
    for clock in preset.clocks:
        assert_same(*slow_and_fast(preset.format(clock), lines, data.draw(st.integers(0, len(lines)))))


@given(st.lists(st.text("ab1 2:[]-\t", max_size=14).filter(lambda line: "\n" not in line), min_size=1, max_size=12))
def test_any_line_and_any_header_of_literal_separators(lines: list[str]) -> None:
    for text in (r"<A> <B>: <Content>", r"\[<A>\] <B> - <Content>", r"<A>(\[<B>\])?: <Content>", "<A>:<B> <Content>"):
        assert_same(*slow_and_fast(Format("custom", Pattern(text)), lines, len(lines) // 2))


def test_what_looks_at_digits_or_is_no_header_is_left_to_the_format() -> None:
    assert not Recogniser.can(Format("custom", Pattern("<A> 7 <Content>")))
    assert not Recogniser.can(Format("custom", Pattern(r"(?P<A>\d) (?P<Content>.*)")))
    assert not Recogniser.can(Format("custom", Pattern("<Content> <A>")))
    assert sum(Recogniser.can(preset.format()) for preset in PRESETS) >= 20


def test_only_the_columns_asked_for_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "hdfs.log"
    path.write_text("".join(f"081109 2036{n % 60:02} 148 INFO dfs.A: took {n} ms\n" for n in range(60_000)))
    with open_records([path], "hdfs", compare=True, batch_bytes=200_000) as reader:
        frames = []
        for frame in reader:
            frames.append(frame)
            reader.only(["level"])
    assert "Pid" in frames[0].columns
    assert frames[-1].columns == ["line", "source", "timestamp", "message", "level", ALIKE]
    assert sum(map(len, frames)) == 60_000


def test_lines_that_are_like_none_are_soon_left_alone_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbert.lines.recognition.REST", 3)
    path = tmp_path / "hdfs.log"
    head = "081109 203615 148 INFO dfs.A: "
    words = ["".join("ghijklmnop"[int(digit)] for digit in str(n)) for n in range(30_000)]
    path.write_text("".join(f"{head}{word}\n" for word in words) + f"{head}took 3 ms\n" * 200_000)
    with open_records([path], "hdfs", compare=True, batch_bytes=400_000) as reader:
        alike = pl.concat(reader)[ALIKE] != NONE
    assert alike[0]
    assert not alike[60_000]
    assert alike[-1]


def test_a_record_of_several_lines_is_like_no_other(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text("2024-05-01 10:00:00 ERROR a: down\n  at main(A.java:3)\n2024-05-01 10:00:09 ERROR a: down\n")
    with open_records([path], compare=True) as reader:
        alike = pl.concat(reader)[ALIKE].to_list()
    assert alike[0] == NONE
    assert alike[1] != NONE


def test_a_very_long_line_is_left_to_the_format(tmp_path: Path) -> None:
    path = tmp_path / "hdfs.log"
    path.write_text("".join(f"081109 203615 148 INFO dfs.A: took {n} {'ms' * n}\n" for n in (3, 40_000, 40_000, 3)))
    with open_records([path], "hdfs", compare=True) as reader:
        records = pl.concat(reader)
    assert (records[ALIKE] != NONE).to_list() == [True, False, False, True]
    assert records["message"].str.len_bytes().to_list() == [13, 80_011, 80_011, 13]


def test_two_formats_never_share_a_likeness(tmp_path: Path) -> None:
    """The same line is a message in a log without headers, and a header and a message elsewhere."""
    line = "2024-05-01 10:00:00 INFO a: up 7\n"
    (tmp_path / "a.log").write_text(line)
    with (
        open_records([tmp_path / "a.log"], "<Date> <Time> <Content>", compare=True) as one,
        open_records([tmp_path / "a.log"], "<Date> <Time> <Level> <Content>", compare=True) as other,
    ):
        assert pl.concat(one)[ALIKE].item() != pl.concat(other)[ALIKE].item()


@pytest.mark.real_data
@pytest.mark.parametrize("system", SYSTEMS)
def test_real_logs_are_read_the_same_with_and_without(
    system: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shared_data / "loghub_2k" / f"{system}_2k.log"
    with open_records([path], compare=True, batch_bytes=30_000) as reader:
        fast = pl.concat(reader)
        summary = str(reader.summary)
    monkeypatch.setattr(Recogniser, "can", staticmethod(lambda _: False))
    with open_records([path], compare=True) as reader:
        slow = pl.concat(reader)
        assert str(reader.summary) == summary
    assert_frame_equal(fast.drop(ALIKE), slow.drop(ALIKE))
    assert (fast[ALIKE] != NONE).sum() > 0.9 * len(fast)
