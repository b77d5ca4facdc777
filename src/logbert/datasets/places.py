"""Where data sets lie: in the platform's cache folder, or below a folder that was named."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logbert.datasets.catalogue import dataset_named
from logbert.datasets.receipt import read_receipt
from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from logbert.datasets.catalogue import Dataset
    from logbert.datasets.receipt import Receipt

CACHE_VARIABLE = "LOGBERT_CACHE"


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Give the folder for what can be fetched again: `LOGBERT_CACHE`, or the platform's own.

    Examples
    --------
    >>> cache_folder({"XDG_CACHE_HOME": "/var/tmp/cache"}, "linux").as_posix()
    '/var/tmp/cache/logbert'
    >>> cache_folder({"LOGBERT_CACHE": "/big/disk"}, "linux").as_posix()
    '/big/disk'
    """
    if named := environment.get(CACHE_VARIABLE):
        return Path(named).expanduser()
    if platform == "win32":
        local = environment.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "logbert" / "Cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "logbert"
    shared = environment.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is invalid and to be ignored.
    return (Path(shared) if Path(shared).is_absolute() else Path.home() / ".cache") / "logbert"


def sets_folder(data: Path | None = None) -> Path:
    """Give the folder that holds a folder a set: the one named, or the cache's."""
    return cache_folder() / "datasets" if data is None else data


def find(name: str, data: Path | None = None) -> Path | None:
    """Give the folder in which a set lies, whole, or as many of its first lines as the paper used.

    Looks in `data/NAME` and then in the cache. A set put there by hand counts if its logs and labels are there.

    Parameters
    ----------
    name
        A name of the catalogue, such as `HDFS_v1`, `BGL` or `Thunderbird`.
    data
        A folder that may hold a folder of that name.

    Returns
    -------
    Path or None
        `None` if it is not there; `how_to_get` says what to do then.

    Raises
    ------
    OptionError
        If no set has this name.
    """
    dataset = dataset_named(name)
    for folder in dict.fromkeys((sets_folder(data), sets_folder())):
        if is_complete(folder / dataset.name, dataset):
            return folder / dataset.name
    return None


def how_to_get(name: str, data: Path | None = None) -> str:
    """Give the command that fetches a set, to where `find` with the same `data` finds it.

    Examples
    --------
    >>> how_to_get("hdfs_v1")
    'logbert datasets get HDFS_v1'
    >>> how_to_get("BGL", Path("my data"))
    "logbert datasets get BGL -o 'my data'"
    """
    command = f"logbert datasets get {dataset_named(name).name}"
    return command if data is None else f"{command} -o {shlex.quote(str(data))}"


def how_to_evaluate(dataset: Dataset, folder: Path) -> str:
    """Give the command that evaluates on a set that lies in a folder; nothing if there is none."""
    logs = logs_in(folder, dataset)
    log = shlex.quote(str(logs[0])) if logs else ""
    return dataset.evaluate.format(folder=shlex.quote(str(folder)), log=log)


def is_complete(folder: Path, dataset: Dataset) -> bool:
    """Tell whether a set lies in a folder, with as many lines as it is studied with; looks at names and sizes only."""
    try:
        receipt = read_receipt(folder)
    except InputError:
        return False
    if receipt is None:
        wanted = [*dataset.logs, *([dataset.labels.file] if dataset.labels and dataset.labels.file else [])]
        return all(any(path.is_file() for path in folder.glob(pattern)) for pattern in wanted)
    enough = receipt.first is None or (dataset.first is not None and receipt.first >= dataset.first)
    return enough and is_intact(folder, receipt)


def is_intact(folder: Path, receipt: Receipt) -> bool:
    """Tell whether every file of a receipt is there with its size."""
    sizes = ((folder / file.path, file.bytes) for file in receipt.files)
    return all(path.is_file() and path.stat().st_size == size for path, size in sizes)


def logs_in(folder: Path, dataset: Dataset) -> list[Path]:
    """Give the logs of a set, in order of their paths."""
    found = {path for pattern in dataset.logs for path in folder.glob(pattern) if path.is_file()}
    return sorted(found)
