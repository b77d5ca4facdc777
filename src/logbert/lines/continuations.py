"""Which lines belong to the record before them: stack traces and other lines without a header of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from logbert.lines.layout import Rows

# Part of a stack trace or of a printed structure, in any of the usual languages.
TRACE = (
    r"^(?:\s+\S|[}\])]|Caused by\b|Suppressed:|Traceback \(most recent|During handling of the above|The above exception was|"
    r"\.\.\. \d+ (?:more|common)|--- End of |at \S+\(|goroutine \d+ \[|created by |\[signal |stack traceback:|"
    r"(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable|Failure|Interrupt)\b|[A-Z]\w*(?:Error|Exception|Warning)(?::|$)|"
    r"#\d+ |PHP Stack trace|File \"[^\"]+\", line \d+)"
)
# Begins as records do: a time, a syslog priority, a JSON object, an access log's address.
RECORD = (
    r"^(?:[\[(<\"]?(?:[A-Z]{4,8} )?(?:\d{4}[-/.]\d\d[-/.]\d\d[T _-]\d\d|\d{2}/\d\d/\d\d(?:\d\d)?,? \d\d:\d\d|\d{1,2}/[A-Z][a-z]{2}/\d{4}|"
    r"[A-Z][a-z]{2} [ \d]?\d (?:\d{4} )?\d\d:\d\d:\d\d|[A-Z][a-z]{2},? (?:[A-Z][a-z]{2} [ \d]\d|\d\d [A-Z][a-z]{2} \d{4}) |"
    r"\d\d:\d\d:\d\d[.,]\d|\d{6} \d{6} |\d{8}-\d{1,2}:\d{1,2}:|\d\d-\d\d \d\d:\d\d:\d\d|\d\d\.\d\d \d\d:\d\d:\d\d)|"
    r"<\d{1,3}>|\{\"|[IWEF]\d{4} \d\d:\d\d:\d\d|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3} \S+ \S+ \[)"
)
MOST_LINES = 1_000  # continuation lines whose text is kept in a record's message; the others are counted
MOST_TEXT = 1 << 18  # bytes of them, likewise


def begins(rows: Rows, joins: str) -> pl.Series:
    """Tell which lines of one source begin a record; its first line does so anyway.

    Parameters
    ----------
    rows
        What a format read.
    joins
        The format's rule, see `Format`.
    """
    if rows.fits.all() and not rows.inside.any():
        return rows.fits
    begin = ~rows.inside
    strange = (begin & ~rows.fits).arg_true()
    if joins == "none" or strange.is_empty():
        return begin
    lines = rows.table["message"].gather(strange)
    continues = lines.str.contains(TRACE)
    if joins == "all":
        continues |= ~lines.str.contains(RECORD)
    return begin.scatter(strange, ~continues)
