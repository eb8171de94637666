"""The analysis as one HTML file: figures embedded, every string from the logs escaped by the template."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gindex_lab.studies.analysis.names import drawable_names
from gindex_lab.studies.analysis.options import WHY
from gindex_lab.studies.analysis.score_words import about_reading, undetermined
from gindex_lab.studies.analysis.surviving import DEFINITIONS
from gindex_lab.studies.analysis.telling import how_tested

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["SHOWN", "cells", "report_page", "text_report"]

SHOWN = ["capability", "spread", "generality", "normalised_generality"]
_HEADINGS = {"generality": "generality Γ", "normalised_generality": "normalised generality γ"}
_CONTROL = {"capability_sd": "sd of capability over agents", "mean_gamma": "mean γ of the agents"}
_MOST_BARS = 80  # agents in a figure of intervals
_MOST_ITEMS = 12  # items listed for each finding
_MOST_ROWS, _FIRST, _LAST = 60, 20, 10  # agents in a table; of more the first and the last
_MOST_PAIRS = 36  # pairs in a table
_MOST_TASKS = 16  # columns of the table by task


def report_page(found: Analysis) -> str:
    """The whole page, ready to be written."""
    from gindex_lab.presentation.pages import page

    table = found.table
    ordered = (
        table.sort_values("capability", ascending=False, kind="stable") if found.measures else None
    )
    said = found.said()
    return page(
        "analysis.html.j2",
        title=f"How capable and how general? {found.data.name}".strip(),
        read=about_reading(found.data),
        said=[line for line in said if line.firm],
        unsaid=[line for line in said if not line.firm],
        scores=score_cells(found),
        tasks=task_cells(found),
        pairs=pair_cells(found),
        tested=how_tested(found),
        facts=facts(found),
        table=None if ordered is None else cells(cut(ordered)),
        agents=len(table),
        drawn=_renamed(table.index if ordered is None else ordered.index),
        groups=found.groups,
        gamma_groups=found.gamma_groups,
        survival=_survival(found),
        refused=found.definitions[1],
        control=None if found.control is None else rounded(found.control.rename(index=_CONTROL)),
        validity=_validity(found),
        audit=found.audit_counts,
        odd_items=odd_items(found),
        items=None if found.items is None else rounded(found.items, 20),
        views={
            "Item response theory": found.irt,
            "Factor analysis": found.factors,
            "Person fit": found.fit,
        }
        if found.measures and len(table) > 1
        else {},
        tabulate=rounded,
        figures=_figures(found),
        ci=found.ci,
        why=WHY[found.transform],
    )


def text_report(found: Analysis) -> str:
    """The report for a terminal: what was read, what it says, scores, and then the measures."""
    lines = [f"({line})" for line in about_reading(found.data)] + found.sentences()
    for shown in (score_cells(found), _measure_cells(found)):
        if shown is not None:
            lines += ["", _as_table(shown)]
    title = ["", "Agents that the data cannot separate in capability:"] if found.groups else []
    groups = [f"  {k}. {', '.join(map(str, group))}" for k, group in enumerate(found.groups, 1)]
    return "\n".join(_printable(line) for line in [*lines, *title, *groups])


def _measure_cells(found: Analysis) -> dict[str, Any] | None:
    if not found.measures:
        return None
    return cells(cut(found.table.sort_values("capability", ascending=False, kind="stable")))


def _as_table(shown: dict[str, Any]) -> str:
    rows = [[f"{v} [{span}]" if span else v for v, span in row] for _, row in shown["rows"]]
    index = [agent for agent, _ in shown["rows"]]
    return str(pd.DataFrame(rows, index, shown["measures"]).to_string())


def _printable(text: str) -> str:
    """No escape sequence of a log reaches the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)


def cut(table: pd.DataFrame) -> pd.DataFrame:
    """All rows of a table of a few agents; of many the first, and the last.

    >>> cut(pd.DataFrame({"x": range(100)})).shape
    (30, 1)
    """
    if len(table) <= _MOST_ROWS:
        return table
    return pd.concat([table.head(_FIRST), table.tail(_LAST)])


# -- scores --------------------------------------------------------------------------------------------


def score_cells(found: Analysis) -> dict[str, Any] | None:
    """Score with its interval, items met, coverage, and how it stands against guessing."""
    if found.scores is None:
        n = found.met.sort_values(ascending=False, kind="stable")
        share = n / max(found.data.shape[1], 1)
        rows = [
            (str(a), [(str(n[a]), ""), (f"{share[a]:.0%}", "")]) for a in cut(n.to_frame()).index
        ]
        return {"measures": ["items met", "coverage"], "rows": rows}
    table = found.scores.sort_values("score", ascending=False, kind="stable")
    chance = found.chance
    rows = []
    for agent, row in cut(table).iterrows():
        span = _points(row.get("score_low"), row.get("score_high"))
        parts = [(f"{100 * row['score']:.1f} %", span)]
        parts += [(f"{int(row['n'])}", ""), (f"{row['coverage']:.0%}", "")]
        if chance is not None:
            at = chance.loc[agent]
            parts += [(f"{100 * at['floor']:.1f} %", ""), (str(at["against_chance"]), "")]
        rows.append((str(agent), parts))
    more = [] if chance is None else ["guessing gives", "against guessing"]
    return {"measures": ["score", "items met", "coverage", *more], "rows": rows}


def _points(low: float | None, high: float | None) -> str:
    if low is None or high is None or low != low:
        return ""
    return f"{100 * low:.1f} to {100 * high:.1f}"


def task_cells(found: Analysis) -> dict[str, Any] | None:
    """Agents x tasks, for as many as can be read."""
    tasks = found.tasks
    if tasks is None or found.scores is None or tasks["task"].nunique() > _MOST_TASKS:
        return None
    order = cut(found.scores.sort_values("score", ascending=False, kind="stable")).index
    names = list(dict.fromkeys(tasks["task"]))
    known = {(row["agent"], row["task"]): row for _, row in tasks.iterrows()}
    rows = [(str(a), [_task_cell(known.get((a, task))) for task in names]) for a in order]
    return {"measures": [str(name) for name in names], "rows": rows}


def _task_cell(row: pd.Series | None) -> tuple[str, str]:
    if row is None:
        return "–", ""
    span = _points(row.get("score_low"), row.get("score_high"))
    return f"{100 * row['score']:.1f} %", f"{span}, n {int(row['n'])}".strip(", ")


def pair_cells(found: Analysis) -> dict[str, Any] | None:
    """Differences in points: every pair of a few agents, of more the best score with each other."""
    pairs, order = found.differences, found.score_order
    if pairs is None or order is None or order.separated is None:
        return None
    if len(pairs) > _MOST_PAIRS:
        pairs = pairs[(pairs["a"] == order.front) | (pairs["b"] == order.front)]
        pairs = pairs.loc[pairs["difference"].abs().sort_values(kind="stable").index]
    turned = pairs["b"].eq(order.front) | (pairs["difference"] < 0) & ~pairs["a"].eq(order.front)
    rows = []
    for (_, row), turn in list(zip(pairs.iterrows(), turned, strict=True))[:_MOST_PAIRS]:
        a, b = (row["b"], row["a"]) if turn else (row["a"], row["b"])
        low, high = (-row["high"], -row["low"]) if turn else (row["low"], row["high"])
        gap = -row["difference"] if turn else row["difference"]
        known = row["verdict"] != "not comparable"
        shown = [f"{100 * gap:+.1f}", f"{100 * low:+.1f} to {100 * high:+.1f}"]
        parts = shown if known else ["–", "–"]
        p = f"{row['p_adjusted']:.2g}" if known else "–"
        rows.append((f"{a} − {b}", [*parts, str(row["common"]), p, row["verdict"]]))
    headings = ["points", "interval", "common items", "p, all pairs", "verdict"]
    return {"measures": headings, "rows": rows, "more": max(0, len(pairs) - _MOST_PAIRS)}


def _validity(found: Analysis) -> dict[str, Any] | None:
    if found.validity is None:
        return None
    table = found.validity
    some = pd.concat([table.tail(1), table.iloc[:-1].sort_values("correlation", kind="stable")])
    return rounded(some.rename(columns={"ordered": "harder_done_worse"}), 12)


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

    What an interval leaves wide open is not printed as a number.

    >>> table = pd.DataFrame({"capability": [0.5], "capability_low": [0.4], "capability_high": [0.6]}, ["a"])
    >>> cells(table)["rows"]
    [('a', [('0.500', '0.400 to 0.600')])]
    """
    measures = [m for m in SHOWN if m in table]
    wide = undetermined(table)
    rows = []
    for agent, row in table.iterrows():
        parts = [
            ("–", "not determined")
            if wide[agent] and m in ("generality", "normalised_generality")
            else _cell(row[m], row.get(f"{m}_low"), row.get(f"{m}_high"))
            for m in measures
        ]
        rows.append((str(agent), parts))
    return {"measures": [_HEADINGS.get(m, m) for m in measures], "rows": rows}


def _cell(value: float, low: float | None, high: float | None) -> tuple[str, str]:
    shown = "∞" if value == float("inf") else f"{value:.3f}"
    if low is None or high is None:
        return shown, ""
    if low != low:
        return shown, "no interval"
    return shown, f"{low:.3f} or more" if high == float("inf") else f"{low:.3f} to {high:.3f}"


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
        "separate nobody": list(audit.index[audit["same"] & (audit["agents"] > 1)]),
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
    from gindex_lab.presentation.plots import analysis as plots
    from gindex_lab.presentation.plots.generality import plot_capability_spread
    from gindex_lab.presentation.plots.intervals import plot_intervals

    names = drawable_names(found.table.index)
    drawn = {}
    if found.scores is not None and found.ci is not None and 1 < len(names) <= _MOST_BARS:
        columns = {f"score{end}": f"mean{end}" for end in ("", "_low", "_high")}
        scores = found.scores.rename(columns=columns, index=names)
        drawn["scores"] = png(lambda: plot_intervals(scores, ["mean"]))
    if not found.measures:
        return drawn
    table = _feasible(found.table).rename(index=names)
    if len(table) > _MOST_BARS:  # bars of many agents would cover each other
        table = table.drop(columns=[c for c in table if c.endswith(("_low", "_high"))])
    drawn["plane"] = png(
        lambda: (
            plot_capability_spread(
                table, labels="auto" if len(table) <= _MOST_ROWS else False
            ).figure
        )
    )
    if found.ci is not None and len(table) <= _MOST_BARS:
        drawn["intervals"] = png(lambda: plot_intervals(table))
    if found.survival is not None and not found.survival.empty and len(found.ranked) > 1:
        some = found.table.loc[found.ranked]
        drawn["survival"] = png(lambda: plots.plot_survival(some, found.definitions[0]))
    if found.control is not None:
        control = found.control
        drawn["control"] = png(lambda: plots.plot_shuffle(control))
    audit = found.audit
    if audit is not None and found.scores is not None and audit["discrimination"].count() >= 5:
        drawn["audit"] = png(lambda: plots.plot_item_audit(audit).figure)
    return drawn


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
        figure.savefig(
            buffer, format="png", dpi=144, bbox_inches="tight", metadata={"Software": None}
        )
    plt.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
