"""Real logs, longer: copies of a sample in which every number of two digits or more is another one.

Within a copy equal numbers stay equal, so that the ids of a session still name one session; between copies they differ,
so that distinct messages are as many as in a real log of that length.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import re
import string
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed.measure import Done

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

NUMBER = re.compile(rb"\d{2,}")
HEADER_END = b": "
DATE = 6  # bytes of an HDFS line that are its date
LONG = 5  # digits from which a number's length is left to chance
DAYS = 3  # the sample's lines are of three days


def write_hdfs(sample: str, log: str, messages: str, copies: int) -> Done:
    """Write the HDFS sample so many times, each copy three days after the one before."""
    import numpy as np

    text = gzip.decompress(Path(sample).read_bytes())
    lines = text.splitlines()
    starts = np.cumsum([0, *(len(line) + 1 for line in lines[:-1])])
    spans = [
        (start + line.index(HEADER_END) + len(HEADER_END), start + len(line))
        for start, line in zip(starts.tolist(), lines, strict=True)
    ]
    dates = [line[:DATE].decode() for line in lines]
    fresh = _Fresh(text, spans)
    with Path(log).open("wb") as file, Path(messages).open("wb") as bare:
        for copy in range(copies):
            again = fresh.copy(copy)
            for date in set(dates):
                own = starts[[one == date for one in dates]]
                again[own[:, None] + np.arange(DATE)] = np.frombuffer(_later(date, copy * DAYS), dtype=np.uint8)
            again.tofile(file)
            if copy == 0:
                whole = again.tobytes()
                bare.write(b"".join(whole[begin : end + 1] for begin, end in spans))
    return Done(len(lines) * copies)


def _later(date: str, days: int) -> bytes:
    day = dt.datetime.strptime(date, "%y%m%d") + dt.timedelta(days=days)  # noqa: DTZ007 (a date is enough)
    return day.strftime("%y%m%d").encode()


def write_loghub(*, sample: str, structured: str, log: str, messages: str, copies: int, bare_copies: int) -> Done:
    """Write one of loghub's systems so many times; headers stay as they are."""
    with Path(structured).open(newline="", encoding="utf-8") as table:
        contents = [row["Content"].encode() for row in csv.DictReader(table)]
    lines = Path(sample).read_bytes().replace(b"\r\n", b"\n").splitlines()
    spans, start = [], 0
    for line, content in zip(lines, contents, strict=True):
        begin = line.rindex(content)
        spans.append((start + begin, start + begin + len(content)))
        start += len(line) + 1
    text = b"\n".join(lines) + b"\n"
    fresh = _Fresh(text, spans)
    with Path(log).open("wb") as file, Path(messages).open("wb") as bare:
        for copy in range(copies):
            again = fresh.copy(copy)
            (again if copy < bare_copies else fresh.with_other_lengths(again, copy)).tofile(file)
            if copy < bare_copies:
                whole = again.tobytes()
                bare.write(b"".join(whole[begin:end] + b"\n" for begin, end in spans))
    return Done(len(lines) * copies)


class _Fresh:
    """The digits of a text that stand in its messages, and which number each is a digit of."""

    def __init__(self, text: bytes, spans: list[tuple[int, int]]) -> None:
        import numpy as np

        self.text = np.frombuffer(text, dtype=np.uint8)
        base: dict[bytes, int] = {}
        size = 0
        begins, bases, lengths = [], [], []
        for begin, end in spans:
            for found in NUMBER.finditer(text, begin, end):
                number = found[0]
                if number not in base:
                    base[number] = size
                    size += len(number)
                begins.append(found.start())
                bases.append(base[number])
                lengths.append(len(number))
        each = np.repeat(np.arange(len(lengths)), lengths)
        inside = np.arange(len(each)) - np.repeat(np.cumsum([0, *lengths[:-1]]), lengths)
        self.places = np.array(begins, dtype=np.int64)[each] + inside
        self.slots = np.array(bases, dtype=np.int64)[each] + inside
        self.size = size
        # Long numbers are ids and sizes, which may as well be a digit longer or shorter; of each the second digit.
        self.long = np.array([at + 1 for found, at in base.items() if len(found) >= LONG], dtype=np.int64)
        # No number begins with another zero than before, and a part of an address stays below 256.
        self.zeros = np.array([at for number, at in base.items() if number.startswith(b"0")], dtype=np.int64)
        self.leading = np.array([at for number, at in base.items() if not number.startswith(b"0")], dtype=np.int64)
        self.hundreds = np.array(
            [at for number, at in base.items() if len(number) == 3 and not number.startswith(b"0")], dtype=np.int64
        )

    def copy(self, number: int) -> npt.NDArray[np.uint8]:
        """Give the text with other numbers; copy 0 is the text itself."""
        import numpy as np

        again = self.text.copy()
        if number == 0:
            return again
        draw = np.random.default_rng(number)
        digits = draw.integers(0, 10, self.size, dtype=np.uint8)
        digits[self.leading] = draw.integers(1, 10, len(self.leading), dtype=np.uint8)
        digits[self.zeros] = 0
        digits[self.hundreds] = 1
        again[self.places] = digits[self.slots] + ord("0")
        return again

    def with_other_lengths(self, text: npt.NDArray[np.uint8], number: int) -> npt.NDArray[np.uint8]:
        """Make some of a copy's long numbers a digit longer, and as many a digit shorter."""
        import numpy as np

        times = np.ones(self.size, dtype=np.int64)
        times[self.long] = np.random.default_rng((number, 1)).choice([0, 1, 2], len(self.long), p=[0.15, 0.7, 0.15])
        repeats = np.ones(len(text), dtype=np.int64)
        repeats[self.places] = times[self.slots]
        return np.repeat(text, repeats)


def write_prose(log: str, count: int, seed: int) -> Done:
    """Write messages of five to twelve words, frequent and rare as in a language, so that no two are alike."""
    import numpy as np

    draw = np.random.default_rng(seed)
    letters = np.array(list(string.ascii_lowercase))
    words = np.array(["".join(draw.choice(letters, size)) for size in draw.integers(2, 11, 20_000)])
    often = 1 / (np.arange(len(words)) + 10)
    sizes = draw.integers(5, 13, count)
    flat = words[draw.choice(len(words), sizes.sum(), p=often / often.sum())]
    with Path(log).open("w", encoding="ascii") as file:
        file.writelines(" ".join(message) + "\n" for message in np.split(flat, np.cumsum(sizes)[:-1]))
    return Done(count)


def write_jobs(*, log: str, lines: int, templates: int, length: int, opened: int, seed: int) -> Done:
    """Write jobs of `length` lines each, `opened` of them at any time, whose lines take turns."""
    import numpy as np
    import polars as pl

    draw = np.random.default_rng(seed)
    words = np.array(["".join(draw.choice(list(string.ascii_lowercase), 6)) for _ in range(3_000)])
    texts = pl.Series([" ".join(six) for six in words[draw.integers(0, len(words), (templates, 6))]])
    at = np.arange(lines)
    turn = at // opened
    job = turn // length * opened + at % opened
    seconds = pl.from_epoch(pl.Series(1_700_000_000_000 + at), time_unit="ms").dt.strftime("%Y-%m-%d %H:%M:%S%.3f")
    frame = pl.DataFrame(
        {
            "time": seconds,
            "text": texts.gather((turn % length + job * 7) % templates),
            "job": job,
            "value": draw.integers(0, 1_000_000, lines),
        }
    )
    line = pl.format("{} INFO worker: {} for job_{} took {} us", "time", "text", "job", "value")
    Path(log).write_text("\n".join(frame.select(line).to_series()) + "\n", encoding="ascii")
    return Done(lines)
