"""The rows of the benchmarks: a race against a peer, a share of a stated limit, a growth curve, or a
measurement that stands alone.

Times are process times (`best_time`), in seconds, or by the clock where threads are at work; a unit that
ends in "/s" is a rate, more of which is better. All rows have `name`, `kind`, `unit` and `note`, and can
be written as JSON.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = [
    "FALL",
    "alone",
    "best_time",
    "compared",
    "curve",
    "exponent",
    "quantity",
    "race",
    "within",
]

FALL = 0.7  # a ratio below this share of the stored one has fallen
Row = dict[str, Any]


def best_time(
    call: Callable[[], object], repeats: int = 3, clock: Callable[[], float] = time.process_time
) -> float:
    """The shortest time of a few: the machine's other work only ever adds.

    What runs in threads is timed by `time.perf_counter`: the processor's time adds them up.
    """
    times = []
    for _ in range(repeats):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def race(
    name: str,
    ours: float,
    peer: float | None,
    against: str,
    *,
    unit: str = "s",
    goal: float | None = None,
    note: str = "",
) -> Row:
    """Ours and the peer's, both measured in this run; `ratio` says how many times faster ours is.

    A peer that could not run is None, and the note says why.

    >>> race("sum", 0.5, 2.0, "a loop")["ratio"]
    4.0
    >>> race("sum", 50.0, 25.0, "a loop", unit="sums/s")["ratio"]
    2.0
    """
    rate = unit.endswith("/s")
    ratio = None if peer is None else float(ours / peer if rate else peer / ours)
    theirs = None if peer is None else float(peer)
    return _row("race", name, unit, note) | {
        "ours": float(ours),
        "peer": theirs,
        "against": against,
        "ratio": ratio,
        "goal": goal,
    }


def within(name: str, used: float, limit: float, stated: str, *, unit: str, note: str = "") -> Row:
    """How much of a stated limit was used; for a rate, which share of the best possible was reached.

    >>> within("pool", 2.0, 60.0, "a minute", unit="s")["share_of_limit"] * 60
    2.0
    """
    return _row("limit", name, unit, note) | {
        "ours": float(used),
        "limit": float(limit),
        "stated": stated,
        "share_of_limit": float(used / limit),
    }


def curve(
    name: str,
    sizes: Sequence[float],
    seconds: Sequence[float],
    of: str,
    *,
    note: str = "",
    proven: Sequence[bool] | None = None,
) -> Row:
    """Time against size (of what: `of`); the exponent is that of the proven points, if they are three."""
    kept = [True] * len(sizes) if proven is None else list(proven)
    points = [(n, s) for n, s, ok in zip(sizes, seconds, kept, strict=True) if ok]
    return _row("curve", name, "s", note) | {
        "sizes": list(sizes),
        "seconds": [float(second) for second in seconds],
        "of": of,
        "proven": kept,
        "exponent": exponent(*zip(*points, strict=True)) if len(points) > 2 else None,
    }


def alone(name: str, ours: float, *, unit: str = "s", note: str = "") -> Row:
    """A measurement for which there is neither peer nor limit."""
    return _row("alone", name, unit, note) | {"ours": float(ours)}


def _row(kind: str, name: str, unit: str, note: str) -> Row:
    return {"name": name, "kind": kind, "unit": unit, "note": note}


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of log time against log size, by least squares: 1 is in proportion, 2 the square.

    >>> round(exponent([1, 10, 100], [0.5, 50, 5_000]), 9)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def quantity(value: float | None, unit: str) -> str:
    """A number with its unit, at three digits.

    >>> quantity(0.00144, "s"), quantity(25_134_282, "steps/s"), quantity(0.05, "of the pairs")
    ('1.44 ms', '25.1 M steps/s', '0.05 of the pairs')
    """
    if value is None:
        return "–"
    scales = ((1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
    if unit != "s":
        scales = ((1e6, "M "), (1e3, "k "), (1, ""))
    scale, prefix = next((pair for pair in scales if abs(value) >= pair[0]), scales[-1])
    return f"{_three(value / scale)} {prefix}{unit}"


def _three(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def compared(rows: Sequence[Row], stored: Mapping[str, float]) -> list[Row]:
    """The rows with the stored ratio, the change since, and whether it is a fall."""
    return [row | _change(row.get("ratio"), stored.get(row["name"])) for row in rows]


def _change(now: float | None, before: float | None) -> Row:
    if not before or now is None:
        return {"before": before, "change": None, "fell": False}
    return {"before": before, "change": now / before - 1, "fell": now < FALL * before}
