"""Records with their templates and parameters, from any input to loghub's layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from logbert.lines import open_records
from logbert.progress import SILENT, Progress
from logbert.templates import Masks, Templates, write_parsed

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_inputs(
    inputs: Sequence[str | Path],
    output: Path,
    *,
    format: str = "auto",  # noqa: A002 - the word of the command line
    masks: str | Path | None = None,
    progress: Progress = SILENT,
) -> None:
    """Give every record of the inputs its template and parameters.

    Parameters
    ----------
    inputs
        Files, folders, globs, or `-`.
    output
        `X.csv` for loghub's two files, `X.parquet` for one.
    format
        As for training.
    masks
        A TOML file or a drain3.ini; None for the built-in ones.
    progress
        Who is told how it goes.
    """
    chosen = Masks.default() if masks is None else Masks.read(Path(masks))
    reader = open_records(inputs, format, progress=progress, compare=True)
    parsed = write_parsed(reader, Templates(masks=chosen), output)
    progress.note(str(reader.summary))
    where = " and ".join(map(str, parsed.paths))
    progress.note(f"{parsed.records:,} records of {parsed.templates:,} templates are in {where}")
