"""Lines to records: continuation lines join the record they belong to, over the borders of batches."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from logbert.lines.continuations import MOST_LINES, MOST_TEXT

BEGINS = "_begins"


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

    def add(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Take one row a line, with `BEGINS`, and give the records that are complete, without it."""
        if rows.is_empty():
            return rows.drop(BEGINS)
        numbered = rows.with_columns(_record=pl.col(BEGINS).cum_sum())
        if self._open is None:
            heads, tails = numbered.filter(BEGINS), numbered.filter(~pl.col(BEGINS))
        else:
            waiting = self._open.with_columns(pl.lit(True).alias(BEGINS), _record=pl.lit(0, numbered["_record"].dtype))
            heads = pl.concat([waiting.select(numbered.columns), numbered.filter(BEGINS)])
            tails = numbered.filter(~pl.col(BEGINS))
        if len(tails):
            heads = self._append(heads, tails)
        self._wait(heads, tails)
        return heads.head(-1).drop(BEGINS, "_record")

    def finish(self) -> pl.DataFrame | None:
        """Give the record that still waited."""
        last, self._open = self._open, None
        self._open_lines = self._open_bytes = 0
        return last

    def _append(self, heads: pl.DataFrame, tails: pl.DataFrame) -> pl.DataFrame:
        waited = self._open is not None
        begun_lines = pl.when(pl.col("_record") == 0).then(self._open_lines if waited else 0).otherwise(0)
        begun_bytes = pl.when(pl.col("_record") == 0).then(self._open_bytes if waited else 0).otherwise(0)
        size = pl.col("message").str.len_bytes().cast(pl.Int64) + 1
        counted = tails.lazy().with_columns(
            _nth=pl.int_range(1, pl.len() + 1).over("_record") + begun_lines,
            _bytes=size.cum_sum().over("_record") + begun_bytes,
        )
        kept = counted.filter((pl.col("_nth") <= MOST_LINES) & (pl.col("_bytes") <= MOST_TEXT)).collect()
        self.joined.continuation += len(tails)
        self.joined.clipped += len(tails) - len(kept)
        texts = kept.group_by("_record").agg(pl.col("message").str.join("\n").alias("_more"))
        longer = heads.join(texts, on="_record", how="left", maintain_order="left")
        message = pl.col("message") + pl.coalesce(pl.lit("\n") + pl.col("_more"), pl.lit(""))
        return longer.with_columns(message.alias("message")).drop("_more")

    def _wait(self, heads: pl.DataFrame, tails: pl.DataFrame) -> None:
        last = heads.tail(1)
        own = tails.filter(pl.col("_record") == last["_record"][0])
        if last["_record"][0] > 0 or self._open is None:
            self._open_lines = self._open_bytes = 0
        self._open_lines += len(own)
        self._open_bytes += int(own["message"].str.len_bytes().cast(pl.Int64).sum()) + len(own)
        self._open = last.drop(BEGINS, "_record")
