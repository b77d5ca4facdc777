"""What `detect` says to a person: titles in words, whole lines with their numbers, and what is odd where nothing is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from logbert import Pipeline
from logbert.detectors.novelty import Novelty
from tests.outcome import Run
from tests.shop import ODD, shop_log

TWICE = {17: ODD[17], 23: ODD[17]}


def test_a_title_says_what_how_often_and_in_how_many_sequences(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "watch.log").write_text(shop_log(80, seed=1, odd=TWICE))
    out = run("detect", tmp_path / "watch.log", "-m", shop / "model").out
    assert "2 of 80 sequences are out of the ordinary (2.50%), in 1 incident" in out
    assert re.search(
        r'^1\. never seen before: "gateway refused the charge.*", twice in 2 sequences$', out, re.MULTILINE
    )


def test_one_sequence_is(run: Run, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "watch.log").write_text(shop_log(80, seed=1, odd={17: ODD[17]}))
    out = run("detect", tmp_path / "watch.log", "-m", shop / "model").out
    assert "1 of 80 sequences is out of the ordinary (1.25%), in 1 incident" in out
    assert "once in 1 sequence\n" in out


def test_a_record_in_two_windows_is_counted_once(run: Run, tmp_path: Path) -> None:
    calm = "\n".join(f"2024-03-05 08:00:{n % 60:02d} INFO tick {n}" for n in range(60)) + "\n"
    (tmp_path / "good.log").write_text(calm * 40)
    (tmp_path / "bad.log").write_text(calm + "2024-03-05 08:00:59 ERROR clock stopped\n" + calm)
    options = ("--group", "count:10/5", "--detector", "novelty", "--false-alarms", "0.05", "-q")
    assert run("train", tmp_path / "good.log", "-o", tmp_path / "m", *options).code == 0
    incidents = [
        json.loads(line)
        for line in run("detect", tmp_path / "bad.log", "-m", tmp_path / "m", "--json").out.splitlines()
    ]
    stopped = next(one for one in incidents if "clock stopped" in one["title"])
    assert (stopped["sequences"], stopped["times"]) == (2, 1)


def test_lines_are_whole_in_a_pipe_with_file_and_number(run: Run, shop: Path) -> None:
    outcome = run("detect", shop / "bad.log", "-m", shop / "model")
    lines = (shop / "bad.log").read_text().splitlines()
    number = next(place for place, line in enumerate(lines, start=1) if "refused" in line)
    assert f"{shop / 'bad.log'}:{number}  {lines[number - 1]}\n" in outcome.out


def test_a_line_that_is_odd_for_several_reasons_is_printed_once(run: Run, shop: Path) -> None:
    out = run("detect", shop / "bad.log", "-m", shop / "model").out
    shown = [line for line in out.splitlines() if line.startswith(f"   {shop / 'bad.log'}:")]
    incidents = out.count("   incident ")
    assert len(shown) == len(set(shown))
    assert incidents >= 2


def test_where_nothing_is_anomalous_the_oddest_is_shown_as_below_the_boundary(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(shop_log(80))
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    # So careful a boundary that nothing reaches it, from so few sequences that nothing could.
    options = ("--detector", "novelty", "--false-alarms", "1e-40")
    assert run("train", tmp_path / "good.log", "-o", tmp_path / "m", *options).code == 0
    outcome = run("detect", tmp_path / "bad.log", "-m", tmp_path / "m", "--fail-on-anomaly")
    assert outcome.code == 0
    assert "nothing out of the ordinary in 80 sequences; the oddest, below the boundary:" in outcome.out
    assert "gateway refused the charge" in outcome.out
    assert "80 sequences to learn from cannot show" in outcome.out
    assert "--false-alarms 0.1" in outcome.out
    assert run("detect", tmp_path / "bad.log", "-m", tmp_path / "m", "--json").out == ""


def test_what_somebody_called_normal_is_not_among_the_oddest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(shop_log(80))
    (tmp_path / "bad.log").write_text(shop_log(80, seed=1, odd={17: ODD[17]}))
    run("train", tmp_path / "good.log", "-o", tmp_path / "m", "--detector", "novelty", "--false-alarms", "1e-40")
    out = run("detect", tmp_path / "bad.log", "-m", tmp_path / "m").out
    incident = out.split("incident ")[1].split(",")[0]
    assert run("feedback", tmp_path / "m", incident, "--normal").code == 0
    assert "refused" not in run("detect", tmp_path / "bad.log", "-m", tmp_path / "m").out


def test_the_same_trouble_has_the_same_id_in_another_log(run: Run, shop: Path, tmp_path: Path) -> None:
    def refused(log: str) -> set[str]:
        (tmp_path / "watch.log").write_text(log)
        lines = run("detect", tmp_path / "watch.log", "-m", shop / "model", "--json", "-q").out.splitlines()
        return {one["incident"] for one in map(json.loads, lines) if "refused" in one["title"]}

    assert refused(shop_log(80, seed=1, odd={17: ODD[17]})) == refused(shop_log(200, seed=5, odd={3: ODD[17]}))


def test_quiet_says_nothing_on_stderr_but_warnings(run: Run, shop: Path, tmp_path: Path) -> None:
    assert run("detect", shop / "bad.log", "-m", shop / "model", "-q").err == ""
    (tmp_path / "few.log").write_text(shop_log(12))
    few = run("train", tmp_path / "few.log", "-o", tmp_path / "m", "--detector", "novelty", "-q")
    assert few.err.startswith("warning: only ")
    assert len(few.err.splitlines()) == 1


def test_times_are_iso_in_text(run: Run, shop: Path, tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.csv"):
        run("detect", shop / "bad.log", "-m", shop / "model", "-o", tmp_path / name)
        assert "2024-03-05T08:00:" in (tmp_path / name).read_text()
    first = json.loads(run("detect", shop / "bad.log", "-m", shop / "model", "--json").out.splitlines()[0])
    assert first["start"].startswith("2024-03-05T08:")


def test_a_terminal_without_the_signs_of_the_log_gets_them_spelt_out(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "watch.log").write_text(
        shop_log(80, seed=1, odd={17: "ERROR [worker-1] billing: order ord-{id:06x} größer als erlaubt 注文"})
    )
    done = subprocess.run(
        [Path(sys.executable).with_name("logbert"), "detect", tmp_path / "watch.log", "-m", shop / "model"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "größer als erlaubt".encode("latin-1") + rb" \u6ce8\u6587" in done.stdout


def test_help_names_every_detector(run: Run) -> None:
    from logbert.detectors.registry import PLACES

    text = " ".join(run("train", "--help").out.replace("│", " ").split())
    for name in PLACES:
        assert name in text


def test_python_has_the_oddest_too(shop: Path) -> None:
    pipeline = Pipeline(detector=Novelty(false_alarms=1e-40)).fit(shop / "good.log")
    found = pipeline.examine(shop / "bad.log")
    assert not found.verdicts["anomaly"].any()
    assert "refused" in found.nearest["title"][0]


def test_a_stack_trace_shows_the_line_that_names_the_exception(run: Run, shop: Path, tmp_path: Path) -> None:
    trace = (
        "ERROR [worker-1] billing: order ord-{id:06x} failed\njava.io.IOException: no route\n\tat Pay.main(Pay.java:3)"
    )
    (tmp_path / "watch.log").write_text(shop_log(80, seed=1, odd={17: trace}))
    out = run("detect", tmp_path / "watch.log", "-m", shop / "model").out
    assert "\n      java.io.IOException: no route (+1 line)\n" in out


def test_a_missing_step_points_at_the_end_of_its_sequence(run: Run, shop: Path, tmp_path: Path) -> None:
    lines = shop_log(80, seed=1).splitlines()
    order = f"ord-{20 + 100_000:06x}"
    own = [line for line in lines if order in line]
    (tmp_path / "watch.log").write_text("\n".join(line for line in lines if line != own[1]) + "\n")
    out = run("detect", tmp_path / "watch.log", "-m", shop / "model").out
    (incident,) = (part for part in out.split("\n\n") if order in part)
    assert 'missing: "reserved <*> items for order' in incident
    assert own[-1] in incident
    assert "here the sequence ends" in incident
