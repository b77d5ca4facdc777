"""Refresh the pasted output in docs/examples.md: run its commands on the real logs, and put in what they print.

    .venv/bin/python -m benchmarks.examples --data ../shared/data
    .venv/bin/python -m benchmarks.examples --data ../shared/data --only Hadoop

Every line of a `console` block that begins with `$ ` is run by a shell, and what stands below it is replaced by what
it prints now. The blocks of a section share a folder, in which `data` is the folder of real logs. Lines that report how
far training or reading has come are left out: they differ from run to run. Some ten minutes on 2 cores, most of it
training.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "examples.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUNNING = re.compile(r"^(?:training|reading)\b.*(?:/s|left)")


def refresh(page: Path, data: Path, only: str = "") -> None:
    """Put new output into the blocks of the sections whose title begins with `only`, one after the other."""
    for section in re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8")):
        if section.startswith(f"## {only}"):
            new = _section(section, data)
            page.write_text(page.read_text(encoding="utf-8").replace(section, new), encoding="utf-8")


def _section(text: str, data: Path) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").symlink_to(data.resolve())
        return BLOCK.sub(lambda block: f"```console\n{_block(block[1], folder)}```", text)


def _block(text: str, folder: Path) -> str:
    commands = [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{_output(command, folder)}" for command in commands)


def _output(command: str, folder: Path) -> str:
    print(command, file=sys.stderr, flush=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines() if not RUNNING.match(line)]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(line + "\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--only", default="", help="the beginning of a section's title")
    options = parser.parse_args()
    refresh(PAGE, options.data, options.only)


if __name__ == "__main__":
    main()
