"""Tables for people: names instead of column names, digits that mean something, at most seven columns.

`nb.start` makes every DataFrame of a notebook appear this way; `nb.table` also chooses and names columns. An
estimate and its limits (`capability`, `capability_low`, `capability_high`) are one column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from gindex_lab.foundation.errors import BadInput, ensure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "NAMES", "number_words", "people_table"]

COLUMNS = 7  # of a table for people; the row's name counts

#: What the columns of our tables are called on a page; other names lose their underscores.
NAMES = {
    "capability": "capability Ψ",
    "spread": "spread S",
    "generality": "generality Γ",
    "normalised_generality": "normalised generality γ",
    "expected_difficulty": "expected difficulty H",
    "divergence": "divergence Δ",
    "delta": "divergence Δ",
    "domain_distance": "domain distance Ω",
    "omega": "domain distance Ω",
    "performance": "performance θ",
    "theta": "performance θ",
    "priors": "priors ρ",
    "experience": "experience E",
    "g_index": "g-index",
    "aiq": "AIQ",
    "p_value": "p value",
    "PR(>F)": "p value",
    "sum_sq": "sum of squares",
    "df": "degrees of freedom",
    "F": "F",
    "std": "standard deviation",
    "sd": "standard deviation",
    "se": "standard error",
    "ci": "interval",
    "r": "correlation r",
    "g_score": "g score",
    "norm_conformity": "norm conformity",
    "guttman_errors": "Guttman errors G",
    "normalised_guttman_errors": "Guttman errors G*",
    "lz_star": "lz*",
    "xi": "ξ",
    "tau": "τ",
    "kendall_tau": "Kendall's τ",
    "compute_pflop": "compute (PFLOP)",
    "mean_capability": "mean Ψ",
    "mean_spread": "mean S",
    "mean_normalised_generality": "mean γ",
    "mean_gamma": "mean γ",
    "capability_sd": "sd of capability",
    "abstruse_share": "share abstruse",
    "capability_spread": "r(Ψ, S)",
    "capability_generality": "r(Ψ, γ)",
    "True": "yes",
    "False": "no",
}
_POWER = re.compile(r"[-+]?\d+(?:\.\d+)?e[-+]?\d+")
_ROWS = 25  # of a table on a page: a screenful; the CSV has all
_SHORT = 14  # letters of a name that is not broken: 2012-07, letter series
_FIGURE = re.compile(r"(?:< )?[-−+]?\d[\d,.]*(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?%?(?: \(.* to .*\))?|[–∞]|−∞|")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def people_table(
    table: pd.DataFrame,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    *,
    digits: int = 3,
    index: bool | str | None = None,
    rows: int = _ROWS,
    link: str = "",
) -> str:
    """The table as HTML; see `notebook.table`. `link` leads to the full table."""
    table = table.infer_objects()
    names, cells = _rows_named(table.index[:rows], index)
    shown, left = _chosen(_merged(table, digits), columns, COLUMNS - len(names))
    head = shown.head(rows)
    beside = {str(name) for name in table.columns}
    for k, name in enumerate(head.columns):
        told = _column(head.iloc[:, k], digits)
        cells.append(_chances(told, head.iloc[:, k]) if _is_chance(name, beside) else told)
    given = columns if isinstance(columns, Mapping) else {}
    heads = [*names, *(given.get(name, _name(name)) for name in shown.columns)]
    figures = [False] * len(names) + [_is_figures(head.iloc[:, k]) for k in range(head.shape[1])]
    html = _markup(heads, cells, figures)
    return f'<div class="gl-scroll">{html}</div>{_below(len(table) - len(head), left, link)}'


def _markup(heads: Sequence[object], columns: Sequence[Sequence[str]], figures: list[bool]) -> str:
    """The table itself; numbers stand to the right, words to the left."""

    def cell(tag: str, text: str, number: bool) -> str:
        short = "" if number or tag == "th" or len(text) > _SHORT else " short"
        look = "" if number else f' class="words{short}"'
        return f"<{tag}{look}>{escape(text)}</{tag}>"

    def row(tag: str, cells: Sequence[object]) -> str:
        parts = zip(cells, figures, strict=True)
        return f"<tr>{''.join(cell(tag, str(text), number) for text, number in parts)}</tr>"

    body = "\n".join(row("td", cells) for cells in zip(*columns, strict=True))
    head = f"<thead>{row('th', heads)}</thead>"
    return f'<table class="dataframe gl-table">{head}\n<tbody>{body}</tbody></table>'


def _is_figures(values: pd.Series) -> bool:
    """Whether a column holds numbers, or estimates with their limits."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return True
    return all(_FIGURE.fullmatch(_cell(value)) for value in values)


def _rows_named(index: pd.Index, wanted: bool | str | None) -> tuple[list[str], list[list[str]]]:
    """The columns that name the rows, with their heads; plain numbers do not."""
    import pandas as pd

    numbers = pd.api.types.is_integer_dtype(index) and index.names == [None]
    if wanted is False or (wanted is None and numbers):
        return [], []
    levels = [index.get_level_values(k) for k in range(index.nlevels)]
    heads = [wanted if isinstance(wanted, str) else _name(n) if n else "" for n in index.names]
    counts = pd.api.types.is_integer_dtype
    return heads, [_column(at.to_series(), 3) if counts(at) else [_cell(v) for v in at] for at in levels]


def _below(rows: int, columns: int, link: str) -> str:
    """What is not shown, and where it is."""
    left = [f"{n:,} {what}{'s' if n > 1 else ''}" for n, what in ((rows, "row"), (columns, "column")) if n]
    said = f"{' and '.join(left)} not shown here" if left else ""
    if link:
        said += f'{". " if said else ""}<a href="{escape(link)}">Full table (CSV)</a>'
    auto = f' data-left-out="{columns}"' if columns else ""
    return f'<p class="gl-below"{auto}>{said}</p>' if said else ""


def _merged(table: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Estimates with their limits in one column: 0.41 (0.35 to 0.48)."""
    import pandas as pd

    merged = table.copy()
    names = [c for c in table.columns if isinstance(c, str)]
    for name, join in [(n, j) for n in names for j in "_ "]:
        low, high = f"{name}{join}low", f"{name}{join}high"
        if low in merged and high in merged and name in merged:
            told = _column(pd.concat([table[c] for c in (name, low, high)]), digits)  # to the same decimals
            n = len(table)
            merged[name] = [
                v if v == "–" or a == b == "–" else f"{v} ({a} to {b})"
                for v, a, b in zip(told[:n], told[n : 2 * n], told[2 * n :], strict=True)
            ]
            merged = merged.drop(columns=[low, high])
    return merged


def _chosen(
    table: pd.DataFrame, columns: Sequence[str] | Mapping[str, str] | None, room: int
) -> tuple[pd.DataFrame, int]:
    """The columns to show, and how many were left out unasked for want of room."""
    if columns is not None:
        problem, remedy = "[columns] is not a column of the table", f"choose from {list(table.columns)}"
        for name in columns:
            ensure(name in table, "columns", name, problem, remedy)
        if len(list(columns)) > room:
            remedy = "choose those that answer the question"
            raise BadInput("columns", list(columns), f"[too-many] are more than {room}", remedy)
        return table[list(columns)], 0
    return table.iloc[:, :room], max(table.shape[1] - room, 0)


def _name(name: object) -> str:
    if isinstance(name, tuple):
        return " · ".join(_name(part) for part in name if part != "")
    if isinstance(name, float):
        return number_words(name)
    text = str(name)
    return NAMES.get(text, re.sub(r"(?<![A-Z])_|_(?![A-Z])", " ", text).strip())  # TD_U is a name


def _column(values: pd.Series, digits: int) -> list[str]:
    """The cells of one column: numbers to the same decimals, small ones to two digits of their own."""
    import pandas as pd

    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return [_cell(v) for v in values]
    given = [float(v) for v in values.astype("float64")]
    finite = [abs(v) for v in given if math.isfinite(v)]
    if all(v == round(v) for v in finite) and max(finite, default=0) < 1e15:
        return [_whole(v, not _years(finite)) for v in given]
    top = max(finite)
    decimals = digits if top <= 1 else max(digits - 1 - math.floor(math.log10(top)), 0)
    if top < 100 and any(0 < v < 1 for v in finite):  # a mean of 16.2 beside a γ of 0.31
        decimals = max(decimals, digits - 1)
    noise = 1e-12 * max(top, 1e-3) if top < 0.1 else min(10.0 ** -(decimals + 1), 1e-4)
    rounded = [round(v, decimals) for v in finite]
    while decimals > 1 and all(round(v, decimals - 1) == v for v in rounded):
        decimals -= 1
    own = [decimals if abs(v) <= noise else _own(v, decimals) for v in given]
    return [number_words(v, d, noise=noise) for v, d in zip(given, own, strict=True)]


def _own(value: float, decimals: int) -> int:
    """More decimals for a small number among large ones: −0.60 above −129 is not −1.

    >>> _own(-0.597, 0), _own(8.32, 0), _own(99.6, 0), _own(0.45, 1), _own(0.5, 1), _own(1 - 1e-15, 1)
    (2, 1, 0, 2, 1, 1)
    """
    whole = math.isfinite(value) and abs(round(value, decimals) - value) < 1e-9
    if decimals > 1 or not math.isfinite(value) or whole:
        return decimals
    return max(decimals, 1 - math.floor(math.log10(abs(value)))) if abs(value) < 10 else decimals


def _is_chance(name: object, beside: set[str]) -> bool:
    """Whether a column holds the p values of tests; a plain p beside nothing tested is a probability."""
    tested = r"p[ _](value|holm|adjusted|programs|\(.+)|PR\(>F\)|.+ p( value)?"
    known = re.fullmatch(tested, str(name))
    return bool(known) or (str(name) == "p" and bool(beside & {"t", "F", "z", "difference"}))


def _chances(told: list[str], values: pd.Series) -> list[str]:
    """p values that round to nothing: no test gives 0.000."""
    small = [isinstance(v, float) and v < 0.0005 for v in values]
    return ["< 0.001" if tiny else text for text, tiny in zip(told, small, strict=True)]


def _years(values: Sequence[float]) -> bool:
    """Whether whole numbers are years, which are not grouped: 2018, but 2,560 samples."""
    return all(1900 <= v <= 2100 for v in values)


def _whole(value: float, grouped: bool) -> str:
    """A count; a year is not grouped."""
    if not math.isfinite(value):
        return number_words(value)
    value = value or 0.0  # not −0
    return (f"{value:,.0f}" if grouped else f"{value:.0f}").replace("-", "−")


def number_words(value: float, decimals: int | None = None, noise: float = 0.0) -> str:
    """A number for people: – for a gap, ∞, a power of ten where it is tiny or huge.

    >>> [number_words(v, 2) for v in (0.5, -0.123, 0.00123, 6.9e-17, float("nan"), float("inf"))]
    ['0.50', '−0.12', '0.0012', '6.9 × 10⁻¹⁷', '–', '∞']
    >>> number_words(6.9e-17, 2, noise=1e-12), number_words(1234567.0, 0), number_words(2.5)
    ('0.00', '1,234,567', '2.5')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0 or abs(value) <= noise:
        return f"{0:.{decimals or 0}f}"
    if abs(value) < 1e-4 or abs(value) >= 1e9:
        mantissa, _, power = f"{value:.1e}".partition("e")
        return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPTS)}".replace("-", "−")
    if decimals is None or round(abs(value), decimals) == 0:
        text = f"{value:.3g}" if decimals is None else f"{float(f'{value:.2g}'):f}".rstrip("0")
        return (f"{value:,.0f}" if "e" in text else text).replace("-", "−")
    return f"{value:,.{decimals}f}".replace("-", "−")


def _cell(value: Any) -> str:
    """One cell that is not of a column of numbers."""
    import numbers

    import numpy as np
    import pandas as pd

    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None or value is pd.NA or value is pd.NaT:
        return "–"
    if isinstance(value, numbers.Integral):
        return _whole(float(value), not _years([float(value)]))
    if isinstance(value, numbers.Real):
        return number_words(float(value))
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}" if value == value.normalize() else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, pd.Interval):
        return f"{_cell(value.left)} to {_cell(value.right)}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ", ".join(_cell(v) for v in value)
    if isinstance(value, (set, frozenset)):
        return ", ".join(sorted(map(_cell, value)))
    if isinstance(value, Mapping):
        return ", ".join(f"{_cell(k)}: {_cell(v)}" for k, v in value.items())
    text = str(value)
    return number_words(float(text)) if _POWER.fullmatch(text) else NAMES.get(text, text)
