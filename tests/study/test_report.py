from __future__ import annotations

import importlib.util
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logbert.detectors import LittleDataWarning
from logbert.errors import OptionError
from logbert.progress import SILENT
from logbert.study import Order, find_sources, require_plots, run, write
from logbert.study.figures import pictures
from logbert.study.pictures import embedded, represent, separation, sweep
from logbert.study.report import markdown
from logbert.study.tables import tables
from tests.study.test_running import Work, order


@pytest.fixture(scope="module")
def results(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("study")
    return run(
        order("table1", "table2", "table3"), find_sources(data / "hdfs"), folder, SILENT, work=Work(broken="pca")
    )


def test_a_table_never_mixes_the_protocols(results: dict[str, Any]) -> None:
    for table in tables(results)[1:]:
        legacy = table.name.endswith("legacy")
        assert legacy != table.name.endswith("honest")
        assert ("paper F1" in table.head) == legacy
        assert ("false alarms" in table.head) != legacy


def test_ours_stands_beside_what_the_paper_prints(results: dict[str, Any]) -> None:
    table = next(table for table in tables(results) if table.name == "table2-hdfs-sequences-legacy")
    row = next(row for row in table.rows if row[0] == "LogCluster")
    shown = dict(zip(table.head, row, strict=True))
    assert (shown["paper F1"], shown["difference"]) == ("53.99", "-20.7")
    assert shown["F1"] == "33.3 ± 0.0"
    assert shown["peak MB"] == "256"


def test_too_little_data_is_said(results: dict[str, Any]) -> None:
    warned = [{**cell, "warnings": ["only 3 normal sequences to learn from"]} for cell in results["cells"]]
    notes = [table.notes for table in tables(results | {"cells": warned}) if table.name.startswith("table2")]
    assert all("Only 3 normal sequences to learn from." in said for said in notes)


def test_what_failed_and_what_is_missing_is_said(results: dict[str, Any]) -> None:
    text = markdown(results, tables(results), [])
    assert re.search(r"^\| PCA \| out of memory perhaps \|", text, re.MULTILINE)
    assert "BGL is missing; to get it: logbert datasets get BGL" in text


def test_the_report_stands_alone_and_says_where_figures_come_from(results: dict[str, Any], tmp_path: Path) -> None:
    write(results, tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=\"(?!data:)|@import|{{", page)
    assert results["sources"][0]["sha256"][:16] in page
    assert results["versions"]["torch"] in page
    assert re.search(r'<td class="words">[\d,]+ short, [\d,]+ of them abnormal</td>', page)
    assert "<code>python -m benchmarks.paper_baselines</code>" in page
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == json.loads(json.dumps(results))


def test_figures_without_matplotlib_are_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logbert.study.plots.find_spec", lambda name: None)
    with pytest.raises(
        OptionError, match=r"figures need matplotlib, which is not installed; pip install 'logbert\[plots\]'"
    ):
        require_plots()


SMALL = {"preset": "paper", "hidden": 16, "input": 16, "feed_forward": 16, "epochs": 1, "candidates": 2}


@pytest.fixture(scope="module")
def drawn(data: Path) -> dict[str, Any]:
    """The cells of both figures, from a network that has hardly learnt."""
    warnings.simplefilter("ignore", LittleDataWarning)
    hdfs = next(source for source in find_sources(data) if source.name == "hdfs-sequences").deal("legacy", 0)
    bgl = next(source for source in find_sources(data) if source.name == "bgl-shuffled").deal("legacy", 0)
    asked = Order.of(["figure4", "figure5"], protocol="legacy", seeds=1, methods=[], quick=False)
    usual = {"alpha": 0.1, "mask_ratio": 0.5}
    varied = [usual, usual | {"alpha": 1.0}, usual | {"mask_ratio": 0.7}]
    cells = [
        {"work": "represent", "method": name, "source": "hdfs", **represent(hdfs, SMALL, 0)}
        for name in ("logbert-mlkp", "logbert")
    ]
    for given in varied:
        candidates = [1, 15] if given == usual else [15]
        cells.append(
            {
                "work": "sweep",
                "method": "logbert",
                "source": "bgl",
                "given": given,
                "candidates": candidates,
                **sweep(bgl, SMALL | given, candidates, 0),
            }
        )
    sources = [{"name": "hdfs", "dataset": "HDFS"}, {"name": "bgl", "dataset": "BGL"}]
    return {"order": {"what": asked.what}, "sources": sources, "cells": cells}


@pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="matplotlib is not installed")
def test_both_figures_are_drawn_and_say_what_they_show(drawn: dict[str, Any]) -> None:
    found = {picture.name: picture for picture in pictures(drawn)}
    assert set(found) == {"figure4-hdfs", "figure5-bgl"}
    for picture in found.values():
        assert picture.written().startswith(b"\x89PNG")
        assert b"<svg" in picture.written("svg")
    plane = drawn["cells"][1]["separation"]["plane"]
    assert f"and {plane:.2f} with it" in found["figure4-hdfs"].says[1]
    assert "From g 1 to 15" in found["figure5-bgl"].says[-1]


def test_every_session_is_in_the_picture_once(drawn: dict[str, Any]) -> None:
    cell = drawn["cells"][0]
    assert sum(cell["normal"]) == 40
    assert sum(cell["abnormal"]) == 5
    assert len(cell["points"]) == len(cell["normal"]) == len(cell["distances"]) == 3


def test_points_that_are_mixed_are_not_told_apart() -> None:
    points = np.random.default_rng(0).normal(size=(400, 2))
    kind = np.random.default_rng(1).random(400) < 0.5
    assert separation(points, (~kind).astype(float), kind.astype(float)) == pytest.approx(0.5, abs=0.1)


def test_the_embedding_is_the_same_every_time() -> None:
    vectors = np.random.default_rng(0).normal(size=(60, 8))
    assert np.array_equal(embedded(vectors, 0), embedded(vectors, 0))
