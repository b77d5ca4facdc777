"""A trained whole, from raw line to verdict."""

from logbert.pipeline.answers import Answer, Answers
from logbert.pipeline.incidents import incidents_of
from logbert.pipeline.outputs import write_verdicts
from logbert.pipeline.parsing import parse_inputs
from logbert.pipeline.pipeline import Pipeline
from logbert.pipeline.seen import find as find_incident
from logbert.pipeline.seen import remember
from logbert.pipeline.verdicts import Detection, measured_of, score_all
from logbert.pipeline.warned import warnings_to

__all__ = [
    "Answer",
    "Answers",
    "Detection",
    "Pipeline",
    "find_incident",
    "incidents_of",
    "measured_of",
    "parse_inputs",
    "remember",
    "score_all",
    "warnings_to",
    "write_verdicts",
]
