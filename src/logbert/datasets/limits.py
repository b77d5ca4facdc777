"""How much an archive may unpack to: the guard against bombs."""

from __future__ import annotations

from dataclasses import dataclass

from logbert.datasets.disk import size
from logbert.errors import InputError


@dataclass(frozen=True)
class Limits:
    """What an archive may hold.

    Attributes
    ----------
    times
        Bytes unpacked for each byte packed. Logs pack well: the known sets unpack to at most 48 times their size.
    at_least
        Bytes that any archive may unpack to, however small.
    files
        Files in it.
    """

    times: int = 100
    at_least: int = 1 << 26
    files: int = 100_000


LIMITS = Limits()


class Budget:
    """What is left of what one archive may unpack to.

    Parameters
    ----------
    name
        The archive, for the error.
    packed
        Its size in bytes.
    limits
        What is allowed.
    """

    def __init__(self, name: str, packed: int, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self.bytes = max(limits.times * packed, limits.at_least)
        self._spent = 0
        self._files = 0

    def spend(self, count: int) -> None:
        """Count bytes unpacked.

        Raises
        ------
        InputError
            If there were too many.
        """
        self._spent += count
        if self._spent > self.bytes:
            raise InputError(
                f"{self.name}: unpacks to more than {size(self.bytes)}, the most for its size "
                f"({self.limits.times} times as much); it is not the published archive, remove it"
            )

    def count_file(self) -> None:
        """Count a file.

        Raises
        ------
        InputError
            If there were too many.
        """
        self._files += 1
        if self._files > self.limits.files:
            raise InputError(
                f"{self.name}: holds more than {self.limits.files:,} files; it is not the published archive, remove it"
            )
