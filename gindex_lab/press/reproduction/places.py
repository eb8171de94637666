"""Where is Figure X? Every figure, table, equation, definition and proposition, and what shows it.

`data/places.csv` has one row for each: source, kind, number, what it is in our words, the notebooks that
show it, the function behind them, and a note where something is not as in the print. The report's page
`places.html` is made of it; a test holds it against the papers' own lists and the catalogue.
"""

from __future__ import annotations

import importlib
from typing import Any

import pandas as pd

from gindex_lab.foundation.places import PROJECT_DATA

__all__ = ["NUMBERED", "function_of", "places"]

_SUPPLEMENT = [f"S{k}" for k in range(1, 31)]
#: What the sources number, by source and kind: the lists that `data/places.csv` must be complete for.
NUMBERED: dict[tuple[str, str], list[str]] = {
    ("generality", "figure"): [*"12345", *_SUPPLEMENT],
    ("generality", "table"): ["1", *(f"S{k}" for k in range(1, 8))],
    ("generality", "equation"): [str(k) for k in range(1, 10)],
    ("generality", "proposition, lemma or corollary"): [str(k) for k in range(1, 20)],
    ("g-index", "figure"): [str(k) for k in range(1, 16)],
    ("g-index", "table"): ["1", "2", "3"],
    ("g-index", "equation"): [str(k) for k in range(1, 17)],
    ("g-index, earlier version", "figure"): [str(k) for k in range(1, 13)],
    ("g-index, earlier version", "table"): ["1", "2", "3"],
    ("g-index, earlier version", "equation"): [str(k) for k in range(1, 17)],
    ("aiq", "equation"): ["1", "2"],
    ("anytime", "figure"): ["2"],
    ("anytime", "table"): ["2"],
    ("anytime", "definition"): ["2", "3", "9", "16", "17", "18"],
}


def places() -> pd.DataFrame:
    """The rows of `data/places.csv`, numbers and notes as text, `notebooks` as a list.

    >>> table = places()
    >>> table.query("source == 'generality' and number == 'S28'")["notebooks"].iloc[0]
    ['generality/theory_all_tasks']
    """
    table = pd.read_csv(PROJECT_DATA / "places.csv", dtype=str, keep_default_na=False)
    return table.assign(notebooks=table["notebooks"].str.split())


def function_of(name: str) -> Any:
    """The function or class that a row names: `gl.generality`, or its full path in the package.

    >>> function_of("gl.generality").__name__
    'generality'
    """
    head, _, rest = name.partition(".")
    found: Any = importlib.import_module("gindex_lab")
    if head == "gl":
        for part in rest.split("."):
            found = getattr(found, part)
        return found
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)
