"""Which sequences are learnt from and which are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from logbert.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from logbert.detectors.corpus import Rows

Split: TypeAlias = Literal["random", "time"]


def split_rows(sequences: pl.DataFrame, train: int, *, split: Split, seed: int) -> tuple[Rows, Rows]:
    """Choose `train` normal sequences to learn from; all others are judged.

    Parameters
    ----------
    sequences
        Labelled sequences.
    train
        How many normal sequences to learn from.
    split
        `random` draws them by `seed`; `time` takes the earliest and judges only what begins after them, so that
        nothing is known in advance.
    seed
        For the draw.

    Returns
    -------
    tuple
        Rows to learn from, rows to judge; both ascending.

    Examples
    --------
    >>> import polars as pl
    >>> from datetime import datetime
    >>> days = [datetime(2024, 3, day) for day in (1, 2, 3, 4)]
    >>> sequences = pl.DataFrame({"start": days, "label": [False, True, False, True]})
    >>> [rows.tolist() for rows in split_rows(sequences, 1, split="time", seed=0)]
    [[0], [1, 2, 3]]
    """
    abnormal = sequences["label"].fill_null(value=False).to_numpy()
    normal = np.flatnonzero(~abnormal)
    if not 0 < train < len(normal):
        raise InputError(f"cannot train on {train:,} of {len(normal):,} normal sequences and judge the others")
    if split == "random":
        chosen = np.sort(np.random.default_rng(seed).choice(normal, size=train, replace=False))
        return chosen, np.setdiff1d(np.arange(len(sequences)), chosen)
    if sequences["start"].null_count():
        raise InputError("these sequences have no times to split by; use --split random")
    order = np.argsort(sequences["start"].to_numpy(), kind="stable")
    earliest = order[~abnormal[order]][:train]
    last = int(np.flatnonzero(order == earliest[-1])[0])
    return np.sort(earliest), np.sort(order[last + 1 :])
