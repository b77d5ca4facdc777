r"""Lines that differ in nothing but their digits, and what is known of one and therefore of all.

Programs write the same lines over and over with other numbers in them: 222,579 lines of HDFS are of 1,737 likenesses.
Where a header ends, what a mask takes, where an id stands: an expression in which every digit does what any other does
finds the same places in all lines that are alike. So it is looked for in one of them, and the others are cut there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE = "\0alike"  # the column that tells likenesses by a 64-bit hash; no field of a log is called this
NONE = 0  # the hash of what is like nothing else
MOST_LIKENESSES = 1_000_000  # that are remembered
FRESH = 0.2  # lines of which a larger share is like none before are not worth comparing
TRIAL = 20_000  # lines after which that is decided
REST = 16  # batches that are then left alone before it is tried again

_ONE_DIGIT = bytes.maketrans(b"023456789", b"111111111")
_LEAST_SLOTS = 1 << 16
_SPARSE = 4  # slots a number, at least
_PIECE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")  # an escape, or a class
_ALL_DIGITS = re.compile(r"(?<!-)0-9(?!-)")
_COUNT = re.compile(r"(?<!\\)(?<!\\x)(?<!\\u)(?<!\\U)(?<!\\[pP])\{\d+(?:,\d*)?\}")
# A zero that an x must follow; pieces are taken whole, lest a zero in a class pass for one.
_HEX = re.compile(rf"({_PIECE.pattern})|0(?=(?:[xX]|\[xX\])(?![?*{{]))")

UNLIKE = "[0-9][xX]"
"""In a message with a digit before an x, expressions may tell that digit from others: 0x1f is a number, 3x1f is not."""


def likeness(text: bytes) -> bytes:
    """Make all digits one digit.

    Examples
    --------
    >>> likeness(b"read 305 blocks") == likeness(b"read 118 blocks")
    True
    """
    return text.translate(_ONE_DIGIT)


def blind(regex: str) -> bool:
    r"""Tell whether an expression treats every digit as any other; if that is not plain to see, it does not.

    Examples
    --------
    >>> blind(r"blk_-?\d+"), blind("[0-9A-F]{8}"), blind(r"job_2008\d+"), blind("[1-9][0-9]*")
    (True, True, False, False)
    """
    bare = _COUNT.sub("", _PIECE.sub(_without_all_digits, regex))
    return not any(character.isdigit() for character in bare)


def nearly_blind(regex: str) -> bool:
    """Tell whether an expression treats every digit as any other in all messages that `UNLIKE` does not fit.

    Examples
    --------
    >>> nearly_blind("0[xX][0-9a-f]+"), nearly_blind("[0x]+"), nearly_blind("0x?1")
    (True, False, False)
    """
    return blind(_HEX.sub(lambda found: found[1] or "", regex))


def _without_all_digits(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("\\") else _ALL_DIGITS.sub("", found[0])


class Numbers:
    """Numbers 64-bit hashes from 0 on, and finds the numbers of a whole column of them at once.

    Examples
    --------
    >>> numbers = Numbers()
    >>> numbers.add(np.array([70, 30], dtype=np.uint64))
    >>> numbers.find(np.array([30, 50, 70, 30], dtype=np.uint64)).tolist()
    [1, -1, 0, 1]
    """

    def __init__(self) -> None:
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._sorted = np.zeros(0, dtype=np.uint64)
        self._order = np.zeros(0, dtype=np.int64)
        self._slots = np.zeros(_LEAST_SLOTS, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._hashes)

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Give the number of each hash, -1 where it has none."""
        if not len(self._hashes):
            return np.full(len(hashes), -1, dtype=np.int64)
        found = self._slots[(hashes & np.uint64(len(self._slots) - 1)).astype(np.int64)]
        elsewhere = np.flatnonzero(self._hashes[found] != hashes)  # two hashes may share a slot: one of them loses
        if len(elsewhere):
            lost = hashes[elsewhere]
            spot = np.minimum(np.searchsorted(self._sorted, lost), len(self._sorted) - 1)
            found[elsewhere] = np.where(self._sorted[spot] == lost, self._order[spot], -1)
        return found

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Give hashes that have none the next numbers; each may come once."""
        numbers = len(self) + np.arange(len(hashes))
        order = np.argsort(hashes, kind="stable")
        places = np.searchsorted(self._sorted, hashes[order])
        self._sorted = np.insert(self._sorted, places, hashes[order])
        self._order = np.insert(self._order, places, numbers[order])
        self._hashes = np.concatenate([self._hashes, hashes])
        if len(self) * _SPARSE > len(self._slots):
            self._slots = np.zeros(1 << (len(self) * _SPARSE * 2 - 1).bit_length(), dtype=np.int64)
            hashes, numbers = self._hashes, np.arange(len(self))
        self._slots[(hashes & np.uint64(len(self._slots) - 1)).astype(np.int64)] = numbers


def firsts(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Give the first row of each hash, in order; rows that are like nothing are each the first.

    Examples
    --------
    >>> firsts(np.array([5, 7, 5, 0, 0, 7], dtype=np.uint64)).tolist()
    [0, 1, 3, 4]
    """
    _, first = np.unique(hashes, return_index=True)
    alone = np.flatnonzero(hashes == NONE)
    return np.union1d(first, alone) if len(alone) else np.sort(first)


def of_firsts(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the first row of each likeness, in order, and for every row which of them stands for it.

    Examples
    --------
    >>> rows, standing_for = of_firsts(np.array([5, 7, 5, 0, 0], dtype=np.uint64))
    >>> rows[standing_for].tolist()
    [0, 1, 0, 3, 4]
    """
    first = firsts(hashes)
    order = np.argsort(hashes[first])
    which = order[np.searchsorted(hashes[first], hashes, sorter=order)]
    alone = np.flatnonzero(hashes == NONE)
    which[alone] = np.searchsorted(first, alone)
    return first, which
