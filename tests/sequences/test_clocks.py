import polars as pl

from logbert.sequences.clocks import Clocks


def records(*rows: tuple[int, str, int | None]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"line": pl.Int64, "source": pl.String, "time": pl.Int64}, orient="row")


def times(frame: pl.DataFrame, batch: int) -> list[int | None]:
    clocks = Clocks()
    for begin in range(0, len(frame), batch):
        clocks.add(frame[begin : begin + batch])
    return clocks.times(clocks.with_source(frame.drop("source"))).to_list()


def test_a_record_without_time_goes_by_the_one_before_it_in_its_source() -> None:
    frame = records((1, "a", 10), (2, "b", 99), (3, "a", None), (4, "b", None), (5, "a", 12))
    assert times(frame, 5) == times(frame, 1) == [10, 99, 10, 99, 12]


def test_at_the_beginning_of_a_source_it_goes_by_the_first_that_follows() -> None:
    frame = records((1, "a", 10), (2, "b", None), (3, "b", None), (4, "b", 50))
    assert times(frame, 4) == times(frame, 1) == [10, 50, 50, 50]


def test_a_source_without_any_time_goes_by_its_neighbours() -> None:
    between = records((1, "a", 10), (2, "a", 20), (3, "b", None), (4, "c", 30))
    assert times(between, 4) == times(between, 1) == [10, 20, 20, 30]
    first = records((1, "b", None), (2, "c", 30), (3, "c", 40))
    assert times(first, 4) == times(first, 1) == [30, 30, 40]


def test_without_any_time_there_is_none() -> None:
    frame = records((1, "a", None), (2, "b", None))
    assert times(frame, 2) == [None, None]


def test_a_file_without_a_name_is_a_source_like_any_other() -> None:
    clocks = Clocks()
    frame = records((1, "", 1), (2, "b", 1), (3, "", 1))
    clocks.add(frame)
    assert clocks.with_source(frame.drop("source"))["source"].to_list() == [0, 1, 0]
