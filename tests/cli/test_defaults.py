from __future__ import annotations

from pathlib import Path

from tests.outcome import Run


def test_the_default_detector_trains_saves_and_judges(run: Run, shop: Path, tmp_path: Path) -> None:
    trained = run("train", shop / "good.log", "-o", tmp_path / "m")
    assert trained.code == 0, trained.err
    outcome = run("detect", shop / "bad.log", "-m", tmp_path / "m")
    assert outcome.code == 0, outcome.err
    assert "gateway refused the charge" in outcome.out
    assert "speaks of failure" in outcome.out
    shown = run("show", tmp_path / "m")
    assert "fusion: members novelty, logbert" in shown.out
    assert " object at " not in shown.out


def test_a_few_long_windows_are_learnt_in_chunks_without_delay(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_text("\n".join(f"tick {n} of the clock" if n % 7 else f"hour {n} struck" for n in range(1500)))
    trained = run("train", log, "-o", tmp_path / "m", "--group", "count:700", "--detector", "logbert")
    assert trained.code == 0, trained.err
    assert run("detect", log, "-m", tmp_path / "m").code == 0
