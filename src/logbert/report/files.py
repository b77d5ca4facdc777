"""Which file a detection is written to: the name's ending says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logbert.errors import OptionError
from logbert.pipeline import write_verdicts
from logbert.report.page import write_report

if TYPE_CHECKING:
    from pathlib import Path

    from logbert.pipeline import Detection, Pipeline

ENDINGS = (".jsonl", ".csv", ".parquet", ".html")


def check_ending(path: Path) -> None:
    """Refuse an output name whose ending says no known layout, before any work is done."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"cannot tell what to write to {path}: give a name ending in {', '.join(ENDINGS)}")
    if path.is_dir():
        raise OptionError(f"{path} is a folder; name a file ending in {', '.join(ENDINGS)}")


def write_detection(detection: Detection, pipeline: Pipeline, path: Path) -> None:
    """Write the verdicts as rows, or the incidents as a page."""
    check_ending(path)
    if path.suffix.lower() == ".html":
        write_report(detection, pipeline.detector_, path, title=f"{path.stem}: what is out of the ordinary")
    else:
        write_verdicts(detection.verdicts, path)
