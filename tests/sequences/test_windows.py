from datetime import datetime
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.errors import OptionError
from logbert.sequences import Grouping, windows


def at(*clock: str | None) -> pl.DataFrame:
    times = [None if c is None else datetime.fromisoformat(f"2005-11-15T{c}") for c in clock]
    return pl.DataFrame(
        {"line": range(1, len(times) + 1), "timestamp": times}, schema_overrides={"timestamp": pl.Datetime("us")}
    )


def collected(spec: str, frame: pl.DataFrame) -> tuple[dict[str, list[int]], list[str]]:
    collector = Grouping.parse(spec).collector()
    collector.add(frame, np.zeros(len(frame), dtype=np.uint32))
    sequences = collector.finish(np.array([0], dtype=np.int32))
    return dict(sequences.select("sequence", "lines").iter_rows()), collector.notes


def test_time_windows_begin_at_whole_multiples_whatever_else_is_in_the_log() -> None:
    found, _ = collected("time:5min", at("05:29:59", "05:30:00", "05:31:00", "07:00:01"))
    assert found == {
        "2005-11-15T05:25:00/5min": [1],
        "2005-11-15T05:30:00/5min": [2, 3],
        "2005-11-15T07:00:00/5min": [4],
    }
    assert collected("time:5min", at("05:31:00"))[0] == {"2005-11-15T05:30:00/5min": [1]}


def test_overlapping_windows_hold_a_record_several_times() -> None:
    found, _ = collected("time:2min/1min", at("05:30:30", "05:31:30"))
    assert found == {
        "2005-11-15T05:29:00/2min": [1],
        "2005-11-15T05:30:00/2min": [1, 2],
        "2005-11-15T05:31:00/2min": [2],
    }


def test_a_late_record_falls_into_the_window_its_own_time_says() -> None:
    found, _ = collected("time:1min", at("05:30:10", "05:35:00", "05:30:20"))
    assert found == {"2005-11-15T05:30:00/1min": [1, 3], "2005-11-15T05:35:00/1min": [2]}


def test_records_without_time_stay_with_their_neighbours_and_are_counted() -> None:
    found, notes = collected("time:1min", at(None, "05:30:10", None, "05:35:00"))
    assert found == {"2005-11-15T05:30:00/1min": [1, 2, 3], "2005-11-15T05:35:00/1min": [4]}
    assert notes == ["2 of 4 records have no time and go by the time of the record before"]


def test_time_windows_without_any_time_are_an_error_that_says_what_else_to_do() -> None:
    with pytest.raises(OptionError, match="need timestamps, and none of the 2 records has one; group by count:100"):
        collected("time:1min", at(None, None))


def test_times_before_1970_have_their_windows_too() -> None:
    frame = pl.DataFrame({"line": [1], "timestamp": [datetime.fromisoformat("1969-12-31T23:59:30")]})
    assert collected("time:1min", frame)[0] == {"1969-12-31T23:59:00/1min": [1]}


def test_the_last_count_window_holds_what_is_left() -> None:
    frame = pl.DataFrame({"line": [1, 4, 5, 9, 10]})
    assert collected("count:2", frame)[0] == {"lines 1-4": [1, 4], "lines 5-9": [5, 9], "lines 10-10": [10]}


def test_no_count_window_lies_within_the_one_before() -> None:
    frame = pl.DataFrame({"line": range(1, 7)})
    assert list(collected("count:4/2", frame)[0]) == ["lines 1-4", "lines 3-6"]
    assert list(collected("count:100/50", frame)[0]) == ["lines 1-6"]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(-200, 200), min_size=1, max_size=60),
    st.tuples(st.integers(1, 30), st.integers(1, 30)).map(lambda pair: (max(pair), min(pair))),
)
def test_windows_made_a_few_at_a_time_are_the_same(times: list[int], window: tuple[int, int]) -> None:
    members = pl.DataFrame({"at": sorted(times)})
    whole = pl.concat(windows.spread(members, *window))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "SLAB", 3)
        slabs = list(windows.spread(members, *window))
    assert pl.concat(slabs).sort("window", "at").equals(whole.sort("window", "at"))
    edges = [(slab["window"].min(), slab["window"].max()) for slab in slabs if len(slab)]
    assert all(before[1] < after[0] for before, after in pairwise(edges))
