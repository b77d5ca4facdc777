"""LogBERT and all the other detectors, behind one small protocol: a score a sequence, and reasons."""

from logbert.detectors.base import Detector, DetectorState, LittleDataWarning, Reason
from logbert.detectors.calibration import Calibration
from logbert.detectors.corpus import Corpus

__all__ = ["Calibration", "Corpus", "Detector", "DetectorState", "LittleDataWarning", "Reason"]
