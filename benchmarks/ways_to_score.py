"""Other ways to have the network judge: 16 and 8 bits, compiled, by ONNX Runtime. What they cost, what they change.

    python -m benchmarks.ways_to_score                       # all that are installed; pip install onnxruntime onnx
    python -m benchmarks.ways_to_score float32 bfloat16

A LogBERT learns the standard HDFS sessions and judges distinct ones, changed in a few places, under all its masks, each
way in turn, on one thread. Seconds are those of the processor, so that other programs on the machine do not count; what
a way needs once (to compile, to export) is a column of its own. The last two columns hold the way beside the one that
logbert uses: masked keys with another rank, sessions with another verdict.
"""

from __future__ import annotations

import argparse
import copy
import io
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks.speed import sessions
from benchmarks.speed.data import SHARED
from logbert.detectors import Corpus
from logbert.detectors.logbert import LogBERT

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from logbert.detectors.logbert.network import LogBERTNetwork
    from logbert.detectors.logbert.views import Views

    Predict = Callable[[Tensor, Tensor], Tensor]

SESSIONS = 2_000
KINDS = 3_000


def float32(network: LogBERTNetwork) -> Predict:
    return lambda tokens, places: network.logits(network.at(tokens, places)).log_softmax(dim=2)


def bfloat16(network: LogBERTNetwork) -> Predict:
    half = copy.deepcopy(network).bfloat16()
    return lambda tokens, places: half.logits(half.at(tokens, places)).float().log_softmax(dim=2)


def int8(network: LogBERTNetwork) -> Predict:
    from torch.ao.quantization import quantize_dynamic

    small = quantize_dynamic(copy.deepcopy(network), {torch.nn.Linear}, dtype=torch.qint8)

    def predict(tokens: Tensor, places: Tensor) -> Tensor:
        h = small(tokens)
        return small.output(h.gather(1, places[..., None].expand(-1, -1, h.shape[2]))).log_softmax(dim=2)

    return predict


def compiled(network: LogBERTNetwork) -> Predict:
    return torch.compile(float32(network), dynamic=True)


def onnx(network: LogBERTNetwork) -> Predict:
    import onnxruntime

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, tokens: Tensor, places: Tensor) -> Tensor:
            return float32(self.network)(tokens, places)

    example = torch.full((4, 12), 5), torch.tensor([[1, 3]] * 4)
    shapes = {"tokens": {0: "views", 1: "width"}, "places": {0: "views", 1: "slots"}}
    file = io.BytesIO()
    names = list(shapes)
    torch.onnx.export(
        Whole(), example, file, input_names=names, output_names=["found"], dynamic_axes=shapes, dynamo=False
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
    return lambda tokens, places: torch.from_numpy(
        session.run(None, {"tokens": tokens.numpy(), "places": places.numpy()})[0]
    )


WAYS = {"float32": float32, "bfloat16": bfloat16, "int8": int8, "compiled": compiled, "onnx": onnx}


def put_in(detector: LogBERT, way: Callable[[LogBERTNetwork], Predict]) -> None:
    """Have the detector's reader predict another way."""
    predict = way(detector.panel_.readers[0].network.eval())

    def instead(batch: Views) -> Tensor:
        with torch.inference_mode():
            return predict(torch.from_numpy(batch.tokens), torch.from_numpy(batch.places))

    detector.panel_.readers[0]._predict = instead


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", choices=[*WAYS, []], help="which ways; all, if none is named")
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    source = SHARED / "hdfs" / "hdfs_train"
    with tempfile.TemporaryDirectory() as folder:
        rows, distinct = Path(folder, "rows"), Path(folder, "distinct")
        sessions.write_sessions(
            source=str(source), rows=str(rows), distinct=str(distinct), count=KINDS, kinds=KINDS, seed=0
        )
        corpus = Corpus.of(sessions.read(str(distinct))[-SESSIONS:])
    detector = LogBERT(epochs=options.epochs).fit(sessions.read(str(source)))
    chunks = detector._chunks(corpus)
    put_in(detector, float32)
    ranks, verdicts = detector.panel_.readers[0].examine(chunks).ranks, detector.score(corpus) >= 1
    print(f"{len(corpus):,} distinct sessions, {len(ranks):,} masked keys, {int(verdicts.sum()):,} anomalous")
    print(f"{'way':12}{'to prepare':>12}{'to judge':>12}{'other ranks':>14}{'other verdicts':>16}")
    for name in options.ways or WAYS:
        began = time.process_time()
        try:
            put_in(detector, WAYS[name])
            slots = detector.panel_.readers[0].examine(chunks)  # what is compiled is compiled now
        except Exception as error:  # noqa: BLE001 - a way that does not work is an answer
            print(f"{name:12}does not work: {str(error).splitlines()[0] if str(error) else repr(error)}", flush=True)
            continue
        first = time.process_time() - began
        seconds = []
        for _ in range(3):
            began = time.process_time()
            detector.panel_.readers[0].examine(chunks)
            seconds.append(time.process_time() - began)
        least = min(seconds)
        other = int((slots.ranks != ranks).sum()), int(((detector.score(corpus) >= 1) != verdicts).sum())
        print(f"{name:12}{max(first - least, 0):>10.1f} s{least:>10.2f} s{other[0]:>14,}{other[1]:>16,}", flush=True)
        assert np.isfinite(slots.surprise).all()


if __name__ == "__main__":
    main()
