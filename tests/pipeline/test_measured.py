"""From raw text: values outside, new values and slow steps are found, told, answered, and saved with the model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from logbert import Pipeline
from logbert.detectors.fusion import Fusion
from logbert.pipeline import Answer, store
from logbert.pipeline.pipeline import PIPELINE

STATES = ("paid", "open", "held", "void", "late")
KINDS = ("value outside", "new value", "slow step")


def orders(count: int, *, seed: int, wait: int = 0, amount: int = 0, state: str = "", times: bool = True) -> str:
    """Write the log of some orders; those that end in 7 are delayed, dear, or in another state."""
    dice = np.random.default_rng(seed)
    records = []
    for order in range(count):
        at, odd = order * 900 + int(dice.integers(0, 300)), order % 40 == 7
        name = f"ord-{order + seed * 100_000:06x}"
        cents = amount if odd and amount else int(dice.lognormal(8, 0.7))
        stands = state if odd and state else STATES[int(dice.integers(0, len(STATES)))]
        for place, text in enumerate(
            (
                f"order {name} received from shop",
                f"charged order {name} amount {cents} cents",
                f"account state={stands} for order {name}",
                f"order {name} handed to carrier",
            )
        ):
            at += int(dice.integers(40, 400)) + (wait if odd and place == 3 else 0)
            records.append((at, text))
    lines = []
    for at, text in sorted(records):
        seconds, millis = divmod(at, 1000)
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d},{millis:03d}"
        lines.append(f"2024-03-05 {clock} INFO shop: {text}" if times else f"INFO shop: {text}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    log = tmp_path_factory.mktemp("good") / "good.log"
    log.write_text(orders(1500, seed=0))
    return trained(log)


def trained(log: Path) -> Pipeline:
    return Pipeline(group="session:ord-[0-9a-f]+", detector=Fusion(members=("novelty",))).fit(log)


def judged(pipeline: Pipeline, folder: Path, text: str) -> pl.DataFrame:
    log = folder / "today.log"
    log.write_text(text)
    return pipeline.detect(log).filter("anomaly")


@pytest.mark.parametrize(
    ("odd", "kind", "told"),
    [
        ({"amount": 98_231_554_112}, "value outside", "amount 98,231,554,112 where "),
        ({"state": "seized"}, "new value", "state `seized`, one of `"),
        ({"wait": 492_000}, "slow step", "8 min 12 s after the record before it; at most "),
    ],
)
def test_it_is_found_and_told_with_its_line(
    pipeline: Pipeline, tmp_path: Path, odd: dict[str, int], kind: str, told: str
) -> None:
    found = judged(pipeline, tmp_path, orders(80, seed=1, **odd))
    assert len(found) == 2
    reason = found["reasons"][0][0]
    assert (reason["kind"], told in reason["text"]) == (kind, True)
    assert {"value outside": "charged", "new value": "state=seized", "slow step": "handed"}[kind] in reason["original"]
    assert found["incident"].n_unique() == 1


def test_a_usual_day_raises_nothing(pipeline: Pipeline, tmp_path: Path) -> None:
    assert judged(pipeline, tmp_path, orders(300, seed=2)).is_empty()


def test_an_answer_silences_that_kind_of_that_template_and_survives_saving(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path / "model")
    again = Pipeline.load(tmp_path / "model")
    text = orders(80, seed=1, amount=98_231_554_112)
    before = again.examine([_written(tmp_path, text)])
    [trouble] = before.troubles.values()
    assert trouble.title.startswith("value far outside the usual: ")
    again.answers_.give(Answer(trouble, normal=True))
    again.save(tmp_path / "model")
    answered = Pipeline.load(tmp_path / "model")
    assert judged(answered, tmp_path, text).is_empty()
    slow = judged(answered, tmp_path, orders(80, seed=1, amount=98_231_554_112, wait=492_000))
    assert slow["reasons"].list.first().struct.field("kind").unique().to_list() == ["slow step"]


def test_saved_and_loaded_it_judges_the_same(pipeline: Pipeline, tmp_path: Path) -> None:
    log = _written(tmp_path, orders(120, seed=3, amount=98_231_554_112, wait=492_000, state="seized"))
    pipeline.save(tmp_path / "model")
    assert Pipeline.load(tmp_path / "model").detect(log).equals(pipeline.detect(log))


def test_without_times_values_are_judged_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(orders(1500, seed=0, times=False))
    found = judged(trained(tmp_path / "good.log"), tmp_path, orders(80, seed=1, amount=98_231_554_112, times=False))
    assert found["reasons"].list.first().struct.field("kind").to_list() == ["value outside"] * 2


def test_a_model_of_the_first_version_is_read_and_says_nothing_of_values(pipeline: Pipeline, tmp_path: Path) -> None:
    with store.writing(tmp_path / "model") as folder:
        pipeline.save(tmp_path / "new")
        for path in (tmp_path / "new").rglob("*"):
            if path.is_file() and path.name != store.MANIFEST:
                target = folder / path.relative_to(tmp_path / "new")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        detector = json.loads((folder / "detector.json").read_text())
        del detector["facts"]["measured"]
        store.write_json(folder / "detector.json", detector)
    manifest = json.loads((tmp_path / "model" / store.MANIFEST).read_text())
    (tmp_path / "model" / store.MANIFEST).write_text(json.dumps({**manifest, "version": 1}))
    old = Pipeline.load(tmp_path / "model")
    assert (tmp_path / "model" / PIPELINE).is_file()
    assert judged(old, tmp_path, orders(80, seed=1, amount=98_231_554_112)).is_empty()
    assert old.intake_.slots == ()


def test_a_detector_that_judges_keys_only_reads_no_values(tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text(orders(200, seed=0))
    single = Pipeline(group="session:ord-[0-9a-f]+", detector="novelty").fit(tmp_path / "good.log")
    assert single.take(tmp_path / "good.log").values is None


def _written(folder: Path, text: str) -> Path:
    log = folder / "written.log"
    log.write_text(text)
    return log
