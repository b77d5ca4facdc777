"""The written log: a header on every record, clocks a little apart, lines as they arrive."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from logbert.simulator.dice import Dice
from logbert.simulator.simulate import normal_period
from logbert.simulator.store import EVENTS, Step
from logbert.simulator.writer import write_log

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = np.datetime64("2024-03-11T06:00:00.000", "ms")
HEADER = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) (DEBUG|INFO |WARN |ERROR) ((?:bay|gw|coord)-\d+) \[[a-z]+(?:-\d)?\] "
    r"[a-z]+\.[A-Za-z]+: (\S.*)"
)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("log") / "quarry.log"
    written = write_log(path, list(normal_period(1, 1500).steps()), begin=BEGIN, dice=Dice(1, "writing"))
    text = path.read_text(encoding="utf-8").splitlines()
    assert written == len(text)
    return text


def test_a_record_is_written_with_its_header_and_values(tmp_path: Path) -> None:
    values: dict[str, object] = {"slab": "slab-7f3a9c21d04e", "bay": "bay-03", "attempt": 2}
    path = tmp_path / "one.log"
    write_log(path, [Step(3661.5, EVENTS["slow"], "gw-2", values)], begin=BEGIN, dice=Dice(0, "one"))
    found = HEADER.fullmatch(path.read_text(encoding="utf-8").strip())
    assert found is not None
    assert abs(np.datetime64(found[1].replace(" ", "T")) - np.datetime64("2024-03-11T07:01:01.500")) <= np.timedelta64(
        4
    )
    assert found[2].strip() == "WARN"
    assert found[4] == "bay-03 is slow on slab-7f3a9c21d04e, sending again (attempt 2)"


def test_every_line_is_a_record_or_continues_a_trace_or_a_list(lines: list[str]) -> None:
    other = [line for line in lines if not HEADER.fullmatch(line)]
    assert 0.001 < len(other) / len(lines) < 0.05
    assert all(line.startswith(("\tat ", "\t... ", "io.quarry.", "  - ", "  + ")) for line in other)


def test_no_place_for_a_value_is_left_open(lines: list[str]) -> None:
    assert not [line for line in lines if "{" in line or "}" in line]


def test_times_are_out_of_order_now_and_then_but_never_by_much(lines: list[str]) -> None:
    times = np.array(
        [found[1].replace(" ", "T") for line in lines if (found := HEADER.fullmatch(line))], dtype="M8[ms]"
    )
    steps = np.diff(times).astype(int)
    assert 0.005 < np.mean(steps < 0) < 0.2
    assert steps.min() >= -60


def test_sessions_are_interleaved(lines: list[str]) -> None:
    ids = [found[0] for line in lines if (found := re.search(r"slab-[0-9a-f]{12}", line))]
    changes = sum(one != other for one, other in itertools.pairwise(ids))
    assert changes > 2.5 * len(set(ids))


def test_traces_occur_in_sessions_where_nothing_is_wrong(lines: list[str]) -> None:
    handled = [line for line, after in itertools.pairwise(lines) if "slab-" in line and after.startswith("io.quarry.")]
    assert len(handled) > 5
