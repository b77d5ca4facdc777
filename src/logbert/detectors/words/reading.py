"""From a template's text to the words in it, as a reader sees them."""

from __future__ import annotations

import re

VALUE = "<*>"  # stands for whatever was masked
STOPS = frozenset(".;!?\n|,:=()[]{}-\"'")  # where what came before stops bearing on what follows
MOST_CHARACTERS = 4000  # what a message has to say it says by then

_TOKEN = re.compile(
    r"<[^<>\s]{0,40}>"  # a mask
    r"|0[xX][0-9a-fA-F]+|\d+(?:[.,:]\d+)*"  # a number
    r"|[^\W\d_]+(?:['\u2019][^\W\d_]+)?"  # a word, perhaps with an apostrophe
    r"|[.;!?\n|,:=()\[\]{}\"']|\s-+\s|\s--"  # a stop
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words_of(text: str) -> list[str]:
    """Split a text into lower-case words, values and stops.

    CamelCase, snake_case and dotted names are taken apart; a number is a value, except the number 0, which says "none".

    Examples
    --------
    >>> words_of("java.net.ConnectionRefusedException: node_failed after <*> tries")
    ['java', '.', 'net', '.', 'connection', 'refused', 'exception', ':', 'node', 'failed', 'after', '<*>', 'tries']
    >>> words_of("couldn't read 17 of eth0, errors=0")
    ['couldn', 't', 'read', '<*>', 'of', 'eth', ',', 'errors', '=', '0']
    """
    found: list[str] = []
    text = text[:MOST_CHARACTERS]
    for match in _TOKEN.finditer(text):
        piece = match.group()
        first = piece[0]
        if first == "<" or first.isdigit():
            glued = match.start() > 0 and (text[match.start() - 1].isalnum() or text[match.start() - 1] == "_")
            if not glued:
                found.append("0" if piece == "0" else VALUE)
        elif first.isalpha():
            found += [part.lower() for word in re.split("['\u2019]", piece) for part in _CAMEL.split(word)]
        else:
            found.append(piece.strip()[:1])
    return found


def is_stop(word: str) -> bool:
    """Say whether a word of `words_of` is a stop."""
    return word in STOPS
