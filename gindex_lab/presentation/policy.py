"""The Content-Security-Policy of our pages: nothing from another host, and no script but our own, by hash.

What comes from data is escaped by the templates; should something slip through, the browser does not run it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable

__all__ = ["player_scripts", "policy", "with_policy"]

_SCRIPT = re.compile(r'<script language="javascript">(.*?)</script>', re.DOTALL)
_HANDLER = re.compile(r'\bon(?:click|input)="(anim\w+\.\w+\((?:parseInt\(this\.value\))?\);?)"')
_BASE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: file:; font-src data:; "
    "base-uri 'none'; form-action 'none'; script-src "
)


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
