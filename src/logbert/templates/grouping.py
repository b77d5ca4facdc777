"""Which masked messages are the same template: found with all of them in view, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.tokens import Kind, Vocabulary, by_length, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def _mixed(ids: NDArray[np.int32], positions: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash each token with its place; sums of these hash a row, and a place can be taken out of a sum."""
    x: NDArray[np.uint64] = (ids.astype(np.uint64) + np.uint64(1)) * _ODD + positions.astype(np.uint64) * _MIX_1
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@dataclass(frozen=True)
class Evidence:
    """How many different fillers make a place a wildcard.

    Parameters
    ----------
    fillers
        Plain words needed in a place where all else is equal.
    assigned
        The same, behind `=` or a quote.
    announced
        The same, behind a word that announces a value (`user bob`).
    states
        The same, if they are words that tell events apart (`Paused`, `STOPPED`).
    first
        The same, for the first word of a message.
    """

    fillers: int = 5
    assigned: int = 4
    announced: int = 3
    states: int = 16
    first: int = 16


class Patterns:
    """The distinct token rows of one length, and which message has become which."""

    def __init__(self, matrix: NDArray[np.int32], vocabulary: Vocabulary, evidence: Evidence) -> None:
        self.vocabulary = vocabulary
        self.evidence = evidence
        self.rows = matrix
        self.row_of = np.arange(len(matrix))
        self._collapse()

    def _collapse(self) -> None:
        hashes = self._contributions().sum(axis=1, dtype=np.uint64)
        _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        self.rows = self.rows[first]
        self.row_of = inverse[self.row_of]

    def _contributions(self) -> NDArray[np.uint64]:
        return _mixed(self.rows, np.arange(self.rows.shape[1]))

    def _kinds(self) -> NDArray[np.int8]:
        return self.vocabulary.kinds[self.rows]

    def merge_values(self) -> None:
        """Merge rows that differ only in what looks like a value anyway."""
        if len(self.rows) < 2:
            return
        kinds = self._kinds()
        loose = kinds >= Kind.VALUE
        words = ((kinds == Kind.WORD) | (kinds == Kind.STATE)).sum(axis=1)
        canonical = np.where(loose, np.int32(-2), self.rows)
        hashes = _mixed(canonical, np.arange(self.rows.shape[1])).sum(axis=1, dtype=np.uint64)
        hashes[words == 0] = np.arange((words == 0).sum(), dtype=np.uint64)
        _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
        if (size < 2).all():
            return
        order = np.argsort(group, kind="stable")
        starts = np.concatenate([[0], np.cumsum(size)[:-1]])
        low = np.minimum.reduceat(self.rows[order], starts, axis=0)
        high = np.maximum.reduceat(self.rows[order], starts, axis=0)
        varies = low != high
        # the first word of a message is wording, unless wildcards were seen there or many values
        wild_first = np.bincount(group[kinds[:, 0] == Kind.WILD], minlength=len(size)) > 0
        varies[:, 0] &= wild_first | (size >= self.evidence.fillers)
        varies = varies[group]
        open_ = np.logical_or.reduceat(self.vocabulary.is_hole()[self.rows[order]], starts, axis=0)[group]
        self.rows = np.where(varies, self.vocabulary.wild_for(self.rows, hole=False), self.rows)
        self.rows = np.where(varies & open_, self.vocabulary.wild_for(self.rows, hole=True), self.rows)
        self._collapse()

    def merge_fillers(self) -> bool:
        """Make one place a wildcard wherever enough different words stand in it; say whether anything changed."""
        count, length = self.rows.shape
        if count < 2 or length < 2:
            return False
        kinds = self._kinds()
        contributions = self._contributions()
        holes = contributions.sum(axis=1, dtype=np.uint64)[:, None] - contributions
        holes += (np.arange(length, dtype=np.uint64) + np.uint64(1)) * _MIX_2
        fillable = (kinds != Kind.SIGN).ravel()
        cells = np.flatnonzero(fillable)
        _, group, size = np.unique(holes.ravel()[cells], return_inverse=True, return_counts=True)
        several = size[group] > 1
        cells, group = cells[several], group[several]
        if not len(cells):
            return False
        names, group = np.unique(group, return_inverse=True)
        accepted = self._accepts(cells, group, len(names), kinds)
        return self._fill(cells, group, accepted)

    def _accepts(
        self, cells: NDArray[np.int64], group: NDArray[np.int64], groups: int, kinds: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """Give the number of fillers of each group that has enough of them, 0 for the others."""
        length = self.rows.shape[1]
        kind = kinds.ravel()[cells]
        counts = {k: np.bincount(group[kind == k], minlength=groups) for k in Kind}
        total = np.bincount(group, minlength=groups)
        some = np.zeros(groups, dtype=np.int64)
        some[group] = cells
        row, place = some // length, some % length
        wordy = (kinds == Kind.WORD) | (kinds == Kind.STATE)
        words = wordy.sum(axis=1)[row] - wordy[row, place]
        before = self.rows[row, np.maximum(place - 1, 0)]
        second = self.rows[row, np.maximum(place - 2, 0)]
        sign = self.vocabulary.kinds[before] == Kind.SIGN
        equals = (place > 0) & self.vocabulary.opens[before]
        named = self.vocabulary.announces[before] | (sign & self.vocabulary.announces[second])
        named &= (place > 0) & ~equals
        need = np.where(named, self.evidence.announced, np.where(equals, self.evidence.assigned, self.evidence.fillers))
        need = np.where(words < 3, need * 2, need)
        need = np.where((place == 0) & (counts[Kind.WILD] == 0), self.evidence.first, need)
        need = np.where(counts[Kind.STATE] * 2 > total, np.maximum(need, self.evidence.states), need)
        have = total + counts[Kind.VALUE] + 2 * counts[Kind.WILD]
        enough = (have >= need) & (words > 0)
        return np.where(enough, total, 0)

    def _fill(self, cells: NDArray[np.int64], group: NDArray[np.int64], accepted: NDArray[np.int64]) -> bool:
        """Let each row follow the largest group it is in, the leftmost among equals."""
        length = self.rows.shape[1]
        strength = accepted[group]
        keep = strength > 0
        if not keep.any():
            return False
        cells, strength = cells[keep], strength[keep]
        order = np.lexsort((cells, -strength))
        _, first = np.unique(cells[order] // length, return_index=True)
        chosen = cells[order][first]
        flat = self.rows.ravel().copy()
        wild = self.vocabulary.wild_for(flat[chosen], hole=True)
        changed = bool((flat[chosen] != wild).any())
        flat[chosen] = wild
        self.rows = flat.reshape(self.rows.shape)
        self._collapse()
        return changed


def group_messages(masked: pl.Series, evidence: Evidence | None = None) -> tuple[NDArray[np.int64], list[list[str]]]:
    """Group masked messages into templates.

    Parameters
    ----------
    masked
        Distinct masked messages.
    evidence
        What it takes to merge.

    Returns
    -------
    group, templates
        The template of each message, and the tokens of each template.
    """
    evidence = evidence or Evidence()
    tokens = cut(masked)
    flat = tokens.explode()
    flat = flat.drop_nulls()
    vocabulary = Vocabulary.of(flat.unique())
    numbers = flat.replace_strict(vocabulary.texts, range(len(vocabulary.texts)), return_dtype=pl.Int32)
    group = np.zeros(len(masked), dtype=np.int64)
    templates: list[list[str]] = []
    for rows, matrix in by_length(tokens, numbers):
        patterns = Patterns(matrix, vocabulary, evidence)
        patterns.merge_values()
        while patterns.merge_fillers():
            patterns.merge_values()
        group[rows] = patterns.row_of + len(templates)
        templates += [[vocabulary.texts[token] for token in row] for row in patterns.rows]
    return group, templates
