"""How good the verdicts are: figures against the truth."""

from logbert.evaluation.judged import Judged, judge_with
from logbert.evaluation.metrics import Figures
from logbert.evaluation.operator import Moment, Operated, operate, over_time
from logbert.evaluation.splits import Split, split_rows
from logbert.evaluation.trials import Trial, run_trials

__all__ = [
    "Figures",
    "Judged",
    "Moment",
    "Operated",
    "Split",
    "Trial",
    "judge_with",
    "operate",
    "over_time",
    "run_trials",
    "split_rows",
]
