"""Sentences that state a result of a run: recorded as they are made, and held against the page afterwards.

`state` keeps each sentence with the condition it was written under, and says what may be shown.
`page_of_statements` reads the record beside the page: a sentence whose condition failed may not stand there,
nor one about published data on a page made from other data, nor a box that nobody recorded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import read_text
from gindex_lab.press.kernel import inline, keep

__all__ = ["NO_ANSWER", "Statement", "page_of_statements", "state"]

NO_ANSWER = "The sentence written for this page does not hold in this run: the tables say what does."

_BOXES = {"said": ".gl-said", "found": ".gl-found p", "answer": ".gl-answer, p.answer"}
_made: list[dict[str, Any]] = []  # the statements of this kernel, in their order


@dataclass(frozen=True)
class Statement:
    """A sentence, the condition that this run computed for it, and what to say where that fails.

    >>> Statement("said", "The apes lead.", holds=False, otherwise="The apes are behind.").shown
    'The apes are behind.'
    >>> Statement("said", "As printed.", only="published", source="simulated").shown
    ''
    """

    kind: str
    text: str
    holds: bool = True
    otherwise: str = ""
    only: str = ""
    source: str = ""

    @property
    def shown(self) -> str:
        """What a reader may see of it; empty where that is nothing."""
        if self.only and self.only != self.source:
            return ""
        return (self.text if self.holds else self.otherwise).strip()


def state(kind: str, text: str, holds: object, **more: str) -> str:
    """Record a statement with its condition; what of it may be shown."""
    made = Statement(kind, text, bool(holds), **more)
    _made.append(asdict(made))
    keep("statements.json", _made)
    return made.shown


def page_of_statements(folder: Path) -> Iterator[tuple[str, str]]:
    """What is untrue on the page of a run, as rules and pieces of text."""
    from bs4 import BeautifulSoup

    made = _recorded(folder / "statements.json")
    page = BeautifulSoup(read_text(folder / "report.html"), "html.parser")
    for badge in page.select(".answer .badge"):
        badge.decompose()
    boxes = {
        kind: [_letters(part.get_text()) for part in page.select(places)] for kind, places in _BOXES.items()
    }
    for one in made:
        if one.shown == NO_ANSWER:
            yield "no answer", one.text[:80]
    for kind, seen in boxes.items():
        of_kind = [one for one in made if one.kind == kind]
        shown = {p for one in of_kind for p in _paragraphs(one.shown)}
        for one in of_kind:
            hidden = one.otherwise if one.shown == one.text.strip() else one.text
            if (set(_paragraphs(hidden)) - shown) & set(seen):
                yield "untrue", hidden.strip()[:80]
        known = shown | {p for one in of_kind for p in _paragraphs(f"{one.text}\n\n{one.otherwise}")}
        for part in seen:
            if part not in known:
                yield "unrecorded", part[:80]


def _recorded(path: Path) -> list[Statement]:
    try:
        return [Statement(**made) for made in json.loads(path.read_bytes())] if path.is_file() else []
    except (ValueError, TypeError, RecursionError):
        remedy = "run gindex-lab reproduce again"
        raise BadInput("reports", str(path), "[damaged] is damaged", remedy) from None


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a statement as the page writes them, letters and digits only."""
    from bs4 import BeautifulSoup

    parts = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return [_letters(BeautifulSoup(inline(part), "html.parser").get_text()) for part in parts]


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text))
