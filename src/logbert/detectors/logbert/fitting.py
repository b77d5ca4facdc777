"""A fit from beginning to end: build the network, or take up an earlier one, and teach it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from logbert.detectors.logbert.network import LogBERTNetwork
from logbert.detectors.logbert.reading import Reader
from logbert.detectors.logbert.tokens import Chunks, Vocabulary
from logbert.detectors.logbert.training import Lessons, Teacher
from logbert.detectors.threads import suited_threads
from logbert.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus
    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.course import Course, Weights
    from logbert.progress import Progress


def choose_device(name: str) -> torch.device:
    """Turn `auto` into the fastest device there is; anything else is taken as torch names it."""
    if name == "auto":
        found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        return found or torch.device("cpu")
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise OptionError(f"there is no device {name!r} here; use auto or cpu") from error


def reader(
    config: LogBERTConfig, vocabulary: Vocabulary, weights: Weights, *, seed: int, device: torch.device
) -> Reader:
    """Put trained weights to use."""
    network = fresh_network(config, vocabulary, seed=seed)
    network.load_state_dict(weights)
    return Reader(network.to(device), config, seed=seed, device=device)


def fresh_network(config: LogBERTConfig, vocabulary: Vocabulary, *, seed: int) -> LogBERTNetwork:
    """Build a network with random weights drawn by `seed`, leaving torch's own random numbers as they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LogBERTNetwork(config, len(vocabulary))


def train(
    config: LogBERTConfig,
    vocabulary: Vocabulary,
    course: Course,
    train_on: Corpus,
    held_out: Corpus,
    *,
    seed: int,
    device: torch.device,
    progress: Progress,
) -> tuple[Reader, npt.NDArray[np.float32]]:
    """Teach a network, from where `course` stands; give it with the centre of the training sequences."""
    network = fresh_network(config, vocabulary, seed=seed)
    course.make_room(network.state_dict())
    chunks = Chunks.of(train_on, vocabulary, context=config.context, end=config.end)
    lessons = Lessons.of(chunks, train_on.counts, config)
    judged = Chunks.of(held_out, vocabulary, context=config.context, end=config.end)
    with suited_threads(config.hidden) as workers:
        teacher = Teacher(network.to(device), config, seed=seed, device=device, workers=workers)
        teacher.teach(lessons, judged, held_out.counts, course, progress)
        return teacher.reader, teacher.centre(lessons).cpu().numpy()
