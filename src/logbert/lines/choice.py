"""Which format each source is read with: the one that was given, the one remembered, or the one that fits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import InputError
from logbert.lines.detection import detect, share_of
from logbert.lines.format import Format
from logbert.lines.named import named_format

if TYPE_CHECKING:
    from logbert.lines.sources import Source

SAME = 0.95  # share of a source's records that a format found before must fit to be taken again


def choose_formats(samples: list[tuple[Source, pl.Series]], given: str | Format) -> tuple[Format, dict[str, Format]]:
    """Choose a format for each source.

    Returns
    -------
    tuple
        The format as a whole (that of most sources, with the others in `others`), and the one of each source by name.
    """
    if isinstance(given, Format):
        own = {source.name: _remembered(given, lines) for source, lines in samples}
        _must_fit(samples, own, str(given.layout))
        return given, own
    if given == "auto":
        return _found(samples)
    joined = pl.concat([lines for _, lines in samples])
    chosen = named_format(given, joined)
    own = {source.name: chosen for source, _ in samples}
    _must_fit(samples, own, given)
    return chosen, own


def _remembered(given: Format, lines: pl.Series) -> Format:
    if not given.others:
        return given
    return max(given.alternatives, key=lambda one: share_of(one, lines))


def _must_fit(samples: list[tuple[Source, pl.Series]], own: dict[str, Format], given: str) -> None:
    """Refuse a format that fits no line at all: everything would be judged by its raw text, and nobody wants that."""
    for source, lines in samples:
        rows = own[source.name].read(lines)
        if (rows.fits & ~rows.partial).any():
            return
    source, lines = samples[0]
    first = next((line for line in lines if line.strip()), "")
    shown = first if len(first) <= 120 else first[:117] + "..."
    raise InputError(
        f"{source.name}: no line fits the format {given!r}; the first is {shown!r}. Correct the format, or leave it to 'auto'"
    )


def _found(samples: list[tuple[Source, pl.Series]]) -> tuple[Format, dict[str, Format]]:
    """Find the format of each source; sources that one found before fits are read alike."""
    own: dict[str, Format] = {}
    known: list[Format] = []
    for source, lines in sorted(samples, key=lambda one: one[0].name):
        format_ = next((one for one in known if one.name != "generic" and share_of(one, lines) >= SAME), None)
        if format_ is None:
            format_ = detect(lines)
            alike = next((one for one in known if _same(one, format_)), None)
            if alike:
                format_ = alike
            elif format_.name != "lines":
                known.append(format_)
        own[source.name] = format_
    counts = Counter({format_.name + format_.layout: 0 for format_ in own.values()})
    by_key = {format_.name + format_.layout: format_ for format_ in own.values()}
    for source, _ in samples:
        format_ = own[source.name]
        counts[format_.name + format_.layout] += max(1, source.size)
    order = sorted(counts, key=lambda key: (key.startswith("lines"), -counts[key], key))
    main = by_key[order[0]]
    return replace(main, others=tuple(by_key[key] for key in order[1:])), own


def _same(one: Format, other: Format) -> bool:
    return (one.shape, one.time, one.clock, one.wrapper) == (other.shape, other.time, other.clock, other.wrapper)
