"""`logbert reproduce`: find the data, run the study, write it down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from logbert.datasets.places import sets_folder
from logbert.errors import OptionError
from logbert.study import Order, Workers, choose, find_sources, require_plots, run, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logbert.progress import Progress
    from logbert.study.sources import Source


def reproduce_study(
    what: Sequence[str],
    *,
    data: Path | None,
    output: Path,
    protocol: str,
    seeds: int,
    quick: bool,
    detectors: str | None,
    sets: str | None,
    progress: Progress,
) -> None:
    """Run what was asked for and name the files."""
    methods = choose(_names(detectors))
    order = Order.of(what, protocol=protocol, seeds=seeds, methods=methods, quick=quick)
    if any(name.startswith("figure") for name in order.what):
        require_plots()
    folder = sets_folder(data)
    found = find_sources(folder) if data is not None or folder.is_dir() else []
    sources = _chosen(found, _names(sets), folder)
    for source in sources:
        progress.note(f"{source.name}: {', '.join(path.name for path in source.files)}")
    for path in write(run(order, sources, output, progress, work=Workers()), output):
        typer.echo(path)


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def _chosen(sources: Sequence[Source], wanted: Sequence[str], folder: Path) -> list[Source]:
    there = [source.name for source in sources]
    for name in wanted:
        if name not in there:
            raise OptionError(f"there is no data set {name!r} in {folder}; there is {', '.join(there) or 'none'}")
    return [source for source in sources if not wanted or source.name in wanted]
