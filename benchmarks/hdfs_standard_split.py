"""Stand-ins for the three HDFS sequence files everyone uses, of the real ones' size and shape.

    .venv/bin/python -m benchmarks.hdfs_standard_split -o FOLDER [--data ../shared/data/hdfs] [--seed 0]

`hdfs_train` is the real one (4,855 sessions). `hdfs_test_normal` (553,366) and `hdfs_test_abnormal` (16,838) are drawn
from the sessions of the training file and of the raw sample, as often as they come there, and from rare variants of
them (two neighbours have changed places, one key is doubled) until there are as many distinct sessions as in all of
HDFS. Time and memory on them are those of the real files; what a detector finds in them means nothing.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.baselines_hdfs import sessions

NORMAL, ABNORMAL = 553_366, 16_838
DISTINCT_NORMAL, DISTINCT_ABNORMAL = 14_300, 4_100  # of the 18,372 distinct sessions of HDFS
RARE = 4  # a variant comes so often at most

Session = tuple[int, ...]


def sample_sessions(folder: Path) -> tuple[Counter[Session], Counter[Session]]:
    """Give the normal and the abnormal sessions of the raw sample in the keys of the training file."""
    log = sessions(folder)
    known = pl.read_csv(folder / "hdfs_templates_e29.csv")
    patterns = {
        int(event.removeprefix("E")): re.compile(".*".join(map(re.escape, template.split("[*]"))))
        for event, template in known.iter_rows()
    }
    numbers = {
        key: next(n for n, pattern in patterns.items() if pattern.search(text)) for key, text in log.texts.items()
    }
    distinct = [tuple(numbers[key] for key in keys.tolist()) for keys in log.corpus]
    found: tuple[Counter[Session], Counter[Session]] = (Counter(), Counter())
    for place, abnormal in zip(log.corpus.inverse.tolist(), log.abnormal.tolist(), strict=True):
        found[abnormal][distinct[place]] += 1
    return found


def enlarged(known: Counter[Session], rows: int, distinct: int, draw: np.random.Generator) -> list[Session]:
    """Draw so many rows of so many distinct sessions: the known ones by how often they come, and rare variants."""
    originals = list(known)
    shares = np.array([known[session] for session in originals], dtype=np.float64)
    variants: set[Session] = set()
    while len(known) + len(variants) < distinct:
        session = list(originals[draw.choice(len(originals), p=shares / shares.sum())])
        place = int(draw.integers(len(session) - 1)) if len(session) > 1 else 0
        session[place : place + 2] = reversed(session[place : place + 2])
        place = int(draw.integers(len(session)))
        session.insert(place, session[place])
        if tuple(session) not in known:
            variants.add(tuple(session))
    rare = [session for session in sorted(variants) for _ in range(draw.integers(1, RARE + 1))]
    left = rows - len(rare) - len(originals)
    common = [originals[index] for index in draw.choice(len(originals), left, p=shares / shares.sum())]
    every = rare + originals + common
    return [every[index] for index in draw.permutation(len(every))]


def write(path: Path, rows: list[Session]) -> None:
    path.write_text("".join(" ".join(map(str, session)) + "\n" for session in rows), encoding="ascii")
    print(f"{path}: {len(rows):,} sessions, {len(set(rows)):,} distinct")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/hdfs"))
    parser.add_argument("--output", "-o", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = np.random.default_rng(options.seed)
    options.output.mkdir(parents=True, exist_ok=True)
    train = options.data / "hdfs_train"
    shutil.copyfile(train, options.output / "hdfs_train")
    learnt = Counter(tuple(map(int, line.split())) for line in train.read_text(encoding="ascii").splitlines())
    normal, abnormal = sample_sessions(options.data)
    write(options.output / "hdfs_test_normal", enlarged(normal + learnt, NORMAL, DISTINCT_NORMAL, draw))
    write(options.output / "hdfs_test_abnormal", enlarged(abnormal, ABNORMAL, DISTINCT_ABNORMAL, draw))


if __name__ == "__main__":
    main()
