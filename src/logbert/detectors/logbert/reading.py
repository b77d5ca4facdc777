"""What the network makes of sequences: how surprised it is by each masked key, and the vector of each sequence.

A sequence's result may depend on nothing but the sequence and the model, to the last bit. Sums of floating-point
numbers depend on the shape of the matrix they are computed in, so every chunk is read in a batch of one fixed shape,
which its own length decides; what stands beside it in the batch does not matter. What comes out is rounded to 1/1024
before it is compared or ranked, which absorbs most of the last bits in which machines differ; keys whose rounded log
probabilities are equal share the better rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from logbert.detectors.logbert.masking import masked_count, patterns
from logbert.detectors.logbert.tokens import UNSEEN, padded_width, view
from logbert.detectors.threads import suited_threads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.network import LogBERTNetwork
    from logbert.detectors.logbert.tokens import Chunks

BATCH_TOKENS = 4096  # tokens of a batch, padding included
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


@dataclass(frozen=True, eq=False)
class _Batch:
    """Rows of one width, in the canonical shape."""

    chunks: npt.NDArray[np.int64]  # (real rows,)
    tokens: npt.NDArray[np.int64]  # (rows, width)
    places: npt.NDArray[np.int64]  # (rows, slots): column of each masked token, 0 (DIST) where there is none


class Reader:
    """Reads chunks with a fixed network."""

    def __init__(self, network: LogBERTNetwork, config: LogBERTConfig, *, seed: int, device: torch.device) -> None:
        self.network = network
        self.config = config
        self.seed = seed
        self.device = device

    def examine(self, chunks: Chunks, masks: int | None = None) -> Slots:
        """Judge every masked key under every mask (the first `masks` of them)."""
        parts: list[Slots] = []
        for batch in self._batches(chunks, masks or self.config.masks):
            log_probabilities = self._predict(batch)  # (rows, slots, classes)
            truth = torch.from_numpy(np.take_along_axis(batch.tokens, batch.places, axis=1)).to(self.device)
            known = truth != UNSEEN
            target = torch.where(known, truth - self.network.first_class, 0).clamp(min=0)[..., None]
            rounded = torch.round(log_probabilities * STEPS)
            own = rounded.gather(2, target)
            ranks = (rounded > own).sum(dim=2).masked_fill(~known, UNSEEN_RANK)
            surprise = (-own[..., 0] / STEPS).clamp(max=MOST_SURPRISE).masked_fill(~known, MOST_SURPRISE)
            row, slot = np.nonzero(batch.places[: len(batch.chunks)])
            parts.append(
                Slots(
                    chunks=batch.chunks[row],
                    places=batch.places[row, slot] - 1,
                    ranks=ranks.cpu().numpy()[row, slot].astype(np.int64),
                    surprise=surprise.cpu().numpy()[row, slot].astype(np.float64),
                )
            )
        return Slots(
            *(
                np.concatenate([getattr(part, name) for part in parts]) if parts else np.empty(0, dtype=kind)
                for name, kind in (("chunks", np.int64), ("places", np.int64), ("ranks", np.int64), ("surprise", float))
            )
        )

    def expectations(
        self, chunks: Chunks, wanted: npt.NDArray[np.int64], places: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Mean log probability of each class over the masks that hide it, at chosen places of chosen chunks.

        `wanted` are the chunks, `places` the places after DIST, from 0; the answer is (places, classes).
        """
        total = np.zeros((len(wanted), self.network.output.out_features))
        times = np.zeros((len(wanted), 1))
        line = np.full(len(chunks.tokens), -1, dtype=np.int64)
        line[chunks.offsets[wanted] + 1 + places] = np.arange(len(wanted))
        for batch in self._batches(chunks, self.config.masks):
            log_probabilities = self._predict(batch).cpu().numpy()
            row, slot = np.nonzero(batch.places[: len(batch.chunks)])
            to = line[chunks.offsets[batch.chunks[row]] + batch.places[row, slot]]
            row, slot, to = row[to >= 0], slot[to >= 0], to[to >= 0]
            np.add.at(total, to, log_probabilities[row, slot])
            np.add.at(times, to, 1)
        return total / np.maximum(times, 1)

    def represent(self, chunks: Chunks) -> npt.NDArray[np.float32]:
        """Give h_DIST of each chunk, the mean over its masks: (chunks, hidden)."""
        vectors = np.zeros((len(chunks), self.config.hidden), dtype=np.float32)
        for batch in self._batches(chunks, self.config.masks):
            with torch.inference_mode(), suited_threads(self.config.hidden):
                h = self.network(self._input(batch))[:, 0].cpu().numpy()
            np.add.at(vectors, batch.chunks, h[: len(batch.chunks)])
        return vectors / np.float32(self.config.masks)

    def _predict(self, batch: _Batch) -> torch.Tensor:
        with torch.inference_mode(), suited_threads(self.config.hidden):
            h = self.network(self._input(batch))  # (rows, width, hidden)
            places = torch.from_numpy(batch.places).to(self.device)
            wanted = h.gather(1, places[..., None].expand(-1, -1, h.shape[2]))  # (rows, slots, hidden)
            return self.network.logits(wanted).log_softmax(dim=2)  # (rows, slots, classes)

    def _input(self, batch: _Batch) -> torch.Tensor:
        hidden = np.zeros(batch.tokens.shape, dtype=np.bool_)
        row, slot = np.nonzero(batch.places)
        hidden[row, batch.places[row, slot]] = True
        fog = np.full(len(hidden), self.config.fog, dtype=np.int64)
        return torch.from_numpy(view(batch.tokens, hidden, fog)).to(self.device)

    def _batches(self, chunks: Chunks, masks: int) -> Iterator[_Batch]:
        """Give every chunk under every mask, in batches whose shape the width alone decides."""
        self.network.eval()
        widths = np.array([padded_width(int(length) + self.config.fog) for length in chunks.lengths], dtype=np.int64)
        for width in np.unique(widths):
            of_width = np.flatnonzero(widths == width)
            rows = np.repeat(of_width, masks)
            numbers = np.tile(np.arange(masks), len(of_width))
            size = max(BATCH_TOKENS // int(width), 1)
            for begin in range(0, len(rows), size):
                yield self._batch(chunks, rows[begin : begin + size], numbers[begin : begin + size], int(width), size)

    def _batch(
        self, chunks: Chunks, rows: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64], width: int, size: int
    ) -> _Batch:
        filled = np.concatenate([rows, np.repeat(rows[:1], size - len(rows))])
        places = np.zeros(
            (size, masked_count(width - self.config.fog - 1, self.config.detection_ratio)), dtype=np.int64
        )
        lengths = chunks.lengths[rows]
        for length in np.unique(lengths):
            hidden = self._places(int(length) - 1)  # (masks, masked)
            alike = np.flatnonzero(lengths == length)
            places[alike, : hidden.shape[1]] = hidden[numbers[alike]]
        return _Batch(chunks=rows, tokens=chunks.padded(filled, width), places=places)

    def _places(self, size: int) -> npt.NDArray[np.int64]:
        """Give the columns each mask hides of `size` tokens after DIST: (masks, masked)."""
        hidden = patterns(size, masks=self.config.masks, ratio=self.config.detection_ratio, seed=self.seed)
        return np.nonzero(hidden)[1].reshape(self.config.masks, -1) + 1 if size else np.zeros((1, 0), dtype=np.int64)
