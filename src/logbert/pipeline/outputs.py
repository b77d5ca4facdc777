"""Verdicts to files: JSON lines, CSV, Parquet; written beside the target and renamed when whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.atomic import whole_file

if TYPE_CHECKING:
    from pathlib import Path


def write_verdicts(verdicts: pl.DataFrame, path: Path) -> None:
    """Write every verdict, in the layout the name's ending says."""
    with whole_file(path) as partial:
        match path.suffix.lower():
            case ".parquet":
                verdicts.write_parquet(partial)
            case ".csv":
                as_json = pl.col("reasons").map_elements(_json, return_dtype=pl.String, skip_nulls=False)
                with_times_as_text(verdicts).with_columns(as_json).write_csv(partial)
            case _:
                with_times_as_text(verdicts).write_ndjson(partial)


def with_times_as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Write `start` and `end` as ISO 8601, for layouts that have no times."""
    return frame.with_columns(pl.col("start", "end").dt.strftime("%Y-%m-%dT%H:%M:%S%.6f"))


def _json(reasons: pl.Series | None) -> str:
    """Write one verdict's reasons as a JSON array, for a layout that has no lists."""
    if reasons is None or not len(reasons):
        return "[]"
    return "[" + ",".join(pl.DataFrame({"reason": reasons})["reason"].struct.json_encode().to_list()) + "]"
