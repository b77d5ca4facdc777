"""Text files of sequences: one sequence a line, keys separated by spaces, or `key,seconds` pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import InputError
from logbert.sequences.collector import SCHEMA, in_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logbert.sequences.tokens import Tokens

BLOCK = 1 << 25  # bytes of text that are worth splitting at a time

_PAIR = r"^(?s:(.*)),([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$"


class TextReader:
    r"""Reads the sequences of one text file, in blocks.

    Spaces and tabs separate keys, at the end of a line they mean nothing, and neither does a carriage return. Where
    the first sequence is made of `key,seconds` pairs, all are: `seconds` is the time since the record before.

    Parameters
    ----------
    name
        What to call the file in errors.
    tokens
        Numbers the names of keys.

    Attributes
    ----------
    empty
        How many lines held no sequence; none of these becomes one, but they count as lines.

    Examples
    --------
    >>> from logbert.sequences.tokens import Tokens
    >>> blocks = TextReader("train", Tokens()).read([b"E5 E22 \r\n\n", b"E5,0 E9\n"])
    >>> pl.concat(blocks).select("sequence", pl.col("keys").list.len()).rows()
    [('1', 2), ('3', 2)]
    """

    def __init__(self, name: str, tokens: Tokens) -> None:
        self.name = name
        self.empty = 0
        self._tokens = tokens
        self._lines = 0
        self._pairs: bool | None = None

    def read(self, blocks: Iterable[bytes]) -> Iterator[pl.DataFrame]:
        """Take blocks of whole lines, give frames of sequences whose keys are the numbers of the tokens."""
        for block in blocks:
            lines = self._split(block)
            begun = self._lines
            self._lines += len(lines)
            numbered = pl.DataFrame({"text": lines}).with_row_index("number", offset=begun + 1)
            filled = numbered.with_columns(pl.col("text").str.strip_chars()).filter(pl.col("text") != "")
            self.empty += len(numbered) - len(filled)
            if len(filled):
                yield self._sequences(filled)

    def _split(self, block: bytes) -> pl.Series:
        """Cut a block into lines."""
        try:
            text = pl.Series([block.removesuffix(b"\n")], dtype=pl.Binary).cast(pl.String)
        except pl.exceptions.PolarsError as error:
            raise InputError(f"{self.name} is no file of sequences: it is not UTF-8 text") from error
        return text.str.split("\n").explode()

    def _sequences(self, lines: pl.DataFrame) -> pl.DataFrame:
        tokens = (
            lines.select(
                "number", pl.col("text").str.replace_all("\t", " ", literal=True).str.split(" ").alias("token")
            )
            .explode("token")
            .filter(pl.col("token") != "")
        )
        if self._pairs is None:
            self._pairs = self._are_pairs(tokens.filter(pl.col("number") == tokens["number"][0]))
        time = pl.lit(None, pl.Int64)
        if self._pairs:
            tokens = self._part_pairs(tokens)
            time = (pl.col("seconds").cum_sum().over("number") * 1e6).round().cast(pl.Int64)
        members = tokens.select("number", self._tokens.encode(tokens["token"]).alias("key"), time.alias("time"))
        grouped = members.group_by("number", maintain_order=True).agg(
            pl.col("key").alias("keys"), *([pl.col("time").alias("times")] if self._pairs else [])
        )
        missing = [pl.lit(None, dtype).alias(name) for name, dtype in SCHEMA.items() if name not in grouped.columns]
        return in_schema(grouped.with_columns(missing).with_columns(pl.col("number").cast(pl.String).alias("sequence")))

    def _are_pairs(self, first: pl.DataFrame) -> bool:
        """Tell from the first sequence whether keys come with seconds."""
        if len(first) == 1 and first["token"].str.count_matches(",", literal=True).item() > 1:
            raise InputError(
                f"line {first['number'][0]} of {self.name} is separated by commas; separate keys by spaces"
            )
        return bool(first["token"].str.contains(_PAIR).all())

    def _part_pairs(self, tokens: pl.DataFrame) -> pl.DataFrame:
        parted = tokens.with_columns(
            pl.col("token").str.extract(_PAIR, 1),
            pl.col("token").str.extract(_PAIR, 2).cast(pl.Float64).alias("seconds"),
        )
        wrong = tokens.filter(parted["seconds"].is_null())
        if len(wrong):
            raise InputError(
                f"line {wrong['number'][0]} of {self.name} has {_short(wrong['token'][0])}, but its first sequence is"
                " made of key,seconds pairs; give every key its seconds, or none"
            )
        return parted


def _short(token: str) -> str:
    return repr(token if len(token) <= 40 else token[:37] + "...")
