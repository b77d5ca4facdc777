from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.outcome import Run
from tests.shop import ODD, shop_log


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


def test_an_answer_is_about_one_message_not_about_all_of_its_sequence(
    run: Run, shop: Path, model: Path, tmp_path: Path
) -> None:
    log = tmp_path / "watch.log"
    lines = shop_log(80, seed=1, odd={17: ODD[17]}).splitlines()
    place = next(place for place, line in enumerate(lines) if "refused" in line)
    order = lines[place].rsplit(maxsplit=1)[-1]
    lines.insert(place, f"{lines[place].split(' billing')[0]} stock: the shelf of order {order} is empty")
    log.write_text("\n".join(lines) + "\n")
    first = run("detect", log, "-m", model, "--json", "-q").out.splitlines()
    assert len(first) == 1
    answered = json.loads(first[0])
    assert run("feedback", model, answered["incident"], "--normal").code == 0
    (left,) = map(json.loads, run("detect", log, "-m", model, "--json", "-q").out.splitlines())
    assert left["incident"] != answered["incident"]
    assert left["worst"] == answered["worst"]


def test_the_beginning_of_an_id_is_enough(run: Run, shop: Path, model: Path) -> None:
    refused = next(name for name, title in found(run, shop, model).items() if "refused" in title)
    assert run("feedback", model, refused[:5], "--normal").code == 0
    outcome = run("feedback", model, refused[:5], "--undo")
    assert outcome.out.startswith(f"{refused} is judged as before")
