"""Ctrl-C, a closed pipe, a full disk: nothing half-written is left, and the terminal is sane."""

from __future__ import annotations

import os
import pty
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from logbert import Pipeline
from logbert.cli import main
from logbert.detectors.logbert.training import Teacher
from tests.outcome import Run
from tests.shop import shop_log

LOGBERT = Path(sys.executable).with_name("logbert")
LITTLE = 20_000  # bytes that a file may have


def logbert(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LOGBERT, *arguments], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    (said,) = (line for line in done.stderr.splitlines() if line.startswith("logbert: "))
    return said


def interrupted(*arguments: str | Path, when: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Send Ctrl-C once the command has said `when` on stderr."""
    with subprocess.Popen([LOGBERT, *arguments], stdout=-1, stderr=-1, text=True, cwd=folder) as running:
        assert running.stderr is not None
        said = ""
        while when not in said:
            line = running.stderr.readline()
            assert line, said
            said += line
        running.send_signal(signal.SIGINT)
        out, rest = running.communicate(timeout=120)
    return subprocess.CompletedProcess([], running.returncode, out, said + rest)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that takes some seconds to judge, and a model."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "good.log").write_text(shop_log(2000))
    with (folder / "large.log").open("w") as file:
        for _ in range(150):
            file.write(shop_log(2000))
    Pipeline(detector="novelty").fit(folder / "good.log").save(folder / "model")
    return folder


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet", "out.html"])
def test_ctrl_c_in_detect_leaves_nothing_half_written(large: Path, tmp_path: Path, name: str) -> None:
    done = interrupted(
        "detect", large / "large.log", "-m", large / "model", "-o", name, when="format:", folder=tmp_path
    )
    assert done.returncode == 130, done
    assert done.stderr.splitlines()[-1] == "logbert: interrupted; nothing half-written was left behind"
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_before_there_is_a_network_leaves_the_old_model(large: Path, tmp_path: Path) -> None:
    Pipeline(detector="novelty").fit(large / "good.log").save(tmp_path / "model")
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()}
    done = interrupted("train", large / "large.log", "-o", "model", when="format:", folder=tmp_path)
    assert done.returncode == 130, done
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").rglob("*") if path.is_file()} == before


def test_ctrl_c_in_parse_leaves_no_spool(large: Path, tmp_path: Path) -> None:
    done = interrupted("parse", large / "large.log", "-o", "out.csv", when="format:", folder=tmp_path)
    assert done.returncode == 130, done
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_the_terminal_sane(large: Path, tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [LOGBERT, "detect", large / "large.log", "-m", large / "model"],
        stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, start_new_session=True,
    ) as running:  # fmt: skip
        os.close(follower)
        shown = b""
        while b"reading" not in shown:
            shown += os.read(leader, 4096)
        running.send_signal(signal.SIGINT)
        while True:
            try:
                more = os.read(leader, 4096)
            except OSError:  # the other end has gone
                break
            if not more:
                break
            shown += more
    os.close(leader)
    assert running.returncode == 130
    assert b"interrupted" in shown
    # The cursor that a progress bar hides is shown again.
    assert shown.rfind(b"\x1b[?25h") > shown.rfind(b"\x1b[?25l")


def test_a_ctrl_c_that_native_code_made_another_exception_of_is_still_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def panic(_: list[str]) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise SystemError("a callback failed") from None
        return 0

    monkeypatch.setattr("logbert.cli._run", panic)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may ignore it
    try:
        with pytest.raises(SystemExit) as end:
            main()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert end.value.code == 130
    assert capsys.readouterr().err == "logbert: interrupted; nothing half-written was left behind\n"


def test_a_reader_that_goes_away_is_no_error(large: Path) -> None:
    with subprocess.Popen(
        [LOGBERT, "show", large / "model", "--top", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 0


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LITTLE, LITTLE))


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet", "out.html"])
def test_an_output_for_which_there_is_no_room(large: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("old")
    done = logbert("detect", large / "good.log", "-m", large / "model", "-o", tmp_path / name, preexec_fn=limited)
    assert f"cannot write {tmp_path / name}: File too large" in complaint(done)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "old")]


def test_a_model_for_which_there_is_no_room(large: Path, tmp_path: Path) -> None:
    done = logbert("train", large / "good.log", "-o", tmp_path / "m", "--detector", "novelty", preexec_fn=limited)
    assert f"cannot write {tmp_path / 'm'}: File too large" in complaint(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_parsed_records_for_which_there_is_no_room(large: Path, tmp_path: Path, name: str) -> None:
    done = logbert("parse", large / "good.log", "-o", tmp_path / name, preexec_fn=limited)
    assert "File too large" in complaint(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output(large: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [LOGBERT, "show", large / "model"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert complaint(done) == "logbert: cannot write the output: No space left on device"


def test_a_network_that_is_interrupted_keeps_its_best_and_says_so(
    run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    epoch, begun = Teacher._epoch, []

    def at_the_third_epoch(self: Teacher, *arguments: Any) -> float:
        begun.append(1)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return epoch(self, *arguments)

    monkeypatch.setattr(Teacher, "_epoch", at_the_third_epoch)
    done = run("train", shop / "good.log", "-o", tmp_path / "m", "--detector", "logbert")
    assert done.code == 0, done.err
    assert "stopped by Ctrl-C: the best network so far is kept; train on with --resume" in done.err
    assert run("detect", shop / "bad.log", "-m", tmp_path / "m").code == 0
