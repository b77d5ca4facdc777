"""The networks that predict the next key: stacked LSTMs over the last few keys, and a softmax.

Notable:
- Histories come as a prefix tree; a step is computed once for all histories that begin alike.
- Symbols enter as one-hot vectors, so the first layer's input weights are a table with one row a symbol.
- The count vector of a history is the sum of its one-hot vectors, so the quantitative branch sums rows of its table.
- No random number comes from torch's global generator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from logbert.detectors.next_key.histories import PrefixTree

State = list[tuple[Tensor, Tensor]]  # hidden and cell of each layer, (nodes, hidden) each


@dataclass(frozen=True)
class Shape:
    """The sizes of a network.

    Attributes
    ----------
    symbols
        Input symbols, START and unseen included.
    targets
        Keys to predict, END included.
    silent
        The symbol that carries no signal of its own: the unseen key.
    history
        Keys a prediction looks back on.
    hidden
        Units a layer.
    layers
        Layers a branch.
    quantitative
        Whether there is a second branch, over counts.
    """

    symbols: int
    targets: int
    silent: int
    history: int
    hidden: int
    layers: int
    quantitative: bool


class Branch(nn.Module):
    """A stack of LSTM layers, fed with what the input adds to the first layer's gates."""

    def __init__(self, hidden: int, layers: int, generator: torch.Generator) -> None:
        super().__init__()
        self.hidden = hidden
        self.inward = nn.ParameterList(_uniform((hidden, 4 * hidden), hidden, generator) for _ in range(layers - 1))
        self.recurrent = nn.ParameterList(_uniform((hidden, 4 * hidden), hidden, generator) for _ in range(layers))
        self.bias = nn.ParameterList(_forgetful(hidden) for _ in range(layers))

    def begin(self, like: Tensor) -> State:
        """Give the state before the first symbol, for one node."""
        zero = like.new_zeros((1, self.hidden))
        return [(zero, zero) for _ in self.recurrent]

    def step(self, inputs: Tensor, state: State) -> State:
        """Take one symbol more: inputs (nodes, 4 hidden), state of the same nodes."""
        after: State = []
        for layer, (hidden, held) in enumerate(state):
            gates = torch.addmm(self.bias[layer], hidden, self.recurrent[layer])
            gates = gates + (inputs if layer == 0 else after[-1][0] @ self.inward[layer - 1])
            enter, forget, out = torch.sigmoid(gates[:, : 3 * self.hidden]).chunk(3, dim=1)
            cell = forget * held + enter * torch.tanh(gates[:, 3 * self.hidden :])
            after.append((out * torch.tanh(cell), cell))
        return after


class NextKeyNetwork(nn.Module):
    """From a prefix tree of histories to log-probabilities of the next key, (histories, targets).

    Parameters
    ----------
    shape
        The sizes.
    meaning
        A fixed vector a symbol, (symbols, d), that takes the place of the one-hot vector in the sequential branch.
    seed
        For the initial weights.
    """

    meaning: Tensor | None

    def __init__(self, shape: Shape, meaning: npt.NDArray[np.float32] | None = None, seed: int = 0) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.shape = shape
        self.register_buffer("meaning", None if meaning is None else torch.from_numpy(meaning))
        inputs = shape.symbols if meaning is None else meaning.shape[1]
        self.table = self._table(inputs, generator)
        self.sequential = Branch(shape.hidden, shape.layers, generator)
        if shape.quantitative:
            self.count_table = self._table(shape.symbols, generator)
            self.counting = Branch(shape.hidden, shape.layers, generator)
        width = shape.hidden * (2 if shape.quantitative else 1)
        self.out = nn.Parameter(_uniform((width, shape.targets), width, generator))
        self.out_bias = nn.Parameter(torch.zeros(shape.targets))

    def _table(self, inputs: int, generator: torch.Generator) -> nn.Parameter:
        table = _uniform((inputs, 4 * self.shape.hidden), self.shape.hidden, generator)
        if inputs == self.shape.symbols:
            table[self.shape.silent] = 0.0
        return nn.Parameter(table)

    def forward(self, tree: PrefixTree) -> Tensor:
        """Give the log-probabilities of what comes after each history."""
        table = self.table if self.meaning is None else self.meaning @ self.table
        state = self.sequential.begin(table)
        counts = table.new_zeros((1, 4 * self.shape.hidden))
        counted = self.counting.begin(table) if self.shape.quantitative else []
        for symbols, parents in zip(tree.symbols, tree.parents, strict=True):
            symbol, parent = torch.from_numpy(symbols), torch.from_numpy(parents)
            state = self.sequential.step(table[symbol], _of(state, parent))
            if self.shape.quantitative:
                counts = counts[parent] + self.count_table[symbol]
                counted = self.counting.step(counts, _of(counted, parent))
        top = state[-1][0]
        if self.shape.quantitative:
            top = torch.cat([top, counted[-1][0]], dim=1)
        return torch.log_softmax(torch.addmm(self.out_bias, top, self.out), dim=1)


def _of(state: State, nodes: Tensor) -> State:
    return [(hidden[nodes], cell[nodes]) for hidden, cell in state]


def _uniform(size: tuple[int, int], fan: int, generator: torch.Generator) -> Tensor:
    bound = fan**-0.5
    return torch.empty(size).uniform_(-bound, bound, generator=generator)


def _forgetful(hidden: int) -> Tensor:
    """Begin with the forget gate open: what a layer has seen stays until it learns to let go."""
    bias = torch.zeros(4 * hidden)
    bias[hidden : 2 * hidden] = 1.0
    return bias
