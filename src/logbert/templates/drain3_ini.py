r"""The masks of a `drain3.ini`, as masks of ours.

Drain3 guards its masks with look-around, which a fast regex engine has not. The guard its examples use, "no letter or
digit beside it", is read as the word boundary `\b`; a mask that looks around in another way is refused by name.
"""

from __future__ import annotations

import configparser
import json
import re
from typing import TYPE_CHECKING

from logbert.errors import InputError, OptionError

if TYPE_CHECKING:
    from pathlib import Path

_BEFORE = re.compile(r"\(+\?<=\[\^A-Za-z0-9_?\]\)\|\^\)|\(\?<!\[A-Za-z0-9_?\]\)|\(\?<!\\w\)")
_AFTER = re.compile(r"\(+\?=\[\^A-Za-z0-9_?\]\)\|\$\)|\(\?!\[A-Za-z0-9_?\]\)|\(\?!\\w\)")


def read_drain3_ini(path: Path) -> list[tuple[str, str]]:
    """Read the masking section.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    names and regexes
        In the order of the file; a name that comes again gets a number.
    """
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
        written = parser.get("MASKING", "masking")
    except OSError as error:
        raise InputError(f"{path}: cannot read the masks: {error.strerror or error}") from None
    except (configparser.NoSectionError, configparser.NoOptionError):
        raise InputError(f"{path}: there is no 'masking' in a [MASKING] section; is it a drain3.ini?") from None
    except (configparser.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not an ini file: {str(error).splitlines()[0]}") from None
    try:
        entries = [(str(entry["mask_with"]), str(entry["regex_pattern"])) for entry in json.loads(written)]
    except (ValueError, TypeError, KeyError):
        raise InputError(
            f"{path}: 'masking' must be a JSON list of objects with regex_pattern and mask_with, as drain3 reads it"
        ) from None
    return _named(entries, path)


def _named(entries: list[tuple[str, str]], path: Path) -> list[tuple[str, str]]:
    seen: dict[str, int] = {}
    masks = []
    for label, regex in entries:
        name = re.sub(r"\W+", "_", label.strip("<>: ").lower()).strip("_") or "mask"
        name = name if name[0].isalpha() else f"mask_{name}"
        seen[name] = seen.get(name, 0) + 1
        plain = without_guards(regex)
        if re.search(r"\(\?<?[=!]", plain):
            raise OptionError(f"{path}: mask {label!r}: {regex!r} uses look-around other than drain3's usual guard")
        masks.append((name if seen[name] == 1 else f"{name}_{seen[name]}", plain))
    return masks


def without_guards(regex: str) -> str:
    r"""Write drain3's guards as word boundaries.

    Parameters
    ----------
    regex
        As a drain3.ini has it.

    Examples
    --------
    >>> without_guards(r"((?<=[^A-Za-z0-9])|^)(0x[a-f0-9A-F]+)((?=[^A-Za-z0-9])|$)")
    '\\b(0x[a-f0-9A-F]+)\\b'
    """
    return _AFTER.sub(lambda _: r"\b", _BEFORE.sub(lambda _: r"\b", regex))
