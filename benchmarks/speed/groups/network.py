"""The network: learning the standard HDFS sessions, judging distinct ones, judging as many as the whole log has."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.speed import plain_network, sessions
from benchmarks.speed.measure import Command, Done, call
from benchmarks.speed.rows import Peer, Row, Target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.speed.data import Data
    from benchmarks.speed.measure import Call

PEER = "a plain torch network of the original's sizes"
TRAIN = "hdfs/hdfs_train"
SESSIONS = 570_000
KINDS = 18_000
TEMPLATES = 300
EPOCHS = 4  # of the paper's preset, whose mean counts
PEER_TRAINS = 1_216  # a quarter of the sessions: an epoch of all of them takes as much longer
PEER_SCORES = 2_000
WINDOWS = {100: 1_000, 512: 200}  # how many windows of so many keys are judged
PEER_WINDOWS = {100: 400, 512: 64}


class _Clock:
    """A listener that notes when the epochs began and when the last one ended."""

    def __init__(self) -> None:
        self.began = self.ended = 0.0

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[_Clock]:
        self.began = time.perf_counter()
        yield self

    def advance(self, amount: float = 1, **facts: float | str) -> None:
        self.ended = time.perf_counter()

    def note(self, text: str) -> None:
        pass


def train_paper(sequences: str, epochs: int) -> Done:
    """Train the paper's preset for a few epochs; only they are timed."""
    from logbert.detectors.logbert import LogBERT

    given = sessions.read(sequences)
    clock = _Clock()
    LogBERT("paper", epochs=epochs, candidates=6, progress=clock).fit(given)
    return Done(len(given) * epochs, clock.ended - clock.began)


def score(model: str, sequences: str) -> Done:
    """Judge distinct sequences with the network of a trained model; a sequence under one mask is one unit."""
    from logbert.detectors import Corpus
    from logbert.pipeline import Pipeline

    pipeline = Pipeline.load(model)
    network = pipeline.detector_.members_["logbert"]
    corpus = Corpus.of(pipeline.take(sequences).sequences)
    masks = network.config_.masks
    began = time.perf_counter()
    network.raw_scores(corpus)
    return Done(len(corpus) * masks, time.perf_counter() - began, {"distinct": len(corpus), "masks": masks})


def score_windows(sequences: str) -> Done:
    """Judge windows with a network that has seen some of them once; a window under one mask is one unit."""
    from logbert.detectors import Corpus
    from logbert.detectors.logbert import LogBERT

    corpus = Corpus.of(sessions.read(sequences))
    network = LogBERT(epochs=1).fit([corpus[index] for index in range(64)])
    masks = network.config_.masks
    began = time.perf_counter()
    network.raw_scores(corpus)
    return Done(len(corpus) * masks, time.perf_counter() - began, {"distinct": len(corpus), "masks": masks})


def _train(data: Data) -> Command:
    arguments = ("train", str(data.real(TRAIN)), "--format", "sequences", "-o", str(data.folder / "sequences.model"))
    return Command((*arguments, "--quiet"), 4_854)


def _model(data: Data) -> Path:
    """Give what the row `train` left, or train."""
    return data.made("sequences.model", _train(data))


def _sessions(data: Data) -> tuple[Path, Path]:
    """Give stand-ins of the whole HDFS log: all its sessions, and each kind once."""
    rows, distinct = data.folder / "sessions", data.folder / "sessions.distinct"
    work = call(
        sessions.write_sessions,
        source=data.real(TRAIN),
        rows=rows,
        distinct=distinct,
        count=SESSIONS,
        kinds=KINDS,
        seed=0,
    )
    return data.made(rows.name, work), distinct


def _windows(data: Data, length: int) -> Path:
    out = data.folder / f"windows{length}"
    count = WINDOWS[length]
    return data.made(
        out.name, call(sessions.write_windows, out=out, count=count, length=length, templates=TEMPLATES, seed=0)
    )


def _score(data: Data) -> Call:
    return call(score, model=_model(data), sequences=_sessions(data)[1])


def _score_peer(data: Data) -> Call:
    return call(plain_network.score, sequences=_sessions(data)[1], count=PEER_SCORES)


def _judge(data: Data) -> Command:
    out = str(data.out("sessions.parquet"))
    return Command(("detect", str(_sessions(data)[0]), "-m", str(_model(data)), "-o", out, "--quiet"), SESSIONS)


def _score_windows(data: Data, length: int) -> Call:
    return call(score_windows, sequences=_windows(data, length))


def _score_windows_peer(data: Data, length: int) -> Call:
    return call(plain_network.score, sequences=_windows(data, length), count=PEER_WINDOWS[length])


ENTRIES = [
    Row(
        "train",
        "logbert train on the 4,854 sessions of hdfs_train, whole process",
        "",
        _train,
        targets=(Target("seconds", 60, 20),),
        repeats=1,
    ),
    Row(
        "epoch",
        "one epoch of hdfs_train, preset paper",
        "sessions",
        lambda data: call(train_paper, sequences=data.real(TRAIN), epochs=EPOCHS),
        Peer(PEER, lambda data: call(plain_network.train_epoch, sequences=data.real(TRAIN), count=PEER_TRAINS)),
        (Target("ratio", 5, 15),),
        repeats=1,
    ),
    Row(
        "score",
        "scoring 18,000 distinct HDFS sessions, per mask",
        "sessions",
        _score,
        Peer(f"{PEER}, one mask", _score_peer),
        (Target("ratio", 5, 20),),
    ),
    Row(
        "judge",
        "logbert detect, 570,000 HDFS sessions (18,000 distinct)",
        "sessions",
        _judge,
        targets=(Target("seconds", 20, 8),),
    ),
    *(
        Row(
            f"windows-{length}",
            f"scoring windows of {length} keys, {TEMPLATES} templates, per mask",
            "windows",
            partial(_score_windows, length=length),
            Peer(f"{PEER}, one mask", partial(_score_windows_peer, length=length)),
            (Target("ratio", 5, 15),),
            repeats=1,
        )
        for length in WINDOWS
    ),
]
