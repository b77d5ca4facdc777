"""docs/performance.md and its plots, from the results of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.speed.results import speed

HEAD = """# How fast it is

This page is written by `python -m benchmarks --write-docs` (`--full` adds the largest logs) and is one run of it; only
its last section is typed by hand. Each figure is of a process of its own: the time from its start to its end unless the
table says otherwise, and the most memory it held. Peers are measured in the same run and timed without their start-up.
Of several runs the fastest counts, for us and for the peer. The logs are real ones from loghub, repeated with fresh
ids, addresses and numbers in every copy; `benchmarks/README.md` says how they are made and what each row does.

Seconds are those of a clock on the wall. The load says how many programs wanted a core when the run began and when it
ended; where that is far more than one, seconds are too long and only ratios say something.

"A plain torch network of the original's sizes" stands for LogBERT's own code, none of which is here: four layers, 256
wide, sequences as they come, padded, each as often as it occurs, one mask (`benchmarks/speed/plain_network.py`). That
code was measured elsewhere, on 2 cores, at 22 to 27 s an epoch of `hdfs_train` (180 to 220 sessions a second) and at
673 sessions a second in detection.
"""
TRIED = Path(__file__).with_name("tried.md")  # written by hand, with the commands that print its figures
WORDS = {"aim": "aim", "must": "enough", "below": "**not yet**"}


def write(results: dict[str, Any], docs: Path) -> None:
    """Write the page and its plots."""
    plots = docs / "performance"
    plots.mkdir(exist_ok=True)
    parts = [HEAD, _machine(results["machine"]), _table(results["rows"])]
    if results["curves"]:
        parts.append("## How it grows\n")
    for curve in results["curves"]:
        path = plots / f"{curve['name']}.svg"
        _plot(curve, path)
        parts += [f"![{curve['work']}, by {curve['axis']}](performance/{path.name})\n", _points(curve)]
    parts.append(TRIED.read_text(encoding="utf-8"))
    (docs / "performance.md").write_text("\n".join(parts), encoding="utf-8")


def _machine(machine: dict[str, str]) -> str:
    return "Measured on: " + ", ".join(f"{name} {value}" for name, value in machine.items()) + ".\n"


def _table(rows: list[dict[str, Any]]) -> str:
    lines = ["| work | ours | peer | ratio | peak memory | target |", "|---|---|---|---|---|---|"]
    for row in rows:
        unit = f"{row['unit']}/s" if row["unit"] else ""
        ours = f"{row['ours']['rate']:,.0f} {unit}, {row['ours']['seconds']:.1f} s" if unit else speed(row["ours"], "")
        peer = f"{row['peer']['name']}: {speed(row['peer'], row['unit'])}" if row["peer"] else ""
        ratio = f"{row['ratio']:.1f}" if row["ratio"] else ""
        peak = f"{row['ours']['peak']:,.0f} MB"
        lines.append(f"| {row['work']} | {ours} | {peer} | {ratio} | {peak} | {_targets(row['targets'])} |")
    return "\n".join(lines) + "\n"


def _targets(targets: list[dict[str, Any]]) -> str:
    signs = {"ratio": "≥", "seconds": "≤", "MB": "≤"}
    return "; ".join(
        f"{one['of']} {signs[one['of']]} {one['must']:g}, aim {one['aim']:g}: {WORDS[one['verdict']]}"
        for one in targets
    )


def _points(curve: dict[str, Any]) -> str:
    lines = [f"| {curve['axis']} | seconds | peak memory |", "|---|---|---|"]
    lines += [f"| {one['x']:,} | {one['seconds']:.1f} | {one['peak']:,.0f} MB |" for one in curve["points"]]
    return "\n".join(lines) + "\n"


def _plot(curve: dict[str, Any], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = curve["name"]
    from matplotlib import pyplot as plt

    xs = [one["x"] for one in curve["points"]]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    for axis, field, name in ((axes[0], "seconds", "seconds"), (axes[1], "peak", "peak memory, MB")):
        axis.plot(xs, [one[field] for one in curve["points"]], marker="o", color="#1f6f8b")
        axis.set_xscale("log")
        axis.set_ylim(bottom=0)
        axis.set_xlabel(curve["axis"])
        axis.set_ylabel(name)
        axis.grid(visible=True, alpha=0.3)
    figure.suptitle(curve["work"])
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
