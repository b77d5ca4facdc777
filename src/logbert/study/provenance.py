"""Where figures come from: the code, the machine, the versions of everything that computes."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import logbert

COMPUTING: Final = ("torch", "numpy", "polars", "scikit-learn")


def provenance() -> dict[str, Any]:
    """Say what made the figures, and when."""
    return {
        "logbert": logbert.__version__,
        "commit": commit(),
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in COMPUTING}},
    }


@lru_cache(maxsize=1)
def commit() -> str | None:
    """Give the commit of the code, with a `+` if it was changed since; None where it is no git checkout."""
    here = Path(logbert.__file__).resolve().parent
    head = _git(here, "rev-parse", "--short=10", "HEAD")
    if head is None or _git(here, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    return head + ("+" if _git(here, "status", "--porcelain", "--untracked-files=no", ".") else "")


def _git(folder: Path, *words: str) -> str | None:
    command = ["git", "-C", str(folder), *words]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    except OSError:
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
