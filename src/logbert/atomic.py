"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from logbert.errors import LogbertError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

OS_ERROR = re.compile(r"\(os error (\d+)\)")  # how libraries that are not Python tell of one


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary sibling to write to; it becomes `path` only if all went well.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole_file(folder / "out.txt") as partial:
    ...     _ = partial.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['out.txt']
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    partial = Path(name)
    try:
        with telling(path):
            yield partial
            partial.chmod(0o666 & ~_umask())
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a temporary sibling folder to fill; it takes the place of `path` only if all went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".partial", dir=path.parent))
    except OSError as error:
        raise OutputError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        with telling(path):
            yield partial
            partial.chmod(0o777 & ~_umask())
            _take_the_place_of(path, partial)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Say in one line that `path` could not be written, whoever found out: Python, or a library in its own words.

    Examples
    --------
    >>> with telling(Path("out.parquet")):
    ...     raise RuntimeError("parquet: underlying IO error: No space left on device (os error 28)")
    Traceback (most recent call last):
    ...
    logbert.errors.OutputError: cannot write out.parquet: No space left on device; what stood there is as it was
    """
    try:
        yield
    except LogbertError:
        raise
    except Exception as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else None
        found = OS_ERROR.search(str(error))
        if reason is None and found is None:
            raise
        reason = reason or os.strerror(int(found[1]) if found else 0)
        raise OutputError(f"cannot write {path}: {reason}; what stood there is as it was") from error


def check_place(path: Path) -> None:
    """Refuse an output that cannot be written where it is to go, before any work is done."""
    place = path.absolute().parent
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}; name another place") from error


def _take_the_place_of(path: Path, partial: Path) -> None:
    """Rename `partial` to `path`; what stood there steps aside first and is removed last."""
    if not path.exists():
        partial.rename(path)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".old", dir=path.parent))
    path.rename(aside / path.name)
    try:
        partial.rename(path)
    except OSError:
        (aside / path.name).rename(path)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
