"""Whether a message is one of the templates already known, told from the message and the templates alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.kinds import Kind, kinds_of
from logbert.templates.tokens import HOLE, by_length, cut, cut_spans, form_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_VALUE = np.uint64(0xA0761D6478BD642F)
_PLACE = np.uint64(0xE7037ED1A0B428DB)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class _Shape:
    """The templates of one length with holes in the same places, by the hash of all else."""

    places: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    keys: NDArray[np.int32]


class Matcher:
    """Finds the template of a message.

    A message is of a template if they have as many tokens, the same wording, and values where the template has
    values; where it has holes any word will do. Of several templates the one with the fewest holes is taken, then the
    oldest. Templates merged from messages of different length are tried last, piece by piece between blanks.

    Parameters
    ----------
    forms
        The forms of all templates, with the columns of `FORMS`.
    """

    def __init__(self, forms: pl.DataFrame) -> None:
        self._narrow = _shapes(forms, spans=False)
        self._wide = _shapes(forms, spans=True)

    def match(self, masked: pl.Series) -> NDArray[np.int32]:
        """Give the key of each masked message, -1 where no template fits.

        Parameters
        ----------
        masked
            Distinct masked messages.
        """
        keys = np.full(len(masked), -1, dtype=np.int32)
        if self._narrow and len(masked):
            _match(keys, cut(masked), self._narrow, spans=False)
        left = np.flatnonzero(keys < 0)
        if self._wide and len(left):
            found = keys[left]
            _match(found, cut_spans(masked.gather(left)), self._wide, spans=True)
            keys[left] = found
        return keys


def _shapes(forms: pl.DataFrame, *, spans: bool) -> dict[int, list[_Shape]]:
    chosen = forms.filter(pl.col("spans") == spans)
    keys = chosen["key"].to_numpy()
    shapes: dict[int, list[_Shape]] = {}
    for rows, matrix, kinds in _matrices(form_tokens(chosen["form"])):
        holes = np.isin(matrix, _HOLE_HASHES)
        cells = _cells(matrix, kinds, spans=spans)
        cells[holes] = 0
        distinct, shape_of = np.unique(holes, axis=0, return_inverse=True)
        hashes = cells.sum(axis=1, dtype=np.uint64)
        found = [
            _shape(np.flatnonzero(shape), hashes[shape_of == i], keys[rows[shape_of == i]])
            for i, shape in enumerate(distinct)
        ]
        shapes[matrix.shape[1]] = sorted(found, key=lambda shape: (len(shape.places), *shape.places))
    return shapes


def _shape(places: NDArray[np.int64], hashes: NDArray[np.uint64], keys: NDArray[np.int32]) -> _Shape:
    unique, first = np.unique(hashes, return_index=True)
    return _Shape(places, unique, keys[first])


def _match(keys: NDArray[np.int32], tokens: pl.Series, shapes: dict[int, list[_Shape]], *, spans: bool) -> None:
    """Fill in the keys of messages that fit."""
    for rows, matrix, kinds in _matrices(tokens):
        if matrix.shape[1] not in shapes:
            continue
        cells = _cells(matrix, kinds, spans=spans)
        whole = cells.sum(axis=1, dtype=np.uint64)
        for shape in shapes[matrix.shape[1]]:
            left = np.flatnonzero(keys[rows] < 0)
            if not len(left):
                break
            places = shape.places
            hashes = whole[left] - cells[np.ix_(left, places)].sum(axis=1, dtype=np.uint64)
            spot = np.minimum(np.searchsorted(shape.hashes, hashes), len(shape.hashes) - 1)
            fits = (shape.hashes[spot] == hashes) & (kinds[np.ix_(left, places)] != Kind.SIGN).all(axis=1)
            keys[rows[left[fits]]] = shape.keys[spot[fits]]


def _cells(matrix: NDArray[np.uint64], kinds: NDArray[np.int8], *, spans: bool) -> NDArray[np.uint64]:
    """Hash every token with its place: what is left of a row when places are taken out is a sum.

    All values are alike, but not in pieces between blanks, which hold wording beside the value.
    """
    place = np.arange(matrix.shape[1], dtype=np.uint64) * _PLACE
    loose = np.full(kinds.shape, fill_value=False) if spans else kinds >= Kind.VALUE
    loose[:, :1] &= kinds[:, :1] == Kind.WILD
    worded = ((kinds == Kind.WORD) | (kinds == Kind.STATE)).any(axis=1)
    x: NDArray[np.uint64] = np.where(loose & worded[:, None], _VALUE, matrix) + place
    x = (x ^ (x >> np.uint64(30))) * _MIX
    return x ^ (x >> np.uint64(27))


def _matrices(tokens: pl.Series) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int8]]]:
    flat = tokens.explode().drop_nulls()
    unique = flat.unique()
    kinds = flat.replace_strict(unique, kinds_of(unique), return_dtype=pl.Int8)
    for (rows, matrix), (_, kind) in zip(by_length(tokens, flat.hash()), by_length(tokens, kinds), strict=True):
        yield rows, matrix, kind


_HOLE_HASHES = pl.Series([HOLE, " " + HOLE]).hash().to_numpy()
