"""HTML pages from our templates: styles inside, no network, data escaped, formulas as MathML."""

from __future__ import annotations

import html
import re
from functools import cache
from pathlib import Path
from typing import Any

from gindex_lab.presentation.policy import policy

__all__ = ["TEMPLATES", "formula", "page", "with_code", "with_minus"]

TEMPLATES = Path(__file__).with_name("templates")


@cache
def _pages() -> Any:
    import jinja2

    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    pages.filters["slug"] = lambda text: str(text).replace(" ", "-")
    pages.filters["code"] = with_code
    pages.filters["minus"] = with_minus
    return pages


def with_minus(cell: object) -> str:
    """A table's cell with minus signs for the hyphens of negative numbers.

    >>> with_minus("-0.200"), with_minus("bounds -1.5 to 2"), with_minus("gpt-4")
    ('−0.200', 'bounds −1.5 to 2', 'gpt-4')
    """
    return re.sub(r"(?<!\S)-(?=[.\d])", "−", str(cell))


def with_code(text: str) -> Any:
    """Escaped text with `code` in backquotes set as code."""
    from markupsafe import Markup

    escaped = html.escape(text)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped))


def page(template: str, **content: Any) -> str:
    """One HTML page from a template of ours; everything in `content` is escaped.

    `scripts` in `content` are the only scripts that a browser will run on the page.
    """
    from gindex_lab import __version__

    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    return str(
        _pages()
        .get_template(template)
        .render(
            style=style, version=__version__, policy=policy(content.get("scripts", ())), **content
        )
        + "\n"
    )


def formula(latex: str, *, block: bool = False) -> str:
    r"""LaTeX as MathML; what cannot be converted stays readable as its source.

    >>> formula(r"\gamma")
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">...</math>'
    """
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    unreadable: tuple[type[Exception], ...] = (IndexError, KeyError)
    unreadable += tuple(
        e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception)
    )
    try:
        return str(convert(latex, display="block" if block else "inline"))
    except unreadable:
        return f'<code class="formula">{html.escape(latex)}</code>'
