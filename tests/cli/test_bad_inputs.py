from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import shutil
from pathlib import Path

import polars as pl
import pytest

from logbert.errors import InputError
from tests.outcome import Run
from tests.shop import shop_log


def verdicts(run: Run, log: Path, model: Path) -> pl.DataFrame:
    out = log.with_suffix(".parquet")
    outcome = run("detect", log, "-m", model, "-o", out, "-q")
    assert outcome.code == 0, outcome.err
    return pl.read_parquet(out)


def test_a_missing_file(run: Run, shop: Path) -> None:
    assert "nowhere.log" in run("detect", shop / "nowhere.log", "-m", shop / "model").complains()


def test_an_empty_file(run: Run, shop: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_text("")
    assert "empty.log" in run("detect", empty, "-m", shop / "model").complains()
    assert "empty.log" in run("train", empty, "-o", tmp_path / "m").complains()
    assert not (tmp_path / "m").exists()


def test_a_glob_that_matches_nothing(run: Run, shop: Path, tmp_path: Path) -> None:
    assert "*.log" in run("train", tmp_path / "*.log", "-o", tmp_path / "m").complains()


def test_a_folder_without_permission(run: Run, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "app.log").write_text("hidden\n")
    if os.geteuid() == 0:  # root may read everything: deny what the kernel would
        scandir = os.scandir

        def refused(path: str | os.PathLike[str] | int = ".") -> object:
            if str(path).rstrip("/").endswith("private"):
                raise PermissionError(13, "Permission denied", str(path))
            return scandir(path)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "scandir", refused)
    else:
        (tmp_path / "private").chmod(0)
    outcome = run("detect", tmp_path / "private", "-m", shop / "model")
    assert "private" in outcome.complains()


def test_a_binary_file(run: Run, shop: Path, tmp_path: Path) -> None:
    binary = tmp_path / "program"
    binary.write_bytes(bytes(range(256)) * 400)
    assert "program" in run("train", binary, "-o", tmp_path / "m").complains()


def test_invalid_utf8_and_nuls_stay_readable(run: Run, shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "torn.log"
    log.write_bytes((shop / "bad.log").read_bytes().replace(b"carrier\n", b"carr\xff\x00ier\n", 1))
    torn = verdicts(run, log, shop / "model")
    assert len(torn) == len(verdicts(run, shop / "bad.log", shop / "model"))


def test_a_line_of_fifty_megabytes(run: Run, shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    with log.open("wb") as file:
        file.write((shop / "bad.log").read_bytes())
        file.write(b"2024-03-05 12:00:00,000 INFO  [worker-1] orders: order ord-0fffff " + b"x" * 50_000_000 + b"\n")
    judged = verdicts(run, log, shop / "model")
    assert len(judged) == len(verdicts(run, shop / "bad.log", shop / "model")) + 1


def test_a_truncated_gzip(run: Run, shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "cut.log.gz"
    log.write_bytes(gzip.compress((shop / "bad.log").read_bytes())[:-400])
    assert "cut.log.gz" in run("detect", log, "-m", shop / "model").complains()


def test_windows_line_ends_and_no_final_newline_change_nothing(run: Run, shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "windows.log"
    log.write_bytes((shop / "bad.log").read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n"))
    expected = verdicts(run, shop / "bad.log", shop / "model")
    assert verdicts(run, log, shop / "model")["score"].to_list() == expected["score"].to_list()


def test_a_format_that_matches_nothing(run: Run, shop: Path, tmp_path: Path) -> None:
    outcome = run("train", shop / "good.log", "-o", tmp_path / "m", "--format", "<A>|<B>|<Content>")
    assert "<A>|<B>|<Content>" in outcome.complains()


def test_a_clock_going_backwards_loses_nothing(run: Run, shop: Path, tmp_path: Path) -> None:
    lines = (shop / "bad.log").read_text().splitlines(keepends=True)
    log = tmp_path / "clock.log"
    log.write_text("".join(lines[160:] + lines[:160]))
    expected = verdicts(run, shop / "bad.log", shop / "model")
    assert verdicts(run, log, shop / "model")["events"].sum() == expected["events"].sum()


def test_one_sequence_and_one_key(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("the one and only line\n")
    outcome = run("train", log, "-o", tmp_path / "m", "--detector", "novelty")
    assert outcome.code == 0, outcome.err
    assert "only 1 normal sequence" in outcome.err
    assert len(verdicts(run, log, tmp_path / "m")) == 1


@pytest.mark.parametrize("name", ["detector.json", "detector.safetensors", "pipeline.json"])
def test_a_truncated_model(run: Run, shop: Path, tmp_path: Path, name: str) -> None:
    model = Path(shutil.copytree(shop / "model", tmp_path / "m"))
    path = model / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert name in run("detect", shop / "bad.log", "-m", model).complains()


def test_a_tampered_model(run: Run, shop: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(shop / "model", tmp_path / "m"))
    text = (model / "detector.json").read_text().replace("0.001", "0.9")
    (model / "detector.json").write_text(text)
    assert "checksum" in run("detect", shop / "bad.log", "-m", model).complains()


def test_a_model_from_the_future(run: Run, shop: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(shop / "model", tmp_path / "m"))
    manifest = json.loads((model / "manifest.json").read_text())
    (model / "manifest.json").write_text(json.dumps({**manifest, "version": 99}))
    assert "upgrade" in run("show", model).complains()


def test_a_model_is_not_written_over_something_else(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert "holds no logbert model" in run("train", shop / "good.log", "-o", tmp_path).complains()
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value"),
    [("--group", "time:5parsecs"), ("--detector", "oracle"), ("--false-alarms", "7"), ("--masks", "nowhere.toml")],
)
def test_an_option_that_makes_no_sense_is_quoted(run: Run, shop: Path, tmp_path: Path, option: str, value: str) -> None:
    assert value in run("train", shop / "good.log", "-o", tmp_path / "m", option, value).complains()
    assert not (tmp_path / "m").exists()


def test_an_output_of_unknown_layout_is_refused_before_any_work(run: Run, shop: Path, tmp_path: Path) -> None:
    outcome = run("detect", shop / "bad.log", "-m", shop / "model", "-o", tmp_path / "out.xlsx")
    assert ".parquet" in outcome.complains()


def test_log_content_cannot_command_the_terminal(run: Run, shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "evil.log"
    odd = {5: "ERROR [worker-1] \x1b[2Jbilling: \x1b]0;pwned\x07 order ord-{id:06x}"}
    log.write_text(shop_log(60, seed=2, odd=odd))
    outcome = run("detect", log, "-m", shop / "model")
    assert outcome.code == 0
    assert "\x1b]0;" not in outcome.out
    assert "pwned" in outcome.out


def test_a_file_of_empty_lines_or_zeros(run: Run, shop: Path, tmp_path: Path) -> None:
    for name, content in (("blank.log", b"\n\n\n"), ("zeros.log", bytes(100_000))):
        (tmp_path / name).write_bytes(content)
        assert name in run("train", tmp_path / name, "-o", tmp_path / "m").complains()
        assert name in run("detect", tmp_path / name, "-m", shop / "model").complains()


def test_an_output_that_cannot_be_written_is_found_before_any_work(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file" / "out.jsonl"
    outcome = run("detect", shop / "bad.log", "-m", shop / "model", "-o", inside)
    assert str(inside) in outcome.complains()
    assert "records" not in outcome.err
    outcome = run("train", shop / "good.log", "-o", tmp_path / "file" / "m")
    assert "cannot write" in outcome.complains()
    assert "records" not in outcome.err
    assert "cannot write" in run("parse", shop / "bad.log", "-o", tmp_path / "file" / "out.csv").complains()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no command was given; see logbert --help"),
        (("detect",), "Missing argument 'INPUT...'; see logbert detect --help"),
        (("detect", "a.log"), "Missing option '--model' / '-m'"),
        (("frobnicate",), "No such command 'frobnicate'"),
        (("detect", "a.log", "-m", "m", "--top", "-1"), "'--top'"),
        (("train", "a.log", "-o", "m", "--seed", "-1"), "'--seed'"),
        (("train", "a.log", "-o", "m", "--false-alarms", "few"), "'--false-alarms'"),
        (("evaluate", "a.log"), "-m MODEL"),
        (("evaluate", "a.log", "--train-sequences", "5", "--split", "coin"), "'coin'"),
        (("datasets",), "no command was given; see logbert datasets --help"),
    ],
)
def test_a_command_that_makes_no_sense_is_one_line(run: Run, arguments: tuple[str, ...], said: str) -> None:
    assert said in run(*arguments).complains()


def test_debug_shows_where_an_error_came_from(run: Run, shop: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.log"):
        run("detect", shop / "nowhere.log", "-m", shop / "model", "--debug")


def test_one_key_over_and_over(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "one.log"
    log.write_text("tick\n" * 3000)
    for detector in ("novelty", "fusion"):
        trained = run("train", log, "-o", tmp_path / "m", "--detector", detector)
        assert trained.code == 0, trained.err
        assert not verdicts(run, log, tmp_path / "m")["anomaly"].any()


def test_damaged_archives_of_every_kind(run: Run, shop: Path, tmp_path: Path) -> None:
    content = (shop / "good.log").read_bytes()
    for ending, pack in ((".bz2", bz2.compress), (".xz", lzma.compress), (".gz", gzip.compress)):
        log = tmp_path / f"cut.log{ending}"
        log.write_bytes(pack(content)[:-200])
        assert log.name in run("detect", log, "-m", shop / "model").complains()
        log.write_bytes(pack(content)[:400] + os.urandom(400))
        assert log.name in run("detect", log, "-m", shop / "model").complains()


def test_answers_survive_training_on(run: Run, shop: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(shop / "model", tmp_path / "m"))
    found = [json.loads(one) for one in run("detect", shop / "bad.log", "-m", model, "--json").out.splitlines()]
    refused = next(one["incident"] for one in found if "refused" in one["title"])
    assert run("feedback", model, refused, "--normal", "--why", "known").code == 0
    assert run("train", shop / "good.log", "-o", model, "--resume").code == 0
    assert "known" in run("feedback", model).out
    assert "refused" not in run("detect", shop / "bad.log", "-m", model).out
