"""The command line: arguments, progress, printing; no logic."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Run `logbert`; errors a person can act on are one line on stderr and exit code 2."""
    from logbert.cli.app import app
    from logbert.errors import LogbertError

    debug = "--debug" in sys.argv
    if debug:
        sys.argv.remove("--debug")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a log may hold what the terminal's encoding has no sign for
    try:
        app()
    except LogbertError as error:
        if debug:
            raise
        print(f"logbert: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("logbert: interrupted; nothing half-written was left behind", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: that is no error of ours.
        sys.stderr.close()
        sys.exit(0)
