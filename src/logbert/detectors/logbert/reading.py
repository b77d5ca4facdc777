"""What the network makes of sequences: how surprised it is by each masked key, and the vector of each sequence.

A sequence's result may depend on nothing but the sequence and the model, to the last bit. Sums of floating-point
numbers depend on the shape of the matrix they are computed in, so every chunk is read in a batch of one fixed shape,
which its own length decides; what stands beside it in the batch does not matter. What comes out is rounded to 1/1024
before it is compared or ranked, which absorbs most of the last bits in which machines differ; keys whose rounded log
probabilities are equal share the better rank.

Batches are read side by side, each on one thread: threads that share the work of one operation wait for each other at
its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from logbert.detectors.logbert.tokens import UNSEEN
from logbert.detectors.logbert.views import Views, views_of
from logbert.detectors.threads import in_parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logbert.detectors.corpus import Rows
    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.network import LogBERTNetwork
    from logbert.detectors.logbert.tokens import Chunks

Found = TypeVar("Found")

BATCH_TOKENS = 1024  # of a batch: what is worked on stays in a core's cache
BATCH_TOKENS_ELSEWHERE = 65_536  # on a device that is not the processor
COMPARED = 4_000_000  # log probabilities ranked at once, to bound memory
STEPS = 1024.0  # logits and surprises are rounded to one part in this
MOST_SURPRISE = 16.0  # nats; also the surprise of a key that training never saw
UNSEEN_RANK = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Slots:
    """Every masked key of every chunk, under every mask.

    Attributes
    ----------
    chunks
        The chunk of each.
    places
        Which token after DIST it is, from 0.
    ranks
        How many classes were likelier.
    surprise
        The negative logarithm of the probability it was given, in nats.
    """

    chunks: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.int64]
    surprise: npt.NDArray[np.float64]


class Reader:
    """Reads chunks with a fixed network."""

    def __init__(self, network: LogBERTNetwork, config: LogBERTConfig, *, seed: int, device: torch.device) -> None:
        self.network = network
        self.config = config
        self.seed = seed
        self.device = device

    @property
    def every_mask(self) -> range:
        """All masks there are."""
        return range(self.config.masks)

    def examine(self, chunks: Chunks, masks: range | None = None) -> Slots:
        """Judge every masked key under every mask, or under some of them."""

        def judge(batch: Views) -> Slots:
            rounded = torch.round(self._predict(batch) * STEPS)  # (views, slots, classes)
            step = max(COMPARED // max(rounded[0].numel(), 1), 1)
            cuts = np.arange(step, len(batch.of), step)
            parts = zip(np.split(batch.of, cuts), np.split(batch.chunks, cuts), strict=True)
            return joined([self._ranked(rounded, batch.places, chunks, of, owners) for of, owners in parts])

        rows = np.arange(len(chunks))
        return joined(list(self._read(judge, chunks, rows, self.every_mask if masks is None else masks)))

    def _ranked(self, rounded: Tensor, places: Rows, chunks: Chunks, of: Rows, owners: Rows) -> Slots:
        """Hold what was predicted for views beside what stands in the chunks `owners` that they are views `of`."""
        columns = places[of]  # (rows, slots)
        truth = torch.from_numpy(chunks.tokens[chunks.offsets[owners][:, None] + columns]).to(self.device)
        known = truth != UNSEEN
        target = torch.where(known, truth - self.network.first_class, 0).clamp(min=0)[..., None]
        predicted = rounded[torch.from_numpy(of).to(self.device)]  # (rows, slots, classes)
        own = predicted.gather(2, target)
        ranks = (predicted > own).sum(dim=2).masked_fill(~known, UNSEEN_RANK)
        surprise = (-own[..., 0] / STEPS).clamp(max=MOST_SURPRISE).masked_fill(~known, MOST_SURPRISE)
        return Slots(
            chunks=np.repeat(owners, columns.shape[1]),
            places=columns.ravel() - 1,
            ranks=ranks.cpu().numpy().ravel(),
            surprise=surprise.cpu().numpy().ravel().astype(np.float64),
        )

    def expectations(
        self, chunks: Chunks, wanted: Rows, places: Rows, masks: range | None = None
    ) -> npt.NDArray[np.float64]:
        """Mean log probability of each class over the masks that hide it, at chosen places of chosen chunks.

        `wanted` are the chunks, `places` the places after DIST, from 0; the answer is (places, classes).
        """
        line = np.full(len(chunks.tokens), -1, dtype=np.int64)
        line[chunks.offsets[wanted] + 1 + places] = np.arange(len(wanted))

        def predict(batch: Views) -> tuple[Rows, npt.NDArray[np.float32]]:
            to = line[chunks.offsets[batch.chunks][:, None] + batch.places[batch.of]]  # (rows, slots)
            row, slot = np.nonzero(to >= 0)
            log_probabilities = self._predict(batch).cpu().numpy()
            return to[row, slot], log_probabilities[batch.of[row], slot]

        total = np.zeros((len(wanted), self.network.output.out_features))
        times = np.zeros((len(wanted), 1))
        for to, log_probabilities in self._read(predict, chunks, np.unique(wanted), masks or self.every_mask):
            np.add.at(total, to, log_probabilities)
            np.add.at(times, to, 1)
        return total / np.maximum(times, 1)

    def represent(self, chunks: Chunks) -> npt.NDArray[np.float32]:
        """Give h_DIST of each chunk, the mean over its masks: (chunks, hidden)."""

        def represent(batch: Views) -> tuple[Rows, npt.NDArray[np.float32]]:
            h = self._vectors(batch.tokens, np.zeros((len(batch.tokens), 1), dtype=np.int64))[:, 0]
            return batch.chunks, h.cpu().numpy()[batch.of]

        vectors = np.zeros((len(chunks), self.config.hidden), dtype=np.float32)
        for of, h in self._read(represent, chunks, np.arange(len(chunks)), self.every_mask):
            np.add.at(vectors, of, h)
        return vectors / np.float32(self.config.masks)

    def _predict(self, batch: Views) -> Tensor:
        """Give the log probability of each class at each hidden place: (views, slots, classes)."""
        with torch.inference_mode():
            return self.network.logits(self._vectors(batch.tokens, batch.places)).log_softmax(dim=2)

    def _vectors(self, tokens: Rows, places: Rows) -> Tensor:
        """Give the contextual vectors of some places: (views, slots, hidden)."""
        with torch.inference_mode():
            return self.network.at(torch.from_numpy(tokens).to(self.device), torch.from_numpy(places).to(self.device))

    def _read(self, look: Callable[[Views], Found], chunks: Chunks, rows: Rows, masks: range) -> Iterator[Found]:
        """Look at every view of these chunks; what is found comes in an order that the chunks decide."""
        self.network.eval()
        on_processor = self.device.type == "cpu"
        tokens = BATCH_TOKENS if on_processor else BATCH_TOKENS_ELSEWHERE
        views = views_of(chunks, rows, self.config, masks=masks, seed=self.seed)
        batches = (batch for group in views for batch in group.batches(tokens))
        return in_parallel(look, batches) if on_processor else map(look, batches)


def joined(parts: list[Slots]) -> Slots:
    """Put the slots of several readings together."""
    return Slots(
        *(
            np.concatenate([getattr(part, name) for part in parts]) if parts else np.empty(0, dtype=kind)
            for name, kind in (("chunks", np.int64), ("places", np.int64), ("ranks", np.int64), ("surprise", float))
        )
    )
