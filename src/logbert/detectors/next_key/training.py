"""Training a next-key network on distinct histories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import torch

from logbert.detectors.next_key.histories import Histories, PrefixTree, Symbols
from logbert.detectors.threads import SMALL, suited_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from torch import Tensor

    from logbert.detectors.corpus import Rows
    from logbert.detectors.next_key.network import NextKeyNetwork

BATCH = 512  # distinct histories
RATE = 0.01  # of Adam, at the top of its course
CHECKS = 20  # times the held-out histories are looked at
PATIENCE = 5  # checks without a better held-out loss before training ends


@dataclass(frozen=True, eq=False)
class Examples:
    """Distinct histories, and for each how often every target came next.

    Attributes
    ----------
    contexts
        The histories, ascending.
    starts
        Where each history's targets begin; one more entry than there are histories.
    targets, shares
        The targets that came next, and the share of the history's occurrences in which they did.
    weights
        What each history counts in the loss.
    """

    contexts: Symbols
    starts: Rows
    targets: Rows
    shares: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def of(cls, histories: Histories, counts: Rows, targets: int) -> Self:
        """Count what followed each history; a history weighs the square root of its occurrences.

        In proportion to their occurrences the commonest few would drown the thousands of rare ones, which then take
        hundreds of passes to be learnt; the shares within a history stay what they are.
        """
        known = histories.targets >= 0
        codes = histories.places[known] * targets + histories.targets[known]
        pairs, inverse = np.unique(codes, return_inverse=True)
        times = np.bincount(inverse, weights=counts[histories.owners[known]], minlength=len(pairs))
        owners = pairs // targets
        used, rows = np.unique(owners, return_inverse=True)
        totals = np.bincount(rows, weights=times)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(rows))])
        return cls(
            contexts=histories.contexts[used],
            starts=starts.astype(np.int64),
            targets=pairs % targets,
            shares=(times / totals[rows]).astype(np.float32),
            weights=np.sqrt(totals).astype(np.float32),
        )

    def __len__(self) -> int:
        """Count the histories."""
        return len(self.contexts)

    def loss(self, network: NextKeyNetwork, chosen: Rows) -> tuple[Tensor, float]:
        """Give the summed weighted cross-entropy of these histories, and the sum of their weights."""
        chosen = np.sort(chosen)
        sizes = np.diff(self.starts)[chosen]
        rows = np.repeat(np.arange(len(chosen)), sizes)
        entries = np.repeat(self.starts[chosen] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        entries = entries + np.arange(len(rows))
        log_p = network(PrefixTree.of(self.contexts[chosen]))
        found = log_p[torch.from_numpy(rows), torch.from_numpy(self.targets[entries])]
        weights = self.weights[chosen]
        return -(found * torch.from_numpy(self.shares[entries] * weights[rows])).sum(), float(weights.sum())


@suited_threads(SMALL)
def train(network: NextKeyNetwork, examples: Examples, held_out: Examples, *, steps: int, seed: int) -> None:
    """Train for at most so many batches; the weights with the best loss on the held-out histories are kept."""
    draw = np.random.default_rng(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    batches = _batches(len(examples), draw)
    best, best_loss, waited = _weights(network), np.inf, 0
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
        loss, weight = examples.loss(network, next(batches))
        optimiser.zero_grad()
        (loss / weight).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % max(steps // CHECKS, 1) == 0 or step + 1 == steps:
            found = evaluate(network, held_out)
            if found < best_loss:
                best, best_loss, waited = _weights(network), found, 0
            else:
                waited += 1
            if waited >= PATIENCE:
                break
    network.load_state_dict(best)


@torch.no_grad()
def evaluate(network: NextKeyNetwork, examples: Examples) -> float:
    """Give the mean loss over all histories."""
    total = mass = 0.0
    for start in range(0, len(examples), 8 * BATCH):
        loss, weight = examples.loss(network, np.arange(start, min(start + 8 * BATCH, len(examples))))
        total += float(loss)
        mass += weight
    return total / max(mass, 1e-12)


def _batches(size: int, draw: np.random.Generator) -> Iterator[Rows]:
    while True:
        order = draw.permutation(size)
        for start in range(0, size, BATCH):
            yield order[start : start + BATCH]


def _weights(network: NextKeyNetwork) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}
