"""How well log keys agree with the true templates of a log, in the measures of the literature."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from logbert.errors import OptionError


@dataclass(frozen=True)
class GroupingQuality:
    """Two measures of one parse.

    Parameters
    ----------
    accuracy
        Grouping accuracy: the share of messages in a group that is exactly a true group.
    f1
        F1 of grouping: the harmonic mean of the shares of found and of true groups that are exactly right.
    found, true
        How many groups there are.

    References
    ----------
    Zhu, J. et al. (2019). Tools and benchmarks for automated log parsing. ICSE-SEIP.
    Jiang, Z. et al. (2024). A large-scale evaluation for log parsing techniques: how far are we? ISSTA.
    """

    accuracy: float
    f1: float
    found: int
    true: int


def grouping_quality(found: pl.Series, true: pl.Series) -> GroupingQuality:
    """Compare two groupings of the same messages.

    Parameters
    ----------
    found
        The group of each message, as found: keys or templates.
    true
        The true group of each.

    Examples
    --------
    >>> quality = grouping_quality(pl.Series([0, 0, 1, 1, 2]), pl.Series(["a", "a", "b", "b", "b"]))
    >>> quality.accuracy, quality.f1, quality.found, quality.true
    (0.4, 0.4, 3, 2)
    """
    if len(found) != len(true) or not len(found):
        raise OptionError(f"cannot compare {len(found)} groups found with {len(true)} true ones; give one a message")
    pairs = pl.DataFrame({"found": found, "true": true}).group_by("found", "true").len()
    pairs = pairs.with_columns(
        of_found=pl.col("len").sum().over("found"),
        of_true=pl.col("len").sum().over("true"),
    )
    exact = pairs.filter((pl.col("len") == pl.col("of_found")) & (pl.col("len") == pl.col("of_true")))
    groups, truths = pairs["found"].n_unique(), pairs["true"].n_unique()
    return GroupingQuality(
        accuracy=int(exact["len"].sum()) / len(found),
        f1=2 * exact.height / (groups + truths),
        found=groups,
        true=truths,
    )
