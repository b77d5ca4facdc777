from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.datasets.server import Server, serving


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    # A proxy of this machine's is not to see these requests.
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as house:
        yield house


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own: nothing here may touch the user's."""
    monkeypatch.setenv("LOGBERT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
