"""Code that no agent can feel: found by deleting it, and the paper's classes 2a to 2d of it.

The paper calls code pointless when it changes a symbol that is chance anyway (2a), that is overwritten
(2b, or 2c for a loop that empties the cell), or that is emptied at once (2d), and recognises it by its text
(Vadinský 2018, section 2.3). Here the text only names the instructions in question: they are pointless if
the law of rewards and observations is the same without them, for every agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from gindex_lab.worlds.aiq.exact import QUICK, Caps, Process, close, same_law
from gindex_lab.worlds.aiq.program import partners

__all__ = ["POINTLESS", "candidates", "optimise", "pointless_classes", "pointless_code"]

_D, _X = r"[+\-]", r"[+\-%]"
# Each pattern's first group is the code in question.
_PATTERNS = {
    "modified_chance": [rf"%({_D}+)", rf"^({_D}+).*%{_D}*#$"],
    "overwritten": [rf"({_X}+)(?=[%,])", r"(,)%[^,]*$", rf"^{_X}*[%,].*?({_X}+)#$"],
    "zeroing_overwritten": [rf"(\[{_X}+\])(?=[%,])"],
    "zeroed": [rf"(%{_D}*)\[[+\-%,]+\]", rf"(,{_D}*)\[{_X}+\][^,]*$", rf"(,{_D}*)\[[+\-%,]*,[+\-%,]*\]"],
}
POINTLESS = tuple(_PATTERNS)


def candidates(program: str, name: str) -> list[tuple[int, int]]:
    """Where the code stands that the class asks about: from, to."""
    found = (match for pattern in _PATTERNS[name] for match in re.finditer(pattern, program))
    return list(dict.fromkeys(match.span(1) for match in found))


def pointless_classes(process: Process, caps: Caps | None = None) -> dict[str, bool]:
    """Whether a closed program holds code of the classes 2a to 2d that no agent can feel."""
    program = process.program

    @cache
    def unfelt(shorter: str) -> bool:
        return _unfelt(process, shorter, caps)

    return {
        name: any(unfelt(program[:start] + program[end:]) for start, end in candidates(program, name))
        for name in POINTLESS
    }


def pointless_code(
    program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None
) -> list[int] | None:
    """Places whose deletion changes nothing for any agent (a loop is deleted by its bracket pair).

    Exact: the program without the instruction has the same law of rewards and observations.

    Parameters
    ----------
    program, symbols, observations : as for `classify`
    caps : how far each search goes, `QUICK` by default

    Returns
    -------
    The places from 0, in order; None if the program does not close.

    References
    ----------
    Vadinský (2018), section 2.3, "Pointless code".

    Examples
    --------
    >>> pointless_code("+,.#"), pointless_code(",%-.#")
    ([0], [0, 2])
    """
    whole = close(program, symbols, observations, caps or QUICK)
    if not whole.closed:
        return None
    found = (gone for gone, shorter in _deletions(program) if _unfelt(whole, shorter, caps))
    return sorted(place for gone in found for place in gone)


def _unfelt(whole: Process, shorter: str, caps: Caps | None) -> bool:
    changed = close(shorter, whole.settings.symbols, whole.settings.observations, caps or QUICK)
    return changed.closed and same_law(whole, changed)


def _deletions(program: str) -> Iterator[tuple[list[int], str]]:
    """Each instruction (a bracket with its partner) and the program without it."""
    jumps = partners(program)
    for place in range(program.index("#")):
        gone = sorted({place, jumps.get(place, place)})
        if gone[0] == place:
            yield gone, "".join(letter for k, letter in enumerate(program) if k not in gone)


def optimise(program: str, symbols: int = 5, observations: int = 1, caps: Caps | None = None) -> str:
    """The program without code that no agent can feel, deleted one instruction or bracket pair at a time.

    Where the rewriting of SEP-ext knows twelve patterns, this deletes whatever leaves the law of rewards
    and observations as it is. What can only go together, such as `><`, stays: rewrite first.

    Parameters
    ----------
    program, symbols, observations, caps : as for `pointless_code`

    Returns
    -------
    The shorter program; a program that does not close is returned unchanged.

    References
    ----------
    Vadinský (2018), section 2.3.

    Examples
    --------
    >>> optimise("+,.%+.,-#")
    ',.%.#'
    """
    whole = close(program, symbols, observations, caps or QUICK)
    shorter = program if whole.closed else None
    while shorter is not None:
        program = shorter
        shorter = next((text for _, text in _deletions(program) if _unfelt(whole, text, caps)), None)
    return program
