"""What was fetched, from where and when: kept beside the files, so that they can be checked later."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from logbert.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "logbert-receipt.json"


@dataclass(frozen=True)
class FileRecord:
    """One file as it was unpacked.

    Attributes
    ----------
    path
        Below the folder, with `/` between its parts.
    bytes, sha256
        Its size and checksum.
    lines
        Its lines, counted after unpacking where it is packed itself.
    """

    path: str
    bytes: int
    sha256: str
    lines: int


@dataclass(frozen=True)
class Receipt:
    """What was fetched.

    Attributes
    ----------
    dataset
        The name of the set.
    url
        Where it came from; a path if it was there already.
    fetched
        When, in UTC.
    first
        How many lines of its log were taken; all, if `None`.
    bytes, md5, sha256
        Of the whole archive; `None` if only its beginning was fetched.
    published
        Whether `md5` is the published one.
    files
        What was unpacked.
    """

    dataset: str
    url: str
    fetched: str
    first: int | None
    bytes: int | None
    md5: str | None
    sha256: str | None
    published: bool
    files: tuple[FileRecord, ...]

    def write(self, folder: Path) -> None:
        """Write it into the folder."""
        (folder / NAME).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.bytes for file in self.files)


def read_receipt(folder: Path) -> Receipt | None:
    """Read the receipt in a folder; `None` if there is none.

    Raises
    ------
    InputError
        If it cannot be read, or is not one.
    """
    path = folder / NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        content["files"] = tuple(FileRecord(**file) for file in content["files"])
        return Receipt(**{field.name: content[field.name] for field in fields(Receipt)})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: this receipt cannot be read; remove the folder and get the set again") from error
