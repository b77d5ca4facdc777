"""A format remembers itself, and what a user writes is taken at its word."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import polars as pl
import pytest

from logbert.errors import InputError, ModelError
from logbert.lines import Format, format_names, open_records
from logbert.lines.presets import PRESETS

BGL = "- 1117838570 2005.06.03 R02 2005-06-03-15.42.50.675872 R02 RAS KERNEL INFO parity error corrected\n"


def read(path: Path, text: str, format_: str | Format) -> pl.DataFrame:
    path.write_text(text)
    with open_records([path], format_) as reader:
        return pl.concat(list(reader))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_survives_being_saved(preset: object) -> None:
    known = preset.format()  # type: ignore[attr-defined]
    again = Format.from_state(json.loads(json.dumps(known.state())))
    assert again.state() == known.state()
    assert again.how == "remembered"
    assert known.name in format_names()


@pytest.mark.parametrize("state", [{}, {"name": "x", "shape": {"kind": "unheard-of"}}])
def test_a_state_of_another_version_is_an_error(state: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="cannot be understood"):
        Format.from_state(state)


def test_a_format_string_finds_its_time_level_and_label(tmp_path: Path) -> None:
    text = "<Label> <Timestamp> <Date> <Node> <Time> <NodeRepeat> <Type> <Component> <Level> <Content>"
    frame = read(tmp_path / "a.log", BGL + BGL.replace("- ", "KERNDTLB ", 1), text)
    assert frame["label"].to_list() == [False, True]
    assert frame["Label"].to_list() == ["-", "KERNDTLB"]
    assert frame["level"].to_list() == ["INFO", "INFO"]
    # The epoch is UTC, the local time beside it is not.
    assert frame["timestamp"][0] == dt.datetime(2005, 6, 3, 22, 42, 50)  # noqa: DTZ001


def test_a_field_named_level_that_holds_none_stays_a_field(tmp_path: Path) -> None:
    line = "Jun 14 15:16:01 combo sshd[19939]: authentication failure\n"
    frame = read(tmp_path / "a.log", line, r"<Month> <Date> <Time> <Level> <Component>(\[<PID>\])?: <Content>")
    assert "level" not in frame.columns
    assert frame["Level"].to_list() == ["combo"]
    assert frame["timestamp"][0] == dt.datetime(2000, 6, 14, 15, 16, 1)  # noqa: DTZ001


def test_a_format_without_a_time_leaves_strangers_alone(tmp_path: Path) -> None:
    frame = read(tmp_path / "a.log", "web: up\nno header\n  indented\nweb: down\n", "<Component>: <Content>")
    assert frame["message"].to_list() == ["up", "no header\n  indented", "down"]
    assert frame["timestamp"].null_count() == 3


def test_a_remembered_format_that_fits_nothing_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(BGL)
    with open_records([tmp_path / "a.log"]) as reader:
        remembered = Format.from_state(reader.format.state())
    with pytest.raises(InputError, match=r"no line fits the format.*it rains"):
        read(tmp_path / "b.log", "it rains\n", remembered)


@pytest.mark.parametrize("name", sorted(set(format_names()) - {"auto", "lines"}))
def test_every_format_that_is_asked_for_and_fits_nothing_says_so(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no line fits the format"):
        read(tmp_path / "a.log", "it rains\nit pours\n", name)
