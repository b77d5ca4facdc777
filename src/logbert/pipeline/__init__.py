"""A trained whole, from raw line to verdict."""

from logbert.pipeline.incidents import incidents_of
from logbert.pipeline.outputs import write_verdicts
from logbert.pipeline.pipeline import Pipeline
from logbert.pipeline.verdicts import Detection

__all__ = ["Detection", "Pipeline", "incidents_of", "write_verdicts"]
