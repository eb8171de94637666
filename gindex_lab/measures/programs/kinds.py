"""Kinds of programs: copies are recognised, and Δ is computed once between kinds.

One compiled loop goes through the pairs: most are decided by the matching that is blind to wires, few need a
search, each within a budget.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.programs.divergence import EFFORT, ROOM, bounds_of, say_if_cold
from gindex_lab.measures.programs.encode import FlowTable, IntArray

__all__ = ["EFFORT_IN_BATCH", "copies_of", "distinct", "in_batch", "room_of"]

# words of bitsets read for one pair of many: some hundredths of a second
EFFORT_IN_BATCH = 20_000_000
_PAIRS_AT_ONCE = 1_000_000


def copies_of(t: FlowTable) -> tuple[IntArray, IntArray]:
    """One flow of each kind, and for every flow the number of its kind: copies compare alike."""
    kind, values, label = t.kind.tobytes(), t.content.values.tobytes(), t.relation.tobytes()
    nodes, rows, corners = t.first.tolist(), t.content.row[t.first].tolist(), t.corner.tolist()
    seen: dict[tuple[bytes, bytes, bytes], int] = {}
    of: list[int] = []
    number: list[int] = []
    for f in range(len(nodes) - 1):
        key = (
            kind[4 * nodes[f] : 4 * nodes[f + 1]],
            values[4 * rows[f] : 4 * rows[f + 1]],
            label[corners[f] : corners[f + 1]],
        )
        if key not in seen:
            seen[key] = len(of)
            of.append(f)
        number.append(seen[key])
    return np.array(of, dtype=np.int64), np.array(number, dtype=np.int64)


def distinct(
    t: FlowTable,
    of: IntArray,
    left: IntArray,
    right: IntArray,
    mirrored: bool,
) -> tuple[FloatArray, dict[tuple[int, int], tuple[float, float]], Counter[str]]:
    """Δ between kinds of flows, each unordered pair once where Δ is symmetric."""
    values = np.ones((len(left), len(right)))
    intervals: dict[tuple[int, int], tuple[float, float]] = {}
    decided: Counter[str] = Counter()
    half = mirrored and len(left) == len(right) and bool((left == right).all())
    filled = np.diff(t.first)[of] > 0
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
        if mirrored:  # the same question, whichever way round it is asked
            one, two = np.minimum(one, two), np.maximum(one, two)
        found, opened, counts = in_batch(t, of[one], of[two])
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
    t: FlowTable, lefts: IntArray, rights: IntArray
) -> tuple[FloatArray, dict[int, tuple[float, float]], Counter[str]]:
    """Δ of a list of pairs; a pair too hard for the batch gets a search of its own."""
    from gindex_lab.measures.programs.matching import OPEN, divergences_of, solve

    say_if_cold()
    low, high = np.zeros(len(lefts), np.int64), np.zeros(len(lefts), np.int64)
    decided = np.zeros(len(lefts), np.uint8)
    solve(t, lefts, rights, 0, room_of(t), EFFORT_IN_BATCH, low, high, decided)
    values = divergences_of(t, lefts, rights, low)
    bound, found, _ = np.bincount(decided, minlength=3).tolist()
    counts = Counter(bound=bound, search=found)
    opened = {}
    for k in np.flatnonzero(decided == OPEN).tolist():
        lower, upper, _, reason = bounds_of(t, int(lefts[k]), int(rights[k]), EFFORT, None)
        values[k] = upper
        counts[reason] += 1
        if lower < upper:
            opened[k] = (lower, upper)
    return values, opened, counts


def room_of(t: FlowTable) -> int:
    """Vertices that the batch provides for: all pairs of nodes of the largest flow, within reason."""
    most = int(np.diff(t.first).max(initial=1))
    return int(min(ROOM, max(1, most) ** 2))
