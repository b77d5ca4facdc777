"""Refresh docs/study.md from finished studies: their tables, what their figures say, and the figures under docs/study.

    .venv/bin/logbert reproduce all --data ../shared/data -o STUDY
    .venv/bin/python -m benchmarks.study_page STUDY [STUDY...]

What stands between `<!-- NAME -->` and `<!-- end -->` is replaced: `origins` by where the figures come from, the name
of a table (`table2-hdfs-sample-honest`) by it and its notes, the name of a figure (`figure5-bgl-shuffled`) by it and
what it says; of studies that have the same, the last. What the page has no place for is named at the end.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from logbert.study.figures import pictures
from logbert.study.report import RESULTS, origins, table_markdown
from logbert.study.tables import tables

if TYPE_CHECKING:
    from logbert.study.running import Results

PAGE = Path(__file__).resolve().parents[1] / "docs" / "study.md"
PLACE = re.compile(r"(?s)<!-- ([\w-]+) -->\n.*?<!-- end -->")


def parts(results: Results, folder: Path) -> dict[str, str]:
    """Give everything that can be pasted by its name, and write the figures to a folder."""
    found = {table.name: f"**{table.title}**\n\n{table_markdown(table)}" for table in tables(results)}
    folder.mkdir(exist_ok=True)
    for picture in pictures(results):
        (folder / f"{picture.name}.svg").write_bytes(picture.written("svg"))
        image = f"![{picture.title}]({folder.name}/{picture.name}.svg)"
        found[picture.name] = "\n\n".join([f"**{picture.title}**", image, "\n".join(picture.says)])
    return found


def together(studies: list[Results]) -> Results:
    """Give what the origins of several studies are told from: the last one, with the sources and cells of all."""
    sources = {source["name"]: source for results in studies for source in results["sources"]}
    cells = [cell for results in studies for cell in results["cells"]]
    return {**studies[-1], "sources": list(sources.values()), "cells": cells, "missing": {}}


def refreshed(page: str, found: dict[str, str]) -> tuple[str, list[str], list[str]]:
    """Give the page with its places filled in, the places that nothing fills, and what has no place."""
    places = [match[1] for match in PLACE.finditer(page)]
    filled = PLACE.sub(
        lambda match: f"<!-- {match[1]} -->\n{found[match[1]]}\n<!-- end -->" if match[1] in found else match[0], page
    )
    return filled, [name for name in places if name not in found], [name for name in found if name not in places]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", type=Path, nargs="+", help="folders that `logbert reproduce -o` wrote")
    studies = [json.loads((folder / RESULTS).read_text(encoding="utf-8")) for folder in parser.parse_args().studies]
    found = {"origins": "  \n".join(origins(together(studies)))}
    for results in studies:
        found |= parts(results, PAGE.parent / "study")
    page, empty, homeless = refreshed(PAGE.read_text(encoding="utf-8"), found)
    PAGE.write_text(page, encoding="utf-8")
    for said, names in (("left as it was", empty), ("has no place on the page", homeless)):
        if names:
            print(f"{said}: {', '.join(names)}", file=sys.stderr)


if __name__ == "__main__":
    main()
