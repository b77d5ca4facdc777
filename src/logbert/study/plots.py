"""Figures 4 and 5 drawn, and written as PNG or SVG. matplotlib is imported here and nowhere else."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from logbert.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Format: TypeAlias = Literal["png", "svg"]
NORMAL, ABNORMAL = "#2b6ca3", "#d9731a"
LINES: Final = {"precision": ("P", "#2b6ca3", "s"), "recall": ("R", "#d9731a", "^"), "f1": ("F1", "#222222", "o")}
DOTS_PER_INCH: Final = 150
FAR: Final = 4.0  # spreads from the middle beyond which a point is drawn at the edge


def require() -> None:
    """Refuse what cannot be drawn, before any work is done."""
    if find_spec("matplotlib") is None:
        raise OptionError("figures need matplotlib, which is not installed; pip install 'logbert[plots]'")


def figure4(without: Mapping[str, Any], with_vhm: Mapping[str, Any]) -> Figure:
    """Draw the two embeddings side by side."""
    figure, axes = _panels(2, width=9.0, height=4.4)
    for axis, cell, title in zip(axes, (without, with_vhm), ("without VHM", "with MLKP and VHM"), strict=True):
        _embedding(axis, cell)
        axis.set_title(title, fontsize=10)
    axes[0].legend(loc="best", fontsize=8, frameon=False)
    return figure


def _embedding(axis: Axes, cell: Mapping[str, Any]) -> None:
    points = np.clip(np.array(cell["points"]), -FAR, FAR)
    normal, abnormal = np.array(cell["normal"]), np.array(cell["abnormal"])
    for sessions, colour, marker, label in (
        (normal, NORMAL, "o", "normal"),
        (abnormal, ABNORMAL, "x", "abnormal"),
    ):
        told = f"{label}, {int(sessions.sum()):,} sessions, {int((sessions > 0).sum()):,} distinct"
        roots = np.ceil(np.sqrt(sessions))
        for root in np.unique(roots[roots > 0]):  # one shape for all of a size keeps the drawing small
            there = roots == root
            axis.scatter(
                points[there, 0], points[there, 1], s=10 + 6 * root, c=colour, marker=marker, alpha=0.6,
                linewidths=1.0, label=told,
            )  # fmt: skip
            told = "_"  # matplotlib's word for: not in the legend
    axis.set_xlabel("first coordinate of the embedding (spreads from the mean)", fontsize=8)
    axis.set_ylabel("second coordinate", fontsize=8)


def figure5(panels: Sequence[tuple[str, Sequence[float], Sequence[Mapping[str, float]]]]) -> Figure:
    """Draw precision, recall and F1 against each parameter: (name, values, figures) a panel."""
    figure, axes = _panels(len(panels), width=4.0 * len(panels), height=3.4)
    for axis, (name, values, figures) in zip(axes, panels, strict=True):
        places = range(len(values))
        for field, (label, colour, marker) in LINES.items():
            shares = [100 * one[field] for one in figures]
            axis.plot(places, shares, color=colour, marker=marker, markersize=5, linewidth=1.3, label=label)
        axis.set_xticks(list(places), [f"{value:g}" for value in values])
        axis.set_xlabel(name, fontsize=9)
        axis.set_ylim(0, 102)
    axes[0].set_ylabel("percent", fontsize=9)
    axes[0].legend(loc="lower left", fontsize=8, frameon=False)
    return figure


def _panels(count: int, *, width: float, height: float) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(1, count)))
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
        axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    return figure, axes


def written(figure: Figure, kind: Format) -> bytes:
    """Write a figure as a file's bytes, without the hour."""
    import matplotlib as mpl

    buffer = BytesIO()
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with mpl.rc_context({"svg.hashsalt": "logbert", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()
