"""Reasons of the detectors that ignore order: which keys occur too often, too seldom, or for the first time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from logbert.detectors.base import Reason

if TYPE_CHECKING:
    from logbert.detectors.corpus import Keys
    from logbert.detectors.count_vectors import Matrix, Vocabulary

MOST_REASONS = 8
LEAST_SHARE = 0.01  # of the whole oddity; what contributes less is not worth a line


def count_reasons(sequence: Keys, vocabulary: Vocabulary, parts: Matrix, typical: Matrix) -> list[Reason]:
    """Turn each column's part in the oddity into reasons, worst first.

    Parameters
    ----------
    sequence
        The keys of the sequence.
    vocabulary
        Which column is which key.
    parts
        How much each column contributes to the raw score; zero or less is nothing.
    typical
        How often each column's key would occur in the sequence if it were normal.
    """
    whole = float(np.maximum(parts, 0.0).sum())
    columns = vocabulary.columns(sequence)
    counts = np.bincount(columns, minlength=vocabulary.width)
    reasons: list[Reason] = []
    for column in np.argsort(-parts, kind="stable")[:MOST_REASONS].tolist():
        part = float(parts[column])
        if part <= LEAST_SHARE * whole:
            break
        if column == vocabulary.unseen:
            reasons.extend(_unseen(sequence, columns, vocabulary, part))
        else:
            reasons.append(_miscounted(sequence, vocabulary.keys[column], int(counts[column]), typical[column], part))
    return reasons


def _unseen(sequence: Keys, columns: np.ndarray, vocabulary: Vocabulary, part: float) -> list[Reason]:
    places = np.flatnonzero(columns == vocabulary.unseen)
    keys, first, counts = np.unique(sequence[places], return_index=True, return_counts=True)
    order = np.lexsort((first, -counts))[:MOST_REASONS]
    return [
        Reason(
            "unseen key",
            weight=part * int(counts[i]) / len(places),
            position=int(places[first[i]]),
            key=int(keys[i]),
            detail=f"{_times(int(counts[i]))}, never in training",
        )
        for i in order
    ]


def _miscounted(sequence: Keys, key: np.int32, count: int, typical: np.float64, part: float) -> Reason:
    usual = max(float(typical), 0.0)
    places = np.flatnonzero(sequence == key)
    kind = "missing key" if count == 0 else "too many of" if count > usual else "too few of"
    return Reason(
        kind,
        weight=part,
        position=int(places[-1]) if len(places) else None,
        key=int(key),
        detail=f"{_times(count)}, {usual:.3g} expected",
    )


def _times(count: int) -> str:
    return {0: "not once", 1: "once"}.get(count, f"{count} times")
