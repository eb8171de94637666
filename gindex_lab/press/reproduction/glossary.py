"""The glossary: what the symbols mean, on a page of its own and wherever they stand in a text.

`explained` makes a symbol a link to its entry, once a paragraph, with its meaning shown on hover and on focus
by the style sheet alone: no script is needed, and the keyboard reaches it.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any, NamedTuple

from gindex_lab.presentation.pages import TEMPLATES

__all__ = ["Term", "explained", "terms"]

_SILENT = {"code", "pre", "script", "style", "a", "svg", "h1", "title", "button", "summary", "math", "td"}
_BLOCKS = ["p", "li", "th", "div", "h2", "h3", "blockquote"]


class Term(NamedTuple):
    """A symbol or short name, what it is called, what it means, and the notebook that shows it."""

    id: str
    symbol: str
    name: str
    means: str
    see: str
    match: tuple[str, ...]

    @property
    def tip(self) -> str:
        return f"{self.name[:1].upper()}{self.name[1:]}. {self.means}".replace("`", "")


@cache
def terms() -> tuple[Term, ...]:
    """Every entry, in the order of the page.

    >>> terms()[0].symbol, terms()[0].name
    ('Ψ', 'capability')
    """
    rows = tomllib.loads((TEMPLATES / "glossary.toml").read_text(encoding="utf-8"))["term"]
    return tuple(
        Term(r["id"], r["symbol"], r["name"], r["means"], r["see"], tuple(r.get("match", [r["symbol"]])))
        for r in rows
    )


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, Term]]:
    owner = {text: term for term in terms() for text in term.match}
    longest = sorted(owner, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])"), owner


def explained(html: str, up: str = "") -> str:
    """HTML in which the symbols of the glossary are explained; `up` leads to the folder of the glossary.

    >>> explained("<p>The capability Ψ, and Ψ again</p>").count('href="glossary.html#capability"')
    1
    """
    from bs4 import BeautifulSoup

    page = BeautifulSoup(html, "html.parser")
    told: set[tuple[int, str]] = set()
    for node in list(page.find_all(string=_pattern()[0])):
        if not _SILENT & {parent.name for parent in node.parents} and not node.find_parent(class_="quoted"):
            _explain(page, node, up, told)
    letters = {term.symbol: term for term in terms()}
    for formula in page.find_all("math"):
        term = letters.get(formula.get_text().strip())
        outside = not (_SILENT - {"math"}) & {parent.name for parent in formula.parents}
        if term and outside and _first(formula, term, told):
            link = _link(page, term, up)
            # some browsers give a formula no words
            link["aria-label"] = f"{formula.get_text().strip()}, {term.tip.split('.')[0].lower()}"
            formula.wrap(link)
    return str(page)


def _explain(page: Any, node: Any, up: str, told: set[tuple[int, str]]) -> None:
    pattern, owner = _pattern()
    pieces: list[Any] = []
    text, end = str(node), 0
    for found in pattern.finditer(text):
        term = owner[found[0]]
        if _first(node, term, told):
            link = _link(page, term, up)
            link.string = found[0]
            pieces += [text[end : found.start()], link]
            end = found.end()
    if pieces:
        node.replace_with(*pieces, text[end:])


def _first(node: Any, term: Term, told: set[tuple[int, str]]) -> bool:
    """Whether a term stands for the first time in its paragraph."""
    key = (id(node.find_parent(_BLOCKS)), term.id)
    new = key not in told
    told.add(key)
    return new


def _link(page: Any, term: Term, up: str) -> Any:
    told = {"class": "term", "data-tip": term.tip}
    return page.new_tag("a", href=f"{up}glossary.html#{term.id}", attrs=told)
