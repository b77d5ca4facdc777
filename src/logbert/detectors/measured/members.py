"""Two members of the fusion that look at rows, not at keys: `Values` at what messages carry, `Gaps` at time.

Rows whose keys are equal differ in both. A member gives each row the raw score of the oddest of its values or gaps, so
that the number of them, and of the slots, is part of what is calibrated. How odd normal rows are is seen by judging
each tenth of the training time by all the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import polars as pl

from logbert.detectors.base import Reason
from logbert.detectors.measured.choices import Choices
from logbert.detectors.measured.ranges import SCHEMA, Ranges
from logbert.detectors.measured.rarely import Rarely
from logbert.detectors.measured.telling import new_choice, outside, slot_name, slow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from logbert.detectors.key_texts import KeyTexts
    from logbert.detectors.measured.measurements import Measurements

    Arrays = dict[str, npt.NDArray[np.generic]]

OUTSIDE = "value outside"
NEW_VALUE = "new value"
SLOW = "slow step"
FOUND: dict[str, pl.DataType] = {
    "row": pl.Int64(),
    "line": pl.Int64(),
    "key": pl.Int32(),
    "slot": pl.Int32(),
    "unit": pl.Int8(),
    "kind": pl.String(),
    "number": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "value": pl.String(),
    "raw": pl.Float64(),
}


class Member(ABC):
    """Judges rows by something that is measured of them."""

    name: ClassVar[str]
    ranges_: Ranges
    rarely_: Rarely

    @abstractmethod
    def learn(self, measurements: Measurements, texts: KeyTexts) -> Self:
        """Learn what is usual from normal rows; `texts` are those of the templates."""

    @abstractmethod
    def find(self, measurements: Measurements) -> pl.DataFrame:
        """Give what is unusual (the columns of `FOUND`), the worst of each row, kind and key."""

    @abstractmethod
    def detail(self, found: dict[str, Any], texts: KeyTexts) -> str:
        """Say in words what was found."""

    @property
    @abstractmethod
    def slots(self) -> frozenset[tuple[int, int]]:
        """The (key, slot) whose values are wanted of messages."""

    def reason(self, found: dict[str, Any], position: int | None, texts: KeyTexts) -> Reason:
        """Say what is odd about a row."""
        detail = self.detail(found, texts)
        return Reason(found["kind"], found["evidence"], position, found["key"], detail=detail)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Give what was learnt: facts for JSON, arrays for safetensors."""
        table = self.ranges_.table
        arrays: Arrays = {
            name: table[name].fill_null(np.nan).to_numpy() for name in table.columns if table[name].dtype.is_float()
        }
        arrays |= {name: table[name].to_numpy() for name in table.columns if name not in arrays}
        return {"rows": self.rarely_.rows}, {**arrays, "above": self.rarely_.above}

    def recall(self, facts: dict[str, Any], arrays: Arrays) -> Self:
        """Take back what `state` gave."""
        columns = {name: pl.Series(name, arrays[name]).cast(dtype) for name, dtype in SCHEMA.items()}
        self.ranges_ = Ranges(pl.DataFrame(columns).fill_nan(None))
        self.rarely_ = Rarely(np.asarray(arrays["above"], dtype=np.float64), int(facts["rows"]))
        return self


class Values(Member):
    """Sees numbers far outside what their template ever carried, and values that are none of the few there were.

    It works where a slot's values keep to a range or to a few names. It says nothing of slots that hold ids, addresses
    or paths, that grow with time, or that were seen in few sequences.
    """

    name: ClassVar[str] = "values"
    choices_: Choices

    def learn(self, measurements: Measurements, texts: KeyTexts) -> Self:
        """Learn ranges and choices."""
        rank = measurements.rank()
        values = _gathered(measurements.valued(), _VALUED)
        self.ranges_, far = Ranges.learn(values, rank)
        self.choices_, new = Choices.learn(values, rank, texts.texts.values())
        self.rarely_ = Rarely.of(np.maximum(far, new))
        return self

    def find(self, measurements: Measurements) -> pl.DataFrame:
        """Find values outside their range, and new ones."""
        found = []
        for values in measurements.valued():
            found.append(self.ranges_.outside(values).with_columns(kind=pl.lit(OUTSIDE)))
            found.append(self.choices_.new(values).with_columns(kind=pl.lit(NEW_VALUE)))
        return _worst(found)

    def detail(self, found: dict[str, Any], texts: KeyTexts) -> str:
        """Say which value it is, and what was usual."""
        name = slot_name(texts.text(found["key"]), found["slot"])
        if found["kind"] == OUTSIDE:
            return outside(found, name)
        return new_choice(found, name, self.choices_.known[found["key"], found["slot"], found["unit"]])

    @property
    def slots(self) -> frozenset[tuple[int, int]]:
        """All slots with a range or with choices."""
        return frozenset(self.ranges_.table.select("key", "slot").iter_rows()) | {
            slot[:2] for slot in self.choices_.known
        }

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Give the choices, too."""
        facts, arrays = super().state()
        return {**facts, "choices": self.choices_.state()}, arrays

    def recall(self, facts: dict[str, Any], arrays: Arrays) -> Self:
        """Take back the choices, too."""
        self.choices_ = Choices.from_state(facts["choices"])
        return super().recall(facts, arrays)


class Gaps(Member):
    """Sees steps that came far longer after the record before them than ever.

    A gap belongs to the key that ends it. It works on sessions and on windows; without times it says nothing.
    """

    name: ClassVar[str] = "gaps"

    def learn(self, measurements: Measurements, texts: KeyTexts) -> Self:
        """Learn the longest gap before each key, and how the long ones fall off."""
        longest = pl.col("number").max()
        gaps = _gathered((part.group_by("row", "key").agg(longest) for part in measurements.gaps()), _GAPS)
        self.ranges_, far = Ranges.learn(_as_slots(gaps), measurements.rank(), upper_only=True)
        self.rarely_ = Rarely.of(far)
        return self

    def find(self, measurements: Measurements) -> pl.DataFrame:
        """Find gaps longer than any before."""
        return _worst(
            [self.ranges_.outside(_as_slots(gaps)).with_columns(kind=pl.lit(SLOW)) for gaps in measurements.gaps()]
        )

    def detail(self, found: dict[str, Any], texts: KeyTexts) -> str:
        """Say how long it took, and how long it took at most."""
        return slow(found)

    @property
    def slots(self) -> frozenset[tuple[int, int]]:
        """None: gaps are not read from messages."""
        return frozenset()


_VALUED: dict[str, pl.DataType] = {
    "row": pl.Int64(),
    "key": pl.Int32(),
    "slot": pl.Int32(),
    "unit": pl.Int8(),
    "number": pl.Float64(),
    "word": pl.String(),
}
_GAPS: dict[str, pl.DataType] = {"row": pl.Int64(), "key": pl.Int32(), "number": pl.Float64()}


def _gathered(parts: Iterable[pl.DataFrame], schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Put parts under each other, each row's own repeats dropped."""
    narrow = (part.select(pl.col(name).cast(dtype) for name, dtype in schema.items()) for part in parts)
    return pl.concat([pl.DataFrame(schema=dict(schema)), *(part.unique(maintain_order=True) for part in narrow)])


def _as_slots(gaps: pl.DataFrame) -> pl.DataFrame:
    return gaps.with_columns(slot=pl.lit(0, pl.Int32), unit=pl.lit(1, pl.Int8))


def _worst(found: list[pl.DataFrame]) -> pl.DataFrame:
    """Lay out what was found, and keep the worst of each row, kind and key, worst first."""
    parts = [
        part.select(
            (pl.col(name) if name in part.columns else pl.lit(None).alias(name)).cast(dtype)
            for name, dtype in FOUND.items()
        )
        for part in found
    ]
    worst_first = pl.concat([pl.DataFrame(schema=FOUND), *parts]).sort(
        "row", "raw", descending=[False, True], maintain_order=True
    )
    return worst_first.unique(["row", "kind", "key"], keep="first", maintain_order=True)
