from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from logbert.study import find_sources
from logbert.study.exams import Exam, facts_of
from logbert.study.rules import LONG, SHORT
from logbert.study.sources import Source


@pytest.fixture
def sources(data: Path) -> dict[str, Source]:
    return {source.name: source for source in find_sources(data)}


def test_the_legacy_protocol_drops_short_sequences_and_the_honest_one_judges_them(sources: dict[str, Source]) -> None:
    source = sources["hdfs-sequences"]
    legacy, honest = source.deal("legacy", 0), source.deal("honest", 0)
    assert (honest.facts["test_normal"], honest.facts["test_abnormal"]) == (40, 10)
    assert (legacy.facts["test_normal"], legacy.facts["test_abnormal"]) == (40, 5)
    assert (legacy.facts["dropped"], legacy.facts["dropped_abnormal"]) == (5, 5)
    assert int(legacy.test["keys"].list.len().min()) >= SHORT  # type: ignore[arg-type]
    assert honest.facts["messages"] == (13 + 19) * (60 + 20) + (4 + 13) * 5


def test_the_texts_of_the_keys_come_along(sources: dict[str, Source]) -> None:
    exam = sources["hdfs-sequences"].deal("honest", 0)
    odd = set(exam.test.filter("label")["keys"].explode()) - set(exam.train["keys"].explode())
    assert [exam.texts.text(key) for key in odd] == ["writeBlock failed <*>"]


def test_the_legacy_protocol_cuts_what_is_long(tmp_path: Path) -> None:
    folder = tmp_path / "hdfs"
    folder.mkdir()
    for name in ("train", "test_normal", "test_abnormal"):
        (folder / name).write_text(" ".join(["1 2"] * 400))
    exam = find_sources(tmp_path)[0].deal("legacy", 0)
    assert exam.train["keys"].list.len().to_list() == [LONG]
    assert exam.facts["cut"] == 3


def test_a_stream_is_learnt_from_before_it_is_judged(sources: dict[str, Source]) -> None:
    near, drift = sources["bgl-near"].deal("honest", 0), sources["bgl-drift"].deal("honest", 0)
    earlier = 5 * 2  # whole windows of the hours before
    assert (near.facts["train"], drift.facts["train"]) == (earlier + 24 - 2, earlier)
    assert (len(near.test), near.facts["test_abnormal"]) == (16, 2)
    assert (len(drift.test), drift.facts["test_abnormal"]) == (40, 4)
    assert np.flatnonzero(drift.truth).tolist() == [9, 19, 29, 39]


def test_the_legacy_protocol_shuffles_windows_that_overlap(sources: dict[str, Source]) -> None:
    exam = sources["bgl-shuffled"].deal("legacy", 3)
    assert exam.facts["train"] + exam.facts["test_normal"] + exam.facts["test_abnormal"] == 79
    assert exam.facts["test_abnormal"] == 7  # the last alert is in one window only
    assert sources["bgl-shuffled"].split_seed("legacy", 3) == 3
    assert sources["bgl-near"].split_seed("honest", 3) == 0


def test_windows_of_a_raw_log_overlap_by_the_legacy_protocol_only(sources: dict[str, Source]) -> None:
    legacy, honest = sources["bgl"].deal("legacy", 0), sources["bgl"].deal("honest", 0)
    assert len(honest.train) + len(honest.test) <= 4 * 60 // 5
    assert len(legacy.train) + len(legacy.test) > 4 * 60 - 10
    assert honest.facts["messages"] == 4 * 360
    assert honest.facts["abnormal_messages"] == legacy.facts["abnormal_messages"] == 1
    assert (honest.facts["test_abnormal"], legacy.facts["test_abnormal"]) == (1, 5)


def test_the_honest_parser_knows_nothing_of_what_comes_later(sources: dict[str, Source]) -> None:
    honest = sources["bgl"].deal("honest", 0)
    known = set(honest.train["keys"].explode())
    late = set(honest.test["keys"].explode()) - known
    assert {honest.texts.text(key) for key in late} == {"ciod: new release loaded"}
    assert max(known) < min(late)


def test_an_exam_is_the_same_after_saving(sources: dict[str, Source], tmp_path: Path) -> None:
    exam = sources["hdfs-sequences"].deal("honest", 0)
    exam.save(tmp_path / "exam")
    again = Exam.load(tmp_path / "exam")
    assert again.train.equals(exam.train)
    assert again.test.equals(exam.test)
    assert again.texts == exam.texts
    assert again.facts == facts_of(tmp_path / "exam") == exam.facts


def test_a_tenth_is_drawn_by_its_seed_and_keeps_the_order(sources: dict[str, Source]) -> None:
    exam = sources["bgl-near"].deal("honest", 0)
    tenth = exam.tenth(0)
    assert (len(tenth.train), len(tenth.test)) == (3, 2)
    assert tenth.test.equals(exam.tenth(0).test)


@pytest.mark.real_data
def test_bgl_near_and_drift_are_the_ones_the_reference_figures_are_of(shared_data: Path) -> None:
    found = {source.name: source for source in find_sources(shared_data)}
    assert {"hdfs-sample", "bgl-shuffled", "bgl-near", "bgl-drift", "thunderbird-sample"} <= set(found)
    near = found["bgl-near"].deal("honest", 0)
    assert (len(near.test), near.facts["test_abnormal"]) == (5_656, 740)
    known = near.train["keys"].explode().unique().implode()
    new = near.test.with_row_index().explode("keys").filter(~pl.col("keys").is_in(known))
    flagged = np.isin(np.arange(len(near.test)), new["index"].unique())
    hits = int((flagged & near.truth).sum())
    assert round(2 * hits / (int(flagged.sum()) + 740), 3) == 0.821
