"""Times are read as Python reads them, whatever a log leaves out."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.lines.clocks import BY_NAME, TIME_TEXT, Turns, choose_clock

AT = dt.datetime(2015, 6, 3, 15, 42, 50)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("text", "clock", "expected"),
    [
        ("2015-06-03 15:42:50", "iso", AT),
        ("2015-06-03 15:42:50,978", "iso", AT.replace(microsecond=978000)),
        ("2015-06-03 15:42:50.1", "iso", AT.replace(microsecond=100000)),
        ("2015-06-03T15:42:50.675872999Z", "iso", AT.replace(microsecond=675872)),
        ("2015-06-03T17:42:50+02:00", "iso", AT),
        ("2015-06-03T08:42:50-0700", "iso", AT),
        ("2015-06-03 17:42:50 +0200", "iso", AT),
        ("2015-06-03 15:42:50 UTC", "iso", AT),
        ("2015-06-03-15.42.50.675872", "bgl", AT.replace(microsecond=675872)),
        ("150603 154250", "compact", AT),
        ("20150603-15:42:50:6", "healthapp", AT.replace(microsecond=6000)),
        ("20150603-15:42:50:606", "healthapp", AT.replace(microsecond=606000)),
        ("03/Jun/2015:08:42:50 -0700", "clf", AT),
        ("Wed Jun 03 15:42:50 2015", "asctime", AT),
        ("Wed Jun 3 15:42:50.000123 2015", "asctime", AT.replace(microsecond=123)),
        ("Wed, 03 Jun 2015 17:42:50 +0200", "mail", AT),
        ("15/06/03 15:42:50", "year-first", AT),
        ("03-Jun-2015 15:42:50.5", "month-name", AT.replace(microsecond=500000)),
        ("06/23/2015 15:42:50", "month-first", AT.replace(day=23)),
        ("6/23/2015 3:42:50 PM", "month-first", AT.replace(day=23)),
        ("23/06/2015 15:42:50", "day-first", AT.replace(day=23)),
        ("1433346170", "epoch", AT),
        ("1433346170.25", "epoch", AT.replace(microsecond=250000)),
        ("1433346170123", "epoch", AT.replace(microsecond=123000)),
        ("1433346170123456", "epoch", AT.replace(microsecond=123456)),
        ("1433346170123456789", "epoch", AT.replace(microsecond=123456)),
        ("Jun  3 15:42:50", "syslog", AT.replace(year=2000)),
        ("06-03 15:42:50.811", "android", AT.replace(year=2000, microsecond=811000)),
        ("06.03 15:42:50", "proxifier", AT.replace(year=2000)),
        ("0603 15:42:50.000001", "klog", AT.replace(year=2000, microsecond=1)),
        ("15:42:50.5", "time-only", dt.datetime(2000, 1, 1, 15, 42, 50, 500000)),  # noqa: DTZ001
    ],
)
def test_each_way_of_writing_a_time_is_recognised_and_read(text: str, clock: str, expected: dt.datetime) -> None:
    chosen = choose_clock(pl.Series([text]))
    assert chosen is not None
    assert chosen.name == clock
    assert chosen.read(pl.Series([text, None, "nonsense"])).to_list() == [expected, None, None]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.datetimes(dt.datetime(1976, 1, 1), dt.datetime(2099, 12, 31)), min_size=1, max_size=20))  # noqa: DTZ001
@pytest.mark.parametrize(
    ("clock", "pattern"),
    [
        ("iso", "%Y-%m-%d %H:%M:%S,%f"),
        ("iso", "%Y-%m-%dT%H:%M:%S.%f+00:00"),
        ("bgl", "%Y-%m-%d-%H.%M.%S.%f"),
        ("asctime", "%a %b %d %H:%M:%S.%f %Y"),
        ("slash-iso", "%Y/%m/%d %H:%M:%S.%f"),
    ],
)
def test_reading_undoes_writing(clock: str, pattern: str, times: list[dt.datetime]) -> None:
    written = pl.Series([time.strftime(pattern) for time in times])
    assert BY_NAME[clock].read(written).to_list() == times


def test_rows_of_one_batch_may_be_written_differently() -> None:
    mixed = pl.Series(["2015-06-03 15:42:50,5", "2015-06-03T15:42:50Z", "2015-06-03 15:42:50"])
    assert BY_NAME["iso"].read(mixed).to_list() == [AT.replace(microsecond=500000), AT, AT]


def test_the_order_of_day_and_month_is_the_one_in_which_time_runs_forward() -> None:
    days = choose_clock(pl.Series(["01/02/2024 10:00:00", "02/02/2024 10:00:00", "01/03/2024 10:00:00"]))
    months = choose_clock(pl.Series(["01/30/2024 10:00:00", "02/01/2024 10:00:00", "02/02/2024 10:00:00"]))
    assert days is not None
    assert months is not None
    assert (days.name, months.name) == ("day-first", "month-first")


def test_years_turn_where_december_is_followed_by_january() -> None:
    turns = Turns("year")
    first = turns.follow(BY_NAME["syslog"].read(pl.Series(["Dec 31 23:59:58", None, "Jan 1 00:00:00"])))
    second = turns.follow(BY_NAME["syslog"].read(pl.Series(["Dec 31 23:59:59", "Feb 28 00:00:00"])))
    assert [time and time.year for time in first] == [2000, None, 2001]
    assert [time.year for time in second] == [2000, 2001]


def test_a_clock_that_is_wrong_by_two_months_turns_no_year() -> None:
    turns = Turns("year")
    texts = ["Jun 1 00:00:00", "Aug 1 00:00:00"] * 20
    assert {time.year for time in turns.follow(BY_NAME["syslog"].read(pl.Series(texts)))} == {2000}


def test_days_turn_at_midnight() -> None:
    times = Turns("day").follow(BY_NAME["time-only"].read(pl.Series(["23:59:59.9", "00:00:00.1"])))
    assert [time.day for time in times] == [1, 2]


@pytest.mark.parametrize("text", ["2015-02-31 10:00:00", "Feb 30 10:00:00", "99:99:99", "2024-01-01 10:00:00 PST"])
def test_an_impossible_time_still_looks_like_one(text: str) -> None:
    assert pl.Series([text]).str.contains(TIME_TEXT).all()


@pytest.mark.parametrize("text", ["Caused by:", "12 more", "at org", "java.io.IOException:", "main thread 7"])
def test_words_do_not_look_like_a_time(text: str) -> None:
    assert not pl.Series([text]).str.contains(TIME_TEXT).any()
