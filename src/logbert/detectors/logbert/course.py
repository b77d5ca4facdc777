"""How far training has come: what lets it go on later from where it stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import torch
from torch import Tensor

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Weights: TypeAlias = dict[str, Tensor]

TENSORS: Final = {
    "best": "weights",
    "last": "training/last",
    "first_moments": "training/first_moments",
    "second_moments": "training/second_moments",
}
FACTS: Final = (
    "epochs",
    "epoch",
    "rounds",
    "finished",
    "interrupted",
    "best_epoch",
    "best_loss",
    "losses",
    "held_out_losses",
    "steps",
)
PER_KEY: Final = ("embedding.weight", "output.weight", "output.bias")  # these have a row for every key, at their end


@dataclass(eq=False)
class Course:
    """How far training has come, and all that is needed to go on from there.

    Attributes
    ----------
    epoch
        Epochs done of this round.
    epochs
        Epochs this round has at most.
    rounds
        Rounds done before this one; `resume` after a finished round begins another.
    finished
        Whether the round is over, by its length or for want of progress.
    interrupted
        Whether Ctrl-C ended it early.
    best_epoch, best_loss
        The epoch after which the loss on held-out normals was lowest, and that loss.
    losses, held_out_losses
        Mean loss of each epoch, on what was trained on and on the held-out normals.
    best, last
        The network's weights at their best, and as training left them.
    first_moments, second_moments
        The optimiser's running means of the gradient and of its square.
    steps
        Steps the optimiser has made.
    """

    epochs: int
    epoch: int = 0
    rounds: int = 0
    finished: bool = False
    interrupted: bool = False
    best_epoch: int = 0
    best_loss: float = math.inf
    losses: list[float] = field(default_factory=list)
    held_out_losses: list[float] = field(default_factory=list)
    best: Weights = field(default_factory=dict)
    last: Weights = field(default_factory=dict)
    first_moments: Weights = field(default_factory=dict)
    second_moments: Weights = field(default_factory=dict)
    steps: int = 0

    def facts(self) -> dict[str, Any]:
        """Give what JSON can hold; a loss that is not there yet is null."""
        facts = {name: getattr(self, name) for name in FACTS}
        return {**facts, "best_loss": self.best_loss if math.isfinite(self.best_loss) else None}

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Give weights and moments as arrays, each under its part's prefix."""
        return {
            f"{prefix}/{name}": tensor.detach().cpu().numpy()
            for part, prefix in TENSORS.items()
            for name, tensor in getattr(self, part).items()
        }

    @classmethod
    def of(cls, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> Course:
        """Take back what `facts` and `arrays` gave."""
        course = cls(**{**facts, "best_loss": math.inf if facts["best_loss"] is None else facts["best_loss"]})
        for part, prefix in TENSORS.items():
            own = {name.removeprefix(f"{prefix}/"): a for name, a in arrays.items() if name.startswith(f"{prefix}/")}
            setattr(course, part, {name: torch.from_numpy(array.copy()) for name, array in own.items()})
        return course

    def make_room(self, fresh: Weights) -> None:
        """Give keys that are new the rows they have in `fresh`, a network of the larger vocabulary."""
        for part in TENSORS:
            tensors = getattr(self, part)
            for name in PER_KEY:
                if name in tensors:
                    grown = fresh[name].detach().clone() if part in {"best", "last"} else torch.zeros_like(fresh[name])
                    grown[: len(tensors[name])] = tensors[name]
                    tensors[name] = grown
