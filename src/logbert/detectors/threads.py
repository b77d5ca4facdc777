"""How many threads a network is worth: small matrices are done before a second thread has woken up."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")
Found = TypeVar("Found")

AHEAD = 2  # pieces of work a thread has waiting
SMALL = 128  # hidden units; measured: at 64, a second thread gains little alone and loses twentyfold beside other work


@contextmanager
def suited_threads(hidden: int) -> Iterator[int]:
    """Use one thread for a small network, and as many as torch has for a larger one.

    Gives how many pieces of work may go on side by side, so that all the threads there were have something to do.

    Threads that share a core with other programs wait for each other actively at the end of every operation, and a
    small network has thousands of operations a second.
    """
    before = torch.get_num_threads()
    if hidden <= SMALL:
        torch.set_num_threads(1)
    try:
        yield before if hidden <= SMALL else 1
    finally:
        torch.set_num_threads(before)


class SideBySide(Protocol):
    """Works on a few items, perhaps at the same time, and gives what is found in their order."""

    def __call__(self, work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
        """Work on the items."""


@contextmanager
def side_by_side(workers: int) -> Iterator[SideBySide]:
    """Keep threads at hand for small pieces of work that come again and again; the caller's own thread works, too."""
    if workers == 1:
        yield lambda work, items: list(map(work, items))
        return
    with ThreadPoolExecutor(workers - 1, initializer=torch.set_num_threads, initargs=(1,)) as pool:

        def spread(work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
            others = [pool.submit(work, item) for item in items[1:]]
            return [*map(work, items[:1]), *(other.result() for other in others)]

        yield spread


def in_parallel(work: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Found]:
    """Work on the items side by side, as many at once as torch has threads, and give what is found in their order.

    Each piece of work runs on a single thread, so what comes out does not depend on how many there are.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        if threads == 1:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            waiting: deque[Future[Found]] = deque()
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(threads)
