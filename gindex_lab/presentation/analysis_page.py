"""The analysis as one HTML file: figures embedded, every string from the logs escaped by the template."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.presentation.pages import page
from gindex_lab.studies.analysis import tables
from gindex_lab.studies.analysis.options import WHY
from gindex_lab.studies.analysis.score_words import about_reading
from gindex_lab.studies.analysis.surviving import DEFINITIONS
from gindex_lab.studies.analysis.telling import how_tested

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["report_page", "text_report"]

_CONTROL = {"capability_sd": "sd of capability over agents", "mean_gamma": "mean γ of the agents"}
_AUDIT = {  # equal responses do not show that an item stands twice
    "duplicates": "answered by all like an earlier item",
    "duplicate pairs": "pairs answered alike",
}
# How much a reader takes in: judgements.
_MOST_BARS = 80  # agents in a figure of intervals
_MOST_PARAMETERS = 60  # items in the table of parameters
_MOST_ITEMS = 12  # items listed for each finding


def report_page(found: Analysis) -> str:
    """The whole page, ready to be written."""
    said, several = found.said(), found.measures and len(found.table) > 1
    ordered = _by_capability(found) if found.measures else None
    views = {"Item response theory": "irt", "Factor analysis": "factors", "Person fit": "fit"}
    return page(
        "analysis.html.j2",
        title=f"How capable and how general? {found.data.name}".strip(),
        read=about_reading(found.data),
        said=[line for line in said if line.firm],
        unsaid=[line for line in said if not line.firm],
        scores=tables.score_cells(found),
        tasks=tables.task_cells(found),
        pairs=tables.pair_cells(found),
        linked=tables.linked_cells(found),
        integrity=tables.integrity_cells(found),
        tested=how_tested(found),
        facts=facts(found),
        table=None if ordered is None else tables.cells(tables.cut(ordered), found.determined),
        agents=len(found.table),
        drawn=_renamed(found.table.index if ordered is None else ordered.index),
        groups=found.groups,
        gamma_groups=found.gamma_groups,
        survival=_survival(found),
        refused=found.definitions[1],
        control=None if found.control is None else tables.rounded(found.control.rename(index=_CONTROL)),
        horizons=tables.horizon_cells(found),
        validity=tables.validity_cells(found),
        audit={_AUDIT.get(name, name): f"{n:,}" for name, n in found.audit_counts.items()},
        odd_items={_AUDIT.get(name, name): text for name, text in odd_items(found).items()},
        items=None if found.items is None else tables.rounded(found.items, _MOST_PARAMETERS),
        views={title: getattr(found, name) for title, name in views.items()} if several else {},
        tabulate=tables.rounded,
        methods=found.methods if several else None,
        figures=_figures(found),
        ci=found.ci,
        why=WHY[found.transform],
    )


def text_report(found: Analysis) -> str:
    """The report for a terminal: what was read, what it says, scores, and then the measures."""
    lines = [f"({line})" for line in about_reading(found.data)] + found.sentences()
    shown = [tables.score_cells(found)]
    if found.measures:
        shown.append(tables.cells(tables.cut(_by_capability(found)), found.determined))
    for table in shown:
        rows = {agent: [f"{v} [{span}]" if span else v for v, span in row] for agent, row in table["rows"]}
        text = pd.DataFrame(list(rows.values()), list(rows), table["measures"]).to_string()
        lines += ["", text]
    if found.groups:
        lines += ["", "Agents that the data cannot separate in capability:"]
        lines += [f"  {k}. {', '.join(map(str, group))}" for k, group in enumerate(found.groups, 1)]
    return "\n".join(_printable(line) for line in lines)


def _by_capability(found: Analysis) -> pd.DataFrame:
    """The most capable first, agents that are not put in order last."""
    table = found.table.sort_values("capability", ascending=False, kind="stable")
    return tables.ranked_first(table, found.ranked)


def _printable(text: str) -> str:
    """No escape sequence of a log reaches the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def facts(found: Analysis) -> dict[str, str]:
    """What was read and how it was measured, as text."""
    known = {k: _fact(v) for k, v in found.data.describe().items() if v is not None}
    if len(found.data.frame) == 1:
        known.pop("constant items", None)  # of one agent every item is
    return known | {
        "transform": found.transform,
        "mode": "exact",
        "intervals": "none" if found.ci is None else f"{100 * found.ci:g}%, resampling {found.resample}",
        "missing cells are": "refused" if found.missing == "error" else "left out, agent by agent",
        "seed": str(found.seed),
    }


def _fact(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _renamed(agents: pd.Index) -> dict[str, str]:
    """Agents that have another name in figures because the font lacks their letters."""
    names = tables.drawable_names(agents)
    return {str(a): new for a, new in names.items() if new.startswith("agent ") and new != str(a)}


def _survival(found: Analysis) -> dict[str, Any] | None:
    if found.survival is None or found.survival.empty:
        return None
    names = {"capability_order": "order of capability", "generality_order": "order of γ"}
    table = found.survival.rename(columns=names)
    for kind, heading in (("", "pairs reversed"), ("gamma_", "pairs reversed in γ")):
        counts = zip(table.pop(f"{kind}reversed"), table.pop(f"{kind}separated"), strict=True)
        table[heading] = [f"{a} of {b}" if b else "none separated" for a, b in counts]
    shown = tables.rounded(table)
    here = {found.transform: " (this analysis)"}
    shown["rows"] = [(name + here.get(name, ""), DEFINITIONS[name], row) for name, row in shown["rows"]]
    return shown


def odd_items(found: Analysis) -> dict[str, str]:
    """The items behind each finding of the audit, as many as fit into a line or two."""
    audit = found.audit
    if audit is None:
        return {}
    twice = audit["duplicate_of"][audit["duplicate_of"] != ""]
    lists = {
        "separate nobody": list(audit.index[audit["same"] & (audit["agents"] > 1)]),
        "negative beyond chance": list(audit.index[audit["negative"]]),
        "duplicates": [f"{item} = {other}" for item, other in twice.items()],
    }
    return {name: _listed(items) for name, items in lists.items() if items}


def _listed(items: list[Any]) -> str:
    rest = len(items) - _MOST_ITEMS
    return ", ".join(map(str, items[:_MOST_ITEMS])) + (f" … and {rest} more" if rest > 0 else "")


# -- figures -------------------------------------------------------------------------------------------


def _figures(found: Analysis) -> dict[str, str]:
    """PNG (base64) of each figure, by the name under which the template asks for it."""
    from gindex_lab.presentation.plots import analysis as plots
    from gindex_lab.presentation.plots.generality import plot_capability_spread
    from gindex_lab.presentation.plots.population import plot_intervals

    names = tables.drawable_names(found.table.index)
    few = found.ci is not None and len(names) <= _MOST_BARS
    drawn: dict[str, Callable[[], Any]] = {}

    def intervals(name: str, table: pd.DataFrame, measure: str) -> None:
        known = table.dropna(subset=[measure, f"{measure}_low", f"{measure}_high"]) if few else []
        if len(known):
            drawn[name] = partial(plot_intervals, known, [measure])

    if found.scores is not None and len(names) > 1:
        intervals("scores", found.scores.rename(index=names), "score")
    if found.measures:
        table = _feasible(found.table).rename(index=names)
        bars = [] if len(table) <= _MOST_BARS else [c for c in table if c.endswith(("_low", "_high"))]
        plane = table.drop(columns=bars)  # bars of many agents would cover each other
        labels = "auto" if len(table) <= tables.MOST_ROWS else False
        drawn["plane"] = lambda: plot_capability_spread(plane, labels=labels).figure
        intervals("capability", table, "capability")
        told, gamma = [names[agent] for agent in found.determined], "normalised_generality"
        intervals(gamma, table.loc[told], gamma)
        if found.survival is not None and not found.survival.empty and len(found.ranked) > 1:
            some = found.table.loc[found.ranked]
            drawn["survival"] = lambda: plots.plot_survival(some, found.definitions[0])
        if found.control is not None:
            drawn["control"] = partial(plots.plot_shuffle, found.control)
        if found.methods.agents is not None:
            agents = found.methods.agents.rename(index=names)
            drawn["methods"] = lambda: plots.plot_methods(agents).figure
        audit = found.audit
        if audit is not None and found.scores is not None and audit["discrimination"].count() >= 5:
            drawn["audit"] = lambda: plots.plot_item_audit(audit).figure
    return {name: png(draw) for name, draw in drawn.items()}


def _feasible(table: pd.DataFrame) -> pd.DataFrame:
    """The ends of the bars where a curve can be: a spread is at most √(2A(q - A)) (E.2, property 4).

    >>> table = pd.DataFrame({"capability": [0.5], "spread": [0.1], "spread_high": [0.9]})
    >>> table.attrs["interval"] = (0.0, 1.0)
    >>> _feasible(table)["spread_high"].round(3).tolist()
    [0.707]
    """
    low, high = table.attrs["interval"]
    q, found = high - low, table.copy()
    if "spread_high" in table:
        area = (table["capability"] - low).clip(0, q)
        most = np.sqrt(2 * area * (q - area))
        found["spread_high"] = np.maximum(np.minimum(table["spread_high"], most), table["spread"])
    if "capability_low" in table:
        half = np.sqrt(np.maximum(q**2 / 4 - table["spread"] ** 2 / 2, 0.0))
        found["capability_low"] = table["capability_low"].clip(lower=low + q / 2 - half)
        found["capability_high"] = table["capability_high"].clip(upper=low + q / 2 + half)
    found.attrs = table.attrs
    return found


def png(draw: Callable[[], Any]) -> str:
    """A figure as base64 PNG, the same bytes each time."""
    import matplotlib

    matplotlib.use("Agg", force=False)
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = draw()
        figure.savefig(buffer, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
