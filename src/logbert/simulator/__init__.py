"""A replicated block store that never existed: its logs, its faults, and how well they are found."""

from logbert.simulator.simulate import Simulation, simulate

__all__ = ["Simulation", "simulate"]
