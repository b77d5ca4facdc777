"""Which files an input means: files, folders, globs and standard input, each file once."""

from __future__ import annotations

import glob
import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STDIN = "-"

# What a folder of logs also holds and nobody means: read only if named.
NOT_LOGS = frozenset(
    [
        ".7z",
        ".avi",
        ".bin",
        ".bmp",
        ".c",
        ".class",
        ".conf",
        ".cfg",
        ".cpp",
        ".css",
        ".csv",
        ".db",
        ".deb",
        ".dll",
        ".doc",
        ".docx",
        ".dump",
        ".dylib",
        ".exe",
        ".gif",
        ".go",
        ".h",
        ".html",
        ".ico",
        ".idx",
        ".ini",
        ".ipynb",
        ".jar",
        ".java",
        ".jpeg",
        ".jpg",
        ".js",
        ".lock",
        ".md",
        ".mov",
        ".mp3",
        ".mp4",
        ".npy",
        ".npz",
        ".o",
        ".orc",
        ".parquet",
        ".pcap",
        ".pdf",
        ".pickle",
        ".pid",
        ".pkl",
        ".png",
        ".pt",
        ".pth",
        ".py",
        ".pyc",
        ".rar",
        ".rpm",
        ".rs",
        ".safetensors",
        ".sh",
        ".so",
        ".sock",
        ".sql",
        ".sqlite",
        ".sqlite3",
        ".svg",
        ".swp",
        ".tar",
        ".tbz",
        ".tgz",
        ".toml",
        ".ts",
        ".tsv",
        ".ttf",
        ".txz",
        ".war",
        ".wasm",
        ".wav",
        ".webp",
        ".whl",
        ".woff",
        ".woff2",
        ".xls",
        ".xlsx",
        ".xml",
        ".yaml",
        ".yml",
        ".zip",
    ]
)
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".lzma")


@dataclass(frozen=True)
class Source:
    """One file to read.

    Attributes
    ----------
    name
        The file as the user gave it; `-` is standard input.
    path
        Where it is.
    named
        Whether the user named this very file, rather than a folder or a glob it was found in.
    size
        Bytes on disk.
    """

    name: str
    path: Path
    named: bool
    size: int


@dataclass(frozen=True)
class Skipped:
    """A file or folder that was found and not read, and why."""

    name: str
    reason: str


def find_sources(inputs: Sequence[str | Path]) -> tuple[list[Source], list[Skipped]]:
    """Find the files that `inputs` mean, in order of their names, each once; standard input is left to the reader.

    Raises
    ------
    InputError
        If an input is missing, a glob matches nothing, or a named file or folder cannot be opened.
    """
    found: dict[tuple[int, int], Source] = {}
    skipped: list[Skipped] = []
    for given in inputs:
        for source in _expand(str(given), skipped):
            status = source.path.stat()
            key = (status.st_dev, status.st_ino)
            known = found.get(key)
            if known is None or (source.named, known.name) > (known.named, source.name):
                found[key] = source
    return sorted(found.values(), key=lambda source: source.name), sorted(set(skipped), key=lambda one: one.name)


def _expand(given: str, skipped: list[Skipped]) -> Iterator[Source]:
    path = Path(given).expanduser()
    if path.is_dir():
        yield from _walk(given, path, skipped, required=True)
    elif path.exists():
        yield _named(given, path)
    elif glob.has_magic(given):
        yield from _match(given, path, skipped)
    else:
        raise InputError(f"{given}: no such file or folder; check the path (it is looked for from {Path.cwd()})")


def _named(given: str, path: Path) -> Source:
    if not os.access(path, os.R_OK):
        raise InputError(f"{given}: no permission to read it; change its permissions or run as a user who may")
    return Source(given, path, named=True, size=path.stat().st_size)


def _match(given: str, path: Path, skipped: list[Skipped]) -> Iterator[Source]:
    matches = sorted(glob.glob(str(path), recursive=True))
    if not matches:
        raise InputError(f"{given}: no file matches this pattern; check it, or name a folder to read all its files")
    for match in matches:
        if Path(match).is_dir():
            # `logs/**` names every folder and every file below; the files come by themselves.
            if "**" not in given:
                yield from _walk(match, Path(match), skipped, required=False)
            continue
        source = _found(match, Path(match), skipped)
        if source is not None:
            yield source


def _walk(given: str, folder: Path, skipped: list[Skipped], required: bool) -> Iterator[Source]:
    def refuse(error: OSError) -> None:
        if required and Path(error.filename) == folder:
            raise InputError(f"{given}: no permission to list this folder; change its permissions or name its files")
        skipped.append(Skipped(_below(given, folder, Path(error.filename)), "no permission to list it"))

    for root, folders, files in os.walk(folder, onerror=refuse):
        skipped.extend(
            Skipped(_below(given, folder, Path(root, name)), "hidden") for name in folders if name.startswith(".")
        )
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            source = _found(_below(given, folder, path), path, skipped)
            if source is not None:
                yield source


def _below(given: str, folder: Path, path: Path) -> str:
    """Name a file below a folder the way the user named the folder."""
    return str(Path(given) / path.relative_to(folder))


def _found(name: str, path: Path, skipped: list[Skipped]) -> Source | None:
    """Take a file that a folder or a glob holds, unless it is plainly not a log or cannot be read."""
    reason = _why_not(path)
    if reason:
        skipped.append(Skipped(name, reason))
        return None
    return Source(name, path, named=False, size=path.stat().st_size)


def _why_not(path: Path) -> str:
    if path.name.startswith("."):
        return "hidden"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    if suffixes and suffixes[-1] in NOT_LOGS:
        return f"{suffixes[-1]} is not a log by its name"
    try:
        mode = path.stat().st_mode
    except OSError:
        return "a link that leads nowhere"
    if not stat.S_ISREG(mode):
        return "not a regular file"
    return "" if os.access(path, os.R_OK) else "no permission to read it"


def describe_skipped(skipped: Sequence[Skipped]) -> str:
    """Say what was left out, in one line; empty if nothing was.

    >>> describe_skipped([Skipped("logs/a.csv", ".csv is not a log by its name"), Skipped("logs/.x", "hidden")])
    'not read: 2 (.csv is not a log by its name: logs/a.csv; hidden: logs/.x); name a file to have it read'
    """
    if not skipped:
        return ""
    counts = Counter(one.reason for one in skipped)
    parts = []
    for reason, count in counts.most_common():
        first = next(one.name for one in skipped if one.reason == reason)
        parts.append(f"{reason}: {first}" + (f" and {count - 1} more" if count > 1 else ""))
    return f"not read: {len(skipped)} ({'; '.join(parts)}); name a file to have it read"
