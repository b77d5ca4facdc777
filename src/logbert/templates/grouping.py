"""Which masked messages are the same template: found with all of them in view, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.patterns import Evidence, Patterns
from logbert.templates.tokens import BETWEEN, by_length, cut, cut_spans, form_texts
from logbert.templates.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = {"key": pl.Int32(), "form": pl.String(), "spans": pl.Boolean()}
"""The forms in which templates come: the template's key, its tokens, and whether they are pieces between blanks."""


@dataclass(frozen=True)
class Grouped:
    """What grouping found.

    Parameters
    ----------
    keys
        For each message, its template, numbered in order of first appearance.
    texts
        The text of each template.
    forms
        The forms of each template, with the columns of `FORMS`.
    """

    keys: NDArray[np.int32]
    texts: pl.Series
    forms: pl.DataFrame


def group_messages(masked: pl.Series, evidence: Evidence | None = None) -> Grouped:
    """Group masked messages into templates.

    First word by word, among messages with the same number of tokens; then, whatever their length, those that differ in
    one piece between blanks which is a value in each: `synchronized to <*>` and `synchronized to LOCAL(<*>)`.

    Parameters
    ----------
    masked
        Distinct masked messages.
    evidence
        What it takes to merge.

    Examples
    --------
    >>> found = group_messages(pl.Series(["clock in sync to <*> now", "clock in sync to LOCAL(<*>) now", "clock lost"]))
    >>> found.keys.tolist(), found.texts.to_list()
    ([0, 0, 1], ['clock in sync to <*> now', 'clock lost'])
    """
    evidence = evidence or Evidence()
    narrow_of, narrow = _group(cut(masked), evidence, spans=False)
    # only where a value was found there is anything to merge across lengths
    valued = np.flatnonzero(narrow.str.contains(r"<\*>|[\x00\x01.]").to_numpy())
    pieces = cut_spans(narrow.gather(valued).str.replace_all(BETWEEN, "", literal=True))
    wide_of, wide = _group(pieces, evidence, spans=True)
    joined = np.bincount(wide_of, minlength=len(wide)) > 1
    template_of = np.arange(len(narrow))
    template_of[valued] = np.where(joined[wide_of], len(narrow) + wide_of, valued)
    keys, templates = _by_appearance(template_of[narrow_of])
    texts = form_texts(pl.concat([narrow, wide]).gather(templates))
    key_of = np.full(len(narrow) + len(wide), -1, dtype=np.int32)
    key_of[templates] = np.arange(len(templates))
    forms = pl.concat(
        [
            pl.DataFrame(
                {"key": key_of[template_of], "form": narrow, "spans": pl.repeat(False, len(narrow), eager=True)}
            ),
            pl.DataFrame({"key": key_of[len(narrow) :], "form": wide, "spans": pl.repeat(True, len(wide), eager=True)}),
        ]
    )
    return Grouped(keys, texts, forms.filter(pl.col("key") >= 0).sort("key", maintain_order=True))


def _group(tokens: pl.Series, evidence: Evidence, *, spans: bool) -> tuple[NDArray[np.int64], pl.Series]:
    """Give the pattern of each row of tokens, and the form of each pattern."""
    flat = tokens.explode().drop_nulls()
    vocabulary = Vocabulary.of(flat.unique())
    group = np.zeros(len(tokens), dtype=np.int64)
    forms = [pl.Series("form", [], dtype=pl.String)]
    count = 0
    for rows, matrix in by_length(tokens, vocabulary.numbers(flat)):
        patterns = Patterns(matrix, vocabulary, evidence)
        patterns.merge_spans() if spans else patterns.merge()
        group[rows] = patterns.row_of + count
        forms.append(vocabulary.forms(patterns.rows).alias("form"))
        count += len(patterns.rows)
    return group, pl.concat(forms)


def _by_appearance(group: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Give each message the number of its group, in order of first appearance, and each number its group."""
    groups, first, place = np.unique(group, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return rank[place], groups[order]
