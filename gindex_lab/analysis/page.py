"""The analysis as one HTML file: figures embedded, every string from the logs escaped by the template."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from gindex_lab.analysis.names import drawable_names
from gindex_lab.analysis.options import WHY
from gindex_lab.analysis.surviving import DEFINITIONS

if TYPE_CHECKING:
    from gindex_lab.analysis.whole import Analysis

__all__ = ["SHOWN", "cells", "report_page"]

SHOWN = ["capability", "spread", "generality", "normalised_generality", "mean"]
_CONTROL = {"capability_sd": "sd of capability over agents", "mean_gamma": "mean γ of the agents"}
_MOST_BARS = 80  # agents in a figure of intervals
_MOST_ITEMS = 12  # items listed for each finding


def report_page(found: Analysis) -> str:
    """The whole page, ready to be written."""
    from gindex_lab.reproduction.reports import page

    ordered = found.table.sort_values("capability", ascending=False, kind="stable")
    return page(
        "analysis.html.j2",
        title=f"How capable and how general? {found.data.name}".strip(),
        said=found.said(),
        notes=found.data.notes,
        facts=facts(found),
        table=cells(ordered),
        drawn=_renamed(ordered.index),
        groups=found.groups,
        gamma_groups=found.gamma_groups,
        survival=_survival(found),
        refused=found.definitions[1],
        control=None if found.control is None else rounded(found.control.rename(index=_CONTROL)),
        audit=found.audit_counts,
        odd_items=odd_items(found),
        views={
            "Item response theory": found.irt,
            "Factor analysis": found.factors,
            "Person fit": found.fit,
        },
        tabulate=rounded,
        figures=_figures(found),
        ci=found.ci,
        why=WHY[found.transform],
    )


def facts(found: Analysis) -> dict[str, str]:
    """What was read and how it was measured, as text."""
    known = {k: _fact(v) for k, v in found.data.describe().items() if v is not None}
    made = {
        "transform": found.transform,
        "mode": "exact",
        "intervals": "none"
        if found.ci is None
        else f"{100 * found.ci:g}%, resampling {found.resample}",
        "missing cells are": "refused" if found.missing == "error" else "left out, agent by agent",
        "seed": str(found.seed),
    }
    return known | made


def _fact(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def cells(table: pd.DataFrame) -> dict[str, Any]:
    """Headings and rows of the table as text, intervals folded into their measure's cell.

    >>> table = pd.DataFrame({"capability": [0.5], "capability_low": [0.4], "capability_high": [0.6]}, ["a"])
    >>> cells(table)["rows"]
    [('a', [('0.500', '0.400 to 0.600')])]
    """
    measures = [m for m in SHOWN if m in table]
    rows = []
    for agent, row in table.iterrows():
        parts = []
        for m in measures:
            low, high = row.get(f"{m}_low"), row.get(f"{m}_high")
            span = "" if low is None else f"{low:.3f} to {high:.3f}"
            parts.append((f"{row[m]:.3f}", span))
        rows.append((str(agent), parts))
    return {"measures": [m.replace("_", " ") for m in measures], "rows": rows}


def rounded(table: pd.DataFrame, most: int = 10) -> dict[str, Any]:
    """Headings and the first rows of any table as text, and how many rows were left out.

    >>> rounded(pd.DataFrame({"p_value": [0.01234]}, index=["a"]))
    {'measures': ['p value'], 'rows': [('a', ['0.012'])], 'more': 0}
    """
    texts = table.head(most).apply(_as_text)
    rows = [(str(name), list(row)) for name, row in zip(texts.index, texts.to_numpy(), strict=True)]
    headings = [str(c).replace("_", " ") for c in table.columns]
    return {"measures": headings, "rows": rows, "more": max(0, len(table) - most)}


def _as_text(column: pd.Series) -> pd.Series:
    """Three digits, none for a column of whole numbers, words as they are."""
    if not pd.api.types.is_float_dtype(column):
        return column.astype(str)
    digits = 0 if (column > 1).any() and (column % 1 == 0).all() else 3
    return column.map(lambda value: "–" if value != value else f"{value:.{digits}f}")


def _renamed(agents: pd.Index) -> dict[str, str]:
    """Agents that figures call otherwise because the font lacks their letters."""
    names = drawable_names(agents)
    return {str(a): new for a, new in names.items() if new.startswith("agent ") and new != str(a)}


def _survival(found: Analysis) -> dict[str, Any] | None:
    if found.survival is None or found.survival.empty:
        return None
    table = found.survival.rename(
        columns={"capability_order": "order of capability", "generality_order": "order of γ"}
    )
    for kind, heading in (("", "pairs reversed"), ("gamma_", "pairs reversed in γ")):
        counts = zip(table.pop(f"{kind}reversed"), table.pop(f"{kind}separated"), strict=True)
        table[heading] = [f"{a} of {b}" for a, b in counts]
    shown = rounded(table)
    here = {found.transform: " (this analysis)"}
    shown["rows"] = [
        (name + here.get(name, ""), DEFINITIONS[name], row) for name, row in shown["rows"]
    ]
    return shown


def odd_items(found: Analysis) -> dict[str, str]:
    """The items behind each finding of the audit, as many as fit into a line or two."""
    audit = found.audit
    if audit is None:
        return {}
    twice = audit.index[audit["duplicate_of"] != ""]
    pairs = [f"{item} = {audit.loc[item, 'duplicate_of']}" for item in twice]
    lists = {
        "separate nobody": list(audit.index[audit["same"]]),
        "negative beyond chance": list(audit.index[audit["negative"]]),
        "duplicates": pairs,
    }
    return {name: _listed(items) for name, items in lists.items() if items}


def _listed(items: list[Any]) -> str:
    rest = len(items) - _MOST_ITEMS
    return ", ".join(map(str, items[:_MOST_ITEMS])) + (f" … and {rest} more" if rest > 0 else "")


# -- figures -------------------------------------------------------------------------------------------


def _figures(found: Analysis) -> dict[str, str]:
    """PNG (base64) of each figure, by the name under which the template asks for it."""
    from gindex_lab.plots import analysis as plots
    from gindex_lab.plots.generality import plot_capability_spread
    from gindex_lab.plots.intervals import plot_intervals

    names = drawable_names(found.table.index)
    table = found.table.rename(index=names)
    drawn = {"plane": png(lambda: plot_capability_spread(table).figure)}
    if found.ci is not None and len(table) <= _MOST_BARS:
        drawn["intervals"] = png(lambda: plot_intervals(table))
    if found.survival is not None and not found.survival.empty and len(table) > 1:
        drawn["survival"] = png(lambda: plots.plot_survival(found.table, found.definitions[0]))
    if found.control is not None:
        control = found.control
        drawn["control"] = png(lambda: plots.plot_shuffle(control))
    audit = found.audit
    if audit is not None and audit["discrimination"].notna().any() and len(audit) >= 5:
        drawn["audit"] = png(lambda: plots.plot_item_audit(audit).figure)
    return drawn


def png(draw: Callable[[], Any]) -> str:
    """A figure as base64 PNG, the same bytes each time."""
    import matplotlib

    matplotlib.use("Agg", force=False)
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = draw()
        figure.savefig(
            buffer, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None}
        )
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
