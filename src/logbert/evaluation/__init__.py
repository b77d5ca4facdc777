"""How good the verdicts are: figures against the truth."""

from logbert.evaluation.metrics import Figures
from logbert.evaluation.splits import Split, split_rows
from logbert.evaluation.trials import Trial, judge_with, run_trials

__all__ = ["Figures", "Split", "Trial", "judge_with", "run_trials", "split_rows"]
