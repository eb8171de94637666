"""Where is Figure X? Every figure, table, equation, definition and proposition, and what shows it.

`data/places.csv` has one row for each: source, kind, number, what it is in our words, the notebooks that
show it, the function behind them, and a note where something is not as in the print. The report's page
`places.html` is made of it; a test holds it against the papers' own lists and the catalogue.
"""

from __future__ import annotations

import pandas as pd

from gindex_lab.foundation.places import PROJECT_DATA

__all__ = ["places"]


def places() -> pd.DataFrame:
    """The rows of `data/places.csv`, numbers and notes as text, `notebooks` as a list.

    >>> table = places()
    >>> table.query("source == 'generality' and number == 'S28'")["notebooks"].iloc[0]
    ['generality/theory_all_tasks']
    """
    table = pd.read_csv(PROJECT_DATA / "places.csv", dtype=str, keep_default_na=False)
    return table.assign(notebooks=table["notebooks"].str.split())
