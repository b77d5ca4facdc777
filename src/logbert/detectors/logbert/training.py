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

from logbert.detectors.logbert.reading import Reader
from logbert.detectors.logbert.tokens import PAD, UNSEEN, view

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.course import Course
    from logbert.detectors.logbert.network import LogBERTNetwork
    from logbert.detectors.logbert.tokens import Chunks, Tokens
    from logbert.progress import Step

GRADIENT_NORM = 1.0  # longer gradients are shortened to this
LEAST_EPOCHS = 4  # however many sequences there are
ROW = 64  # keys; a longer chunk counts for as many rows of an epoch as its length has of these
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
    def of(cls, chunks: Chunks, counts: npt.NDArray[np.int64], config: LogBERTConfig) -> Lessons:
        """Spread each sequence's weight over the times it is seen; the mean weight of a training row is 1."""
        occurrences = counts[chunks.owners].astype(np.float64)
        repeats = np.ceil(occurrences**config.repeats).astype(np.int64)
        shown = int((repeats * -(-chunks.lengths // ROW)).sum())
        repeats *= -(-config.rows // max(shown, 1))
        weights = occurrences**config.emphasis / repeats
        mean = float(np.average(weights, weights=repeats)) if len(weights) else 1.0
        affordable = np.inf if config.tokens is None else config.tokens / max(int(repeats @ chunks.lengths), 1)
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


class Teacher:
    """Trains a network, epoch by epoch."""

    def __init__(
        self,
        network: LogBERTNetwork,
        config: LogBERTConfig,
        *,
        seed: int,
        device: torch.device,
        stop: Event | None = None,
    ) -> None:
        self.network = network
        self.config = config
        self.seed = seed
        self.device = device
        self.stop = stop or Event()
        self.reader = Reader(network, config, seed=seed, device=device)
        self.optimiser = torch.optim.AdamW(
            network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay
        )

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
            while not course.finished:
                centre = self.centre(lessons) if self.config.vhm else None
                loss = self._epoch(lessons, course, centre)
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

    def _epoch(self, lessons: Lessons, course: Course, centre: Tensor | None) -> float:
        """Show the network every lesson once; give the mean loss."""
        rng = np.random.default_rng([self.seed, course.rounds, course.epoch])
        torch.manual_seed(int(rng.integers(2**63)))
        self.network.train()
        total, seen = 0.0, 0
        batches = list(lessons.batches(self.config.batch, rng))
        for number, rows in enumerate(batches):
            if self.stop.is_set():
                raise KeyboardInterrupt
            for group in self.optimiser.param_groups:
                group["lr"] = self._learning_rate((course.epoch + number / len(batches)) / course.epochs)
            width = int(lessons.chunks.lengths[rows].max()) + self.config.fog
            tokens = lessons.chunks.padded(rows, width)
            weights = torch.from_numpy(lessons.weights[rows]).float().to(self.device)
            hidden = training_masks(tokens, self.config, rng)
            fog = rng.integers(0, self.config.fog + 1, size=len(rows))
            loss = self.loss(tokens, hidden, fog, weights, centre)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT_NORM)
            self.optimiser.step()
            course.steps += 1
            total += float(loss.detach()) * len(rows)
            seen += len(rows)
        return total / seen

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
        h = self.network(seen)  # (B, L, hidden)
        loss = torch.zeros((), device=self.device)
        judged = masked & (truth != UNSEEN)
        if self.config.mlkp and bool(judged.any()):
            loss = loss + prediction_loss(
                self.network.logits(h[judged]),
                truth[judged] - self.network.first_class,
                judged.nonzero()[:, 0],
                weights,
            )
        if self.config.vhm and centre is not None:
            loss = loss + self.config.alpha * hypersphere_loss(h[:, 0], centre, weights)
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

    def take_up(self, course: Course) -> None:
        """Go on where an earlier training stopped."""
        course.interrupted = False
        if not course.last:
            return
        self.network.load_state_dict(course.last)
        for name, parameter in self.network.named_parameters():
            if name not in course.first_moments:
                continue
            self.optimiser.state[parameter] = {
                "step": torch.tensor(float(course.steps)),
                "exp_avg": course.first_moments[name].to(self.device),
                "exp_avg_sq": course.second_moments[name].to(self.device),
            }
        if course.finished:
            course.rounds, course.epoch, course.finished = course.rounds + 1, 0, False
            course.best_loss = math.inf

    def _note(self, course: Course, loss: float, held_out_loss: float) -> None:
        """Write down an epoch, whole: an interruption leaves either all of it or nothing."""
        weights = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        moments = {  # with one task left out, the other's own weights are never moved
            name: self.optimiser.state[parameter]
            for name, parameter in self.network.named_parameters()
            if parameter in self.optimiser.state
        }
        course.last = weights
        course.first_moments = {name: moment["exp_avg"].clone() for name, moment in moments.items()}
        course.second_moments = {name: moment["exp_avg_sq"].clone() for name, moment in moments.items()}
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
