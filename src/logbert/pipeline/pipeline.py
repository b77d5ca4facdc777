"""A trained whole, from raw line to verdict: fit, detect, save, load."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

import logbert
from logbert.detectors import DetectorState, detector_class, restore
from logbert.detectors.fusion import Fusion
from logbert.detectors.measured import Measurements
from logbert.errors import InputError, ModelError, OptionError
from logbert.lines import read_labels
from logbert.pipeline import store
from logbert.pipeline.answers import Answers
from logbert.pipeline.intake import NO_TEMPLATES, Intake, LogIntake, Taken
from logbert.pipeline.key_intake import KeyIntake
from logbert.pipeline.learnt import Learnt
from logbert.pipeline.seen import recall, remember
from logbert.pipeline.verdicts import Detection, judge
from logbert.pipeline.warned import warnings_to
from logbert.progress import SILENT, Progress
from logbert.sequences import apply_labels
from logbert.templates import Masks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from logbert.detectors import Detector
    from logbert.detectors.key_texts import KeyTexts

    Inputs = str | Path | Sequence[str | Path]

PIPELINE = "pipeline.json"
ANSWERS = "answers.json"
DETECTOR = "detector.json"
ARRAYS = "detector.safetensors"


class Pipeline:
    """Point it at a log; it learns what is ordinary there, and says what is not elsewhere.

    Works when the training log is mostly normal (some anomalies do little harm) and long enough to show what the system
    does: some hundred sequences at least, some thousand for a false-alarm rate of one in a thousand. Does not work when
    the log's order means nothing and its messages are free prose.

    Parameters
    ----------
    format
        The records' header: `auto`, the name of a preset, or a loghub format string. `sequences` for files that hold
        sequences of keys already; a `.parquet` input says so by itself.
    group
        How records become sequences: `auto`, `session:REGEX`, `field:NAME`, `time:5min`, `count:100`...
    detector
        Which detector judges: its name (`fusion`, `logbert`, `novelty`), or a `Detector`.
    preset
        `default`, or `paper` for LogBERT exactly as published.
    false_alarms
        The share of normal sequences that may be called anomalous.
    masks
        A TOML file or a drain3.ini with masks for parameters; None for the built-in ones.
    templates
        For sequences of keys: a file `EventId,EventTemplate` that gives the keys their text.
    seed
        Everything random comes from it.
    device
        Where the network runs: `auto`, `cpu`, `cuda`.
    progress
        Who is told how it goes.
    """

    intake_: Intake
    detector_: Detector

    def __init__(
        self,
        *,
        format: str = "auto",  # noqa: A002 - the word of the command line
        group: str = "auto",
        detector: str | Detector = "fusion",
        preset: str = "default",
        false_alarms: float = 0.001,
        masks: str | Path | None = None,
        templates: str | Path | None = None,
        seed: int = 0,
        device: str = "auto",
        progress: Progress = SILENT,
    ) -> None:
        if not 0 < false_alarms < 1:
            raise OptionError(f"false alarms must be a share between 0 and 1, such as 0.001, not {false_alarms}")
        if seed < 0:
            raise OptionError(f"a seed is a whole number from 0 on, not {seed}")
        self.format = format
        self.group = group
        self.detector = detector
        self.preset = preset
        self.false_alarms = false_alarms
        self.masks = masks
        self.templates = templates
        self.seed = seed
        self.device = device
        self.progress = progress
        self.facts_: dict[str, Any] = {}
        self.answers_ = Answers()
        self._learnt: Learnt | None = None
        self._folder = Path()

    def fit(self, inputs: Inputs, *, labels: str | Path | None = None, resume: bool = False) -> Self:
        """Learn what is ordinary from logs that are mostly normal.

        Parameters
        ----------
        inputs
            Files, folders, globs, or `-` for standard input.
        labels
            A file that says which sequences are abnormal; those, and what the format itself labels so, are left out.
        resume
            Train an already fitted pipeline on: it keeps its keys, its weights and the sequences it learnt from, and
            those of these logs are added. Ranges of values and gaps are those of these logs alone.
        """
        paths = _paths(inputs)
        going_on = resume and hasattr(self, "detector_")
        if not going_on:
            self.intake_ = self.new_intake(paths)
        measuring = self._measures()
        self.intake_.slots = None if measuring else ()
        taken = self.intake_.learn(paths, self.progress)
        self._say(taken)
        sequences = self._normal(self.labelled(taken.sequences, labels))
        before = self.learnt() if going_on else Learnt.none()
        learnt = before.with_more(sequences)
        lost = before.total + len(sequences) - learnt.total
        if learnt is not before and lost:
            self.progress.note(f"{lost:,} of the rarest sequences are too many to keep for training on")
        with warnings_to(self.progress):
            if going_on:
                self.detector_.read(taken.known).fit_more(learnt.rows())
            else:
                self.detector_ = self.new_detector(taken.known).fit(sequences)
        if measuring:
            self._measure(Measurements(sequences, taken.values))
        if self._stopped():
            self.progress.note("stopped by Ctrl-C: the best network so far is kept; train on with --resume")
        added = {
            "records": taken.records,
            "sequences": len(sequences),
            "left_out_as_abnormal": len(taken.sequences) - len(sequences),
        }
        if learnt is not before:
            self.facts_ = {name: count + (self.facts_[name] if going_on else 0) for name, count in added.items()}
        self.facts_["logs"] = list(learnt.logs)
        self._learnt = learnt
        return self

    def learnt(self) -> Learnt:
        """Give the sequences it learnt from; those of a model on disk are read when they are asked for."""
        if self._learnt is None:
            self._learnt = Learnt.read(self._folder, self.facts_.get("logs", []))
        return self._learnt

    def detect(self, inputs: Inputs) -> pl.DataFrame:
        """Judge other logs.

        Returns
        -------
        pl.DataFrame
            One row per sequence, in input order: sequence, start, end, events, score, anomaly, incident, reasons.
        """
        return self.examine(inputs).verdicts

    def examine(self, inputs: Inputs, *, templates: str | Path | None = None) -> Detection:
        """Judge other logs, and keep what it takes to show the incidents.

        `templates` gives text to keys of sequences that training had none for.
        """
        taken = self.take(inputs, templates=templates)
        with self.detector_.reading(taken.known):
            return judge(taken, self.detector_, self.answers_.feedback(taken.names), self.facts_["sequences"])

    def take(self, inputs: Inputs, *, templates: str | Path | None = None) -> Taken:
        """Read other logs as this pipeline reads them, without judging: their sequences of keys."""
        if not hasattr(self, "detector_"):
            raise InputError("this pipeline has not been fitted yet; call fit or load first")
        taken = self.intake_.take(_paths(inputs), self.progress, templates)
        self._say(taken)
        return taken

    def save(self, folder: str | Path) -> None:
        """Write the model directory, whole or not at all."""
        if not hasattr(self, "detector_"):
            raise InputError("this pipeline has not been fitted yet; call fit first")
        found_before = recall(Path(folder))
        learnt = self.learnt()
        with store.writing(Path(folder)) as partial:
            state = self.detector_.state()
            facts = {"detector": state.detector, "params": state.params, "facts": state.facts}
            store.write_json(partial / DETECTOR, facts)
            store.write_arrays(partial / ARRAYS, state.arrays)
            store.write_json(partial / ANSWERS, self.answers_.state())
            learnt.write(partial)
            options = {name: getattr(self, name) for name in _OPTIONS} | {"detector": self.detector_.name}
            store.write_json(
                partial / PIPELINE,
                {
                    "logbert": logbert.__version__,
                    "options": {name: str(v) if isinstance(v, Path) else v for name, v in options.items()},
                    "intake": self.intake_.save(partial),
                    "facts": self.facts_,
                },
            )
        if found_before:
            remember(Path(folder), found_before)

    @classmethod
    def load(cls, folder: str | Path, *, progress: Progress = SILENT) -> Self:
        """Read a model directory back; a damaged, changed or newer one is a clear error."""
        folder = Path(folder)
        store.check(folder)
        written = store.read_json(folder / PIPELINE)
        judged = store.read_json(folder / DETECTOR)
        try:
            pipeline = cls(**written["options"], progress=progress)
            intake = written["intake"]
            pipeline.intake_ = _INTAKES[intake["kind"]].load(folder, intake)
            arrays = store.read_arrays(folder / ARRAYS)
            pipeline.detector_ = restore(DetectorState(**judged, arrays=arrays))
            pipeline._measure()
            if "progress" in pipeline.detector_.get_params():
                pipeline.detector_.set_params(progress=progress)
            pipeline.facts_ = written["facts"]
            pipeline._folder = folder
            pipeline.answers_ = Answers.from_state(store.read_json(folder / ANSWERS))
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"the model {folder} is damaged: {error!r}; train it again") from error
        return pipeline

    def describe(self) -> dict[str, Any]:
        """Give what this pipeline knows, for people: input, detector, boundary, templates."""
        detector = self.detector_
        threshold = detector.boundary if isinstance(detector, Fusion) else detector.calibration_.threshold
        return {
            **self.intake_.describe(),
            "trained on": f"{self.facts_['sequences']:,} sequences of {self.facts_['records']:,} records",
            "detector": _described(detector),
            "boundary": f"raw score {threshold:.4g}, from {len(detector.calibration_.held_out):,} normal sequences, "
            f"for {detector.false_alarms:g} false alarms",
        }

    def _stopped(self) -> bool:
        """Say whether Ctrl-C ended the training of a network."""
        members = self.detector_.members_.values() if isinstance(self.detector_, Fusion) else [self.detector_]
        return any(getattr(member, "interrupted_", False) for member in members)

    def _measures(self) -> bool:
        """Say whether the detector judges values and gaps beside keys."""
        return self.detector == Fusion.name if isinstance(self.detector, str) else isinstance(self.detector, Fusion)

    def _measure(self, measurements: Measurements | None = None) -> None:
        """Let the detector learn what is measured of the training rows; read from then on only the values it judges."""
        if isinstance(self.detector_, Fusion):
            if measurements is not None:
                self.detector_.measure(measurements)
            measured = self.detector_.measured_
            self.intake_.slots = () if measured is None else measured.slots

    def new_intake(self, paths: Sequence[str | Path]) -> Intake:
        """Make what turns such inputs into sequences, not taught yet."""
        if self.format == "sequences" or all(Path(path).suffix == ".parquet" for path in paths):
            return KeyIntake(group=self.group, templates=self.templates)
        if self.templates is not None:
            raise OptionError(NO_TEMPLATES)
        masks = Masks.default() if self.masks is None else Masks.read(Path(self.masks))
        return LogIntake(format=self.format, group=self.group, masks=masks)

    def new_detector(self, known: KeyTexts) -> Detector:
        """Make the detector that the options ask for, not fitted yet; one that reads gets the texts of keys."""
        if not isinstance(self.detector, str):
            return self.detector.read(known)
        kind = detector_class(self.detector)
        offered = {
            "false_alarms": self.false_alarms,
            "seed": self.seed,
            "preset": self.preset,
            "device": self.device,
            "progress": self.progress,
        }
        accepted = inspect.signature(kind).parameters
        if self.preset != "default" and "preset" not in accepted:
            raise OptionError(f"the detector {self.detector} has no presets; --preset {self.preset} goes with logbert")
        detector = kind(**{name: value for name, value in offered.items() if name in accepted})
        return detector.read(known)

    def labelled(self, sequences: pl.DataFrame, labels: str | Path | None) -> pl.DataFrame:
        """Give sequences the labels of a file; without one they keep those of their format."""
        if labels is None:
            return sequences
        sequences, notes = apply_labels(sequences, read_labels(Path(labels)))
        for note in notes:
            self.progress.note(note)
        return sequences

    def _normal(self, sequences: pl.DataFrame) -> pl.DataFrame:
        """Leave out what is labelled abnormal."""
        if sequences["label"].null_count() == len(sequences):
            return sequences
        normal = sequences.filter(~pl.col("label").fill_null(value=False))
        if len(normal) < len(sequences):
            self.progress.note(f"{len(sequences) - len(normal)} sequences labelled abnormal are left out of training")
        if not len(normal):
            raise InputError("every sequence is labelled abnormal: there is nothing normal to learn from")
        return normal

    def _say(self, taken: Taken) -> None:
        for fact in taken.facts:
            self.progress.note(fact)


def _described(detector: Detector) -> str:
    """Name a detector and what it was made with, as far as that says anything.

    Examples
    --------
    >>> _described(Fusion(members=("novelty",), seed=3))
    'fusion: members novelty, seed 3'
    """
    unsaid = {"progress", "device", "false_alarms"}
    made_with = [
        f"{name.replace('_', ' ')} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in detector.get_params().items()
        if name not in unsaid and value not in (None, "default")
    ]
    return f"{detector.name}: {', '.join(made_with)}" if made_with else detector.name


_OPTIONS = ("format", "group", "detector", "preset", "false_alarms", "seed", "device")
_INTAKES: dict[str, Any] = {LogIntake.kind: LogIntake, KeyIntake.kind: KeyIntake}


def _paths(inputs: Inputs) -> list[str | Path]:
    paths = [inputs] if isinstance(inputs, str | Path) else list(inputs)
    if not paths:
        raise InputError("no input was named")
    return paths
