"""How long work reports itself, without knowing who listens."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


class Step(Protocol):
    """One running piece of work."""

    def advance(self, amount: float = 1, **facts: float | str) -> None:
        """Report `amount` more units done; `facts` (loss=0.31) are shown beside the bar."""


class Progress(Protocol):
    """Whoever shows progress: a terminal, a log, or nobody."""

    def step(self, name: str, total: float | None = None, unit: str = "") -> AbstractContextManager[Step]:
        """Begin a piece of work of `total` units (bytes, records, epochs), if that is known."""

    def note(self, text: str) -> None:
        """Tell the user something worth a line of its own: a decision, a warning, a count."""


class _SilentStep:
    def advance(self, amount: float = 1, **facts: float | str) -> None:
        """Say nothing."""


class Silent:
    """The progress nobody sees: the default of the Python face."""

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        """Begin a piece of work without a word."""
        yield _SilentStep()

    def note(self, text: str) -> None:
        """Say nothing."""


SILENT = Silent()
