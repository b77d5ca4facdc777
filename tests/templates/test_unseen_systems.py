"""Templates of systems that no default was chosen on: drawn messages go back to what they were drawn from."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from logbert.templates import Templates
from logbert.templates.grouping_quality import grouping_quality

SYSTEMS = tomllib.loads((Path(__file__).parent / "unseen_systems.toml").read_text(encoding="utf-8"))
DRAWN = re.compile(r"<(?:(-?\d+)\.\.(\d+)|hex(\d)|([a-z]+)|([^<>]*\|[^<>]*))>")
WORDS = {
    "user": [
        "admin",
        "root",
        "test",
        "oracle",
        "guest",
        "ubuntu",
        "webmaster",
        "pi",
        "ftpuser",
        "git",
        "nagios",
        "postgres",
        "jenkins",
        "deploy",
    ],
    "boolean": ["true", "false"],
    "package": ["com.tencent.mm", "com.android.systemui", "android", "com.google.android.gms", "com.android.phone"],
    "activity": ["com.tencent.mm/.ui.LauncherUI", "com.android.systemui/.recents.RecentsActivity", "com.x/.Home"],
    "host": ["mail.example.com", "ip181-58.cable.example.net", "10.11.12.13", "ns.example.org", "173.234.31.186"],
}

MADE: dict[str, Callable[[random.Random], str]] = {
    "ip": lambda dice: ".".join(str(dice.randint(1, 254)) for _ in range(4)),
    "path": lambda dice: "/" + "/".join(dice.sample(["opt", "data", "local-dir", "blockmgr", "tmp", "cache"], 3)),
    "decimal": lambda dice: f"{dice.uniform(0, 500):.3f}",
    "number": lambda dice: str(dice.randint(0, 99_999_999)),
}


def drawn(match: re.Match[str], dice: random.Random) -> str:
    low, high, digits, name, words = match.groups()
    if low is not None:
        return str(dice.randint(int(low), int(high)))
    if digits is not None:
        return "".join(dice.choices("0123456789abcdef", k=int(digits)))
    if words is not None:
        return dice.choice(words.split("|"))
    return dice.choice(WORDS[name]) if name in WORDS else MADE[name](dice)


def sample(system: str, seed: int) -> tuple[pl.Series, pl.Series]:
    """Draw 2,000 messages, and what each was drawn from."""
    dice = random.Random(seed)
    rows = [line.split(" ", 1) for line in SYSTEMS[system]["messages"].strip().splitlines()]
    truth = dice.choices([text for _, text in rows], [int(weight) for weight, _ in rows], k=2000)
    return pl.Series([DRAWN.sub(lambda found: drawn(found, dice), text) for text in truth]), pl.Series(truth)


@pytest.mark.parametrize(
    ("system", "accuracy"), [("OpenSSH", 0.99), ("Android", 0.95), ("HealthApp", 0.99), ("Spark", 0.98)]
)
def test_messages_of_an_unseen_system_find_their_templates(system: str, accuracy: float) -> None:
    for seed in range(3):
        messages, truth = sample(system, seed)
        templates = Templates()
        codes = templates.encode(messages)
        templates.learn()
        quality = grouping_quality(templates.keys(codes), truth)
        assert quality.accuracy >= accuracy, (seed, quality)


def test_ten_thousand_kinds_of_message_are_ten_thousand_templates_at_most() -> None:
    dice = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=6)) for _ in range(3000)]
    kinds = [" ".join(dice.sample(words, 7)) for _ in range(10_000)]
    templates = Templates()
    codes = templates.encode(pl.Series([f"{kind} {number}" for kind in kinds for number in (3, 40)]))
    templates.learn()
    assert templates.keys(codes).n_unique() == len(templates) == 10_000
