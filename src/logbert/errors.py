"""Errors that a person can act on."""

from __future__ import annotations


class LogbertError(Exception):
    """Something the user can put right: says what is wrong, where, and what to do, in one line.

    The command line prints the message on stderr and exits with 2; `--debug` shows the traceback.
    """


class InputError(LogbertError):
    """An input cannot be read, or holds nothing to work on."""


class OptionError(LogbertError):
    """An option's value makes no sense; the message quotes it and shows one that would."""


class ModelError(LogbertError):
    """A model directory is missing, damaged, or of a version this logbert does not know."""


class OutputError(LogbertError):
    """An output cannot be written: no room, no permission, no such place."""
