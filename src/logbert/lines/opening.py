"""What happens before the first record is read: streams are kept, and each source shows its first lines."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from logbert.errors import InputError
from logbert.lines.sources import STDIN, Skipped, Source, describe_skipped
from logbert.lines.streams import Intake, NotTextError, read_blocks
from logbert.lines.text import Repairs, to_lines

if TYPE_CHECKING:
    import polars as pl

SAMPLE_BYTES = 1 << 18
SAMPLE_LINES = 2_000
SAMPLE_WIDTH = 1 << 16  # characters of a line that are enough to know its header by


def is_stream(given: str | Path) -> bool:
    """Tell whether an input can be read only once: standard input, or a pipe under a name."""
    if str(given) == STDIN:
        return True
    path = Path(given)
    return path.exists() and not path.is_file() and not path.is_dir()


def keep_stream(given: str, path: Path) -> Source:
    """Keep what can be read only once."""
    with path.open("wb") as file:
        if given == STDIN:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with Path(given).open("rb") as stream:
                shutil.copyfileobj(stream, file)
    return Source(given, path, named=True, size=path.stat().st_size)


def sample_sources(sources: list[Source]) -> tuple[list[tuple[Source, pl.Series]], list[Skipped]]:
    """Read the first lines of each source; files that hold nothing, or nothing readable, are told apart."""
    samples = []
    skipped = []
    for source in sources:
        try:
            block = next(read_blocks(source.path, source.name, SAMPLE_BYTES, Intake()), b"")
        except NotTextError as error:
            if source.named:
                raise
            skipped.append(Skipped(source.name, str(error).removeprefix(f"{source.name}: ").split(";", maxsplit=1)[0]))
            continue
        if block:
            samples.append((source, to_lines(block, Repairs()).head(SAMPLE_LINES).str.head(SAMPLE_WIDTH)))
        else:
            skipped.append(Skipped(source.name, "empty"))
    return samples, skipped


def refuse_nothing(inputs: list[str], skipped: list[Skipped]) -> NoReturn:
    """Refuse inputs that hold nothing, and say what was left out."""
    what = inputs[0] if len(inputs) == 1 else f"the {len(inputs)} inputs"
    if inputs == [STDIN]:
        what = "standard input"
    reasons = describe_skipped(skipped)
    raise InputError(f"{what}: there is nothing to read" + (f"; {reasons}" if reasons else ""))
