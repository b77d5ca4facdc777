"""Parquet files of sequences (a list column `keys`), or of records that are to be windowed (a column `event_id`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.errors import InputError
from logbert.sequences.collector import SCHEMA, in_schema

if TYPE_CHECKING:
    from pathlib import Path

    from polars.datatypes import DataType, DataTypeClass

    from logbert.sequences.grouping import Grouping
    from logbert.sequences.tokens import Tokens


def read_parquet(path: Path, file: str, tokens: Tokens, grouping: Grouping) -> pl.DataFrame:
    """Give a frame of sequences whose keys are the numbers of the tokens.

    Parameters
    ----------
    path
        A Parquet file with a list column `keys` (one row a sequence) or a column `event_id` (one row a record).
    file
        What to call the file in errors.
    tokens
        Numbers the names of keys.
    grouping
        How records become sequences.
    """
    try:
        frame = pl.read_parquet(path)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{file} is no Parquet file: {str(error).splitlines()[0]}") from error
    if "keys" in frame.columns:
        return _sequences(frame, file, tokens)
    if "event_id" in frame.columns:
        return _windows(frame, file, tokens, grouping)
    raise InputError(
        f"{file} has neither a list column 'keys' (sequences) nor a column 'event_id' (records); "
        f"it has {', '.join(frame.columns) or 'no columns'}"
    )


def _sequences(frame: pl.DataFrame, file: str, tokens: Tokens) -> pl.DataFrame:
    dtype = frame.schema["keys"]
    if not isinstance(dtype, pl.List) or not _is_name(dtype.inner):
        raise InputError(f"the column 'keys' of {file} must be a list of integers or strings; it is {dtype}")
    nulls = frame["keys"].is_null() | frame["keys"].list.eval(pl.element().is_null()).list.any()
    if nulls.any():
        raise InputError(f"row {(nulls.arg_true()[0]) + 1} of {file} has null keys; give [] for an empty sequence")
    present: list[pl.Expr | pl.Series] = [tokens.encode_lists(frame["keys"]), *_row_names(frame)]
    present += [_whole(frame, name, file) for name in ("lines", "times") if name in frame.columns]
    present += [_moment(frame, name, file) for name in ("start", "end") if name in frame.columns]
    if "label" in frame.columns:
        present.append(_truth(frame, "label", file))
    known = {"sequence", "keys", *(set(SCHEMA) & set(frame.columns))}
    missing = [pl.lit(None, dtype).alias(name) for name, dtype in SCHEMA.items() if name not in known]
    return in_schema(frame.select(*present, *missing))


def _windows(frame: pl.DataFrame, file: str, tokens: Tokens, grouping: Grouping) -> pl.DataFrame:
    if not _is_name(frame.schema["event_id"]):
        raise InputError(f"'event_id' of {file} must hold integers or strings; it holds {frame.schema['event_id']}")
    if frame["event_id"].null_count():
        raise InputError(f"{frame['event_id'].null_count():,} of the {len(frame):,} records of {file} have no event_id")
    events = tokens.encode(frame["event_id"])
    renamed = frame.drop("event_id").with_columns(pl.lit(file).alias("source"))
    if "alert" in frame.columns:
        renamed = renamed.with_columns(_truth(frame, "alert", file).alias("label"))
    elif "label" in frame.columns:
        renamed = renamed.with_columns(_truth(frame, "label", file))
    if "line" not in frame.columns:
        renamed = renamed.with_columns(pl.int_range(1, pl.len() + 1).alias("line"))
    collector = grouping.collector()
    collector.add(renamed, events)
    largest = events.max()
    return collector.finish(np.arange(largest + 1 if isinstance(largest, int) else 0, dtype=np.int32))


def _is_name(dtype: DataTypeClass | DataType) -> bool:
    return dtype.is_integer() or dtype == pl.String or dtype in {pl.Categorical, pl.Enum}


def _row_names(frame: pl.DataFrame) -> list[pl.Expr]:
    """Name a sequence as the file does, else by the number of its row."""
    number = pl.int_range(1, pl.len() + 1).cast(pl.String)
    if "sequence" not in frame.columns:
        return [number.alias("sequence")]
    return [pl.coalesce(pl.col("sequence").cast(pl.String), number).alias("sequence")]


def _whole(frame: pl.DataFrame, name: str, file: str) -> pl.Expr:
    """Take a list column of as many integers (or moments) as there are keys."""
    dtype = frame.schema[name]
    if not isinstance(dtype, pl.List) or not (dtype.inner.is_integer() or isinstance(dtype.inner, pl.Datetime)):
        raise InputError(f"the column {name!r} of {file} must be a list of integers; it is {dtype}")
    if (frame[name].list.len() != frame["keys"].list.len()).any():
        raise InputError(f"the column {name!r} of {file} must have as many entries as 'keys' in every row")
    moments = isinstance(dtype.inner, pl.Datetime)
    return (pl.col(name).cast(pl.List(pl.Datetime("us"))) if moments else pl.col(name)).cast(pl.List(pl.Int64))


def _moment(frame: pl.DataFrame, name: str, file: str) -> pl.Expr:
    dtype = frame.schema[name]
    if not isinstance(dtype, pl.Datetime) and dtype != pl.Null:
        raise InputError(f"the column {name!r} of {file} must hold dates with times; it holds {dtype}")
    return pl.col(name).cast(pl.Datetime("us"))


def _truth(frame: pl.DataFrame, name: str, file: str) -> pl.Expr:
    """Take a column that says whether something is abnormal: true or false, 1 or 0."""
    column = frame[name]
    if column.dtype.is_integer() and column.drop_nulls().is_in([0, 1]).all():
        return pl.col(name).cast(pl.Boolean)
    if column.dtype not in {pl.Boolean, pl.Null}:
        raise InputError(f"the column {name!r} of {file} must hold true and false, or 1 and 0; it holds {column.dtype}")
    return pl.col(name).cast(pl.Boolean)
