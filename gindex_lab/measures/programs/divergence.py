"""Divergence Δ: how far one program is from another, with a certificate.

Δ(G', G'') = 1 - (Σ w(v, φ(v)))² / (|V'| |V''|) over the best mapping φ between two flows that preserves
wires (Eq 5 and 13; Eq 3 is the condition on φ, Eq 4 that no larger one exists, Eq 2 the case of one node,
Eqs 1 and 14 to 16 what follows for Δ: `equations` checks each). Finding φ is finding a clique of greatest
weight; `divergence` does it exactly, and where its budget does not suffice it says between which bounds Δ
lies. `comparison` does the same for a corpus.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, field
from functools import cache, total_ordering
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import Mode, integer, number
from gindex_lab.measures.programs.encode import FlowTable, Rules, encode, shades
from gindex_lab.measures.programs.flows import Flow, FlowLike

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EFFORT", "Divergence", "bounds_of", "divergence"]

EFFORT = (
    2_000_000_000  # words of bitsets read by one search: some seconds, the same on every machine
)
ROOM = 1_024  # vertices that one call of the kernel provides for
_LARGEST_GRAPH = 8_192  # pairs of nodes of one type: beyond, no search without `seconds`
_LARGEST_TIMED = 16_384  # and none with them
_BUILT = 40_000_000  # entries of the graph built in a second: a larger one would eat the time
_LARGEST_STACK = 20_000_000
_CHUNK = 10_000_000
_PLACING = 20_000_000  # comparisons of a first greedy mapping that is timed


@total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class Divergence:
    """Δ of two flows: the `value` of the best mapping found, and the certificate [`lower`, `upper`].

    `decided` says what closed the interval: "bound" (the matching blind to wires was good) or "search"; or
    what left it open, so that `exact` is False and `value` is `upper`: "effort" or "time" (the budget
    ended), or "size" (too many pairs of nodes for a search: more time would change nothing). `mapping` is
    φ by ids. A divergence counts, compares, rounds and prints as its value.

    >>> d = divergence([{"id": "a", "type": "tab"}], [{"id": "a", "type": "tab"}, {"id": "b", "type": "csv"}])
    >>> d, d < 0.6, round(d, 1), f"{d:.3f}", float(np.mean([d, d]))
    (Divergence(0.5, 1 node matched), True, 0.5, '0.500', 0.5)
    """

    value: float
    lower: float
    upper: float
    mapping: dict[str, str]
    decided: str
    first: Flow = field(repr=False)
    second: Flow = field(repr=False)
    rules: Rules = field(repr=False)

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.upper

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.value, dtype=dtype or float)

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else repr(self)

    def __eq__(self, other: object) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.value == value

    def __lt__(self, other: object) -> bool:
        value = _value(other)
        return NotImplemented if value is None else self.value < value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        matched = f"{len(self.mapping)} node" + "s" * (len(self.mapping) != 1) + " matched"
        certain = "" if self.exact else f", at least {self.lower:.6g}, open by {self.decided}"
        return f"Divergence({self.value:.6g}{certain}, {matched})"

    def explain(self) -> pd.DataFrame:
        """Every matched, missing and extra node, differing attribute, and wire that is not shared."""
        from gindex_lab.measures.programs.explain import explain

        return explain(self)

    def plot(self, **options: Any) -> Any:
        """The two programs side by side, joined by the mapping, as in Fig 5."""
        return upstairs("plot_divergence")(self, **options)


def _value(other: object) -> float | None:
    """What a divergence is compared with, as a number."""
    if isinstance(other, (Divergence, int, float, np.integer, np.floating)):
        return float(other)
    return None


def divergence(
    a: FlowLike,
    b: FlowLike,
    *,
    seconds: float | None = None,
    effort: int = EFFORT,
    mode: Mode | Rules = "exact",
) -> Divergence:
    """Δ between two programs (Section 2.4, Appendix C), each a flow, its nodes, JSON, or the path of a file.

    Without `seconds` the search stops after a fixed `effort`, so that the result is the same on every
    machine; with `seconds` it goes on until it is done or the time is up, and returns certified bounds.
    The time covers the search, not the steps around it (reading, the matching, setting up the graph: up to
    some seconds for thousands of nodes). Flows with more than 8,192 pairs of nodes of one type (up to 16,384
    with enough `seconds`) are not searched: they get one greedy mapping, and `decided` is "size" when it is
    done, however much time is left.

    >>> wired = [{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "debug"}]
    >>> unwired = [{"id": "x", "type": "inject"}, {"id": "y", "type": "debug"}]
    >>> float(divergence(wired, unwired)), float(divergence(wired, unwired, mode="reference"))
    (0.75, 0.0)
    >>> divergence(wired, wired).mapping
    {'a': 'a', 'b': 'b'}
    """
    first, second, rules = Flow.of(a), Flow.of(b), Rules.of(mode)
    until = None if seconds is None else time.monotonic() + number("seconds", seconds, 0)
    table, _ = encode([first, second], rules)
    budget = integer("effort", effort), until
    lower, upper, pairs, reason = bounds_of(table, 0, 1, *budget)
    here, there = _places(table, 0), _places(table, 1)
    mapping = {first.ids[here[i]]: second.ids[there[j]] for i, j in sorted(pairs)}
    return Divergence(upper, lower, upper, mapping, reason, first, second, rules)


def bounds_of(
    t: FlowTable, a: int, b: int, effort: int, until: float | None
) -> tuple[float, float, list[tuple[int, int]], str]:
    """Δ of one pair of a table from below and above, with all that the budget allows; the places of the
    matched nodes, and what decided."""
    from gindex_lab.measures.programs import matching

    say_if_cold()
    low, high, pairs, decided = _first_try(t, a, b)
    reason = ("bound", "search", "")[decided]
    if decided == matching.OPEN and matching.count_pairs(t, a, b) > _largest(until):
        low, high, pairs, reason = _rough(t, a, b, effort, until)
    elif decided == matching.OPEN:
        low, high, pairs, reason = _search(t, a, b, effort, until)
    upper, lower = (matching.divergence_of(t, a, b, weight) for weight in (low, high))
    return lower, upper, pairs, reason


def _largest(until: float | None) -> int:
    """The vertices of the largest graph that is searched: more where there is time to build it."""
    if until is None:
        return _LARGEST_GRAPH
    entries = _BUILT * max(0.0, until - time.monotonic())
    return max(_LARGEST_GRAPH, min(_LARGEST_TIMED, int(entries**0.5)))


_KERNELS = ("cliques.py", "matching.py", "neighbours.py", "similarity.py")


@cache
def say_if_cold() -> None:
    """Tell the first user of a fresh clone why nothing happens: the kernels are compiled once.

    Not in a run of the pipeline, whose reports do not depend on the machine's caches.
    """
    from gindex_lab.measures.programs import matching

    kernel: Any = matching.solve
    if kernel.signatures or os.environ.get("GINDEX_LAB_OUTPUT"):
        return
    files = [Path(__file__).with_name(name) for name in _KERNELS]
    source = max(file.stat().st_mtime for file in files)
    kept = Path(kernel.stats.cache_path).glob("matching.solve-*.nbi")
    if not any(index.stat().st_mtime >= source for index in kept):
        logging.getLogger("gindex_lab").warning("compiling the kernels of Δ (once, about 30 s) ...")


def _first_try(t: FlowTable, a: int, b: int) -> tuple[int, int, list[tuple[int, int]], int]:
    """What one call of the kernel finds: enough for all but hard pairs."""
    from gindex_lab.measures.programs.matching import solve

    low, high, decided = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8)
    nodes = [int(t.first[f + 1] - t.first[f]) for f in (a, b)]
    room = max(1, min(prod(nodes), ROOM))
    image = solve(t, np.array([a]), np.array([b]), 0, room, _CHUNK, low, high, decided)
    return int(low[0]), int(high[0]), _pairs(image[: nodes[0]]), int(decided[0])


def _pairs(image: npt.NDArray[Any]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(image.tolist()) if j >= 0]


def _places(t: FlowTable, flow: int) -> list[int]:
    return t.place[t.first[flow] : t.first[flow + 1]].tolist()


def _search(
    t: FlowTable, a: int, b: int, effort: int, until: float | None
) -> tuple[int, int, list[tuple[int, int]], str]:
    """Bounds on the similarity by matching, then by clique search, with the pairs of the lower one."""
    from gindex_lab.measures.programs import matching

    nodes_a, nodes_b = (int(t.first[f + 1] - t.first[f]) for f in (a, b))
    room = max(1, matching.count_pairs(t, a, b))
    pairs = matching.new_pairs(room, nodes_a, room)
    vertices, total = matching.associate(t, a, b, 0, pairs)
    if matching.matching_agrees(t, a, b, pairs.partner):
        return total, total, _pairs(pairs.partner), "bound"
    levels = min(nodes_a, nodes_b)
    if (levels + 1) * vertices > _LARGEST_STACK:
        low, high, chosen, reason = _rough(t, a, b, effort, until)
        return low, min(high, total), chosen, "bound" if low == total else reason
    adjacent = np.zeros((vertices, (vertices + 63) // 64), np.uint64)
    matching.arrange(t, a, b, vertices, pairs, adjacent)
    return best_clique(pairs, adjacent, levels, total, effort, until)


def best_clique(
    pairs: Any,
    adjacent: npt.NDArray[np.uint64],
    levels: int,
    total: int,
    effort: int,
    until: float | None,
) -> tuple[int, int, list[tuple[int, int]], str]:
    """Bounds on the heaviest clique of an association graph, the pairs of the lower one, what ended it.

    `pairs` holds the vertices in the order of `adjacent`; `levels` is the most a clique can have, `total` a
    bound on its weight. Ends when it is proven, after `effort` steps, or at the moment `until`.
    """
    from gindex_lab.measures.programs import cliques, matching

    vertices = len(adjacent)
    stack = cliques.new_stack(vertices, levels)
    matching.first_clique(vertices, pairs, adjacent, stack)
    proven = False
    while not proven and effort > 0 and (until is None or time.monotonic() < until):
        proven = cliques.search(pairs.weight, adjacent, vertices, stack, total, _CHUNK)
        effort -= _CHUNK if until is None else 0
    low = int(stack.state[1])
    high = low if proven else min(total, int(cliques.still_open(stack)))
    best = stack.best[: stack.state[2]]
    chosen = list(zip(pairs.left[best].tolist(), pairs.right[best].tolist(), strict=True))
    ended = "effort" if until is None else "time"
    return low, high, chosen, "search" if low == high else ended


def _rough(
    t: FlowTable, a: int, b: int, effort: int, until: float | None
) -> tuple[int, int, list[tuple[int, int]], str]:
    """Bounds for flows whose association graph would be too large, and what ended the greedy mapping.

    With a time limit a mapping that was stopped starts again with the time that is left by the
    speed seen so far, as long as that is more than before.
    """
    from gindex_lab.measures.programs.neighbours import rough

    image = np.full(int(t.first[a + 1] - t.first[a]), -1, np.int32)
    colours = shades(t, a), shades(t, b)
    spend = effort if until is None else _PLACING
    while True:
        start = time.monotonic()
        low, high, left = rough(t, a, b, spend, *colours, image)
        now = time.monotonic()
        affordable = 0 if until is None else int(spend * (until - now) / max(now - start, 1e-6))
        if left or affordable <= spend:
            break
        spend = affordable
    ended = "size" if left else "effort" if until is None else "time"
    return low, high, _pairs(image), "bound" if low == high else ended
