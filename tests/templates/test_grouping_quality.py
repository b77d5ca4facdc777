"""The measures, and what the default settings reach on real logs with known templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.errors import OptionError
from logbert.templates import Templates
from logbert.templates.grouping_quality import grouping_quality

if TYPE_CHECKING:
    from pathlib import Path


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_the_same_grouping_under_other_names_is_perfect(groups: list[int]) -> None:
    quality = grouping_quality(pl.Series(groups), pl.Series([f"template {group}" for group in groups]))
    assert (quality.accuracy, quality.f1) == (1.0, 1.0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_quality_counts_exact_groups_only(pairs: list[tuple[int, int]]) -> None:
    found, true = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    members = {group: {i for i, g in enumerate(found) if g == group} for group in set(found)}
    truths = [{i for i, g in enumerate(true) if g == group} for group in set(true)]
    right = [group for group in members.values() if group in truths]
    quality = grouping_quality(pl.Series(found), pl.Series(true))
    assert quality.accuracy == pytest.approx(sum(map(len, right)) / len(pairs))
    assert quality.f1 == pytest.approx(2 * len(right) / (len(members) + len(truths)))


def test_groupings_of_different_messages_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match="2 groups found with 1"):
        grouping_quality(pl.Series([1, 2]), pl.Series([1]))


@pytest.mark.real_data
def test_one_default_for_every_system(shared_data: Path) -> None:
    qualities = []
    for path in sorted((shared_data / "loghub_2k").glob("*_structured_corrected.csv")):
        truth = pl.read_csv(path, infer_schema=False)
        templates = Templates()
        codes = templates.encode(truth["Content"])
        templates.learn()
        qualities.append(grouping_quality(templates.keys(codes), truth["EventTemplate"]))
    assert len(qualities) == 12
    assert sum(quality.accuracy for quality in qualities) / 12 >= 0.92
    assert sum(quality.f1 for quality in qualities) / 12 >= 0.90
    assert min(quality.accuracy for quality in qualities) >= 0.90
