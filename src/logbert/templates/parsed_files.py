"""Every record with its template and parameters, written in loghub's layout or as Parquet."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from logbert.alike import ALIKE
from logbert.atomic import telling, whole_file
from logbert.errors import InputError, OptionError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logbert.templates.templates import Templates

_RENAMED = {"message": "Content", "level": "Level"}
_LAST = ["Content", "EventId", "EventTemplate", "ParameterList"]
_ESCAPES = [("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\x00")]


@dataclass(frozen=True)
class Parsed:
    """What was written.

    Parameters
    ----------
    records
        How many rows, one a record.
    templates
        How many different templates they have.
    paths
        The files.
    """

    records: int
    templates: int
    paths: list[Path]


def write_parsed(frames: Iterable[pl.DataFrame], templates: Templates, out: Path) -> Parsed:
    """Write the template and parameters of every record, in order.

    Frames are read once and kept, packed, beside the output until all are seen, for only then templates are known;
    memory holds one frame at a time. Templates that have learnt before are followed, others learn from these records.

    Parameters
    ----------
    frames
        Records, as the lines room gives them, with `ALIKE` or without.
    templates
        What codes and keys come from.
    out
        `X.csv` gives loghub's `X_structured.csv` and `X_templates.csv`; `X.parquet` one file, parameters as lists.
    """
    if out.suffix.lower() not in {".csv", ".parquet"}:
        raise OptionError(f"{out}: parsed records are written as .csv or .parquet; name the output so")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        spool = tempfile.TemporaryDirectory(prefix=f".{out.name}.", suffix=".records", dir=out.parent)
    except OSError as error:
        raise OutputError(f"cannot write in {out.parent}: {error.strerror}") from error
    with spool:
        records = _Records(frames, templates, Path(spool.name))
        if not records.count:
            raise InputError("there are no records to parse; see that the inputs are logs and not empty")
        return _write_csv(records, out) if out.suffix.lower() == ".csv" else _write_parquet(records, out)


class _Records:
    """Records laid by until their templates are settled; then given out with them, frame by frame."""

    def __init__(self, frames: Iterable[pl.DataFrame], templates: Templates, spool: Path) -> None:
        self.spool = spool
        self.count = 0
        self._templates = templates
        self._parts: list[Path] = []
        self._columns: dict[str, pl.DataType] = {}
        sources: set[str] = set()
        for frame in frames:
            self._lay_by(frame)
            if len(sources) < 2 and "source" in frame.columns:
                sources |= set(frame["source"].unique().to_list())
        if templates.learnt:
            templates.follow()
        else:
            templates.learn()
        self.header = _header(list(self._columns), several=len(sources) > 1)
        self._events = pl.DataFrame(
            {
                "key": templates.table["key"],
                "EventId": templates.event_ids,
                "EventTemplate": templates.table["template"],
            }
        )
        self._tally = pl.DataFrame(schema={"key": pl.Int32, "Occurrences": pl.UInt32})

    def __iter__(self) -> Iterator[pl.DataFrame]:
        row = 0
        for part in self._parts:
            frame = pl.read_ipc(part)
            yield self._with_templates(frame, row)
            row += frame.height

    def occurrences(self) -> pl.DataFrame:
        """Give the templates of the records given out so far, by first key, with their number of records."""
        found = self._events.join(self._tally.group_by("key").agg(pl.col("Occurrences").sum()), on="key")
        by_event = found.sort("key").group_by("EventId", "EventTemplate", maintain_order=True)
        return by_event.agg(pl.col("Occurrences").sum())

    def _lay_by(self, frame: pl.DataFrame) -> None:
        alike = frame[ALIKE] if ALIKE in frame.columns else None
        codes = self._templates.encode(frame["message"], alike).alias("__code")
        frame = frame.drop(ALIKE, strict=False)
        part = self.spool / f"{len(self._parts)}.arrow"
        with telling(self.spool.parent):
            frame.with_columns(codes).write_ipc(part, compression="zstd")
        self._parts.append(part)
        self._columns |= {name: dtype for name, dtype in frame.schema.items() if name not in self._columns}
        self.count += frame.height

    def _with_templates(self, frame: pl.DataFrame, row: int) -> pl.DataFrame:
        keys = self._templates.keys(frame["__code"])
        counted = keys.to_frame().group_by("key").len("Occurrences").cast({"Occurrences": pl.UInt32})
        self._tally = pl.concat([self._tally, counted]).group_by("key").agg(pl.col("Occurrences").sum())
        missing = [
            pl.lit(None, dtype).alias(name) for name, dtype in self._columns.items() if name not in frame.columns
        ]
        return (
            frame.with_columns(
                keys, self._templates.parameters(frame["message"], keys).alias("ParameterList"), *missing
            )
            .join(self._events, on="key", how="left", maintain_order="left")
            .with_row_index("LineId", offset=row + 1)
            .rename(_RENAMED, strict=False)
            .select("LineId", *self.header, *_LAST)
        )


def _header(columns: list[str], *, several: bool) -> list[str]:
    """Choose the header fields: all as the format names them, without what only repeats them."""
    fields = [_RENAMED.get(name, name) for name in columns if name not in {"line", "message"}]
    if not several:
        fields = [name for name in fields if name != "source"]
    if "Label" in fields:
        fields = [name for name in fields if name != "label"]
    if any(word in name.lower() for name in fields if name != "timestamp" for word in ("time", "date")):
        fields = [name for name in fields if name != "timestamp"]
    return fields


def _write_csv(records: _Records, out: Path) -> Parsed:
    stem = out.with_suffix("")
    structured, listed = stem.with_name(f"{stem.name}_structured.csv"), stem.with_name(f"{stem.name}_templates.csv")
    with whole_file(structured) as partial, whole_file(listed) as partial_list:
        with partial.open("wb") as file:
            for number, frame in enumerate(records):
                text = python_list(frame["ParameterList"]).alias("ParameterList")
                frame.with_columns(text).write_csv(file, include_header=number == 0)
        occurrences = records.occurrences()
        occurrences.write_csv(partial_list)
    return Parsed(records.count, occurrences.height, [structured, listed])


def _write_parquet(records: _Records, out: Path) -> Parsed:
    parts: list[Path] = []
    for frame in records:
        parts.append(records.spool / f"{len(parts)}.parquet")
        frame.write_parquet(parts[-1], compression="lz4")
    with whole_file(out) as partial:
        pl.scan_parquet(parts).sink_parquet(partial, compression="zstd")
    return Parsed(records.count, records.occurrences().height, [out])


def python_list(lists: pl.Series) -> pl.Series:
    r"""Write lists of texts as Python writes them.

    Parameters
    ----------
    lists
        List(String).

    Examples
    --------
    >>> python_list(pl.Series([["a", "it's"], []], dtype=pl.List(pl.String))).to_list()
    ["['a', 'it\\'s']", '[]']
    """
    escaped = pl.element()
    for character, escape in _ESCAPES:
        escaped = escaped.str.replace_all(character, escape, literal=True)
    joined = pl.col("lists").list.eval(escaped).list.join("', '")
    text = pl.when(pl.col("lists").list.len() == 0).then(pl.lit("[]")).otherwise("['" + joined + "']")
    return pl.DataFrame({"lists": lists}).select(text.alias("lists")).to_series()
