from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from logbert.study import Workers
from logbert.study.cells import Cell, CellStore
from logbert.study.exams import Exam
from logbert.study.worker import peak_memory

CELL = Cell("judge", "hdfs", "honest", "pca", 0, {"variance": 0.9})


@pytest.mark.parametrize(
    "change",
    [
        {"work": "count"},
        {"source": "bgl"},
        {"protocol": "legacy"},
        {"method": "logcluster"},
        {"seed": 1},
        {"given": {"variance": 0.8}},
        {"candidates": (3,)},
        {"quick": True},
    ],
)
def test_all_that_determines_a_cell_is_in_its_key(change: dict[str, object]) -> None:
    assert replace(CELL, **change).key("data") != CELL.key("data")  # type: ignore[arg-type]


def test_the_key_goes_by_data_and_by_defaults_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = CELL.key("data")
    assert CELL.key("other data") != before
    assert replace(CELL, given={"variance": 0.9}).key("data") == before
    monkeypatch.setattr("logbert.study.cells.settled", lambda method, given: {"q_alpha": 0.5})
    assert CELL.key("data") != before


def test_a_kept_cell_is_given_again_and_a_damaged_one_is_not(tmp_path: Path) -> None:
    store = CellStore(tmp_path / "cells")
    assert store.get("a") is None
    store.put("a", {"rows": {"pca": {"f1": 0.5}}})
    assert store.get("a") == {"rows": {"pca": {"f1": 0.5}}}
    (tmp_path / "cells" / "a.json").write_text('{"rows": {"pca"')
    assert store.get("a") is None


def test_a_cell_is_worked_out_in_a_process_of_its_own(tmp_path: Path) -> None:
    test = pl.DataFrame({"keys": [[1, 2, 3], [1, 9, 9]], "label": [False, True]})
    Exam.of(pl.DataFrame({"keys": [[1, 2, 3], [1, 2, 2, 3]] * 50}), test).save(tmp_path / "exam")
    found = Workers()(CELL, tmp_path / "exam")
    assert found["rows"]["pca"]["recall"] == 1.0
    assert found["peak_bytes"] > 10_000_000


def test_what_went_wrong_in_it_is_told(tmp_path: Path) -> None:
    found = Workers()(CELL, tmp_path / "no exam here")
    assert found["error"].startswith("failed: ")
    assert "no exam here" in found["error"]


def test_stopping_ends_what_is_running(tmp_path: Path) -> None:
    fifo = tmp_path / "exam" / "exam.json"
    fifo.parent.mkdir()
    os.mkfifo(fifo)  # a worker that opens this waits until somebody writes
    from concurrent.futures import ThreadPoolExecutor

    workers = Workers()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(workers, CELL, fifo.parent)
        while not workers._running:
            pass
        workers.stop()
        assert waiting.result()["error"].startswith(f"ended by signal {signal.SIGKILL.value}")


def test_it_ends_with_the_study(tmp_path: Path) -> None:
    fifo = tmp_path / "exam" / "exam.json"
    fifo.parent.mkdir()
    os.mkfifo(fifo)
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"exam": str(fifo.parent)}))
    command = [sys.executable, "-m", "logbert.study.worker", str(request), str(tmp_path / "answer.json")]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=60) == 1
    assert not (tmp_path / "answer.json").exists()


def test_memory_is_measured() -> None:
    assert 10_000_000 < peak_memory() < 100_000_000_000
