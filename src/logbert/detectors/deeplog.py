"""DeepLog: an LSTM that foresees the next key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from logbert.detectors.baseline import HELD_OUT
from logbert.detectors.next_key.detector import NextKeyDetector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class DeepLog(NextKeyDetector):
    """Two LSTM layers over the last ten keys predict the next one, after Du et al. (2017).

    Beyond the paper: a history shorter than `history` is filled up on the left with START, so the first keys of a
    session are judged and short sessions too; the end of a session is predicted like a key, so one that breaks off is
    noticed (where ends cannot be foreseen, as in windows cut by time or count, they are left out by themselves). Equal
    histories are trained on once, weighted by the root of how often they occur. The raw score is the fourth-power norm
    of the surprises (minus log-probabilities) of all keys, with the boundary from held-out normals; `threshold="top-g"`
    is the paper's rule. The paper's second network, for parameter values, is not part of it.

    Works when order carries the meaning and a few keys may follow each state: sessions of one program. Interleaved
    programs in one window make the next key a lottery; and it looks back ten keys, no further.

    Parameters
    ----------
    history
        How many keys a prediction looks back on (the paper's h).
    hidden, layers
        Units a layer, and layers.
    g
        Candidates a key must be among, by the paper's rule.
    end
        Whether to predict and judge the end of sequences, where it can be foreseen.
    steps
        Batches to train for, at most; training stops when held-out sequences are no longer predicted better.
    threshold
        "held-out" for the boundary of all detectors, "top-g" for the paper's: any key outside the top g.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences, initial weights and the order of training.

    References
    ----------
    M. Du, F. Li, G. Zheng, V. Srikumar: DeepLog: anomaly detection and diagnosis from system logs through deep
    learning. CCS 2017.

    Examples
    --------
    >>> normal = [[1] + [2, 3] * (n % 3) + [4] for n in range(60)]
    >>> detector = DeepLog(steps=200, hidden=16).fit(normal)
    >>> detector.predict([[1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 3]]).tolist()
    [False, True, True]
    """

    name: ClassVar[str] = "deeplog"
    quantitative: ClassVar[bool] = False

    def __init__(
        self,
        *,
        history: int = 10,
        hidden: int = 64,
        layers: int = 2,
        g: int = 9,
        end: bool = True,
        steps: int = 500,
        threshold: str = HELD_OUT,
        folds: int = 1,
        false_alarms: float = 0.001,
        seed: int = 0,
    ) -> None:
        self.history = history
        self.hidden = hidden
        self.layers = layers
        self.g = g
        self.end = end
        self.steps = steps
        self.threshold = threshold
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _meaning(self) -> npt.NDArray[np.float32] | None:
        return None
