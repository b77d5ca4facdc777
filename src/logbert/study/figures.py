"""Figures 4 and 5 from finished cells: the picture, and in a sentence what it shows, computed from the same data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from logbert.study import plots
from logbert.study.rules import RULES, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from logbert.study.running import Results

TELLING: Final = 0.05  # a difference in the area under the ROC smaller than this says nothing
STABLE: Final = 5.0  # points of F1 within which a parameter makes no difference
EMBEDDED: Final = (
    "Locally linear embedding of the vectors h_DIST, each distinct session once, larger the more sessions share it; "
    f"what lies over {plots.FAR:g} spreads from the middle is drawn at the edge. Legacy protocol, one seed."
)
Point = tuple[float, dict[str, float]]


@dataclass(frozen=True)
class Picture:
    """A drawn figure and its sentences."""

    name: str
    title: str
    figure: Figure
    says: tuple[str, ...]

    def written(self, kind: plots.Format = "png") -> bytes:
        """Write the drawing as a file's bytes."""
        return plots.written(self.figure, kind)


def pictures(results: Results) -> list[Picture]:
    """Draw every figure whose cells are all there."""
    drawn = []
    for source in results["sources"]:
        own = [cell for cell in results["cells"] if cell["source"] == source["name"] and "error" not in cell]
        embeddings = {cell["method"]: cell for cell in own if cell["work"] == "represent"}
        if {"logbert-mlkp", "logbert"} <= set(embeddings):
            drawn.append(_figure4(source["name"], embeddings["logbert-mlkp"], embeddings["logbert"]))
        sweeps = [cell for cell in own if cell["work"] == "sweep"]
        if sweeps:
            drawn.append(_figure5(source, sweeps))
    return drawn


def _figure4(source: str, without: Mapping[str, Any], with_vhm: Mapping[str, Any]) -> Picture:
    before, after = without["separation"], with_vhm["separation"]
    return Picture(
        f"figure4-{source}",
        f"Figure 4: vectors of {source} sessions in the plane",
        plots.figure4(without, with_vhm),
        (EMBEDDED, _verdict(before, after), _elsewhere(before, after)),
    )


def _elsewhere(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    return (
        f"In the space of all hidden units the areas are {before['space']:.2f} without and {after['space']:.2f} "
        f"with VHM; by the distance from the centre alone, which needs no labels, {before['distance']:.2f} and "
        f"{after['distance']:.2f}."
    )


def _verdict(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    gain = after["plane"] - before["plane"]
    if gain >= TELLING:
        said = "VHM does set them further apart, as the paper says"
    elif gain <= -TELLING:
        said = "VHM mixes them more, against what the paper says"
    else:
        said = "VHM makes no difference that can be told, against what the paper says"
    return (
        f"The ten nearest others of a session in the plane tell abnormal from normal with an area under the ROC of "
        f"{before['plane']:.2f} without VHM and {after['plane']:.2f} with it (0.5 is mixed, 1 is apart): {said}."
    )


def _figure5(source: Mapping[str, Any], sweeps: Sequence[Mapping[str, Any]]) -> Picture:
    usual = RULES[source["dataset"]].candidates
    base = next(cell for cell in sweeps if len(cell["candidates"]) > 1)
    alphas = _along("alpha", base, sweeps, str(usual))
    ratios = _along("mask_ratio", base, sweeps, str(usual))
    candidates = sorted((float(g), figures) for g, figures in base["figures"].items())
    panels = [
        (f"alpha, of the mean over {WIDTH} units", [(WIDTH * alpha, one) for alpha, one in alphas]),
        ("ratio of masked keys", ratios),
        ("candidates g", candidates),
    ]
    sizes = (
        f"Legacy protocol, one seed, r chosen anew for each point; {base['train']:,} sequences to learn from, "
        f"{base['test']:,} judged."
    )
    return Picture(
        f"figure5-{source['name']}",
        f"Figure 5: parameters of LogBERT on {source['name']}",
        plots.figure5([(name, [x for x, _ in points], [y for _, y in points]) for name, points in panels if points]),
        (sizes, *(_range(name, points) for name, points in panels[:2] if points), _ends(candidates)),
    )


def _along(parameter: str, base: Mapping[str, Any], sweeps: Sequence[Mapping[str, Any]], usual: str) -> list[Point]:
    """Give the figures of the cells that differ from `base` in one parameter at most, in its order."""
    others = {name: value for name, value in base["given"].items() if name != parameter}
    points = [
        (cell["given"][parameter], cell["figures"][usual])
        for cell in sweeps
        if {name: value for name, value in cell["given"].items() if name != parameter} == others
    ]
    return sorted(points, key=lambda point: point[0])


def _range(name: str, points: Sequence[Point]) -> str:
    f1 = [100 * figures["f1"] for _, figures in points]
    best = max(points, key=lambda point: point[1]["f1"])[0]
    within = max(f1) - min(f1)
    said = "makes little difference" if within <= STABLE else "matters"
    return (
        f"The {name} {said}: from {points[0][0]:g} to {points[-1][0]:g}, F1 lies between {min(f1):.1f} and "
        f"{max(f1):.1f}, best at {best:g}."
    )


def _ends(points: Sequence[Point]) -> str:
    (low, first), (high, last) = points[0], points[-1]
    best = max(points, key=lambda point: point[1]["f1"])
    return (
        f"From g {low:g} to {high:g}, precision goes from {100 * first['precision']:.1f} to "
        f"{100 * last['precision']:.1f} and recall from {100 * first['recall']:.1f} to {100 * last['recall']:.1f}; "
        f"F1 is best at {best[0]:g} with {100 * best[1]['f1']:.1f}."
    )
