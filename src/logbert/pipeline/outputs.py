"""Verdicts to files: JSON lines, CSV, Parquet; written beside the target and renamed when whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.atomic import whole_file
from logbert.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path

ENDINGS = (".jsonl", ".csv", ".parquet")


def check_ending(path: Path) -> None:
    """Refuse an output name whose ending says no known layout, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"cannot tell what to write to {path}: give a name ending in {', '.join(ENDINGS)}")
    if path.is_dir():
        raise OptionError(f"{path} is a folder; name a file ending in {', '.join(ENDINGS)}")


def write_verdicts(verdicts: pl.DataFrame, path: Path) -> None:
    """Write every verdict, in the layout the name's ending says."""
    check_ending(path)
    with whole_file(path) as partial:
        match path.suffix.lower():
            case ".parquet":
                verdicts.write_parquet(partial)
            case ".csv":
                as_json = pl.col("reasons").map_elements(_json, return_dtype=pl.String, skip_nulls=False)
                verdicts.with_columns(as_json).write_csv(partial, datetime_format="%Y-%m-%dT%H:%M:%S%.6f")
            case _:
                verdicts.write_ndjson(partial)


def _json(reasons: pl.Series | None) -> str:
    """Write one verdict's reasons as a JSON array, for a layout that has no lists."""
    if reasons is None or not len(reasons):
        return "[]"
    return "[" + ",".join(pl.DataFrame({"reason": reasons})["reason"].struct.json_encode().to_list()) + "]"
