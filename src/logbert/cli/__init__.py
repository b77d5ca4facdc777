"""The command line: arguments, progress, printing; no logic."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run `logbert`; errors a person can act on are one line on stderr and exit code 2."""
    debug = "--debug" in sys.argv
    if debug:
        sys.argv.remove("--debug")
    sys.unraisablehook = _unraisable
    with _CtrlC() as ctrl_c:
        try:
            code = _run(sys.argv[1:])
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of our output (head, less) has gone: that is no error of ours.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = 0
        except BaseException as error:
            told = _told(error)
            if told is not None and not debug:
                code = _complain(told, 2)
            elif isinstance(error, KeyboardInterrupt) or ctrl_c.heard:
                code = _complain("interrupted; nothing half-written was left behind", INTERRUPTED)
            else:
                raise
    sys.exit(code)


class _CtrlC:
    """Remembers a Ctrl-C: what it interrupts may make another exception of it, as native code does of a callback's."""

    heard = False

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        self._listens = (
            self._before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
        )
        if self._listens:
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self._listens:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, _: int, __: FrameType | None) -> None:
        self.heard = True
        raise KeyboardInterrupt


def _run(arguments: list[str]) -> int:
    """Run a command; give its exit code."""
    import typer.main

    from logbert.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a log may hold what the terminal's encoding has no sign for
    command = typer.main.get_command(app)
    try:
        with command.make_context("logbert", arguments) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return 0


def _told(error: BaseException) -> str | None:
    """Put an error that a person can act on into one line; None for what is a fault of ours."""
    import typer

    from logbert.errors import LogbertError

    if isinstance(error, LogbertError):
        return str(error)
    # What typer and click complain of: a missing option, an unknown command.
    usage = typer.BadParameter.__base__
    if usage is not None and isinstance(error, usage):
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "logbert"
        said = " ".join(str(getattr(error, "message", error)).split()) or "what shall it do?"
        if type(error).__name__ == "NoArgsIsHelpError":
            said = "no command was given."
        elif hasattr(error, "format_message"):
            said = " ".join(error.format_message().split())
        return f"{said.rstrip('.')}; see {path} --help"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else "cannot write the output: "
        return f"{where}{error.strerror}"
    return None


def _complain(text: str, code: int) -> int:
    print(f"logbert: {text}", file=sys.stderr)
    return code


def _unraisable(fault: sys.UnraisableHookArgs) -> None:
    """Say nothing of a Ctrl-C that came while something was being cleared away."""
    if not issubclass(fault.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(fault)
