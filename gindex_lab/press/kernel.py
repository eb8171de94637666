"""What the notebook helpers do with the kernel: show markup, number cells, write into the run's folder."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.places import OUTPUT

__all__ = ["bare_notebook", "cell", "display", "in_notebook", "inline", "keep", "output", "shell"]

_MINUS = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
_COUNTED = re.compile(r"\b(\d[\d,]*) (\w+)\(s\)")
_POWER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b")
_places: set[str] = set()  # the displays that exist, by key


def inline(text: str) -> str:
    """A paragraph with **bold**, *italics*, `code` and $formulas$ as HTML.

    >>> inline("**All of `a*b`** and *nothing* < 2")
    '<strong>All of <code>a*b</code></strong> and <em>nothing</em> &lt; 2'
    >>> inline("1 factor(s) and 2 group(s)")
    '1 factor and 2 groups'
    >>> inline("p = 6.2e-11, `1e-5`, from -0.5 to 2019-2020")
    'p = 6.2 × 10⁻¹¹, <code>1e-5</code>, from −0.5 to 2019-2020'
    >>> inline("from -0.00 to -0.01")
    'from 0.00 to −0.01'
    """
    from gindex_lab.presentation.pages import formula
    from gindex_lab.press.tables import number_words

    kept: list[str] = []

    def put_aside(piece: re.Match[str]) -> str:
        inner = piece[0][1:-1]
        code = f"<code>{html.escape(inner, quote=False)}</code>"
        kept.append(code if piece[0][0] == "`" else formula(inner))
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"`[^`]+`|\$[^$\s](?:[^$]*[^$\s])?\$", put_aside, text.strip())
    text = re.sub(_COUNTED, lambda n: f"{n[1]} {n[2]}{'' if n[1] == '1' else 's'}", text)
    text = re.sub(_POWER, lambda number: number_words(float(number[0])), text)
    text = re.sub(r"(?<![\w.)])[-−](?=0(?:\.0+)?(?![\w.]))", "", text)  # −0.00 is nothing
    text = html.escape(re.sub(_MINUS, "−", text), quote=False)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^\s*][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
    return re.sub(r"\0(\d+)\0", lambda place: kept[int(place[1])], text)


def output() -> Path | None:
    """The folder of this run in the pipeline; None where a notebook is run by hand."""
    folder = os.environ.get(OUTPUT)
    return Path(folder) if folder else None


def keep(name: str, content: Any) -> None:
    """Write something into the folder of the run, if there is one."""
    folder = output()
    if folder is not None:
        text = json.dumps(content, indent=1, ensure_ascii=False)
        write_text(folder / name, text + "\n")


def shell() -> Any:
    """The kernel's shell, None outside of a notebook."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def in_notebook() -> bool:
    """Whether a kernel is there to show something."""
    return shell() is not None


def display(markup: str, plain: str, key: str = "") -> None:
    """Show something; with a `key`, in the place of what was shown under it before."""
    if not in_notebook():
        return
    from IPython import display as shown

    data = {"text/html": markup, "text/plain": plain}
    where: dict[str, Any] = {"display_id": key, "update": key in _places} if key else {}
    shown.display(data, raw=True, **where)  # type: ignore[no-untyped-call]
    _places.update([key] if key else [])


def bare_notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """A notebook of these cells for our kernel, as `nbformat` reads it."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def cell() -> int:
    """The number of the cell that is running, 0 outside of a notebook."""
    return int(shell().execution_count) if in_notebook() else 0
