"""The front end of the live demos: plain ES modules and a style sheet, the same in a page and in a notebook.

`measures.js` is the mathematics, `demos.js` draws. Pages opened from a folder load no modules, and a widget
is one module, so `bundle` makes one text of several.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["WEB", "bundle", "source"]

WEB = Path(__file__).resolve().parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./[a-z_]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class)", re.MULTILINE)


def source(name: str) -> str:
    """The text of one of our files."""
    return (WEB / name).read_text(encoding="utf-8")


def bundle(*names: str) -> str:
    """Several modules as one: they share a scope, so a name is defined once among all of them."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", source(name))) for name in names)
