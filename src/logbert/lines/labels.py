"""Labels that come in a file of their own: loghub's `anomaly_label.csv`, or one 0 or 1 a line."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from logbert.errors import InputError
from logbert.lines.streams import Intake, read_blocks

ABNORMAL = ("anomaly", "anomalous", "abnormal", "fail", "failure", "true", "yes", "1")
NORMAL = ("normal", "success", "false", "no", "0", "-")


def read_labels(path: str | Path) -> pl.DataFrame | pl.Series:
    """Read labels, of sequences by their ids or of lines by their order.

    Parameters
    ----------
    path
        A CSV file with an id and a label a row (loghub's `BlockId,Label` with `Normal` and `Anomaly`; the header may be
        missing), or a file with one 0 or 1 a line. Either may be packed.

    Returns
    -------
    DataFrame or Series
        For the first, a frame with the columns `id` and `abnormal`; for the second, a Boolean series `abnormal`.

    Raises
    ------
    InputError
        If the file is neither, or gives an id two labels that disagree.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "labels.csv"
    >>> _ = path.write_text("BlockId,Label\\nblk_1,Normal\\nblk_2,Anomaly\\n")
    >>> read_labels(path).rows()
    [('blk_1', False), ('blk_2', True)]
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such label file; give a CSV of ids and labels, or one 0 or 1 a line")
    text = b"".join(read_blocks(path, str(path), 1 << 24, Intake())).decode("utf-8", "replace")
    lines = pl.Series("line", text.splitlines(), dtype=pl.String).str.strip_chars()
    numbered = pl.DataFrame({"line": lines}).with_row_index("number", offset=1).filter(pl.col("line") != "")
    if numbered.is_empty():
        raise InputError(f"{path}: the label file is empty; give a CSV of ids and labels, or one 0 or 1 a line")
    if not numbered["line"].str.contains(",").any():
        return _one_a_line(path, numbered)
    return _by_id(path, numbered)


def _abnormal(column: str) -> pl.Expr:
    word = pl.col(column).str.to_lowercase()
    return pl.when(word.is_in(ABNORMAL)).then(True).when(word.is_in(NORMAL)).then(False)


def _one_a_line(path: Path, numbered: pl.DataFrame) -> pl.Series:
    judged = numbered.with_columns(_abnormal("line").alias("abnormal"))
    wrong = judged.filter(pl.col("abnormal").is_null())
    if len(wrong) == 1 and wrong["number"][0] == 1 and len(judged) > 1:  # a header
        judged, wrong = judged.slice(1), wrong.clear()
    if len(wrong):
        raise InputError(_say_wrong(path, wrong))
    return judged["abnormal"]


def _by_id(path: Path, numbered: pl.DataFrame) -> pl.DataFrame:
    # The label is the last cell: an id may hold commas itself.
    cells = numbered.with_columns(
        id=pl.col("line").str.extract(r"^(.*),[^,]*$").str.strip_chars(' "'),
        label=pl.col("line").str.extract(r",([^,]*)$").str.strip_chars(' "'),
    ).with_columns(_abnormal("label").alias("abnormal"))
    wrong = cells.filter(pl.col("abnormal").is_null())
    if len(wrong) and wrong["number"][0] == cells["number"][0]:  # a header
        cells, wrong = cells.slice(1), wrong.slice(1)
    if len(wrong):
        raise InputError(_say_wrong(path, wrong))
    labels = cells.select("id", "abnormal").unique(maintain_order=True)
    double = labels.filter(pl.col("id").is_duplicated())
    if len(double):
        raise InputError(f"{path}: {double['id'][0]!r} is labelled both normal and abnormal; give each id one label")
    return labels


def _say_wrong(path: Path, wrong: pl.DataFrame) -> str:
    line = wrong["line"][0]
    shown = line if len(line) <= 60 else line[:57] + "..."
    return (
        f"{path}: line {wrong['number'][0]} is no label: {shown!r}; "
        "write 0 or 1 a line, or an id, a comma and Normal or Anomaly"
    )
