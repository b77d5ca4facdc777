"""A fit from beginning to end: build the networks, or take up earlier ones, and teach them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import torch

from logbert.detectors.logbert.network import LogBERTNetwork
from logbert.detectors.logbert.reading import Reader
from logbert.detectors.logbert.tokens import Chunks, Vocabulary
from logbert.detectors.logbert.training import Lessons, Teacher
from logbert.detectors.threads import suited_threads
from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from logbert.detectors.corpus import Corpus
    from logbert.detectors.logbert.config import LogBERTConfig
    from logbert.detectors.logbert.course import Course, Weights
    from logbert.progress import Progress, Step

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

    A part is what to learn from and what to hold out. Small networks are taught side by side, a thread each.
    """
    stop = Event()
    pupils = []
    for number, (course, (train_on, held_out)) in enumerate(zip(courses, parts, strict=True)):
        network = fresh_network(config, vocabulary, seed=seed + number * ANOTHER)
        course.make_room(network.state_dict())
        teacher = Teacher(network.to(device), config, seed=seed + number * ANOTHER, device=device, stop=stop)
        teacher.take_up(course)
        chunks = Chunks.of(train_on, vocabulary, context=config.context, end=config.end)
        judged = Chunks.of(held_out, vocabulary, context=config.context, end=config.end)
        lessons = Lessons.of(
            chunks, train_on.counts, replace(config, tokens=config.tokens and config.tokens // len(parts))
        )
        if not course.epoch:
            course.epochs = lessons.epochs
        pupils.append(Pupil(teacher, course, lessons, judged, held_out.counts))
    devices = [device] if device.type == "cuda" else []
    with (
        suited_threads(config.hidden) as threads,
        torch.random.fork_rng(devices=devices),
        progress.step("training", total=sum(course.epochs for course in courses), unit="epochs") as bar,
    ):
        done = sum(course.epoch for course in courses)
        if done:
            bar.advance(done)
        side_by_side([partial(pupil.learn, bar) for pupil in pupils], threads=threads, stop=stop)
    with suited_threads(config.hidden):
        return [(Reader(pupil.teacher.network, config, seed=seed, device=device), pupil.centre()) for pupil in pupils]


@dataclass(frozen=True, eq=False)
class Pupil:
    """A network with its teacher, and what it is taught."""

    teacher: Teacher
    course: Course
    lessons: Lessons
    held_out: Chunks
    held_out_counts: npt.NDArray[np.int64]

    def learn(self, bar: Step) -> None:
        """Train to the end of the round, or to Ctrl-C."""
        self.teacher.teach(self.lessons, self.held_out, self.held_out_counts, self.course, bar)

    def centre(self) -> npt.NDArray[np.float32]:
        """Give c of equation 6, the mean of h_DIST over what was taught."""
        return np.asarray(self.teacher.centre(self.lessons).cpu().numpy(), dtype=np.float32)


def side_by_side(works: Sequence[Callable[[], None]], *, threads: int, stop: Event) -> None:
    """Do all of it, in threads if there are several; Ctrl-C sets `stop`, which the works look at."""
    if len(works) == 1 or threads == 1:
        for work in works:
            work()
        return
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        futures = [pool.submit(work) for work in works]
        try:
            wait(futures)
        except KeyboardInterrupt:
            stop.set()
        for future in futures:
            future.result()
