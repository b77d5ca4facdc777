"""Made column by column, the reasons are what Polars makes of the same lists of dicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from logbert.pipeline.reasons import ALTERNATIVE, REASON
from logbert.pipeline.reasons_column import reasons_column

OF_TYPE = {
    pl.String: st.none() | st.text(max_size=5),
    pl.Float64: st.none() | st.floats(0, 1),
    pl.Int32: st.none() | st.integers(0, 1_000),
    pl.Int64: st.none() | st.integers(0, 2**40),
}


def structs(kind: pl.Struct) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            field.name: st.lists(structs(ALTERNATIVE), max_size=3)
            if isinstance(field.dtype, pl.List)
            else OF_TYPE[field.dtype.base_type()]
            for field in kind.fields
        }
    )


verdicts = st.lists(st.none() | st.lists(structs(REASON), max_size=3), max_size=6)  # none: nothing is odd


@given(verdicts)
def test_it_is_what_polars_makes_of_lists_of_dicts(given: list[list[dict[str, Any]] | None]) -> None:
    odd = [row for row, told in enumerate(given) if told is not None]
    column = reasons_column([told for told in given if told is not None], np.array(odd, dtype=np.int64), len(given))
    slowly = pl.Series("reasons", [told or [] for told in given], dtype=pl.List(REASON))
    assert column.dtype == slowly.dtype
    assert column.name == "reasons"
    assert column.to_list() == slowly.to_list()
