"""Sequences, keys and values are the same whether lines are compared or read one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from logbert.errors import OptionError
from logbert.pipeline.intake import LogIntake, Taken
from logbert.progress import SILENT
from logbert.templates import Masks
from tests.shop import ODD, shop_log


def taken(path: Path, monkeypatch: pytest.MonkeyPatch, worth_comparing: int, group: str) -> tuple[Taken, list[object]]:
    monkeypatch.setattr("logbert.lines.batches.LONG", worth_comparing)
    monkeypatch.setattr("logbert.lines.reader.BATCH_BYTES", 20_000)
    intake = LogIntake(format="auto", group=group, masks=Masks.default())
    intake.slots = None
    learnt = intake.learn([path], SILENT)
    return learnt, intake.templates.table.rows()


@pytest.mark.parametrize("group", ["auto", "time:1min", "count:50", "field:Process"])
def test_comparing_lines_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    trace = "java.lang.IllegalStateException: gone\n\tat shop.Billing.charge(Billing.java:77)"
    log = shop_log(400, odd=ODD | {99: "ERROR [worker-3] billing: failed for ord-{id:06x}\n" + trace})
    path = tmp_path / "shop.log"
    path.write_text(log)
    one_by_one, plain = taken(path, monkeypatch, 1 << 40, group)
    compared, quick = taken(path, monkeypatch, 0, group)
    assert quick == plain
    assert compared.facts == one_by_one.facts
    assert compared.known == one_by_one.known
    assert_frame_equal(compared.sequences, one_by_one.sequences)
    assert compared.values is not None
    assert one_by_one.values is not None
    order = ["line", "key", "slot"]
    assert_frame_equal(compared.values.sort(order), one_by_one.values.sort(order))


def test_leaving_lines_alone_for_a_while_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shop.log"
    path.write_text(shop_log(9_000))
    one_by_one, plain = taken(path, monkeypatch, 1 << 40, "time:1min")
    monkeypatch.setattr("logbert.lines.recognition.TRIAL", 1)
    monkeypatch.setattr("logbert.lines.recognition.FRESH", -1.0)
    monkeypatch.setattr("logbert.lines.recognition.REST", 1)
    monkeypatch.setattr("logbert.pipeline.intake.CHOOSING_RECORDS", 100)
    compared, quick = taken(path, monkeypatch, 0, "time:1min")
    assert quick == plain
    assert_frame_equal(compared.sequences, one_by_one.sequences)


def test_a_field_that_is_not_there_is_named_with_those_that_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shop.log"
    path.write_text(shop_log(40))
    with pytest.raises(OptionError, match=r"no field 'Thread'.*level, Date, Time, Process, Component$"):
        taken(path, monkeypatch, 0, "field:Thread")
