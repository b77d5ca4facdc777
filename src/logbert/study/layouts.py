"""Finding data sets in a folder, in the layouts people have them in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from logbert.errors import InputError
from logbert.study.paper import DATASETS
from logbert.study.raw_logs import RawLog
from logbert.study.sequence_files import SequenceFiles
from logbert.study.streams import Drift, Near, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from logbert.study.sources import Source

RAW: Final = re.compile(r"^(HDFS|BGL|Thunderbird)([\w-]*)\.log(\.\w+)?$", re.IGNORECASE)
SAMPLE_OF_LOGHUB: Final = "2k"  # two thousand lines from all over a log: too few to learn from
LABELS: Final = "anomaly_label.csv"
PREFIXES: Final = {"hdfs_": "HDFS", "bgl_": "BGL", "tbird_": "Thunderbird", "thunderbird_": "Thunderbird"}
PARTS: Final = ("train", "test_normal", "test_abnormal")


def find_sources(folder: Path) -> list[Source]:
    """Find every data set in a folder and the folders in it.

    Known are raw logs (`HDFS.log` with `anomaly_label.csv`, `BGL.log`, `Thunderbird.log`; compressed or not, `_sample`
    and the like in their names), the sequence files `hdfs_train`, `hdfs_test_normal` and `hdfs_test_abnormal`, and
    Parquet streams of `event_id, alert` that have the name of a set in theirs.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name the one the data sets are in with --data")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not _hidden(path, folder))
    found: dict[str, Source] = {}
    for source in (*_raw_logs(files), *_sequence_files(files), *_streams(files)):
        found.setdefault(source.name, source)
    return sorted(found.values(), key=lambda source: DATASETS.index(source.dataset))


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _dataset(word: str) -> str:
    return next(name for name in DATASETS if name.lower() == word.lower())


def _raw_logs(files: Iterable[Path]) -> Iterator[Source]:
    for path in files:
        match = RAW.match(path.name)
        if match is None or SAMPLE_OF_LOGHUB in match[2]:
            continue
        dataset = _dataset(match[1])
        name = f"{dataset.lower()}{match[2].lower().replace('_', '-')}"
        if dataset != "HDFS":
            yield RawLog(name, dataset, path)
            continue
        labels = [path.parent / LABELS, path.parent / "preprocessed" / LABELS]
        for label in labels:
            if label.is_file():
                yield RawLog(name, dataset, path, label)
                break


def _sequence_files(files: Iterable[Path]) -> Iterator[Source]:
    by_stem = {(path.parent, path.name.partition(".")[0].lower()): path for path in files}
    for parent in sorted({path.parent for path in files}):
        prefixes = dict(PREFIXES)
        own = [name for name in DATASETS if name.lower() in parent.name.lower()]
        if own:
            prefixes[""] = own[0]
        for prefix, dataset in prefixes.items():
            parts = [by_stem.get((parent, prefix + part)) for part in PARTS]
            if all(part is not None for part in parts):
                name = f"{dataset.lower()}-sequences"
                yield SequenceFiles(name, dataset, *parts, _templates(parent, dataset))


def _streams(files: Iterable[Path]) -> Iterator[Source]:
    for path in files:
        where = f"{path.parent.name}/{path.name}".lower()
        named = [name for name in DATASETS if name.lower() in where]
        if path.suffix != ".parquet" or not named or not {"event_id", "alert"} <= _columns(path):
            continue
        dataset = named[0]
        texts = _templates(path.parent, dataset)
        earlier = next(iter(sorted(path.parent.glob(f"{dataset.lower()}_normal_windows*"))), None)
        yield Stream(f"{dataset.lower()}-shuffled", dataset, path, texts)
        yield Near(f"{dataset.lower()}-near", dataset, path, texts, earlier)
        if earlier is not None:
            yield Drift(f"{dataset.lower()}-drift", dataset, path, texts, earlier)


def _columns(path: Path) -> set[str]:
    try:
        return set(pl.read_parquet_schema(path))
    except (OSError, pl.exceptions.PolarsError):
        return set()


def _templates(folder: Path, dataset: str) -> Path | None:
    """Find the file that gives the keys their texts."""
    return next(iter(sorted(folder.glob(f"{dataset.lower()}_templates*.csv"))), None)
