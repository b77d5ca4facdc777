"""Lines to records: continuation lines join the record they belong to, over the borders of batches."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from logbert.alike import ALIKE, NONE
from logbert.lines.continuations import MOST_LINES, MOST_TEXT

_RECORD = "_record"


@dataclass
class Joined:
    """What joining did.

    Attributes
    ----------
    continuation
        Lines that became part of a record begun before them.
    clipped
        Those among them whose text is not in the message, because the record was longer than is kept.
    """

    continuation: int = 0
    clipped: int = 0


class Joiner:
    """Join the lines of one source to records, batch by batch.

    The last record of a batch waits for the next batch, which may continue it.
    """

    def __init__(self) -> None:
        self.joined = Joined()
        self._open: pl.DataFrame | None = None
        self._open_lines = 0
        self._open_bytes = 0

    def add(self, rows: pl.DataFrame, begin: pl.Series) -> pl.DataFrame:
        """Take one row a line, and which of them begin a record; give the records that are complete."""
        if rows.is_empty():
            return rows
        waiting = self._open
        if waiting is not None and waiting.columns != rows.columns:
            waiting = waiting.select(rows.columns)
        if begin.all():
            self._wait(rows.tail(1), 0, 0)
            return rows.head(-1) if waiting is None else pl.concat([waiting, rows.head(-1)])
        numbered = rows.with_columns(begin.cum_sum().alias(_RECORD))
        heads, tails = numbered.filter(begin), numbered.filter(~begin)
        if waiting is not None:
            first = waiting.with_columns(pl.lit(0, numbered[_RECORD].dtype).alias(_RECORD))
            heads = pl.concat([first, heads])
        kept = self._append(heads, tails)
        last = heads[_RECORD][-1]
        own = tails.filter(pl.col(_RECORD) == last)
        goes_on = last == 0
        self._wait(
            kept.tail(1).drop(_RECORD),
            len(own) + goes_on * self._open_lines,
            int((own["message"].str.len_bytes().cast(pl.Int64) + 1).sum()) + goes_on * self._open_bytes,
        )
        return kept.head(-1).drop(_RECORD)

    def finish(self) -> pl.DataFrame | None:
        """Give the record that still waited."""
        last, self._open = self._open, None
        return last

    def _append(self, heads: pl.DataFrame, tails: pl.DataFrame) -> pl.DataFrame:
        """Append the text of continuation lines to their records, as far as there is room."""
        goes_on = pl.col(_RECORD) == 0
        size = pl.col("message").str.len_bytes().cast(pl.Int64) + 1
        counted = tails.lazy().with_columns(
            _nth=pl.int_range(1, pl.len() + 1).over(_RECORD) + pl.when(goes_on).then(self._open_lines).otherwise(0),
            _bytes=size.cum_sum().over(_RECORD) + pl.when(goes_on).then(self._open_bytes).otherwise(0),
        )
        kept = counted.filter((pl.col("_nth") <= MOST_LINES) & (pl.col("_bytes") <= MOST_TEXT)).collect()
        self.joined.continuation += len(tails)
        self.joined.clipped += len(tails) - len(kept)
        texts = kept.group_by(_RECORD).agg(pl.col("message").str.join("\n").alias("_more"))
        longer = heads.join(texts, on=_RECORD, how="left", maintain_order="left")
        more = pl.coalesce(pl.lit("\n") + pl.col("_more"), pl.lit(""))
        if ALIKE in heads.columns:
            longer = longer.with_columns(pl.when(pl.col("_more").is_null()).then(ALIKE).otherwise(NONE).alias(ALIKE))
        return longer.with_columns(pl.col("message") + more).drop("_more")

    def _wait(self, last: pl.DataFrame, lines: int, size: int) -> None:
        self._open, self._open_lines, self._open_bytes = last, lines, size
