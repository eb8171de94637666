"""Divergence Δ: how far one program is from another, with a certificate.

Δ(G', G'') = 1 - (Σ w(v, φ(v)))² / (|V'| |V''|) over the best mapping φ between two flows that preserves
wires (Eq 5 and 13: `divergence_of`; Eq 3 is the condition on φ, Eq 4 that no larger one exists, Eq 2 the case
of one node, Eqs 1 and 14 to 16 what follows for Δ: `equations` checks each). Finding φ is finding a clique of
greatest weight (`matching`, `cliques`); `divergence` does it exactly, and where its budget does not suffice
it says between which bounds Δ lies. `comparison` does the same for a corpus.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, Mode, integer, number
from gindex_lab.measures.programs import matching
from gindex_lab.measures.programs.bounds import best_partners, place_greedily
from gindex_lab.measures.programs.cliques import compiled, new_stack, search, still_open
from gindex_lab.measures.programs.encode import IntArray, ProgramTable, Rules, encode, shades
from gindex_lab.measures.programs.flows import Flow, FlowLike

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EFFORT", "Divergence", "bounds_of", "divergence", "divergence_of", "say_if_cold", "table_divergence",
]  # fmt: skip

# All budgets are judgements, by the benchmark gindex on one core.
EFFORT = 2_000_000_000  # words of bitsets read by one search: some seconds, the same on every machine
_CHUNK = 10_000_000  # words between two looks at the clock: some hundredths of a second
_LARGEST_GRAPH = 8_192  # pairs of nodes of one type: beyond, no search without `seconds`
_LARGEST_TIMED = 16_384  # and none with them
_BUILT = 40_000_000  # entries of the graph built in a second: a larger one would eat the time
_LARGEST_STACK = 20_000_000  # vertices times levels of a search: 240 MB
_PLACING = 20_000_000  # comparisons of a first greedy mapping that is timed
_KERNELS = ("bounds.py", "cliques.py", "divergence.py", "matching.py", "neighbours.py", "similarity.py")

Found = tuple[int, int, list[tuple[int, int]], str]  # similarity from below, above; matched nodes; by what


@compiled
def divergence_of(similarity: float, nodes: int, others: int) -> float:
    """Eq 5: Δ = 1 - (Σ w)² / (|V'| |V''|), of a similarity Σ w; 1 where one program is empty."""
    if nodes == 0 or others == 0:
        return 1.0
    return 1.0 - (similarity * similarity) / (nodes * others)


@compiled
def table_divergence(t: ProgramTable, a: int, b: int, weight: int) -> float:
    """Eq 5 for two programs of a table and their similarity in its units."""
    n, o = t.first[a + 1] - t.first[a], t.first[b + 1] - t.first[b]
    if n == 0 and o == 0:
        return t.both_empty
    # whole and broken part apart: n nodes that match fully give exactly n
    return divergence_of(weight // t.unit + (weight % t.unit) / t.unit, n, o)


@compiled
def table_divergences(t: ProgramTable, lefts: IntArray, rights: IntArray, weights: IntArray) -> FloatArray:
    """Eq 5 for many pairs."""
    result = np.empty(len(lefts))
    for k in range(len(lefts)):
        result[k] = table_divergence(t, lefts[k], rights[k], weights[k])
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Divergence(float):
    """Δ of two flows: a float, the `value` of the best mapping found, certified by [`lower`, `upper`].

    `decided` says what closed the interval: "bound" (the matching blind to wires was good) or "search"; or
    what left it open, so that `exact` is False and `value` is `upper`: "effort" or "time" (the budget
    ended), or "size" (too many pairs of nodes for a search: more time would change nothing). `mapping` is
    φ by ids.

    >>> d = divergence([{"id": "a", "type": "tab"}], [{"id": "a", "type": "tab"}, {"id": "b", "type": "csv"}])
    >>> d, d < 0.6, round(d, 1), f"{d:.3f}", float(np.mean([d, d]))
    (Divergence(0.5, 1 node matched), True, 0.5, '0.500', 0.5)
    """

    value: float
    lower: float
    mapping: dict[str, str]
    decided: str
    first: Flow = field(repr=False)
    second: Flow = field(repr=False)
    rules: Rules = field(repr=False)

    def __new__(cls, value: float, *_: Any, **__: Any) -> Self:
        return super().__new__(cls, number("value", value))

    @property
    def upper(self) -> float:
        """What Δ is at most: the value of a mapping that exists."""
        return self.value

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.value

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


def divergence(
    a: FlowLike,
    b: FlowLike,
    *,
    seconds: float | None = None,
    effort: int = EFFORT,
    mode: Mode | Rules = "exact",
) -> Divergence:
    """How far two programs are apart: Δ = 1 - (Σ w)² / (|V'| |V''|) over their best common subgraph.

    Parameters
    ----------
    a, b : the programs, each a flow, its nodes, JSON, or the path of a file
    seconds : search until Δ is proven or the time is up
        The time covers the search, not the steps around it (reading, the matching, setting up the graph: up
        to some seconds for thousands of nodes).
    effort : words of bitsets that the search may read where no time is given: the same on every machine
    mode : "exact", "reference" (as the authors' code compares nodes and wires), or `Rules`

    Returns
    -------
    Divergence : a float with `lower`, `upper`, `exact`, `mapping`, `decided`

    Notes
    -----
    Flows with more than 8,192 pairs of nodes of one type (up to 16,384 with enough `seconds`) are not
    searched: they get one greedy mapping, and `decided` is "size" when it is done, however much time is left.

    References
    ----------
    g-index paper, section 2.4 (Eq 5) and Appendix C.

    Examples
    --------
    >>> wired = [{"id": "a", "type": "inject", "wires": [["b"]]}, {"id": "b", "type": "debug"}]
    >>> unwired = [{"id": "x", "type": "inject"}, {"id": "y", "type": "debug"}]
    >>> float(divergence(wired, unwired)), float(divergence(wired, unwired, mode="reference"))
    (0.75, 0.0)
    >>> divergence(wired, wired).mapping
    {'a': 'a', 'b': 'b'}
    """
    first, second, rules = Flow.of(a), Flow.of(b), Rules.of(mode)
    table, _ = encode([first, second], rules)
    lower, upper, pairs, reason = bounds_of(table, 0, 1, effort, seconds)
    here, there = table.place[: len(first)], table.place[len(first) :]
    mapping = {first.ids[here[i]]: second.ids[there[j]] for i, j in pairs}
    return Divergence(upper, lower, mapping, reason, first, second, rules)


def bounds_of(
    t: ProgramTable,
    a: int,
    b: int,
    effort: int = EFFORT,
    seconds: float | None = None,
    largest: int | None = None,
) -> tuple[float, float, list[tuple[int, int]], str]:
    """Δ of one pair of a table from below and above, with all that the budget allows; the matched nodes, each
    counted within its program, and what decided. A graph with up to `largest` vertices is searched."""
    budget = integer("effort", effort)
    until = None if seconds is None else time.monotonic() + number("seconds", seconds, 0)
    say_if_cold(matching.associate)
    large = matching.count_pairs(t, a, b) > (largest or _largest(until))
    low, high, pairs, reason = (_rough if large else _search)(t, a, b, budget, until)
    return table_divergence(t, a, b, high), table_divergence(t, a, b, low), sorted(pairs), reason


@cache
def say_if_cold(kernel: Any) -> None:
    """Tell the first user of a fresh clone why nothing happens: each kernel is compiled once.

    Not in a run of the pipeline, whose reports do not depend on the machine's caches.
    """
    if kernel.signatures or os.environ.get("GINDEX_LAB_OUTPUT"):
        return
    newest = max(Path(__file__).with_name(name).stat().st_mtime for name in _KERNELS)
    kept = Path(kernel.stats.cache_path).glob(f"*.{kernel.__name__}-*.nbi")
    if not any(index.stat().st_mtime >= newest for index in kept):
        logging.getLogger("gindex_lab").warning("compiling the kernels of Δ (once, about 10 s) ...")


def _largest(until: float | None) -> int:
    """The vertices of the largest graph that is searched: more where there is time to build it."""
    if until is None:
        return _LARGEST_GRAPH
    entries = _BUILT * max(0.0, until - time.monotonic())
    return max(_LARGEST_GRAPH, min(_LARGEST_TIMED, int(entries**0.5)))


def _search(t: ProgramTable, a: int, b: int, effort: int, until: float | None) -> Found:
    """Bounds on the similarity by matching, then by clique search, with the pairs of the lower one."""
    n, o = (int(t.first[f + 1] - t.first[f]) for f in (a, b))
    pairs = matching.new_pairs(max(1, matching.count_pairs(t, a, b)), n)
    vertices, total = matching.associate(t, a, b, 0, pairs)
    if vertices == 0 or (t.partners == 0 and matching.matching_agrees(t, a, b, pairs.partner)):
        return total, total, _pairs(pairs.partner), "bound"
    if t.partners:
        vertices, weight = matching.shorten(t, a, b, vertices, pairs)
        if vertices == 0:
            return weight, weight, _pairs(pairs.partner), "bound"
    if (min(n, o) + 1) * vertices > _LARGEST_STACK:
        low, high, chosen, reason = _rough(t, a, b, effort, until)
        return low, min(high, total), chosen, "bound" if low == total else reason
    adjacent = np.zeros((vertices, (vertices + 63) // 64), np.uint64)
    matching.arrange(t, a, b, vertices, pairs, adjacent)
    stack = new_stack(vertices, min(n, o))
    matching.first_clique(vertices, pairs, adjacent, stack)
    proven, more = False, True
    while more and not proven:
        proven = search(pairs.weight, adjacent, vertices, stack, total, _CHUNK)
        effort -= _CHUNK
        more = effort > 0 if until is None else time.monotonic() < until
    low = int(stack.state[1])
    high = low if proven else min(total, int(still_open(stack)))
    best = stack.best[: stack.state[2]]
    chosen = list(zip(pairs.left[best].tolist(), pairs.right[best].tolist(), strict=True))
    return low, high, chosen, "search" if low == high else "effort" if until is None else "time"


def _rough(t: ProgramTable, a: int, b: int, effort: int, until: float | None) -> Found:
    """Bounds for flows whose association graph would be too large, and what ended the greedy mapping.

    With a time limit a mapping that was stopped starts again with the time that is left by the
    speed seen so far, as long as that is more than before.
    """
    n, o = (int(t.first[f + 1] - t.first[f]) for f in (a, b))
    high = best_partners(t, a, b, np.zeros(o, np.int64))
    image, colours = np.full(n, -1, np.int32), (shades(t, a), shades(t, b))
    spend = effort if until is None else _PLACING
    while True:
        start = time.monotonic()
        low, left = place_greedily(t, a, b, spend, *colours, image)
        now = time.monotonic()
        affordable = 0 if until is None else int(spend * (until - now) / max(now - start, 1e-6))
        if left or affordable <= spend:
            break
        spend = affordable
    ended = "size" if left else "effort" if until is None else "time"
    return low, high, _pairs(image), "bound" if low == high else ended


def _pairs(image: npt.NDArray[Any]) -> list[tuple[int, int]]:
    return [(i, j) for i, j in enumerate(image.tolist()) if j >= 0]
