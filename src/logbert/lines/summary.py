"""What a pass over some logs has read, and everything unusual about it."""

from __future__ import annotations

from dataclasses import dataclass, field

from logbert.lines.sources import Skipped, describe_skipped


@dataclass
class ReadSummary:
    """What was read, and what was done to it: nothing is dropped without being counted here.

    Attributes
    ----------
    sources
        Files read.
    lines
        Lines in them.
    records
        Records they made.
    blank
        Empty lines, which belong to no record.
    continuation
        Lines joined to the record before them.
    clipped
        Those among them that no longer fitted in the record's message.
    unmatched
        Records that do not fit the format and have the whole line as their message.
    partial
        Records that begin as the format does, up to the time at least, and go on otherwise.
    undated
        Records that fit, but whose time is none.
    invalid
        Places that were not UTF-8 and are replacement characters now.
    nuls
        NUL bytes taken out or made visible.
    colours
        Terminal colour codes taken out.
    cut
        Lines cut because they were longer than 64 MiB.
    skipped
        Files and folders found and not read.
    """

    sources: int = 0
    lines: int = 0
    records: int = 0
    blank: int = 0
    continuation: int = 0
    clipped: int = 0
    unmatched: int = 0
    partial: int = 0
    undated: int = 0
    invalid: int = 0
    nuls: int = 0
    colours: int = 0
    cut: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def __str__(self) -> str:
        """Say what was read and what was unusual about it, in one line."""
        said = [f"{_many(self.records, 'record')} from {_many(self.lines, 'line')} of {_many(self.sources, 'source')}"]
        for count, what, rest in (
            (self.continuation, "line", "joined to the record before"),
            (self.clipped, "line", "of them beyond what a message keeps"),
            (self.blank, "empty line", "skipped"),
            (self.unmatched, "record", "without the format's header, taken whole"),
            (self.partial, "record", "with only the beginning of the header"),
            (self.undated, "record", "with an unreadable time"),
            (self.invalid, "invalid byte", "replaced"),
            (self.nuls, "NUL byte", "replaced"),
            (self.colours, "colour code", "removed"),
            (self.cut, "overlong line", "cut"),
        ):
            if count:
                said.append(f"{_many(count, what)} {rest}")
        if self.skipped:
            said.append(describe_skipped(self.skipped))
        return "; ".join(said)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"
