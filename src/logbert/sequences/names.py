"""The names that sequence files give their keys, and the numbers that stand for them here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from logbert.errors import InputError, ModelError

if TYPE_CHECKING:
    from pathlib import Path

# Names in the order a person would list them: E2 before E10, numbers by value.
_STEM = pl.col("name").str.extract(r"^(?s:(.*?))(?:\d{1,18})?$", 1)
_NUMBER = pl.col("name").str.extract(r"(\d{1,18})$", 1).cast(pl.Int64)
# loghub's templates say E5 where logdeep's and LogBERT's sequences say 5.
_PLAIN = pl.col("name").str.replace(r"^E(\d+)$", "$1")


class KeyNames:
    """Names of keys (`E5`, `5`, any word) and the number of each.

    A name once numbered keeps its number; new names get the numbers after it. Names that arrive together are numbered
    in their natural order, so the order of files and lines changes nothing.

    Parameters
    ----------
    names
        The names known already; the number of each is its place.

    Examples
    --------
    >>> names = KeyNames()
    >>> names.encode(pl.Series(["E22", "E5", "E22"])).to_list()
    [1, 0, 1]
    >>> later = names.copy()
    >>> later.encode(pl.Series(["E9", "E5"])).to_list(), len(names)
    ([2, 0], 2)
    >>> names.name(1), names.name(99)
    ('E22', 'key 99')
    """

    def __init__(self, names: pl.Series | None = None) -> None:
        self._names = pl.Series("name", [] if names is None else names, dtype=pl.String)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._names)

    def copy(self) -> KeyNames:
        """Give the same names again, to grow without changing these."""
        return KeyNames(self._names)

    def name(self, key: int) -> str:
        """Give the name of a key."""
        return str(self._names[key]) if 0 <= key < len(self._names) else f"key {key}"

    @property
    def table(self) -> pl.DataFrame:
        """The names and their keys, as a frame (key, name)."""
        return pl.DataFrame({"key": pl.int_range(len(self._names), dtype=pl.Int32, eager=True), "name": self._names})

    def encode(self, names: pl.Series) -> pl.Series:
        """Give the key of each name; names not known yet are added."""
        given = pl.DataFrame({"name": names.cast(pl.String)})
        fresh = given.unique().join(self.table, on="name", how="anti").drop_nulls()
        if len(fresh):
            fresh = fresh.sort(_STEM, _NUMBER, "name", nulls_last=True)
            self._names = pl.concat([self._names, fresh["name"]])
        return given.join(self.table, on="name", how="left", maintain_order="left")["key"]

    def decode(self, keys: pl.Series) -> pl.Series:
        """Give the name of each key; a key without one is named by its number."""
        given = pl.DataFrame({"key": keys.cast(pl.Int32)})
        named = given.join(self.table, on="key", how="left", maintain_order="left")
        return named.select(pl.col("name").fill_null(pl.format("key {}", "key")))["name"]

    def texts(self, path: Path) -> pl.DataFrame:
        """Find the text of each key in a file of templates.

        Parameters
        ----------
        path
            A CSV with the columns `EventId` and `EventTemplate`. An id is matched as it stands, else `E5` matches `5`.

        Returns
        -------
        pl.DataFrame
            One row a name: `key`, `name`, `template` (null where the file has none).
        """
        known = read_templates(path)
        plain = known.rename({"template": "plain_template"}).with_columns(_PLAIN.alias("plain")).drop("name")
        return (
            self.table.join(known, on="name", how="left", maintain_order="left")
            .with_columns(_PLAIN.alias("plain"))
            .join(
                plain.unique("plain", keep="first", maintain_order=True), on="plain", how="left", maintain_order="left"
            )
            .select("key", "name", pl.coalesce("template", "plain_template").alias("template"))
        )

    def state(self) -> dict[str, Any]:
        """Give the names as what JSON can hold."""
        return {"names": self._names.to_list()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> KeyNames:
        """Make the names again from what `state` gave."""
        names = state.get("names")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ModelError("the model's key names are damaged: there is no list of names; train it again")
        if len(set(names)) < len(names):
            raise ModelError("the model's key names are damaged: a name occurs twice; train it again")
        return cls(pl.Series(names, dtype=pl.String))


def read_templates(path: Path) -> pl.DataFrame:
    """Read a file of templates (`EventId,EventTemplate`) as a frame (name, template); of equal ids the first counts."""
    try:
        table = pl.read_csv(path, infer_schema=False, encoding="utf8-lossy")
    except OSError as error:
        raise InputError(f"cannot read the templates {path}: {error.strerror or error}") from error
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path} is no CSV of templates: {str(error).splitlines()[0]}") from error
    table = table.rename({name: name.strip().strip("\ufeff") for name in table.columns})
    missing = {"EventId", "EventTemplate"} - set(table.columns)
    if missing:
        raise InputError(
            f"{path} must have the columns EventId and EventTemplate; it has {', '.join(table.columns) or 'none'}"
        )
    return (
        table.select(pl.col("EventId").str.strip_chars().alias("name"), pl.col("EventTemplate").alias("template"))
        .drop_nulls("name")
        .unique("name", keep="first", maintain_order=True)
    )
