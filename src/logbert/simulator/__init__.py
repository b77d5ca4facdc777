"""A replicated block store that never existed: its logs, its faults, and how well they are found."""

from logbert.simulator.judging import DemoFigures, KindFigures, judge
from logbert.simulator.simulate import Simulation, read_truth, simulate

__all__ = ["DemoFigures", "KindFigures", "Simulation", "judge", "read_truth", "simulate"]
