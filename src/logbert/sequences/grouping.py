"""How records become sequences: by an id in the message, by header fields, by time, or by count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from logbert.errors import ModelError, OptionError
from logbert.sequences.durations import format_duration, parse_duration

if TYPE_CHECKING:
    from logbert.sequences.collector import Collector

FORMS = r"session:blk_-?\d+, field:NAME, time:5min, time:5min/1min, count:100 or count:100/50"
LONGEST = 36_500 * 86_400_000_000  # a hundred years, in microseconds


@dataclass(frozen=True)
class Grouping(ABC):
    r"""A rule by which records become sequences.

    Make one with `Grouping.parse` from what a user wrote, or with `Grouping.choose` from the first records of a log.
    `str` gives the text that `parse` reads.

    Attributes
    ----------
    why
        In one sentence, what was decided and why.

    Examples
    --------
    >>> str(Grouping.parse("time:300s/1min"))
    'time:5min/1min'
    >>> print(Grouping.parse("count:50").why)
    count:50, as asked
    >>> Grouping.parse("session:(")
    Traceback (most recent call last):
    logbert.errors.OptionError: 'session:(' holds no regular expression: unclosed group; write it like ...
    """

    why: str = field(default="", compare=False, kw_only=True)

    @staticmethod
    def parse(text: str) -> Grouping:
        """Read a grouping as a user writes it.

        Parameters
        ----------
        text
            `session:REGEX`, `field:NAME` (several names with commas), `time:SIZE`, `time:SIZE/STEP`, `count:SIZE` or
            `count:SIZE/STEP`.
        """
        kind, colon, rest = text.strip().partition(":")
        if not colon or kind not in _READERS:
            hint = "; `auto` is decided from records, by Grouping.choose" if kind == "auto" else ""
            raise OptionError(f"{text!r} is no way to group records; write one of {FORMS}{hint}")
        return _READERS[kind](text, rest.strip())

    @staticmethod
    def choose(frame: pl.DataFrame, codes: pl.Series | None = None) -> Grouping:
        """Decide from the first records of a log.

        Ids that recur over several records of several kinds make sessions; without such ids, timestamps make time
        windows; without timestamps, records are counted off.

        Parameters
        ----------
        frame
            The first records, some 100,000 of them if there are as many.
        codes
            What kind of record each is, if that is known; else it is guessed from the message.
        """
        from logbert.sequences.choice import choose

        return choose(frame, codes)

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns it goes by, beside the message, the time and the source."""
        return ()

    @abstractmethod
    def collector(self) -> Collector:
        """Give a fresh collector that takes records batch by batch and makes sequences of them."""

    def state(self) -> dict[str, Any]:
        """Give the grouping as what JSON can hold."""
        return {"group": str(self), "why": self.why}

    @staticmethod
    def from_state(state: dict[str, Any]) -> Grouping:
        """Make the grouping again from what `state` gave."""
        try:
            grouping = Grouping.parse(state["group"])
            why = str(state["why"])
        except (KeyError, TypeError, AttributeError, OptionError) as error:
            raise ModelError(f"the model's grouping {state!r} cannot be read: {error}") from error
        object.__setattr__(grouping, "why", why)
        return grouping

    def __post_init__(self) -> None:
        """Say that it was asked for, unless there is another reason."""
        if not self.why:
            object.__setattr__(self, "why", f"{self}, as asked")


@dataclass(frozen=True)
class Sessions(Grouping):
    """Records that name the same id in their message belong together.

    Attributes
    ----------
    regex
        What an id looks like, in the syntax of Rust's regex crate. With a capture group the id is group 1, else the
        whole match.
    """

    regex: str

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        return f"session:{self.regex}"

    def collector(self) -> Collector:
        """Give a fresh collector."""
        from logbert.sequences.id_finder import IdFinder
        from logbert.sequences.sessions import SessionCollector

        return SessionCollector(IdFinder(self.regex))


@dataclass(frozen=True)
class Fields(Grouping):
    """Records with the same value of a header field, or of several, belong together.

    Attributes
    ----------
    names
        Columns of the frames of records; `source` is the file a record came from.
    """

    names: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns it goes by."""
        return self.names

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        return f"field:{','.join(self.names)}"

    def collector(self) -> Collector:
        """Give a fresh collector."""
        from logbert.sequences.sessions import SessionCollector, ids_in_fields

        return SessionCollector(lambda frame: ids_in_fields(frame, self.names))


@dataclass(frozen=True)
class TimeWindows(Grouping):
    """Records of the same stretch of time belong together.

    Windows begin at whole multiples of the step since 1970, so that a record falls into the same window whatever else
    is in the log.

    Attributes
    ----------
    size
        How long a window is, in microseconds.
    step
        How much later each window begins than the one before; less than `size` makes windows overlap.
    """

    size: int
    step: int

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        step = "" if self.step == self.size else f"/{format_duration(self.step)}"
        return f"time:{format_duration(self.size)}{step}"

    def collector(self) -> Collector:
        """Give a fresh collector."""
        from logbert.sequences.windows import TimeCollector

        return TimeCollector(self.size, self.step)


@dataclass(frozen=True)
class CountWindows(Grouping):
    """Every so many records belong together.

    Attributes
    ----------
    size
        How many records a window holds; the last may hold fewer.
    step
        How many records later each window begins than the one before; less than `size` makes windows overlap.
    """

    size: int
    step: int

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        return f"count:{self.size}" + ("" if self.step == self.size else f"/{self.step}")

    def collector(self) -> Collector:
        """Give a fresh collector."""
        from logbert.sequences.windows import CountCollector

        return CountCollector(self.size, self.step)


def _read_sessions(text: str, regex: str) -> Grouping:
    if not regex:
        raise OptionError(rf"{text!r} names no regular expression; write it like session:blk_-?\d+")
    probe = pl.Series(["", "x"])
    try:
        probe.str.contains(regex)
    except pl.exceptions.ComputeError as error:
        raise OptionError(
            f"{text!r} holds no regular expression: {_regex_complaint(error)}; write it like session:blk_-?\\d+"
        ) from error
    if probe[:1].str.contains(regex).item():
        raise OptionError(f"{text!r} also matches nothing at all; write what an id holds, like session:blk_-?\\d+")
    return Sessions(regex)


def _regex_complaint(error: Exception) -> str:
    """Take the one telling line out of a complaint of many."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return telling[0] if telling else lines[0].removeprefix("regex error: ").rstrip(".")


def _read_fields(text: str, rest: str) -> Grouping:
    names = tuple(name.strip() for name in rest.split(","))
    if not all(names):
        raise OptionError(f"{text!r} names no field; write it like field:source or field:host,pid")
    return Fields(names)


def _read_time(text: str, rest: str) -> Grouping:
    first, slash, second = rest.partition("/")
    size = parse_duration(first)
    step = parse_duration(second) if slash else size
    if size is None or step is None:
        raise OptionError(f"{text!r} has no length of time I know; write it like time:5min or time:1h/15min")
    _check_step(text, size, step, "time:5min/1min")
    if size > LONGEST:
        raise OptionError(f"{text!r} is longer than a hundred years; write it like time:5min")
    return TimeWindows(size, step)


def _read_count(text: str, rest: str) -> Grouping:
    first, slash, second = (part.strip() for part in rest.partition("/"))
    numbers = (first, second) if slash else (first, first)
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
        raise OptionError(f"{text!r} has no number of records; write it like count:100 or count:100/50")
    size, step = map(int, numbers)
    _check_step(text, size, step, "count:100/50")
    return CountWindows(size, step)


def _check_step(text: str, size: int, step: int, right: str) -> None:
    if size == 0 or step == 0:
        raise OptionError(f"{text!r}: a window holds something and moves on; write it like {right}")
    if step > size:
        raise OptionError(
            f"{text!r}: the step is longer than the window, which would leave records out; write it like {right}"
        )


_READERS = {"session": _read_sessions, "field": _read_fields, "time": _read_time, "count": _read_count}
