"""The command line as a user meets it: arguments in, exit code and both streams out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from logbert.cli import main
from tests.outcome import Outcome, Run
from tests.shop import ODD, shop_log


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `logbert` with these arguments."""

    def call(*arguments: str | Path) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["logbert", *map(str, arguments)])
        capfd.readouterr()
        try:
            main()
            code: int | str | None = 0
        except SystemExit as stop:
            code = stop.code
        streams = capfd.readouterr()
        return Outcome(code if isinstance(code, int) else 0 if code is None else 1, streams.out, streams.err)

    return call


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with good.log (600 orders), bad.log (80 orders, two of them odd) and a novelty model of the first."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "good.log").write_text(shop_log(600))
    (folder / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    from logbert import Pipeline

    Pipeline(detector="novelty").fit(folder / "good.log").save(folder / "model")
    return folder
