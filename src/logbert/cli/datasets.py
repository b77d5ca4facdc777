"""`logbert datasets`: the public log sets listed, fetched, verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from logbert.datasets import Got, Verdict

WRONG = 1  # exit code of `verify` if something is wrong
INTERRUPTED = 130

datasets = typer.Typer(
    help="Public log sets: which there are, fetched with one command, verified.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A set, as `logbert datasets list` names it.")]
Data = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads it at run time
    typer.Option("--data", metavar="DIR", help="Look in DIR/NAME, too; the cache is always looked at."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only results and errors.")]


@datasets.command("list")
def list_sets(*, data: Data = None) -> None:
    """List the sets: lines, sizes, labels, what the LogBERT paper used, and whether each is here."""
    from logbert.datasets import all_sets, state
    from logbert.datasets.disk import size

    rows: list[tuple[str, ...]] = [("name", "lines", "fetch", "unpacked", "labels", "the paper used", "here")]
    for dataset in all_sets().values():
        fetch = f"{'' if dataset.bytes else '~'}{size(dataset.size or 0)}"
        lines, unpacked = f"{dataset.lines or 0:,}", f"~{size(dataset.unpacked or 0)}"
        labels = dataset.labels.unit if dataset.labels else ""
        rows.append((dataset.name, lines, fetch, unpacked, labels, dataset.paper, state(dataset, data)))
    _table(rows, right={1, 2, 3})
    typer.echo("\nget one with: logbert datasets get NAME")


@datasets.command("get")
def get_set(
    name: Name,
    *,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--output", "-o", metavar="DIR", help="Put it into DIR/NAME instead of the cache."),
    ] = None,
    lines: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--lines", metavar="N", help="Only the first N lines of its log; 0 for all.", min=0),
    ] = None,
    url: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--url", metavar="BASE", help="Fetch BASE/ARCHIVE, from a mirror, instead."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Fetch a set, check it, unpack it; go on where an earlier try stopped."""
    from logbert.cli.bars import progress_on
    from logbert.datasets import dataset_named, get

    dataset = dataset_named(name)
    first = dataset.first if lines is None else lines or None
    if not quiet:
        typer.echo(f"{dataset.name}: {dataset.about}\nlicence: {dataset.licence}", err=True)
    try:
        got = get(dataset, output, first=first, base=url, progress=progress_on(quiet=quiet))
    except KeyboardInterrupt:
        typer.echo("logbert: interrupted; what was fetched is kept, the same command goes on from there", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _print_got(got, first)


@datasets.command("verify")
def verify_sets(
    name: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="NAME", help="A set; all that are here, if none is named."),
    ] = None,
    *,
    data: Data = None,
    quiet: Quiet = False,
) -> None:
    """Compare sets that are here with what was fetched and what is published: files, checksums, lines, labels."""
    from logbert.cli.bars import progress_on
    from logbert.datasets import all_sets, dataset_named, folder_of, verify

    chosen = list(all_sets().values()) if name is None else [dataset_named(name)]
    if name is None:
        chosen = [dataset for dataset in chosen if folder_of(dataset, data)]
        if not chosen:
            typer.echo("no set is here; get one with: logbert datasets get NAME")
    verdicts = []
    for dataset in chosen:
        verdict = verify(dataset, data, progress=progress_on(quiet=quiet))
        _print_verdict(verdict)
        verdicts.append(verdict)
    if not all(verdict.whole for verdict in verdicts):
        raise typer.Exit(WRONG)


def _print_got(got: Got, asked: int | None) -> None:
    from logbert.datasets import how_to_evaluate
    from logbert.datasets.disk import size

    dataset, receipt = got.dataset, got.receipt
    typer.echo(f"{dataset.name} is in {got.folder}{'' if got.fresh else ', and was there before'}")
    if receipt is None:
        typer.echo("put there by hand; logbert datasets verify compares it with what is published")
    else:
        if receipt.first != asked:
            held = "all its lines" if receipt.first is None else f"its first {receipt.first:,} lines"
            typer.echo(f"it has {held}, and they are kept; for fewer name another folder with -o")
        whole = "" if receipt.bytes is None else f", {receipt.bytes:,} bytes"
        typer.echo(f"from: {receipt.url}{whole}")
        for file in receipt.files[:10]:
            typer.echo(f"  {file.path}  {size(file.bytes)}, {file.lines:,} lines")
        if len(receipt.files) > 10:
            typer.echo(f"  … and {len(receipt.files) - 10:,} more files, {size(receipt.size)} in all")
        typer.echo(f"checksum: {_checksum(got)}")
    typer.echo(f"licence: {dataset.licence}")
    for citation in dataset.citations:
        typer.echo(f"cite: {citation}")
    if command := how_to_evaluate(dataset, got.folder):
        typer.echo(f"next: {command}")


def _checksum(got: Got) -> str:
    receipt = got.receipt
    if receipt is None or receipt.sha256 is None:
        return "only the beginning of the archive was fetched; its published checksum is of the whole"
    return f"MD5 {receipt.md5}, {got.dataset.checksums}"


def _print_verdict(verdict: Verdict) -> None:
    typer.echo(f"{verdict.dataset.name} in {verdict.folder}: {'whole' if verdict.whole else 'NOT as it should be'}")
    marks = {True: "ok", False: "WRONG", None: "-"}
    shown = [one for one in verdict.findings if one.good is not True or len(verdict.findings) <= 20]
    for finding in shown:
        typer.echo(f"  {marks[finding.good]:5}  {finding.what}: {finding.says}")
    if len(shown) < len(verdict.findings):
        typer.echo(f"  ok     {len(verdict.findings) - len(shown):,} more")


def _table(rows: list[tuple[str, ...]], right: set[int]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (f"{cell:{'>' if at in right else '<'}{widths[at]}}" for at, cell in enumerate(row))
        typer.echo("  ".join(cells).rstrip())
