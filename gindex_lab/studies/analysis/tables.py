"""The tables of the page, as headings and rows of text: scores, tasks, pairs, measures, findings; and names
that fit into a figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import pandas as pd

from gindex_lab.foundation.likes import Label
from gindex_lab.measures.horizons.words import minutes_text
from gindex_lab.studies.analysis.score_words import turned_pair, undetermined

if TYPE_CHECKING:
    from gindex_lab.studies.analysis.whole import Analysis

__all__ = ["MOST_ROWS", "SHOWN", "cells", "cut", "drawable_names", "horizon_cells", "integrity_cells"]
__all__ += ["linked_cells", "pair_cells", "ranked_first", "rounded", "score_cells", "task_cells"]
__all__ += ["validity_cells"]

SHOWN = ["capability", "spread", "generality", "normalised_generality"]
COLUMNS = {  # of the tables of models, where the name of a column says too little
    "score": "points",
    "se": "standard error",
    "normalised_guttman_errors": "Guttman errors (share)",
    "lz_star": "lz*",
    "normalised_generality": "γ",
    "h": "Mokken's H",
    "h_se": "its error",
    "discrimination_se": "its error",
    "s_x2_p": "p of S-X²",
    "odd": "what is odd",
    "behind": "behind it",
}
_HEADINGS = {"generality": "generality Γ", "normalised_generality": "normalised generality γ"}
# How much a reader takes in: judgements.
MOST_ROWS, _FIRST, _LAST = 60, 20, 10  # agents in a table; of more the first and the last
_MOST_PAIRS = 36  # pairs in a table
_MOST_COLUMNS = 6  # beside the first column, of the table by task
_LONGEST = 30  # letters of a name in a figure

# `measures` (headings), `rows` (a name and its cells each), and what else the template asks for
Cells = dict[str, Any]


def drawable_names(names: Iterable[Label], longest: int = _LONGEST) -> dict[Label, str]:
    """A name for figures for each name: short, drawn by the font, each once, and not a formula.

    Tables and pages show the full names; a font that lacks a letter draws an empty box for it.

    Parameters
    ----------
    names : of agents
    longest : letters; a longer name is cut in the middle

    Returns
    -------
    dict: the name for figures by name, "agent" and a number where the font lacks a letter.

    Examples
    --------
    >>> list(drawable_names(["gpt", "a" * 40, "猫"]).values())
    ['gpt', 'aaaaaaaaaaaaaa…aaaaaaaaaaaaaaa', 'agent 3']
    """
    found: dict[Label, str] = {}
    used: set[str] = set()
    for k, name in enumerate(names, 1):
        text = " ".join(str(name).split())
        if not text or not _letters().issuperset(map(ord, text)):
            text = f"agent {k}"
        if len(text) > longest:
            half = (longest - 1) // 2
            text = f"{text[:half]}…{text[half + 1 - longest :]}"
        found[name] = f"{text} #{k}" if text in used else text
        used.add(found[name])
    return found


@cache
def _letters() -> frozenset[int]:
    """The letters that the font of figures can draw."""
    from matplotlib import font_manager, ft2font, rcParams

    path = font_manager.findfont(font_manager.FontProperties(family=rcParams["font.family"]))
    return frozenset(ft2font.FT2Font(path).get_charmap())


def cut(table: pd.DataFrame) -> pd.DataFrame:
    """All rows of a table of a few agents; of many the first, and the last.

    >>> cut(pd.DataFrame({"x": range(100)})).shape
    (30, 1)
    """
    return table if len(table) <= MOST_ROWS else pd.concat([table.head(_FIRST), table.tail(_LAST)])


def ranked_first(table: pd.DataFrame, ranked: Sequence[Any]) -> pd.DataFrame:
    """The same rows, those of agents that are not put in order last.

    >>> ranked_first(pd.DataFrame({"x": [3, 2, 1]}, list("abc")), ["b", "c"]).index.tolist()
    ['b', 'c', 'a']
    """
    known = table.index.isin(list(ranked))
    return pd.concat([table[known], table[~known]])


# -- scores --------------------------------------------------------------------------------------------


def score_cells(found: Analysis) -> Cells:
    """Score with its interval, items met, coverage, and how the score compares with guessing."""
    known, chance = set(found.ranked), found.chance
    if found.scores is None:
        table = found.met.sort_values(ascending=False, kind="stable").to_frame("n")
        table["coverage"] = table["n"] / max(found.data.shape[1], 1)
    else:
        table = found.scores.sort_values("score", ascending=False, kind="stable")
        table = ranked_first(table, found.ranked)
    rows = []
    for agent, row in cut(table).iterrows():
        parts = [] if found.scores is None else [(f"{100 * row['score']:.1f}%", _span(row, "score"))]
        few = "" if found.scores is None or agent in known else "not put in order"
        parts += [(f"{int(row['n']):,}", ""), (f"{row['coverage']:.0%}", few)]
        if chance is not None:
            at = chance.loc[agent]
            parts += [(f"{100 * at['floor']:.1f}%", ""), (str(at["against_chance"]), "")]
        rows.append((str(agent), parts))
    headings = [] if found.scores is None else ["score"]
    headings += ["items met", "coverage"]
    return {
        "measures": headings + ([] if chance is None else ["guessing gives", "against guessing"]),
        "rows": rows,
    }


def _span(row: pd.Series, name: str) -> str:
    """The limits of a share in percent, "" where there are none."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return "" if low is None or low != low else f"{100 * low:.1f} to {100 * high:.1f}"


def task_cells(found: Analysis) -> Cells | None:
    """Scores by task: agents x tasks; tasks x the agents with the highest scores where the tasks are many."""
    tasks = found.tasks
    if tasks is None or found.scores is None or tasks["task"].nunique() > MOST_ROWS:
        return None
    agents = cut(found.scores.sort_values("score", ascending=False, kind="stable")).index
    names = list(dict.fromkeys(tasks["task"]))
    texts = {
        (row["agent"], row["task"]): (
            f"{100 * row['score']:.1f}%",
            f"{_span(row, 'score')}, n {int(row['n']):,}".strip(", "),
        )
        for _, row in tasks.iterrows()
    }
    few = len(names) <= _MOST_COLUMNS
    shown = list(agents if few else agents[:_MOST_COLUMNS])
    left = "" if len(agents) == len(shown) else f"The {len(shown)} agents with the highest scores."
    grid = {a: {task: texts.get((a, task), ("–", "")) for task in names} for a in shown}
    if few:
        rows = [(str(a), list(by_task.values())) for a, by_task in grid.items()]
        return {"first": "agent", "measures": [str(name) for name in names], "rows": rows, "left": left}
    rows = [(str(task), [grid[a][task] for a in shown]) for task in names]
    return {"first": "task", "measures": [str(a) for a in shown], "rows": rows, "left": left}


def pair_cells(found: Analysis) -> Cells | None:
    """Differences in points: every pair of a few agents, of more the best score with each other."""
    pairs, order = found.differences, found.score_order
    if pairs is None or order is None or order.separated is None:
        return None
    if len(pairs) > _MOST_PAIRS:
        pairs = pairs[(pairs["a"] == order.front) | (pairs["b"] == order.front)]
        pairs = pairs.loc[pairs["difference"].abs().sort_values(kind="stable").index]
    rows = []
    for _, row in pairs.head(_MOST_PAIRS).iterrows():
        turn = row["b"] == order.front or (row["difference"] < 0 and row["a"] != order.front)
        a, b, low, high = turned_pair(row, turn)
        parts = ["–", "–", f"{row['common']:,}", "–"]  # compared through a linked model only
        if row["difference"] == row["difference"]:
            gap = -row["difference"] if turn else row["difference"]
            span = f"{100 * low:+.1f} to {100 * high:+.1f}"
            parts = [f"{100 * gap:+.1f}", span, f"{row['common']:,}", _small(row["p_adjusted"])]
        rows.append((f"{a} − {b}", [*parts, row["verdict"]]))
    headings = ["points", "interval", "common items", "p, all pairs", "verdict"]
    return {"measures": headings, "rows": rows, "more": max(0, len(pairs) - _MOST_PAIRS)}


def _small(p: float) -> str:
    """A p value; approximations do not know how far below a millionth it lies."""
    return f"{p:.2g}" if p >= 1e-6 else "< 1e-6"


def linked_cells(found: Analysis) -> Cells | None:
    """Pairs with too few common items that a linked model compares, the surest first."""
    if found.linked is None or found.linked["p_value"].isna().all():
        return None
    known = found.linked.dropna(subset=["p_value"]).sort_values("p_value", kind="stable")
    rows = []
    for _, row in known.head(_MOST_PAIRS).iterrows():
        a, b, low, high = turned_pair(row, row["logits"] < 0)
        parts = [f"{abs(row['logits']):+.2f}", f"{low:+.2f} to {high:+.2f}", str(row["links"])]
        parts += [f"{row['anchors']:.0f}", _small(row["p_adjusted"]), row["verdict"]]
        rows.append((f"{a} − {b}", parts))
    headings = ["log-odds", "interval", "linking agents", "fewest shared items", "p, all pairs", "verdict"]
    return {"measures": headings, "rows": rows, "more": max(0, len(known) - len(rows))}


def integrity_cells(found: Analysis) -> Cells | None:
    """The findings of `gl.audit`, and what could not be checked, by reason."""
    table = found.integrity
    if table is None:
        return None
    rows = [
        (str(name), [row["kind"], f"{row['count']} of {row['of']}", row["example"], row["remedy"]])
        for name, row in table.iterrows()
    ]
    reasons: dict[str, list[str]] = {}
    for name, why in table.attrs["not_checked"].items():
        reasons.setdefault(why, []).append(name)
    return {"rows": rows, "unseen": [(", ".join(names), why) for why, names in reasons.items()]}


def horizon_cells(found: Analysis) -> Cells | None:
    """Time horizons, the longest first; of many agents the first and the last."""
    if found.horizons is None:
        return None
    table = found.horizons.sort_values("horizon_50", ascending=False, kind="stable")
    rows = []
    for agent, row in cut(table).iterrows():
        parts = []
        for name in ("horizon_50", "horizon_80"):
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            span = "" if low is None or low != low else f"{_time(low)} to {_time(high)}"
            parts.append((_time(row[name]), span))
        rows.append((str(agent), parts))
    return {"measures": ["50% success", "80% success"], "rows": rows}


def _time(minutes: float) -> str:
    """A length of time, as far as it means something: nobody measured picoseconds, or centuries."""
    if minutes != minutes:
        return "–"
    if minutes < 1 / 60:
        return "under a second"
    return "over a year" if minutes > 365 * 24 * 60 else minutes_text(minutes)


def validity_cells(found: Analysis) -> Cells | None:
    """How far difficulty orders failures, over all agents and then the least ordered agents."""
    if found.validity is None:
        return None
    table = found.validity
    some = pd.concat([table.tail(1), table.iloc[:-1].sort_values("correlation", kind="stable")])
    return rounded(some.rename(columns={"ordered": "harder_done_worse"}), 12)


def cells(table: pd.DataFrame, determined: Sequence[Any] | None = None) -> Cells:
    """Headings and rows of the table as text, intervals folded into their measure's cell.

    Generality that the data leave wide open is not printed as a number: that of agents not in `determined`.

    >>> table = pd.DataFrame({"capability": [0.5], "capability_low": [0.4], "capability_high": [0.6]}, ["a"])
    >>> cells(table)["rows"]
    [('a', [('0.500', '0.400 to 0.600')])]
    """
    measures = [m for m in SHOWN if m in table]
    told = set(table.index[~undetermined(table)] if determined is None else determined)
    rows = [(str(a), [_cell(row, m, a in told) for m in measures]) for a, row in table.iterrows()]
    return {"measures": [_HEADINGS.get(m, m) for m in measures], "rows": rows}


def _cell(row: pd.Series, measure: str, told: bool) -> tuple[str, str]:
    if not told and measure in ("generality", "normalised_generality"):
        return "–", "not determined"
    value, low, high = row[measure], row.get(f"{measure}_low"), row.get(f"{measure}_high")
    shown = "∞" if value == float("inf") else f"{value:.3f}"
    if low is None or high is None:
        return shown, ""
    if low != low:
        return shown, "no interval"
    if measure == "generality" and high > 10 * low:  # 1/S of a spread near 0: an accident of digits
        return f"{low:.3f} or more", ""
    bounds = row.get(f"{'spread' if measure == 'generality' else measure}_bounds", False)
    return shown, f"{'bounds ' if bounds else ''}{low:.3f} to {high:.3f}"


def rounded(table: pd.DataFrame, most: int = 10) -> Cells:
    """Headings and the first rows of any table as text, and how many rows were left out.

    >>> rounded(pd.DataFrame({"p_value": [0.01234]}, index=["a"]))
    {'measures': ['p value'], 'rows': [('a', ['0.012'])], 'more': 0}
    """
    texts = table.head(most).apply(_as_text)
    rows = [(str(name), list(row)) for name, row in zip(texts.index, texts.to_numpy(), strict=True)]
    headings = [COLUMNS.get(c, str(c).replace("_", " ")) for c in table.columns]
    return {"measures": headings, "rows": rows, "more": max(0, len(table) - most)}


def _as_text(column: pd.Series) -> pd.Series:
    """Three digits, none for a column of whole numbers, words as they are."""
    if not pd.api.types.is_float_dtype(column):
        return column.astype(str)
    digits = 0 if (column > 1).any() and (column % 1 == 0).all() else 3
    return column.map(lambda value: "–" if value != value else f"{value:.{digits}f}")
