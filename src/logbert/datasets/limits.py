"""How much an archive may unpack to: the guard against bombs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.datasets.disk import size
from logbert.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    """What one archive may still unpack to; it grows with what was read of the archive.

    Parameters
    ----------
    name
        The archive, for the error.
    limits
        What is allowed.
    packed
        Its size, if all of it is there from the beginning.
    """

    def __init__(self, name: str, limits: Limits = LIMITS, packed: int = 0) -> None:
        self.name, self.limits = name, limits
        self._packed = packed
        self._spent = 0
        self._files = 0

    @property
    def allowance(self) -> int:
        """How much may have come out by now."""
        return max(self.limits.times * self._packed, self.limits.at_least)

    def earn(self, count: int) -> None:
        """Count bytes read of the archive."""
        self._packed += count

    def earning(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Count the bytes of an archive as they come."""
        for chunk in chunks:
            self.earn(len(chunk))
            yield chunk

    def spend(self, count: int) -> None:
        """Count bytes unpacked.

        Raises
        ------
        InputError
            If there were too many.
        """
        self._spent += count
        if self._spent > self.allowance:
            raise InputError(
                f"{self.name}: unpacks to more than {size(self.allowance)}, the most for {size(self._packed)} of it "
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
