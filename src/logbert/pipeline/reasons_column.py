"""The `reasons` column of the verdicts, made column by column.

Polars turns a Python list of lists of dicts into a column value by value: for half a million verdicts that took longer
than to reach them. A flat column of one type is made at once, and gathered into lists afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from logbert.pipeline.reasons import ALTERNATIVE, REASON

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

EXPECTED = "expected"


def reasons_column(told: Sequence[Sequence[dict[str, Any]]], rows: npt.NDArray[np.integer], size: int) -> pl.Series:
    """Give `size` verdicts their reasons: those of `rows`, ascending, are told, all others have none."""
    flat = [reason for reasons in told for reason in reasons]
    owners = np.repeat(rows, [len(reasons) for reasons in told]) if told else np.empty(0, dtype=np.int64)
    fields = [
        _expected([reason[name] for reason in flat])
        if name == EXPECTED
        else pl.Series(name, [reason[name] for reason in flat], dtype=kind)
        for name, kind in REASON
    ]
    return listed(pl.DataFrame(fields).to_struct("reasons"), owners, size)


def _expected(alternatives: Sequence[Sequence[dict[str, Any]]]) -> pl.Series:
    flat = [one for some in alternatives for one in some]
    fields = [
        pl.Series(field.name, [one[field.name] for one in flat], dtype=field.dtype) for field in ALTERNATIVE.fields
    ]
    owners = np.repeat(np.arange(len(alternatives)), [len(some) for some in alternatives])
    return listed(pl.DataFrame(fields).to_struct(EXPECTED), owners, len(alternatives))


def listed(values: pl.Series, owners: npt.NDArray[np.integer], size: int) -> pl.Series:
    """Gather values into `size` lists, each value into that of its owner; owners ascend.

    Examples
    --------
    >>> listed(pl.Series("found", ["a", "b", "c"]), np.array([1, 1, 3]), 4).to_list()
    [[], ['a', 'b'], [], ['c']]
    """
    without = np.setdiff1d(np.arange(size), owners)  # these get a row that is none, and dropped once it has made a list
    frame = pl.DataFrame(
        {
            "owner": np.concatenate([owners, without]),
            "is": np.arange(len(owners) + len(without)) < len(owners),
            "values": pl.concat([values, values.clear(len(without))]),
        }
    )
    lists = frame.group_by("owner", maintain_order=True).agg(pl.col("values").filter("is"))
    return lists.sort("owner")["values"].alias(values.name)
