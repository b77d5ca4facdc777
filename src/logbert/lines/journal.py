"""The journal's export format: `KEY=value` lines, an empty line after each entry."""

from __future__ import annotations

from typing import Any

import polars as pl

from logbert.lines.layout import INSIDE, MATCHED

FIELDS = {
    "__REALTIME_TIMESTAMP": "time",
    "PRIORITY": "level",
    "_HOSTNAME": "host",
    "SYSLOG_IDENTIFIER": "app",
    "_PID": "pid",
    "_SYSTEMD_UNIT": "unit",
    "_COMM": "command",
    "_TRANSPORT": "transport",
    "MESSAGE": "message",
}
_KEY = r"^([A-Z_][A-Z0-9_]*)="
LONGEST_ENTRY = 10_000  # lines an entry may wait for its end
_BARE = r"^[A-Z_][A-Z0-9_]*$"


class JournalExport:
    r"""Entries of several lines each; the entry begins at its first line.

    >>> lines = pl.Series(["__CURSOR=s=1", "__REALTIME_TIMESTAMP=1700000000000000", "MESSAGE=up", "", "MESSAGE=down"])
    >>> JournalExport().take_apart(lines)["message"].to_list()
    ['up', None, None, None, 'down']
    """

    kind = "journal"
    text = "journal export"
    fields = tuple(FIELDS.values())
    content = "message"

    def take_apart(self, lines: pl.Series) -> pl.DataFrame:
        """Give the fields of each entry on its first line."""
        table = pl.DataFrame({"line": lines}).with_row_index("at").lazy()
        blank = pl.col("line") == ""
        table = table.with_columns(
            key=pl.col("line").str.extract(_KEY), bare=pl.col("line").str.contains(_BARE), entry=blank.cum_sum()
        )
        # A value of several lines stands after its bare key, behind eight bytes of length that NUL removal has thinned.
        key = pl.coalesce("key", pl.when("bare").then("line")).forward_fill().over("entry")
        value = pl.when(pl.col("key").is_not_null()).then(pl.col("line").str.splitn("=", 2).struct.field("field_1"))
        table = table.with_columns(
            owner=key, value=value.otherwise(pl.when(~pl.col("bare") & ~blank).then(pl.col("line")))
        )
        filled = table.filter(~blank)
        entries = filled.group_by("entry", maintain_order=True).agg(
            pl.col("at").first(),
            pl.col("owner").eq("MESSAGE").any().alias(MATCHED),
            *(
                pl.col("value").filter(pl.col("owner") == key).drop_nulls().str.join("\n").alias(name)
                for key, name in FIELDS.items()
            ),
        )
        entries = entries.with_columns(pl.col(name).replace("", None) for name in FIELDS.values() if name != "message")
        entries = entries.with_columns(message=pl.col("message").str.replace(r"^[\x00-\x1f␀]{1,8}", ""))
        return (
            table.select("at")
            .join(entries.drop("entry"), on="at", how="left", maintain_order="left")
            .with_columns(pl.col(MATCHED).is_null().alias(INSIDE), pl.col(MATCHED).fill_null(False))
            .with_columns(pl.when(MATCHED).then("message").alias("message"))
            .select(*self.fields, MATCHED, INSIDE)
            .collect()
        )

    def unfinished(self, lines: pl.Series) -> int:
        """Count the lines after the last empty one: their entry may go on."""
        return int((lines == "").reverse().arg_max() or 0) if (lines == "").any() else min(len(lines), LONGEST_ENTRY)

    def state(self) -> dict[str, Any]:
        """Give what a saved format holds of it."""
        return {"kind": self.kind}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> JournalExport:
        """Make it again."""
        return cls()
