"""Running a study: find the data, deal the exams, work out the cells that are not there yet."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from logbert.study.cells import EDITION, Cell, CellStore, work_apart
from logbert.study.exams import facts_of
from logbert.study.paper import DATASETS
from logbert.study.plan import Order, cells
from logbert.study.provenance import commit, provenance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logbert.progress import Progress
    from logbert.study.cells import Record, Work
    from logbert.study.sources import Source

Results = dict[str, Any]
CELLS: Final = "cells"
EXAMS: Final = "exams"


def run(
    order: Order, sources: Sequence[Source], folder: Path, progress: Progress, *, work: Work = work_apart
) -> Results:
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
        Works a cell out, given the folder of its exam.
    """
    store, known = CellStore(folder / CELLS), {source.name: source for source in sources}
    records = []
    todo = list(cells(order, sources))
    with progress.step("cells", total=len(todo), unit="cells") as bar:
        for cell, following in zip(todo, [*todo[1:], None], strict=True):
            source = known[cell.source]
            key = cell.key(source.checksum)
            record = store.get(key)
            if record is None:
                record = _work_out(cell, source, folder / EXAMS, progress, work)
                if "error" in record:
                    progress.note(f"{_name(cell)}: {record['error']}")
                else:
                    store.put(key, record)
            records.append(asdict(cell) | {"key": key} | record)
            bar.advance(1)
            if following is None or following.source != cell.source:
                source.forget()
    shutil.rmtree(folder / EXAMS, ignore_errors=True)
    return {
        **provenance(),
        "order": asdict(order),
        "sources": [_described(source) for source in sources],
        "missing": [name for name in DATASETS if name not in {source.dataset for source in sources}],
        "cells": records,
    }


def _work_out(cell: Cell, source: Source, exams: Path, progress: Progress, work: Work) -> Record:
    exam, facts = _exam(cell, source, exams, progress)
    made = {"commit": commit(), "made": datetime.now(UTC).isoformat(timespec="seconds")}
    if cell.work == "count":
        return {"facts": facts, **made}
    with progress.step(_name(cell)) as step:
        record = work(cell, exam)
        step.advance(1)
    return record | made


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


def _described(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "dataset": source.dataset,
        "files": [path.name for path in source.files],
        "sha256": source.checksum,
        "protocols": {protocol: source.describe(protocol) for protocol in source.protocols},
    }
