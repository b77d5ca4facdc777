"""Messages to codes: one number a distinct masked message, in order of first appearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.alike import MOST_LIKENESSES, NONE, UNLIKE, Numbers, firsts, of_firsts
from logbert.templates.tokens import MOST_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from logbert.templates.masks import Masks

MOST_MESSAGES = 1_000_000

OUTLINE = " …"
"""Ends the outline that stands for messages beyond the most a codebook holds."""

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
    most
        How many distinct masked messages get codes of their own. Past that, a new one gets the code of a template that
        fits, or else the code of its outline, its first two words; past a tenth more than that, one code for all.
    known
        Gives a code of the template that fits each masked message, -1 where none does.
    """

    def __init__(
        self,
        masks: Masks,
        most: int = MOST_MESSAGES,
        known: Callable[[pl.Series], NDArray[np.int64]] | None = None,
    ) -> None:
        self.masks = masks
        self.most = most
        self.known = known
        self.counts = np.zeros(0, dtype=np.int64)
        self._masked: list[pl.Series] = []
        self._examples: list[pl.Series] = []
        self._hashes = Numbers()
        self._likenesses = Numbers()
        self._code_of_likeness = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.counts)

    def encode(self, messages: pl.Series, alike: pl.Series | None = None) -> pl.Series:
        """Give the code of each message.

        Parameters
        ----------
        messages
            Texts; null counts as empty.
        alike
            The hash of the likeness of the line each stands in, as `logbert.alike` has it: of messages that are alike
            only the first is masked. `NONE` for those that are like no other.
        """
        codes = np.zeros(len(messages), dtype=np.int64)
        hashes = None if alike is None or not self.masks.blind else alike.to_numpy()
        if hashes is None or not hashes.any():
            codes[:], _ = self._number(messages)
        else:
            numbers = self._likenesses.find(hashes)
            known = numbers >= 0
            codes[known] = self._code_of_likeness[numbers[known]]
            missing = np.flatnonzero(~known)
            if len(missing):
                codes[missing] = self._number_likenesses(messages.gather(missing), hashes[missing])
        self.counts += np.bincount(codes, minlength=len(self))
        return pl.Series("code", codes, dtype=pl.UInt32)

    def _number_likenesses(self, messages: pl.Series, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give the codes of messages by the first of each likeness, and remember them."""
        first = firsts(hashes)
        unlike = first[messages.gather(first).str.contains(UNLIKE).fill_null(True).to_numpy()]
        hashes = np.where(np.isin(hashes, hashes[unlike]), np.uint64(NONE), hashes)
        first, standing_for = of_firsts(hashes)
        codes, kept = self._number(messages.gather(first))
        if len(self._likenesses) < MOST_LIKENESSES:
            lasting = kept & (hashes[first] != NONE)
            self._likenesses.add(hashes[first[lasting]])
            self._code_of_likeness = np.concatenate([self._code_of_likeness, codes[lasting]])
        return codes[standing_for]

    def _number(self, messages: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Give the code of each message, and whether it is a code of its own; new ones are numbered, none counted."""
        masked = masked_messages(messages, self.masks)
        frame = pl.DataFrame({"hash": masked.hash()})
        distinct = frame.with_row_index("row").group_by("hash", maintain_order=True).agg(pl.col("row").first())
        hashes = distinct["hash"].to_numpy()
        codes = self._hashes.find(hashes)
        new = np.flatnonzero(codes < 0)
        new, beyond = np.split(new, [max(0, min(len(new), self.most - len(self)))])
        kept = np.ones(len(codes), dtype=bool)
        if len(new):
            codes[new] = len(self) + np.arange(len(new))
            first = distinct["row"].gather(new)
            self._add(masked.gather(first), messages.gather(first), hashes[new])
        if len(beyond):
            first = distinct["row"].gather(beyond)
            codes[beyond] = self._beyond(masked.gather(first), messages.gather(first))
            kept[beyond] = False
        if len(distinct) == len(frame):
            return codes, kept
        known = distinct.select("hash", number=pl.Series(np.arange(len(codes))))
        number = frame.join(known, on="hash", how="left", maintain_order="left")["number"].to_numpy()
        return codes[number], kept[number]

    def restore(self, masked: pl.Series) -> None:
        """Take up messages numbered in an earlier run, uncounted.

        Parameters
        ----------
        masked
            Distinct masked messages in the order of their codes.
        """
        self._add(masked, pl.Series([], dtype=pl.String), masked.hash().to_numpy())
        self._examples = []

    def masked(self, start: int = 0) -> pl.Series:
        """Give the masked messages from code `start` on."""
        self._masked = [pl.concat(self._masked)] if self._masked else []
        return self._masked[0].slice(start) if self._masked else pl.Series([], dtype=pl.String)

    def take_examples(self) -> pl.Series:
        """Give the first raw message of each code added since the last call, and forget them."""
        examples = pl.concat(self._examples) if self._examples else pl.Series([], dtype=pl.String)
        self._examples = []
        return examples

    def _beyond(self, masked: pl.Series, examples: pl.Series) -> NDArray[np.int64]:
        """Give codes to messages for which there is no room."""
        codes = np.full(len(masked), -1, dtype=np.int64) if self.known is None else self.known(masked)
        left = np.flatnonzero(codes < 0)
        frame = pl.DataFrame(
            {
                "outline": masked.gather(left).str.extract(r"^( ?\S*(?: \S+)?)", 1).fill_null("") + OUTLINE,
                "example": examples.gather(left),
            }
        )
        distinct = frame.unique("outline", keep="first", maintain_order=True)
        room = max(0, self.most + self.most // 10 - len(self))
        of_outline = self._hashes.find(distinct["outline"].hash().to_numpy())
        new, crowded = np.split(np.flatnonzero(of_outline < 0), [room])
        of_outline[new] = self._open(distinct[new])
        if len(crowded):
            last = pl.DataFrame({"outline": [OUTLINE], "example": distinct["example"].gather(crowded[:1])})
            code = self._hashes.find(last["outline"].hash().to_numpy())
            of_outline[crowded] = code if code[0] >= 0 else self._open(last)
        known = distinct.select("outline", code=of_outline)
        codes[left] = frame.join(known, on="outline", how="left", maintain_order="left")["code"].to_numpy()
        return codes

    def _open(self, frame: pl.DataFrame) -> NDArray[np.int64]:
        start = len(self)
        self._add(frame["outline"], frame["example"], frame["outline"].hash().to_numpy())
        return start + np.arange(frame.height)

    def _add(self, masked: pl.Series, examples: pl.Series, hashes: NDArray[np.uint64]) -> None:
        # Copies, which adding nothing makes: a text taken out of a batch keeps all of the batch's text alive.
        self._masked.append((masked + "").alias("masked"))
        self._examples.append((examples.fill_null("") + "").alias("example"))
        self.counts = np.concatenate([self.counts, np.zeros(len(masked), dtype=np.int64)])
        self._hashes.add(hashes)


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
