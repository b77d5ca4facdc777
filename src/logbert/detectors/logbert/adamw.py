"""The optimiser: AdamW over all weights as one vector.

torch has one, but to make it imports a compiler that nothing here uses: a second, of a training that takes some twenty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor, nn

FIRST, SECOND = 0.9, 0.999  # how much of its running means each step keeps
TINY = 1e-8  # added to the root of the second moment
GRADIENT_NORM = 1.0  # longer gradients are shortened to this


class AdamW:
    """Adam with decoupled weight decay, of gradients that are shortened to a length of 1.

    The parameters become views of one vector, so that a step is a few operations on it and not a few on each.

    Parameters
    ----------
    parameters
        What is to be moved, by name.
    weight_decay
        Shrinkage of the weights a step, as a share of the learning rate.

    References
    ----------
    Ilya Loshchilov, Frank Hutter. Decoupled Weight Decay Regularization. ICLR 2019.
    """

    def __init__(self, parameters: Mapping[str, nn.Parameter], *, weight_decay: float) -> None:
        self.parameters = dict(parameters)
        self.weight_decay = weight_decay
        self.weights = self._joined({name: parameter.detach() for name, parameter in parameters.items()})
        for name, part in self._parts(self.weights).items():
            self.parameters[name].data = part
        self.first = torch.zeros_like(self.weights)
        self.second = torch.zeros_like(self.weights)
        self.steps = 0

    def gradient(self, loss: Tensor) -> Tensor:
        """Give the gradient of a loss, as one vector; it is zero where the loss does not reach."""
        if not loss.requires_grad:
            return torch.zeros_like(self.weights)
        found = torch.autograd.grad(loss, list(self.parameters.values()), allow_unused=True)
        pairs = zip(self.parameters.items(), found, strict=True)
        return self._joined({name: torch.zeros_like(own) if one is None else one for (name, own), one in pairs})

    def step(self, gradient: Tensor, rate: float) -> None:
        """Move the weights against this gradient, as far as the learning rate says."""
        self.steps += 1
        gradient = gradient * (GRADIENT_NORM / (gradient.norm() + 1e-6)).clamp(max=1.0)
        self.weights.mul_(1 - rate * self.weight_decay)
        self.first.lerp_(gradient, 1 - FIRST)
        self.second.mul_(SECOND).addcmul_(gradient, gradient, value=1 - SECOND)
        spread = (self.second / (1 - SECOND**self.steps)).sqrt_().add_(TINY)
        self.weights.addcdiv_(self.first, spread, value=-rate / (1 - FIRST**self.steps))

    def moments(self) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        """Give copies of the running means of the gradient and of its square, by parameter."""
        first, second = self._parts(self.first.clone()), self._parts(self.second.clone())
        return first, second

    def take_up(self, steps: int, first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> None:
        """Go on where another left off."""
        self.steps = steps
        for own, others in ((self.first, first), (self.second, second)):
            for name, part in self._parts(own).items():
                if name in others:
                    part.copy_(others[name])

    def _joined(self, tensors: Mapping[str, Tensor]) -> Tensor:
        return torch.cat([tensors[name].flatten() for name in self.parameters])

    def _parts(self, whole: Tensor) -> dict[str, Tensor]:
        sizes = [parameter.numel() for parameter in self.parameters.values()]
        parts = zip(self.parameters.items(), torch.split(whole, sizes), strict=True)
        return {name: part.view_as(parameter) for (name, parameter), part in parts}
