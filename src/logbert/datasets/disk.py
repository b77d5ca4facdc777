"""The disk's side: whether there is room, and what its errors mean."""

from __future__ import annotations

import errno
import shutil
from typing import TYPE_CHECKING

from logbert.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS}


def need_room(folder: Path, needed: int, what: str) -> None:
    """Refuse to begin what the disk has no room for.

    Raises
    ------
    InputError
        If less than `needed` bytes are free where `folder` is or will be.
    """
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise InputError(
            f"{folder}: {what} needs {size(needed)}, and {size(free)} are free; "
            "make room, or name a folder on another disk with -o"
        )


def say_disk(where: Path, error: OSError) -> str:
    """Say what the disk's error means and what to do."""
    if error.errno in FULL:
        return f"{where}: the disk is full; make room and run this again, or name a folder on another disk with -o"
    if error.errno in REFUSED:
        return f"{where}: no permission to write there; name another folder with -o"
    return f"{where}: cannot be written to ({error.strerror or error}); name another folder with -o"


def size(number: int) -> str:
    """Write a number of bytes as people do.

    Examples
    --------
    >>> [size(n) for n in (0, 999, 262_905, 186_645_559, 31_788_301_041)]
    ['0 B', '999 B', '262.9 kB', '186.6 MB', '31.8 GB']
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= scale:
            return f"{number / scale:.1f} {unit}"
    return f"{number} B"
