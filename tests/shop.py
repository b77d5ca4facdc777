"""A web shop's log: small, real in shape, made by the tests themselves."""

from __future__ import annotations

import numpy as np

STEPS = (
    "INFO  [worker-{w}] orders: order ord-{id:06x} received from 10.0.{w}.7",
    "INFO  [worker-{w}] stock: reserved {n} items for order ord-{id:06x}",
    "INFO  [worker-{w}] billing: charged order ord-{id:06x} amount {n}.99 EUR",
    "INFO  [worker-{w}] shipping: order ord-{id:06x} handed to carrier",
)


def shop_log(orders: int, *, seed: int = 0, odd: dict[int, str] | None = None) -> str:
    """Write the log of a web shop, four steps an order, interleaved; `odd` replaces the third step of some orders."""
    dice = np.random.default_rng(seed)
    records = []
    for order in range(orders):
        start = order * 700 + int(dice.integers(0, 300))
        for step, text in enumerate(STEPS):
            start += int(dice.integers(40, 900))
            words = text.format(w=int(dice.integers(1, 5)), id=order + seed * 100_000, n=int(dice.integers(1, 90)))
            if step == 2 and odd and order in odd:
                words = odd[order].format(id=order + seed * 100_000)
            records.append((start, words))
    lines = []
    for at, words in sorted(records):
        seconds, millis = divmod(at, 1000)
        hours, rest = divmod(seconds, 3600)
        lines.append(f"2024-03-05 {8 + hours:02d}:{rest // 60:02d}:{rest % 60:02d},{millis:03d} {words}")
    return "\n".join(lines) + "\n"


ODD = {
    17: "ERROR [worker-1] billing: gateway refused the charge for order ord-{id:06x}",
    40: "INFO  [worker-2] shipping: order ord-{id:06x} handed to carrier",
}
