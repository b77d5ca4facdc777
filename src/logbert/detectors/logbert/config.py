"""What a LogBERT is made of: every number of the network, its training and its verdict, with unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from logbert.errors import OptionError


@dataclass(frozen=True)
class LogBERTConfig:
    """Every choice behind a LogBERT; the names in brackets are the paper's.

    Attributes
    ----------
    input
        Numbers that represent a key at the input: its embedding plus its position's (d).
    hidden
        Numbers that represent a key inside the network; where it differs from `input`, a projection lies between (d_o).
    feed_forward
        Width of the feed-forward sub-layer, in units.
    layers
        Transformer layers.
    heads
        Attention heads a layer; they divide `hidden` (H).
    dropout
        Share of each sub-layer's outputs that training drops.
    context
        Keys the network reads at once; a longer sequence is judged in chunks.
    end
        Whether an END token follows the last key, so that a missing end can surprise.
    fog
        MASK tokens laid behind a hidden END, which would otherwise show by being last; training draws from 0 to this.
    mlkp
        Whether to train on masked log key prediction.
    vhm
        Whether to train on volume of hypersphere minimisation.
    alpha
        Weight of the hypersphere's loss beside the prediction's.
    mask_ratio_least, mask_ratio_most
        Share of a sequence's tokens masked in training, drawn evenly between the two (m).
    masks
        Masks a sequence is judged under.
    detection_ratio
        Share of tokens each of them hides (m).
    networks
        How many networks judge together, each taught without a part of the sequences; the masks are dealt among them.
        One, where a part of the sequences is enough to find the boundary.
    candidates
        Likeliest keys that count as expected; None chooses it on held-out normals (g).
    misses_allowed
        Masked keys outside the candidates that are still normal; None finds the boundary on held-out normals (r).
    score_by
        "surprise", "misses" or "distance".
    repeats
        Exponent: a sequence that occurs n times is seen n**repeats times an epoch, each time under a mask of its own.
    emphasis
        Exponent: it weighs n**emphasis in the loss.
    rows
        Sequences an epoch shows at least, repeats included; a log with few distinct ones has them shown more often.
    batch
        Sequences a training step.
    learning_rate
        Largest step of the optimiser (AdamW).
    weight_decay
        Shrinkage of the weights a step, as a share of the learning rate.
    warmup
        Share of the epochs in which the learning rate rises; afterwards it falls along a cosine.
    epochs
        Passes over the training sequences, at most.
    patience
        Epochs without a better loss on held-out normals after which training stops.
    tokens
        Tokens all networks together are shown at most; where sequences are many and long, that means fewer epochs, and
        only a part of the sequences in each. None sets no limit.
    """

    input: int
    hidden: int
    feed_forward: int
    layers: int
    heads: int
    dropout: float
    context: int
    end: bool
    fog: int
    mlkp: bool
    vhm: bool
    alpha: float
    mask_ratio_least: float
    mask_ratio_most: float
    masks: int
    detection_ratio: float
    networks: int
    candidates: int | None
    misses_allowed: int | None
    score_by: str
    repeats: float
    emphasis: float
    rows: int
    batch: int
    learning_rate: float
    weight_decay: float
    warmup: float
    epochs: int
    patience: int
    tokens: int | None


DEFAULT: Final = LogBERTConfig(
    input=64,
    hidden=64,
    feed_forward=128,
    layers=2,
    heads=2,
    dropout=0.0,
    context=512,
    end=True,
    fog=12,
    mlkp=True,
    vhm=False,
    alpha=0.1,
    mask_ratio_least=0.3,
    mask_ratio_most=0.9,
    masks=8,
    detection_ratio=0.5,
    networks=4,
    candidates=6,
    misses_allowed=None,
    score_by="surprise",
    repeats=0.3,
    emphasis=0.25,
    rows=1024,
    batch=64,
    learning_rate=3e-3,
    weight_decay=0.01,
    warmup=0.1,
    epochs=40,
    patience=15,
    tokens=12_000_000,
)
PAPER: Final = replace(
    DEFAULT,
    input=50,
    hidden=256,
    feed_forward=512,
    heads=4,
    dropout=0.1,
    end=False,
    fog=0,
    vhm=True,
    mask_ratio_least=0.5,
    mask_ratio_most=0.5,
    masks=1,
    networks=1,
    candidates=None,
    score_by="misses",
    repeats=0.5,
    emphasis=1.0,
    learning_rate=1e-3,
    tokens=None,
)
SCORES: Final = ("surprise", "misses", "distance")
PRESETS: Final = {"default": DEFAULT, "paper": PAPER}


def resolve(preset: str, **given: Any) -> LogBERTConfig:
    """Take a preset and put the given values (those that are not None) in its place.

    Examples
    --------
    >>> resolve("paper", layers=4).layers, resolve("default", mlkp=False, vhm=True).score_by
    (4, 'distance')
    """
    if preset not in PRESETS:
        raise OptionError(f"there is no preset {preset!r}; choose from {', '.join(PRESETS)}")
    config = replace(PRESETS[preset], **{name: value for name, value in given.items() if value is not None})
    if given.get("score_by") is None:
        if not config.mlkp:
            config = replace(config, score_by="distance")
        elif config.misses_allowed is not None:
            config = replace(config, score_by="misses")
    _check(config)
    return config


def _check(config: LogBERTConfig) -> None:
    """Refuse what makes no sense, in the words of the parameter."""
    for name in (
        "input",
        "hidden",
        "feed_forward",
        "layers",
        "heads",
        "context",
        "masks",
        "networks",
        "batch",
        "epochs",
        "patience",
    ):
        if getattr(config, name) < 1:
            raise OptionError(f"{name} must be at least 1, not {getattr(config, name)}")
    if config.hidden % config.heads:
        raise OptionError(f"{config.heads} heads do not divide {config.hidden} hidden units; try heads=4, hidden=64")
    if not 0 < config.mask_ratio_least <= config.mask_ratio_most <= 1 or not 0 < config.detection_ratio <= 1:
        raise OptionError(f"the mask ratio must be above 0 and at most 1, such as 0.5, not {config.detection_ratio}")
    if not config.mlkp and not config.vhm:
        raise OptionError("with mlkp and vhm both off there is nothing to train; leave one on")
    if config.score_by not in SCORES:
        raise OptionError(f"there is no score {config.score_by!r}; choose from {', '.join(SCORES)}")
    if config.score_by != "distance" and not config.mlkp:
        raise OptionError(f"a score by {config.score_by} needs mlkp; without it only the distance says anything")
    if config.candidates is not None and config.candidates < 1:
        raise OptionError(f"candidates must be at least 1, not {config.candidates}")
    if config.misses_allowed is not None and config.misses_allowed < 0:
        raise OptionError(f"misses_allowed must be at least 0, not {config.misses_allowed}")
