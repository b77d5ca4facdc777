"""Sources come in the order of their first times, also over a turn of the year that no line names."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from logbert.lines.order import _turned_years


def day(month: int, day_: int) -> dt.datetime:
    return dt.datetime(2000, month, day_)  # noqa: DTZ001


def test_a_log_of_autumn_and_winter_turns_the_year() -> None:
    firsts = {"3": day(11, 20), "2": day(12, 10), "1": day(12, 31), "0": day(1, 20)}
    assert _turned_years(firsts) == {"3": 0, "2": 0, "1": 0, "0": 1}


def test_a_log_of_one_year_turns_none() -> None:
    assert set(_turned_years({str(month): day(month, 1) for month in range(1, 13)}).values()) <= {0}
    assert set(_turned_years({"a": day(1, 20), "b": day(8, 5)}).values()) <= {0}


@given(st.lists(st.datetimes(day(1, 1), day(12, 31)), max_size=8), st.randoms())
def test_names_and_order_of_files_do_not_matter(times: list[dt.datetime], chance: object) -> None:
    firsts = {str(number): time for number, time in enumerate(times)}
    shuffled = list(firsts.items())
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert _turned_years(dict(shuffled)) == _turned_years(firsts)
