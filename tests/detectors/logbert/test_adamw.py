"""Our AdamW moves weights as torch's does, which is the slow and obvious way, and can be stopped and taken up."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from logbert.detectors.logbert.adamw import GRADIENT_NORM, AdamW

steps = st.lists(st.tuples(st.floats(1e-4, 0.1), st.floats(1e-3, 100.0)), min_size=1, max_size=6)  # rate, size of loss


def small() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 2)


def loss(network: nn.Module, size: float, number: int) -> Tensor:
    inputs = torch.arange(12.0).sin().view(4, 3) + number
    return (network(inputs) ** 2).mean() * size


@given(steps, st.floats(0, 0.5))
@settings(max_examples=20, deadline=None)
def test_it_moves_weights_as_torchs_own_does(course: list[tuple[float, float]], decay: float) -> None:
    network, twin = small(), small()
    ours = AdamW(dict(network.named_parameters()), weight_decay=decay)
    theirs = torch.optim.AdamW(twin.parameters(), weight_decay=decay)
    for number, (rate, size) in enumerate(course):
        ours.step(ours.gradient(loss(network, size, number)), rate)
        theirs.zero_grad()
        loss(twin, size, number).backward()
        nn.utils.clip_grad_norm_(twin.parameters(), GRADIENT_NORM)
        theirs.param_groups[0]["lr"] = rate
        theirs.step()
    for own, other in zip(network.parameters(), twin.parameters(), strict=True):
        assert torch.allclose(own, other, rtol=1e-4, atol=1e-6)


def test_taken_up_it_goes_on_as_if_it_had_not_stopped() -> None:
    whole, halved = small(), small()
    one = AdamW(dict(whole.named_parameters()), weight_decay=0.01)
    first = AdamW(dict(halved.named_parameters()), weight_decay=0.01)
    for number in range(3):
        one.step(one.gradient(loss(whole, 1.0, number)), 0.1)
        first.step(first.gradient(loss(halved, 1.0, number)), 0.1)
    second = AdamW(dict(halved.named_parameters()), weight_decay=0.01)
    second.take_up(first.steps, *first.moments())
    one.step(one.gradient(loss(whole, 1.0, 3)), 0.1)
    second.step(second.gradient(loss(halved, 1.0, 3)), 0.1)
    assert torch.equal(whole.weight, halved.weight)
    assert torch.equal(whole.bias, halved.bias)


def test_weights_that_a_loss_does_not_reach_have_no_gradient() -> None:
    network = small()
    adamw = AdamW(dict(network.named_parameters()), weight_decay=0.0)
    assert adamw.gradient(torch.zeros(())).tolist() == [0.0] * 8
    assert adamw.gradient(network.bias.sum()).tolist() == [0.0] * 6 + [1.0] * 2


def test_weights_can_be_loaded_and_still_be_moved() -> None:
    network = small()
    adamw = AdamW(dict(network.named_parameters()), weight_decay=0.0)
    network.load_state_dict({"weight": torch.ones(2, 3), "bias": torch.zeros(2)})
    adamw.step(torch.ones(8), 0.5)
    assert torch.allclose(network.weight, torch.full((2, 3), 0.5))
