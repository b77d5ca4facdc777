"""Files that hold sequences: reading them whatever their kind, and writing them."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import polars as pl
import zstandard

from logbert.atomic import whole_file
from logbert.errors import InputError
from logbert.progress import SILENT, Progress
from logbert.sequences.collector import SCHEMA
from logbert.sequences.grouping import CountWindows, Grouping
from logbert.sequences.parquet_files import read_parquet
from logbert.sequences.text_files import TextReader
from logbert.sequences.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from logbert.sequences.names import KeyNames

PARQUET = b"PAR1"
_OPENERS: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda raw: zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True),
}
_DAMAGED = (EOFError, OSError, lzma.LZMAError, zstandard.ZstdError)


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
            frame = frame.with_columns(pl.format("{}:{}", pl.lit(source), "sequence").alias("sequence"))
        frames.append(frame)
    sequences = pl.concat(frames, rechunk=True)
    if sequences.is_empty():
        raise InputError(f"there are no sequences in {', '.join(sources)}")
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


def _sources(paths: list[str | Path]) -> list[str]:
    """Give every file that is meant, in the order given; a folder's and a glob's in the order of their names."""
    found: list[str] = []
    for path in map(str, paths):
        if path == "-" or Path(path).is_file():
            found.append(path)
        elif Path(path).is_dir():
            files = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
            if not files:
                raise InputError(f"the folder {path} holds no files")
            found += files
        else:
            files = sorted(file for file in _matching(path) if Path(file).is_file())
            if not files:
                raise InputError(f"there is no file {path}")
            found += files
    return found


def _read(source: str, tokens: Tokens, grouping: Grouping, progress: Progress) -> Iterator[pl.DataFrame]:
    with _opened(source) as stream:
        if cast("io.BufferedReader", stream).peek(4)[:4] == PARQUET:
            if source == "-":
                raise InputError("Parquet cannot be read from standard input; give the file's name")
            yield read_parquet(Path(source), tokens, grouping)
            return
        reader = TextReader(source, tokens)
        try:
            yield from reader.read(stream)
        except _DAMAGED as error:
            raise InputError(f"cannot read {source}: {error}") from error
    if reader.empty:
        progress.note(f"{reader.empty:,} empty lines of {source} hold no sequence and are passed over")


def _matching(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute patterns


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, whatever it is compressed with."""
    with ExitStack() as stack:
        if source == "-":
            raw = cast("io.BufferedReader", sys.stdin.buffer)
        else:
            try:
                raw = stack.enter_context(Path(source).open("rb"))
            except OSError as error:
                raise InputError(f"cannot read {source}: {error.strerror}") from error
        head = raw.peek(6)
        opener = next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)
        yield raw if opener is None else io.BufferedReader(cast("io.RawIOBase", opener(raw)))


def _renumbered(lists: pl.Series, tokens: Tokens, names: KeyNames | None) -> pl.Series:
    """Turn the numbers of tokens into keys."""
    table = tokens.table
    texts = table["word"]
    keys = texts.cast(pl.Int32, strict=False) if names is None else names.encode(texts)
    if keys.null_count():
        wrong = texts.filter(keys.is_null()).sort()[0]
        raise InputError(f"the key {wrong!r} is no integer; give the names of keys a place in KeyNames")
    return lists.list.eval(pl.element().replace_strict(table["number"], keys, return_dtype=pl.Int32))
