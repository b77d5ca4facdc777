"""What stood at the wildcards of a message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from logbert.templates.codebook import CAUSE
from logbert.templates.masks import WILDCARD

if TYPE_CHECKING:
    from logbert.templates.masks import Masks


def template_regex(template: str) -> str:
    r"""Write a template as a regex whose groups are its wildcards.

    Parameters
    ----------
    template
        The template's text.

    Examples
    --------
    >>> template_regex("took <*> ms")
    '^\\s*took\\s*(.*?)\\s*ms\\s*$'
    """
    head, _, _ = template.partition(CAUSE)
    parts = [r"\s+".join(re.escape(word) for word in part.split()) for part in head.split(WILDCARD)]
    return r"^\s*" + r"\s*(.*?)\s*".join(parts) + r"\s*$"


def parameters(messages: pl.Series, keys: pl.Series, templates: list[str], masks: Masks) -> pl.Series:
    """Give what stood at the wildcards of each message.

    Parameters
    ----------
    messages
        Raw messages.
    keys
        The log key of each.
    templates
        The text of each key's template.
    masks
        Where a template's wording does not fit the raw message, what the masks find in it is given instead.
    """
    texts = messages.cast(pl.String).fill_null("")
    frame = pl.DataFrame({"message": texts, "key": keys}).with_row_index("row")
    parts = [
        part.select("row", parameters=_of_one(part["message"], templates[part["key"][0]], masks))
        for part in frame.partition_by("key", maintain_order=True)
    ]
    if not parts:
        return pl.Series("parameters", [], dtype=pl.List(pl.String))
    return pl.concat(parts).sort("row")["parameters"]


def _of_one(messages: pl.Series, template: str, masks: Masks) -> pl.Series:
    count = template.partition(CAUSE)[0].count(WILDCARD)
    if not count:
        return pl.Series([[]], dtype=pl.List(pl.String)).new_from_index(0, len(messages))
    heads = messages.str.extract(r"^\n*([^\n]*)", 1)
    groups = heads.str.extract_groups(template_regex(template)).struct.unnest()
    found = groups.select(pl.concat_list(pl.all()).alias("parameters")).to_series()
    missing = groups.to_series(0).is_null()
    if not missing.any():
        return found
    frame = pl.DataFrame({"found": found, "missing": missing, "masked": heads.str.extract_all(masks.alternation)})
    return frame.select(pl.when("missing").then("masked").otherwise("found").alias("parameters")).to_series()
