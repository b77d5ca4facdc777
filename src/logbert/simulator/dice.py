"""Chance, drawn in bulk and handed out one by one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Choice = TypeVar("Choice")

DRAWS = 8192  # at a time: one call to numpy costs as much as a hundred draws


class Dice:
    """A numpy generator that is quick to ask for one number.

    Parameters
    ----------
    seed
        The seed of the whole simulation.
    purpose
        What is decided with these dice. Dice of different purposes are independent, so more faults do not change
        what healthy sessions do.

    Examples
    --------
    >>> dice = Dice(0, "an example")
    >>> 0 <= dice.whole(0, 9) <= 9
    True
    >>> Dice(0, "an example").whole(0, 10**6) == Dice(0, "an example").whole(0, 10**6)
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._generator = np.random.default_rng([seed, *purpose.encode()])
        self._drawn: list[float] = []

    def fraction(self) -> float:
        """Give a number from 0 up to 1."""
        if not self._drawn:
            self._drawn = self._generator.random(DRAWS).tolist()
        return self._drawn.pop()

    def chance(self, probability: float) -> bool:
        """Say yes this often."""
        return self.fraction() < probability

    def between(self, low: float, high: float) -> float:
        """Give a number from `low` up to `high`."""
        return low + (high - low) * self.fraction()

    def whole(self, low: int, high: int) -> int:
        """Give a whole number from `low` to `high`, both included."""
        return low + int((high - low + 1) * self.fraction())

    def pick(self, choices: Sequence[Choice]) -> Choice:
        """Take one of `choices`."""
        return choices[int(len(choices) * self.fraction())]

    def some(self, choices: Sequence[Choice], count: int) -> list[Choice]:
        """Take `count` different ones of `choices`, in any order."""
        rest = list(choices)
        return [rest.pop(int(len(rest) * self.fraction())) for _ in range(count)]

    def weighted(self, weights: Sequence[float]) -> int:
        """Give the index of one of `weights`, each as often as it weighs."""
        left = self.fraction() * sum(weights)
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        return len(weights) - 1

    def lapse(self, least: float, mean_more: float) -> float:
        """Give a waiting time: at least `least`, and exponentially distributed above."""
        return least - mean_more * math.log(1.0 - self.fraction())

    def hexadecimal(self, digits: int) -> str:
        """Give `digits` hexadecimal digits."""
        return f"{int(16**digits * self.fraction()):0{digits}x}"

    def address(self) -> str:
        """Give the address and port of some client."""
        return f"172.{self.whole(16, 31)}.{self.whole(0, 255)}.{self.whole(1, 254)}:{self.whole(32768, 60999)}"
