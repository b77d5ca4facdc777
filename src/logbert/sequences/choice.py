"""What `--group auto` decides, from the first records of a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from logbert.alike import ALIKE, of_firsts
from logbert.sequences.durations import MICROSECONDS, format_duration
from logbert.sequences.grouping import CountWindows, Fields, Grouping, Sessions, TimeWindows
from logbert.sequences.id_finder import IdFinder
from logbert.sequences.identifiers import candidates
from logbert.sequences.sessions import ids_in_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_RECORDS = 100_000  # that are looked at

# An identifier makes sessions if...
COVERAGE = 0.8  # this share of records names one: the others would not be judged
ENOUGH_IDS = 20  # there are as many of them
RECORDS_PER_ID = (2, 2_000)  # the median id is named by as many records
KINDS_PER_ID = 2  # and by records of as many kinds
IDS_PER_RECORD = 3  # a record that names ids names no more of them, on average
ARRIVING = 0.25  # this share of ids is first named in the second half: work comes and goes, places are there throughout
# ...and files are sessions if they also begin alike, as rotated logs do not.
BEGINNING_ALIKE = 0.5  # share of the files

SIZES = [n * MICROSECONDS[unit] for n, unit in ((1, "s"), (10, "s"), (1, "min"), (5, "min"), (15, "min"), (1, "h"))]
SIZES += [n * MICROSECONDS[unit] for n, unit in ((6, "h"), (1, "d"))]
TIMED = 0.9  # share of records that must have a time, for time windows
FULL_WINDOW = 20  # records in the median window
FEW_WINDOWS = 50  # of full ones
ENOUGH_WINDOWS = 100
SPARSE_WINDOW = 5  # records in a window on average, where the log is too short for full ones
COUNTS = (100, 50, 20, 10)


@dataclass(frozen=True)
class Evidence:
    """How well an identifier would make sessions of the records looked at."""

    grouping: Grouping
    coverage: float
    ids: int
    records: float
    kinds: float
    per_record: float
    arriving: float

    @property
    def holds(self) -> bool:
        """Whether sessions can be made of it."""
        return self.coverage >= COVERAGE and self.recurs and self.arriving >= ARRIVING

    @property
    def recurs(self) -> bool:
        """Whether ids recur over several records of several kinds, however few records name one."""
        fewest, most = RECORDS_PER_ID
        return (
            self.ids >= ENOUGH_IDS
            and fewest <= self.records <= most
            and self.kinds >= KINDS_PER_ID
            and self.per_record <= IDS_PER_RECORD
        )

    @property
    def rank(self) -> tuple[float, float]:
        """More records named, then more kinds of records in a session, is better."""
        return round(self.coverage * 20), self.kinds


def choose(frame: pl.DataFrame, codes: pl.Series | None = None) -> Grouping:
    """Decide how to group a log of which these are the first records."""
    frame = frame.head(MOST_RECORDS)
    if frame.is_empty():
        return CountWindows(100, 100, why="count:100, because there are no records to decide from")
    kinds = _kinds(frame) if codes is None else pl.Series(codes).head(len(frame))
    weighed = [weigh(grouping, frame, kinds) for grouping in candidates(frame)]
    holding = [evidence for evidence in weighed if evidence.holds and _begin_alike(evidence.grouping, frame, kinds)]
    if holding:
        best = max(holding, key=lambda evidence: evidence.rank)  # of equals the first: messages before fields
        return _because(best.grouping, _praise(best, len(frame)))
    return _windows(frame, _doubt(weighed))


def weigh(grouping: Grouping, frame: pl.DataFrame, kinds: pl.Series) -> Evidence:
    """Look how the ids of a grouping recur over records."""
    ids = _ids(grouping, frame)
    named = ids["row"].n_unique()
    per_id = (
        ids.with_columns(kinds.gather(ids["row"]).alias("kind"))
        .group_by("id")
        .agg(
            pl.len().alias("records"),
            pl.col("kind").n_unique().alias("kinds"),
            (pl.col("row").min() >= len(frame) // 2).alias("late"),
        )
    )
    records, of_kinds = per_id.select(pl.col("records", "kinds").median()).row(0)
    arriving = per_id["late"].mean()
    return Evidence(
        grouping=grouping,
        coverage=named / len(frame),
        ids=len(per_id),
        records=records or 0.0,
        kinds=of_kinds or 0.0,
        per_record=len(ids) / max(named, 1),
        arriving=arriving if isinstance(arriving, float) else 0.0,
    )


def _ids(grouping: Grouping, frame: pl.DataFrame) -> pl.DataFrame:
    if isinstance(grouping, Sessions):
        return IdFinder(grouping.regex)(frame)
    assert isinstance(grouping, Fields)  # noqa: S101 - only these two go by ids
    return ids_in_fields(frame, grouping.names)


def _kinds(frame: pl.DataFrame) -> pl.Series:
    """Tell kinds of messages apart, near enough: the first words, without those that hold digits."""
    messages = frame["message"]
    standing_for = None
    if ALIKE in frame.columns:
        rows, standing_for = of_firsts(frame[ALIKE].to_numpy())
        messages = messages.gather(rows)
    words = messages.fill_null("").str.slice(0, 200).str.replace_all(r"[^\s]*[0-9/][^\s]*", "")
    kinds = words.str.extract(r"^((?:\s*\S+){0,6})", 1).rank("dense")
    return kinds if standing_for is None else kinds.gather(standing_for)


def _begin_alike(grouping: Grouping, frame: pl.DataFrame, kinds: pl.Series) -> bool:
    """Tell files that each tell one story from the pieces of a log that was cut somewhere."""
    if grouping != Fields(("source",)):
        return True
    firsts = frame.select("source", kinds.alias("kind")).group_by("source").agg(pl.col("kind").first())
    most_common = firsts["kind"].value_counts()["count"].max()
    return isinstance(most_common, int) and most_common >= BEGINNING_ALIKE * len(firsts)


def _praise(evidence: Evidence, looked_at: int) -> str:
    what = "come from files that begin alike" if evidence.grouping == Fields(("source",)) else "name such an id"
    return (
        f"{_percent(evidence.coverage)} of the first {looked_at:,} records {what}: {evidence.ids:,} of them, "
        f"each in {evidence.records:g} records of {evidence.kinds:g} kinds (median)"
    )


def _doubt(weighed: Iterable[Evidence]) -> str:
    """Say why not by id; the user may know better."""
    near = [evidence for evidence in weighed if evidence.recurs]
    if not near:
        return "no id recurs over several kinds of records"
    best = max(near, key=lambda evidence: evidence.coverage)
    if best.coverage < COVERAGE:
        return f"only {_percent(best.coverage)} of records name an id ({best.grouping})"
    return f"the ids ({best.grouping}) stay throughout"


def _windows(frame: pl.DataFrame, doubt: str) -> Grouping:
    times = frame["timestamp"].drop_nulls() if "timestamp" in frame.columns else pl.Series([], dtype=pl.Datetime("us"))
    if len(times) < TIMED * len(frame):
        lack = (
            f"only {_percent(len(times) / len(frame))} of records have a time"
            if len(times)
            else "records have no times"
        )
        return _counted(len(frame), f"{doubt}, and {lack}")
    sizes = [_filled(times.cast(pl.Datetime("us")).to_physical(), size) for size in SIZES]
    full = [filled for filled in sizes if filled[2] >= FULL_WINDOW][:1]
    sparse = [filled for filled in sizes if len(times) >= SPARSE_WINDOW * filled[1] and filled[1] >= ENOUGH_WINDOWS][
        -1:
    ]
    chosen = [filled for filled in full if filled[1] >= FEW_WINDOWS] or sparse
    if not chosen:
        return _counted(len(frame), f"{doubt}, and windows of time would be too few or too empty")
    size, windows, median = chosen[0]
    return _because(
        TimeWindows(size, size),
        f"{doubt}, and the first {len(frame):,} records fill {windows:,} windows of {format_duration(size)}, "
        f"{median:g} records in the median one",
    )


def _filled(times: pl.Series, size: int) -> tuple[int, int, float]:
    """Give the size, how many windows of it hold records, and how many records the median one holds."""
    held = (times // size).value_counts()["count"]
    median = held.median()
    return size, len(held), median if isinstance(median, float) else 0.0


def _counted(records: int, doubt: str) -> Grouping:
    size = next((size for size in COUNTS if records >= ENOUGH_WINDOWS * size), COUNTS[-1])
    return _because(CountWindows(size, size), f"{doubt}; {records:,} records were looked at")


def _because(grouping: Grouping, reason: str) -> Grouping:
    object.__setattr__(grouping, "why", f"{grouping}, because {reason}")
    return grouping


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share in {0.0, 1.0} else f"{min(max(100 * share, 0.1), 99.9):.1f} %"
