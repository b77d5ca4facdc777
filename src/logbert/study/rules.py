"""The rules by which each data set is cut, split and judged: the paper's, and the honest ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from logbert.evaluation import Split

Protocol: TypeAlias = Literal["legacy", "honest"]
PROTOCOLS: Final[tuple[Protocol, ...]] = ("legacy", "honest")

WIDTH: Final = 256  # hidden units of the paper
ALPHA: Final = (
    0.1  # in the paper's code, of a squared distance averaged over the hidden units; equation 6 sums over them
)
SHORT: Final = 10  # the paper's code drops sequences of fewer keys ...
LONG: Final = 512  # ... and cuts the tail off longer ones
WINDOW: Final = 100  # records of a stream that is cut by count
NEAR: Final = 0.6  # of a stream in order of time is learnt from, the rest judged


@dataclass(frozen=True)
class Rules:
    """How a data set is treated.

    Attributes
    ----------
    format
        The name of its records' header format.
    legacy_group, honest_group
        How records become sequences; windows overlap in the first and not in the second.
    most_train
        Normal sequences to learn from, at most.
    share
        Of the normal sequences that may be learnt from, where there are fewer.
    honest_split
        By time, or at random where the sets are usually split so.
    mask_ratio, candidates
        The m and g of the paper's code for this set.
    """

    format: str
    legacy_group: str
    honest_group: str
    most_train: int
    share: float
    honest_split: Split
    mask_ratio: float
    candidates: int

    def train_size(self, normal: int) -> int:
        """Say how many of so many normal sequences are learnt from."""
        return max(1, min(self.most_train, int(normal * self.share)))


SESSIONS: Final = r"session:blk_-?\d+"

RULES: Final = {
    "HDFS": Rules("hdfs", SESSIONS, SESSIONS, 4_855, 0.5, "random", 0.65, 6),
    "BGL": Rules("bgl", "time:5min/1min", "time:5min", 6_000, 0.4, "time", 0.5, 15),
    "Thunderbird": Rules("thunderbird", "time:1min/30s", "time:1min", 6_000, 0.4, "time", 0.5, 15),
}
