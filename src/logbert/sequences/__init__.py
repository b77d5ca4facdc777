"""Sequences: which records belong together, by session, time or count; and files that hold sequences already."""

from logbert.sequences.collector import Collector
from logbert.sequences.grouping import CountWindows, Fields, Grouping, Sessions, TimeWindows

__all__ = ["Collector", "CountWindows", "Fields", "Grouping", "Sessions", "TimeWindows"]
