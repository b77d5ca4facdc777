from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import logbert.lines.reader as reader_module
from logbert import Pipeline
from logbert.errors import InputError, OptionError
from logbert.progress import Silent
from tests.shop import ODD, shop_log

REFUSED = f"ord-{17 + 100_000:06x}"
TWICE = f"ord-{40 + 100_000:06x}"


class Notes(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def test_the_odd_orders_are_found_and_only_they(shop_pipeline: Pipeline, shop_folder: Path) -> None:
    verdicts = shop_pipeline.detect(shop_folder / "bad.log")
    assert set(verdicts.filter("anomaly")["sequence"]) == {REFUSED, TWICE}
    assert len(verdicts) == 80
    assert verdicts["events"].sum() == 320


def test_a_verdict_points_at_the_line_and_says_why(shop_pipeline: Pipeline, shop_folder: Path) -> None:
    verdicts = shop_pipeline.detect(shop_folder / "bad.log")
    worst = verdicts.filter(pl.col("sequence") == REFUSED)["reasons"][0][0]
    lines = (shop_folder / "bad.log").read_text().splitlines()
    assert worst["original"] == lines[worst["number"] - 1]
    assert "gateway refused the charge" in worst["original"]
    assert worst["text"].startswith("never seen before:")
    assert worst["source"] == str(shop_folder / "bad.log")


def test_saving_and_loading_changes_no_verdict(shop_pipeline: Pipeline, shop_folder: Path, tmp_path: Path) -> None:
    before = shop_pipeline.detect(shop_folder / "bad.log")
    shop_pipeline.save(tmp_path / "model")
    assert_frame_equal(Pipeline.load(tmp_path / "model").detect(shop_folder / "bad.log"), before)


def test_a_model_saved_twice_is_the_same_bytes(shop_pipeline: Pipeline, tmp_path: Path) -> None:
    shop_pipeline.save(tmp_path / "one")
    Pipeline.load(tmp_path / "one").save(tmp_path / "two")
    for path in sorted((tmp_path / "one").rglob("*")):
        if path.is_file():
            twin = tmp_path / "two" / path.relative_to(tmp_path / "one")
            assert path.read_bytes() == twin.read_bytes(), path.name


def test_what_was_judged_before_does_not_matter(shop_pipeline: Pipeline, shop_folder: Path, tmp_path: Path) -> None:
    first = shop_pipeline.detect(shop_folder / "bad.log")
    other = tmp_path / "other.log"
    other.write_text(shop_log(50, seed=3, odd={3: "FATAL [worker-1] a message from order ord-{id:06x} nobody saw"}))
    shop_pipeline.detect(other)
    assert_frame_equal(shop_pipeline.detect(shop_folder / "bad.log"), first)


def test_the_size_of_batches_does_not_matter(
    shop_folder: Path, shop_pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = shop_pipeline.detect(shop_folder / "bad.log")
    monkeypatch.setattr(reader_module, "BATCH_BYTES", 3000)
    again = Pipeline(detector="novelty").fit(shop_folder / "good.log")
    assert_frame_equal(again.detect(shop_folder / "bad.log"), expected)


def test_the_order_of_files_does_not_matter(shop_folder: Path, tmp_path: Path) -> None:
    lines = (shop_folder / "good.log").read_text().splitlines(keepends=True)
    parts = [tmp_path / f"part{index}.log" for index in range(3)]
    for index, part in enumerate(parts):
        part.write_text("".join(lines[index * 800 : (index + 1) * 800]))
    forwards = Pipeline(detector="novelty").fit(parts).detect([shop_folder / "bad.log", parts[1]])
    backwards = Pipeline(detector="novelty").fit(parts[::-1]).detect([parts[1], shop_folder / "bad.log"])
    assert_frame_equal(forwards, backwards)


def test_the_same_trouble_has_the_same_incident_in_another_log(shop_pipeline: Pipeline, tmp_path: Path) -> None:
    incidents = []
    for seed, place in [(4, 5), (5, 30)]:
        log = tmp_path / f"{seed}.log"
        log.write_text(shop_log(50, seed=seed, odd={place: ODD[17]}))
        incidents.append(set(shop_pipeline.examine(log).incidents["incident"]))
    assert incidents[0] == incidents[1]
    assert len(incidents[0]) == 1


def test_labelled_sequences_are_left_out_of_training(shop_folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text(f"BlockId,Label\n{REFUSED},Anomaly\n{TWICE},Anomaly\n")
    notes = Notes()
    pipeline = Pipeline(detector="novelty", progress=notes).fit(shop_folder, labels=labels)
    assert "2 sequences labelled abnormal are left out of training" in notes.said
    judged = pipeline.detect(shop_folder / "bad.log")
    assert set(judged.filter("anomaly")["sequence"]) == {REFUSED, TWICE}


def test_sequences_of_keys_are_an_input_too(tmp_path: Path) -> None:
    train, test, texts = tmp_path / "train", tmp_path / "test", tmp_path / "templates.csv"
    train.write_text("5 22 11 9 26\n22 5 11 9 26\n5 22 11 11 9 9 26\n" * 60)
    test.write_text("5 22 11 9 26\n5 22 7 9 26\n")
    texts.write_text("EventId,EventTemplate\nE5,Receiving block <*>\nE7,writeBlock <*> received exception <*>\n")
    pipeline = Pipeline(format="sequences", detector="novelty").fit(train)
    pipeline.save(tmp_path / "model")
    detection = Pipeline.load(tmp_path / "model").examine(test, templates=texts)
    assert detection.verdicts["anomaly"].to_list() == [False, True]
    assert "received exception" in detection.incidents["title"][0]


def test_what_makes_no_sense_is_refused(shop_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="between 0 and 1"):
        Pipeline(false_alarms=0.0)
    with pytest.raises(OptionError, match="no presets"):
        Pipeline(detector="novelty", preset="paper").fit(shop_folder / "good.log")
    with pytest.raises(OptionError, match="templates"):
        Pipeline(detector="novelty", templates=tmp_path / "t.csv").fit(shop_folder / "good.log")
    with pytest.raises(InputError, match="not been fitted"):
        Pipeline().detect(shop_folder / "bad.log")
    with pytest.raises(InputError, match="no input"):
        Pipeline().fit([])
