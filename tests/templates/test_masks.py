"""Values are replaced, wording is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logbert.errors import InputError, ModelError, OptionError
from logbert.templates import Mask, Masks

if TYPE_CHECKING:
    from pathlib import Path


def masked(text: str, masks: Masks | None = None) -> str:
    return str((masks or Masks.default()).apply(pl.Series([text]))[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET https://a.example/x?y=1 done", "GET <*> done"),
        ("mail to jo.doe+x@mail.example.org now", "mail to <*> now"),
        ("id 9f1c2b3a-0000-4d5e-8f70-1234567890ab", "id <*>"),
        ("chip FF:F2:9F:16:E2:23 and 5c-50-15-36-bc-03", "chip <*> and <*>"),
        ("from 10.0.0.7:5010 to /10.1.2.3:80 in 10.0.0.0/8", "from <*> to <*> in <*>"),
        ("addr fe80::1ff:fe23:4567:890a up", "addr <*> up"),
        ("from ::ffff:10.0.0.7 and fe80::1 to ::1", "from <*> and <*> to <*>"),
        ("Foo::add and std::bad", "Foo::add and std::bad"),
        ("addr 2607:F140:6000:0008:C6B3:01FF:FECD:467F", "addr <*>"),
        ("at Fri Jul 01 08:16:53 PDT 2005 ok", "at <*> ok"),
        ("at 2017-05-16 05:00:00.123 and 2017-05-16T05:00:00Z", "at <*> and <*>"),
        (r"open C:\Program Files\App\x.dll failed", "open <*> failed"),
        ("open /var/log/app.log, retry ./run/it", "open <*>, retry <*>"),
        ("mapped at 0x7fa823c89600", "mapped at <*>"),
        ("ecid 04DF80A7942FFFFF0C081AE08CD2", "ecid <*>"),
        ("www.example.com:443 close", "<*> close"),
        ("rhost=d211-116.rev.example.net user=root", "rhost=<*> user=root"),
        ("18846 bytes (18.4 KB) sent in <1 sec", "<*> sent in <*>"),
        ("container_1445_0020_01_000001 started on node7", "container_<*> started on node<*>"),
        ("attempt_1445_0020_m_000001_0 done", "<*> done"),
        ("block blk_-1608999687919862906 of 67108864", "block blk_<*> of <*>"),
        ("took 3.5%, 1,024 of -12", "took <*>, <*> of <*>"),
        ("link up, read/write and/or nothing", "link up, read/write and/or nothing"),
        ("fehlgeschlagen: Größe 12 überschritten", "fehlgeschlagen: Größe <*> überschritten"),
        ("нет места 7", "нет места <*>"),
    ],
)
def test_default_masks(text: str, expected: str) -> None:
    assert masked(text) == expected


@given(st.text(max_size=60))
def test_masking_never_fails_and_leaves_no_ascii_digit(text: str) -> None:
    assert not set(masked(text)) & set("0123456789")


def test_matches_are_named_for_whoever_adjusts_them() -> None:
    found = Masks.default().name_matches("GET https://a.example/x from 10.0.0.7 took 3 ms")
    assert found == [("url", "https://a.example/x"), ("ipv4", "10.0.0.7"), ("duration", "3 ms")]


def test_a_file_adds_replaces_removes_and_orders(tmp_path: Path) -> None:
    path = tmp_path / "masks.toml"
    path.write_text(
        """
        remove = ["email"]
        order = ["number"]
        [[mask]]
        name = "order_id"
        regex = 'ORD-[A-Z]+'
        [[mask]]
        name = "hex"
        regex = '#[0-9a-f]+'
        """
    )
    masks = Masks.read(path)
    names = [mask.name for mask in masks]
    assert names[:2] == ["number", "order_id"]
    assert "email" not in names
    assert len(names) == len(Masks.default())
    assert masked("ORD-ABC of jo@x.org at #beef", masks) == "<*> of jo@x.org at <*>"


def test_a_file_can_start_from_nothing(tmp_path: Path) -> None:
    path = tmp_path / "masks.toml"
    path.write_text("inherit = false\n[[mask]]\nname = 'n'\nregex = '[0-9]+'\n")
    assert masked("a1 at 10.0.0.7", Masks.read(path)) == "a<*> at <*>.<*>.<*>.<*>"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[mask]]\nname='a'\nregex='(?<=x)1'", "look-around"),
        ("[[mask]]\nname='a'\nregex='(1'", "not a regex"),
        ("[[mask]]\nname='a'\nregex='1*'", "empty text"),
        ("[[mask]]\nname='a b'\nregex='1'", "not a word"),
        ("[[mask]]\nname='a'", "a name and a regex"),
        ("[[mask]]\nname='a'\nregex='1'\n[[mask]]\nname='a'\nregex='2'", "two masks"),
        ("remove = ['nonsense']", "no mask 'nonsense'"),
        ("remove = 'email'", "list of mask names"),
        ("masks = 3", "unknown entry 'masks'"),
        ("mask = 3", "[[mask]] tables"),
    ],
)
def test_a_mistake_in_the_file_is_named_in_one_line(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "masks.toml"
    path.write_text(content)
    with pytest.raises(OptionError) as caught:
        Masks.read(path)
    message = str(caught.value)
    assert words in message
    assert str(path) in message
    assert "\n" not in message


def test_a_file_that_is_not_toml_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "masks.toml"
    with pytest.raises(InputError, match="cannot read"):
        Masks.read(path)
    path.write_text("= nonsense")
    with pytest.raises(InputError, match="not a TOML file"):
        Masks.read(path)


def test_state_is_the_identity() -> None:
    masks = Masks([*Masks.default(), Mask("order", r"ORD-\w+")])
    assert Masks.from_state(masks.state()) == masks
    with pytest.raises(ModelError, match="damaged"):
        Masks.from_state([{"name": "x"}])


DRAIN3 = r"""
[MASKING]
masking = [
          {"regex_pattern":"((?<=[^A-Za-z0-9])|^)(([0-9a-f]{2,}:){3,}([0-9a-f]{2,}))((?=[^A-Za-z0-9])|$)",
           "mask_with": "ID"},
          {"regex_pattern":"((?<=[^A-Za-z0-9])|^)([\\-\\+]?\\d+)((?=[^A-Za-z0-9])|$)", "mask_with": "NUM"},
          {"regex_pattern":"(?<!\\w)0x[a-f0-9]+(?!\\w)", "mask_with": "ID"}]
mask_prefix = <:
[SNAPSHOT]
snapshot_interval_minutes = 10
"""


def test_drain3_masks_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "drain3.ini"
    path.write_text(DRAIN3)
    masks = Masks.read(path)
    assert [mask.name for mask in masks] == ["id", "num", "id_2"]
    assert masked("chip ab:cd:ef:01 read 12 of x12 at 0xff", masks) == "chip <*> read <*> of x12 at <*>"


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("[DRAIN]\nsim_th = 0.4", InputError, "MASKING"),
        ("[MASKING]\nmasking = nonsense", InputError, "JSON list"),
        ("no section", InputError, "not an ini file"),
        ('[MASKING]\nmasking = [{"regex_pattern": "(?<=k=)v", "mask_with": "V"}]', OptionError, "look-around"),
    ],
)
def test_a_mistake_in_a_drain3_ini_is_named(tmp_path: Path, content: str, error: type[Exception], words: str) -> None:
    path = tmp_path / "drain3.ini"
    path.write_text(content)
    with pytest.raises(error, match=words):
        Masks.read(path)
