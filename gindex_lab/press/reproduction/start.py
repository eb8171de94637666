"""The start page of `make lab`: one notebook with links to everything, made from the catalogue.

`python -m gindex_lab.press.reproduction.start` rewrites `notebooks/start.ipynb`; a test says
when that is due.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.output import write_text
from gindex_lab.press.kernel import bare_notebook
from gindex_lab.press.reproduction.inputs import CatalogueEntry, read_catalogue

__all__ = ["start_page"]

_ORDER = {
    "tutorial": "Tutorials: for evaluation engineers, psychometricians, teachers and theorists",
    "teaching": "Learn by moving things: live demos for a course of eight sessions",
    "generality": "General intelligence disentangled via a generality metric",
    "g-index": "Towards a measure of general machine intelligence (g-index)",
    "aiq": "Towards general evaluation of intelligent systems (AIQ)",
    "anytime": "Measuring universal intelligence: towards an anytime intelligence test",
    "horizon": "Time horizons, read as capability and spread",
    "planning": "Planning and stopping: how many items, which items, and when to stop",
}
_WELCOME = """# How capable, and how general?

This is the start page of gindex_lab, a workbench for measuring general intelligence in machines, people
and animals. Each line is a link; in a notebook, choose *Run > Run All Cells*.

{doors}"""
_DOORS = (
    ("Analyse your own evaluation logs or scores", "generality/analyse_your_own.ipynb"),
    ("See the ideas move: a first demo", "teaching/session1_shape_a_curve.ipynb"),
    ("Teach or take the course of eight sessions", "teaching/README.md"),
    ("Look at all figures and reports (after `make reproduce`)", "../reports/index.html"),
    ("Compare every number of the papers with ours", "../reports/claims.html"),
    ("Read what this project is", "../README.md"),
    ("Read how the notebooks are made", "README.md"),
)
_END = """## And from here?

- `make reproduce` runs all notebooks and writes the reports that the links at the top open.
- `make demo` serves the demos as web pages, without code.
- In a cell of your own: `import gindex_lab as gl`, then `gl.` and the tab key; `help(gl.generality)` shows
  equation and example."""


def start_page(entries: Sequence[CatalogueEntry], notebooks: Path) -> dict[str, Any]:
    """The notebook as a dict: doors, then every notebook of the catalogue by its question."""
    doors = [(text, link) for text, link in _DOORS if link.startswith("..") or (notebooks / link).exists()]
    listed = "\n".join(f"- [{text}]({link})" for text, link in doors)
    texts = [_WELCOME.format(doors=listed)]
    papers = [*_ORDER, *dict.fromkeys(e.paper for e in entries if e.paper not in _ORDER)]
    for paper in papers:
        mine = [entry for entry in entries if entry.paper == paper]
        if mine:
            links = "\n".join(f"- [{entry.title}]({entry.path}.ipynb)" for entry in mine)
            texts.append(f"## {_ORDER.get(paper, paper)}\n\n{links}")
    cells = [
        {"cell_type": "markdown", "id": f"start-{k:02d}", "metadata": {}, "source": text.splitlines(True)}
        for k, text in enumerate([*texts, _END])
    ]
    return bare_notebook(cells)


def main(root: Path) -> None:
    """Write `notebooks/start.ipynb`."""
    page = start_page(read_catalogue(root), root / "notebooks")
    write_text(root / "notebooks" / "start.ipynb", json.dumps(page, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path.cwd())
