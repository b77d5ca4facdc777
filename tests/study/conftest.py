"""Small data sets in the layouts people have, made by the tests themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

HEALTHY = ("5 5 5 22 11 9 11 9 11 9 26 26 26", "22 5 5 5 11 9 11 9 11 9 26 26 26 23 23 23 21 21 21")
BROKEN = ("5 5 22 7", "5 5 5 22 11 9 11 9 7 7 26 26 26")  # the first is shorter than the paper's code reads


def write_triple(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hdfs_train").write_text("\n".join(HEALTHY * 60))
    (folder / "hdfs_test_normal").write_text("\n".join(HEALTHY * 20))
    (folder / "hdfs_test_abnormal").write_text("\n".join(BROKEN * 5))
    (folder / "hdfs_templates.csv").write_text(
        "EventId,EventTemplate\nE5,Receiving block <*>\nE7,writeBlock failed <*>\n"
    )


def write_stream(folder: Path) -> None:
    """Write 4,000 records: 1 2 3 over and over, with an alert (99) in every tenth hundred of them."""
    folder.mkdir(parents=True, exist_ok=True)
    events = np.tile([1, 2, 3, 4], 1_000)
    alert = np.zeros(4_000, dtype=np.bool_)
    alert[950::1_000] = True
    events[alert] = 99
    pl.DataFrame({"line": range(4_000), "event_id": events, "alert": alert}).write_parquet(
        folder / "bgl_stream.parquet"
    )
    (folder / "bgl_normal_windows.txt").write_text("\n".join([" ".join(["1 2 3 4"] * 60)] * 5))
    (folder / "bgl_templates.csv").write_text("EventId,EventTemplate\n99,machine check error <*>\n")


def write_bgl(folder: Path) -> None:
    """Write four hours of BGL, a record every ten seconds; the last hour has a message of its own, and an alert."""
    folder.mkdir(parents=True, exist_ok=True)
    begin = datetime(2005, 6, 3, 12, 0, tzinfo=UTC)
    lines = []
    for second in range(0, 4 * 3_600, 10):
        at = begin + timedelta(seconds=second)
        late = second >= 3 * 3_600
        text = ("generating core.2275", "instruction cache parity error corrected", "ciod: new release loaded")[
            second // 10 % (3 if late else 2)
        ]
        label = "KERNDTLB" if second == 13_000 else "-"
        lines.append(
            f"{label} {int(at.timestamp())} {at:%Y.%m.%d} R02-M1-N0 {at:%Y-%m-%d-%H.%M.%S.%f} R02-M1-N0 "
            f"RAS KERNEL INFO {text}"
        )
    (folder / "BGL.log").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one data set in each layout, and files that are none."""
    folder = tmp_path_factory.mktemp("data")
    write_triple(folder / "hdfs")
    write_stream(folder / "bgl")
    write_bgl(folder / "raw")
    (folder / "raw" / "BGL_2k.log").write_text("too little\n")
    (folder / "raw" / "HDFS.log").write_text("without labels there is nothing to measure\n")
    write_triple(folder / ".trash")
    pl.DataFrame({"event_id": [1]}).write_parquet(folder / "bgl" / "bgl_other.parquet")
    return folder
