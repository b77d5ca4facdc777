"""Where records may carry an identifier: shapes seen in messages, header fields, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from logbert.alike import ALIKE
from logbert.sequences.grouping import Fields, Grouping, Sessions

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOKED_AT = 5_000  # messages in which shapes are looked for, evenly spread
STEMS = 12  # the most frequent words before an identifier that are tried

# What a key or a field is called that holds the id of some piece of work. Not: places (host, node), which outlive the
# work, and spans, which are pieces of it.
WORK = (
    r"(?:(?:[a-z]+[_.-]?)?(?:uuid|guid|id)|trace|session|sess|request|req|txn|tx|transaction|order|job|task|correlation|"
    r"conn|connection|thread|pid|tid|block|blk|container|attempt|workflow|invocation|message[_.-]?id)"
)
NOT_WORK = (
    r"(?i)(?:host|node|user|span|parent|line|event|client|server|device|app|service|tenant|template)s?"
    r"[_.-]?(?:uu|gu)?id$"
)

UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
LONG_HEX = r"\b[0-9a-fA-F]*[0-9][0-9a-fA-F]{15,}\b"

_STEM = r"(?:^|[^\w-])_?([A-Za-z]{2,}[_-])(?:-?[0-9]|[0-9a-f]*[0-9][0-9a-f]*\b)"
_KEYED = rf"(?i:\b({WORK}))\"?\s*[=:]\s*[\"\[]?[A-Za-z]*[\w.-]*[0-9]"
_COUNTED = r"(?i:\b(session|request|transaction|job|task|order|connection|block|container|thread)) [#\[]?[0-9]"

_IDLIKE = rf"(?:{UUID}|^[0-9a-fA-F]*[0-9][0-9a-fA-F]{{15,}}$|^[A-Za-z]+[_-]-?[0-9][\w-]*$)"
IDLIKE_SHARE = 0.8  # of a field's values that look like identifiers, where its name does not say so

_NOT_FIELDS = {ALIKE, "line", "source", "timestamp", "message", "level", "label"}


def candidates(frame: pl.DataFrame) -> Iterator[Grouping]:
    """Give the groupings by identifier that the look of some records suggests, most telling shapes first."""
    yield from _in_messages(frame["message"])
    yield from _in_fields(frame)


def _in_messages(messages: pl.Series) -> Iterator[Grouping]:
    some = messages.gather_every(max(1, len(messages) // LOOKED_AT))
    for stem in _frequent(some, _STEM):
        minus = "-?" if stem.endswith("_") else ""
        if not some.str.contains(rf"{stem}{minus}\d+[A-Za-z]").any():  # digits alone would cut 00af in two
            yield Sessions(rf"{stem}{minus}\d+")
        parts = some.str.contains(rf"{stem}{minus}\w+-\w").any()
        yield Sessions(rf"{stem}{minus}\w+(?:-\w+)*" if parts else rf"{stem}{minus}\w+")
    for key in _frequent(some, _KEYED):
        if not pl.Series([key]).str.contains(NOT_WORK).item():
            yield Sessions(rf'\b{key}"?\s*[=:]\s*["\[]?([\w.-]+)')
    for word in _frequent(some, _COUNTED):
        yield Sessions(rf"\b{word} [#\[]?([0-9]+)")
    for shape in (UUID, LONG_HEX):
        if some.str.contains(shape).any():
            yield Sessions(shape)


def _frequent(messages: pl.Series, regex: str) -> list[str]:
    """Give what group 1 of the regex finds, most frequent first."""
    found = messages.str.extract_all(regex).explode().drop_nulls().str.extract(regex, 1).drop_nulls()
    counted = found.value_counts(name="times").sort("times", found.name, descending=[True, False])
    return counted[found.name].head(STEMS).to_list()


def _in_fields(frame: pl.DataFrame) -> Iterator[Grouping]:
    for name in frame.columns:
        if name in _NOT_FIELDS or not (frame.schema[name] == pl.String or frame.schema[name].is_integer()):
            continue
        if _named_like_work(name) or _look_like_ids(frame[name]):
            yield Fields((name,))
    if "source" in frame.columns and frame["source"].n_unique() > 1:
        yield Fields(("source",))


def _named_like_work(name: str) -> bool:
    snake = pl.Series([name]).str.replace_all(r"([a-z0-9])([A-Z])", "${1}_$2").str.to_lowercase()
    return bool((snake.str.contains(rf"(?:^|[_.-]){WORK}$") & ~snake.str.contains(NOT_WORK)).item())


def _look_like_ids(values: pl.Series) -> bool:
    some = values.cast(pl.String).drop_nulls()
    some = some.filter(some != "").gather_every(max(1, len(some) // LOOKED_AT))
    share = some.str.contains(_IDLIKE).mean()
    return isinstance(share, float) and share >= IDLIKE_SHARE
