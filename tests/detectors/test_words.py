"""The word model reads logs of many systems as an engineer would, and shows why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.detectors.words import Lexicon, Words
from logbert.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FAILURES = """\
Kernel panic - not syncing: Fatal exception in interrupt
Out of memory: Killed process <*> (mysqld) total-vm:<*>kB
EXT4-fs error (device <*>): ext4_find_entry: reading directory lblock <*>
BUG: soft lockup - CPU#0 stuck for <*>s! [kworker]
end_request: I/O error, dev <*>, sector <*>
nf_conntrack: table full, dropping packet
segfault at <*> ip <*> sp <*> error <*> in libc
uncorrectable ECC error on DIMM <*>
java.net.ConnectException: Connection refused
ConnectionRefusedException at <*>
node_failed
Traceback (most recent call last):
MemoryError: cannot allocate <*> bytes
ERROR: deadlock detected
FATAL: could not open relation mapping file "<*>": No such file or directory
InnoDB: Database page corruption on disk or a failed file read of page <*>
%LINK-3-UPDOWN: Interface <*>, changed state to down
OSPF adjacency lost: neighbor <*> dead timer expired
BGP peer <*> is down: hold timer expired
Back-off restarting failed container
Readiness probe failed: HTTP probe failed with statuscode: <*>
OOMKilled
The service terminated unexpectedly. It has done this <*> time(s).
Faulting application name: <*>, faulting module name: <*>
authentication failure; logname= uid=<*> euid=<*> tty=ssh ruser= rhost=<*>
upstream timed out (<*>: Connection timed out) while reading response header from upstream
SSL handshake failed: certificate has expired
raid array degraded, <*> of <*> disks offline
error not corrected
recovery of block <*> failed
failed to recover lease
Server <*> not ready
Error creating node map from file <*>
writeBlock <*> received exception <*>
Task attempt <*> failed to report status for <*> seconds. Killing!""".splitlines()

TABLES = "".join(
    f"[{name}]\n" for name in ("routine", "activity", "levels", "negation", "subject", "combine", "kinship")
)
ENGLISH = Lexicon.english()

NO_FAILURES = """\
0 errors
no errors found
Scan completed with 0 errors
errors: 0, warnings: 0
failed=0
<*> ddr error(s) detected and corrected on rank <*>
single bit error corrected
no failure detected
correctable error count: <*>
error count: <*>
retry succeeded after <*> attempts
timeout set to <*>
session timeout = <*> ms
negotiated timeout <*> for client <*>
Error handler installed
error reporting enabled
Failure detector started
parity error..............<*>
PM: created assertion <*> of process <*>
Registered signal handlers for [TERM, HUP, INT]
session opened for user <*> by (uid=<*>)
Accepted publickey for <*> from <*> port <*> ssh2
PacketResponder <*> for block <*> terminating
checkpoint complete: wrote <*> buffers
database system is ready to accept connections
Interface <*>, changed state to up
Successfully assigned <*> to node <*>
recovered from error
problem resolved, service restored
completed without errors
did not fail
nothing failed
exited normally with code 0
invalidating cache entry <*>""".splitlines()


@pytest.fixture(scope="module")
def words() -> Words:
    return Words()


@pytest.mark.parametrize("text", FAILURES)
def test_a_failure_is_heard(words: Words, text: str) -> None:
    assert words.tone(words.judge(text)) == "failure"


@pytest.mark.parametrize("text", NO_FAILURES)
def test_what_is_denied_put_right_or_only_talked_about_is_no_failure(words: Words, text: str) -> None:
    assert words.tone(words.judge(text)) != "failure"


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("interface ready", "interface not ready"),
        ("service started", "service failed to start"),
        ("error corrected", "uncorrected error"),
        ("lease recovered", "unable to recover lease"),
        ("0 nodes failed", "3 nodes failed"),
        ("reachable", "host is not reachable"),
    ],
)
def test_negation_turns_a_text_round(words: Words, good: str, bad: str) -> None:
    assert words.judge(good).badness < words.judge(bad).badness
    assert words.tone(words.judge(bad)) == "failure" or words.judge(bad).badness >= 1.5


def test_a_zero_that_numbers_a_part_denies_nothing(words: Words) -> None:
    assert words.tone(words.judge("CPU 0 error")) == "failure"
    assert words.tone(words.judge("finished with 0 errors")) == "routine"


@pytest.mark.parametrize(
    "text", ["", "<*>", "...", "\u00fcberpr\u00fcfung l\u00e4uft", "\u65e5\u672c\u8a9e", "x" * 100_000]
)
def test_what_says_nothing_is_neutral(words: Words, text: str) -> None:
    judgement = words.judge(text)
    assert (judgement.badness, words.tone(judgement)) == (0.0, "neutral")


@given(st.text(max_size=200))
def test_any_text_can_be_judged(text: str) -> None:
    words = Words(ENGLISH)
    assert words.tone(words.judge(text)) in {"failure", "neutral", "routine"}


def test_the_level_counts_in_any_case(words: Words) -> None:
    levels = ["debug", "INFO", None, "Warn", "ERROR", "FATAL"]
    by_level = [words.judge("state changed to <*>", level).badness for level in levels]
    assert by_level == sorted(by_level)
    assert words.tone(words.judge("state changed to <*>", "FATAL")) == "failure"
    assert words.judge("state changed", "no such level") == words.judge("state changed")


def test_a_variant_of_a_routine_text_is_hardly_news() -> None:
    usual = "job <*> of user <*> failed while writing its output: no such directory"
    variant = "job <*> of user <*> failed while writing its output: no such file"
    fresh, taught = Words(), Words().learn([usual, "wrote core.<*>"])
    assert fresh.tone(fresh.judge(variant)) == "failure"
    assert taught.tone(taught.judge(variant)) == "neutral"
    assert "routinely" in taught.judge(variant).evidence[-1].words


def test_a_routine_text_excuses_nothing_unlike_it() -> None:
    taught = Words().learn(["job <*> of user <*> failed while writing its output: no such directory"])
    assert taught.judge("kernel panic, no such device") == Words().judge("kernel panic, no such device")


def test_a_text_worse_than_its_routine_neighbour_still_speaks_of_failure() -> None:
    taught = Words().learn(["node <*> link error on port <*> lane <*>"])
    assert taught.tone(taught.judge("node <*> link error on port <*> lane <*> panic, aborted")) == "failure"


def test_the_evidence_says_which_words_it_was(words: Words) -> None:
    judgement = words.judge("BGP peer <*> is down: hold timer expired")
    assert judgement.words == "is down, expired"


def test_repeating_a_word_proves_nothing_more(words: Words) -> None:
    assert words.judge("error error error error").badness == words.judge("error").badness


def test_state_and_back_is_the_identity() -> None:
    taught = Words().learn(["link error on port <*>"])
    again = Words.from_state(taught.state())
    for text in (*FAILURES, *NO_FAILURES, "link error at port <*>"):
        assert again.judge(text) == taught.judge(text)


def test_a_word_list_of_ones_own_replaces_ours(tmp_path: Path) -> None:
    english = Lexicon.english()
    text = (
        '[failure]\n"fehler*" = 2.5\n[routine]\n"behoben" = 3.0\n[activity]\n"gestartet" = 1.0\n[levels]\nFEHLER = 2\n'
    )
    text += '[negation]\nwords = ["kein", "keine"]\nreach = 2\ngood = 1.0\nbad = 1.5\ndenies_routine = []\n'
    text += "[subject]\nwords = []\nbefore = []\nsettings = []\nshare = 0.3\nsetting_share = 0.1\nfield_share = 0.2\n"
    text += "counted_share = 0.6\n[combine]\nfading = 0.5\nfailure = 2.0\nroutine = -0.5\nspoils = 1.0\n"
    text += "[kinship]\nleast = 0.75\n"
    path = tmp_path / "german.toml"
    path.write_text(text, "utf-8")
    german = Words(Lexicon.read(path))
    tones = [
        german.tone(german.judge(text)) for text in ("Fehlerhafte Platte", "keine Fehler", "Fehler behoben", "error")
    ]
    assert tones == ["failure", "routine", "routine", "neutral"]
    assert english.tables["failure"]["error*"] > 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[failure", "is no TOML"),
        ("[failure]\n", r"has no table \[routine\]"),
        (
            '[failure]\n"x" = "loud"\n[routine]\n[activity]\n[levels]\n[negation]\n[subject]\n[combine]\n[kinship]\n',
            "a weight is a number",
        ),
        (
            '[failure]\n"x" = -1\n[routine]\n[activity]\n[levels]\n[negation]\n[subject]\n[combine]\n[kinship]\n',
            "a weight is a number",
        ),
    ],
)
def test_a_broken_word_list_is_an_error_that_says_where(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "words.toml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        Lexicon.read(path)
    assert str(path) in str(caught.value)


def test_a_missing_word_list_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the word list"):
        Lexicon.read(tmp_path / "none.toml")
