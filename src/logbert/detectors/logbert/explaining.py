"""Which keys made a sequence odd, how odd each was, and what the network would have found normal instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from logbert.detectors.base import Reason
from logbert.detectors.logbert.scoring import token_misses, token_surprise
from logbert.detectors.logbert.tokens import END, SPECIALS, UNSEEN

if TYPE_CHECKING:
    from logbert.detectors.corpus import Corpus, Scores
    from logbert.detectors.logbert.panel import Panel
    from logbert.detectors.logbert.reading import Slots
    from logbert.detectors.logbert.tokens import Chunks, Vocabulary

EXPECTED = 5  # likeliest keys named with each reason
NOTABLE = 0.02  # a key that adds this share of what it takes to be anomalous is worth a line


def surprising_tokens(slots: Slots, chunks: Chunks, candidates: int, boundary: float) -> Scores:
    """Weigh each token (as `chunks.tokens`) by what it adds to the score, over the boundary; 0 if not worth a line.

    The most surprising token of a chunk always is, so that every anomaly has a reason.
    """
    surprise = token_surprise(slots, chunks)
    missed = token_misses(slots, chunks, candidates)
    begins = chunks.offsets[:-1]
    of_chunk = np.repeat(np.add.reduceat(missed, begins), chunks.lengths)
    oddest = surprise == np.repeat(np.maximum.reduceat(surprise, begins), chunks.lengths)
    weight = np.where(oddest, surprise, 0.0) + missed / np.sqrt(np.maximum(of_chunk, 1e-9))
    return np.where(oddest | (weight >= NOTABLE * boundary), weight, 0.0) / boundary


def missed_tokens(slots: Slots, chunks: Chunks, candidates: int, boundary: float) -> Scores:
    """Weigh each token (as `chunks.tokens`) by how often it was not among the candidates, over the boundary."""
    missed = slots.ranks >= candidates
    token = chunks.offsets[slots.chunks[missed]] + 1 + slots.places[missed]
    return np.bincount(token, minlength=len(chunks.tokens)) / boundary


def reasons(
    panel: Panel, vocabulary: Vocabulary, corpus: Corpus, chunks: Chunks, weights: Scores
) -> list[list[Reason]]:
    """Put the tokens of weight above 0 into words, for each sequence the heaviest first."""
    found: list[dict[int, Reason]] = [{} for _ in range(len(corpus))]
    odd = np.flatnonzero(weights > 0)
    chunk = np.searchsorted(chunks.offsets, odd, side="right") - 1
    place = odd - chunks.offsets[chunk] - 1
    expectations = panel.expectations(chunks, chunk, place)
    for index, log_probabilities in enumerate(expectations):
        sequence = int(chunks.owners[chunk[index]])
        position = int(chunks.starts[chunk[index]] + place[index])
        reason = _reason(
            token=int(chunks.tokens[odd[index]]),
            position=position,
            weight=float(weights[odd[index]]),
            log_probabilities=log_probabilities,
            keys=vocabulary.keys,
            corpus_keys=corpus[sequence],
            first_class=panel.first_class,
        )
        other = found[sequence].get(position)  # chunks may overlap
        if other is None or reason.weight > other.weight:
            found[sequence][position] = reason
    return [sorted(each.values(), key=lambda reason: (-reason.weight, reason.position)) for each in found]


def _reason(
    *,
    token: int,
    position: int,
    weight: float,
    log_probabilities: npt.NDArray[np.float64],
    keys: npt.NDArray[np.int32],
    corpus_keys: npt.NDArray[np.int32],
    first_class: int,
) -> Reason:
    probabilities = np.exp(log_probabilities)
    probabilities /= probabilities.sum()
    order = np.argsort(-log_probabilities, kind="stable")
    likely = [int(label) + first_class for label in order[: EXPECTED + 1]]
    expected = tuple(
        (int(keys[other - SPECIALS]), float(probabilities[other - first_class]))
        for other in likely
        if other >= SPECIALS and other != token
    )[:EXPECTED]
    detail = _in_words(likely[0], float(probabilities[order[0]]), token)
    if token == UNSEEN:
        return Reason("unseen key", weight, position, int(corpus_keys[position]), expected=expected, detail=detail)
    own = token - first_class
    return Reason(
        kind="missing key" if token == END else "unexpected key",
        weight=weight,
        position=position,
        key=None if token == END else int(corpus_keys[position]),
        rank=int(np.flatnonzero(order == own)[0]),
        probability=float(probabilities[own]),
        expected=expected,
        detail=detail,
    )


def _in_words(likeliest: int, probability: float, token: int) -> str:
    if token == END:
        return "the sequence ends here, where more was expected"
    if likeliest == END:
        return f"the sequence was expected to have ended here ({probability:.0%})"
    return "never seen in training" if token == UNSEEN else ""


def far_away(distances: Scores, boundary: float) -> list[list[Reason]]:
    """Say of each sequence beyond the boundary that it is far from the centre of the normal ones."""
    return [
        [Reason("far from normal", distance / boundary, detail=f"{distance / boundary:.2f} times the normal distance")]
        if distance >= boundary
        else []
        for distance in distances.tolist()
    ]
