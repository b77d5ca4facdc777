from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from logbert.cli.app import app
from logbert.datasets import all_sets
from logbert.datasets.disk import size
from logbert.detectors.logbert.config import DEFAULT, PAPER

ROOT = Path(__file__).resolve().parents[1]


def commands(group: Any, prefix: str = "") -> dict[str, Any]:
    """Give every command by the words it is called with."""
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        below = hasattr(command, "commands")
        found |= commands(command, f"{prefix}{name} ") if below else {f"{prefix}{name}": command}
    return found


COMMANDS = commands(typer.main.get_command(app))
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def section(command: str) -> str:
    found = re.search(rf"^## logbert {command}\b(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/commands.md has no section on {command}"
    return found[1]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_is_documented_and_has_help(command: str) -> None:
    text = section(command)
    for parameter in COMMANDS[command].params:
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert parameter.help, f"{command} {parameter.opts[0]} has no help"
            for name in parameter.opts:
                assert f"`{name}`" in text, f"{command} {name} is not documented"
    assert COMMANDS[command].help


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_nothing_is_documented_that_does_not_exist(command: str) -> None:
    exists = {name for parameter in COMMANDS[command].params for name in parameter.opts}
    named = set(re.findall(r"`(--?[a-z][a-z-]*)`", section(command)))
    assert named <= exists | {"-"}, named - exists


def test_links_between_pages_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_logbert_page_names_every_parameter_of_both_presets() -> None:
    page = (ROOT / "docs" / "logbert.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (\S+) \|", page, re.MULTILINE)
    said = {name: (paper, default) for name, paper, default in rows}
    assert said == {name: (str(getattr(PAPER, name)), str(getattr(DEFAULT, name))) for name in vars(DEFAULT)}


def test_datasets_page_has_the_catalogues_figures() -> None:
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    for dataset in all_sets().values():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{dataset.name}` |"))
        for figure in (f"{dataset.lines:,}", size(dataset.size or 0), size(dataset.unpacked or 0)):
            assert figure in row, (dataset.name, figure)


def test_the_command_named_for_a_set_is_one(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    for dataset in all_sets().values():
        filled = dataset.evaluate.format(folder=tmp_path, log=log)
        for line in filter(None, filled.split(";")):
            program, command, *arguments = shlex.split(line)
            assert program == "logbert"
            COMMANDS[command].make_context(command, arguments)
