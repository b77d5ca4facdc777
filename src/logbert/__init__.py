"""Point it at a log, and it tells you what is out of the ordinary, and why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logbert.detectors.deeplog import DeepLog
    from logbert.detectors.fusion import Fusion
    from logbert.detectors.isolation_forest import IsolationForest
    from logbert.detectors.loganomaly import LogAnomaly
    from logbert.detectors.logbert import LogBERT
    from logbert.detectors.logcluster import LogCluster
    from logbert.detectors.novelty import Novelty
    from logbert.detectors.one_class_svm import OneClassSVM
    from logbert.detectors.pca import PCA
    from logbert.pipeline import Pipeline

__version__ = "0.1.0"
__all__ = [
    "PCA",
    "DeepLog",
    "Fusion",
    "IsolationForest",
    "LogAnomaly",
    "LogBERT",
    "LogCluster",
    "Novelty",
    "OneClassSVM",
    "Pipeline",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Import what is asked for, when it is asked for: starting fast is a feature."""
    if name == "Pipeline":
        return import_module("logbert.pipeline").Pipeline
    if name in __all__:
        from logbert.detectors.registry import PLACES

        module = next(module for module, attribute in PLACES.values() if attribute == name)
        return getattr(import_module(module), name)
    raise AttributeError(f"module 'logbert' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
