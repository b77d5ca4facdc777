"""What is read in batches of distinct views, at the places asked about only, is what reading one by one would give."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT, reading
from logbert.detectors.logbert import detector as detector_module
from logbert.detectors.logbert.config import DEFAULT, PAPER
from logbert.detectors.logbert.masking import patterns
from logbert.detectors.logbert.network import LogBERTNetwork
from logbert.detectors.logbert.reading import MOST_SURPRISE, STEPS, UNSEEN_RANK, Reader
from logbert.detectors.logbert.tokens import END, UNSEEN, Chunks, Vocabulary, view
from logbert.detectors.logbert.views import views_of
from logbert.detectors.threads import in_parallel, side_by_side

if TYPE_CHECKING:
    from logbert.detectors.logbert.config import LogBERTConfig

KEYS = np.arange(1, 9, dtype=np.int32)
SMALL = {
    "default": replace(DEFAULT, input=16, hidden=16, feed_forward=24, context=70),
    "paper": replace(PAPER, input=6, hidden=16, feed_forward=24, masks=3, context=5),
}
sequences = st.lists(st.sampled_from([*range(1, 9), 99]), max_size=12)
long = st.lists(st.sampled_from([*range(1, 9), 99]), min_size=60, max_size=80)
corpora = st.lists(sequences | long, min_size=1, max_size=5).map(Corpus.of)
names = st.sampled_from(sorted(SMALL))

Judged = dict[tuple[int, int], list[tuple[int, float]]]


def reader_of(config: LogBERTConfig) -> Reader:
    """Make a reader that has learnt nothing; in double precision, where no two classes tie by rounding."""
    torch.manual_seed(0)
    network = LogBERTNetwork(config, len(KEYS)).double()
    return Reader(network, config, seed=3, device=torch.device("cpu"))


def one_by_one(reader: Reader, chunks: Chunks) -> Judged:
    """Judge each chunk under each mask by itself, every token of it, and look up what was asked."""
    judged: Judged = {}
    for chunk in range(len(chunks)):
        tokens = chunks.padded(np.array([chunk]), int(chunks.lengths[chunk]) + reader.config.fog)
        length = int(chunks.lengths[chunk])
        masks = patterns(length - 1, masks=reader.config.masks, ratio=reader.config.detection_ratio, seed=reader.seed)
        for mask in masks:
            hidden = np.zeros(tokens.shape, dtype=np.bool_)
            hidden[0, 1:length] = mask
            seen = torch.from_numpy(view(tokens, hidden, np.array([reader.config.fog])))
            with torch.no_grad():
                log_p = reader.network.logits(reader.network(seen)[0]).log_softmax(-1).numpy()
            rounded = np.round(log_p * STEPS)
            for place in np.flatnonzero(mask).tolist():
                truth = int(tokens[0, place + 1])
                if truth == UNSEEN:
                    found = (UNSEEN_RANK, MOST_SURPRISE)
                else:
                    own = rounded[place + 1, truth - reader.network.first_class]
                    found = (int((rounded[place + 1] > own).sum()), min(-own / STEPS, MOST_SURPRISE))
                judged.setdefault((chunk, place), []).append(found)
    return judged


@given(names, corpora)
@settings(max_examples=8)
def test_every_masked_key_is_judged_as_if_read_alone(name: str, corpus: Corpus) -> None:
    config = SMALL[name]
    reader = reader_of(config)
    chunks = Chunks.of(corpus, Vocabulary(KEYS), context=config.context, end=config.end)
    slots = reader.examine(chunks)
    found: Judged = {}
    for chunk, place, rank, surprise in zip(slots.chunks, slots.places, slots.ranks, slots.surprise, strict=True):
        found.setdefault((int(chunk), int(place)), []).append((int(rank), float(surprise)))
    expected = one_by_one(reader, chunks)
    assert found.keys() == expected.keys()
    for slot, judged in expected.items():
        assert np.array(sorted(found[slot])) == pytest.approx(np.array(sorted(judged))), slot


@given(names, corpora)
@settings(max_examples=8)
def test_views_are_shown_once_a_mask_and_every_chunk_has_all_of_its(name: str, corpus: Corpus) -> None:
    config = SMALL[name]
    chunks = Chunks.of(corpus, Vocabulary(KEYS), context=config.context, end=config.end)
    shown = 0
    rows: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
    for group in views_of(chunks, np.arange(len(chunks)), config, masks=range(config.masks), seed=3):
        pairs = [(tuple(tokens), tuple(places)) for tokens, places in zip(group.tokens, group.places, strict=True)]
        shown += len(pairs)
        assert np.all(np.diff(group.of) >= 0)
        rows += [(int(chunk), *pairs[of]) for chunk, of in zip(group.chunks, group.of, strict=True)]
    expected, distinct = [], set()
    for chunk in range(len(chunks)):
        length = int(chunks.lengths[chunk])
        tokens = chunks.padded(np.array([chunk]), length + config.fog)
        masks = patterns(length - 1, masks=config.masks, ratio=config.detection_ratio, seed=3)
        for number, mask in enumerate(masks):
            hidden = np.zeros(tokens.shape, dtype=np.bool_)
            hidden[0, 1:length] = mask
            seen = view(tokens, hidden, np.array([config.fog]))[0]
            distinct.add((length, number, tuple(seen)))
            fog = config.fog if tokens[0, length - 1] == END and hidden[0, length - 1] else 0
            expected.append((chunk, tuple(seen[: length + fog]), tuple(np.flatnonzero(mask) + 1)))
    assert sorted(rows) == sorted(expected)
    assert shown == len(distinct)


def test_some_views_of_sequences_that_are_alike_are_shown_once(normal: list[list[int]]) -> None:
    chunks = Chunks.of(Corpus.of(normal), Vocabulary(KEYS), context=100, end=True)
    groups = list(views_of(chunks, np.arange(len(chunks)), DEFAULT, masks=range(8), seed=0))
    assert sum(len(group.tokens) for group in groups) < sum(len(group.of) for group in groups) == 8 * len(chunks)


@given(names, corpora, st.integers(1, 400))
@settings(max_examples=6)
def test_expectations_are_the_mean_over_the_masks_that_hide_a_place(name: str, corpus: Corpus, pick: int) -> None:
    config = SMALL[name]
    reader = reader_of(config)
    chunks = Chunks.of(corpus, Vocabulary(KEYS), context=config.context, end=config.end)
    wanted = np.repeat(np.arange(len(chunks)), chunks.lengths - 1)
    places = np.concatenate([np.arange(length - 1) for length in chunks.lengths] or [np.empty(0, dtype=np.int64)])
    chosen = np.arange(len(wanted)) % pick == 0
    found = reader.expectations(chunks, wanted[chosen], places[chosen])
    slots = reader.examine(chunks)
    for row, (chunk, place) in enumerate(zip(wanted[chosen], places[chosen], strict=True)):
        token = int(chunks.tokens[chunks.offsets[chunk] + 1 + place])
        mine = (slots.chunks == chunk) & (slots.places == place)
        if token != UNSEEN and mine.any():
            mean = -slots.surprise[mine].mean()
            assert found[row, token - reader.network.first_class] == pytest.approx(mean, abs=1 / STEPS)


@pytest.mark.parametrize("most", [1, 100, 2_000])
def test_judged_a_few_at_a_time_a_score_is_the_same(
    default: LogBERT, normal: list[list[int]], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = [*normal[:30], [], [99], [1, 2, 6], [1, 2, 3] * 9]
    scores, vectors = default.score(odd).tolist(), default.represent(odd).tolist()
    reasons = default.explain_all(Corpus.of(odd))
    misses, masked = default.misses(odd).tolist(), default.masked(odd).tolist()
    monkeypatch.setattr(detector_module, "JUDGED_AT_ONCE", most)
    monkeypatch.setattr(reading, "COMPARED", most)
    assert default.score(odd).tolist() == scores
    assert default.represent(odd).tolist() == vectors
    assert default.explain_all(Corpus.of(odd)) == reasons
    assert (default.misses(odd).tolist(), default.masked(odd).tolist()) == (misses, masked)


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(1, 4))
@settings(max_examples=20)
def test_work_side_by_side_is_given_in_order_and_threads_are_left_as_they_were(items: list[int], threads: int) -> None:
    before = torch.get_num_threads()

    def work(item: int) -> tuple[int, int]:
        time.sleep(item / 10_000)
        return item, torch.get_num_threads()

    try:
        torch.set_num_threads(threads)
        assert list(in_parallel(work, items)) == [(item, 1) for item in items]
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


@given(st.lists(st.integers(0, 3), max_size=6), st.integers(1, 3))
@settings(max_examples=10, deadline=None)
def test_small_pieces_come_back_in_order_however_many_work_on_them(items: list[int], workers: int) -> None:
    def work(item: int) -> int:
        time.sleep(item / 10_000)
        return item * 2

    with side_by_side(workers) as spread:
        assert [spread(work, items) for _ in range(3)] == [[item * 2 for item in items]] * 3


def test_what_goes_wrong_side_by_side_is_raised() -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with pytest.raises(ZeroDivisionError):
            list(in_parallel(lambda item: 1 // item, [1, 1, 0, 1]))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
