"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        raise InputError(f"cannot write in {path.parent}: {error.strerror}") from error
    partial = Path(name)
    try:
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
        raise InputError(f"cannot write in {path.parent}: {error.strerror}") from error
    try:
        yield partial
        partial.chmod(0o777 & ~_umask())
        _take_the_place_of(path, partial)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


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
