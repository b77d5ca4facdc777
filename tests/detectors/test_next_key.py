"""Histories, prefix trees and the network over them, against the plainest way to do the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from logbert.detectors.corpus import Corpus
from logbert.detectors.count_vectors import Vocabulary
from logbert.detectors.next_key import histories as histories_module
from logbert.detectors.next_key.histories import UNSEEN_TARGET, Alphabet, Histories, PrefixTree
from logbert.detectors.next_key.network import NextKeyNetwork, Shape
from logbert.detectors.next_key.training import Examples, evaluate, train

KNOWN = [3, 5, 8]
ALPHABET = Alphabet(len(KNOWN))
rows = st.lists(st.lists(st.sampled_from([*KNOWN, 77]), max_size=9), min_size=1, max_size=6)


def histories_of(sequences: list[list[int]], history: int = 3) -> tuple[Corpus, Histories]:
    corpus, vocabulary = Corpus.of(sequences), Vocabulary.of(Corpus.of([KNOWN]))
    return corpus, Histories.of(corpus, vocabulary.columns(corpus.keys), ALPHABET, history)


@settings(deadline=None)
@given(rows, st.integers(1, 5))
def test_every_position_has_the_keys_before_it_and_the_end_comes_last(sequences, history):
    corpus, found = histories_of(sequences, history)
    symbol = {3: 0, 5: 1, 8: 2, 77: ALPHABET.unseen}
    position = 0
    for index, keys in enumerate(corpus):
        padded = [ALPHABET.start] * history + [symbol[key] for key in keys.tolist()]
        for place in range(len(keys) + 1):
            assert found.contexts[found.places[position]].tolist() == padded[place : place + history]
            target = ALPHABET.end if place == len(keys) else symbol[keys[place]]
            assert found.targets[position] == (
                UNSEEN_TARGET if target == ALPHABET.unseen and place < len(keys) else target
            )
            assert found.owners[position] == index
            position += 1
    assert position == len(found.targets)


@settings(deadline=None)
@given(rows)
def test_histories_are_distinct_and_ascending_also_when_their_codes_overflow(sequences):
    _, plain = histories_of(sequences, history=4)
    limit, histories_module.LARGEST_CODE = histories_module.LARGEST_CODE, 40
    try:
        _, squeezed = histories_of(sequences, history=4)
    finally:
        histories_module.LARGEST_CODE = limit
    spelled = list(map(tuple, plain.contexts.tolist()))
    assert spelled == sorted(set(spelled))
    np.testing.assert_array_equal(plain.contexts, squeezed.contexts)
    np.testing.assert_array_equal(plain.places, squeezed.places)


@settings(deadline=None)
@given(rows)
def test_a_prefix_tree_spells_its_histories(sequences):
    _, found = histories_of(sequences)
    tree = PrefixTree.of(found.contexts)
    nodes = np.arange(len(found.contexts))
    for column in range(found.contexts.shape[1] - 1, -1, -1):
        np.testing.assert_array_equal(tree.symbols[column][nodes], found.contexts[:, column])
        nodes = tree.parents[column][nodes]


def small(*, quantitative: bool = False, meaning: np.ndarray | None = None) -> NextKeyNetwork:
    shape = Shape(ALPHABET.symbols, ALPHABET.targets, ALPHABET.unseen, 3, 8, 2, quantitative)
    return NextKeyNetwork(shape, meaning, seed=1)


def torchs_own(network: NextKeyNetwork) -> nn.LSTM:
    """Torch's LSTM with the same weights: its gates are in the order enter, forget, cell, out."""
    own = nn.LSTM(ALPHABET.symbols, 8, num_layers=2, batch_first=True)
    branch = network.sequential

    def ordered(matrix: torch.Tensor) -> torch.Tensor:
        enter, forget, out, cell = matrix.T.chunk(4)
        return torch.cat([enter, forget, cell, out])

    with torch.no_grad():
        own.weight_ih_l0.copy_(ordered(network.table))
        own.weight_ih_l1.copy_(ordered(branch.inward[0]))
        for layer in range(2):
            getattr(own, f"weight_hh_l{layer}").copy_(ordered(branch.recurrent[layer]))
            getattr(own, f"bias_ih_l{layer}").copy_(ordered(branch.bias[layer][None]).squeeze(1))
            getattr(own, f"bias_hh_l{layer}").zero_()
    return own


def test_the_network_is_torchs_lstm_on_one_hot_keys():
    _, found = histories_of([[3, 5, 8, 3, 3, 77], [5, 5], []])
    with torch.random.fork_rng(devices=[]):
        network = small()
        own = torchs_own(network)
    one_hot = nn.functional.one_hot(torch.from_numpy(found.contexts).long(), ALPHABET.symbols).float()
    with torch.no_grad():
        top = own(one_hot)[0][:, -1]
        expected = torch.log_softmax(top @ network.out + network.out_bias, dim=1)
        assert torch.allclose(network(PrefixTree.of(found.contexts)), expected, atol=1e-6)


def test_the_quantitative_branch_sees_counts_and_not_order():
    network = small(quantitative=True, meaning=np.zeros((ALPHABET.symbols, 4), dtype=np.float32))
    with torch.no_grad():  # with meanings of zero only the counts speak
        for recurrent, bias in zip(network.counting.recurrent, network.counting.bias, strict=True):
            recurrent.zero_()
            bias[8:16] = -100.0  # forget at once: only the last step's counts remain
        contexts = np.array([[0, 1, 2], [1, 0, 2], [1, 1, 2]], dtype=np.int32)
        ordered, swapped, other = network(PrefixTree.of(contexts))
    assert torch.allclose(ordered, swapped, atol=1e-6)
    assert not torch.allclose(ordered, other, atol=1e-6)


def test_the_loss_counts_rows_and_not_distinct_sequences():
    corpus, found = histories_of([[3, 5]] * 8 + [[3, 8]])
    examples = Examples.of(found, corpus.counts, ALPHABET.targets)
    after_three = np.flatnonzero(examples.contexts[:, -1] == 0)[0]
    entries = slice(examples.starts[after_three], examples.starts[after_three + 1])
    assert examples.targets[entries].tolist() == [1, 2]
    assert examples.shares[entries].tolist() == pytest.approx([8 / 9, 1 / 9])
    assert examples.weights[after_three] == pytest.approx(3.0)


def test_training_learns_the_shares_of_what_comes_next():
    corpus, found = histories_of([[3, 5]] * 60 + [[3, 8]] * 20)
    examples = Examples.of(found, corpus.counts, ALPHABET.targets)
    network = small()
    before = evaluate(network, examples)
    train(network, examples, examples, steps=150, seed=0)
    assert evaluate(network, examples) < before / 2
    context = np.array([[ALPHABET.start, ALPHABET.start, 0]], dtype=np.int32)
    with torch.no_grad():
        shares = network(PrefixTree.of(context)).exp()[0]
    assert shares[1].item() == pytest.approx(0.75, abs=0.05)


def test_the_weights_kept_are_those_best_on_the_held_out():
    corpus, found = histories_of([[3, 5, 8]] * 20)
    examples = Examples.of(found, corpus.counts, ALPHABET.targets)
    other_corpus, other = histories_of([[8, 5, 3]] * 20)
    held_out = Examples.of(other, other_corpus.counts, ALPHABET.targets)
    network = small()
    before = evaluate(network, held_out)
    train(network, examples, held_out, steps=60, seed=0)
    assert evaluate(network, held_out) <= before + 1e-6
