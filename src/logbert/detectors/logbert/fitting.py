"""A fit from beginning to end: build the networks, or take up earlier ones, and teach them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
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
    from collections.abc import Sequence

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

    A part is what to learn from and what to hold out. Small networks are taught side by side, a thread each; Ctrl-C
    ends the training of all, and those that had not begun get none.
    """
    devices = [device] if device.type == "cuda" else []
    cut_short = any(course.interrupted for course in courses)  # then a network that had finished waits for the others
    stop = Event()
    with suited_threads(config.hidden) as workers, torch.random.fork_rng(devices=devices):
        # dropout draws from one stream of random numbers, which several at a time would disturb
        together = workers if len(parts) > 1 and not config.dropout and device.type == "cpu" else 1
        pupils = []
        for number, (course, (train_on, held_out)) in enumerate(zip(courses, parts, strict=True)):
            own = seed + number * ANOTHER
            network = fresh_network(config, vocabulary, seed=own)
            course.make_room(network.state_dict())
            chunks, judged = (
                Chunks.of(corpus, vocabulary, context=config.context, end=config.end) for corpus in (train_on, held_out)
            )
            lessons = Lessons.of(chunks, train_on.counts, config, networks=len(parts))
            teacher = Teacher(
                network.to(device), config, seed=own, device=device, workers=workers // together, stop=stop
            )
            teacher.take_up(course, lessons.epochs, again=not cut_short)
            pupils.append(Pupil(teacher, course, lessons, judged, held_out.counts))
        with progress.step("training", total=sum(course.epochs for course in courses), unit="epochs") as bar:
            done = sum(course.epoch for course in courses)
            if done:
                bar.advance(done)
            teach_all(pupils, bar, stop, threads=together)
        return [pupil.taught(seed) for pupil in pupils]


def teach_all(pupils: Sequence[Pupil], bar: Step, stop: Event, *, threads: int) -> None:
    """Teach so many at a time; Ctrl-C, of which only the main thread hears, is passed on by `stop`."""
    if threads == 1:
        for pupil in pupils:
            pupil.learn(bar)
        return
    with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        learning = [pool.submit(pupil.learn, bar) for pupil in pupils]
        try:
            wait(learning)
        except KeyboardInterrupt:
            stop.set()
        for each in learning:
            each.result()


@dataclass(frozen=True, eq=False)
class Pupil:
    """A network with its teacher, how far it is, and what it is taught."""

    teacher: Teacher
    course: Course
    lessons: Lessons
    held_out: Chunks
    held_out_counts: npt.NDArray[np.int64]

    def learn(self, bar: Step) -> None:
        """Train to the end of the round, or to Ctrl-C."""
        self.teacher.teach(self.lessons, self.held_out, self.held_out_counts, self.course, bar)

    def taught(self, seed: int) -> tuple[Reader, npt.NDArray[np.float32]]:
        """Give the network to read with, and c of equation 6, the mean of h_DIST over what it was taught."""
        teacher = self.teacher
        reader = Reader(teacher.network.eval(), teacher.config, seed=seed, device=teacher.device)
        return reader, np.asarray(teacher.centre(self.lessons).cpu().numpy(), dtype=np.float32)
