"""The level each log key is written with: the one most of its records have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class LevelTally:
    """Counts levels by template code, batch by batch.

    Examples
    --------
    >>> import numpy as np
    >>> levels = LevelTally()
    >>> levels.add(pl.DataFrame({"level": ["INFO", "ERROR", "INFO"]}), pl.Series([0, 1, 0], dtype=pl.UInt32))
    >>> levels.of_keys(np.array([7, 8], dtype=np.int32))
    {7: 'INFO', 8: 'ERROR'}
    """

    def __init__(self) -> None:
        self._counts = pl.DataFrame(schema={"code": pl.UInt32, "level": pl.String, "times": pl.UInt64})

    def add(self, frame: pl.DataFrame, codes: pl.Series) -> None:
        """Count the levels of one batch; a batch without levels counts nothing."""
        if "level" not in frame.columns:
            return
        batch = frame.select(codes.alias("code"), "level").drop_nulls()
        counted = batch.group_by("code", "level").agg(pl.len().cast(pl.UInt64).alias("times"))
        self._counts = pl.concat([self._counts, counted]).group_by("code", "level").agg(pl.col("times").sum())

    def of_keys(self, key_of_code: npt.NDArray[np.int32]) -> dict[int, str]:
        """Give the most frequent level of each key; of equals the first by name."""
        keys = pl.Series("key", key_of_code)
        counted = (
            self._counts.with_columns(keys.gather(self._counts["code"]))
            .group_by("key", "level")
            .agg(pl.col("times").sum())
            .sort("key", "times", "level", descending=[False, True, False])
            .unique("key", keep="first", maintain_order=True)
        )
        return dict(counted.select("key", "level").iter_rows())
