"""The incidents that detections with a model have found, so that an answer can be about one of them.

They are kept beside the manifest, not under it: detecting does not change what a model knows, and a model that may not
be written to detects all the same.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from logbert.atomic import whole_file
from logbert.errors import LogbertError, OptionError
from logbert.pipeline.incidents import Trouble

if TYPE_CHECKING:
    from pathlib import Path

FILE = "incidents.json"
MOST = 10_000  # the oldest are forgotten beyond


def remember(folder: Path, troubles: dict[str, Trouble]) -> None:
    """Add incidents to those found before; where the folder cannot be written, they are not kept."""
    known = recall(folder)
    for name, trouble in troubles.items():
        known.pop(name, None)
        known[name] = trouble
    kept = [known[name].state() for name in list(known)[-MOST:]]
    try:
        with whole_file(folder / FILE) as partial:
            partial.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except (OSError, LogbertError):
        return


def recall(folder: Path) -> dict[str, Trouble]:
    """Give the incidents found before, by id; a damaged list is as good as none."""
    try:
        entries = json.loads((folder / FILE).read_text(encoding="utf-8"))
        troubles = [Trouble(entry["kind"], entry["template"]) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return {trouble.id: trouble for trouble in troubles}


def find(folder: Path, incident: str) -> Trouble:
    """Find an incident by its id, or by as much of it as is unambiguous."""
    known = recall(folder)
    matching = [trouble for name, trouble in known.items() if incident and name.startswith(incident)]
    if len(matching) != 1:
        what = f"{len(matching)} incidents begin with" if matching else "no detection with this model found an incident"
        raise OptionError(f"{what} {incident!r}; `logbert detect` prints the id of each incident it finds")
    return matching[0]
