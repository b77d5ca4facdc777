"""Which public log sets there are: where, how large, how labelled, under what licence."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from logbert.errors import OptionError


@dataclass(frozen=True)
class Count:
    """How many things carry a label, and how many of those are abnormal."""

    total: int
    abnormal: int


@dataclass(frozen=True)
class Labels:
    """How a set is labelled.

    Attributes
    ----------
    kind
        `first column`: every line begins with `-` if it is normal. `table`: a file of ids and labels.
        `other`: some other way, told by `how`.
    unit
        What carries a label: lines, blocks, applications.
    file
        Where the labels are, if not in the log.
    how
        In words, if it is neither of the two.
    known
        The published counts of the whole set.
    known_of_first
        The published counts of its first lines, as many as the paper used.
    """

    kind: Literal["first column", "table", "other"]
    unit: str
    file: str | None = None
    how: str = ""
    known: Count | None = None
    known_of_first: Count | None = None


@dataclass(frozen=True)
class Dataset:
    """A public log set. What is `None` is not known, or not published.

    Attributes
    ----------
    name, about
        What it is called, and what it is.
    archive, base, page
        The file to fetch, the URL of its folder, and the page where people fetch it by hand.
    bytes, md5
        The archive's exact size and checksum as published; both are checked.
    checksums
        Where the checksum comes from, in words.
    roughly
        The archive's size where only a rounded figure is known.
    unpacked
        Bytes of its logs, about.
    lines
        Lines of its logs, as published.
    first
        How many of them are fetched if nothing is said; all, if `None`.
    logs
        Paths or patterns of the logs below the folder it is unpacked to.
    labels
        How it is labelled, if it is.
    licence, citations
        What to keep to and what to cite.
    paper
        What the LogBERT paper used of it.
    evaluate
        The command that evaluates on it; `{folder}` stands for where it lies, `{log}` for its one log there.
    """

    name: str
    about: str
    archive: str
    base: str
    logs: tuple[str, ...]
    page: str = ""
    bytes: int | None = None
    md5: str | None = None
    checksums: str = "not published; the first download's is kept and compared with"
    roughly: int | None = None
    unpacked: int | None = None
    lines: int | None = None
    first: int | None = None
    labels: Labels | None = None
    licence: str = ""
    citations: tuple[str, ...] = ()
    paper: str = ""
    evaluate: str = ""

    @property
    def size(self) -> int | None:
        """The archive's size in bytes, exact or about."""
        return self.bytes if self.bytes is not None else self.roughly

    @property
    def is_one_log(self) -> bool:
        """Tell whether its log is a single file, of which the first lines mean something."""
        return len(self.logs) == 1 and "**" not in self.logs[0]


@cache
def all_sets() -> dict[str, Dataset]:
    """Give all sets by their names.

    Examples
    --------
    >>> all_sets()["BGL"].lines
    4747963
    """
    text = files("logbert.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return {name: _dataset(name, entry, content["sources"]) for name, entry in content["sets"].items()}


def dataset_named(name: str) -> Dataset:
    """Give the set of this name, whatever the case.

    Raises
    ------
    OptionError
        If there is none; the message names the nearest.

    Examples
    --------
    >>> dataset_named("hdfs_v1").archive
    'HDFS_v1.zip'
    >>> dataset_named("HDFS")
    Traceback (most recent call last):
    ...
    logbert.errors.OptionError: no data set is called 'HDFS'; did you mean HDFS_v1, HDFS_v2, HDFS_v3? `logbert datasets list` shows all
    """  # noqa: E501
    by_case = {known.casefold(): dataset for known, dataset in all_sets().items()}
    if found := by_case.get(name.casefold()):
        return found
    near = difflib.get_close_matches(name.casefold(), by_case, n=3, cutoff=0.4)
    hint = f"did you mean {', '.join(sorted(by_case[key].name for key in near))}? " if near else ""
    raise OptionError(f"no data set is called {name!r}; {hint}`logbert datasets list` shows all")


def _dataset(name: str, entry: dict[str, Any], sources: dict[str, dict[str, str]]) -> Dataset:
    entry = dict(entry)
    source = sources[entry.pop("source")]
    own = entry.pop("citation", None)
    labels = entry.pop("labels", None)
    return Dataset(
        name=name,
        base=source["base"],
        page=source["page"],
        checksums=source["checksums"],
        licence=source["licence"],
        citations=(source["citation"],) if own is None else (own, source["citation"]),
        logs=tuple(entry.pop("logs")),
        labels=None if labels is None else _labels(dict(labels)),
        **entry,
    )


def _labels(entry: dict[str, Any]) -> Labels:
    of_first = entry.pop("of_first", None)
    known = Count(entry.pop("total"), entry.pop("abnormal")) if "total" in entry else None
    return Labels(known=known, known_of_first=None if of_first is None else Count(**of_first), **entry)
