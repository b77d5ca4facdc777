"""The distinct messages of one length, and the merging of those that are one template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logbert.templates.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from logbert.templates.vocabulary import Vocabulary

    _Counts = NDArray[np.int64]
    _Judge = Callable[[_Counts, NDArray[np.bool_], _Counts, _Counts, _Counts], NDArray[np.bool_]]

_LEAST_FIXED = 3
_LEVEL = 4
_LOOSE = np.int32(-2)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class Evidence:
    """How many different words in one place make it a wildcard.

    A bare wildcard or a name in dots among them counts twofold. Where fewer than three words of a message are fixed,
    twice as many are needed.

    Parameters
    ----------
    fillers
        Plain words, where all else is equal.
    assigned
        The same, behind `=` or a quote.
    announced
        The same, behind a word that announces a value (`user bob`), or alone in quotes.
    mixed
        Words with a wildcard inside (`eth<*>`, `wlan<*>`).
    states
        Words that tell events apart (`Paused`, `STOPPED`), if they are the majority.
    first
        The first word of a message, unless a wildcard was seen there.
    """

    fillers: int = 5
    assigned: int = 4
    announced: int = 3
    mixed: int = 4
    states: int = 16
    first: int = 16


class Patterns:
    """Rows of token numbers that become fewer as they are merged.

    Parameters
    ----------
    matrix
        One row a message, all of one length.
    vocabulary
        What the numbers mean.
    evidence
        What it takes to merge.

    Attributes
    ----------
    rows
        The distinct rows left.
    row_of
        For each message, its row.
    """

    def __init__(self, matrix: NDArray[np.int32], vocabulary: Vocabulary, evidence: Evidence) -> None:
        self.vocabulary = vocabulary
        self.evidence = evidence
        self.rows = matrix
        self.row_of = np.arange(len(matrix))
        self._collapse()

    def merge(self) -> None:
        """Merge what differs in values only, then what differs in one word only, until nothing changes."""
        self._merge_alike()
        while self._merge_rare():
            self._merge_alike()

    def _merge_alike(self) -> None:
        self._merge_values()
        while self._merge_one(self._fillers):
            self._merge_values()

    def merge_spans(self) -> None:
        """Merge what differs in one piece only, if that piece holds a value in each and is nothing else in one."""
        while self._merge_one(self._spans):
            pass

    def _collapse(self) -> None:
        hashes = _mixed(self.rows).sum(axis=1, dtype=np.uint64)
        _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        self.rows = self.rows[first]
        self.row_of = inverse[self.row_of]

    def _merge_values(self) -> None:
        """Merge rows that are equal but for values and words announced as values."""
        if len(self.rows) > 1 and self.rows.shape[1]:
            need = self._need_of_cells(self.vocabulary.kinds[self.rows])
            self._merge_loose(need)

    def _merge_rare(self) -> bool:
        """Merge rows that are equal but for rare words in the same places; say if there were any.

        A template of n messages shows its wording n times, and the words at a wildcard far less often each: at some
        level between the two all its wildcards are found at once, even if no two messages differ in one word only.
        """
        if len(self.rows) < _LEVEL or not self.rows.shape[1]:
            return False
        kinds = self.vocabulary.kinds[self.rows]
        need = self._need_of_cells(kinds)
        frequencies = self._frequencies()
        wordy = (kinds == Kind.WORD) | (kinds == Kind.STATE)
        fillable = (kinds == Kind.WORD) & (need == 0)
        fillable[:, 0] = False
        level = _LEVEL
        while level <= len(self.rows):
            if self._merge_below(level, need.copy(), fillable & (frequencies < level), wordy):
                return True
            level *= _LEVEL
        return False

    def _merge_below(
        self, level: int, need: NDArray[np.int64], rare: NDArray[np.bool_], wordy: NDArray[np.bool_]
    ) -> bool:
        need[rare] = 2 * self.evidence.fillers
        fixed = (wordy & (need == 0)).sum(axis=1)
        candidates = rare.any(axis=1) & (fixed >= _LEAST_FIXED) & (fixed * 2 >= wordy.sum(axis=1))
        if candidates.sum() < level:
            return False
        need[~candidates] = 0
        hashes = _mixed(np.where(need > 0, _LOOSE, self.rows)).sum(axis=1, dtype=np.uint64)
        _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
        need[size[group] < level] = 0
        before = len(self.rows)
        if need.any():
            self._merge_loose(need)
        return len(self.rows) < before

    def _frequencies(self) -> NDArray[np.int64]:
        """Count, for each cell, the rows with the same token in the same place."""
        _, slot, size = np.unique(_mixed(self.rows).ravel(), return_inverse=True, return_counts=True)
        frequencies: NDArray[np.int64] = size[slot].reshape(self.rows.shape)
        return frequencies

    def _merge_loose(self, need: NDArray[np.int64]) -> None:
        """Merge rows that are equal but for loose cells, those with a need.

        Where a group of such rows has too few different tokens in a place, that place is wording after all and splits
        the group.
        """
        kinds = self.vocabulary.kinds[self.rows]
        loose = need > 0
        fixed = (((kinds == Kind.WORD) | (kinds == Kind.STATE)) & ~loose).sum(axis=1)
        loose[fixed == 0] = False
        need[(fixed < _LEAST_FIXED)[:, None] & (kinds < Kind.VALUE) & loose] *= 2
        while True:
            hashes = _mixed(np.where(loose, _LOOSE, self.rows)).sum(axis=1, dtype=np.uint64)
            _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
            if (size == 1).all():
                return
            varies, enough = self._weigh(group, len(size), need, kinds)
            poor = loose & (varies & ~enough)[group]
            if not poor.any():
                break
            loose &= ~poor
        self._widen(loose & varies[group], group)

    def _need_of_cells(self, kinds: NDArray[np.int8]) -> NDArray[np.int64]:
        """Say for each token how many different ones make its place a wildcard; 0 if it is wording."""
        evidence = self.evidence
        named, assigned = self._announced()
        word = np.where(named, evidence.announced, np.where(assigned, evidence.assigned, 0))
        need = np.select(
            [kinds >= Kind.VALUE, (kinds == Kind.MIXED) & assigned, kinds == Kind.MIXED, kinds == Kind.WORD],
            [2, evidence.mixed - 1, evidence.mixed, word],
            default=0,
        )
        # the first word is wording, unless wildcards or many names were seen in its place
        first = np.select(
            [kinds[:, 0] == Kind.WILD, kinds[:, 0] == Kind.VALUE, kinds[:, 0] == Kind.MIXED],
            [2, 2 * evidence.fillers, evidence.fillers],
            default=0,
        )
        need[:, 0] = first
        return need

    def _announced(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say which cells are announced by the word before them or by quotes, and which stand behind `=` or a quote."""
        before = np.roll(self.rows, 1, axis=1)
        second = np.roll(self.rows, 2, axis=1)
        sign = self.vocabulary.kinds[before] == Kind.SIGN
        assigned = self.vocabulary.opens[before]
        named = (self.vocabulary.announces[before] | (sign & self.vocabulary.announces[second])) & ~assigned
        named |= self._quoted()
        named[:, :1] = assigned[:, :1] = False
        return named, assigned

    def _quoted(self) -> NDArray[np.bool_]:
        """Say which cells stand between two quotes, the names of fields in JSON (`"name":`) left aside."""
        quote = self.vocabulary.quotes[self.rows]
        length = self.rows.shape[1]
        quoted = np.zeros(self.rows.shape, dtype=np.bool_)
        if length > 2:
            quoted[:, 1:-1] = quote[:, :-2] & quote[:, 2:] & ~quote[:, 1:-1]
        if length > 3:
            quoted[:, 1:-2] &= ~self.vocabulary.colons[self.rows[:, 3:]]
        return quoted

    def _weigh(
        self, group: NDArray[np.int64], groups: int, need: NDArray[np.int64], kinds: NDArray[np.int8]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Say for each group and place whether its tokens differ, and whether enough of them do."""
        length = self.rows.shape[1]
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(groups))
        sorted_rows = self.rows[order]
        low = np.minimum.reduceat(sorted_rows, starts, axis=0)
        high = np.maximum.reduceat(sorted_rows, starts, axis=0)
        varies = low != high
        where = np.flatnonzero(varies[group].ravel())
        cell_group, place, token = group[where // length], where % length, self.rows.ravel()[where]
        slot = cell_group * length + place
        _, first = np.unique(slot.astype(np.uint64) << np.uint64(32) | token.astype(np.uint64), return_index=True)
        weight = np.choose(np.maximum(kinds.ravel()[where[first]] - Kind.MIXED, 0), [1, 2, 2])
        have = np.bincount(slot[first], weights=weight, minlength=groups * length).reshape(groups, length)
        most = np.maximum.reduceat(need[order], starts, axis=0)
        wild = np.logical_or.reduceat(kinds[order] == Kind.WILD, starts, axis=0)
        most[:, 0] = np.where(wild[:, 0], np.minimum(most[:, 0], self.evidence.fillers), most[:, 0])
        return varies, have >= most

    def _widen(self, changes: NDArray[np.bool_], group: NDArray[np.int64]) -> None:
        """Put wildcards where rows of a group differ: holes if words were among them, else places for values."""
        if not changes.any():
            return
        wordy = changes & (self.vocabulary.is_hole(self.rows) | (self.vocabulary.kinds[self.rows] < Kind.VALUE))
        wordy[:, 0] = changes[:, 0]
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(group.max() + 1))
        hole = np.logical_or.reduceat(wordy[order], starts, axis=0)[group] & changes
        self.rows = np.where(changes, self.vocabulary.wild_for(self.rows, hole=False), self.rows)
        self.rows = np.where(hole, self.vocabulary.wild_for(self.rows, hole=True), self.rows)
        self._collapse()

    def _merge_one(self, judge: _Judge) -> bool:
        """Find rows equal but for one place, make it a hole where the judge finds enough, and say if that was so."""
        length = self.rows.shape[1]
        if len(self.rows) < 2 or length < 2:
            return False
        kinds = self.vocabulary.kinds[self.rows]
        cells = np.flatnonzero((kinds != Kind.SIGN).ravel())
        mixed = _mixed(self.rows)
        rest = mixed.sum(axis=1, dtype=np.uint64)[:, None] - mixed + np.arange(1, length + 1, dtype=np.uint64) * _MIX_2
        _, group, size = np.unique(rest.ravel()[cells], return_inverse=True, return_counts=True)
        several = size[group] > 1
        cells, group = cells[several], group[several]
        if not len(cells):
            return False
        _, some, group = np.unique(group, return_index=True, return_inverse=True)
        kind = kinds.ravel()[cells]
        counts = np.stack([np.bincount(group[kind == k], minlength=len(some)) for k in Kind])
        row, place = cells[some] // length, cells[some] % length
        wordy = (kinds == Kind.WORD) | (kinds == Kind.STATE)
        words = wordy.sum(axis=1)[row] - wordy[row, place]
        holes = np.bincount(group[self.vocabulary.is_hole(self.rows.ravel()[cells])], minlength=len(some)) > 0
        enough = judge(counts, holes, words, row, place)
        return self._fill(cells, np.where(enough, counts.sum(axis=0), 0)[group])

    def _fillers(
        self,
        counts: NDArray[np.int64],
        holes: NDArray[np.bool_],
        words: NDArray[np.int64],
        row: NDArray[np.int64],
        place: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Say where there are enough fillers; where a hole is already, any word fits."""
        evidence = self.evidence
        total = counts.sum(axis=0)
        named, assigned = (cells[row, place] for cells in self._announced())
        need = np.where(named, evidence.announced, np.where(assigned, evidence.assigned, evidence.fillers))
        need = np.where(counts[Kind.MIXED] * 2 > total, np.maximum(need, evidence.mixed), need)
        need = np.where(words < _LEAST_FIXED, need * 2, need)
        need = np.where((place == 0) & (counts[Kind.WILD] == 0), evidence.first, need)
        need = np.where(counts[Kind.STATE] * 2 > total, np.maximum(need, evidence.states), need)
        have = total + counts[Kind.VALUE] + counts[Kind.WILD]
        found: NDArray[np.bool_] = ((have >= need) | holes) & (words > 0)
        return found

    def _spans(
        self,
        counts: NDArray[np.int64],
        holes: NDArray[np.bool_],
        words: NDArray[np.int64],
        row: NDArray[np.int64],
        place: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Say where all pieces hold a value, and one is nothing else."""
        plain = counts[Kind.WORD] + counts[Kind.STATE] + counts[Kind.SIGN]
        found: NDArray[np.bool_] = (counts[Kind.WILD] > 0) & (plain == 0) & (words >= 2)
        return found

    def _fill(self, cells: NDArray[np.int64], strength: NDArray[np.int64]) -> bool:
        """Let each row follow the largest group it is in, the leftmost among equals."""
        kept = strength > 0
        if not kept.any():
            return False
        cells, strength = cells[kept], strength[kept]
        order = np.lexsort((cells, -strength))
        _, first = np.unique(cells[order] // self.rows.shape[1], return_index=True)
        chosen = cells[order][first]
        flat = self.rows.ravel().copy()
        wild = self.vocabulary.wild_for(flat[chosen], hole=True)
        changed = bool((flat[chosen] != wild).any())
        flat[chosen] = wild
        self.rows = flat.reshape(self.rows.shape)
        self._collapse()
        return changed


def _mixed(rows: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Hash each token with its place; sums of these hash a row, and a place can be taken out of a sum."""
    x: NDArray[np.uint64] = rows.astype(np.int64).astype(np.uint64) * _ODD
    x += np.arange(1, rows.shape[1] + 1, dtype=np.uint64) * _MIX_1
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))
