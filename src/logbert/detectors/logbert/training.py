"""Teaching the network: equations 5 to 7 of the paper, over distinct sequences weighted by how often they occur."""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows it by
from torch import Tensor

from logbert.detectors.logbert.adamw import AdamW
from logbert.detectors.logbert.reading import Reader
from logbert.detectors.logbert.tokens import END, PAD, UNSEEN, view
from logbert.detectors.threads import SMALL, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.course import Course
    from logbert.detectors.logbert.network import LogBERTNetwork
    from logbert.detectors.logbert.tokens import Chunks, Tokens
    from logbert.detectors.threads import SideBySide
    from logbert.progress import Step

LEAST_EPOCHS = 4  # however many sequences there are
ROW = 64  # keys; a longer chunk counts for as many rows of an epoch as its length has of these
PARTS = 2  # of a batch of a small network, which are worked on side by side; as many on any machine
WIDE = 128  # keys; of longer chunks a batch holds fewer, so that an epoch of few long ones still has several steps


@dataclass(frozen=True, eq=False)
class Lessons:
    """What is taught, and for how long.

    Attributes
    ----------
    chunks
        What is read.
    counts
        How often each occurs.
    weights
        What each counts in the loss.
    repeats
        How often each is shown in an epoch.
    epochs
        How often all of this is shown, at most: the config's, or as often as its `tokens` pay for.
    share
        The share of it that an epoch shows, where the tokens do not even pay for `LEAST_EPOCHS`.
    """

    chunks: Chunks
    counts: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    repeats: npt.NDArray[np.int64]
    epochs: int
    share: float

    @classmethod
    def of(cls, chunks: Chunks, counts: npt.NDArray[np.int64], config: LogBERTConfig, *, networks: int = 1) -> Lessons:
        """Spread each sequence's weight over the times it is seen; the mean weight of a training row is 1.

        The tokens are shared by so many networks.
        """
        occurrences = counts[chunks.owners].astype(np.float64)
        repeats = np.ceil(occurrences**config.repeats).astype(np.int64)
        shown = int((repeats * -(-chunks.lengths // ROW)).sum())
        repeats *= max(round(config.rows / max(shown, 1)), 1)
        weights = occurrences**config.emphasis / repeats
        mean = float(np.average(weights, weights=repeats)) if len(weights) else 1.0
        affordable = (
            np.inf if config.tokens is None else config.tokens / networks / max(int(repeats @ chunks.lengths), 1)
        )
        least = min(LEAST_EPOCHS, config.epochs)
        return cls(
            chunks=chunks,
            counts=counts[chunks.owners],
            weights=weights / mean,
            repeats=repeats,
            epochs=int(np.clip(affordable, least, config.epochs)),
            share=float(min(affordable / least, 1.0)),
        )

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
        """Shuffle one epoch's chunks into batches of alike length, in random order."""
        rows = rng.permutation(np.repeat(np.arange(len(self.chunks)), self.repeats))
        rows = rows[: max(round(len(rows) * self.share), 1)]
        rows = rows[np.argsort(self.chunks.lengths[rows], kind="stable")]
        alike = (rows[begin : begin + size] for begin in range(0, len(rows), size))
        groups = [
            part
            for group in alike
            for part in np.array_split(group, min(-(-int(self.chunks.lengths[group[-1]]) // WIDE), len(group)))
        ]
        return (groups[index] for index in rng.permutation(len(groups)))


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a batch: tokens and what is hidden of them, (B, L), fog and weight of each, (B,)."""

    tokens: Tokens
    hidden: npt.NDArray[np.bool_]
    fog: npt.NDArray[np.int64]
    weights: Tensor


class Teacher:
    """Trains a network, epoch by epoch."""

    def __init__(
        self,
        network: LogBERTNetwork,
        config: LogBERTConfig,
        *,
        seed: int,
        device: torch.device,
        workers: int = 1,
        stop: Event | None = None,
    ) -> None:
        self.network = network
        self.config = config
        self.seed = seed
        self.device = device
        self.reader = Reader(network, config, seed=seed, device=device)
        self.workers = workers
        self.stop = stop or Event()
        moved = {  # with one task left out, the other's own weights are never moved
            name: parameter for name, parameter in network.named_parameters() if config.mlkp or "output" not in name
        }
        self.optimiser = AdamW(moved, weight_decay=config.weight_decay)

    def teach(
        self,
        lessons: Lessons,
        held_out: Chunks,
        held_out_counts: npt.NDArray[np.int64],
        course: Course,
        bar: Step,
    ) -> None:
        """Train until the round is over or Ctrl-C ends it; the network is left as it was at its best."""
        counts = held_out_counts[held_out.owners].astype(np.float64)
        try:
            with side_by_side(self.workers) as work:
                while not course.finished:
                    centre = self.centre(lessons) if self.config.vhm else None
                    loss = self._epoch(lessons, course, centre, work)
                    judged = self._held_out_loss(held_out, counts, centre) if len(held_out) else loss
                    self._note(course, loss, judged)
                    bar.advance(1, loss=round(loss, 4), held_out=round(judged, 4))
        except KeyboardInterrupt:
            course.interrupted = True
            self.stop.set()
        if not course.best:  # Ctrl-C came before the first epoch was over
            course.best = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        self.network.load_state_dict(course.best)
        self.network.eval()

    def centre(self, lessons: Lessons) -> Tensor:
        """Give the mean of h_DIST over the training set, c of equation 6, each sequence as often as it occurs."""
        weights = torch.from_numpy(lessons.counts.astype(np.float64))[:, None]
        vectors = torch.from_numpy(self.reader.represent(lessons.chunks)).double()  # (chunks, hidden)
        return ((vectors * weights).sum(0) / weights.sum()).float().to(self.device)

    def _epoch(self, lessons: Lessons, course: Course, centre: Tensor | None, work: SideBySide) -> float:
        """Show the network every lesson once; give the mean loss."""
        rng = np.random.default_rng([self.seed, course.rounds, course.epoch])
        torch.manual_seed(int(rng.integers(2**63)))
        self.network.train()
        total, seen = 0.0, 0
        batches = list(lessons.batches(self.config.batch, rng))
        for number, rows in enumerate(batches):
            if self.stop.is_set():
                raise KeyboardInterrupt
            rate = self._learning_rate((course.epoch + number / len(batches)) / course.epochs)
            parts = list(self._parts(lessons, rows, rng))
            learnt = work(lambda part: self._gradient(part, centre), parts)
            shares = torch.tensor([len(part.tokens) / len(rows) for part in parts], device=self.device)
            self.optimiser.step(shares @ torch.stack([gradient for _, gradient in learnt]), rate)
            total += sum(loss * len(part.tokens) for part, (loss, _) in zip(parts, learnt, strict=True))
            seen += len(rows)
        return total / seen

    def _parts(self, lessons: Lessons, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> Iterator[Part]:
        """Mask a batch, and cut it in parts of rows that are alike in how far they reach with their fog."""
        lengths = lessons.chunks.lengths[rows]
        tokens = lessons.chunks.padded(rows, int(lengths.max()) + self.config.fog)
        hidden = training_masks(tokens, self.config, rng)
        fog = rng.integers(0, self.config.fog + 1, size=len(rows))
        reach = lengths + np.where((hidden & (tokens == END)).any(axis=1), fog, 0)
        for part in np.array_split(np.argsort(reach, kind="stable"), self._split(len(rows))):
            width = int(reach[part].max())
            weights = torch.from_numpy(lessons.weights[rows[part]]).float().to(self.device)
            yield Part(tokens[part, :width], hidden[part, :width], fog[part], weights)

    def _split(self, rows: int) -> int:
        """Say in how many parts a batch is cut; dropout draws in one order, and is not to be worked on side by side."""
        small = self.config.hidden <= SMALL and not self.config.dropout and self.device.type == "cpu"
        return min(PARTS, rows) if small else 1

    def _gradient(self, part: Part, centre: Tensor | None) -> tuple[float, Tensor]:
        """Give the loss over some rows, and its gradient as one vector."""
        loss = self.loss(part.tokens, part.hidden, part.fog, part.weights, centre)
        return float(loss.detach()), self.optimiser.gradient(loss)

    def loss(
        self,
        tokens: Tokens,
        hidden_from_view: npt.NDArray[np.bool_],
        fog: npt.NDArray[np.int64],
        weights: Tensor,
        centre: Tensor | None,
    ) -> Tensor:
        """Equation 7: the prediction's loss plus alpha times the hypersphere's, over a batch of (B, L) tokens.

        `weights` (B,) are how much each sequence counts; with all of them 1 this is the paper's mean over sequences.
        """
        truth = torch.from_numpy(tokens).to(self.device)
        masked = torch.from_numpy(hidden_from_view).to(self.device)  # (B, L)
        seen = torch.from_numpy(view(tokens, hidden_from_view, fog)).to(self.device)
        judged = masked & (truth != UNSEEN)
        asked = judged.clone()
        asked[:, 0] |= self.config.vhm
        place = asked.flatten().nonzero()[:, 0]  # (M,)
        h = self.network(seen, place)  # (M, hidden)
        key = judged.flatten()[place]  # (M,); the others are DIST, one a row
        loss = torch.zeros((), device=self.device)
        if self.config.mlkp and bool(key.any()):
            loss = loss + prediction_loss(
                self.network.logits(h[key]),
                truth[judged] - self.network.first_class,
                place[key] // tokens.shape[1],
                weights,
            )
        if self.config.vhm and centre is not None:
            loss = loss + self.config.alpha * hypersphere_loss(h[~key], centre, weights)
        return loss

    def _held_out_loss(self, chunks: Chunks, counts: npt.NDArray[np.float64], centre: Tensor | None) -> float:
        """Give the same loss on held-out normals: eval mode, masks that never change, each row counting once."""
        total = np.zeros(len(chunks))
        if self.config.mlkp:
            masks = range(min(self.config.masks, 2))
            slots = self.reader.examine(chunks, masks)
            total += np.bincount(slots.chunks, slots.surprise, len(chunks)) / len(masks)
        if centre is not None:
            vectors = self.reader.represent(chunks)
            total += self.config.alpha * ((vectors - centre.cpu().numpy()) ** 2).sum(axis=1)
        return float(np.average(total, weights=counts))

    def _learning_rate(self, done: float) -> float:
        """Rise in a straight line, then fall along a cosine to a hundredth; `done` is the share of the round."""
        warmup = self.config.warmup
        if done < warmup:
            return self.config.learning_rate * (done + 0.01) / (warmup + 0.01)
        fall = 0.5 * (1 + math.cos(math.pi * (done - warmup) / max(1 - warmup, 1e-9)))
        return self.config.learning_rate * max(fall, 0.01)

    def take_up(self, course: Course, epochs: int, *, again: bool) -> None:
        """Go on where an earlier training stopped: if it had finished, `again`, in a round of so many epochs."""
        course.interrupted = False
        if course.last:
            self.network.load_state_dict(course.last)
            self.optimiser.take_up(course.steps, course.first_moments, course.second_moments)
        if course.finished and again:
            course.rounds, course.epoch, course.finished = course.rounds + 1, 0, False
            course.best_loss = math.inf
        if not course.epoch:
            course.epochs = epochs

    def _note(self, course: Course, loss: float, held_out_loss: float) -> None:
        """Write down an epoch, whole: an interruption leaves either all of it or nothing."""
        weights = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        course.last = weights
        course.first_moments, course.second_moments = self.optimiser.moments()
        course.steps = self.optimiser.steps
        course.losses.append(loss)
        course.held_out_losses.append(held_out_loss)
        course.epoch += 1
        if held_out_loss < course.best_loss:
            course.best, course.best_loss, course.best_epoch = weights, held_out_loss, course.epoch
        course.finished = course.epoch >= course.epochs or course.epoch - course.best_epoch >= self.config.patience


def training_masks(tokens: Tokens, config: LogBERTConfig, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw what to hide of (B, L) tokens: a share of each sequence drawn from the config's range, never DIST or PAD."""
    maskable = tokens != PAD
    maskable[:, 0] = False
    sizes = maskable.sum(axis=1)
    ratios = rng.uniform(config.mask_ratio_least, config.mask_ratio_most, size=len(tokens))
    wanted = np.clip(np.floor(sizes * ratios + 0.5), 1, np.maximum(sizes, 1))
    draw = np.where(maskable, rng.random(tokens.shape), 2.0)
    place = draw.argsort(axis=1).argsort(axis=1)
    masks: npt.NDArray[np.bool_] = maskable & (place < wanted[:, None])
    return masks


def prediction_loss(logits: Tensor, truth: Tensor, owners: Tensor, weights: Tensor) -> Tensor:
    """Equation 5: cross entropy summed over the masked keys of each sequence, averaged over the sequences.

    `logits` (M, classes) and `truth` (M,) are the masked keys of the whole batch, `owners` (M,) the sequence of each.
    """
    surprise = F.cross_entropy(logits, truth, reduction="none")  # (M,)
    return (surprise * weights[owners]).sum() / len(weights)


def hypersphere_loss(vectors: Tensor, centre: Tensor, weights: Tensor) -> Tensor:
    """Equation 6: the mean squared distance of h_DIST (B, hidden) from the centre c (hidden,)."""
    return (((vectors - centre) ** 2).sum(dim=1) * weights).sum() / len(weights)
