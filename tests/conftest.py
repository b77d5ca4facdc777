"""What every test may use: where the real logs are, if they are there."""

from __future__ import annotations

import os
from pathlib import Path

# Several tests run at once: threads of their own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of real logs; without it the test skips, except on CI, where it must be there."""
    if not SHARED_DATA.is_dir() and not os.environ.get("CI"):
        pytest.skip(f"the real logs are not at {SHARED_DATA}")
    return SHARED_DATA
