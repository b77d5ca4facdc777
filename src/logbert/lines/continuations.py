"""Which lines belong to the record before them: stack traces and other lines without a header of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from logbert.lines.layout import Rows

# Part of a stack trace or of a printed structure, in any of the usual languages.
TRACE = (
    r"^(?:\s+\S|[}\])]|Caused by\b|Suppressed:|\.\.\. \d+ (?:more|common)|at \S+\(|"
    r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable|Failure|Interrupt)\b|"
    r"Traceback \(most recent|During handling of the above|The above exception was|File \"[^\"]+\", line \d+|"
    r"[A-Z]\w*(?:Error|Exception|Warning)(?::|$)|"
    r"goroutine \d+ \[|created by |\[signal |stack traceback:|--- End of |#\d+ |PHP Stack trace)"
)
# Begins as records do: with a time, a syslog priority, a JSON object, an access log's address.
RECORD = (
    r"^(?:[\[(<\"]?(?:[A-Z]{4,8} )?(?:"
    r"\d{4}[-/.]\d\d[-/.]\d\d[T _-]\d\d|\d{2}/\d\d/\d\d(?:\d\d)?,? \d\d:\d\d|\d{1,2}/[A-Z][a-z]{2}/\d{4}|"
    r"[A-Z][a-z]{2} [ \d]?\d (?:\d{4} )?\d\d:\d\d:\d\d|"
    r"[A-Z][a-z]{2},? (?:[A-Z][a-z]{2} [ \d]\d|\d\d [A-Z][a-z]{2} \d{4}) |"
    r"\d\d:\d\d:\d\d[.,]\d|\d{6} \d{6} |\d{8}-\d{1,2}:\d{1,2}:|\d\d-\d\d \d\d:\d\d:\d\d|\d\d\.\d\d \d\d:\d\d:\d\d)|"
    r"<\d{1,3}>|\{\"|[IWEF](?:\d{4}){1,2} \d\d:\d\d:\d\d|[A-Z], \[\d{4}-\d\d-\d\dT|"
    r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3} \S+ \S+ \[)"
)
MOST_LINES = 1_000  # continuation lines whose text is kept in a record's message; the others are counted
MOST_TEXT = 1 << 18  # bytes of them, likewise


def begins(rows: Rows, joins: str, headless: bool = False) -> pl.Series:
    """Tell which lines of one source begin a record; its first line does so anyway.

    Parameters
    ----------
    rows
        What a format read.
    joins
        The format's rule, see `Format`.
    headless
        Whether the format has no header, so that every line fits.
    """
    begin = ~rows.inside
    if joins == "none" or (rows.fits.all() and not headless):
        return begin
    strange = (begin if headless else begin & ~rows.fits).arg_true()
    lines = rows.table["message"].gather(strange)
    continues = lines.str.contains(TRACE)
    if joins == "all":
        continues |= ~lines.str.contains(RECORD)
    return begin.scatter(strange, ~continues)
