"""Pointless code of the classes 2a to 2d, decided: the code is deleted, and the two environments compared.

The paper calls code pointless when it changes a symbol that is chance anyway (2a), that is overwritten
(2b, or 2c for a loop that empties the cell), or that is emptied at once (2d), and recognises it by its text
(Vadinský 2018, section 2.3). Here the text only names the instructions in question. They are pointless if
without them the law of rewards and observations is the same for every agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gindex_lab.worlds.aiq.exact import QUICK, Caps, Process, close, same_law

__all__ = ["POINTLESS", "candidates", "pointless_classes"]

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
