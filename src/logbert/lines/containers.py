"""What container runtimes put around each line: CRI's `time stdout F text` and Docker's `{"log": ..., "time": ...}`."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from logbert.lines.layout import INSIDE, MATCHED
from logbert.lines.objects import decode

DOCKER_PIECE = 1 << 14  # bytes at which Docker cuts a line into several records
MOST_PIECES = 100_000  # lines held back while a cut line waits for its end


@dataclass(frozen=True)
class Wrapper:
    """A container runtime's way of keeping lines.

    Parameters
    ----------
    name
        `cri` or `docker`.
    """

    name: str

    def unwrap(self, lines: pl.Series) -> pl.DataFrame:
        """Give each line's text as the program wrote it, with `time` and `stream`; pieces of one text become one.

        The text is on the line of its first piece, the others are `INSIDE`.
        """
        return _join(self._pieces(lines))

    def _pieces(self, lines: pl.Series) -> pl.DataFrame:
        if self.name == "docker":
            table = decode(lines, ["log", "stream", "time"]).rename({"log": "text"})
            ended = pl.col("text").str.ends_with("\n")
            return table.with_columns(
                pl.col("text").str.strip_suffix("\n").str.strip_suffix("\r"),
                more=(~ended & (pl.col("text").str.len_bytes() >= DOCKER_PIECE)).fill_null(False),
                **{MATCHED: pl.col("text").is_not_null() & pl.col("time").is_not_null()},
            )
        names = ["time", "stream", "flag", "text"]
        table = lines.str.splitn(" ", 4).struct.rename_fields(names).struct.unnest()
        flag = pl.col("flag").str.slice(0, 1)
        fits = pl.col("stream").is_in(["stdout", "stderr"]) & pl.col("flag").str.contains("^[FP](:|$)")
        return table.with_columns(
            pl.col("text").fill_null(""),
            more=((flag == "P") & fits).fill_null(False),
            **{MATCHED: fits.fill_null(False)},
        )

    def unfinished(self, lines: pl.Series) -> int:
        """Count the lines at the end that must wait for the rest of a text begun in them."""
        table = self._pieces(lines.tail(MOST_PIECES)).with_row_index("at")
        last = table.filter(MATCHED).group_by("stream").agg(pl.col("at").last(), pl.col("more").last())
        begun = []
        for stream, more in last.select("stream", "more").rows():
            if not more:
                continue
            own = table.filter(pl.col(MATCHED) & (pl.col("stream") == stream))
            first = own["more"].reverse().arg_min() or 0
            begun.append(own["at"][len(own) - first] if not own["more"].all() else own["at"][0])
        return len(table) - min(begun) if begun else 0


def _join(table: pl.DataFrame) -> pl.DataFrame:
    if not table["more"].any():
        return table.select("text", "time", "stream", MATCHED, pl.lit(False).alias(INSIDE))
    table = table.with_row_index("at")
    continues = pl.col("more").shift(1, fill_value=False).over("stream", MATCHED) & pl.col(MATCHED)
    table = table.with_columns(continues.alias(INSIDE))
    first = pl.when(~pl.col(INSIDE)).then("at").forward_fill().over("stream", MATCHED)
    texts = table.with_columns(first=first).group_by("first").agg(pl.col("text").str.join(""))
    table = table.drop("text").join(texts, left_on="at", right_on="first", how="left", maintain_order="left")
    return table.select("text", "time", "stream", MATCHED, INSIDE)
