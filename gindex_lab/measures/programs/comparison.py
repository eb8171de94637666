"""Many programs at once: all pairs of a corpus, and nearest neighbours.

Every flow is encoded once, copies are recognised, and one compiled loop goes through the pairs: most are
decided by the matching that is blind to wires, few need a search. A pair that a search cannot decide
within its budget is reported with its interval, never passed off as a value.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation import parallel
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, Mode, choice, vector
from gindex_lab.measures.programs.divergence import say_if_cold
from gindex_lab.measures.programs.encode import FlowTable, IntArray, Rules, encode
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.measures.programs.kinds import (
    EFFORT_IN_BATCH,
    copies_of,
    distinct,
    in_batch,
    room_of,
)

__all__ = [
    "Comparison",
    "Neighbours",
    "Uncertified",
    "compare",
    "divergences",
    "nearest",
    "nearest_many",
    "pairwise",
]


class Uncertified(UserWarning):
    """Some values are the upper end of a certified interval: the budget did not suffice to close it."""


@dataclass(frozen=True)
class Comparison:
    """Δ between the flows of two lists: `values` (rows x columns), and what is known about them.

    `intervals` holds (lower, upper) of each pair that stayed open, by place; `decided` counts the distinct
    pairs by what decided them ("copy", or the words of `Divergence.decided`).
    """

    values: FloatArray
    intervals: dict[tuple[int, int], tuple[float, float]]
    decided: Counter[str]


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


def compare(
    flows: Sequence[FlowLike],
    others: Sequence[FlowLike] | None = None,
    mode: Mode | Rules = "exact",
) -> Comparison:
    """Δ from each flow to each of the others, or between all flows of one list. (g-index paper, Eq 5.)

    >>> a, b = [{"id": "a", "type": "tab"}], [{"id": "a", "type": "tab"}, {"id": "b", "type": "csv"}]
    >>> compare([a, b], [a]).values.tolist()
    [[0.0], [0.5]]
    """
    rules = Rules.of(mode)
    rows, columns = flows_of("flows", flows), None if others is None else flows_of("others", others)
    table, mirrored = encode(rows if columns is None else rows + columns, rules)
    of, number = copies_of(table)
    left = number[: len(rows)]
    right = left if columns is None else number[len(rows) :]
    rows_of = np.arange(len(of)) if columns is None else np.unique(left)
    columns_of = rows_of if columns is None else np.unique(right)
    values, intervals, decided = distinct(table, of, rows_of, columns_of, mirrored)
    if not (np.array_equal(rows_of, left) and np.array_equal(columns_of, right)):
        values = values[np.ix_(np.searchsorted(rows_of, left), np.searchsorted(columns_of, right))]
    spread = {
        (int(i), int(j)): interval
        for (p, q), interval in intervals.items()
        for i in np.flatnonzero(left == p)
        for j in np.flatnonzero(right == q)
    }
    return Comparison(values, spread, decided)


def flows_of(name: str, flows: ProgramLike) -> list[Flow]:
    if isinstance(flows, (str, bytes, PathLike, Flow)):
        raise BadInput(name, flows, "[one-program] is one program", "pass a list of programs")
    if isinstance(flows, Mapping) or not isinstance(flows, Iterable):
        raise BadInput(
            name, flows, "[not-a-list] is not a list of programs", "pass a list of programs"
        )
    return [Flow.of(flow) for flow in flows]


def divergences(
    firsts: Sequence[FlowLike], seconds: Sequence[FlowLike], mode: Mode | Rules = "exact"
) -> FloatArray:
    """Δ of the first with the first, the second with the second, ...: the distance alone, for scoring.

    Reference: g-index paper, Eq 5.

    >>> divergences([[{"id": "a", "type": "tab"}]] * 2, [[{"id": "b", "type": "tab"}], []]).tolist()
    [0.0, 1.0]
    """
    left, right = flows_of("firsts", firsts), flows_of("seconds", seconds)
    if len(left) != len(right):
        problem = f"[wrong-length] does not match the {len(left)} first programs"
        raise BadInput("seconds", len(right), problem, "pass as many")
    table, _ = encode(left + right, Rules.of(mode))
    places = np.arange(len(left))
    values, opened, _ = in_batch(table, places, places + len(left))
    _warn(opened)
    return values


@overload
def pairwise(
    flows: Mapping[str, FlowLike], mode: Mode | Rules = "exact", *, jobs: int | None = 1
) -> pd.DataFrame: ...
@overload
def pairwise(
    flows: Sequence[FlowLike],
    mode: Mode | Rules = "exact",
    *,
    out: str | PathLike[str] | None = None,
    dtype: str = "float64",
    jobs: int | None = 1,
) -> npt.NDArray[np.floating[Any]]: ...
def pairwise(
    flows: Sequence[FlowLike] | Mapping[str, FlowLike],
    mode: Mode | Rules = "exact",
    *,
    out: str | PathLike[str] | None = None,
    dtype: str = "float64",
    jobs: int | None = 1,
) -> npt.NDArray[np.floating[Any]] | pd.DataFrame:
    """The matrix of Δ between all flows; row = first program. Warns where an interval stayed open.

    Flows by name (a mapping) give a table with these names. `jobs` processes share the work (None: all
    cores), or the workers of `gl.cluster`. For a corpus too large for the memory, `out` names a .npy file:
    it is written tile by tile and returned as `np.load(out, mmap_mode="r")`; when the run is interrupted,
    the same call goes on where it was (a journal beside the file knows). `dtype="float32"` halves the
    file and rounds Δ to seven digits. (g-index paper, Eq 5 and Figure 6.)

    >>> chain = [{"id": "a", "type": "in", "wires": [["b"]]}, {"id": "b", "type": "out"}]
    >>> pairwise([chain, chain[:1], chain[1:]]).tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]
    """
    programs = list(flows.values()) if isinstance(flows, Mapping) else flows
    kind = choice("dtype", dtype, ["float64", "float32"])
    if out is None and jobs == 1 and not parallel.on_cluster():
        result = compare(programs, mode=mode)
        values, opened = result.values.astype(kind, copy=False), result.intervals
    else:
        values, opened = _in_tiles(flows, programs, Rules.of(mode), out, kind, jobs)
    _warn(opened)
    return pd.DataFrame(values, list(flows), list(flows)) if isinstance(flows, Mapping) else values


def _in_tiles(
    given: object,
    programs: Sequence[FlowLike],
    rules: Rules,
    out: str | PathLike[str] | None,
    dtype: str,
    jobs: int | None,
) -> tuple[Any, dict[tuple[int, int], tuple[float, float]]]:
    from gindex_lab.measures.programs.tiles import Corpus, all_pairs, all_pairs_in_file

    if out is not None and isinstance(given, Mapping):
        problem = "[no-names] holds numbers without names"
        raise BadInput("out", str(out), problem, "pass list(flows.values()), keep the names")
    corpus = Corpus.encoded(flows_of("flows", programs), rules)
    if out is None:
        return all_pairs(corpus, dtype, jobs)
    return all_pairs_in_file(corpus, out, dtype, jobs)


def _warn(intervals: dict[Any, tuple[float, float]]) -> None:
    if intervals:
        widest = max(upper - lower for lower, upper in intervals.values())
        said = (
            f"{len(intervals)} values are upper bounds, at most {widest:.3g} too high: "
            "see compare(...).intervals, or use divergence(..., seconds=)"
        )
        warnings.warn(said, Uncertified, stacklevel=3)


def nearest(
    flow: FlowLike, corpus: Sequence[FlowLike], mode: Mode | Rules = "exact"
) -> tuple[int, float]:
    """The place of the nearest program of a corpus (the first of equals) and its Δ: Ω of Eq 6.

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
    """The nearest program of a corpus for each of many; `exclude[k]` is a place that flow k may not take.

    A lower bound on Δ by types puts the corpus in order; a bound by best partners decides which Δ to
    compute. Both are certified, so the result is that of comparing every pair. (g-index paper, Eq 6.)
    """
    queries, known = flows_of("flows", flows), flows_of("corpus", corpus)
    barred = np.full(len(queries), -1)
    if exclude is not None:
        barred = vector("exclude", exclude).astype(np.int64)
    if not known or (exclude is not None and len(known) < 2):
        raise BadInput(
            "corpus",
            len(known),
            "[nothing-to-compare] leaves nothing to compare with",
            "add programs",
        )
    if len(barred) != len(queries):
        problem = f"[wrong-length] is not one place for each of {len(queries)} flows"
        raise BadInput("exclude", len(barred), problem, "name one place a flow")
    t, _ = encode(known + queries, Rules.of(mode))
    places = np.arange(len(known), len(known) + len(queries))
    index, value, weighed, evaluated = nearest_in(t, places, (0, len(known)), barred)
    pairs = len(queries) * (len(known) - (exclude is not None))
    return Neighbours(index, value, pairs, weighed, evaluated)


def nearest_in(
    t: FlowTable, queries: IntArray, known: tuple[int, int], barred: IntArray
) -> tuple[IntArray, FloatArray, int, int]:
    """The nearest to each query among the flows of a table from known[0] to known[1], but the one `barred`,
    and its Δ: Ω (Eq 6); how many pairs were weighed and evaluated."""
    from gindex_lab.measures.programs.neighbours import closest

    say_if_cold()
    index, value, _, still_open, weighed, evaluated = closest(
        t, queries, *known, barred, 0, room_of(t), EFFORT_IN_BATCH
    )
    for k in np.flatnonzero(still_open):  # all pairs with a larger budget
        others = np.setdiff1d(np.arange(*known), barred[k])
        values, opened, _ = in_batch(t, np.full(len(others), queries[k]), others)
        best = int(np.argmin(values))
        _warn({k: v for k, v in opened.items() if v[0] < values[best]})
        index[k], value[k], evaluated = others[best], values[best], evaluated + len(others)
    return index, value, int(weighed), int(evaluated)
