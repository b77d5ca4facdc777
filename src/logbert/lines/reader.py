"""Open logs and read them as records: frames of bounded size, in an order that does not depend on how they were named."""

from __future__ import annotations

import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import polars as pl

from logbert.errors import InputError
from logbert.lines.choice import choose_formats
from logbert.lines.clocks import BY_NAME, Turns
from logbert.lines.continuations import MOST_LINES, begins
from logbert.lines.format import Format
from logbert.lines.layout import Rows, constant
from logbert.lines.order import Opened, in_order
from logbert.lines.records import Joiner
from logbert.lines.sources import STDIN, Skipped, Source, describe_skipped, find_sources
from logbert.lines.streams import Intake, NotTextError, read_blocks
from logbert.lines.text import Repairs, to_lines
from logbert.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

    from logbert.progress import Progress

BATCH_BYTES = 1 << 23  # about 60,000 lines
SAMPLE_BYTES = 1 << 18
SAMPLE_LINES = 2_000


@dataclass
class ReadSummary:
    """What was read, and what was done to it: nothing is dropped without being counted here.

    Attributes
    ----------
    sources
        Files read.
    lines
        Lines in them.
    records
        Records they made.
    blank
        Empty lines, which belong to no record.
    continuation
        Lines joined to the record before them.
    clipped
        Those among them that no longer fitted in the record's message.
    unmatched
        Records that do not fit the format and have the whole line as their message.
    partial
        Records that begin as the format does, up to the time at least, and go on otherwise.
    undated
        Records that fit, but whose time is none.
    invalid
        Places that were not UTF-8 and are replacement characters now.
    nuls
        NUL bytes taken out or made visible.
    colours
        Terminal colour codes taken out.
    cut
        Lines cut because they were longer than 128 MiB.
    skipped
        Files and folders found and not read.
    """

    sources: int = 0
    lines: int = 0
    records: int = 0
    blank: int = 0
    continuation: int = 0
    clipped: int = 0
    unmatched: int = 0
    partial: int = 0
    undated: int = 0
    invalid: int = 0
    nuls: int = 0
    colours: int = 0
    cut: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def __str__(self) -> str:
        """Say what was read and what was unusual about it, in one line."""
        said = [
            f"{self.records:,} records from {self.lines:,} lines of {self.sources:,} source{'s' * (self.sources != 1)}"
        ]
        for count, what in (
            (self.continuation, "lines joined to the record before"),
            (self.clipped, "of them beyond what a message keeps"),
            (self.blank, "empty lines skipped"),
            (self.unmatched, "records do not fit the format and were taken whole"),
            (self.partial, "records fit only the beginning of the format"),
            (self.undated, "records have an unreadable time"),
            (self.invalid, "invalid bytes replaced"),
            (self.nuls, "NUL bytes replaced"),
            (self.colours, "colour codes removed"),
            (self.cut, "overlong lines cut"),
        ):
            if count:
                said.append(f"{count:,} {what}")
        if self.skipped:
            said.append(describe_skipped(self.skipped))
        return "; ".join(said)


@dataclass(frozen=True)
class _Batch:
    """Lines of one source taken apart.

    Attributes
    ----------
    first
        How many lines of the source came before.
    lines
        The text of the lines.
    rows
        What the format read.
    begin
        Which of the lines begin a record.
    blank
        Which of them are empty and belong to none.
    """

    first: int
    lines: pl.Series
    rows: Rows
    begin: pl.Series
    blank: pl.Series


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
        skipped: list[Skipped],
        batch_bytes: int,
        progress: Progress,
        spool: Path | None,
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
        self._schema = {"line": pl.Int64, "source": pl.String, **format.columns}

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

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """Read all records, in frames of bounded size."""
        self.summary = ReadSummary(skipped=self._skipped)
        line = 1
        total = sum(one.source.size for one in self._opened)
        with self._progress.step("reading", total=total, unit="B") as step:
            for number, one in enumerate(self._opened):
                self.summary.sources += 1
                start = line
                for frame in self._records(one, start, step.advance):
                    self.summary.records += len(frame)
                    yield frame
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
            for batch in self._batches(one, intake, repairs):
                numbered = self._number(batch, start, one.source.name)
                if turns:
                    numbered = numbered.with_columns(turns.follow(numbered["timestamp"]))
                self._count_rows(batch)
                absent = batch.blank | batch.rows.inside
                if absent.any():
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
    def _number(batch: _Batch, start: int, source: str) -> pl.DataFrame:
        first = start + batch.first
        line = pl.int_range(first, first + len(batch.lines), eager=True).alias("line")
        name = constant(source, len(batch.lines), pl.String).alias("source")
        return pl.DataFrame([line, name, *batch.rows.table])

    def _count_rows(self, batch: _Batch) -> None:
        summary, rows = self.summary, batch.rows
        summary.lines += len(batch.lines)
        summary.blank += int((batch.blank & ~rows.inside).sum())
        summary.undated += int((~rows.dated).sum())
        summary.unmatched += int((~rows.fits & batch.begin & ~batch.blank).sum())
        summary.partial += int(rows.partial.sum())
        summary.continuation += int(rows.inside.sum())

    def _shape(self, records: pl.DataFrame) -> pl.DataFrame:
        """Give records the columns that all frames of this reader have."""
        if records.columns == list(self._schema):
            return records
        missing = [pl.lit(None, kind).alias(name) for name, kind in self._schema.items() if name not in records.columns]
        return records.with_columns(missing).select(list(self._schema))

    def _batches(self, one: Opened, intake: Intake, repairs: Repairs) -> Iterator[_Batch]:
        """Read one source as lines taken apart, with `BEGINS`; blank lines are in `lines` only."""
        first = 0
        begun = False
        held: pl.Series | None = None
        for lines, is_last in _with_last(_ahead(_lines(one.source, self._batch_bytes, intake, repairs))):
            if held is not None:
                lines = pl.concat([held, lines])
            wait = 0 if is_last else one.format.unfinished(lines)
            held = lines.tail(wait) if wait else None
            ready = lines.head(len(lines) - wait) if wait else lines
            if ready.is_empty():
                continue
            batch = _take_apart(ready, one.format, first)
            if not begun and not batch.blank.all():
                begun = True
                batch.begin[int(batch.blank.arg_min() or 0)] = True
            yield batch
            first += len(ready)

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
        return sum(len(lines) for lines in _lines(one.source, self._batch_bytes, Intake(), Repairs()))

    def _texts_of(self, one: Opened, wanted: list[int]) -> Iterator[tuple[int, str]]:
        """Find the texts of the records of one source; `wanted` counts its lines from 0."""
        kept: list[pl.DataFrame] = []
        last = -1
        for batch in self._batches(one, Intake(), Repairs()):
            at = pl.int_range(batch.first, batch.first + len(batch.lines), eager=True).alias("at")
            rows = pl.DataFrame([at, batch.begin.alias("begin"), batch.lines.alias("text")]).filter(~batch.blank)
            rows = rows.with_columns(owner=pl.when("begin").then("at").forward_fill().fill_null(last))
            alone = rows.filter(pl.col("at").is_in(wanted) & ~pl.col("begin")).with_columns(owner="at")
            whole = rows.filter(pl.col("owner").is_in(wanted)).filter(
                pl.int_range(pl.len()).over("owner") <= MOST_LINES
            )
            kept += [whole, alone]
            last = int(rows["owner"][-1]) if len(rows) else last
            if not wanted or last > wanted[-1]:
                break
        if kept:
            texts = pl.concat(kept).group_by("owner").agg(pl.col("text").head(MOST_LINES + 1).str.join("\n"))
            yield from texts.sort("owner").iter_rows()


def _take_apart(lines: pl.Series, format_: Format, first: int) -> _Batch:
    rows = format_.read(lines)
    begin = begins(rows, format_.joins)
    blank = lines.str.strip_chars().str.len_bytes() == 0
    return _Batch(first, lines, rows, begin & ~blank if blank.any() else begin, blank)


def _ahead(items: Iterator[pl.Series]) -> Iterator[pl.Series]:
    """Read the next block while this one is taken apart."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _lines(source: Source, batch_bytes: int, intake: Intake, repairs: Repairs) -> Iterator[pl.Series]:
    for block in read_blocks(source.path, source.name, batch_bytes, intake):
        lines = to_lines(block, repairs)
        intake.lines += len(lines)
        yield lines


def _with_last(items: Iterator[pl.Series]) -> Iterator[tuple[pl.Series, bool]]:
    """Tell which item is the last; if reading fails, the one before is given first."""
    waiting: pl.Series | None = None
    try:
        for item in items:
            if waiting is not None:
                yield waiting, False
            waiting = item
    except InputError:
        if waiting is not None:
            yield waiting, True
        raise
    if waiting is not None:
        yield waiting, True


def open_records(
    inputs: Sequence[str | Path],
    format: str | Format = "auto",  # noqa: A002 (the word users know)
    *,
    batch_bytes: int = BATCH_BYTES,
    progress: Progress = SILENT,
) -> RecordReader:
    r"""Open files, folders, globs or standard input (`-`) as records.

    Parameters
    ----------
    inputs
        What to read; the order does not matter.
    format
        `auto`, the name of a preset, a loghub format string, or a `Format`.
    batch_bytes
        About how much text a frame is made from. It bounds the memory and changes nothing else.
    progress
        Who is told what was decided and how far reading has come.

    Raises
    ------
    InputError
        If something cannot be read, holds nothing, or no record fits a format that was given.
    OptionError
        If the format is none.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "app.log"
    >>> _ = path.write_text("2024-05-01 10:00:00,123 INFO app: up\n2024-05-01 10:00:01,500 ERROR app: down\n  at main()\n")
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
    streams = [given for given in inputs if _is_stream(given)]
    files = [given for given in inputs if not _is_stream(given)]
    sources, skipped = find_sources(files)
    if streams:
        spool = Path(tempfile.mkdtemp(prefix="logbert-"))
        sources += [
            _keep_stream(str(given), spool / str(number)) for number, given in enumerate(dict.fromkeys(streams))
        ]
    try:
        samples, unread = _sample(sources)
        skipped = sorted([*skipped, *unread], key=lambda one: one.name)
        if not samples:
            raise InputError(_say_nothing([str(given) for given in inputs], skipped))
        whole, own = choose_formats(samples, format)
        opened = in_order([(source, lines, own[source.name]) for source, lines in samples])
        if skipped:
            progress.note(describe_skipped(skipped))
        progress.note(f"format: {whole}")
        return RecordReader(opened, whole, skipped, batch_bytes, progress, spool)
    except BaseException:
        if spool:
            shutil.rmtree(spool, ignore_errors=True)
        raise


def _is_stream(given: str | Path) -> bool:
    if str(given) == STDIN:
        return True
    path = Path(given)
    return path.exists() and not path.is_file() and not path.is_dir()


def _keep_stream(given: str, path: Path) -> Source:
    """Keep what can be read only once."""
    with path.open("wb") as file:
        if given == STDIN:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with Path(given).open("rb") as stream:
                shutil.copyfileobj(stream, file)
    return Source(given, path, named=True, size=path.stat().st_size)


def _sample(sources: list[Source]) -> tuple[list[tuple[Source, pl.Series]], list[Skipped]]:
    """Read the first lines of each source; files that hold nothing, or nothing readable, are told apart."""
    samples = []
    skipped = []
    for source in sources:
        try:
            block = next(read_blocks(source.path, source.name, SAMPLE_BYTES, Intake()), b"")
        except NotTextError as error:
            if source.named:
                raise
            skipped.append(Skipped(source.name, str(error).removeprefix(f"{source.name}: ").split(";", maxsplit=1)[0]))
            continue
        lines = to_lines(block, Repairs()).head(SAMPLE_LINES) if block else pl.Series("text", [], dtype=pl.String)
        if (lines.str.strip_chars() == "").all():
            if len(lines) == 0:
                skipped.append(Skipped(source.name, "empty"))
                continue
        samples.append((source, lines))
    return samples, skipped


def _say_nothing(inputs: list[str], skipped: list[Skipped]) -> str:
    what = inputs[0] if len(inputs) == 1 else f"the {len(inputs)} inputs"
    if inputs == [STDIN]:
        what = "standard input"
    reasons = describe_skipped(skipped)
    return f"{what}: there is nothing to read" + (f"; {reasons}" if reasons else "")
