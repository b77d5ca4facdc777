"""Messages to log keys, and the table of templates behind the keys."""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from logbert.errors import OptionError
from logbert.templates.codebook import MOST_MESSAGES, Codebook
from logbert.templates.grouping import FORMS, group_messages
from logbert.templates.masks import Masks
from logbert.templates.matching import Matcher
from logbert.templates.newcomers import Newcomers
from logbert.templates.parameters import parameters
from logbert.templates.patterns import Evidence
from logbert.templates.storage import Stored, read_templates, write_templates
from logbert.templates.tokens import form_texts

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Templates:
    """The templates of a log.

    Messages are first coded (`encode`), batch by batch: one code a distinct masked message. Codes become log keys in
    one of two ways. `learn` looks at all messages at once, whatever their order, and is for training. `follow` is for
    detection: what matches a known template gets its key, by that message alone; anything else opens a new template
    with the next free key, in order of appearance. A key once given to a message never changes.

    Works when most messages are fixed wording around values. Free prose is kept apart rather than forced together:
    each sentence becomes a template of its own.

    Parameters
    ----------
    masks
        What is a value by its looks; the default masks if not given.
    evidence
        How many different words in one place make it a wildcard.
    most_messages
        How many distinct masked messages are told apart. Beyond that, a new one is still given the key of the learnt
        template it fits, but all others that begin with the same two words share one template, which ends in `…`.

    Examples
    --------
    >>> templates = Templates()
    >>> codes = templates.encode(pl.Series(["read 3 blocks", "read 7 blocks", "link eth0 down", "read 3 blocks"]))
    >>> templates.learn()
    >>> templates.keys(codes).to_list()
    [0, 0, 1, 0]
    >>> templates.table["template"].to_list()
    ['read <*> blocks', 'link eth<*> down']
    >>> templates.follow()
    >>> templates.keys(templates.encode(pl.Series(["read 9 blocks"]))).to_list()
    [0]

    References
    ----------
    He, P. et al. (2017). Drain: an online log parsing approach with fixed depth tree. ICWS.
    """

    def __init__(
        self, masks: Masks | None = None, evidence: Evidence | None = None, most_messages: int = MOST_MESSAGES
    ) -> None:
        self.masks = Masks.default() if masks is None else masks
        self.evidence = evidence or Evidence()
        self._book = Codebook(self.masks, most_messages, self._known_codes)
        self._key_of_code = np.zeros(0, dtype=np.int32)
        self._counts_before = np.zeros(0, dtype=np.int64)
        self._examples = pl.Series("example", [], dtype=pl.String)
        self._texts = pl.Series("template", [], dtype=pl.String)
        self._forms = pl.DataFrame(schema=FORMS)
        self._newcomers = Newcomers(0)
        self._matcher: Matcher | None = None

    def __len__(self) -> int:
        return len(self._texts) + len(self._newcomers.templates)

    @property
    def learnt(self) -> int:
        """How many keys `learn` has seen to; larger keys were opened by `follow` since."""
        return len(self._texts)

    def encode(self, messages: pl.Series, alike: pl.Series | None = None) -> pl.Series:
        """Give each message a code: one number a distinct masked message, in order of first appearance.

        Parameters
        ----------
        messages
            One batch of messages.
        alike
            The column `ALIKE` of their records, if the reader was asked for it: saves masking each of them.

        Returns
        -------
        UInt32 codes
            Each is counted as one more record.
        """
        return self._book.encode(messages, alike)

    def learn(self) -> None:
        """Settle all open codes with all of their messages in view.

        What matches a template known from before gets its key; the rest is grouped, and the new templates are numbered
        by first appearance.
        """
        masked, keys = self._open()
        self._adopt_newcomers()
        keys[:] = self._known(masked)
        rest = np.flatnonzero(keys < 0)
        if len(rest):
            found = group_messages(masked.gather(rest), self.evidence)
            keys[rest] = self.learnt + found.keys
            self._adopt(found.texts, found.forms.with_columns(pl.col("key") + self.learnt))
        self._newcomers = Newcomers(self.learnt)
        self._settle(keys)

    def follow(self) -> None:
        """Settle all open codes one by one, in order of appearance, leaving the learnt templates as they are."""
        masked, keys = self._open()
        keys[:] = self._known(masked)
        rest = np.flatnonzero(keys < 0)
        keys[rest] = self._newcomers.settle(masked.gather(rest))
        self._settle(keys)

    def keys(self, codes: pl.Series) -> pl.Series:
        """Give the log key of each code.

        Parameters
        ----------
        codes
            What `encode` returned; settled by `learn` or `follow` since.

        Returns
        -------
        Int32 keys
        """
        places = codes.to_numpy()
        if len(places) and int(places.max()) >= len(self._key_of_code):
            raise OptionError("some messages have no log key yet; call learn() or follow() after encode()")
        return pl.Series("key", self._key_of_code[places], dtype=pl.Int32)

    @property
    def key_of_code(self) -> NDArray[np.int32]:
        """The key of every settled code, as an array to index with codes."""
        return self._key_of_code

    @property
    def table(self) -> pl.DataFrame:
        """One row a template: `key`, `template`, `count` of records so far, and the first message as `example`."""
        counts = np.zeros(len(self), dtype=np.int64)
        counts[: len(self._counts_before)] = self._counts_before
        np.add.at(counts, self._key_of_code, self._book.counts[: len(self._key_of_code)])
        return pl.DataFrame(
            {
                "key": pl.Series(range(len(self)), dtype=pl.Int32),
                "template": self._all_texts(),
                "count": pl.Series(counts, dtype=pl.Int64),
                "example": self._examples,
            }
        )

    @property
    def texts(self) -> pl.Series:
        """The text of each template, by its key."""
        return self._all_texts()

    def masked(self, start: int = 0) -> pl.Series:
        """Give the distinct masked messages, by their codes, from code `start` on."""
        return self._book.masked(start)

    @property
    def event_ids(self) -> pl.Series:
        """The first eight hex digits of the MD5 of each template, as loghub names its events."""
        ids = [md5(text.encode(), usedforsecurity=False).hexdigest()[:8] for text in self._all_texts()]
        return pl.Series("event_id", ids, dtype=pl.String)

    def parameters(self, messages: pl.Series, keys: pl.Series) -> pl.Series:
        """Give what stood at the wildcards of each message, in the words of the message.

        Parameters
        ----------
        messages
            Raw messages.
        keys
            The log key of each.

        Returns
        -------
        List(String)
            As many texts as the template has wildcards.
        """
        return parameters(messages, keys, self._all_texts().to_list(), self.masks)

    def save(self, folder: Path) -> None:
        """Write templates, keys and masks to a folder.

        Parameters
        ----------
        folder
            Made if it is not there.
        """
        settled = len(self._key_of_code)
        write_templates(
            folder,
            Stored(
                masks=self.masks,
                evidence=self.evidence,
                learnt=self.learnt,
                most_messages=self._book.most,
                table=self.table,
                forms=pl.concat([self._forms, self._newcomers.forms()]),
                messages=pl.DataFrame({"masked": self._book.masked()[:settled], "key": self._key_of_code}),
            ),
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read back what `save` wrote.

        Parameters
        ----------
        folder
            Where it is.
        """
        stored = read_templates(folder)
        templates = cls(stored.masks, stored.evidence, stored.most_messages)
        learnt = pl.col("key") < stored.learnt
        templates._texts = stored.table["template"].head(stored.learnt)
        templates._forms = stored.forms.filter(learnt)
        templates._newcomers = Newcomers(stored.learnt)
        templates._newcomers.restore(stored.forms.filter(~learnt)["form"])
        templates._counts_before = stored.table["count"].to_numpy()
        templates._examples = stored.table["example"]
        templates._book.restore(stored.messages["masked"])
        templates._key_of_code = stored.messages["key"].to_numpy().copy()
        return templates

    def _all_texts(self) -> pl.Series:
        return pl.concat([self._texts, form_texts(self._newcomers.forms()["form"]).alias("template")])

    def _adopt_newcomers(self) -> None:
        if self._newcomers.templates:
            forms = self._newcomers.forms()
            self._adopt(form_texts(forms["form"]), forms)

    def _adopt(self, texts: pl.Series, forms: pl.DataFrame) -> None:
        self._texts = pl.concat([self._texts, texts.alias("template")])
        self._forms = pl.concat([self._forms, forms])
        self._matcher = None

    def _known(self, masked: pl.Series) -> NDArray[np.int32]:
        """Give the keys of messages that learnt templates fit, -1 for the others."""
        if self._matcher is None:
            self._matcher = Matcher(self._forms)
        return self._matcher.match(masked)

    def _known_codes(self, masked: pl.Series) -> NDArray[np.int64]:
        """Give the first code of the learnt template each message fits, -1 for the others."""
        keys = self._known(masked)
        settled, first = np.unique(self._key_of_code, return_index=True)
        code_of = np.full(max(len(self), 1), -1, dtype=np.int64)
        code_of[settled] = first
        return np.where(keys >= 0, code_of[keys], -1)

    def _open(self) -> tuple[pl.Series, NDArray[np.int32]]:
        masked = self._book.masked(len(self._key_of_code))
        return masked, np.full(len(masked), -1, dtype=np.int32)

    def _settle(self, keys: NDArray[np.int32]) -> None:
        self._key_of_code = np.concatenate([self._key_of_code, keys])
        examples = self._book.take_examples()
        found, first = np.unique(keys, return_index=True)
        new = examples.gather(first[found >= len(self._examples)])
        self._examples = pl.concat([self._examples, new.alias("example")])
