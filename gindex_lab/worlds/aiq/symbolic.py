"""Straight-line programs, decided from their text.

Without loops nothing depends on what is in a cell, so one cycle can be run on symbols instead of numbers
(an action, chance or a fixed symbol, plus a constant): the reward is the cell under the first write, and a
cell that this cycle has not set was left by an earlier one. That decides two programs in five of a sample, in
microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gindex_lab.worlds.aiq.program import READABLE, MachineSettings, check

__all__ = ["StraightLine", "SymbolSource", "straight_line"]


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


def straight_line(program: str, symbols: int = 5, observations: int = 1) -> StraightLine | None:
    """What a program without loops does.

    Parameters
    ----------
    program, symbols, observations : as for `run`

    Returns
    -------
    A `StraightLine`; None if the program has loops.

    References
    ----------
    Vadinský (2018), section 2.2.

    Examples
    --------
    >>> straight_line(",+.#").reward, straight_line(".>,<#").reward.kind
    (SymbolSource(kind='action', delay=0, shift=1), 'fixed')
    >>> straight_line(".,#").reward, straight_line(".,%#").reward
    (SymbolSource(kind='action', delay=1, shift=0), SymbolSource(kind='chance', delay=1, shift=0))
    """
    settings = MachineSettings(symbols, observations)
    if "[" in check(program):
        return None
    cells: dict[int, SymbolSource] = {}  # set in this cycle, by place relative to where the head started
    writes: list[tuple[int, SymbolSource]] = []
    head = reads = executed = 0
    for letter in program:
        if letter == "#" or len(writes) > observations:
            break
        executed += 1
        here = cells.get(head, SymbolSource("cell"))
        if letter in "<>":
            head += 1 if letter == ">" else -1
        elif letter in "+-":
            cells[head] = replace(here, shift=here.shift + (1 if letter == "+" else -1))
        elif letter == ",":
            cells[head] = SymbolSource("action", reads) if reads < READABLE else SymbolSource("fixed")
            reads += 1
        elif letter == "%":
            cells[head] = SymbolSource("chance")
        else:
            writes.append((head, here))
    sources = [_trace(place, source, cells, head) for place, source in writes]
    sources = [replace(source, shift=source.shift % symbols) for source in sources]
    sources += [SymbolSource("fixed")] * (1 + observations - len(sources))
    reward = sources.pop(settings.reward_cell)
    return StraightLine(reward, tuple(sources), executed)


def _trace(
    place: int, source: SymbolSource, cells: dict[int, SymbolSource], displacement: int
) -> SymbolSource:
    """Follow a cell back through the cycles until something has set it."""
    back, shift = 0, source.shift
    while source.kind == "cell":
        place += displacement
        back += 1
        untouched = not cells or not min(cells) <= place <= max(cells)
        leaving = displacement == 0 or (place > 0) == (displacement > 0)
        if untouched and leaving:
            return SymbolSource("fixed")
        source = cells.get(place, SymbolSource("cell"))
        if source.kind == "cell" and displacement == 0:
            return SymbolSource("fixed")  # a counter: it changes, but always in the same way
        shift += source.shift
    return SymbolSource(source.kind, source.delay + back, shift)
