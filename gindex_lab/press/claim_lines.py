"""The claims of a cell in one line, with a table behind it.

"✓ 48 of 48 reproduced" is a `<details>` element: it opens by a click or by the keyboard. Where the data are
not on this machine the line says which command brings them, or says where they belong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from gindex_lab.press.reproduction.claim_rows import told
from gindex_lab.press.reproduction.claims import Result

__all__ = ["claims_fold", "claims_line"]

_MARKS = {"reproduced": "✓", "differs": "≠"}
_COLOURS = {"✓": "#00704f", "≠": "#b04a00", "○": "#555"}


def claims_line(results: Sequence[Result]) -> str:
    """How many are reproduced, differ or wait for data, in one line of text."""
    counts = Counter(result.status for result in results)
    waiting = sum(n for word, n in counts.items() if word not in _MARKS)
    held = len(results) - waiting
    parts = [f"{counts['reproduced']} of {held} reproduced"] if held else []
    if counts["differs"]:
        parts.append(f"{counts['differs']} {'differs' if counts['differs'] == 1 else 'differ'}")
    if waiting:
        what = "claim" if waiting == 1 else "claims"
        verb = "needs" if waiting == 1 else "need"
        more = f"{waiting} more {verb}" if held else f"{waiting} {what} {verb}"
        parts.append(f"{more} the published data")
    mark = "✓" if held and counts["reproduced"] == held else "≠" if counts["differs"] else "○"
    return f"{mark} {', '.join(parts)}" if parts else "nothing to compare"


def command(results: Iterable[Result]) -> str:
    """The command that brings the data that are missing, or what to do where none may be downloaded."""
    from gindex_lab.studies.data.registry import entries

    waiting = [r for r in results if r.status == "needs data"]
    names = dict.fromkeys(name for r in waiting for name in r.claim.requires.split())
    known = entries()
    fetched = [name for name in names if name in known and known[name].files]
    if fetched:
        return f"gindex-lab data fetch {' '.join(fetched)}"
    return f"gindex-lab data where {next(iter(names))}" if names else ""


def claims_fold(results: Sequence[Result], title: str = "") -> str:
    """The line, and behind it one row for each claim."""
    line, how = claims_line(results), command(results)
    colour = _COLOURS.get(line[:1], "#555")
    verb = "says where they belong" if " where " in how else "brings them"
    brings = f" · <code>{escape(how)}</code> {verb}" if how else ""
    heading = f"{escape(title)}: " if title else ""
    said = f'<span style="color:{colour};font-weight:600">{heading}{escape(line)}</span>{brings}'
    return (
        f'<details class="gl-claims"><summary style="cursor:pointer">{said}</summary>'
        f'<div class="gl-scroll"><table class="gl-table quoted"><thead><tr>{_HEAD}</tr></thead>'
        f"<tbody>{''.join(map(_row, results))}</tbody></table></div></details>"
    )


_HEAD = "".join(f"<th>{name}</th>" for name in ("claim", "what", "printed", "ours", "result", "why"))


def _row(result: Result) -> str:
    record = result.records[0]
    claim, ours = result.claim, result.told
    ours += f" (exact: {told(record.exact, claim.published)})" if record.exact is not None else ""
    ours += f" ± {record.error:.2g} (sampling)" if record.error else ""
    waits = result.status == "needs data"
    parts = (result.why if waits else record.note or result.why, "" if waits else result.grade)
    why = re.sub(r"(?<![\w.])-(?=\d)", "−", ". ".join(part.rstrip(".") for part in parts if part))
    mark = _MARKS.get(result.status, "○")
    words = (claim.id, claim.what, claim.printed, ours)
    cells = [*words, f"{mark} {result.status}", why]
    return f"<tr>{''.join(f'<td>{_breakable(cell)}</td>' for cell in cells)}</tr>"


def _breakable(text: str) -> str:
    """Long names of agents may be broken, so that the last column stays on the page.

    >>> _breakable("weka.Dagging_DecisionStump(2) < 3")
    'weka.<wbr>Dagging_<wbr>DecisionStump(2) &lt; 3'
    """
    parts = [
        re.sub(r"(?<=[_.,;])(?=\w)", "<wbr>", word) if len(word) > 18 else word
        for word in escape(text).split(" ")
    ]
    return " ".join(parts)
