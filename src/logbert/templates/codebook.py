"""Messages to codes: one number a distinct masked message, in order of first appearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.tokens import MOST_CHARACTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from logbert.templates.masks import Masks

CAUSE = " ↵ "
"""Stands in a template between the first line of a message and the exception its stack trace is about."""

_EXCEPTION = r"(?m)^(?:Caused by: )?((?:[A-Za-z_][\w$]*\.)*[A-Z][\w$]*(?:Exception|Error|Throwable|Failure|Warning))\b"


class Codebook:
    """Numbers distinct masked messages and counts how often each came.

    Only messages not seen before leave Polars. A code is looked up by a 64-bit hash of the masked message.

    Parameters
    ----------
    masks
        What is replaced before messages are compared.
    """

    def __init__(self, masks: Masks) -> None:
        self.masks = masks
        self.counts = np.zeros(0, dtype=np.int64)
        self._masked: list[pl.Series] = []
        self._examples: list[pl.Series] = []
        self._examples_from = 0
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._codes = np.zeros(0, dtype=np.uint32)

    def __len__(self) -> int:
        return len(self.counts)

    def encode(self, messages: pl.Series) -> pl.Series:
        """Give the code of each message.

        Parameters
        ----------
        messages
            Texts; null counts as empty.
        """
        masked = masked_messages(messages, self.masks)
        frame = pl.DataFrame({"hash": masked.hash()})
        distinct = (
            frame.with_row_index("row").group_by("hash", maintain_order=True).agg(pl.col("row").first(), pl.len())
        )
        hashes = distinct["hash"].to_numpy()
        codes = self._look_up(hashes)
        new = np.flatnonzero(codes < 0)
        if len(new):
            codes[new] = len(self) + np.arange(len(new))
            rows = distinct["row"].gather(new)
            self._add(masked.gather(rows), messages.gather(rows), hashes[new])
        self.counts += np.bincount(codes, weights=distinct["len"].to_numpy(), minlength=len(self)).astype(np.int64)
        known = distinct.select("hash", code=pl.Series(codes).cast(pl.UInt32))
        return frame.join(known, on="hash", how="left", maintain_order="left")["code"].alias("code")

    def restore(self, masked: pl.Series) -> None:
        """Take up messages numbered in an earlier run, uncounted.

        Parameters
        ----------
        masked
            Distinct masked messages in the order of their codes.
        """
        self._add(masked, pl.Series([], dtype=pl.String), masked.hash().to_numpy())
        self._examples, self._examples_from = [], len(self)

    def masked(self, start: int = 0) -> pl.Series:
        """Give the masked messages from code `start` on."""
        self._masked = [pl.concat(self._masked)] if self._masked else []
        return self._masked[0].slice(start) if self._masked else pl.Series([], dtype=pl.String)

    def take_examples(self) -> pl.Series:
        """Give the first raw message of each code added since the last call, and forget them."""
        examples = pl.concat(self._examples) if self._examples else pl.Series([], dtype=pl.String)
        self._examples, self._examples_from = [], len(self)
        return examples

    def _look_up(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        codes = np.full(len(hashes), -1, dtype=np.int64)
        if not len(self._hashes):
            return codes
        spot = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        known = self._hashes[spot] == hashes
        codes[known] = self._codes[spot[known]]
        return codes

    def _add(self, masked: pl.Series, examples: pl.Series, hashes: NDArray[np.uint64]) -> None:
        codes = (len(self) + np.arange(len(masked))).astype(np.uint32)
        self._masked.append(masked.alias("masked"))
        self._examples.append(examples.fill_null("").alias("example"))
        self.counts = np.concatenate([self.counts, np.zeros(len(masked), dtype=np.int64)])
        order = np.argsort(hashes, kind="stable")
        places = np.searchsorted(self._hashes, hashes[order])
        self._hashes = np.insert(self._hashes, places, hashes[order])
        self._codes = np.insert(self._codes, places, codes[order])


def masked_messages(messages: pl.Series, masks: Masks) -> pl.Series:
    r"""Bring messages to the form in which they are compared.

    Of a message of several lines (a stack trace) the first line counts, and the exception named first in what follows;
    of a very long line the first 4,096 characters.

    Parameters
    ----------
    messages
        Texts; null counts as empty.
    masks
        What is replaced.

    Examples
    --------
    >>> from logbert.templates.masks import Masks
    >>> trace = "Error in fetch 7\njava.io.IOException: gone\n\tat A.b(A.java:3)"
    >>> masked_messages(pl.Series([trace, "read 12 blocks"]), Masks.default()).to_list()
    ['Error in fetch <*> ↵ java.io.IOException', 'read <*> blocks']
    """
    texts = messages.cast(pl.String).fill_null("").alias("message")
    several = texts.str.contains("\n", literal=True)
    if not several.any():
        return masks.apply(_shortened(texts))
    frame = texts.to_frame().with_columns(several=several)
    heads = frame.select(
        pl.when("several").then(pl.col("message").str.extract(r"^\n*([^\n]*)", 1)).otherwise("message").alias("message")
    )
    tail = pl.col("message").str.extract(r"(?s)^\n*[^\n]*\n(.*)", 1)
    cause = frame.select(pl.when("several").then(tail.str.extract(_EXCEPTION, 1)).alias("cause")).to_series()
    masked = masks.apply(_shortened(heads["message"]).str.strip_chars_end("\r"))
    return masked + (CAUSE + cause).fill_null("")


def _shortened(texts: pl.Series) -> pl.Series:
    long = texts.str.len_bytes() > MOST_CHARACTERS
    return texts.str.head(MOST_CHARACTERS) if long.any() else texts
