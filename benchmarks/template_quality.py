"""How well messages are grouped into templates: one default for every system, against the true templates of loghub.

    python -m benchmarks.template_quality [FOLDER]

Prints grouping accuracy (GA) and F1 of grouping (FGA) per system and their means; beside them drain3 with four generic
masks and its default settings, if drain3 is installed. Takes a few seconds.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from time import perf_counter

import polars as pl

from logbert.templates import Templates
from logbert.templates.grouping_quality import GroupingQuality, grouping_quality

DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "loghub_2k"
ENDING = "_2k.log_structured_corrected.csv"

FOUR_MASKS = [
    (r"((?<=[^A-Za-z0-9])|^)(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(:\d+)?)((?=[^A-Za-z0-9])|$)", "IP"),
    (r"((?<=[^A-Za-z0-9])|^)(0x[a-fA-F0-9]+)((?=[^A-Za-z0-9])|$)", "HEX"),
    (r"((?<=[^A-Za-z0-9])|^)(/[\w.\-]+)+((?=[^A-Za-z0-9])|$)", "PATH"),
    (r"((?<=[^A-Za-z0-9])|^)([\-\+]?\d+)((?=[^A-Za-z0-9])|$)", "NUM"),
]


def ours(messages: pl.Series) -> pl.Series:
    templates = Templates()
    codes = templates.encode(messages)
    templates.learn()
    return templates.keys(codes)


def drain3(messages: pl.Series) -> pl.Series:
    from drain3 import TemplateMiner
    from drain3.masking import MaskingInstruction
    from drain3.template_miner_config import TemplateMinerConfig

    config = TemplateMinerConfig()
    config.masking_instructions = [MaskingInstruction(regex, name) for regex, name in FOUR_MASKS]
    miner = TemplateMiner(config=config)
    return pl.Series([miner.add_log_message(message)["cluster_id"] for message in messages])


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FOLDER
    paths = sorted(folder.glob(f"*{ENDING}"))
    if not paths:
        sys.exit(f"{folder}: no *{ENDING} here; name the folder of the loghub 2k sets")
    parsers = {"logbert": ours}
    if importlib.util.find_spec("drain3"):
        parsers["drain3"] = drain3
    print(f"{'system':12}{'true':>6}" + "".join(f"{name:>9}{'GA':>7}{'FGA':>7}{'s':>7}" for name in parsers))
    results: dict[str, list[GroupingQuality]] = {name: [] for name in parsers}
    for path in paths:
        truth = pl.read_csv(path, infer_schema=False)
        cells = []
        for name, parse in parsers.items():
            begun = perf_counter()
            found = parse(truth["Content"])
            seconds = perf_counter() - begun
            quality = grouping_quality(found, truth["EventTemplate"])
            results[name].append(quality)
            cells.append(f"{quality.found:9}{quality.accuracy:7.3f}{quality.f1:7.3f}{seconds:7.2f}")
        print(f"{path.name.removesuffix(ENDING):12}{quality.true:6}" + "".join(cells))
    print(f"{'mean':18}" + "".join(mean_cells(qualities) for qualities in results.values()))


def mean_cells(qualities: list[GroupingQuality]) -> str:
    count = len(qualities)
    accuracy, f1 = sum(q.accuracy for q in qualities) / count, sum(q.f1 for q in qualities) / count
    return f"{'':9}{accuracy:7.3f}{f1:7.3f}{'':7}"


if __name__ == "__main__":
    main()
