"""The nearest program of a curriculum: Ω(T', C) = min over T in C of Δ(T', T) (g-index paper, Eq 6).

One route for flows, domains and drawings: `nearest_in`. A lower bound on Δ by types puts the curriculum in
order, one by best partners decides whether to compute a Δ at all; both are certified, so the result is that
of comparing every pair (3 to 4% of them are evaluated on 500 x 4,500 programs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray, Mode, vector
from gindex_lab.measures.programs.bounds import best_partners, shared_types
from gindex_lab.measures.programs.cliques import compiled
from gindex_lab.measures.programs.comparison import EFFORT_IN_BATCH, flows_of, in_batch, room_of, warn_open
from gindex_lab.measures.programs.divergence import say_if_cold, table_divergence
from gindex_lab.measures.programs.encode import IntArray, ProgramTable, Rules, encode
from gindex_lab.measures.programs.flows import FlowLike
from gindex_lab.measures.programs.matching import OPEN, decide, new_work

__all__ = ["Neighbours", "nearest", "nearest_in", "nearest_many"]


@dataclass(frozen=True)
class Neighbours:
    """The nearest flow of a corpus for each of many flows, and how much work the bounds saved.

    Of `pairs` in all, `weighed` had their nodes compared and `evaluated` their Δ computed.
    """

    index: IntArray
    value: FloatArray
    pairs: int
    weighed: int
    evaluated: int


def nearest(flow: FlowLike, corpus: Sequence[FlowLike], mode: Mode | Rules = "exact") -> tuple[int, float]:
    """The nearest program of a corpus: its place (the first of equals) and its Δ, which is Ω.

    Parameters
    ----------
    flow : the program
    corpus : the programs it is compared with
    mode : "exact", "reference", or `Rules`

    Returns
    -------
    (place in the corpus, Δ)

    References
    ----------
    g-index paper, Eq 6.

    Examples
    --------
    >>> corpus = [[{"id": "a", "type": "csv"}], [{"id": "a", "type": "tab"}]]
    >>> nearest([{"id": "b", "type": "tab"}], corpus)
    (1, 0.0)
    """
    found = nearest_many([flow], corpus, mode)
    return int(found.index[0]), float(found.value[0])


def nearest_many(
    flows: Sequence[FlowLike],
    corpus: Sequence[FlowLike],
    mode: Mode | Rules = "exact",
    *,
    exclude: npt.ArrayLike | None = None,
) -> Neighbours:
    """The nearest program of a corpus for each of many programs.

    Parameters
    ----------
    flows : the programs
    corpus : the programs they are compared with
    mode : "exact", "reference", or `Rules`
    exclude : for each flow a place of the corpus that it may not take, such as its own; -1 for none

    Returns
    -------
    Neighbours : `index` and `value` (Δ) of each nearest program; `pairs`, `weighed`, `evaluated` as counts

    References
    ----------
    g-index paper, Eq 6.
    """
    queries, known = flows_of("flows", flows), flows_of("corpus", corpus)
    barred = np.full(len(queries), -1) if exclude is None else vector("exclude", exclude).astype(np.int64)
    problem = "[nothing-to-compare] leaves nothing to compare with"
    ensure(len(known) > (exclude is not None), "corpus", len(known), problem, "add programs")
    problem = f"[wrong-length] is not one place for each of {len(queries)} flows"
    ensure(len(barred) == len(queries), "exclude", len(barred), problem, "name one place for each flow")
    table, _ = encode(known + queries, Rules.of(mode))
    places = np.arange(len(known), len(known) + len(queries))
    return nearest_in(table, places, (0, len(known)), barred)


def nearest_in(
    t: ProgramTable,
    queries: IntArray,
    known: tuple[int, int],
    barred: IntArray | None = None,
    room: int | None = None,
    again: int | None = None,
) -> Neighbours:
    """Ω (Eq 6): for each query the nearest of the programs known[0] ... known[1] - 1 of a table but `barred`.

    Where a pair that matters stays open, the query is compared with all once more, each pair within the
    budget `again` (None: `EFFORT`, 0: not at all); what is open then is told in a warning.
    """
    say_if_cold(closest)
    barred = np.full(len(queries), -1) if barred is None else barred
    index, value, least, weighed, evaluated = closest(
        t, queries, *known, barred, room or room_of(t), EFFORT_IN_BATCH
    )
    opened = {k: (float(least[k]), float(value[k])) for k in np.flatnonzero(least < value)}
    for k in np.flatnonzero(least <= value) if again != 0 else ():
        others = np.setdiff1d(np.arange(*known), barred[k])
        values, still, _ = in_batch(t, np.full(len(others), queries[k]), others, again=again)
        best = int(np.argmin(values))
        index[k], value[k], evaluated = others[best], values[best], evaluated + len(others)
        opened[k] = min([(low, value[k]) for low, _ in still.values()], default=(value[k], value[k]))
    warn_open({k: bounds for k, bounds in opened.items() if bounds[0] < bounds[1]})
    pairs = len(queries) * (known[1] - known[0]) - int((barred >= 0).sum())
    return Neighbours(index, value, pairs, int(weighed), int(evaluated))


@compiled
def closest(
    t: ProgramTable, queries: IntArray, start: int, end: int, barred: IntArray, room: int, effort: int
) -> tuple[IntArray, FloatArray, FloatArray, int, int]:
    """For each query the first of the nearest programs from `start` to `end`, but the one `barred`, its Δ,
    and what Δ is at least in the pairs left open; and how many pairs were weighed and evaluated in all."""
    work = new_work(t, room)
    scratch = np.zeros(len(work.pairs.partner), np.int64)
    index = np.full(len(queries), -1)
    nearest, least = np.full(len(queries), 2.0), np.full(len(queries), 3.0)  # above any Δ
    floor = np.zeros(end - start)
    weighed = evaluated = 0
    for k in range(len(queries)):
        query = queries[k]
        for c in range(start, end):
            floor[c - start] = table_divergence(t, query, c, shared_types(t, query, c))
        for place in np.argsort(floor, kind="mergesort"):
            best, found, c = nearest[k], index[k], start + place
            if c == barred[k]:
                continue
            if floor[place] > best:
                break
            weighed += 1
            bound = table_divergence(t, query, c, best_partners(t, query, c, scratch))
            if bound > best or (bound == best and c > found):
                continue
            evaluated += 1
            low, high, decided = decide(t, query, c, effort, work)
            if decided == OPEN:
                least[k] = min(least[k], table_divergence(t, query, c, high))
            value = table_divergence(t, query, c, low)
            if value < best or (value == best and c < found):
                nearest[k], index[k] = value, c
    return index, nearest, least, weighed, evaluated
