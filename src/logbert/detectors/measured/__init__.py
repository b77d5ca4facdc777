"""Members of the fusion that judge rows by what is measured of them: values in messages, gaps between records."""

from logbert.detectors.measured.measured import SHARE, Measured, RowFindings
from logbert.detectors.measured.measurements import Measurements

__all__ = ["SHARE", "Measured", "Measurements", "RowFindings"]
