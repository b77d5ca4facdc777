"""What was measured: run in turns, printed as one table, written as JSON."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.speed.data import MissingDataError
from benchmarks.speed.measure import ROOT, run
from benchmarks.speed.rows import Curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.speed.data import Data
    from benchmarks.speed.measure import Measured
    from benchmarks.speed.rows import Entry, Row

PACKAGES = ("logbert", "polars", "numpy", "torch", "drain3")
GIGA = 1 << 20  # kB, as Linux tells memory


def measure_all(
    found: Sequence[tuple[str, Entry]], data: Data, *, full: bool, repeats: int, keep: Path | None = None
) -> dict[str, Any]:
    """Measure, rows before curves, printing each line of the table as it comes; give everything for JSON.

    What there is so far is kept in a file, if one is named.
    """
    results: dict[str, Any] = {"machine": machine(), "rows": [], "curves": []}
    results |= {"left_out": [], "failed": []}
    print(" | ".join(f"{name} {value}" for name, value in results["machine"].items()))
    print(f"{'name':16}{'work':62}{'ours':>16}{'peer':>16}{'ratio':>7}{'peak MB':>9}  reached", flush=True)
    for group, entry in sorted(found, key=lambda one: isinstance(one[1], Curve)):
        try:
            if isinstance(entry, Curve):
                results["curves"].append({"group": group, **_curve(entry, data, full=full)})
            else:
                results["rows"].append({"group": group, **_row(entry, data, repeats or entry.repeats)})
        except MissingDataError as error:
            print(f"{entry.name:16}left out: {error}", flush=True)
            results["left_out"].append({"group": group, "name": entry.name, "why": str(error)})
        except RuntimeError as error:
            print(f"{entry.name:16}FAILED: {error}", flush=True)
            results["failed"].append({"group": group, "name": entry.name, "why": str(error)})
        if keep:
            write(results, keep)
    results["machine"]["load"] += f" to {os.getloadavg()[0]:.1f}"
    return results


def _row(row: Row, data: Data, repeats: int) -> dict[str, Any]:
    peer = row.peer if row.peer and (not row.peer.needs or importlib.util.find_spec(row.peer.needs)) else None
    works = row.ours(data), peer.work(data) if peer else None
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(run(works[0]))
        if works[1]:
            theirs.append(run(works[1]))
    best, rival = _fastest(ours), _fastest(theirs)
    ratio = best.rate / rival.rate if rival else None
    values = {"ratio": ratio, "seconds": best.seconds, "MB": best.peak}
    reached = [
        {"of": target.of, "must": target.must, "aim": target.aim, "is": value, "verdict": target.verdict(value)}
        for target in row.targets
        if (value := values[target.of]) is not None
    ]
    result = {
        "name": row.name,
        "work": row.work,
        "unit": row.unit,
        "ours": _told(best),
        "peer": {"name": peer.name, **_told(rival)} if peer and rival else None,
        "ratio": ratio,
        "runs": {"ours": [one.seconds for one in ours], "peer": [one.seconds for one in theirs]},
        "targets": reached,
    }
    print(
        f"{row.name:16}{row.work:62}{speed(result['ours'], row.unit):>16}"
        f"{speed(result['peer'], row.unit) if result['peer'] else '':>16}"
        f"{f'{ratio:.1f}' if ratio else '':>7}{best.peak:>9,.0f}  {said(reached)}",
        flush=True,
    )
    return result


def _fastest(runs: list[Measured]) -> Measured | None:
    return max(runs, key=lambda one: one.rate, default=None)


def _told(one: Measured) -> dict[str, Any]:
    return {
        "units": one.units,
        "seconds": one.seconds,
        "rate": one.rate,
        "cpu": one.cpu,
        "peak": one.peak,
        "facts": one.facts,
    }


def _curve(curve: Curve, data: Data, *, full: bool) -> dict[str, Any]:
    points = []
    for value in (*curve.points, *(curve.full if full else ())):
        done = run(curve.ours(data, value))
        points.append({"x": value, **_told(done)})
        what = f"{curve.work}, {value:,} {curve.axis}"
        print(f"{curve.name:16}{what:62}{done.seconds:>14.1f} s{'':>23}{done.peak:>9,.0f}", flush=True)
    return {"name": curve.name, "work": curve.work, "axis": curve.axis, "points": points}


def speed(told: dict[str, Any], unit: str) -> str:
    """Write a speed: units a second, or the seconds where nothing is counted."""
    return f"{told['rate']:,.0f}/s" if unit else f"{told['seconds']:.2f} s"


def said(reached: list[dict[str, Any]]) -> str:
    """Say which targets were reached, and which were not."""
    words = {"aim": "reaches the aim", "must": "enough", "below": "NOT ENOUGH"}
    return "; ".join(
        f"{one['is']:.3g} {one['of']}: {words[one['verdict']]} (must {one['must']:g}, aim {one['aim']:g})"
        for one in reached
    )


def machine() -> dict[str, str]:
    """Say what was measured on, with what."""
    return {
        "cores": str(os.cpu_count()),
        "processor": _line_of("/proc/cpuinfo", "model name"),
        "memory": f"{int(_line_of('/proc/meminfo', 'MemTotal').split()[0]) / GIGA:.0f} GiB",
        "load": f"{os.getloadavg()[0]:.1f}",
        "system": platform.system(),
        "Python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        "commit": _git("rev-parse", "--short", "HEAD")
        + (" and changes" if _git("status", "--porcelain", "src") else ""),
    }


def _line_of(path: str, name: str) -> str:
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "0"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def write(results: dict[str, Any], path: Path) -> None:
    """Write everything as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
