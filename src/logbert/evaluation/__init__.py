"""How good the verdicts are: figures against the truth."""

from logbert.evaluation.metrics import Figures

__all__ = ["Figures"]
