"""`make bench`: speed and memory, each row measured in fresh processes beside a named peer in the same run.

    python -m benchmarks                        # everything but the largest growth runs, under ten minutes on 2 cores
    python -m benchmarks hdfs '1m-*' starting   # some rows, by name or group
    python -m benchmarks --list
    python -m benchmarks --full --write-docs    # all of it, into docs/performance.md

The real logs are needed at ../shared/data; rows that have nothing to measure say so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.speed import page, results
from benchmarks.speed.data import Data
from benchmarks.speed.measure import ROOT
from benchmarks.speed.rows import entries


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows or groups to measure; globs will do")
    parser.add_argument("--full", action="store_true", help="with the largest growth runs")
    parser.add_argument("--repeats", type=int, default=0, help="how often each row is run, if not as it says itself")
    parser.add_argument("--list", action="store_true", help="say what there is to measure")
    parser.add_argument("--json", type=Path, default=ROOT / "results" / "bench.json", help="where the results go")
    parser.add_argument("--write-docs", action="store_true", help="write docs/performance.md and its plots")
    options = parser.parse_args()
    found = entries(options.names)
    if not found:
        parser.error(f"nothing is called {' or '.join(options.names)}; --list says what there is")
    if options.list:
        for group, entry in found:
            print(f"{group:12}{entry.name:20}{entry.work}")
        return 0
    if options.write_docs and options.names:
        parser.error("--write-docs goes with all rows: the page is one run")
    with tempfile.TemporaryDirectory(prefix="logbert-bench-") as folder:
        data = Data(Path(folder))
        measured = results.measure_all(found, data, full=options.full, repeats=options.repeats, keep=options.json)
    results.write(measured, options.json)
    if options.write_docs:
        page.write(measured, ROOT / "docs")
    return 1 if measured["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
