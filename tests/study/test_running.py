from __future__ import annotations

from pathlib import Path

import pytest

from logbert.errors import OptionError
from logbert.progress import SILENT
from logbert.study import Order, find_sources, run
from logbert.study.cells import Cell, Record
from logbert.study.running import CELLS, EXAMS

FIGURES = {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "pr_auc": 0.4, "false_alarms": 0.01, "oracle_f1": 0.5}


class Work:
    """Answers at once, and remembers what it was asked."""

    def __init__(self, broken: str = "", interrupted_at: int = 0) -> None:
        self.done: list[Cell] = []
        self.broken = broken
        self.interrupted_at = interrupted_at
        self.stopped = False

    def __call__(self, cell: Cell, exam: Path) -> Record:
        assert (exam / "exam.json").is_file()
        self.done.append(cell)
        if len(self.done) == self.interrupted_at:
            raise KeyboardInterrupt
        if cell.method == self.broken:
            return {"error": "out of memory perhaps"}
        costs = {"train_seconds": 1.0, "judge_seconds": 0.5, "cpu_seconds": 2.0, "peak_bytes": 1 << 28}
        return {"rows": {cell.method: FIGURES}, **costs}

    def stop(self) -> None:
        self.stopped = True


def order(
    *what: str, protocol: str = "both", seeds: int = 2, methods: tuple[str, ...] = ("pca", "logcluster")
) -> Order:
    return Order.of(what, protocol=protocol, seeds=seeds, methods=methods, quick=False)


def test_finished_cells_are_not_worked_out_again(data: Path, tmp_path: Path) -> None:
    sources = find_sources(data / "hdfs")
    first, again = Work(), Work()
    before = run(order("table2"), sources, tmp_path, SILENT, work=first)
    assert len(first.done) == 2 * 2 * 2  # protocols, seeds, methods
    after = run(order("table2"), find_sources(data / "hdfs"), tmp_path, SILENT, work=again)
    assert again.done == []
    assert after["cells"] == before["cells"]
    more = Work()
    run(order("table2", seeds=3), sources, tmp_path, SILENT, work=more)
    assert {cell.seed for cell in more.done} == {2}
    assert not (tmp_path / EXAMS).exists()


def test_a_cell_that_failed_is_in_the_results_and_is_tried_again(data: Path, tmp_path: Path) -> None:
    sources = find_sources(data / "hdfs")
    results = run(order("table2", seeds=1), sources, tmp_path, SILENT, work=Work(broken="pca"))
    failed = [cell for cell in results["cells"] if "error" in cell]
    assert {cell["method"] for cell in failed} == {"pca"}
    again = Work()
    run(order("table2", seeds=1), sources, tmp_path, SILENT, work=again)
    assert {cell.method for cell in again.done} == {"pca"}


def test_an_interruption_keeps_finished_cells_and_stops_the_others(data: Path, tmp_path: Path) -> None:
    sources = find_sources(data / "hdfs")
    interrupted, again = Work(interrupted_at=5), Work()
    with pytest.raises(KeyboardInterrupt):
        run(order("table2"), sources, tmp_path, SILENT, work=interrupted)
    assert interrupted.stopped
    kept = len(list((tmp_path / CELLS).glob("*.json"))) - 2  # the counts of the two protocols
    run(order("table2"), sources, tmp_path, SILENT, work=again)
    assert len(again.done) == 8 - kept


def test_each_exam_is_dealt_once(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(source for source in find_sources(data) if source.name == "bgl-near")
    dealt = []
    deal = source.deal
    monkeypatch.setattr(source, "deal", lambda *asked: dealt.append(asked) or deal(*asked))
    run(order("table2", seeds=3), [source], tmp_path, SILENT, work=Work())
    assert len(dealt) == 1


def test_a_missing_data_set_says_how_to_get_it(tmp_path: Path) -> None:
    results = run(order("table1"), [], tmp_path, SILENT, work=Work())
    assert results["missing"]["HDFS"] == "logbert datasets get HDFS_v1"
    assert set(results["missing"]) == {"HDFS", "BGL", "Thunderbird"}


def test_figures_are_made_of_their_own_set_by_the_legacy_protocol(data: Path, tmp_path: Path) -> None:
    work = Work()
    run(order("figure4", "figure5", protocol="honest"), find_sources(data), tmp_path, SILENT, work=work)
    assert {(cell.work, cell.source) for cell in work.done} == {
        ("represent", "hdfs-sequences"),
        ("sweep", "bgl"),
        ("sweep", "bgl-shuffled"),
    }
    assert {cell.protocol for cell in work.done} == {"legacy"}


def test_table_3_shares_its_last_row_with_table_2(data: Path, tmp_path: Path) -> None:
    work = Work()
    both = order("table2", "table3", protocol="legacy", seeds=1, methods=("pca", "logbert"))
    run(both, find_sources(data / "hdfs"), tmp_path, SILENT, work=work)
    assert sorted(cell.method for cell in work.done) == ["logbert", "logbert-mlkp", "logbert-vhm", "pca"]


def test_what_cannot_be_reproduced_is_named() -> None:
    with pytest.raises(
        OptionError, match="there is no 'table4' to reproduce; there are table1, table2, table3, figure4"
    ):
        order("table4")
    with pytest.raises(OptionError, match="--protocol is legacy, honest or both, not 'fair'"):
        order("table1", protocol="fair")
