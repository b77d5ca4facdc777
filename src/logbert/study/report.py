"""A study as files: results.json, a page of Markdown, one self-contained page of HTML, and the pictures."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from logbert.atomic import whole_file
from logbert.study.explanations import SET_UPS
from logbert.study.figures import pictures
from logbert.study.methods import METHODS
from logbert.study.tables import tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from logbert.study.figures import Picture
    from logbert.study.running import Results
    from logbert.study.tables import Table

RESULTS: Final = "results.json"
MARKDOWN: Final = "report.md"
HTML: Final = "report.html"
WORDS: Final = 20  # characters from which a cell holds words, which may wrap
SET_UP_TITLE: Final = "What the paper's figures rest on, and where ours differ"


def write(results: Results, folder: Path) -> list[Path]:
    """Write everything; give the files."""
    drawn, made = pictures(results), tables(results)
    texts = {
        RESULTS: json.dumps(results, indent=1),
        MARKDOWN: markdown(results, made, drawn),
        HTML: html(results, made, drawn),
    }
    written = []
    for name, text in texts.items():
        with whole_file(folder / name) as partial:
            partial.write_text(text, encoding="utf-8")
        written.append(folder / name)
    for picture in drawn:
        with whole_file(folder / f"{picture.name}.png") as partial:
            partial.write_bytes(picture.written())
        written.append(folder / f"{picture.name}.png")
    return written


def markdown(results: Results, made: Sequence[Table], drawn: Sequence[Picture]) -> str:
    """Write the study as Markdown; pictures stand beside it as files."""
    parts = ["# The study", *origins(results)]
    for table in made:
        parts += [f"## {table.title}", table_markdown(table)]
    for picture in drawn:
        parts += [f"## {picture.title}", f"![{picture.title}]({picture.name}.png)", "\n".join(picture.says)]
    parts += [f"## {SET_UP_TITLE}", *(f"**{title}.** {words}" for title, words in _set_ups(results))]
    return "\n\n".join(parts) + "\n"


def table_markdown(table: Table) -> str:
    """Write a table with its notes.

    Examples
    --------
    >>> from logbert.study.tables import Table
    >>> print(table_markdown(Table("t", "T", ("method", "F1"), (("PCA", "11.1"), ("broken",)), ("A note.",))))
    | method | F1 |
    |---|--:|
    | PCA | 11.1 |
    | broken | |
    <BLANKLINE>
    A note.
    """
    lines = [f"| {' | '.join(table.head)} |", "|---|" + "--:|" * (len(table.head) - 1)]
    for row in table.rows:
        cells = [*(cell.replace("|", "\\|") for cell in row), *[""] * (len(table.head) - len(row))]
        lines.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return "\n".join([*lines, "", "  \n".join(table.notes)])


def html(results: Results, made: Sequence[Table], drawn: Sequence[Picture]) -> str:
    """Write the study as one page that needs nothing else."""
    sections = []
    for table in made:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
        rows = "".join(_row(row, len(table.head)) for row in table.rows)
        notes = "<br>".join(map(escape, table.notes))
        sections.append(
            f"<section><h2>{escape(table.title)}</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            f'<p class="notes">{notes}</p></section>'
        )
    for picture in drawn:
        image = b64encode(picture.written()).decode("ascii")
        sections.append(
            f'<section><h2>{escape(picture.title)}</h2><img alt="{escape(picture.title)}" '
            f'src="data:image/png;base64,{image}"><p>{"<br>".join(map(escape, picture.says))}</p></section>'
        )
    explained = "".join(f"<dt>{escape(title)}</dt><dd>{_coded(words)}</dd>" for title, words in _set_ups(results))
    sections.append(f"<section><h2>{escape(SET_UP_TITLE)}</h2><dl>{explained}</dl></section>")
    page = files("logbert.study").joinpath("report.html").read_text(encoding="utf-8")
    header = "".join(f"<p>{escape(line)}</p>" for line in origins(results))
    return page.replace("{{origins}}", header).replace("{{sections}}", "".join(sections))


def _row(cells: Sequence[str], width: int) -> str:
    first, *others = cells
    last = f' colspan="{width - len(cells) + 1}"' if others and len(cells) < width else ""
    shown = [
        f'<td class="words">{escape(cell)}</td>' if len(cell) > WORDS else f"<td>{escape(cell)}</td>" for cell in others
    ]
    if last:
        shown[-1] = f'<td class="words"{last}>{escape(others[-1])}</td>'
    return f"<tr><th>{escape(first)}</th>{''.join(shown)}</tr>"


def _coded(words: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(words))


def _set_ups(results: Results) -> list[tuple[str, str]]:
    return [(METHODS[name].title, SET_UPS[name]) for name in results["order"]["methods"] if name in SET_UPS]


def origins(results: Results) -> list[str]:
    """Say where the figures come from: data, code, machine."""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    code = f"logbert {results['logbert']}" + (f" at {results['commit']}" if results["commit"] else "")
    commits = {cell["commit"] for cell in results["cells"] if cell.get("commit")} - {results["commit"]}
    lines = [f"Made {results['made']} by {code}, {versions}, on {results['machine']}."]
    if commits:
        lines.append(f"Some cells were kept from earlier runs, at {', '.join(sorted(commits))}.")
    lines += [
        f"{source['name']}: {', '.join(source['files'])}, SHA-256 {source['sha256'][:16]}…."
        for source in results["sources"]
    ]
    lines += [f"{name} is missing; to get it: {how}" for name, how in results["missing"].items()]
    return lines
