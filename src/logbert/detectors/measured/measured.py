"""What is measured of rows, as part of the fusion: a small share of the false alarms, and a score a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from logbert.detectors.measured.members import FOUND, Gaps, Member, Values

if TYPE_CHECKING:
    import numpy.typing as npt

    from logbert.detectors.base import Reason
    from logbert.detectors.corpus import Scores
    from logbert.detectors.key_texts import KeyTexts
    from logbert.detectors.measured.measurements import Measurements

# Of the false alarms asked for. What these members are for lies far outside, where a small share is enough.
SHARE_EACH = 0.025
MEMBERS: tuple[type[Member], ...] = (Values, Gaps)
SHARE = SHARE_EACH * len(MEMBERS)


@dataclass(frozen=True, eq=False)
class RowFindings:
    """What is odd about some rows beside their keys.

    Attributes
    ----------
    rows
        How many rows were looked at.
    found
        What was found, worst first in each row: the columns of `FOUND`, `member`, `evidence` (-log(p / share)) and
        `score`, for which 1.0 is the boundary.
    """

    rows: int
    found: pl.DataFrame

    @property
    def scores(self) -> Scores:
        """The score of each row, 0 where nothing was found."""
        scores = np.zeros(self.rows, dtype=np.float64)
        np.maximum.at(scores, self.found["row"].to_numpy(), self.found["score"].to_numpy())
        return scores

    def by_row(self) -> dict[int, list[dict[str, Any]]]:
        """Give what reaches the boundary, by row."""
        told: dict[int, list[dict[str, Any]]] = {}
        for found in self.found.filter(pl.col("score") >= 1.0).iter_rows(named=True):
            told.setdefault(found["row"], []).append(found)
        return told

    def between(self, begin: int, end: int) -> RowFindings:
        """Give the same for these rows only; row `begin` becomes row 0."""
        found = self.found.filter(pl.col("row").is_between(begin, end - 1)).with_columns(pl.col("row") - begin)
        return RowFindings(end - begin, found)

    def of_member(self, name: str) -> Scores:
        """Give the score of each row by one member alone."""
        return RowFindings(self.rows, self.found.filter(pl.col("member") == name)).scores

    def reordered(self, order: npt.NDArray[np.integer]) -> RowFindings:
        """Give the same for the rows in another order: row `order[i]` becomes row i."""
        place = np.empty(self.rows, dtype=np.int64)
        place[order] = np.arange(len(order))
        return RowFindings(self.rows, self.found.with_columns(row=pl.Series("row", place).gather(self.found["row"])))


class Measured:
    """Values and gaps, each with its share of the false alarms.

    Parameters
    ----------
    false_alarms
        The share of normal rows that the whole fusion may flag; of it, `SHARE_EACH` goes to each member.
    """

    def __init__(self, *, false_alarms: float) -> None:
        self.false_alarms = false_alarms

    members_: dict[str, Member]

    def learn(self, measurements: Measurements, texts: KeyTexts) -> Self:
        """Learn what is usual from normal rows; `texts` are those of the templates."""
        self.members_ = {member.name: member().learn(measurements, texts) for member in MEMBERS}
        return self

    @property
    def slots(self) -> frozenset[tuple[int, int]]:
        """The (key, slot) whose values are wanted of messages."""
        return frozenset().union(*(member.slots for member in self.members_.values()))

    def judge(self, measurements: Measurements) -> RowFindings:
        """Find what is odd about rows."""
        parts = [pl.DataFrame(schema={**FOUND, "member": pl.String, "evidence": pl.Float64})]
        for name, member in self.members_.items():
            found = member.find(measurements)
            p_values = member.rarely_.p_values(found["raw"].to_numpy())
            evidence = np.log(SHARE_EACH) - np.log(np.maximum(p_values, np.finfo(np.float64).tiny))
            parts.append(
                found.with_columns(pl.lit(name).alias("member"), pl.Series("evidence", np.maximum(evidence, 0.0)))
            )
        score = (pl.col("evidence") / -np.log(self.false_alarms)).alias("score")
        found = pl.concat(parts).filter(pl.col("evidence") > 0).with_columns(score)
        return RowFindings(len(measurements), found.sort("row", "score", descending=[False, True], maintain_order=True))

    def reasons(self, found: list[dict[str, Any]], lines: list[int] | None, texts: KeyTexts) -> list[Reason]:
        """Put what was found in one row into reasons; `lines` are those of its records."""
        places = {line: place for place, line in enumerate(lines or ())}
        return [self.members_[one["member"]].reason(one, places.get(one["line"]), texts) for one in found]

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        """Give what was learnt: facts for JSON, arrays for safetensors."""
        facts: dict[str, Any] = {}
        arrays: dict[str, npt.NDArray[np.generic]] = {}
        for name, member in self.members_.items():
            facts[name], own = member.state()
            arrays |= {f"{name}/{array}": values for array, values in own.items()}
        return facts, arrays

    @classmethod
    def from_state(
        cls, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]], *, false_alarms: float
    ) -> Self:
        """Take back what `state` gave."""
        measured = cls(false_alarms=false_alarms)
        measured.members_ = {}
        for member in MEMBERS:
            own = {
                name.removeprefix(f"{member.name}/"): array
                for name, array in arrays.items()
                if name.startswith(f"{member.name}/")
            }
            measured.members_[member.name] = member().recall(facts[member.name], own)
        return measured
