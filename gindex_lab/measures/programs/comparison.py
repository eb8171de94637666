"""Many pairs of programs at once: Δ between the flows of two lists, copies compared once.

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
from typing import Any, NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import ProgramLike
from gindex_lab.foundation.validate import FloatArray, Mode
from gindex_lab.measures.programs.divergence import (
    EFFORT,
    bounds_of,
    say_if_cold,
    table_divergence,
    table_divergences,
)
from gindex_lab.measures.programs.encode import IntArray, ProgramTable, Rules, encode
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.measures.programs.matching import OPEN, solve

__all__ = ["Comparison", "Corpus", "Uncertified", "compare", "divergences", "in_batch", "warn_open"]

# words of bitsets read for one pair of many: some hundredths of a second (a judgement, as EFFORT)
EFFORT_IN_BATCH = 20_000_000
_ROOM = 1_024  # vertices that a batch provides for (a judgement): 128 kB of edges
_PAIRS_AT_ONCE = 1_000_000  # whose places are held in memory: 50 MB

Intervals = dict[tuple[int, int], tuple[float, float]]


class Uncertified(UserWarning):
    """Some values are the upper end of a certified interval: the budget did not suffice to close it."""


@dataclass(frozen=True)
class Comparison:
    """Δ between the flows of two lists: `values` (rows x columns), and what is known about them.

    `intervals` holds (lower, upper) of each pair that stayed open, by place; `decided` counts the distinct
    pairs by what decided them ("copy", or the words of `Divergence.decided`).
    """

    values: FloatArray
    intervals: Intervals
    decided: Counter[str]


class Corpus(NamedTuple):
    """The encoded flows, which are copies, and how to compare.

    `of` names one flow of each kind and `number` the kind of every flow; `mirrored`: Δ is symmetric.
    """

    table: ProgramTable
    of: IntArray
    number: IntArray
    rules: Rules
    mirrored: bool

    @classmethod
    def encoded(cls, flows: list[Flow], rules: Rules) -> Corpus:
        """The corpus of these flows: those with the same types, values and wires are copies."""
        t, mirrored = encode(flows, rules)
        kind, values, label = t.kind.tobytes(), t.content.values.tobytes(), t.relation.tobytes()
        nodes, rows, corners = t.first.tolist(), t.content.row[t.first].tolist(), t.corner.tolist()
        seen: dict[tuple[bytes, bytes, bytes], int] = {}
        of: list[int] = []
        number: list[int] = []
        for f in range(len(flows)):
            key = (
                kind[4 * nodes[f] : 4 * nodes[f + 1]],
                values[4 * rows[f] : 4 * rows[f + 1]],
                label[corners[f] : corners[f + 1]],
            )
            if key not in seen:
                seen[key] = len(of)
                of.append(f)
            number.append(seen[key])
        return cls(t, np.array(of, dtype=np.int64), np.array(number, dtype=np.int64), rules, mirrored)

    def between(self, rows: slice, columns: slice) -> Comparison:
        """Δ from some of the flows to others."""
        first, second = self.number[rows], self.number[columns]
        left, right = np.unique(first), np.unique(second)
        values, opened, decided = self._distinct(left, right)
        if not (np.array_equal(left, first) and np.array_equal(right, second)):
            values = values[np.ix_(np.searchsorted(left, first), np.searchsorted(right, second))]
        intervals = {
            (int(i), int(j)): interval
            for (p, q), interval in opened.items()
            for i in np.flatnonzero(first == p)
            for j in np.flatnonzero(second == q)
        }
        return Comparison(values, intervals, decided)

    def _distinct(self, left: IntArray, right: IntArray) -> tuple[FloatArray, Intervals, Counter[str]]:
        """Δ between kinds of flows, each unordered pair once where Δ is symmetric."""
        values = np.ones((len(left), len(right)))
        intervals: Intervals = {}
        decided: Counter[str] = Counter()
        half = self.mirrored and np.array_equal(left, right)
        filled = np.diff(self.table.first)[self.of] > 0
        rows_at_once = max(1, _PAIRS_AT_ONCE // max(1, len(right)))
        for start in range(0, len(left), rows_at_once):
            block = slice(start, start + rows_at_once)
            across, down = right[None, :], left[block, None]
            copies = (down == across) & filled[down]
            values[block][copies] = 0.0
            decided["copy"] += int(copies.sum())
            i, j = np.nonzero(down < across if half else down != across)
            i += start
            one, two = left[i], right[j]
            if self.mirrored:  # the same question, whichever way round it is asked
                one, two = np.minimum(one, two), np.maximum(one, two)
            found, opened, counts = in_batch(self.table, self.of[one], self.of[two])
            decided += counts
            values[i, j] = found
            if half:
                values[j, i] = found
            for k, interval in opened.items():
                intervals[int(left[i[k]]), int(right[j[k]])] = interval
                if half:
                    intervals[int(right[j[k]]), int(left[i[k]])] = interval
        return values, intervals, decided


def in_batch(
    t: ProgramTable, lefts: IntArray, rights: IntArray, room: int | None = None, again: int | None = None
) -> tuple[FloatArray, dict[int, tuple[float, float]], Counter[str]]:
    """Δ of a list of pairs, the bounds of those that stay open, and how many were decided by what.

    A pair that `EFFORT_IN_BATCH` does not decide gets a search of its own with the budget `again` (None:
    `EFFORT`, 0: none).
    """
    say_if_cold(solve)
    low, high = np.zeros(len(lefts), np.int64), np.zeros(len(lefts), np.int64)
    decided = np.zeros(len(lefts), np.uint8)
    solve(t, lefts, rights, room or room_of(t), EFFORT_IN_BATCH, low, high, decided)
    values = table_divergences(t, lefts, rights, low)
    bound, found, _ = np.bincount(decided, minlength=3).tolist()
    counts = Counter(bound=bound, search=found)
    opened = {}
    for k in np.flatnonzero(decided == OPEN).tolist():
        lower, reason = table_divergence(t, lefts[k], rights[k], high[k]), "effort"
        if again != 0:
            lower, values[k], _, reason = bounds_of(t, int(lefts[k]), int(rights[k]), again or EFFORT)
        counts[reason] += 1
        if lower < values[k]:
            opened[k] = (lower, float(values[k]))
    return values, opened, counts


def room_of(t: ProgramTable) -> int:
    """Vertices that a batch provides for: all pairs of nodes of the largest flow, within reason."""
    return int(min(_ROOM, max(1, np.diff(t.first).max(initial=1)) ** 2))


def warn_open(intervals: Mapping[Any, tuple[float, float]]) -> None:
    """Say so where a budget ended before a value was certain."""
    if intervals:
        widest = max(upper - lower for lower, upper in intervals.values())
        said = (
            f"{len(intervals)} values are upper bounds, at most {widest:.3g} too high: "
            "see compare(...).intervals, or compare the two with a larger budget (effort=, seconds=)"
        )
        warnings.warn(said, Uncertified, stacklevel=3)


def flows_of(name: str, flows: ProgramLike) -> list[Flow]:
    """A list of programs as flows."""
    if isinstance(flows, (str, bytes, PathLike, Flow)):
        raise BadInput(name, flows, "[one-program] is one program", "pass a list of programs")
    if isinstance(flows, Mapping) or not isinstance(flows, Iterable):
        raise BadInput(name, flows, "[not-a-list] is not a list of programs", "pass a list of programs")
    return [Flow.of(flow) for flow in flows]


def compare(
    flows: Sequence[FlowLike], others: Sequence[FlowLike] | None = None, mode: Mode | Rules = "exact"
) -> Comparison:
    """Δ from each flow to each of the others, with the certificates of pairs that stayed open.

    Parameters
    ----------
    flows : programs, one row each
    others : programs, one column each; without them, the same list
    mode : "exact", "reference", or `Rules`

    Returns
    -------
    Comparison : `values` (rows x columns), `intervals` of open pairs, `decided` (what decided how many)

    References
    ----------
    g-index paper, Eq 5.

    Examples
    --------
    >>> a, b = [{"id": "a", "type": "tab"}], [{"id": "a", "type": "tab"}, {"id": "b", "type": "csv"}]
    >>> compare([a, b], [a]).values.tolist()
    [[0.0], [0.5]]
    """
    rows = flows_of("flows", flows)
    columns = [] if others is None else flows_of("others", others)
    corpus = Corpus.encoded(rows + columns, Rules.of(mode))
    here = slice(len(rows))
    return corpus.between(here, here if others is None else slice(len(rows), None))


def divergences(
    firsts: Sequence[FlowLike], seconds: Sequence[FlowLike], mode: Mode | Rules = "exact"
) -> FloatArray:
    """Δ of the first with the first, the second with the second, ...: the distance alone, for scoring.

    Parameters
    ----------
    firsts, seconds : programs, as many of the one as of the other
    mode : "exact", "reference", or `Rules`

    Returns
    -------
    array : Δ of each pair; a warning tells of pairs that stayed open

    References
    ----------
    g-index paper, Eq 5.

    Examples
    --------
    >>> divergences([[{"id": "a", "type": "tab"}]] * 2, [[{"id": "b", "type": "tab"}], []]).tolist()
    [0.0, 1.0]
    """
    left, right = flows_of("firsts", firsts), flows_of("seconds", seconds)
    problem = f"[wrong-length] does not match the {len(left)} first programs"
    ensure(len(left) == len(right), "seconds", len(right), problem, "pass as many")
    table, _ = encode(left + right, Rules.of(mode))
    places = np.arange(len(left))
    values, opened, _ = in_batch(table, places, places + len(left))
    warn_open(opened)
    return values
