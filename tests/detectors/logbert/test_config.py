"""The presets are what they say, and nonsense is refused in words."""

from __future__ import annotations

import pytest

from logbert.detectors.logbert import LogBERT
from logbert.detectors.logbert.config import resolve
from logbert.errors import OptionError


def test_the_paper_preset_is_the_papers() -> None:
    config = resolve("paper")
    assert (config.input, config.hidden, config.layers) == (50, 256, 2)
    assert (config.mlkp, config.vhm, config.score_by, config.end, config.masks) == (True, True, "misses", False, 1)
    assert config.mask_ratio_least == config.mask_ratio_most == config.detection_ratio


def test_one_mask_ratio_serves_training_and_detection() -> None:
    config = LogBERT("paper", mask_ratio=0.65).config
    assert {config.mask_ratio_least, config.mask_ratio_most, config.detection_ratio} == {0.65}


def test_r_by_hand_means_counting_misses() -> None:
    assert LogBERT(misses_allowed=3).config.score_by == "misses"


@pytest.mark.parametrize(
    ("given", "quoted"),
    [
        ({"preset": "best"}, "no preset 'best'"),
        ({"heads": 5}, "5 heads do not divide 64"),
        ({"mask_ratio": 1.5}, "1.5"),
        ({"mlkp": False}, "nothing to train"),
        ({"layers": 0}, "layers must be at least 1"),
        ({"networks": 0}, "networks must be at least 1"),
        ({"score_by": "luck"}, "no score 'luck'"),
        ({"candidates": 0}, "candidates must be at least 1"),
        ({"misses_allowed": -1}, "at least 0"),
        ({"mlkp": False, "vhm": True, "score_by": "misses"}, "needs mlkp"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_value_quoted(given: dict[str, object], quoted: str) -> None:
    with pytest.raises(OptionError, match=quoted):
        _ = LogBERT(**given).config
