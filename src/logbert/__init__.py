"""Point it at a log, and it tells you what is out of the ordinary, and why."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logbert.detectors.logbert import LogBERT
    from logbert.detectors.novelty import Novelty
    from logbert.pipeline import Pipeline

__version__ = "0.1.0"
__all__ = ["LogBERT", "Novelty", "Pipeline", "__version__"]

_PLACES = {
    "LogBERT": "logbert.detectors.logbert",
    "Novelty": "logbert.detectors.novelty",
    "Pipeline": "logbert.pipeline",
}


def __getattr__(name: str) -> object:
    """Import what is asked for, when it is asked for: starting fast is a feature."""
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'logbert' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
