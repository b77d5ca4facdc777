"""What messages carry in the wildcards of their templates: numbers, and words where the template takes any word.

Batch by batch, only numbers are read. At training that is where a number stood in the first message of that wording; at
detection, where the detector wants one, and anywhere in wordings never met before. An address, a path or an id is no
number, nor are the digits that end a name (`eth0`, `blk_38`). Which wildcard a number stands in, and which words stand
in the others, is the same for all messages of a wording, and found once for each when all is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.matches import Matches, ranges
from logbert.templates.codebook import CAUSE
from logbert.templates.masks import WILDCARD
from logbert.templates.quantities import quantities
from logbert.templates.tokens import MOST_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from logbert.templates.templates import Templates

SCHEMA = {
    "line": pl.Int64(),
    "key": pl.Int32(),
    "slot": pl.Int32(),
    "unit": pl.Int8(),
    "number": pl.Float64(),
    "word": pl.String(),
}
_READ: dict[str, pl.DataType] = {"line": pl.Int64(), "spot": pl.Int64(), "unit": pl.Int8(), "number": pl.Float64()}
_BEFORE = r".?<\*>"
_IN_A_NAME = r"^[\p{L}\p{N}_\-.#@/\\$*>]<"


class ValueReader:
    """Reads the values of messages, batch by batch, in narrow columns.

    Parameters
    ----------
    templates
        Whose `encode` gave the codes.
    slots
        The values that are wanted, as (key, number of the wildcard); None for all.

    Examples
    --------
    >>> from logbert.templates import Templates
    >>> templates = Templates()
    >>> reader = ValueReader(templates)
    >>> messages = pl.Series(["read 3 blocks from 10.0.0.7 in 2 ms", "idle", "read 70 blocks from 10.0.0.8 in 1 s"])
    >>> reader.add(pl.Series([1, 2, 3]), messages, templates.encode(messages))
    >>> templates.learn()
    >>> reader.finish().select("line", "key", "slot", "unit", "number").rows()
    [(1, 0, 0, 0, 3.0), (1, 0, 2, 1, 0.002), (3, 0, 0, 0, 70.0), (3, 0, 2, 1, 1.0)]
    """

    def __init__(self, templates: Templates, slots: Collection[tuple[int, int]] | None = None) -> None:
        self.templates = templates
        self._slots_wanted = (
            None if slots is None else pl.DataFrame(list(slots), {"key": pl.Int32, "slot": pl.Int32}, orient="row")
        )
        # Of codes: was it looked at, may it carry a wanted value, and where its masks begin in the arrays after.
        self._met = np.zeros(0, dtype=np.bool_)
        self._wanted = np.zeros(0, dtype=np.bool_)
        self._first = np.zeros(1, dtype=np.int64)
        # Of masks of codes: does one end a name, is it to be read.
        self._named = np.zeros(0, dtype=np.bool_)
        self._numeric = np.zeros(0, dtype=np.bool_)
        self._matches = Matches(templates.masks.alternation)
        self._records: list[pl.DataFrame] = []
        self._numbers: list[pl.DataFrame] = []
        if self._slots_wanted is not None:
            self._settle(self._slots_wanted)

    def add(self, lines: pl.Series, messages: pl.Series, codes: pl.Series, alike: pl.Series | None = None) -> None:
        """Read the values of one batch.

        Parameters
        ----------
        lines
            The line each record begins at.
        messages, codes
            Its raw message, and what `encode` gave for it.
        alike
            The hash of its likeness, as `encode` takes it.
        """
        known = codes.to_numpy()
        self._meet(messages, known)
        wanted = np.flatnonzero(self._wanted[known])
        self._records.append(pl.DataFrame({"line": lines.gather(wanted), "code": codes.gather(wanted)}))
        running = np.append(0, np.cumsum(self._numeric))[self._first]
        numeric = np.flatnonzero((np.diff(running) > 0)[known])
        if len(numeric):
            own = None if alike is None else alike.gather(numeric)
            self._numbers.append(self._read(lines.gather(numeric), messages.gather(numeric), known[numeric], own))

    def finish(self) -> pl.DataFrame:
        """Give all values: line, key, slot (which wildcard of the template), unit, and number or word.

        Unit and number are null where another message of the same wording had a number and this one has not.
        """
        aligned = self._aligned(np.arange(len(self._met)))
        if self._slots_wanted is not None:
            aligned = aligned.join(self._slots_wanted, on=["key", "slot"], how="semi")
        numbers = pl.concat([pl.DataFrame(schema=_READ), *self._numbers])
        words = aligned.filter(pl.col("word").is_not_null()).drop("spot")
        values = [
            numbers.join(aligned.drop_nulls("spot").drop("code", "word"), on="spot", how="inner", maintain_order="left")
        ]
        if not words.is_empty():
            values.append(pl.concat(self._records).join(words, on="code", how="inner", maintain_order="left"))
        self._records, self._numbers = [], []
        return pl.concat([pl.DataFrame(schema=SCHEMA), *(_in_schema(part) for part in values)])

    def _grow(self) -> None:
        """Make room for codes given since the last batch."""
        masked = self.templates.masked(len(self._met))
        before = masked.str.extract_all(_BEFORE)
        counts = before.list.len().to_numpy().astype(np.int64)
        flat = before.filter(pl.Series(counts > 0)).explode()
        self._first = np.append(self._first, self._first[-1] + np.cumsum(counts))
        self._named = np.append(self._named, flat.str.contains(_IN_A_NAME).to_numpy())
        self._numeric = np.append(self._numeric, np.zeros(int(counts.sum()), dtype=np.bool_))
        self._met = np.append(self._met, np.zeros(len(masked), dtype=np.bool_))
        self._wanted = np.append(self._wanted, np.ones(len(masked), dtype=np.bool_))

    def _settle(self, slots: pl.DataFrame) -> None:
        """Want of the codes that have a key already what these slots say."""
        self._grow()
        wanted = self._aligned(np.arange(len(self._met))).join(slots, on=["key", "slot"], how="semi")
        self._wanted[:] = False
        self._wanted[wanted["code"].to_numpy()] = True
        self._numeric[wanted["spot"].drop_nulls().to_numpy()] = True
        self._numeric &= ~self._named
        self._met[:] = True

    def _meet(self, messages: pl.Series, codes: NDArray[np.uint32]) -> None:
        """Look at the codes not met before, and decide where numbers are to be read."""
        self._grow()
        if self._met[codes].all():
            return
        found, first = np.unique(codes, return_index=True)
        first = first[~self._met[found]]
        found = found[~self._met[found]].astype(np.int64)
        self._met[found] = True
        spots = ranges(self._first[found], self._first[found + 1] - self._first[found])
        if self._slots_wanted is not None:
            self._numeric[spots] = ~self._named[spots]
            return
        read = self._read(pl.Series(found), messages.gather(first), found, all_of_them=True)
        self._numeric[read.drop_nulls("number")["spot"].to_numpy()] = True
        self._numeric &= ~self._named

    def _read(
        self,
        lines: pl.Series,
        messages: pl.Series,
        codes: NDArray[np.integer],
        alike: pl.Series | None = None,
        *,
        all_of_them: bool = False,
    ) -> pl.DataFrame:
        """Read the numbers of messages: line, spot, unit, number."""
        located = self._matches.locate(_heads(messages), alike)
        first, counts = self._first[codes], located.counts
        # Past the most messages a codebook tells apart, a code stands for several wordings.
        fits = np.flatnonzero((counts == self._first[codes.astype(np.int64) + 1] - first) & (counts > 0))
        spots = ranges(first[fits], counts[fits])
        rows = np.repeat(fits, counts[fits])
        if not all_of_them:
            kept = np.flatnonzero(self._numeric[spots])
            spots, rows = spots[kept], rows[kept]
        read = quantities(located.texts(rows, spots - first[rows]).alias("text"))
        numbers = {"line": lines.gather(rows), "spot": pl.Series(spots), **read.to_dict()}
        return pl.DataFrame([numbers[name].alias(name).cast(dtype) for name, dtype in _READ.items()])

    def _aligned(self, codes: NDArray[np.integer]) -> pl.DataFrame:
        """Say which wildcard each mask of these codes stands in, and which words stand in the others.

        One row a (code, slot): key, `spot` of the mask or null, `word` or null.
        """
        keys = self.templates.keys(pl.Series(codes, dtype=pl.UInt32))
        wild = self.templates.texts.str.split(CAUSE).list.first().str.count_matches(WILDCARD, literal=True)
        codes = codes[wild.gather(keys).to_numpy() > 0]
        keys = self.templates.keys(pl.Series(codes, dtype=pl.UInt32))
        heads = self.templates.masked().gather(codes).str.split(CAUSE).list.first()
        texts = self.templates.parameters(heads, keys)
        counts = pl.Series("masks", np.diff(self._first)[codes])
        frame = pl.DataFrame(
            {"code": codes, "key": keys, "masks": counts, "first": self._first[codes], "text": texts}
        ).filter(texts.list.len() == wild.gather(keys))
        slots = frame.with_columns(slot=pl.int_ranges(pl.col("text").list.len())).explode("text", "slot")
        inside = pl.col("text").str.count_matches(WILDCARD, literal=True).cast(pl.Int64)
        slots = slots.with_columns(inside=inside).filter(pl.col("inside").sum().over("code") == pl.col("masks"))
        spot = pl.col("first") + pl.col("inside").cum_sum().over("code") - pl.col("inside")
        return slots.select(
            pl.col("code").cast(pl.UInt32),
            "key",
            pl.col("slot").cast(pl.Int32),
            pl.when(pl.col("text") == WILDCARD).then(spot).alias("spot"),
            pl.when(pl.col("inside") == 0, pl.col("text") != "").then("text").alias("word"),
        ).filter(pl.col("spot").is_not_null() | pl.col("word").is_not_null())


def _heads(messages: pl.Series) -> pl.Series:
    """Give what of each message is masked: its first line, as far as lines are looked at."""
    frame = messages.cast(pl.String).fill_null("").to_frame("message")
    head = pl.col("message")
    if frame["message"].str.contains("\n", literal=True).any():
        head = head.str.extract(r"^\n*([^\n]*)", 1).str.strip_chars_end("\r")
    if (frame["message"].str.len_bytes() > MOST_CHARACTERS).any():
        head = head.str.head(MOST_CHARACTERS)
    return frame.select(head).to_series()


def _in_schema(values: pl.DataFrame) -> pl.DataFrame:
    missing = [pl.lit(None).alias(name) for name in SCHEMA if name not in values.columns]
    return values.with_columns(missing).select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
