"""Templates first met at detection: opened one by one, in order of appearance, as Drain does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from logbert.templates.grouping import FORMS
from logbert.templates.kinds import Kind, kinds_of
from logbert.templates.tokens import BETWEEN, HOLE, cut, form_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIMILARITY = 0.7
_MOST_IN_A_LEAF = 64
_LEAF_WORDS = 2
_TELLING = {int(Kind.SIGN), int(Kind.STATE)}


class Newcomers:
    """A tree of fixed depth over the templates that training did not see.

    A leaf holds the templates with the same number of tokens and the same first words. A message joins the most similar
    template of its leaf, if the share of equal words reaches the threshold and no word that tells events apart differs;
    what differs becomes a hole. Else it opens a template of its own.

    Parameters
    ----------
    first_key
        The key of the first template opened here.
    similarity
        The share of words that must be equal.

    References
    ----------
    He, P. et al. (2017). Drain: an online log parsing approach with fixed depth tree. ICWS.
    """

    def __init__(self, first_key: int, similarity: float = SIMILARITY) -> None:
        self.first_key = first_key
        self.similarity = similarity
        self.templates: list[list[str]] = []
        self._kinds: list[list[int]] = []
        self._leaves: dict[tuple[object, ...], list[int]] = {}

    def restore(self, forms: pl.Series) -> None:
        """Open templates again that were opened in an earlier run.

        Parameters
        ----------
        forms
            Their forms, in the order of their keys.
        """
        for tokens in form_tokens(forms).to_list():
            kinds = kinds_of(pl.Series(tokens, dtype=pl.String)).tolist()
            self._open(tokens, kinds, self._leaf(tokens, kinds))

    def forms(self) -> pl.DataFrame:
        """Give the form of each template, with the columns of `FORMS`."""
        forms = [BETWEEN.join(tokens) for tokens in self.templates]
        keys = range(self.first_key, self.first_key + len(forms))
        return pl.DataFrame({"key": keys, "form": forms, "spans": [False] * len(forms)}, schema=FORMS)

    def settle(self, masked: pl.Series) -> NDArray[np.int32]:
        """Give a key to each message in turn.

        Parameters
        ----------
        masked
            Masked messages that no known template fits.
        """
        if not len(masked):
            return np.zeros(0, dtype=np.int32)
        rows = cut(masked)
        unique = rows.explode().drop_nulls().unique()
        kind_of = dict(zip(unique.to_list(), kinds_of(unique).tolist(), strict=True))
        keys = [self._settle_one(tokens, [kind_of[token] for token in tokens]) for tokens in rows.to_list()]
        return np.array(keys, dtype=np.int32)

    def _settle_one(self, tokens: list[str], kinds: list[int]) -> int:
        leaf = self._leaf(tokens, kinds)
        best, best_score = -1, self.similarity
        for place in self._leaves.get(leaf, ()):
            score = self._similarity(place, tokens, kinds)
            if score > best_score or (score == best_score and best < 0):
                best, best_score = place, score
        if best < 0:
            best = self._open(tokens, kinds, leaf)
        else:
            self._widen(best, tokens)
        return self.first_key + best

    def _leaf(self, tokens: list[str], kinds: list[int]) -> tuple[object, ...]:
        words = [(i, tokens[i]) for i, kind in enumerate(kinds) if kind in (Kind.WORD, Kind.STATE)]
        return (len(tokens), *words[:_LEAF_WORDS])

    def _similarity(self, place: int, tokens: list[str], kinds: list[int]) -> float:
        equal = words = 0
        for theirs, their_kind, ours, kind in zip(
            self.templates[place], self._kinds[place], tokens, kinds, strict=True
        ):
            if theirs == ours:
                worded = kind in (Kind.WORD, Kind.STATE)
                equal += worded
                words += worded
            elif {kind, their_kind} & _TELLING:
                return 0.0
            elif kind < Kind.VALUE or their_kind < Kind.VALUE:
                words += 1
        return equal / words if words else 0.0

    def _widen(self, place: int, tokens: list[str]) -> None:
        template, kinds = self.templates[place], self._kinds[place]
        for i, (theirs, ours) in enumerate(zip(template, tokens, strict=True)):
            if theirs != ours:
                template[i] = " " + HOLE if theirs.startswith(" ") else HOLE
                kinds[i] = Kind.WILD

    def _open(self, tokens: list[str], kinds: list[int], leaf: tuple[object, ...]) -> int:
        self.templates.append(list(tokens))
        self._kinds.append(list(kinds))
        inhabitants = self._leaves.setdefault(leaf, [])
        if len(inhabitants) < _MOST_IN_A_LEAF:
            inhabitants.append(len(self.templates) - 1)
        return len(self.templates) - 1
