"""How many threads a network is worth: small matrices are done before a second thread has woken up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = 128  # hidden units; measured: at 64, a second thread gains little alone and loses twentyfold beside other work


@contextmanager
def suited_threads(hidden: int) -> Iterator[None]:
    """Use one thread for a small network, and as many as torch has for a larger one.

    Threads that share a core with other programs wait for each other actively at the end of every operation, and a
    small network has thousands of operations a second.
    """
    before = torch.get_num_threads()
    if hidden <= SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
