"""LogBERT and all the other detectors, behind one small protocol: a score a sequence, and reasons."""

from logbert.detectors.base import Detector, DetectorState, LittleDataWarning, Reason
from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus
from logbert.detectors.registry import PLACES, detector_class, restore

__all__ = [
    "PLACES",
    "Calibration",
    "Corpus",
    "Detector",
    "DetectorState",
    "LittleDataWarning",
    "Reason",
    "detector_class",
    "restore",
]
