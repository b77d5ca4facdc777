"""A source as blocks of lines, the next one read while this one is worked on."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import polars as pl

from logbert.errors import InputError
from logbert.lines.streams import Intake, read_blocks
from logbert.lines.text import Repairs, to_lines, to_lines_and_likenesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logbert.lines.sources import Source

Item = TypeVar("Item")


@dataclass(frozen=True)
class Lines:
    """Lines of one source, and the hashes of their likenesses if they were asked for."""

    text: pl.Series
    alike: pl.Series | None = None

    def and_then(self, more: Lines) -> Lines:
        """Give these lines and more."""
        alike = None if self.alike is None or more.alike is None else pl.concat([self.alike, more.alike])
        return Lines(pl.concat([self.text, more.text]), alike)

    def but_end(self, count: int) -> Lines:
        """Give all but so many lines at the end."""
        left = len(self.text) - count
        return Lines(self.text.head(left), None if self.alike is None else self.alike.head(left))

    def from_end(self, count: int) -> Lines:
        """Give so many lines from the end."""
        return Lines(self.text.tail(count), None if self.alike is None else self.alike.tail(count))


def ahead(items: Iterator[Item], most: int = 2) -> Iterator[Item]:
    """Make the next items, so many at most, in another thread while this one is worked on."""
    pool = ThreadPoolExecutor(max_workers=1)
    try:
        coming = deque(pool.submit(next, items, None) for _ in range(most))
        while (item := coming.popleft().result()) is not None:
            coming.append(pool.submit(next, items, None))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)


def read_lines(source: Source, batch_bytes: int, intake: Intake, repairs: Repairs, seed: int | None) -> Iterator[Lines]:
    """Read a source block by block; a seed asks for likenesses."""
    for block in read_blocks(source.path, source.name, batch_bytes, intake):
        lines = (
            Lines(to_lines(block, repairs)) if seed is None else Lines(*to_lines_and_likenesses(block, repairs, seed))
        )
        intake.lines += len(lines.text)
        yield lines


def with_last(items: Iterator[Lines]) -> Iterator[tuple[Lines, bool]]:
    """Tell which item is the last; if reading fails, the one before is given first."""
    waiting: Lines | None = None
    try:
        for item in items:
            if waiting is not None:
                yield waiting, False
            waiting = item
    except InputError:
        if waiting is not None:
            yield waiting, True
        raise
    if waiting is not None:
        yield waiting, True
