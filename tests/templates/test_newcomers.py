"""What training did not see opens templates one by one."""

from __future__ import annotations

import polars as pl

from logbert.templates.newcomers import Newcomers
from logbert.templates.tokens import form_texts


def texts(newcomers: Newcomers) -> list[str]:
    return form_texts(newcomers.forms()["form"]).to_list()


def test_similar_messages_share_a_template_that_widens() -> None:
    newcomers = Newcomers(7)
    lines = [f"replica of shard {name} moved to another rack" for name in ("alpha", "beta", "gamma")]
    assert newcomers.settle(pl.Series(lines)).tolist() == [7, 7, 7]
    assert texts(newcomers) == ["replica of shard <*> moved to another rack"]


def test_words_that_tell_events_apart_do_not_share() -> None:
    newcomers = Newcomers(0)
    lines = ["power supply of the third rack is up", "power supply of the third rack is down"]
    assert newcomers.settle(pl.Series(lines)).tolist() == [0, 1]


def test_first_words_must_agree() -> None:
    newcomers = Newcomers(0)
    lines = ["lost contact with the metadata service again", "made contact with the metadata service again"]
    assert newcomers.settle(pl.Series(lines)).tolist() == [0, 1]


def test_values_do_not_count_against_a_message() -> None:
    newcomers = Newcomers(0)
    lines = ["plugin com.acme.first.thing loaded", "plugin org.example.other loaded", "plugin <*> loaded"]
    assert newcomers.settle(pl.Series(lines)).tolist() == [0, 0, 0]


def test_restored_templates_take_up_where_they_were() -> None:
    lines = [f"replica of shard {name} moved to another rack" for name in ("alpha", "beta")]
    later = pl.Series(["replica of shard gamma moved to another rack", "nothing of the kind", "", ""])
    first = Newcomers(3)
    first.settle(pl.Series(lines))
    again = Newcomers(3)
    again.restore(first.forms()["form"])
    assert again.settle(later).tolist() == first.settle(later).tolist() == [3, 4, 5, 5]
    assert again.forms().equals(first.forms())
