"""How good a trained model's verdicts are on labelled data: all of it, its members, and the trivial ones beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logbert.detectors.corpus import Corpus
from logbert.detectors.fusion import Fusion
from logbert.detectors.novelty import Novelty
from logbert.detectors.tally import Tally
from logbert.errors import InputError
from logbert.evaluation.metrics import Figures
from logbert.evaluation.operator import Operated, operate, over_time
from logbert.pipeline import measured_of, score_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import polars as pl

    from logbert.detectors import Detector
    from logbert.detectors.corpus import Rows, Scores
    from logbert.detectors.feedback import Feedback
    from logbert.detectors.measured import RowFindings
    from logbert.pipeline import Pipeline

KEY = "key"  # the part of the memory that the fusion has as a member of its own


@dataclass(frozen=True)
class Judged:
    """What a model made of labelled data.

    Attributes
    ----------
    figures
        By name: the detector, each sequence by itself; the default one over time, as `detect` reports; its members,
        each with its share of the false alarms; the trivial detectors, as far as the model remembers what they need.
    feedback
        What came of it with an operator who answers, if that was asked for.
    """

    figures: dict[str, Figures]
    feedback: Operated | None = None


def judge_with(
    pipeline: Pipeline,
    inputs: Sequence[str | Path],
    *,
    labels: str | Path | None = None,
    templates: str | Path | None = None,
    feedback: bool = False,
) -> Judged:
    """Judge labelled data with a trained model.

    Parameters
    ----------
    pipeline
        The model.
    inputs
        What to judge.
    labels
        A file of labels, where the format has none.
    templates
        The text of keys of sequences.
    feedback
        Let an operator answer each new incident once, with the truth of the sequence that raised it.
    """
    taken = pipeline.take(inputs, templates=templates)
    sequences = pipeline.labelled(taken.sequences, labels)
    if sequences["label"].null_count() == len(sequences):
        raise InputError("there are no labels: this format has none, so name a file of them with --labels")
    truth = sequences["label"].fill_null(value=False).to_numpy()
    detector = pipeline.detector_
    with detector.reading(taken.known):
        measured = measured_of(taken, detector)
        answers = pipeline.answers_.feedback(taken.names)
        scores = {detector.name: score_all(taken, detector, answers, measured)}
        if isinstance(detector, Fusion):
            scores[f"{detector.name} over time"] = scores[detector.name]
            scores[detector.name] = _by_itself(detector, sequences, measured)
        corpus = Corpus.of(sequences)
        scores |= members(detector, corpus, measured)
        scores |= {name: np.where(unseen, 2.0, 0.0) for name, unseen in remembered(detector, corpus).items()}
        figures = {name: Figures.of(values, truth) for name, values in scores.items()}
        if not feedback:
            return Judged(figures)
        return Judged(figures, operated(detector, sequences, truth, answers=answers, measured=measured))


def members(detector: Detector, corpus: Corpus, measured: RowFindings | None = None) -> dict[str, Scores]:
    """Score by each member of the default detector alone; 1.0 is where the fusion hears it."""
    if not isinstance(detector, Fusion):
        return {}
    scores = {
        f"member: {name}": np.asarray(evidence[corpus.inverse] / detector.boundary, dtype=np.float64)
        for name, evidence in detector.evidence(corpus).items()
    }
    if measured is not None and detector.measured_ is not None:
        scores |= {f"member: {name}": measured.of_member(name) for name in detector.measured_.members_}
    return scores


def remembered(detector: Detector, corpus: Corpus) -> Mapping[str, npt.NDArray[np.bool_]]:
    """Judge by what never occurred in training, as far as the detector remembers it."""
    if isinstance(detector, Fusion):
        tally = Tally.of(corpus)
        new = np.bincount(tally.owners[detector.new_keys.unseen(tally)], minlength=len(corpus)) > 0
        memory = detector.members_.get(Novelty.name)
        return {f"unseen {KEY}": new[corpus.inverse], **({} if memory is None else remembered(memory, corpus))}
    if isinstance(detector, Novelty):
        return {f"unseen {part}": unseen for part, unseen in detector.unseen(corpus).items()}
    return {}


def operated(
    detector: Detector,
    sequences: pl.DataFrame,
    truth: npt.NDArray[np.bool_],
    *,
    answers: Feedback | None = None,
    measured: RowFindings | None = None,
) -> Operated:
    """Play the operator over labelled sequences, in the order of time where there is time."""
    order = in_time(sequences)
    found = None if measured is None else measured.reordered(order)
    judging = over_time(detector, sequences["keys"].gather(order), feedback=answers, measured=found)
    return operate(judging, truth[order])


def in_time(sequences: pl.DataFrame) -> Rows:
    """Give the rows in the order of time; as they are, if some have none."""
    if "start" not in sequences.columns or sequences["start"].null_count():
        return np.arange(len(sequences), dtype=np.int64)
    return np.argsort(sequences["start"].to_numpy(), kind="stable").astype(np.int64)


def _by_itself(detector: Fusion, sequences: pl.DataFrame, measured: RowFindings | None) -> Scores:
    scores = detector.score(sequences)
    return scores if measured is None else np.maximum(scores, measured.scores)
