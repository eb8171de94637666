"""What can be decided from the text: straight-line programs, and pointless code.

Without loops nothing depends on what is in a cell, so one cycle can be run on symbols instead of numbers
(an action, chance or a fixed symbol, plus a constant): the reward is the cell under the first write, and a
cell that this cycle has not set was left by an earlier one. That decides two programs in five of a sample, in
microseconds.

The paper calls code pointless when it changes a symbol that is chance anyway (2a), that is overwritten
(2b, or 2c for a loop that empties the cell), or that is emptied at once (2d), and recognises it by its text
(Vadinský 2018, section 2.3). Here the text only names the instructions in question: they are pointless if
the law of rewards and observations is the same without them, for every agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gindex_lab.worlds.aiq.exact import QUICK, Caps, Process, close, same_law
from gindex_lab.worlds.aiq.program import MachineSettings, check

__all__ = [
    "POINTLESS",
    "StraightLine",
    "SymbolSource",
    "candidates",
    "pointless_classes",
    "straight_line",
]

READABLE = 24


@dataclass(frozen=True)
class SymbolSource:
    """Where a written symbol comes from: `"action"`, `"chance"` or `"fixed"`, `delay` cycles ago, + shift."""

    kind: str
    delay: int = 0
    shift: int = 0


@dataclass(frozen=True)
class StraightLine:
    """A straight-line program: the sources of its reward and observations, and how far it runs."""

    reward: SymbolSource
    observations: tuple[SymbolSource, ...]
    executed: int  # instructions before it halts at the write limit, or all

    @property
    def discriminative(self) -> bool:
        """Only a reward that is an action can be earned."""
        return self.reward.kind == "action"


@dataclass
class _Cycle:
    """One cycle on symbols: cells that it set (relative to where the head started), and its writes."""

    cells: dict[int, SymbolSource]
    writes: list[tuple[int, SymbolSource]]
    displacement: int = 0
    executed: int = 0


def _run(program: str, limit: int) -> _Cycle:
    cycle = _Cycle({}, [])
    head = reads = 0
    for letter in program:
        if letter == "#" or len(cycle.writes) == limit:
            break
        cycle.executed += 1
        here = cycle.cells.get(head, SymbolSource("cell"))
        if letter in "<>":
            head += 1 if letter == ">" else -1
        elif letter in "+-":
            step = 1 if letter == "+" else -1
            cycle.cells[head] = SymbolSource(here.kind, here.delay, here.shift + step)
        elif letter == ",":
            cycle.cells[head] = (
                SymbolSource("action", reads) if reads < READABLE else SymbolSource("fixed")
            )
            reads += 1
        elif letter == "%":
            cycle.cells[head] = SymbolSource("chance")
        else:
            cycle.writes.append((head, here))
    cycle.displacement = head
    return cycle


def _trace(place: int, source: SymbolSource, cycle: _Cycle) -> SymbolSource:
    """Follow a cell back through the cycles until something has set it."""
    back, shift = 0, source.shift
    places = list(cycle.cells)
    while source.kind == "cell":
        place += cycle.displacement
        back += 1
        untouched = not places or not min(places) <= place <= max(places)
        leaving = cycle.displacement == 0 or (place > 0) == (cycle.displacement > 0)
        if untouched and leaving:
            return SymbolSource("fixed")
        source = cycle.cells.get(place, SymbolSource("cell"))
        if source.kind == "cell" and cycle.displacement == 0:
            return SymbolSource("fixed")  # a counter: it changes, but always in the same way
        shift += source.shift
    return SymbolSource(source.kind, source.delay + back, shift)


def straight_line(program: str, symbols: int = 5, observations: int = 1) -> StraightLine | None:
    """What a program without loops does; None if it has loops. (Vadinský 2018, section 2.2.)

    >>> straight_line(",+.#").reward, straight_line(".>,<#").reward.kind
    (SymbolSource(kind='action', delay=0, shift=1), 'fixed')
    >>> straight_line(".,#").reward, straight_line(".,%#").reward
    (SymbolSource(kind='action', delay=1, shift=0), SymbolSource(kind='chance', delay=1, shift=0))
    """
    settings = MachineSettings(symbols, observations)
    if "[" in check(program):
        return None
    cycle = _run(program, 1 + observations)
    sources = [_trace(place, source, cycle) for place, source in cycle.writes]
    sources = [SymbolSource(s.kind, s.delay, s.shift % symbols) for s in sources]
    sources += [SymbolSource("fixed")] * (1 + observations - len(sources))
    reward = sources.pop(settings.reward_cell)
    return StraightLine(reward, tuple(sources), cycle.executed)


_D = r"[+\-]"
_X = r"[+\-%]"
# Each pattern's first group is the code in question.
_PATTERNS: dict[str, list[re.Pattern[str]]] = {
    name: [re.compile(pattern) for pattern in patterns]
    for name, patterns in {
        "modified_chance": [rf"%({_D}+)", rf"^({_D}+).*%{_D}*#$"],
        "overwritten": [
            rf"({_X}+)(?=[%,])",
            r"(,)%[^,]*$",
            rf"^{_X}*[%,].*?({_X}+)#$",
        ],
        "zeroing_overwritten": [rf"(\[{_X}+\])(?=[%,])"],
        "zeroed": [
            rf"(%{_D}*)\[[+\-%,]+\]",
            rf"(,{_D}*)\[{_X}+\][^,]*$",
            rf"(,{_D}*)\[[+\-%,]*,[+\-%,]*\]",
        ],
    }.items()
}
POINTLESS = tuple(_PATTERNS)


def candidates(program: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the code stands that the class asks about: from, to.

    >>> list(candidates("%++.-%,#", "modified_chance")), list(candidates("%++.-%,#", "overwritten"))
    ([(1, 3)], [(4, 6)])
    """
    seen: set[tuple[int, int]] = set()
    for pattern in _PATTERNS[name]:
        for match in pattern.finditer(program):
            if match.span(1) not in seen:
                seen.add(match.span(1))
                yield match.span(1)


def pointless_classes(process: Process, caps: Caps | None = None) -> dict[str, bool]:
    """Whether a closed program holds code of the classes 2a to 2d that no agent can feel.

    >>> found = pointless_classes(close("%+.,#"))
    >>> [name for name, member in found.items() if member]
    ['modified_chance']
    >>> pointless_classes(close(",.-.,#"))["overwritten"], pointless_classes(close(",-,.#"))["overwritten"]
    (False, True)

    References: Vadinský (2018), section 2.3, classes 2(a) to 2(d).
    """
    known: dict[str, bool] = {}
    return {
        name: any(
            _unfelt(process, process.program[:start] + process.program[end:], caps, known)
            for start, end in candidates(process.program, name)
        )
        for name in POINTLESS
    }


def _unfelt(process: Process, shorter: str, caps: Caps | None, known: dict[str, bool]) -> bool:
    if shorter not in known:
        settings = process.settings
        changed = close(shorter, settings.symbols, settings.observations, caps or QUICK)
        known[shorter] = changed.closed and same_law(process, changed)
    return known[shorter]
