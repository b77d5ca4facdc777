"""Which detectors there are, by the name the command line knows them under.

A detector's module is imported only when it is asked for, so that torch and scikit-learn cost nothing until then.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from logbert.errors import OptionError

if TYPE_CHECKING:
    from logbert.detectors.base import Detector, DetectorState

PLACES = {
    "fusion": ("logbert.detectors.fusion", "Fusion"),
    "logbert": ("logbert.detectors.logbert", "LogBERT"),
    "novelty": ("logbert.detectors.novelty", "Novelty"),
    "pca": ("logbert.detectors.pca", "PCA"),
    "isolation-forest": ("logbert.detectors.isolation_forest", "IsolationForest"),
    "one-class-svm": ("logbert.detectors.one_class_svm", "OneClassSVM"),
    "logcluster": ("logbert.detectors.logcluster", "LogCluster"),
    "deeplog": ("logbert.detectors.deeplog", "DeepLog"),
    "loganomaly": ("logbert.detectors.loganomaly", "LogAnomaly"),
}


def detector_class(name: str) -> type[Detector]:
    """Give the detector of that name.

    Examples
    --------
    >>> detector_class("novelty").__name__
    'Novelty'
    >>> detector_class("oracle")
    Traceback (most recent call last):
    ...
    logbert.errors.OptionError: there is no detector 'oracle'; there are fusion, logbert, novelty, ...
    """
    if name not in PLACES:
        raise OptionError(f"there is no detector {name!r}; there are {', '.join(PLACES)}")
    module, attribute = PLACES[name]
    found: type[Detector] = getattr(import_module(module), attribute)
    return found


def restore(state: DetectorState) -> Detector:
    """Make a fitted detector again from what its `state()` gave."""
    return detector_class(state.detector).from_state(state)
