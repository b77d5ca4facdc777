"""One method on one exam: fit, judge, count. What the two protocols do differently is said here and nowhere else."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from logbert.detectors.base import split_held_out
from logbert.detectors.corpus import Corpus
from logbert.detectors.fusion import Fusion
from logbert.detectors.logbert import LogBERT
from logbert.detectors.watch import Watch
from logbert.evaluation.metrics import Figures, best_boundary
from logbert.evaluation.trials import trivial
from logbert.study.methods import TRIVIAL, build

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logbert.detectors.base import Detector
    from logbert.detectors.corpus import Scores
    from logbert.study.exams import Exam
    from logbert.study.rules import Protocol

TENTHS = 10  # the paper's code tries r at every tenth of the masked keys


def judge(exam: Exam, name: str, protocol: Protocol, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Give the figures of a method by row, and the seconds it took to learn and to judge."""
    truth = exam.truth
    began, spent = time.perf_counter(), time.process_time()
    if name == TRIVIAL:
        rows = trivial(exam.train, exam.test, truth)
        taught = began
    else:
        learn, test = Corpus.of(exam.train), Corpus.of(exam.test)
        detector = fitted(build(name, given, learn, seed).read(exam.texts), learn, protocol)
        taught = time.perf_counter()
        rows = {name: _figures(detector, test, truth, protocol)}
        if protocol == "honest" and isinstance(detector, Fusion) and detector.windows_:
            rows[f"{name} over time"] = Figures.of(Watch(detector).judge(test).scores, truth)
    return {
        "rows": {row: asdict(figures) for row, figures in rows.items()},
        "train_seconds": taught - began,
        "judge_seconds": time.perf_counter() - taught,
        "cpu_seconds": time.process_time() - spent,
    }


def fitted(detector: Detector, train: Corpus, protocol: Protocol) -> Detector:
    """Teach a detector; by the legacy protocol a tenth is held out, as the paper's code does, and sets no boundary."""
    if protocol == "honest":
        return detector.fit(train)
    learn, apart = split_held_out(train, seed=detector.seed)
    return detector.fit(learn, held_out=apart)


def legacy_figures(scores: Scores, truth: np.ndarray) -> Figures:
    """Give the figures at the boundary that is best on the very sequences they are given for."""
    return Figures.of(scores, truth, boundary=best_boundary(scores, truth))


def _figures(detector: Detector, test: Corpus, truth: np.ndarray, protocol: Protocol) -> Figures:
    if protocol == "honest":
        return Figures.of(detector.score(test), truth)
    if isinstance(detector, LogBERT) and detector.config.score_by == "misses":
        return legacy_figures(missed_tenths(detector, test, [detector.candidates_])[0], truth)
    return legacy_figures(detector.score(test), truth)


def missed_tenths(detector: LogBERT, test: Corpus, candidates: Sequence[int]) -> Scores:
    """Give for each g the share of masked keys that are misses, in tenths rounded up: level k + 1 is above k tenths.

    A boundary on this is one of the r that the paper's code tries.
    """
    shares = detector.missed_shares(test, candidates)
    return np.asarray(np.ceil(np.round(shares * TENTHS, 9)), dtype=np.float64)
