"""The paper's tables and figures again, by its own protocol and by an honest one, beside what the paper prints.

`layouts` finds data sets, which are `sources`: `raw_logs`, `sequence_files` and `streams`. `rules` has what the two
protocols do to each, `methods` who is compared, `plan` the cells a table is made of; `running` works them out with
`judging` and `pictures`, each in a process of its own (`cells`, `worker`); `tables` and `figures` lay them beside
`paper`, and `report` writes it all.
"""

from logbert.study.cells import Workers
from logbert.study.layouts import find_sources
from logbert.study.methods import choose
from logbert.study.plan import Order
from logbert.study.plots import require as require_plots
from logbert.study.report import write
from logbert.study.running import run

__all__ = ["Order", "Workers", "choose", "find_sources", "require_plots", "run", "write"]
