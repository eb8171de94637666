"""Straight-line programs, decided by hand: every cell is an action, chance or fixed, plus a constant.

Without loops nothing depends on what is in a cell, so one cycle can be run on symbols instead of numbers:
the reward is the cell under the first write, and a cell that this cycle has not set was left by an earlier
one. That decides what such a program does in microseconds (two programs in five of a sample).
"""

from __future__ import annotations

from dataclasses import dataclass

from gindex_lab.worlds.aiq.program import Settings, check

__all__ = ["Line", "Source", "straight_line"]

READABLE = 24


@dataclass(frozen=True)
class Source:
    """Where a written symbol comes from: `"action"`, `"chance"` or `"fixed"`, `delay` cycles ago, + shift."""

    kind: str
    delay: int = 0
    shift: int = 0


@dataclass(frozen=True)
class Line:
    """A straight-line program: the sources of its reward and observations, and how far it runs."""

    reward: Source
    observations: tuple[Source, ...]
    executed: int  # instructions before it halts at the write limit, or all

    @property
    def discriminative(self) -> bool:
        """Only a reward that is an action can be earned."""
        return self.reward.kind == "action"


@dataclass
class _Cycle:
    """One cycle on symbols: cells that it set (relative to where the head started), and its writes."""

    cells: dict[int, Source]
    writes: list[tuple[int, Source]]
    displacement: int = 0
    executed: int = 0


def _run(program: str, limit: int) -> _Cycle:
    cycle = _Cycle({}, [])
    head = reads = 0
    for letter in program:
        if letter == "#" or len(cycle.writes) == limit:
            break
        cycle.executed += 1
        here = cycle.cells.get(head, Source("cell"))
        if letter in "<>":
            head += 1 if letter == ">" else -1
        elif letter in "+-":
            step = 1 if letter == "+" else -1
            cycle.cells[head] = Source(here.kind, here.delay, here.shift + step)
        elif letter == ",":
            cycle.cells[head] = Source("action", reads) if reads < READABLE else Source("fixed")
            reads += 1
        elif letter == "%":
            cycle.cells[head] = Source("chance")
        else:
            cycle.writes.append((head, here))
    cycle.displacement = head
    return cycle


def _trace(place: int, source: Source, cycle: _Cycle) -> Source:
    """Follow a cell back through the cycles until something has set it."""
    back, shift = 0, source.shift
    places = list(cycle.cells)
    while source.kind == "cell":
        place += cycle.displacement
        back += 1
        untouched = not places or not min(places) <= place <= max(places)
        leaving = cycle.displacement == 0 or (place > 0) == (cycle.displacement > 0)
        if untouched and leaving:
            return Source("fixed")
        source = cycle.cells.get(place, Source("cell"))
        if source.kind == "cell" and cycle.displacement == 0:
            return Source("fixed")  # a counter: it changes, but always in the same way
        shift += source.shift
    return Source(source.kind, source.delay + back, shift)


def straight_line(program: str, symbols: int = 5, observations: int = 1) -> Line | None:
    """What a program without loops does; None if it has loops.

    >>> straight_line(",+.#").reward, straight_line(".>,<#").reward.kind
    (Source(kind='action', delay=0, shift=1), 'fixed')
    >>> straight_line(".,#").reward, straight_line(".,%#").reward
    (Source(kind='action', delay=1, shift=0), Source(kind='chance', delay=1, shift=0))
    """
    settings = Settings(symbols, observations)
    if "[" in check(program):
        return None
    cycle = _run(program, 1 + observations)
    sources = [_trace(place, source, cycle) for place, source in cycle.writes]
    sources = [Source(s.kind, s.delay, s.shift % symbols) for s in sources]
    sources += [Source("fixed")] * (1 + observations - len(sources))
    reward = sources.pop(settings.reward_cell)
    return Line(reward, tuple(sources), cycle.executed)
