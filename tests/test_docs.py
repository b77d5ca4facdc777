from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from logbert.cli.app import app
from logbert.detectors.logbert.config import DEFAULT, PAPER

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
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
