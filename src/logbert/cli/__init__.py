"""The command line: arguments, progress, printing; no logic."""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run `logbert`; errors a person can act on are one line on stderr and exit code 2."""
    debug = "--debug" in sys.argv
    if debug:
        sys.argv.remove("--debug")
    sys.unraisablehook = _unraisable
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _complain("interrupted; nothing half-written was left behind", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: that is no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        told = _told(error)
        if told is None or debug:
            raise
        code = _complain(told, 2)
    sys.exit(code)


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


def _told(error: Exception) -> str | None:
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
