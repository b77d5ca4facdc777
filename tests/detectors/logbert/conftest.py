"""Small logs, and detectors fitted on them once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT

if TYPE_CHECKING:
    from pathlib import Path


def jobs(count: int, seed: int = 0) -> list[list[int]]:
    """Write sessions of a job runner: accepted (1), up to three steps (2 3, or 2 4 3), done (5), cleaned up (6)."""
    rng = np.random.default_rng(seed)
    sessions = []
    for _ in range(count):
        session = [1]
        for _ in range(int(rng.integers(1, 4))):
            session += [2, 4, 3] if rng.random() < 0.2 else [2, 3]
        sessions.append([*session, 5, 6])
    return sessions


@pytest.fixture(scope="session")
def default() -> LogBERT:
    return LogBERT(false_alarms=0.01, epochs=20).fit(jobs(400))


@pytest.fixture(scope="session")
def paper() -> LogBERT:
    return LogBERT("paper", false_alarms=0.02, epochs=6).fit(jobs(400))


@pytest.fixture(scope="session")
def normal() -> list[list[int]]:
    return jobs(400, seed=1)


@pytest.fixture(scope="session")
def hdfs(shared_data: Path) -> Corpus:
    lines = (shared_data / "hdfs" / "hdfs_train").read_text().splitlines()
    return Corpus.of([[int(key) for key in line.split()] for line in lines])
