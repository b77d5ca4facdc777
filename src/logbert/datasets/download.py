"""Fetch a file over a network that breaks, from a server that may change it, without fetching anything twice."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from logbert.datasets.disk import need_room, size
from logbert.datasets.part import Origin, Part
from logbert.datasets.web import BeyondEndError, PassingError, Reply, ask
from logbert.errors import InputError
from logbert.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from logbert.progress import Progress


@dataclass(frozen=True)
class Patience:
    """How long to bear with a server.

    Attributes
    ----------
    tries
        Tries in a row that brought nothing, after which to give up.
    first_wait, longest_wait
        Seconds to wait after the first of them, doubled each time, and at most.
    silence
        Seconds without a byte that end a try.
    sleep
        What waits.
    """

    tries: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    silence: float = 30.0
    sleep: Callable[[float], None] = time.sleep

    def wait_after(self, failures: int, asked: float | None) -> float:
        """Give the seconds to wait after so many failures in a row, at least what the server asked for."""
        return min(max(self.first_wait * 2.0 ** (failures - 1), asked or 0.0), self.longest_wait)


PATIENCE = Patience()


class ChangedError(Exception):
    """The server has another version now: what was read of the file so far is worth nothing."""


class Download:
    """A file on its way.

    Parameters
    ----------
    url
        Where it is.
    part
        What there is of it already, and where the rest goes.
    expected
        Its size, where that is published.
    whole
        Whether all of it is wanted, and must have room; or only as much as is read.
    checked
        Whether its checksum is compared in the end. Only then may a part be completed whose version is not known.
    patience
        How long to bear with the server.
    progress
        Is told what is worth a line.
    """

    def __init__(
        self,
        url: str,
        part: Part,
        *,
        expected: int | None = None,
        whole: bool = True,
        checked: bool = False,
        patience: Patience = PATIENCE,
        progress: Progress = SILENT,
    ) -> None:
        self.url, self.part, self.expected = url, part, expected
        self.whole, self.checked = whole, checked
        self.patience, self.progress = patience, progress
        self.resumed = False
        self._ended = False
        self._origin = Origin(url, total=expected)

    @property
    def total(self) -> int | None:
        """The size of the whole, as far as known."""
        return self._origin.total

    def chunks(self) -> Iterator[bytes]:
        """Give the whole file from its first byte on: what is there, then what comes, which is kept as it comes.

        Raises
        ------
        ChangedError
            If the server has another version than the one that was begun with; the part is empty then, and the next
            call begins anew.
        InputError
            If it cannot be fetched, or kept.
        """
        self._take_up()
        yield from self.part.kept()
        failures = 0
        while not self._is_whole():
            before = self.part.size
            try:
                yield from self._more()
            except PassingError as trouble:
                failures = 1 if self.part.size > before else failures + 1
                if failures >= self.patience.tries:
                    raise InputError(self._give_up(str(trouble))) from trouble
                wait = self.patience.wait_after(failures, trouble.wait)
                self.progress.note(f"{self.url}: {trouble}; trying again in {wait:.0f} s")
                self.patience.sleep(wait)

    def _take_up(self) -> None:
        """Decide whether what is there is a beginning of what is wanted."""
        known = self.part.origin()
        same = known is not None and known.url == self.url and known.validator is not None
        if same and known is not None:
            self._origin = replace(known, total=known.total if self.expected is None else self.expected)
        usable = same or self.checked
        too_long = self.total is not None and self.part.size > self.total
        if self.part.size and (not usable or too_long):
            self.part.empty()
        self.resumed = self.part.size > 0
        if self.resumed:
            of = f" of {size(self.total)}" if self.total else ""
            self.progress.note(f"{self.part.target.name}: going on after {size(self.part.size)}{of}")

    def _is_whole(self) -> bool:
        return self._ended if self.total is None else self.part.size >= self.total

    def _more(self) -> Iterator[bytes]:
        """Ask for what is missing and give it as it comes."""
        have = self.part.size
        try:
            with ask(self.url, have, self._origin.validator, self.patience.silence) as reply:
                self._accept(reply, have)
                skip = have - reply.start
                for chunk in reply.chunks():
                    fresh = chunk[skip:]
                    skip = max(skip - len(chunk), 0)
                    if fresh:
                        self.part.append(fresh)
                        yield fresh
            if self.total is not None and self.part.size < self.total:
                raise PassingError(f"the connection ended after {self.part.size:,} of {self.total:,} bytes")
            self._ended = True
        except BeyondEndError as error:
            if error.total != have:
                self._begin_anew()
            self._ended = True
            self._origin = replace(self._origin, total=have)

    def _accept(self, reply: Reply, have: int) -> None:
        """Take a reply for the rest of what is there, or find that it is of another file."""
        if self.expected is not None and reply.total is not None and reply.total != self.expected:
            raise InputError(
                f"{self.url}: the server's file has {reply.total:,} bytes, the published one {self.expected:,}; "
                "it is another file: try another --url, or later"
            )
        known = self._origin
        if have:
            resized = None not in {known.total, reply.total} and known.total != reply.total
            renamed = known.validator is not None and reply.validator != known.validator
            # All of it, of a version nobody names: nothing tells whether what is there is its beginning.
            unsure = reply.start == 0 and known.validator is None and not self.checked
            if resized or renamed or unsure:
                self._begin_anew()
        self._origin = Origin(self.url, reply.validator, self.expected if reply.total is None else reply.total)
        self.part.belongs_to(self._origin)
        if self.whole and self.total is not None:
            need_room(self.part.path.parent, self.total - have, f"fetching {self.part.target.name}")

    def _begin_anew(self) -> None:
        self.part.empty()
        self._origin = Origin(self.url, total=self.expected)
        raise ChangedError

    def _give_up(self, trouble: str) -> str:
        kept = f"; {size(self.part.size)} are kept, and the same command goes on from there" if self.part.size else ""
        return f"{self.url}: {trouble}, {self.patience.tries} times in a row{kept}"
