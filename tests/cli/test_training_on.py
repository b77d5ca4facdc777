"""`train --resume` adds to what a model has learnt; nothing is forgotten, and nothing counts twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from logbert.pipeline import Pipeline
from logbert.progress import Silent
from tests.outcome import Run


def test_answers_survive_training_on(run: Run, shop: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(shop / "model", tmp_path / "m"))
    found = [json.loads(one) for one in run("detect", shop / "bad.log", "-m", model, "--json").out.splitlines()]
    refused = next(one["incident"] for one in found if "refused" in one["title"])
    assert run("feedback", model, refused, "--normal", "--why", "known").code == 0
    assert run("train", shop / "good.log", "-o", model, "--resume").code == 0
    assert "known" in run("feedback", model).out
    assert "refused" not in run("detect", shop / "bad.log", "-m", model).out


@pytest.mark.parametrize("detector", ["novelty", "fusion"])
def test_training_on_keeps_what_was_learnt_before(run: Run, tmp_path: Path, detector: str) -> None:
    model = tmp_path / "m"
    days = {"monday": "invoice", "tuesday": "parcel"}
    for day, thing in days.items():
        lines = [f"{step} {thing} for job {job}" for job in range(200) for step in ("making", "checking", "sending")]
        (tmp_path / f"{day}.log").write_text("\n".join(lines))
    options = ["--group", r"session:job (\d+)", "--detector", detector, "--false-alarms", "0.1"]
    assert run("train", tmp_path / "monday.log", "-o", model, *options).code == 0
    both = run("train", tmp_path / "tuesday.log", "-o", model, "--resume")
    assert both.code == 0, both.err
    assert "400 sequences of 1,200 records" in run("show", model).out
    for day in days:
        assert run("detect", tmp_path / f"{day}.log", "-m", model, "--json").out == ""
    (tmp_path / "odd.log").write_text("making invoice for job 9\nsending parcel for job 9\n")
    assert len(run("detect", tmp_path / "odd.log", "-m", model, "--json").out.splitlines()) == 1


def test_the_same_log_again_counts_once(shop: Path) -> None:
    pipeline = Pipeline(detector="novelty").fit(shop / "good.log")
    before = pipeline.learnt().sequences
    facts = dict(pipeline.facts_)
    pipeline.fit(shop / "good.log", resume=True)
    assert pipeline.learnt().sequences.equals(before)
    assert pipeline.facts_ == facts


def test_a_model_keeps_what_it_learnt_from_on_disk(shop: Path, tmp_path: Path) -> None:
    pipeline = Pipeline(detector="novelty").fit(shop / "good.log")
    pipeline.save(tmp_path / "m")
    again = Pipeline.load(tmp_path / "m")
    again.save(tmp_path / "n")
    kept = Pipeline.load(tmp_path / "n").learnt()
    assert kept.sequences.equals(pipeline.learnt().sequences)
    assert kept.logs == pipeline.learnt().logs
    assert kept.rows()["keys"].len() == int(kept.sequences["count"].cast(pl.Int64).sum())


class Noting(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_what_is_too_much_to_keep_is_said(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logbert.pipeline.learnt.MOST_KEYS", 3)
    noting = Noting()
    Pipeline(detector="novelty", progress=noting).fit(shop / "good.log")
    assert any(note.endswith("of the rarest sequences are too many to keep for training on") for note in noting.notes)
