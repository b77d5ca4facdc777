from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.outcome import Run


@pytest.fixture
def model(shop: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shop / "model", tmp_path / "model"))


def found(run: Run, shop: Path, model: Path) -> dict[str, str]:
    lines = run("detect", shop / "bad.log", "-m", model, "--json", "-q").out.splitlines()
    return {entry["incident"]: entry["title"] for entry in map(json.loads, lines)}


def test_an_answer_silences_its_incident_until_it_is_taken_back(run: Run, shop: Path, model: Path) -> None:
    before = found(run, shop, model)
    refused = next(name for name, title in before.items() if "refused" in title)
    outcome = run("feedback", model, refused, "--normal", "--why", "gateway was being replaced", "--who", "ana")
    assert outcome.code == 0, outcome.err
    assert found(run, shop, model) == {name: title for name, title in before.items() if name != refused}
    listed = run("feedback", model).out
    assert "normal" in listed
    assert "ana (gateway was being replaced)" in listed
    assert run("feedback", model, refused, "--undo").code == 0
    assert found(run, shop, model) == before


def test_an_incident_nobody_found_is_refused(run: Run, shop: Path, model: Path) -> None:
    assert "ffffffff" in run("feedback", model, "ffffffff", "--normal").complains()


def test_contrary_answers_are_refused(run: Run, shop: Path, model: Path) -> None:
    assert "one of" in run("feedback", model, "ffffffff", "--normal", "--anomaly").complains()
    assert "one of" in run("feedback", model, "ffffffff").complains()


def test_no_answers_yet_says_how_to_give_one(run: Run, shop: Path, model: Path) -> None:
    assert "--normal" in run("feedback", model).out
