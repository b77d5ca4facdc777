"""Labels that come in a file of their own: which sequences are abnormal."""

from __future__ import annotations

import polars as pl

from logbert.errors import InputError


def apply_labels(sequences: pl.DataFrame, labels: pl.DataFrame | pl.Series) -> tuple[pl.DataFrame, list[str]]:
    r"""Say of each sequence whether it is abnormal.

    Parameters
    ----------
    sequences
        A frame of sequences.
    labels
        Either a frame of two columns, the id of a sequence and whether it is abnormal; or a series of one truth a
        sequence, in their order. For the sequences of one text file the series may also have one truth a line, empty
        lines included.

    Returns
    -------
    tuple
        The sequences with their `label` (null where an id is not in the labels), and what the user should know, a
        sentence each.

    Examples
    --------
    >>> sequences = pl.DataFrame({"sequence": ["blk_1", "blk_2"], "keys": [[1], [2]], "label": [None, None]})
    >>> labelled, notes = apply_labels(sequences, pl.DataFrame({"id": ["blk_2", "blk_9"], "abnormal": [True, False]}))
    >>> labelled["label"].to_list(), notes
    ([None, True], ['1 of 2 sequences is not in the labels', '1 label is of no sequence here'])
    """
    if isinstance(labels, pl.Series):
        return sequences.with_columns(_in_order(sequences, labels).alias("label")), []
    return _by_id(sequences, labels)


def _by_id(sequences: pl.DataFrame, labels: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    table = labels.select(
        pl.nth(0).cast(pl.String).str.strip_chars().alias("sequence"), pl.nth(1).cast(pl.Boolean).alias("label")
    ).unique(maintain_order=True)
    contrary = table.filter(table["sequence"].is_duplicated())
    if len(contrary):
        raise InputError(f"the labels call {contrary['sequence'][0]!r} both normal and abnormal")
    labelled = sequences.drop("label", strict=False).join(table, on="sequence", how="left", maintain_order="left")
    unlabelled = labelled["label"].null_count()
    if unlabelled == len(sequences) and len(sequences):
        first = repr(table["sequence"][0]) if len(table) else "nothing"
        raise InputError(
            f"the labels name none of the {len(sequences):,} sequences; the first label is of {first}, "
            f"the first sequence is {sequences['sequence'][0]!r}"
        )
    unused = len(table) - table["sequence"].is_in(sequences["sequence"].implode()).sum()
    notes = []
    if unlabelled:
        notes.append(f"{unlabelled:,} of {len(sequences):,} sequences {_is(unlabelled)} not in the labels")
    if unused:
        notes.append(f"{unused:,} label{'s are' if unused > 1 else ' is'} of no sequence here")
    return labelled.select(sequences.columns if "label" in sequences.columns else labelled.columns), notes


def _in_order(sequences: pl.DataFrame, labels: pl.Series) -> pl.Series:
    truths = labels.cast(pl.Boolean)
    if len(truths) == len(sequences):
        return truths
    lines = sequences["sequence"].cast(pl.Int64, strict=False)
    last = lines.max()
    if not lines.null_count() and isinstance(last, int) and len(sequences) < last <= len(truths):
        return truths.gather(lines - 1)
    raise InputError(
        f"there are {len(truths):,} labels, one a line, for {len(sequences):,} sequences; give one for each"
    )


def _is(count: int) -> str:
    return "are" if count > 1 else "is"
