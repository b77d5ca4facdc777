"""How far each set is: here, begun, or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logbert.datasets.disk import size
from logbert.datasets.part import part_of
from logbert.datasets.places import is_complete, is_intact, sets_folder
from logbert.datasets.receipt import read_receipt
from logbert.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.datasets.catalogue import Dataset


def state(dataset: Dataset, data: Path | None = None) -> str:
    """Say in a few words whether a set is here; nothing if it is not, and none of it was fetched.

    Parameters
    ----------
    dataset
        An entry of the catalogue.
    data
        The folder that may hold its folder; the cache is looked at, too.
    """
    for folder in dict.fromkeys((sets_folder(data), sets_folder())):
        if found := _state_in(folder, dataset):
            return found
    return ""


def _state_in(folder: Path, dataset: Dataset) -> str:
    home, archive = folder / dataset.name, folder / dataset.archive
    try:
        receipt = read_receipt(home)
    except InputError:
        return "damaged"
    if receipt is not None:
        first = "" if receipt.first is None else f", first {receipt.first:,}"
        return f"here{first}" if is_intact(home, receipt) else "damaged"
    if is_complete(home, dataset):
        return "here, by hand"
    if archive.is_file():
        return "fetched"
    part = part_of(archive)
    return f"{size(part.stat().st_size)} fetched" if part.is_file() else ""
