"""The paper's tables from finished cells: rows of text, for Markdown and HTML alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, Final

from logbert.study import paper
from logbert.study.methods import ABLATIONS, METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from logbert.study.paper import Printed
    from logbert.study.running import Results

MEBI: Final = 1 << 20
ORACLE: Final = "oracle F1*"
ORACLE_SAYS: Final = "* the best F1 that any boundary would give; it takes the labels to find it"
LEGACY_SAYS: Final = (
    "The boundary is the one with the best F1 on these very sequences, for every method alike; for LogBERT and its "
    "variants over the r that the paper's code tries."
)
HONEST_SAYS: Final = (
    "The boundary of every method comes from normal sequences held out of training, for one false alarm in a thousand; "
    "the trivial detectors have none."
)


@dataclass(frozen=True)
class Table:
    """A table ready to be written out; every cell is text, the first column names the row."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = field(default=())


def tables(results: Results) -> list[Table]:
    """Make every table that was asked for; one per data set and protocol, which are never mixed."""
    order = results["order"]
    wanted = [number for number in ("table2", "table3") if number in order["what"]]
    return ([table1(results)] if "table1" in order["what"] else []) + [
        _of_methods(results, number, source, protocol)
        for number in wanted
        for source in results["sources"]
        for protocol in order["protocols"]
        if protocol in source["protocols"]
    ]


def table1(results: Results) -> Table:
    """Count messages, keys and sequences, beside the paper's own."""
    rows = []
    dataset = {source["name"]: source["dataset"] for source in results["sources"]}
    for name, printed in paper.TABLE1.items():
        keys = f"{printed.keys:,} ({printed.train_keys:,})"
        counts = (printed.messages, printed.anomalous_messages)
        sequences = (printed.test_normal, printed.test_abnormal)
        rows.append((f"{name}, as printed", *map(_count, counts), keys, "about 5,000", *map(_count, sequences), ""))
        rows += [_counted(cell) for cell in _cells(results, work="count") if dataset[cell["source"]] == name]
    notes = tuple(f"{name} is missing; to get it: {how}" for name, how in results["missing"].items())
    return Table("table1", "Table 1: the data", COUNTS_HEAD, tuple(rows), notes)


def _counted(cell: Mapping[str, Any]) -> tuple[str, ...]:
    facts = cell["facts"]
    dropped = facts.get("dropped", 0)
    return (
        f"{cell['source']}, {cell['protocol']}",
        _count(facts["messages"]),
        _count(facts["abnormal_messages"]),
        f"{facts['keys']:,} ({facts['train_keys']:,})",
        _count(facts["train"]),
        _count(facts["test_normal"]),
        _count(facts["test_abnormal"]),
        f"{dropped:,} short, {facts['dropped_abnormal']:,} of them abnormal" if dropped else "",
    )


def _of_methods(results: Results, number: str, source: Mapping[str, Any], protocol: str) -> Table:
    wanted = list(ABLATIONS) if number == "table3" else results["order"]["methods"]
    rows: list[tuple[str, ...]] = []
    warnings: list[str] = []
    for name in wanted:
        cells = _cells(results, work="judge", source=source["name"], protocol=protocol, method=name)
        printed = (paper.TABLE3 if number == "table3" else paper.TABLE2).get(name, {}).get(source["dataset"])
        rows += _rows(cells, number, name, protocol, printed)
        warnings += [_sentence(words) for cell in cells for words in cell.get("warnings", ())]
    return Table(
        f"{number}-{source['name']}-{protocol}",
        f"Table {number[-1]}: {source['name']}, {protocol} protocol",
        LEGACY_HEAD if protocol == "legacy" else HONEST_HEAD,
        tuple(rows),
        (_sentence(source["protocols"][protocol]), *_about(results["order"], protocol), *dict.fromkeys(warnings)),
    )


def _rows(
    cells: Sequence[Mapping[str, Any]], number: str, name: str, protocol: str, printed: Printed | None
) -> Iterator[tuple[str, ...]]:
    finished = [cell for cell in cells if "error" not in cell]
    for row in finished[0]["rows"] if finished else ():
        figures = [cell["rows"][row] for cell in finished]
        title = ABLATIONS[name].title if number == "table3" else row.replace(name, METHODS[name].title)
        shown = _legacy_row(figures, printed) if protocol == "legacy" else _honest_row(figures)
        yield (title, *shown, *_costs(finished))
    errors = [cell["error"] for cell in cells if "error" in cell]
    if errors:
        yield (METHODS[name].title if name in METHODS else ABLATIONS[name].title, errors[0])


COUNTS_HEAD: Final = (
    "data",
    "messages",
    "abnormal messages",
    "keys (in training)",
    "train",
    "test normal",
    "test abnormal",
    "left out",
)
COSTS: Final = ("train s", "judge s", "CPU s", "peak MB")
LEGACY_HEAD: Final = ("method", "P", "R", "F1", "paper P", "paper R", "paper F1", "difference", *COSTS)
HONEST_HEAD: Final = ("method", "P", "R", "F1", "PR-AUC", "false alarms", ORACLE, *COSTS)


def _legacy_row(figures: Sequence[Mapping[str, float]], printed: Printed | None) -> tuple[str, ...]:
    own = [_spread(figures, name, _percent) for name in ("precision", "recall", "f1")]
    if printed is None:
        return (*own, "", "", "", "")
    difference = 100 * mean(one["f1"] for one in figures) - printed.f1
    return (*own, *(f"{value:.2f}" for value in printed), f"{difference:+.1f}")


def _honest_row(figures: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    names = ("precision", "recall", "f1", "pr_auc")
    own = [_spread(figures, name, _percent) for name in names]
    return (*own, _spread(figures, "false_alarms", _percent_of_few), _spread(figures, "oracle_f1", _percent))


def _costs(cells: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    seconds = [
        f"{mean(cell[name] for cell in cells):.1f}" for name in ("train_seconds", "judge_seconds", "cpu_seconds")
    ]
    return (*seconds, f"{max(cell['peak_bytes'] for cell in cells) / MEBI:.0f}")


def _about(order: Mapping[str, Any], protocol: str) -> tuple[str, ...]:
    seeds = order["seeds"]
    drawn = f"Mean and standard deviation over {seeds} seeds" if seeds > 1 else "One seed"
    notes = [LEGACY_SAYS] if protocol == "legacy" else [HONEST_SAYS, ORACLE_SAYS]
    notes.append(f"{drawn}; figures in percent, seconds and megabytes for one seed.")
    if order["quick"]:
        notes.append("On a tenth of the data: a try-out, not a result.")
    return tuple(notes)


def _cells(results: Results, **wanted: str) -> list[dict[str, Any]]:
    return [cell for cell in results["cells"] if all(cell[name] == value for name, value in wanted.items())]


def _spread(figures: Iterable[Mapping[str, float]], name: str, write: Callable[[float], str]) -> str:
    values = [one[name] for one in figures]
    return write(mean(values)) + (f" ± {write(stdev(values))}" if len(values) > 1 else "")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _percent_of_few(share: float) -> str:
    return f"{100 * share:.2f}"


def _count(number: int) -> str:
    return f"{number:,}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
