"""The methods of the paper's tables, ours beside them, and how each is set up under which protocol."""

from __future__ import annotations

import inspect
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from logbert.detectors.corpus import Corpus  # noqa: TC001 - doctest
from logbert.detectors.logbert.config import resolve
from logbert.detectors.registry import detector_class
from logbert.errors import OptionError
from logbert.study.rules import ALPHA, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logbert.detectors.base import Detector
    from logbert.study.rules import Protocol, Rules

TRIVIAL: Final = "trivial"
MOST_TOKENS: Final = {"paper": 640_000, "default": 3_000_000}  # of training that a network is given, or one epoch
ROW: Final = 64  # tokens; an epoch has at least the preset's `rows`, and a longer sequence counts for several
STEP_TOKENS: Final = 1_536  # a training step at most: 64 sequences of HDFS


@dataclass(frozen=True)
class Method:
    """One row of a table.

    Attributes
    ----------
    title
        What the row is called.
    detector
        Which detector it is; none for the trivial ones, which have no boundary.
    always
        Parameters under both protocols.
    legacy
        Parameters under the legacy protocol alone. Its boundary is chosen on the test set, so that nothing is spent on
        finding one.
    """

    title: str
    detector: str | None
    always: Mapping[str, Any] = field(default_factory=dict)
    legacy: Mapping[str, Any] = field(default_factory=dict)


_ONE_FOLD: Final = {"folds": 1}
_NEXT_KEY: Final = {"threshold": "top-g"}
_BOTH_TASKS: Final = {"alpha": ALPHA / WIDTH}
METHODS: Final[dict[str, Method]] = {
    "pca": Method("PCA", "pca", legacy=_ONE_FOLD),
    "isolation-forest": Method("iForest", "isolation-forest", legacy=_ONE_FOLD),
    "one-class-svm": Method("OCSVM", "one-class-svm", legacy=_ONE_FOLD),
    "logcluster": Method("LogCluster", "logcluster", legacy=_ONE_FOLD),
    "deeplog": Method("DeepLog", "deeplog", legacy=_NEXT_KEY),
    "loganomaly": Method("LogAnomaly", "loganomaly", legacy=_NEXT_KEY),
    "logbert": Method("LogBERT (paper)", "logbert", {"preset": "paper"}, legacy=_BOTH_TASKS),
    "logbert-default": Method("LogBERT (our preset)", "logbert", {"preset": "default"}),
    "novelty": Method("the memory alone", "novelty"),
    "fusion-no-network": Method("our default without its network", "fusion", {"members": ("novelty",)}),
    "fusion": Method("our default", "fusion"),
    TRIVIAL: Method("trivial", None),
}
ABLATIONS: Final[dict[str, Method]] = {
    "logbert-mlkp": Method("MLKP", "logbert", {"preset": "paper", "vhm": False}),
    "logbert-vhm": Method("VHM", "logbert", {"preset": "paper", "mlkp": False, "vhm": True}),
    "logbert": Method("both", "logbert", {"preset": "paper"}, legacy=_BOTH_TASKS),
}


def method(name: str) -> Method:
    """Give a method by its name.

    Examples
    --------
    >>> method("logbert-vhm").title
    'VHM'
    """
    found = METHODS.get(name) or ABLATIONS.get(name)
    if found is None:
        raise OptionError(f"there is no method {name!r} in the study; there are {', '.join(METHODS)}")
    return found


def choose(names: Sequence[str] | None) -> list[str]:
    """Check the methods a user names; all of table 2 if none is."""
    for name in names or ():
        if name not in METHODS:
            raise OptionError(f"there is no method {name!r} in the study; there are {', '.join(METHODS)}")
    return [name for name in METHODS if not names or name in names]


def parameters(name: str, protocol: Protocol, rules: Rules) -> dict[str, Any]:
    """Give the parameters a method is constructed with, its seed left out."""
    chosen = method(name)
    given = dict(chosen.always)
    if protocol == "legacy":
        given |= chosen.legacy
        if given.get("preset") == "paper":
            given |= {"mask_ratio": rules.mask_ratio, "candidates": rules.candidates}
    return given


def settled(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Write out every number a method depends on, its defaults included: what a cell is known by."""
    kind = method(name).detector
    if kind is None:
        return {}
    known = {
        parameter.name: parameter.default
        for parameter in inspect.signature(detector_class(kind)).parameters.values()
        if parameter.name not in {"progress", "device", "seed"}
    }
    whole = {**known, **given}
    if "preset" in whole:
        whole["network"] = asdict(resolve(whole["preset"]))
        whole["tokens"] = [MOST_TOKENS[whole["preset"]], STEP_TOKENS]
    return whole


def build(name: str, given: Mapping[str, Any], train: Corpus, seed: int) -> Detector:
    """Make the detector for what is to be learnt, not fitted yet."""
    kind = method(name).detector
    if kind is None:
        raise OptionError(f"{name} is no detector")
    given = dict(given)
    if kind == "logbert":
        given = {
            "epochs": affordable_epochs(train, given["preset"]),
            "batch": suited_batch(train, given["preset"]),
        } | given
    return detector_class(kind)(**given).set_params(seed=seed)


def affordable_epochs(train: Corpus, preset: str) -> int:
    """Give the preset's epochs, or as many as `MOST_TOKENS` pay for where sequences are long and many.

    Examples
    --------
    >>> affordable_epochs(Corpus.of([[1, 2, 3]] * 100), "paper")
    40
    >>> affordable_epochs(Corpus.of([[n] * 500 for n in range(1_000)]), "paper")
    1
    """
    config = resolve(preset)
    shown = np.ceil(train.counts.astype(np.float64) ** config.repeats)
    mean = float(np.average(train.lengths, weights=shown)) + 1
    tokens = max(shown.sum() * mean, config.rows * min(mean, ROW))  # of an epoch
    return int(np.clip(round(MOST_TOKENS[preset] / tokens), 1, config.epochs))


def suited_batch(train: Corpus, preset: str) -> int:
    """Give the preset's sequences a step, or fewer where they are long, so that a step is as many tokens.

    Examples
    --------
    >>> suited_batch(Corpus.of([[1] * 20]), "paper"), suited_batch(Corpus.of([[1] * 100]), "paper")
    (64, 15)
    """
    mean = float(np.average(train.lengths, weights=train.counts)) + 1
    return max(1, min(resolve(preset).batch, int(STEP_TOKENS / mean)))
