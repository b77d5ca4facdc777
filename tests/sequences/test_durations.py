import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logbert.sequences.durations import MICROSECONDS, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("30 sec", 30), ("5min", 300), ("5m", 300), ("2h", 7200), ("1d", 86400), (" 1 H ", 3600)],
)
def test_units_people_write_are_understood(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds * 1_000_000


@pytest.mark.parametrize("text", ["", "5", "min", "5 weeks", "-5min", "1.5h", "5min5s"])
def test_anything_else_is_no_length_of_time(text: str) -> None:
    assert parse_duration(text) is None


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 10**6), st.sampled_from(sorted(MICROSECONDS)))
def test_what_is_written_is_read_back(number: int, unit: str) -> None:
    length = number * MICROSECONDS[unit]
    assert parse_duration(format_duration(length)) == length
