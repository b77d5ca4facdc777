"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logbert.cli.datasets import datasets

if TYPE_CHECKING:
    from logbert.progress import Progress

app = typer.Typer(
    name="logbert",
    help="Point it at a log, and it tells you what is out of the ordinary, and why.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(datasets, name="datasets")

Inputs = Annotated[
    list[str],
    typer.Argument(metavar="INPUT...", help="Files, folders, globs, or - for standard input; compressed or not."),
]
Model = Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="The directory that `train` wrote.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only results and errors.")]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="F",
        help="auto, a preset (hdfs, bgl, syslog, nginx, json...), sequences, or a loghub format string.",
    ),
]
GroupOption = Annotated[
    str,
    typer.Option(
        "--group",
        metavar="G",
        help="auto, session:REGEX, field:NAME, time:5min, time:5min/1min, count:100 or count:100/50.",
    ),
]
DetectorOption = Annotated[
    str,
    typer.Option(
        "--detector",
        metavar="D",
        help="fusion, logbert, novelty, pca, isolation-forest, one-class-svm, logcluster, deeplog or loganomaly.",
    ),
]
PresetOption = Annotated[str, typer.Option("--preset", metavar="P", help="default, or paper: as published.")]
FalseAlarms = Annotated[
    float, typer.Option("--false-alarms", metavar="SHARE", help="Share of normal sequences that may be flagged.")
]
Labels = Annotated[
    Path | None,
    typer.Option("--labels", metavar="FILE", help="BlockId,Label or one 0/1 a line, where the format has none."),
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")]
Masks = Annotated[
    Path | None,
    typer.Option("--masks", metavar="FILE", help="A TOML file or a drain3.ini with masks for parameters."),
]
Templates = Annotated[
    Path | None,
    typer.Option("--templates", metavar="FILE", help="EventId,EventTemplate: the text of the keys of sequences."),
]


def _version(on: bool) -> None:
    if on:
        from logbert import __version__

        typer.echo(f"logbert {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    pass


@app.command()
def train(
    inputs: Inputs,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="Where the model directory goes.")],
    *,
    format: FormatOption = "auto",  # noqa: A002 - the word of the command line
    group: GroupOption = "auto",
    detector: DetectorOption = "fusion",
    preset: PresetOption = "default",
    false_alarms: FalseAlarms = 0.001,
    labels: Labels = None,
    masks: Masks = None,
    templates: Templates = None,
    seed: Annotated[int, typer.Option("--seed", help="Everything random comes from it.", min=0)] = 0,
    device: Device = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Train the model at -o on.")] = False,
    quiet: Quiet = False,
) -> None:
    """Learn what is ordinary from a log that is mostly normal."""
    from logbert.atomic import check_place
    from logbert.pipeline import Pipeline, store

    progress = _progress(quiet=quiet)
    store.refuse_to_overwrite(output)
    check_place(output)
    if resume:
        pipeline = Pipeline.load(output, progress=progress)
    else:
        pipeline = Pipeline(
            format=format,
            group=group,
            detector=detector,
            preset=preset,
            false_alarms=false_alarms,
            masks=masks,
            templates=templates,
            seed=seed,
            device=device,
            progress=progress,
        )
    pipeline.fit(inputs, labels=labels, resume=resume)
    pipeline.save(output)
    progress.note(f"the model is in {output}; now: logbert detect OTHER.log -m {output}")


@app.command()
def detect(
    inputs: Inputs,
    model: Model,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Write all verdicts: .jsonl, .csv, .parquet; or .html."),
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many incidents to print.", min=0)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print the incidents as JSON lines.")] = False,
    fail_on_anomaly: Annotated[
        bool, typer.Option("--fail-on-anomaly", help="Exit with 1 if anything is anomalous.")
    ] = False,
    templates: Templates = None,
    quiet: Quiet = False,
) -> None:
    """Say what is out of the ordinary in a log, worst first, and why."""
    from logbert.atomic import check_place
    from logbert.cli.printing import print_detection, print_incidents_as_json
    from logbert.pipeline import Pipeline, remember
    from logbert.report import check_ending, write_detection

    if output is not None:
        check_ending(output)
        check_place(output)
    pipeline = Pipeline.load(model, progress=_progress(quiet=quiet))
    detection = pipeline.examine(inputs, templates=templates)
    incidents = detection.incidents
    remember(model, detection.troubles)
    if output is not None:
        write_detection(detection, pipeline, output)
    if as_json:
        print_incidents_as_json(incidents.head(top))
    else:
        print_detection(detection, top)
    if fail_on_anomaly and len(incidents):
        raise typer.Exit(1)


@app.command()
def feedback(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The directory that `train` wrote.")],
    incident: Annotated[
        str | None,
        typer.Argument(metavar="INCIDENT", help="Its id, as `detect` prints it; without one the answers are listed."),
    ] = None,
    *,
    normal: Annotated[bool, typer.Option("--normal", help="This is normal: do not report it again.")] = False,
    anomaly: Annotated[bool, typer.Option("--anomaly", help="This is an anomaly: report it always.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take the answer about it back.")] = False,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="A reason, for those who come later.")] = "",
    who: Annotated[str, typer.Option("--who", metavar="NAME", help="Who says so; you, if not given.")] = "",
) -> None:
    """Say of an incident that it is normal, or an anomaly; takes effect at the next detection."""
    from logbert.cli.answers import answer, list_answers, take_back
    from logbert.errors import OptionError

    if incident is None:
        if normal or anomaly or undo:
            raise OptionError("name the incident the answer is about, as `logbert detect` prints it")
        list_answers(model)
    elif normal + anomaly + undo != 1:
        raise OptionError("give one of --normal, --anomaly and --undo")
    elif undo:
        take_back(model, incident)
    else:
        answer(model, incident, normal=normal, who=who, why=why)


@app.command()
def parse(
    inputs: Inputs,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="X.csv gives X's structured and templates files; .parquet."),
    ],
    *,
    format: FormatOption = "auto",  # noqa: A002 - the word of the command line
    masks: Masks = None,
    quiet: Quiet = False,
) -> None:
    """Give every record its template and parameters, in loghub's layout."""
    from logbert.pipeline import parse_inputs

    parse_inputs(inputs, output, format=format, masks=masks, progress=_progress(quiet=quiet))


@app.command()
def show(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="The directory that `train` wrote.")],
    *,
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many templates to list; 0 for all.", min=0)] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what a model knows: format, grouping, templates, detector, boundary."""
    from logbert.cli.printing import print_model

    print_model(model, top, as_json=as_json)


@app.command()
def evaluate(
    inputs: Inputs,
    *,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Judge with this model; else split and train."),
    ] = None,
    labels: Labels = None,
    train_sequences: Annotated[
        int, typer.Option("--train-sequences", metavar="N", help="Learn from N normal sequences, judge the others.")
    ] = 0,
    seeds: Annotated[int, typer.Option("--seeds", metavar="K", help="As many splits and trainings.", min=1)] = 1,
    split: Annotated[
        str, typer.Option("--split", help="random, or time: learn from the earliest, judge what is later.")
    ] = "time",
    format: FormatOption = "auto",  # noqa: A002 - the word of the command line
    group: GroupOption = "auto",
    detector: DetectorOption = "fusion",
    preset: PresetOption = "default",
    false_alarms: FalseAlarms = 0.001,
    masks: Masks = None,
    templates: Templates = None,
    device: Device = "auto",
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Play an operator, too: each new incident is answered once, over time.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare verdicts with labels: precision, recall, F1, false alarms; members and trivial detectors beside them."""
    from logbert.cli.figures import print_figures, print_trials
    from logbert.errors import OptionError
    from logbert.evaluation import judge_with, run_trials
    from logbert.pipeline import Pipeline

    progress = _progress(quiet=quiet)
    if (model is None) == (train_sequences == 0):
        raise OptionError("give either a model to judge with (-m MODEL) or how much to learn (--train-sequences N)")
    if split not in {"random", "time"}:
        raise OptionError(f"--split is random or time, not {split!r}")
    if model is not None:
        loaded = Pipeline.load(model, progress=progress)
        judged = judge_with(loaded, inputs, labels=labels, templates=templates, feedback=feedback)
        print_figures(judged, as_json=as_json)
        return
    pipeline = Pipeline(
        format=format,
        group=group,
        detector=detector,
        preset=preset,
        false_alarms=false_alarms,
        masks=masks,
        templates=templates,
        device=device,
        progress=progress,
    )
    trials = run_trials(
        pipeline,
        inputs,
        labels=labels,
        train=train_sequences,
        seeds=range(seeds),
        split="random" if split == "random" else "time",
        feedback=feedback,
        progress=progress,
    )
    print_trials(trials, as_json=as_json)


@app.command()
def reproduce(
    what: Annotated[
        list[str], typer.Argument(metavar="WHAT...", help="table1, table2, table3, figure4, figure5, or all.")
    ],
    *,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Where the data sets are; those that `datasets get` fetched."),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where report and finished cells go.")
    ] = Path("study"),
    protocol: Annotated[str, typer.Option("--protocol", help="legacy, honest or both.")] = "both",
    seeds: Annotated[int, typer.Option("--seeds", metavar="K", help="As many splits and trainings.", min=1)] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="Everything on a tenth of the data.")] = False,
    detectors: Annotated[
        str | None,
        typer.Option("--detectors", metavar="D,D...", help="Only these rows of table 2, by commas."),
    ] = None,
    sets: Annotated[
        str | None,
        typer.Option("--sets", metavar="S,S...", help="Only these of the data sets found, by commas."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Make the paper's tables and figures again: by its own protocol, and by an honest one."""
    from logbert.cli.study import reproduce_study

    reproduce_study(
        what,
        data=data,
        output=output,
        protocol=protocol,
        seeds=seeds,
        quick=quick,
        detectors=detectors,
        sets=sets,
        progress=_progress(quiet=quiet),
    )


@app.command()
def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Keep the logs and the model here."),
    ] = None,
    *,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another day at the block store.", min=0)] = 0,
    quiet: Quiet = False,
) -> None:
    """Simulate a block store's logs, train, inject faults, and see what is found."""
    from logbert.cli.demo import show_demo

    show_demo(output, seed=seed, progress=_progress(quiet=quiet))


def _progress(*, quiet: bool) -> Progress:
    from logbert.cli.bars import progress_on

    return progress_on(quiet=quiet)
