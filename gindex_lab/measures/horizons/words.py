"""A table of horizons in words: what a newcomer may take from it, and what not.

Every sentence is made from the row that it is about; where the interval does not support a statement, the
sentence says so (`specs/horizon.md`, part VII).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.measures.horizons.horizons import FEW_FAMILIES

__all__ = ["about_agent", "about_horizons", "minutes_text"]

_WIDE = 2 * np.log(9) * np.sqrt(3) / np.pi  # doublings from 90% to 10% success, per unit of spread
_UNITS = ((60 * 24, "day"), (60, "hour"), (1, "minute"), (1 / 60, "second"))  # in minutes


def minutes_text(minutes: float, digits: int = 2) -> str:
    """A length of time as people say it.

    >>> [minutes_text(m) for m in (0.4, 57.0, 190.0, 1e-9, 0.0, float("inf"))]
    ['24 seconds', '57 minutes', '3.2 hours', 'under a second', '0 minutes', 'unlimited']
    """
    if minutes == 0 or not np.isfinite(minutes):
        return "0 minutes" if minutes == 0 else "unlimited"
    if minutes < _UNITS[-1][0]:
        return "under a second"
    size, unit = next((s, u) for s, u in _UNITS if minutes >= s)
    value = minutes / size
    if value >= 1e4:
        return f"{value:.0e} {unit}s"
    text = f"{float(f'{value:.{digits}g}'):g}"
    return f"{text} {unit}" + ("" if text == "1" else "s")


def about_agent(row: pd.Series) -> str:
    """One agent's horizon and spread in a sentence.

    >>> import gindex_lab as gl
    >>> table = gl.horizon([[1, 1, 1, 0, 1, 0, 0, 0]], [1, 2, 4, 8, 16, 32, 64, 128])
    >>> about_agent(table.iloc[0])
    'horizon 11 minutes at 50% and 5.3 minutes at 80%; spread 1.4 doublings: from 90% to 10% success...'
    """
    note = str(row.get("note", ""))
    if note.startswith("no success"):
        return "solved nothing: its horizon lies below every length that was tested"
    if note.startswith("no failure"):
        return "failed at nothing: its horizon lies above every length that was tested"
    if np.isnan(row["spread_logistic"]):
        return f"no horizon ({note.split(';')[0]})"
    levels = [c for c in row.index if c.startswith("horizon_") and c[8:].replace(".", "").isdigit()]
    parts = [f"{minutes_text(row[c])} at {c[8:]}%{_between(row, c, minutes_text)}" for c in levels]
    spread = row["spread_logistic"]
    times = 2 ** min(_WIDE * spread, 60.0)
    longer = f"{times:.2g}" if times < 100 else f"{float(f'{times:.2g}'):,.0f}"
    ends = _between(row, "spread_logistic", "{:.1f}".format)
    text = f"horizon {' and '.join(parts)}; spread {spread:.1f} doublings{ends}: "
    text += f"from 90% to 10% success the tasks get {longer} times longer"
    beyond = [part for part in note.split("; ") if "beyond the tested" in part]
    names = re.sub(r"horizon_([\d.]+)", r"the \1% horizon", "; ".join(beyond))
    return text + (f" ({names})" if names else "")


def _between(row: pd.Series, name: str, said: Callable[[float], str]) -> str:
    if np.isnan(row.get(f"{name}_low", np.nan)):
        return ""
    return f" ({said(row[f'{name}_low'])} to {said(row[f'{name}_high'])})"


def about_horizons(table: pd.DataFrame) -> list[tuple[str, bool]]:
    """The sentences of a whole table, longest horizon first; True marks what the data can tell."""
    order = table["horizon_50"].sort_values(ascending=False, kind="stable", na_position="last").index
    said: list[tuple[str, bool]] = [(f"{a}: {about_agent(table.loc[a])}.", True) for a in order]
    families = int(table.attrs.get("families", 0))
    if "ci" in table.attrs and 0 < families < FEW_FAMILIES:
        text = (
            f"The tasks come in {families} families, fewer than {FEW_FAMILIES}: the intervals are rough "
            "and may cover less than they say."
        )
        said.append((text, False))
    said += [(f"Note: {note}.", False) for note in table.attrs.get("notes", ()) if "log2" in note]
    unusual: dict[str, Any] = table.attrs.get("no_success", {})
    often = [a for a, n in unusual.items() if n > 0.025 * table.attrs.get("draws", np.inf)]
    if often:
        names = ", ".join(map(str, often[:4]))
        text = f"In more than 2.5% of the draws {names} solved nothing: the lower limit of the horizon is 0."
        said.append((text, False))
    return said
