"""The peers, as their makers mean them to be run; each is timed without its start-up, which is kind to them."""

from __future__ import annotations

import time
from itertools import islice
from pathlib import Path

from benchmarks.speed.measure import Done

# What users of drain3 on HDFS write: three masks.
THREE_MASKS = [(r"blk_-?\d+", "BLK"), (r"\d+\.\d+\.\d+\.\d+(:\d+)?", "IP"), (r"\b\d+\b", "NUM")]


def drain3_few_masks(messages: str, count: int) -> Done:
    """Parse bare messages with three masks."""
    return _drain3(messages, count, THREE_MASKS)


def drain3_same_masks(messages: str, count: int) -> Done:
    """Parse bare messages with the masks that logbert has by default."""
    from logbert.templates import Masks

    return _drain3(messages, count, [(mask.regex, mask.name) for mask in Masks.default()])


def _drain3(messages: str, count: int, masks: list[tuple[str, str]]) -> Done:
    from drain3 import TemplateMiner
    from drain3.masking import MaskingInstruction
    from drain3.template_miner_config import TemplateMinerConfig

    config = TemplateMinerConfig()
    config.masking_instructions = [MaskingInstruction(regex, name) for regex, name in masks]
    miner = TemplateMiner(config=config)
    with Path(messages).open(encoding="utf-8", errors="replace", newline="\n") as file:
        lines = list(islice(file, count))
    began = time.perf_counter()
    for line in lines:
        miner.add_log_message(line)
    return Done(len(lines), time.perf_counter() - began, {"clusters": len(miner.drain.clusters)})
