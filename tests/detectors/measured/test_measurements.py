"""Gaps and values are laid out row by row; clocks may be absent, coarse, or go backwards."""

from __future__ import annotations

import polars as pl
import pytest

from logbert.detectors.measured import Measurements, measurements

SECOND = 1_000_000


def sequences(*times: list[int | None] | None) -> pl.DataFrame:
    """One row a list of seconds; keys count up from 1, lines from 100."""
    filled = [seconds or [] for seconds in times]
    return pl.DataFrame(
        {
            "keys": pl.Series([list(range(1, max(len(one), 2) + 1)) for one in filled], dtype=pl.List(pl.Int32)),
            "lines": [list(range(100, 100 + max(len(one), 2))) for one in filled],
            "times": pl.Series(
                [None if one is None else [None if at is None else at * SECOND for at in one] for one in times],
                dtype=pl.List(pl.Int64),
            ),
        }
    )


def gaps(*times: list[int | None] | None) -> list[tuple[int, int, float]]:
    found = pl.concat(
        [pl.DataFrame(schema={"row": pl.Int64, "key": pl.Int32, "number": pl.Float64})]
        + [part.select("row", "key", "number") for part in Measurements(sequences(*times)).gaps()]
    )
    return found.rows()


def test_a_gap_belongs_to_the_record_that_ends_it() -> None:
    assert gaps([0, 2, 2, 7], [5, 6]) == [(0, 2, 2.0), (0, 3, 0.0), (0, 4, 5.0), (1, 2, 1.0)]


def test_a_clock_that_goes_backwards_stands_still_until_it_is_caught_up_with() -> None:
    assert [gap for _, _, gap in gaps([100, 101, 40, 41, 103])] == [1.0, 0.0, 0.0, 2.0]


def test_records_without_a_time_have_no_gap_and_end_none() -> None:
    assert gaps([0, None, 5]) == [(0, 3, 5.0)]
    assert gaps([None, 3, 5]) == [(0, 3, 2.0)]
    assert gaps(None, None) == []
    assert not Measurements(pl.DataFrame({"keys": [[1, 2]]})).timed
    assert list(Measurements(pl.DataFrame({"keys": [[1, 2]]})).gaps()) == []


def test_values_go_to_every_row_their_line_is_in() -> None:
    values = pl.DataFrame({"line": [101, 7], "key": [2, 2], "number": [3.0, 4.0]})
    [found] = Measurements(sequences([0, 1], [0, 1]), values).valued()
    assert found.select("row", "line", "number").rows() == [(0, 101, 3.0), (1, 101, 3.0)]


@pytest.mark.parametrize("slab", [1, 3, 1000])
def test_slabs_do_not_matter(slab: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "SLAB", slab)
    values = pl.DataFrame({"line": [100, 101], "number": [3.0, 4.0]})
    measured = Measurements(sequences([0, 2], [1, 4, 9], [3, 3]), values)
    assert pl.concat(measured.gaps())["number"].to_list() == [2.0, 3.0, 5.0, 0.0]
    assert pl.concat(measured.valued())["row"].to_list() == [0, 0, 1, 1, 2, 2]


def test_rows_are_ranked_by_time_where_all_have_one() -> None:
    timed = pl.DataFrame({"start": [3, 1, 2], "keys": [[1]] * 3}).with_columns(pl.col("start").cast(pl.Datetime("us")))
    assert Measurements(timed).rank().tolist() == [2, 0, 1]
    some = timed.with_columns(start=pl.when(pl.col("keys").list.len() > 1).then("start"))
    assert Measurements(some).rank().tolist() == [0, 1, 2]
