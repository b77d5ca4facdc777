"""The network has the paper's shape, and its two ways of attending agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from logbert.detectors.logbert.config import DEFAULT, PAPER
from logbert.detectors.logbert.network import LogBERTNetwork, sinusoids
from logbert.detectors.logbert.tokens import DIST, END, MASK, PAD

if TYPE_CHECKING:
    from logbert.detectors.logbert.config import LogBERTConfig


def test_the_papers_network_has_the_papers_shapes() -> None:
    network = LogBERTNetwork(PAPER, keys=29)
    shapes = {name: tuple(value.shape) for name, value in network.named_parameters()}
    assert shapes["embedding.weight"][1] == 50
    assert shapes["project.weight"] == (256, 50)
    assert shapes["layers.0.attention.qkv.weight"] == (768, 256)
    assert shapes["output.weight"] == (29, 256)  # exactly the known keys
    assert len(network.layers) == 2


def test_the_default_network_is_small_and_predicts_the_end_too() -> None:
    network = LogBERTNetwork(DEFAULT, keys=29)
    assert network.output.out_features == 30
    assert sum(value.numel() for value in network.parameters()) < 80_000


def test_positions_are_sinusoids() -> None:
    table = sinusoids(4, 6)
    assert table[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert torch.allclose(table[3, 2], torch.sin(torch.tensor(3 / 10000 ** (2 / 6))))


def test_padding_changes_nothing() -> None:
    torch.manual_seed(0)
    network = LogBERTNetwork(DEFAULT, keys=4).eval()
    tokens = torch.tensor([[DIST, 5, MASK, 7, END]])
    padded = torch.tensor([[DIST, 5, MASK, 7, END, PAD, PAD, PAD]])
    with torch.inference_mode():
        assert torch.allclose(network(tokens), network(padded)[:, :5], atol=1e-5)


def test_plain_and_fused_attention_agree() -> None:
    torch.manual_seed(0)
    network = LogBERTNetwork(DEFAULT, keys=4)
    tokens = torch.randint(4, 9, (3, 20))
    tokens[1, 12:] = PAD
    with torch.inference_mode():
        fused = network.train()(tokens)  # dropout is 0: training differs in the way of attending alone
        plain = network.eval()(tokens)
    assert torch.allclose(fused[0], plain[0], atol=1e-5)
    assert torch.allclose(fused[1, :12], plain[1, :12], atol=1e-5)


@pytest.mark.parametrize("config", [DEFAULT, PAPER])
def test_places_asked_about_get_the_vectors_they_have_among_all(config: LogBERTConfig) -> None:
    torch.manual_seed(0)
    network = LogBERTNetwork(config, keys=4).eval()
    tokens = torch.randint(4, 9, (3, 10))
    tokens[1, 6:] = PAD
    for chosen in ([0], [3, 9, 10, 15, 29], list(range(16))):
        with torch.inference_mode():
            every = network(tokens).flatten(0, 1)[chosen]
            assert torch.allclose(network(tokens, torch.tensor(chosen)), every, atol=1e-5)
