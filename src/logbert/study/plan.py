"""Which cells a table or a figure is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from logbert.errors import OptionError
from logbert.study.cells import Cell
from logbert.study.methods import ABLATIONS, parameters
from logbert.study.pictures import ALPHAS, CANDIDATES, MASK_RATIOS
from logbert.study.rules import ALPHA, PROTOCOLS, WIDTH, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from logbert.study.sources import Source

WHOLE: Final = "all"
TABLES: Final = ("table1", "table2", "table3")
FIGURES: Final = ("figure4", "figure5")
WHAT: Final = (*TABLES, *FIGURES)
FIGURE4_SET, FIGURE5_SET = "HDFS", "BGL"


@dataclass(frozen=True)
class Order:
    """What is asked for.

    Attributes
    ----------
    what
        Tables and figures.
    protocols
        How to split and judge; figures are always made by the legacy one.
    seeds
        As many splits and trainings.
    methods
        Rows of table 2.
    quick
        Whether a tenth of the data is enough.
    """

    what: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    seeds: int
    methods: tuple[str, ...]
    quick: bool

    @classmethod
    def of(cls, what: Sequence[str], *, protocol: str, seeds: int, methods: Sequence[str], quick: bool) -> Order:
        """Check what a user asks for.

        Examples
        --------
        >>> Order.of(["all"], protocol="both", seeds=1, methods=["pca"], quick=False).protocols
        ('legacy', 'honest')
        """
        for name in what:
            if name not in {*WHAT, WHOLE}:
                raise OptionError(f"there is no {name!r} to reproduce; there are {', '.join(WHAT)} and {WHOLE}")
        chosen = WHAT if WHOLE in what else tuple(name for name in WHAT if name in what)
        protocols = tuple(known for known in PROTOCOLS if protocol in {known, "both"})
        if not protocols:
            raise OptionError(f"--protocol is legacy, honest or both, not {protocol!r}")
        return cls(chosen, protocols, seeds, tuple(methods), quick)


def cells(order: Order, sources: Iterable[Source]) -> Iterator[Cell]:
    """Give each cell once, those that share a split together."""
    for source in sources:
        for protocol in order.protocols:
            if protocol in source.protocols:
                yield from _cells_of_tables(order, source, protocol)
        if "legacy" in source.protocols:
            yield from _cells_of_figures(order, source)


def _cells_of_tables(order: Order, source: Source, protocol: Protocol) -> Iterator[Cell]:
    if not set(order.what) & set(TABLES):
        return
    yield Cell("count", source.name, protocol, quick=order.quick)
    rows = list(order.methods) if "table2" in order.what else []
    if "table3" in order.what:
        rows += [name for name in ABLATIONS if name not in rows]
    for seed in range(order.seeds):
        for name in rows:
            given = parameters(name, protocol, source.rules)
            yield Cell("judge", source.name, protocol, name, seed, given, quick=order.quick)


def _cells_of_figures(order: Order, source: Source) -> Iterator[Cell]:
    if "figure4" in order.what and source.dataset == FIGURE4_SET:
        for name in ("logbert-mlkp", "logbert"):
            given = parameters(name, "legacy", source.rules)
            yield Cell("represent", source.name, "legacy", name, 0, given, quick=order.quick)
    if "figure5" in order.what and source.dataset == FIGURE5_SET:
        usual = parameters("logbert", "legacy", source.rules)
        g = (int(usual["candidates"]),)
        yield _sweep(order, source, usual, tuple(sorted({*CANDIDATES, *g})))
        for alpha in ALPHAS:
            if alpha != ALPHA:
                yield _sweep(order, source, usual | {"alpha": alpha / WIDTH}, g)
        for ratio in MASK_RATIOS:
            if ratio != usual["mask_ratio"]:
                yield _sweep(order, source, usual | {"mask_ratio": ratio}, g)


def _sweep(order: Order, source: Source, given: dict[str, Any], candidates: tuple[int, ...]) -> Cell:
    return Cell("sweep", source.name, "legacy", "logbert", 0, given, candidates, quick=order.quick)
