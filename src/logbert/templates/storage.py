"""Templates on disk: JSON and Parquet, read back only if whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import polars as pl

from logbert.errors import ModelError
from logbert.templates.grouping import FORMS
from logbert.templates.masks import Masks
from logbert.templates.patterns import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    _Schema = Mapping[str, pl.DataType | type[pl.DataType]]

VERSION = 1

_SETTINGS = "templates.json"
_TABLE = "templates.parquet"
_MESSAGES = "messages.parquet"

_FORMS = "forms.parquet"

_TABLE_SCHEMA: _Schema = {"key": pl.Int32, "template": pl.String, "count": pl.Int64, "example": pl.String}
_MESSAGES_SCHEMA: _Schema = {"masked": pl.String, "key": pl.Int32}


@dataclass(frozen=True)
class Stored:
    """What of the templates is kept.

    Parameters
    ----------
    masks, evidence
        The settings.
    learnt
        How many of the templates were learnt; the others were opened at detection.
    table
        One row a template, in order of keys.
    forms
        The forms of each template, in order of keys.
    messages
        One row a distinct masked message, in order of codes, with its key.
    """

    masks: Masks
    evidence: Evidence
    learnt: int
    table: pl.DataFrame
    forms: pl.DataFrame
    messages: pl.DataFrame


def write_templates(folder: Path, stored: Stored) -> None:
    """Write the four files.

    Parameters
    ----------
    folder
        Made if it is not there.
    stored
        What to write.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "version": VERSION,
        "learnt": stored.learnt,
        "evidence": asdict(stored.evidence),
        "masks": stored.masks.state(),
    }
    (folder / _SETTINGS).write_text(json.dumps(settings, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    stored.table.select(list(_TABLE_SCHEMA)).write_parquet(folder / _TABLE)
    stored.forms.select(list(FORMS)).write_parquet(folder / _FORMS)
    stored.messages.select(list(_MESSAGES_SCHEMA)).write_parquet(folder / _MESSAGES)


def read_templates(folder: Path) -> Stored:
    """Read the four files and see that they belong together.

    Parameters
    ----------
    folder
        Where `write_templates` put them.
    """
    settings = _read_settings(folder / _SETTINGS)
    table = _read_frame(folder / _TABLE, _TABLE_SCHEMA)
    forms = _read_frame(folder / _FORMS, FORMS)
    messages = _read_frame(folder / _MESSAGES, _MESSAGES_SCHEMA)
    try:
        stored = Stored(
            masks=Masks.from_state(settings["masks"]),
            evidence=Evidence(**settings["evidence"]),  # type: ignore[arg-type]
            learnt=int(settings["learnt"]),  # type: ignore[call-overload]
            table=table,
            forms=forms,
            messages=messages,
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError(f"{folder / _SETTINGS}: damaged ({error}); train the model again") from None
    _check(folder, stored)
    return stored


def _read_settings(path: Path) -> dict[str, object]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}); is this a model directory?") from None
    except ValueError:
        raise ModelError(f"{path}: not JSON, so it is damaged; train the model again") from None
    if not isinstance(settings, dict) or not isinstance(settings.get("version"), int):
        raise ModelError(f"{path}: damaged; train the model again")
    if settings["version"] > VERSION:
        raise ModelError(f"{path}: written by a newer logbert (version {settings['version']}); update logbert")
    return settings


def _read_frame(path: Path, schema: _Schema) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error}); train the model again") from None
    except (pl.exceptions.PolarsError, ValueError):
        raise ModelError(f"{path}: not a Parquet file, so it is damaged; train the model again") from None
    if dict(frame.schema) != schema or any(frame.null_count().row(0)):
        raise ModelError(f"{path}: has other columns than it should, so it is damaged; train the model again")
    return frame


def _check(folder: Path, stored: Stored) -> None:
    keys = pl.Series(range(stored.table.height), dtype=pl.Int32)
    used = stored.messages["key"]
    whole = (
        stored.table["key"].equals(keys)
        and 0 <= stored.learnt <= len(keys)
        and (used.is_empty() or (used.is_between(0, len(keys) - 1).all()))
        and not stored.messages["masked"].is_duplicated().any()
        and stored.forms["key"].unique().sort().equals(keys)
        and stored.forms["key"].is_sorted()
    )
    if not whole:
        raise ModelError(f"{folder}: {_TABLE}, {_FORMS} and {_MESSAGES} do not belong together; train the model again")
