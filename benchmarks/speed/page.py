"""docs/performance.md and its plots, from the results of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.speed.results import speed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """# How fast it is

This page is written by `python -m benchmarks --full --write-docs` and is one run of it; nothing in it is typed by hand.
Each figure is of a process of its own: the time from its start to its end unless the table says otherwise, and the most
memory it held. Peers are measured in the same run and timed without their start-up. Of several runs the fastest counts,
for us and for the peer. The logs are real ones from loghub, repeated with fresh ids, addresses and numbers in every
copy; `benchmarks/README.md` says how they are made and what each row does.
"""
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
