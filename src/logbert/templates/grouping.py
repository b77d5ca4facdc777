"""Which masked messages are the same template: found with all of them in view, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.patterns import Evidence, Patterns
from logbert.templates.tokens import Variant, Vocabulary, by_length, cut, cut_spans, join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Grouped:
    """What grouping found.

    Parameters
    ----------
    group
        For each message, the number of its template.
    texts
        The text of each template.
    variants
        The forms in which each template came.
    """

    group: NDArray[np.int64]
    texts: list[str]
    variants: list[list[Variant]]


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
    >>> [found.texts[group] for group in found.group]
    ['clock in sync to <*> now', 'clock in sync to <*> now', 'clock lost']
    """
    evidence = evidence or Evidence()
    group = np.zeros(len(masked), dtype=np.int64)
    narrow: list[list[str]] = []
    for rows, patterns, vocabulary in _patterns(cut(masked), evidence):
        patterns.merge()
        group[rows] = patterns.row_of + len(narrow)
        narrow += vocabulary.spell(patterns.rows)
    return _with_spans(group, narrow, evidence)


def _with_spans(group: NDArray[np.int64], narrow: list[list[str]], evidence: Evidence) -> Grouped:
    template_of = np.zeros(len(narrow), dtype=np.int64)
    wide: list[list[str]] = []
    pieces = cut_spans(pl.Series(["".join(tokens) for tokens in narrow], dtype=pl.String))
    for rows, patterns, vocabulary in _patterns(pieces, evidence):
        patterns.merge_spans()
        template_of[rows] = patterns.row_of + len(wide)
        wide += vocabulary.spell(patterns.rows)
    texts = [join(tokens) for tokens in wide]
    variants: list[list[Variant]] = [[] for _ in wide]
    for place, tokens in enumerate(narrow):
        template = template_of[place]
        variants[template].append(Variant(tokens))
        texts[template] = join(tokens)
    for template, tokens in enumerate(wide):
        if len(variants[template]) > 1:
            variants[template].append(Variant(tokens, spans=True))
            texts[template] = join(tokens)
    return Grouped(template_of[group], texts, variants)


def _patterns(tokens: pl.Series, evidence: Evidence) -> Iterator[tuple[NDArray[np.int64], Patterns, Vocabulary]]:
    flat = tokens.explode().drop_nulls()
    vocabulary = Vocabulary.of(flat.unique())
    numbers = flat.replace_strict(vocabulary.texts, range(len(vocabulary.texts)), return_dtype=pl.Int32)
    for rows, matrix in by_length(tokens, numbers):
        yield rows, Patterns(matrix, vocabulary, evidence), vocabulary
