"""`auto`: find the format of a source from its first lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from logbert.lines import clocks
from logbert.lines.containers import Wrapper
from logbert.lines.continuations import TRACE
from logbert.lines.format import Format, time_text
from logbert.lines.generic import generic_formats
from logbert.lines.journal import JournalExport
from logbert.lines.key_values import learn_pairs, parse_pairs
from logbert.lines.layout import INSIDE, MATCHED, WholeLine, share
from logbert.lines.objects import LEVELS as JSON_LEVELS
from logbert.lines.objects import TIMES as JSON_TIMES
from logbert.lines.objects import learn_objects, name_of, parse_sample
from logbert.lines.pattern import Pattern
from logbert.lines.presets import PRESETS, Preset

SAMPLE_LINES = 2_000
JOURNAL_OPENING = "__CURSOR="  # the first field of every entry of the journal's export
FEW = 250  # lines from all over the sample, to rule formats out by
BELIEVED = 0.6  # share of the sample's records a format must fit; below it every line is a record of its own
EQUAL = 0.02  # shares closer than this are equal, and the more particular format is taken
CHECKED = 0.95  # share of the fitting lines in which a preset's fields must look right
WORTH_SAYING = 0.5  # share from which a rival is named
MOSTLY_STRANGE = 0.5  # share of lines that neither fit nor are a trace from which strangers are not joined
LINES = Format("lines", WholeLine(), how="detected")


def detect(sample: pl.Series) -> Format:
    """Find the format of a log from its first lines.

    >>> lines = ["081109 203615 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 terminating"]
    >>> print(detect(pl.Series(lines)))
    hdfs (<Date> <Time> <Pid> <Level> <Component>: <Content>), fits 100.0% of the sample
    """
    lines = sample.filter(sample.str.strip_chars() != "").head(SAMPLE_LINES)
    if lines.is_empty():
        return LINES
    if lines[0].startswith(JOURNAL_OPENING):
        return replace(structured("journal", lines), how="detected")
    wrapped = _detect_wrapped(lines)
    if wrapped:
        return wrapped
    found = _candidates(lines)
    if not found:
        return LINES
    top = max(fitting for fitting, _ in found)
    chosen_share, chosen = next((fitting, format_) for fitting, format_ in found if fitting >= top - EQUAL)
    if chosen_share < BELIEVED:
        return replace(LINES, rivals=((chosen.name, round(chosen_share, 4)),))
    rivals = sorted(
        {
            (other.name, round(fitting, 4))
            for fitting, other in found
            if other.name not in {chosen.name, "generic"} and fitting >= WORTH_SAYING
        },
        key=lambda rival: (-rival[1], rival[0]),
    )
    return replace(settle(chosen, lines), how="detected", share=round(chosen_share, 4), rivals=tuple(rivals[:3]))


def settle(chosen: Format, lines: pl.Series) -> Format:
    """Decide from a sample what becomes of lines that do not fit, and whether the level field is one."""
    rows = chosen.read(lines)
    strange = ~rows.fits & ~rows.inside & ~lines.str.contains(TRACE)
    if chosen.joins == "all" and share(strange) > MOSTLY_STRANGE:
        return replace(chosen, joins="traces")
    return chosen


def share_of(candidate: Format, lines: pl.Series) -> float:
    """Tell what share of the records in a sample a format fits, lines of stack traces left aside."""
    lines = lines.filter(lines.str.strip_chars() != "")
    if lines.is_empty():
        return 0.0
    rows = candidate.read(lines)
    counted = rows.whole | ~(lines.str.contains(TRACE) | rows.inside)
    return int(rows.whole.sum()) / max(1, int(counted.sum()))


def _candidates(lines: pl.Series) -> list[tuple[float, Format]]:
    """Give the formats that fit some of the lines, the more particular first, with the share of records they fit."""
    found = [_try_objects(lines)]
    few = _few(lines)
    found += [_try_preset(preset, few) for preset in PRESETS]
    found.append(_try_pairs(lines))
    shares = [(share_of(candidate, lines), candidate) for candidate in found if candidate]
    if not any(fitting >= 1 - EQUAL for fitting, _ in shares):  # else none of these would be taken, nor named
        shares += [(share_of(candidate, lines), candidate) for candidate in generic_formats(few)]
    return [(fitting, candidate) for fitting, candidate in shares if fitting]


def _few(lines: pl.Series) -> pl.Series:
    """Take lines from all over a sample, enough to rule formats out."""
    return lines.gather_every(max(1, len(lines) // FEW)).str.strip_chars()


def _try_preset(preset: Preset, lines: pl.Series) -> Format | None:
    pattern = Pattern(preset.text)
    table = pattern.take_apart(lines.filter(lines.str.contains(pattern.expression))).filter(MATCHED)
    if table.is_empty():
        return None
    clock = ""
    if preset.time:
        times = time_text(table, preset.time)
        readers = {name: clocks.BY_NAME[name].read(times).is_not_null() for name in preset.clocks}
        clock = max(readers, key=lambda name: (readers[name].sum(), -preset.clocks.index(name)))
        table = table.filter(readers[clock])
        if table.is_empty():
            return None
    for name, expression in preset.checks.items():
        if share(table[name].str.contains(expression).fill_null(True)) < CHECKED:
            return None
    for name, expression in preset.refuses.items():
        if share(table[name].str.contains(expression).fill_null(False)) > 1 - CHECKED:
            return None
    if not all(table[name].str.contains(sign).any() for name, sign in preset.signs.items()):
        return None
    return preset.format(clock)


def _try_objects(lines: pl.Series) -> Format | None:
    objects = parse_sample(lines.head(500))
    if len(objects) < BELIEVED * min(500, len(lines)) * 0.5:
        return None
    return _objects(lines, objects)


def _objects(lines: pl.Series, objects: list[dict[str, Any]]) -> Format:
    shape = learn_objects(objects)
    table = shape.take_apart(lines).filter(MATCHED)
    time, clock = choose_time(table, [(name_of(path),) for path in JSON_TIMES])
    level = next((name_of(path) for path in JSON_LEVELS if name_of(path) in table.columns), "")
    return Format("json", shape, time, clock, level=level, joins="traces")


def _try_pairs(lines: pl.Series) -> Format | None:
    pairs = parse_pairs(lines.head(500))
    if len(pairs) < BELIEVED * min(500, len(lines)) * 0.5:
        return None
    return _pairs(lines, pairs)


def _pairs(lines: pl.Series, pairs: list[dict[str, str]]) -> Format:
    shape = learn_pairs(pairs)
    table = shape.take_apart(lines).filter(MATCHED)
    time, clock = choose_time(table, [(name_of(path),) for path in JSON_TIMES])
    level = next((name_of(path) for path in JSON_LEVELS if name_of(path) in table.columns), "")
    return Format("logfmt", shape, time, clock, level=level, joins="traces")


def structured(name: str, sample: pl.Series) -> Format:
    """Make a format that was asked for by name and whose fields the lines themselves name."""
    lines = sample.filter(sample.str.strip_chars() != "")
    if name in ("cri", "docker"):
        wrapped = _detect_wrapped(lines, (name,))
        return wrapped or replace(LINES, wrapper=name, joins="traces")
    if name == "journal":
        return Format("journal", JournalExport(), ("time",), "epoch", level="level")
    if name == "json":
        return _objects(lines, parse_sample(lines))
    return _pairs(lines, parse_pairs(lines))


def choose_time(table: pl.DataFrame, among: list[tuple[str, ...]]) -> tuple[tuple[str, ...], str]:
    """Find which fields make a time, and the clock that reads it; the first that does is taken."""
    for fields in among:
        if all(name in table.columns for name in fields):
            clock = clocks.choose_clock(time_text(table, fields))
            if clock:
                return fields, clock.name
    return (), ""


def _detect_wrapped(lines: pl.Series, among: tuple[str, ...] = ("cri", "docker")) -> Format | None:
    """Find a container runtime's envelope, and the format inside it."""
    for name in among:
        outer = Wrapper(name).unwrap(lines)
        fitting = share(outer[MATCHED])
        if fitting < BELIEVED:
            continue
        inner = detect(outer.filter(pl.col(MATCHED) & ~pl.col(INSIDE))["text"])
        joins = "traces" if inner.joins == "none" else inner.joins
        return replace(inner, wrapper=name, joins=joins, share=round(fitting * inner.share, 4))
    return None
