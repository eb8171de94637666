"""Divergence Δ: how far one program is from another, with a certificate.

Δ(G', G'') = 1 - (Σ w(v, φ(v)))² / (|V'| |V''|) over the best mapping φ between two flows that preserves
wires (Eq 5). Finding φ is finding a clique of greatest weight; `divergence` does it exactly, and where its
budget does not suffice it says between which bounds Δ lies. `comparison` does the same for a corpus.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gindex_lab.programs.encode import Rules, Table, encode, shades
from gindex_lab.programs.flows import Flow
from gindex_lab.validate import Mode, integer, number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EFFORT", "Divergence", "divergence", "one_pair"]

EFFORT = (
    2_000_000_000  # words of bitsets read by one search: some seconds, the same on every machine
)
ROOM = 1_024  # vertices that one call of the kernel provides for
_LARGEST_GRAPH = 8_192
_LARGEST_STACK = 20_000_000
_CHUNK = 10_000_000
BY_BOUND, BY_SEARCH, OPEN = range(3)
DECIDED = ("bound", "search", "budget")


@dataclass(frozen=True)
class Divergence:
    """Δ of two flows: the `value` of the best mapping found, and the certificate [`lower`, `upper`].

    `decided` says what closed the interval: "bound" (the matching blind to wires was good), "search", or
    "budget" (nothing did: `exact` is False and `value` is `upper`). `mapping` is φ by ids.
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

    def explain(self) -> pd.DataFrame:
        """Every matched, missing and extra node, differing attribute, and wire that is not shared."""
        from gindex_lab.programs.explain import explain

        return explain(self)

    def plot(self, **options: Any) -> Any:
        """The two programs side by side, joined by the mapping, as in Fig 5."""
        from gindex_lab.plots.flows import plot_divergence

        return plot_divergence(self, **options)


def divergence(
    a: object,
    b: object,
    *,
    seconds: float | None = None,
    effort: int = EFFORT,
    mode: Mode | Rules = "exact",
) -> Divergence:
    """Δ between two programs (Section 2.4, Appendix C).

    Without `seconds` the search stops after a fixed `effort`, so that the result is the same on every
    machine; with `seconds` it stops after that time. A search that is stopped returns bounds.

    >>> wired = [{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "debug"}]
    >>> unwired = [{"id": "x", "type": "inject"}, {"id": "y", "type": "debug"}]
    >>> float(divergence(wired, unwired)), float(divergence(wired, unwired, mode="reference"))
    (0.75, 0.0)
    >>> divergence(wired, wired).mapping
    {'a': 'a', 'b': 'b'}
    """
    first, second, rules = Flow.of(a), Flow.of(b), Rules.of(mode)
    until = None if seconds is None else time.monotonic() + number("seconds", seconds, 0)
    table, *_ = encode([first, second], rules)
    return one_pair(table, 0, 1, first, second, rules, integer("effort", effort), until)


def one_pair(
    t: Table,
    a: int,
    b: int,
    first: Flow,
    second: Flow,
    rules: Rules,
    effort: int,
    until: float | None,
) -> Divergence:
    """Δ of one pair of a table, with all that the budget allows."""
    from gindex_lab.programs import matching
    from gindex_lab.programs.neighbours import divergence_of

    low, high, pairs, decided = _first_try(t, a, b, rules)
    if decided == OPEN and matching.count_pairs(t, a, b) > _LARGEST_GRAPH:
        low, high, pairs = _rough(t, a, b, rules, effort, until)
        decided = BY_BOUND if low == high else OPEN
    elif decided == OPEN:
        low, high, pairs, decided = _search(t, a, b, rules, effort, until)
    places_a, places_b = _places(t, a), _places(t, b)
    mapping = {first.ids[places_a[i]]: second.ids[places_b[j]] for i, j in sorted(pairs)}
    upper, lower = divergence_of(t, a, b, low), divergence_of(t, a, b, high)
    return Divergence(upper, lower, upper, mapping, DECIDED[decided], first, second, rules)


def _first_try(
    t: Table, a: int, b: int, rules: Rules
) -> tuple[int, int, list[tuple[int, int]], int]:
    """What one call of the kernel finds: enough for all but hard pairs."""
    from gindex_lab.programs.matching import solve

    low, high, decided = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.uint8)
    nodes = [int(t.first[f + 1] - t.first[f]) for f in (a, b)]
    room = max(1, min(prod(nodes), ROOM))
    image = solve(
        t,
        np.array([a]),
        np.array([b]),
        rules.symmetric,
        rules.both_ways,
        room,
        _CHUNK,
        low,
        high,
        decided,
    )
    return int(low[0]), int(high[0]), _pairs(image[: nodes[0]]), int(decided[0])


def _pairs(image: npt.NDArray[Any]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(image.tolist()) if j >= 0]


def _places(t: Table, flow: int) -> list[int]:
    return t.place[t.first[flow] : t.first[flow + 1]].tolist()


def _search(
    t: Table, a: int, b: int, rules: Rules, effort: int, until: float | None
) -> tuple[int, int, list[tuple[int, int]], int]:
    """Bounds on the similarity by matching, then by clique search, with the pairs of the lower one."""
    from gindex_lab.programs import cliques, matching

    nodes_a, nodes_b = (int(t.first[f + 1] - t.first[f]) for f in (a, b))
    room = max(1, matching.count_pairs(t, a, b))
    pairs = matching.new_pairs(room, nodes_a, room)
    vertices, total = matching.associate(t, a, b, rules.symmetric, pairs)
    if matching.matching_agrees(t, a, b, pairs.partner, rules.both_ways):
        return total, total, _pairs(pairs.partner), BY_BOUND
    levels = min(nodes_a, nodes_b)
    if (levels + 1) * vertices > _LARGEST_STACK:
        low, high, chosen = _rough(t, a, b, rules, effort, until)
        return low, min(high, total), chosen, OPEN
    adjacent = np.zeros((vertices, (vertices + 63) // 64), np.uint64)
    stack = cliques.new_stack(vertices, levels)
    matching.arrange(t, a, b, vertices, pairs, rules.both_ways, adjacent)
    matching.first_clique(vertices, pairs, adjacent, stack)
    proven = False
    while not proven and effort > 0 and (until is None or time.monotonic() < until):
        proven = cliques.search(pairs.weight, adjacent, vertices, stack, total, _CHUNK)
        effort -= _CHUNK if until is None else 0
    low = int(stack.state[1])
    high = low if proven else min(total, int(cliques.still_open(stack)))
    best = stack.best[: stack.state[2]]
    chosen = list(zip(pairs.left[best].tolist(), pairs.right[best].tolist(), strict=True))
    return low, high, chosen, BY_SEARCH if proven or low == high else OPEN


def _rough(
    t: Table, a: int, b: int, rules: Rules, effort: int, until: float | None
) -> tuple[int, int, list[tuple[int, int]]]:
    """Bounds for flows whose association graph would not fit into memory."""
    from gindex_lab.programs.neighbours import rough

    if until is not None:
        effort = int(max(0.0, until - time.monotonic()) * 30_000_000)
    image = np.full(int(t.first[a + 1] - t.first[a]), -1, np.int32)
    low, high = rough(
        t, a, b, rules.symmetric, rules.both_ways, effort, shades(t, a), shades(t, b), image
    )
    return low, high, _pairs(image)
