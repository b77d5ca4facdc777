"""Sequences: which records belong together, by session, time or count; and files that hold sequences already."""

from logbert.sequences.collector import Collector
from logbert.sequences.files import read_sequences, write_sequences
from logbert.sequences.grouping import CountWindows, Fields, Grouping, Sessions, TimeWindows
from logbert.sequences.labels import apply_labels
from logbert.sequences.names import KeyNames

__all__ = [
    "Collector",
    "CountWindows",
    "Fields",
    "Grouping",
    "KeyNames",
    "Sessions",
    "TimeWindows",
    "apply_labels",
    "read_sequences",
    "write_sequences",
]
