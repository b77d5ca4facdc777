"""Files that hold sequences: reading them whatever their kind, and writing them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from logbert.atomic import whole_file
from logbert.errors import InputError
from logbert.lines.sources import Source, find_sources
from logbert.lines.streams import LONGEST_LINE, Intake, read_blocks
from logbert.progress import SILENT, Progress
from logbert.sequences.collector import SCHEMA
from logbert.sequences.grouping import CountWindows, Grouping
from logbert.sequences.parquet_files import read_parquet
from logbert.sequences.text_files import BLOCK, TextReader
from logbert.sequences.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from logbert.sequences.names import KeyNames

PARQUET = b"PAR1"
STDIN = "-"


def read_sequences(
    paths: str | Path | Iterable[str | Path],
    names: KeyNames | None = None,
    *,
    grouping: Grouping | None = None,
    progress: Progress = SILENT,
) -> pl.DataFrame:
    r"""Read files of sequences: text with one sequence a line, or Parquet.

    Parameters
    ----------
    paths
        Files, folders, globs, or `-` for standard input; compressed or not. Sequences come in the order of the files
        as given, so that labels, one a line, fit them.
    names
        Numbers the keys, and grows by those it does not know yet; hand in a copy if it should stay as it is. Without
        it the keys must be integers, and stay as they are.
    grouping
        How the records of a Parquet file with a column `event_id` become sequences; `count:100` if not given.
    progress
        Who hears of lines that held no sequence.

    Returns
    -------
    pl.DataFrame
        One row a sequence, in the columns every frame of sequences has. A sequence of a text file is named by its
        line, and one of a Parquet without `sequence` by its row; where there are several files, with the file before
        it. `times` of `key,seconds` pairs count from the beginning of the sequence.

    Examples
    --------
    >>> import tempfile
    >>> from logbert.sequences import KeyNames
    >>> path = Path(tempfile.mkdtemp()) / "train"
    >>> _ = path.write_text("E5 E22 E5\nE5 E9\n")
    >>> read_sequences(path, KeyNames()).select("sequence", "keys").rows()
    [('1', [0, 2, 0]), ('2', [0, 1])]
    """
    sources = _sources([paths] if isinstance(paths, str | Path) else list(paths))
    if not sources:
        raise InputError("no file of sequences was given")
    tokens = Tokens()
    frames = []
    for source in sources:
        frame = pl.concat([pl.DataFrame(schema=SCHEMA), *_read(source, tokens, grouping or _HUNDREDS, progress)])
        if len(sources) > 1:
            frame = frame.with_columns(pl.format("{}:{}", pl.lit(source.name), "sequence").alias("sequence"))
        frames.append(frame)
    sequences = pl.concat(frames, rechunk=True)
    if sequences.is_empty():
        raise InputError(f"there are no sequences in {', '.join(source.name for source in sources)}")
    return sequences.with_columns(_renumbered(sequences["keys"], tokens, names))


def write_sequences(sequences: pl.DataFrame, path: str | Path, names: KeyNames | None = None) -> None:
    """Write sequences as Parquet (`.parquet`, with all columns) or as text (keys alone, one sequence a line).

    Parameters
    ----------
    sequences
        A frame with a list column `keys`.
    path
        Where to; what is there is replaced once all is written.
    names
        What to write instead of the numbers.
    """
    path = Path(path)
    keys = pl.col("keys").cast(pl.List(pl.String))
    if names is not None:
        used = sequences["keys"].explode().unique().drop_nulls()
        named = names.decode(used)
        _check_writable(named, path)
        written = sequences.with_columns(
            pl.col("keys").list.eval(pl.element().replace_strict(used, named, return_dtype=pl.String))
        )
    else:
        written = sequences
    with whole_file(path) as partial:
        if path.suffix == ".parquet":
            written.write_parquet(partial)
        else:
            written.select(keys.list.join(" ")).write_csv(partial, include_header=False, quote_style="never")


_HUNDREDS = CountWindows(100, 100)


def _check_writable(named: pl.Series, path: Path) -> None:
    broken = named.filter(named.str.contains(r"\s") | (named == ""))
    if path.suffix != ".parquet" and len(broken):
        raise InputError(f"the key {broken[0]!r} cannot be written as text, where spaces separate keys; write .parquet")


def _sources(paths: list[str | Path]) -> list[Source]:
    """Give every file that is meant, in the order given; a folder's and a glob's in the order of their names."""
    found: dict[str, Source] = {}
    for path in paths:
        if str(path) == STDIN:
            found[STDIN] = Source(STDIN, Path(STDIN), named=True, size=0)
            continue
        sources, skipped = find_sources([path])
        packed = [Path(one.name) for one in skipped if one.name.endswith(".parquet")]
        sources += [Source(str(file), file, named=False, size=file.stat().st_size) for file in packed if file.is_file()]
        sources.sort(key=lambda source: source.name)
        if not sources:
            raise InputError(f"{path} holds no files of sequences")
        found |= {source.name: source for source in sources if source.name not in found}
    return list(found.values())


def _read(source: Source, tokens: Tokens, grouping: Grouping, progress: Progress) -> Iterator[pl.DataFrame]:
    with ExitStack() as stack:
        path = stack.enter_context(_standard_input()) if source.name == STDIN else source.path
        if _is_parquet(path):
            yield read_parquet(path, source.name, tokens, grouping)
            return
        reader = TextReader(source.name, tokens)
        step = stack.enter_context(progress.step(f"reading {source.name}", total=source.size or None, unit="bytes"))
        intake = Intake(advanced=step.advance)
        yield from reader.read(read_blocks(path, source.name, BLOCK, intake))
    if intake.cut:
        raise InputError(
            f"{source.name} has a line of more than {LONGEST_LINE:,} bytes; write such sequences as Parquet"
        )
    if reader.empty:
        progress.note(f"{reader.empty:,} empty lines of {source.name} hold no sequence and are passed over")


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PARQUET)) == PARQUET


@contextmanager
def _standard_input() -> Iterator[Path]:
    """Keep what can be read only once."""
    with tempfile.NamedTemporaryFile(prefix="logbert-") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield Path(file.name)


def _renumbered(lists: pl.Series, tokens: Tokens, names: KeyNames | None) -> pl.Series:
    """Turn the numbers of tokens into keys."""
    table = tokens.table
    texts = table["word"]
    keys = texts.cast(pl.Int32, strict=False) if names is None else names.encode(texts)
    if keys.null_count():
        wrong = texts.filter(keys.is_null()).sort()[0]
        raise InputError(f"the key {wrong!r} is no integer; give the names of keys a place in KeyNames")
    return lists.list.eval(pl.element().replace_strict(table["number"], keys, return_dtype=pl.Int32))
