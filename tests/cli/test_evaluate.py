"""`logbert evaluate`: verdicts beside labels, members, trivial detectors, and an operator over time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.outcome import Run
from tests.shop import ODD, shop_log

FAULTY = dict.fromkeys(range(20, 80, 5), ODD[17])


@pytest.fixture
def labelled(tmp_path: Path) -> tuple[Path, Path]:
    """A log with twelve faulty orders, and the labels of all its orders."""
    log, labels = tmp_path / "watched.log", tmp_path / "labels.csv"
    log.write_text(shop_log(80, seed=1, odd=FAULTY))
    rows = [f"ord-{order + 100_000:06x},{'Anomaly' if order in FAULTY else 'Normal'}" for order in range(80)]
    labels.write_text("\n".join(["BlockId,Label", *rows]) + "\n")
    return log, labels


def test_a_model_is_compared_with_labels(run: Run, shop: Path, labelled: tuple[Path, Path]) -> None:
    log, labels = labelled
    outcome = run("evaluate", log, "-m", shop / "model", "--labels", labels)
    assert outcome.code == 0, outcome.err
    assert "68 normal and 12 abnormal sequences" in outcome.out
    for title in ("P", "R", "F1", "PR-AUC", "false alarms", "oracle F1*"):
        assert title in outcome.out.splitlines()[1]
    for name in ("novelty", "unseen key", "unseen key set", "unseen count vector", "unseen length", "unseen 2-gram"):
        assert f"\n{name} " in outcome.out


def test_the_default_detector_shows_its_members_and_itself_over_time(
    run: Run, shop: Path, labelled: tuple[Path, Path], tmp_path: Path
) -> None:
    log, labels = labelled
    assert run("train", shop / "good.log", "-o", tmp_path / "m").code == 0
    outcome = run("evaluate", log, "-m", tmp_path / "m", "--labels", labels, "--feedback", "--json")
    figures = json.loads(outcome.out)
    assert {"fusion", "fusion over time", "unseen key", "feedback"} <= set(figures)
    members = {name.removeprefix("member: ") for name in figures if name.startswith("member: ")}
    assert members == {"new keys", "novelty", "logbert", "values", "gaps"}
    assert figures["fusion over time"]["recall"] == 1.0
    assert figures["member: new keys"]["recall"] == 1.0
    assert figures["feedback"]["answers"] >= 1


def test_an_operator_is_asked_once_about_one_trouble(run: Run, shop: Path, labelled: tuple[Path, Path]) -> None:
    log, labels = labelled
    outcome = run("evaluate", log, "-m", shop / "model", "--labels", labels, "--feedback")
    assert "with 1 answer " in outcome.out
    assert "F1 so far" in outcome.out
    told = json.loads(run("evaluate", log, "-m", shop / "model", "--labels", labels, "--feedback", "--json").out)[
        "feedback"
    ]
    assert (told["answers"], told["figures"]["recall"], len(told["moments"])) == (1, 1.0, 10)


def test_split_and_train_has_an_operator_too(run: Run, labelled: tuple[Path, Path]) -> None:
    log, labels = labelled
    options = ("--labels", labels, "--train-sequences", "40", "--split", "random", "--seeds", "2")
    outcome = run("evaluate", log, *options, "--detector", "novelty", "--feedback")
    assert outcome.code == 0, outcome.err
    assert "warning: only 40 normal sequences" in outcome.err
    assert "seeds 0, 1" in outcome.out
    assert "with 1 answer (mean)" in outcome.out
    assert "once, seed 1:" in outcome.out


def test_sequences_of_keys_get_text_from_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train").write_text("1 2\n1 1 2 2\n" * 60)
    (tmp_path / "judged").write_text("1 2\n" * 20 + "1 7 2\n" * 4)
    (tmp_path / "labels").write_text("0\n" * 20 + "1\n" * 4)
    (tmp_path / "texts.csv").write_text(
        "EventId,EventTemplate\nE1,Receiving <*>\nE2,Received <*>\nE7,Disk <*> failed\n"
    )
    (tmp_path / "known.csv").write_text("EventId,EventTemplate\n1,Receiving <*>\n2,Received <*>\n7,Disk <*> failed\n")
    train = ("train", tmp_path / "train", "--format", "sequences", "--templates", tmp_path / "known.csv")
    assert run(*train, "-o", tmp_path / "m").code == 0
    outcome = run(
        "evaluate", tmp_path / "judged", "-m", tmp_path / "m", "--labels", tmp_path / "labels",
        "--templates", tmp_path / "known.csv", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["fusion over time"]["recall"] == 1.0


def test_without_labels_it_says_what_to_give(run: Run, shop: Path) -> None:
    assert "--labels" in run("evaluate", shop / "bad.log", "-m", shop / "model").complains()
    assert "-m MODEL" in run("evaluate", shop / "bad.log").complains()
