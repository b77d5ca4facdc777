"""A fit from beginning to end: build the networks, or take up earlier ones, and teach them."""

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
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus
    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.course import Course, Weights
    from logbert.progress import Progress

ANOTHER = 1_000_003  # from one network's seed to the next


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
    courses: Sequence[Course],
    parts: Sequence[tuple[Corpus, Corpus]],
    *,
    seed: int,
    device: torch.device,
    progress: Progress,
) -> list[tuple[Reader, npt.NDArray[np.float32]]]:
    """Teach a network a part, from where its course stands; give each with the centre of what it was taught.

    A part is what to learn from and what to hold out. Ctrl-C ends the training of one, and those after it get none.
    """
    devices = [device] if device.type == "cuda" else []
    cut_short = any(course.interrupted for course in courses)  # then a network that had finished waits for the others
    with suited_threads(config.hidden) as workers, torch.random.fork_rng(devices=devices):
        pupils = []
        for number, (course, (train_on, held_out)) in enumerate(zip(courses, parts, strict=True)):
            own = seed + number * ANOTHER
            network = fresh_network(config, vocabulary, seed=own)
            course.make_room(network.state_dict())
            chunks, judged = (
                Chunks.of(corpus, vocabulary, context=config.context, end=config.end) for corpus in (train_on, held_out)
            )
            lessons = Lessons.of(chunks, train_on.counts, config, networks=len(parts))
            teacher = Teacher(network.to(device), config, seed=own, device=device, workers=workers)
            teacher.take_up(course, lessons.epochs, again=not cut_short)
            pupils.append((teacher, lessons, judged, held_out.counts, course))
        with progress.step("training", total=sum(course.epochs for course in courses), unit="epochs") as bar:
            done = sum(course.epoch for course in courses)
            if done:
                bar.advance(done)
            for teacher, lessons, judged, counts, course in pupils:
                teacher.teach(lessons, judged, counts, course, bar)
                if course.interrupted:
                    break
        return [
            (Reader(teacher.network.eval(), config, seed=seed, device=device), teacher.centre(lessons).cpu().numpy())
            for teacher, lessons, *_ in pupils
        ]
