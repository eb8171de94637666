"""HTML pages from our templates: styles inside, no network, data escaped, formulas as MathML.

The Content-Security-Policy of a page allows nothing from another host, and no script but our own, by hash:
should a string from the data slip through unescaped, the browser does not run it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["TEMPLATES", "formula", "page", "player_scripts", "policy", "with_code", "with_minus"]
__all__ += ["with_policy"]

TEMPLATES = Path(__file__).with_name("templates")
_SCRIPT = re.compile(r'<script language="javascript">(.*?)</script>', re.DOTALL)
_HANDLER = re.compile(r'\bon(?:click|input)="(anim\w+\.\w+\((?:parseInt\(this\.value\))?\);?)"')
_BASE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: file:; font-src data:; "
    "base-uri 'none'; form-action 'none'; script-src "
)


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

    style, rules = (TEMPLATES / "style.css").read_text(encoding="utf-8"), policy(content.get("scripts", ()))
    made = _pages().get_template(template).render(style=style, version=__version__, policy=rules, **content)
    return f"{made}\n"


def formula(latex: str, *, block: bool = False) -> str:
    r"""LaTeX as MathML; what cannot be converted stays readable as its source.

    >>> formula(r"\gamma")
    '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">...</math>'
    """
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    named = [e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception)]
    unreadable: tuple[type[Exception], ...] = (IndexError, KeyError, *named)
    try:
        return str(convert(latex, display="block" if block else "inline"))
    except unreadable:
        return f'<code class="formula">{html.escape(latex)}</code>'


def policy(scripts: Iterable[str] = (), *, load_more: bool = False) -> str:
    """The policy of a page on which these scripts (and attributes with code) may run.

    With `load_more` they may also load scripts of their own, as the search of the reference does.

    >>> policy().endswith("script-src 'none'")
    True
    >>> policy(["filter()"])[-53:]
    "'sha256-VZmxemlzYE1JixayvC0JrFJguAexJxqiLU0MLOv8h04='"
    """
    hashes = [hashlib.sha256(script.encode()).digest() for script in scripts]
    named = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in dict.fromkeys(hashes)]
    # 'unsafe-hashes' lets attributes run too, but only those whose code is listed
    more = ["'strict-dynamic'"] if load_more else ["'unsafe-hashes'"]
    return _BASE + (" ".join([*more, *named]) if named else "'none'")


def with_policy(page: str) -> str:
    """A page of the reference (pdoc's) with the policy that lets its own search run, and nothing else.

    >>> with_policy("<head><title>t</title></head><script>a()</script>")[:53]
    '<head><meta http-equiv="Content-Security-Policy" cont'
    """
    rules = policy(re.findall(r"<script>(.*?)</script>", page, re.DOTALL), load_more=True)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    return page.replace("<head>", f"<head>{meta}", 1)


def player_scripts(body: str) -> list[str]:
    """The scripts and buttons of matplotlib's player of animations in a notebook's page.

    >>> player_scripts('<button onclick="anim12.pause_animation()">')
    ['anim12.pause_animation()']
    """
    scripts = [s for s in _SCRIPT.findall(body) if "Animation" in s]
    return [*scripts, *_HANDLER.findall(body)]
