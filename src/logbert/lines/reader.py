"""Open logs and read them as records: frames of bounded size, in an order that the order of inputs does not change."""

from __future__ import annotations

import shutil
import tempfile
from bisect import bisect_left
from pathlib import Path
from typing import TYPE_CHECKING, Self

import polars as pl

from logbert.alike import ALIKE
from logbert.errors import InputError
from logbert.lines.batches import BatchReader, is_long
from logbert.lines.blocks import ahead, read_lines
from logbert.lines.choice import choose_formats
from logbert.lines.clocks import BY_NAME, Turns
from logbert.lines.continuations import MOST_LINES
from logbert.lines.layout import ALWAYS, constant
from logbert.lines.opening import is_stream, keep_stream, refuse_nothing, sample_sources
from logbert.lines.order import Opened, in_order
from logbert.lines.records import Joiner
from logbert.lines.sources import describe_skipped, find_sources
from logbert.lines.streams import Intake
from logbert.lines.summary import ReadSummary
from logbert.lines.text import Repairs
from logbert.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from logbert.lines.batches import Batch
    from logbert.lines.format import Format
    from logbert.lines.sources import Skipped
    from logbert.progress import Progress

BATCHES = 3  # of messages that are given out together: every call of Polars costs as much as hundreds of lines
LEAST_LINE = 16  # bytes that a record takes beside its message
BATCH_BYTES = 1 << 22  # about 30,000 lines; more is slower, for the memory must be fetched anew for each batch


class RecordReader:
    """The records of some logs; made by `open_records`.

    Iterating gives frames of records in canonical order, and can be done again. Use it as a context manager, or call
    `close`, to remove what standard input was kept in.

    Attributes
    ----------
    format
        The format of the records, or of most of them.
    sources
        The names of the files, in the order in which they are read.
    summary
        What the latest pass has read so far.
    """

    def __init__(
        self,
        opened: list[Opened],
        format: Format,  # noqa: A002 (the word users know)
        *,
        skipped: list[Skipped],
        batch_bytes: int,
        progress: Progress,
        spool: Path | None,
        compare: bool,
    ) -> None:
        self.format = format
        self.sources = [one.source.name for one in opened]
        self.summary = ReadSummary(skipped=skipped)
        self._opened = opened
        self._skipped = skipped
        self._batch_bytes = batch_bytes
        self._progress = progress
        self._spool = spool
        self._counts: list[int | None] = [None] * len(opened)
        self._columns: frozenset[str] | None = None
        self._compare = compare
        self._batches = BatchReader(batch_bytes, compare)

    def __enter__(self) -> Self:
        """Give the reader itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the reader."""
        self.close()

    def close(self) -> None:
        """Remove what standard input was kept in."""
        if self._spool:
            shutil.rmtree(self._spool, ignore_errors=True)

    def only(self, columns: Iterable[str]) -> None:
        """Leave out all other columns but `line`, `source`, `timestamp` and `message` from here on."""
        self._columns = frozenset(columns)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Read all records, in frames of bounded size."""
        held: list[pl.DataFrame] = []
        size = 0
        for frame in self._frames():
            self.summary.records += len(frame)
            if held and held[0].columns != frame.columns:  # `only` was called
                yield pl.concat(held, rechunk=True)
                held, size = [], 0
            held.append(frame)
            size += len(frame) * LEAST_LINE + int(frame["message"].str.len_bytes().sum())
            if size >= BATCHES * self._batch_bytes:
                yield pl.concat(held, rechunk=True)
                held, size = [], 0
        if held:
            yield pl.concat(held, rechunk=True)

    def _frames(self) -> Iterator[pl.DataFrame]:
        """Read all sources, in frames as they come: some of a single record."""
        self.summary = ReadSummary(skipped=self._skipped)
        line = 1
        total = sum(one.source.size for one in self._opened)
        with self._progress.step("reading", total=total, unit="B") as step:
            for number, one in enumerate(self._opened):
                self.summary.sources += 1
                start = line
                records = self._records(one, start, step.advance)
                yield from ahead(records) if is_long(one) else records
                line = self.summary.lines + 1
                self._counts[number] = line - start

    def _records(self, one: Opened, start: int, advanced: Callable[[int], None]) -> Iterator[pl.DataFrame]:
        """Read the records of one source."""
        intake = Intake(advanced=advanced)
        repairs = Repairs()
        joiner = Joiner()
        clock = BY_NAME.get(one.format.clock)
        turns = Turns(clock.turns, turned=one.turned) if clock and clock.turns and not one.format.wrapper else None
        summary = self.summary
        try:
            for batch in self._batches.read(one, intake, repairs, lambda: self._columns):
                numbered = self._number(batch, start, one.source.name)
                if turns:
                    numbered = numbered.with_columns(turns.follow(numbered["timestamp"]))
                self._count_rows(batch)
                absent = None if batch.plain else batch.blank | batch.rows.inside
                if absent is not None and absent.any():
                    records = joiner.add(numbered.filter(~absent), batch.begin.filter(~absent))
                else:
                    records = joiner.add(numbered, batch.begin)
                if len(records):
                    yield self._shape(records)
            last = joiner.finish()
            if last is not None:
                yield self._shape(last)
        finally:
            summary.continuation += joiner.joined.continuation
            summary.clipped += joiner.joined.clipped
            summary.invalid += repairs.invalid
            summary.colours += repairs.colours
            summary.nuls += intake.nuls
            summary.cut += intake.cut

    @staticmethod
    def _number(batch: Batch, start: int, source: str) -> pl.DataFrame:
        first = start + batch.first
        line = pl.int_range(first, first + len(batch.lines), eager=True).alias("line")
        name = constant(source, len(batch.lines), pl.String).alias("source")
        return pl.DataFrame([line, name, *batch.rows.table])

    def _count_rows(self, batch: Batch) -> None:
        summary, rows = self.summary, batch.rows
        summary.lines += len(batch.lines)
        if batch.plain:
            return
        summary.blank += int((batch.blank & ~rows.inside).sum())
        summary.undated += int((~rows.dated).sum())
        summary.unmatched += int((~rows.fits & batch.begin & ~batch.blank).sum())
        summary.partial += int(rows.partial.sum())
        summary.continuation += int(rows.inside.sum())

    def _shape(self, records: pl.DataFrame) -> pl.DataFrame:
        """Give records the columns that all frames of this reader have."""
        schema = self._schema
        if records.columns == list(schema):
            return records
        missing = [pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in records.columns]
        return records.with_columns(missing).select(list(schema))

    @property
    def _schema(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        own = {"line": pl.Int64, "source": pl.String, **self.format.columns}
        if self._columns is not None:
            own = {name: kind for name, kind in own.items() if name in self._columns | ALWAYS}
        return {**own, ALIKE: pl.UInt64} if self._compare else own

    def texts(self, lines: Iterable[int]) -> pl.DataFrame:
        """Give the original text of the records that begin at these lines.

        Parameters
        ----------
        lines
            Numbers as in the column `line`. A number at which no record begins gives that line alone.

        Returns
        -------
        DataFrame
            Columns `line`, `source`, `number` (of the line in its source) and `text` (with its continuation lines).
        """
        wanted = sorted(set(lines))
        found: list[tuple[int, str, int, str]] = []
        start = 1
        for position, one in enumerate(self._opened):
            count = self._counts[position]
            if not wanted or wanted[-1] < start:
                break
            if count is not None and not any(start <= line < start + count for line in wanted):
                start += count
                continue
            own = [line - start for line in wanted if line >= start]
            found += [(start + at, one.source.name, at + 1, text) for at, text in self._texts_of(one, own)]
            if count is None:
                count = self._counts[position] = self._count(one)
            start += count
        schema = {"line": pl.Int64, "source": pl.String, "number": pl.Int64, "text": pl.String}
        return pl.DataFrame(found, schema=schema, orient="row")

    def _count(self, one: Opened) -> int:
        blocks = read_lines(one.source, self._batch_bytes, Intake(), Repairs(), seed=None)
        return sum(len(lines.text) for lines in blocks)

    def _texts_of(self, one: Opened, wanted: list[int]) -> Iterator[tuple[int, str]]:
        """Find the texts of the records of one source; `wanted` counts its lines from 0."""
        kept: dict[int, list[str]] = {at: [] for at in wanted}
        last = -1
        batches = self._batches.read(one, Intake(), Repairs(), tuple)
        for batch in ahead(batches) if is_long(one) else batches:
            end = batch.first + len(batch.lines)
            own = wanted[bisect_left(wanted, batch.first) : bisect_left(wanted, end)]
            if batch.plain:
                for at in own:
                    kept[at].append(batch.lines[at - batch.first])
                last = end - 1
            else:
                last = self._keep_lines(batch, own, last, kept)
            if not wanted or last > wanted[-1]:
                break
        yield from ((at, "\n".join(lines[: MOST_LINES + 1])) for at, lines in kept.items() if lines)

    @staticmethod
    def _keep_lines(batch: Batch, own: list[int], last: int, kept: dict[int, list[str]]) -> int:
        """Keep what belongs to the records wanted; give where the batch's last record begins."""
        at = pl.int_range(batch.first, batch.first + len(batch.lines), eager=True).alias("at")
        rows = pl.DataFrame([at, batch.begin.alias("begin"), batch.lines.alias("text")]).filter(~batch.blank)
        rows = rows.with_columns(owner=pl.when("begin").then("at").forward_fill().fill_null(last))
        asked = [*own, last] if last in kept else own
        if asked:
            nth = pl.int_range(pl.len()).over("owner")
            whole = rows.filter(pl.col("owner").is_in(asked)).filter(nth <= MOST_LINES)
            alone = rows.filter(pl.col("at").is_in(own) & ~pl.col("begin")).with_columns(owner="at")
            for owner, text in pl.concat([whole, alone]).select("owner", "text").iter_rows():
                kept[owner].append(text)
        return int(rows["owner"][-1]) if len(rows) else last


def open_records(
    inputs: Sequence[str | Path],
    format: str | Format = "auto",  # noqa: A002 (the word users know)
    *,
    batch_bytes: int | None = None,
    progress: Progress = SILENT,
    compare: bool = False,
) -> RecordReader:
    r"""Open files, folders, globs or standard input (`-`) as records.

    Parameters
    ----------
    inputs
        What to read; the order does not matter.
    format
        `auto`, the name of a preset, a loghub format string, or a `Format`.
    batch_bytes
        About how much text a frame is made from (4 MiB). It bounds the memory and changes nothing else.
    progress
        Who is told what was decided and how far reading has come.
    compare
        Whether frames have the column `ALIKE`: a hash that is equal where lines differ in nothing but their digits.

    Raises
    ------
    InputError
        If something cannot be read, holds nothing, or no record fits a format that was given.
    OptionError
        If the format is none.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "app.log"
    >>> _ = path.write_text("2024-05-01 10:00:00 INFO app: up\n2024-05-01 10:00:01 ERROR app: down\n  at main()\n")
    >>> with open_records([path]) as reader:
    ...     frame = pl.concat(reader)
    >>> frame["message"].to_list()
    ['up', 'down\n  at main()']
    >>> reader.format.name, reader.summary.continuation
    ('generic', 1)
    """
    spool: Path | None = None
    inputs = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    if not inputs:
        raise InputError("no input was given; name files, folders or globs, or - for standard input")
    streams = [given for given in inputs if is_stream(given)]
    files = [given for given in inputs if not is_stream(given)]
    sources, skipped = find_sources(files)
    if streams:
        spool = Path(tempfile.mkdtemp(prefix="logbert-"))
        sources += [keep_stream(str(given), spool / str(number)) for number, given in enumerate(dict.fromkeys(streams))]
    try:
        samples, unread = sample_sources(sources)
        skipped = sorted([*skipped, *unread], key=lambda one: one.name)
        if not samples:
            refuse_nothing([str(given) for given in inputs], skipped)
        whole, own = choose_formats(samples, format)
        opened = in_order([(source, lines, own[source.name]) for source, lines in samples])
        if skipped:
            progress.note(describe_skipped(skipped))
        progress.note(f"format: {whole}")
        return RecordReader(
            opened,
            whole,
            skipped=skipped,
            batch_bytes=batch_bytes or BATCH_BYTES,
            progress=progress,
            spool=spool,
            compare=compare,
        )
    except BaseException:
        if spool:
            shutil.rmtree(spool, ignore_errors=True)
        raise
