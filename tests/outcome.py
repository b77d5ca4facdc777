"""The command line as a user meets it: exit code and both streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def complains(self) -> str:
        """Give the complaint, having checked that it is one line, without traceback, with exit code 2."""
        assert self.code == 2, self
        complaints = [line for line in self.err.splitlines() if line.startswith("logbert: ")]
        assert len(complaints) == 1, self.err
        assert "Traceback" not in self.err
        return complaints[0]


Run = Callable[..., Outcome]
