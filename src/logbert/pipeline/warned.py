"""Warnings about too little data, told to the user as a line among the others."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from logbert.detectors import LittleDataWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logbert.progress import Progress


@contextmanager
def warnings_to(progress: Progress) -> Iterator[None]:
    """Turn warnings about too little data into notes, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LittleDataWarning)
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        progress.note(f"warning: {text}")
