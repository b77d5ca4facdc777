"""A source as batches of lines taken apart, by comparison with lines that are alike where that is worth it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

from logbert.alike import ALIKE, NONE
from logbert.lines.blocks import Lines, ahead, read_lines, with_last
from logbert.lines.continuations import begins
from logbert.lines.layout import constant
from logbert.lines.recognition import Recogniser, constant_likeness, only_columns, with_likeness

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator

    import polars as pl

    from logbert.lines.format import Format
    from logbert.lines.layout import Rows
    from logbert.lines.order import Opened
    from logbert.lines.streams import Intake
    from logbert.lines.text import Repairs

    Wanted: TypeAlias = Callable[[], Collection[str] | None]

LONG = 1 << 18  # bytes of a source; what is less is as quickly taken apart as compared, and not worth a thread


@dataclass(frozen=True)
class Batch:
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
    plain
        Whether each of them is a record that fits the format.
    """

    first: int
    lines: pl.Series
    rows: Rows
    begin: pl.Series
    blank: pl.Series
    plain: bool = False


class BatchReader:
    """Reads sources batch by batch, and remembers what it has seen of their lines.

    Parameters
    ----------
    batch_bytes
        About how much text a batch is.
    compare
        Whether lines without a header are compared, too: nothing is gained by it here, but by who masks them.
    """

    def __init__(self, batch_bytes: int, compare: bool) -> None:
        self._batch_bytes = batch_bytes
        self._compare = compare
        self._recognisers: dict[Hashable, Recogniser] = {}

    def read(self, one: Opened, intake: Intake, repairs: Repairs, columns: Wanted) -> Iterator[Batch]:
        """Read one source; `columns` says before each batch which columns are wanted, None for all."""
        first = 0
        begun = False
        held: Lines | None = None
        recogniser = self._recogniser(one.format) if is_long(one) else None
        compare = recogniser is not None or (self._compare and one.format.headless)
        seed = crc32(f"{one.format.name} {one.format.layout}".encode()) if compare else None
        blocks = read_lines(one.source, self._batch_bytes, intake, repairs, seed)
        for block, is_last in with_last(ahead(blocks) if is_long(one) else blocks):
            lines = block if held is None else held.and_then(block)
            wait = 0 if is_last else one.format.unfinished(lines.text)
            held = lines.from_end(wait) if wait else None
            ready = lines.but_end(wait) if wait else lines
            if ready.text.is_empty():
                continue
            batch = self._take_apart(ready, one.format, recogniser, first, columns())
            if not begun and not batch.blank.all():
                begun = True
                batch.begin[int(batch.blank.arg_min() or 0)] = True
            yield batch
            first += len(ready.text)

    def _recogniser(self, format_: Format) -> Recogniser | None:
        """Give what knows the lines of a format, those of other sources and passes included."""
        if not Recogniser.can(format_):
            return None
        known = (format_.shape, format_.time, format_.clock, format_.level, format_.label)
        if known not in self._recognisers:
            self._recognisers[known] = Recogniser(format_)
        return self._recognisers[known]

    def _take_apart(
        self, lines: Lines, format_: Format, recogniser: Recogniser | None, first: int, columns: Collection[str] | None
    ) -> Batch:
        text = lines.text
        if recogniser and lines.alike is not None and recogniser.is_worth_it():
            rows = recogniser.read(text, lines.alike, columns)
            if not (rows.table[ALIKE] == NONE).any():
                every, none = constant(True, len(text)), constant(False, len(text))
                return Batch(first, text, rows, begin=every, blank=none, plain=True)
        else:
            rows = only_columns(format_.read(text), columns)
            alike = lines.alike if format_.headless and lines.alike is not None else constant_likeness(len(text))
            rows = with_likeness(rows, alike)
        begin = begins(rows, format_.joins, format_.headless)
        blank = text.str.strip_chars().str.len_bytes() == 0
        return Batch(first, text, rows, begin & ~blank if blank.any() else begin, blank)


def is_long(one: Opened) -> bool:
    """Tell whether comparing a source's lines, and a thread of its own, are worth it."""
    return one.source.size >= LONG
