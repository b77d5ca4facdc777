"""Running a study: find the data, deal the exams, work out the cells that are not there yet."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from logbert.datasets.places import how_to_get
from logbert.study.cells import EDITION, Cell, CellStore
from logbert.study.exams import facts_of
from logbert.study.paper import DATASETS
from logbert.study.plan import Order, cells
from logbert.study.provenance import commit, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from logbert.progress import Progress
    from logbert.study.cells import Record, Work
    from logbert.study.sources import Source

Results = dict[str, Any]
CELLS: Final = "cells"
EXAMS: Final = "exams"
MOST_AT_ONCE: Final = 4  # cells; each may hold a gigabyte
IN_THE_CATALOGUE: Final = {"HDFS": "HDFS_v1", "BGL": "BGL", "Thunderbird": "Thunderbird"}


def run(order: Order, sources: Sequence[Source], folder: Path, progress: Progress, *, work: Work) -> Results:
    """Work out every cell that is asked for; those that `folder` holds already are taken from there.

    Parameters
    ----------
    order
        What is asked for.
    sources
        The data sets.
    folder
        Where finished cells are kept. An interruption loses no finished one.
    progress
        Who is told how it goes.
    work
        Works cells out.
    """
    records: list[Record] = []
    todo = {source: list(cells(order, [source])) for source in sources}
    try:
        for source, own in todo.items():
            done = _of_source(source, own, folder, progress, work)
            records += [asdict(cell) | done[cell.key(source.checksum)] for cell in own]
    except KeyboardInterrupt:
        work.stop()
        progress.note(f"finished cells are in {folder}; the same command goes on from there")
        raise
    return {
        **provenance(),
        "order": asdict(order),
        "sources": [_described(source) for source in sources],
        "missing": _missing({source.dataset for source in sources}),
        "cells": records,
    }


def _of_source(source: Source, todo: Sequence[Cell], folder: Path, progress: Progress, work: Work) -> dict[str, Record]:
    """Give the records of a data set's cells by their keys: deal the exams first, then work out what is not there."""
    store = CellStore(folder / CELLS)
    done: dict[str, Record] = {}
    exams: dict[str, tuple[Cell, Path]] = {}
    for cell in todo:
        key = cell.key(source.checksum)
        record = store.get(key)
        if record is None:
            exam, facts = _exam(cell, source, folder / EXAMS, progress)
            if cell.work == "count":
                record = _signed(key, {"facts": facts})
                store.put(key, record)
            else:
                exams[key] = (cell, exam)
        if record is not None:
            done[key] = record
    source.forget()
    with progress.step(f"{source.name}, cells", total=len(todo), unit="cells") as bar:
        bar.advance(len(done))
        for key, found in _together(exams, work):
            done[key] = _signed(key, found)
            if "error" in found:
                progress.note(f"{_name(exams[key][0])}: {found['error']}")
            else:
                store.put(key, done[key])
            bar.advance(1, last=_name(exams[key][0]))
    shutil.rmtree(folder / EXAMS, ignore_errors=True)
    return done


def _together(exams: dict[str, tuple[Cell, Path]], work: Work) -> Iterator[tuple[str, Record]]:
    """Work cells out, as many at a time as there are cores."""
    pool = ThreadPoolExecutor(max_workers=min(os.cpu_count() or 1, MOST_AT_ONCE))
    try:
        futures = {pool.submit(work, cell, exam): key for key, (cell, exam) in exams.items()}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _signed(key: str, record: Record) -> Record:
    return record | {"key": key, "commit": commit(), "made": datetime.now(UTC).isoformat(timespec="seconds")}


def _exam(cell: Cell, source: Source, exams: Path, progress: Progress) -> tuple[Path, dict[str, int]]:
    """Deal the split a cell needs, or find it dealt already."""
    seed = source.split_seed(cell.protocol, cell.seed)
    named = [source.checksum, source.name, cell.protocol, seed, cell.quick, EDITION]
    folder = exams / hashlib.sha256(json.dumps(named).encode()).hexdigest()[:20]
    if not (folder / "exam.json").is_file():
        exam = source.deal(cell.protocol, seed, progress)
        (exam.tenth(seed) if cell.quick else exam).save(folder)
    return folder, facts_of(folder)


def _name(cell: Cell) -> str:
    return f"{cell.source}, {cell.protocol}, {cell.method or cell.work}, seed {cell.seed}"


def _missing(found: set[str]) -> dict[str, str]:
    """Say of each data set of the paper that is not there how to get it."""
    return {name: how_to_get(IN_THE_CATALOGUE[name]) for name in DATASETS if name not in found}


def _described(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "dataset": source.dataset,
        "files": [path.name for path in source.files],
        "sha256": source.checksum,
        "protocols": {protocol: source.describe(protocol) for protocol in source.protocols},
    }
