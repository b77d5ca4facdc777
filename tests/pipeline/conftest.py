from __future__ import annotations

from pathlib import Path

import pytest

from logbert import Pipeline
from tests.shop import ODD, shop_log


@pytest.fixture(scope="session")
def shop_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web shop's good.log (600 orders) and bad.log (80 orders, two of them odd)."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "good.log").write_text(shop_log(600))
    (folder / "bad.log").write_text(shop_log(80, seed=1, odd=ODD))
    return folder


@pytest.fixture(scope="session")
def shop_pipeline(shop_folder: Path) -> Pipeline:
    """A novelty pipeline fitted on good.log."""
    return Pipeline(detector="novelty").fit(shop_folder / "good.log")
