"""Numbers in the cells of a table: decimal commas, percentages, fractions, counts, codes for no answer."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.readers.facts import LIKE_A_NUMBER, PERCENT, is_fact
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import listed

__all__ = ["missing_codes", "percentages", "plain_numbers", "share_of", "summaries", "without_headers"]

_WITH_ERROR = r"([-+]?\d[\d.,]*\s*%?)\s*(?:±|\+/-)\s*\d"
_DECIMAL_COMMA = r"\s*[-+]?\d*,\d+\s*%?\s*"
_THOUSANDS = r"\s*[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\s*"
_FRACTION = r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+)\s*"
_GAPS = ("-", "–", "—", ".", "..", "?", "n.a.")
_SUMMARY = re.compile(r"(?i)(macro|micro|weighted)?[ _-]?(average|avg|mean)|overall|all")
_LONGEST = 200  # characters of a cell in which a number is looked for: searching takes their square
# Codes that questionnaires use for no answer: 7-9 beside right and wrong, the others also beside ratings
_CODES = (7, 8, 9)
_LONG_CODES = (-9, -99, -999, 99, 999)
# Fewer scores, or more codes than scores, are no ground for calling a number a code: a judgement
_FEWEST, _MOST_CODED = 20, 0.5
# How far a printed mean may be from the mean, of the largest number: rounding to whole per cent, and a little
_ROUNDED = 0.011


def plain_numbers(column: pd.Series, found: Storage, points: bool = False) -> pd.Series:
    """A column of text as numbers: without decimal commas (0,85), errors behind them (0.85 ± 0.02) and
    fractions (34/50). Whether 1,234 is a little more than one or more than a thousand is not guessed; where
    other numbers of the table have decimal `points`, it is more than a thousand.

    >>> plain_numbers(pd.Series(["0,85", "1"]), Storage("t")).tolist()
    ['0.85', '1']
    >>> plain_numbers(pd.Series(["34/50", "1/4"]), Storage("t")).tolist()
    [0.68, 0.25]
    """
    if pd.api.types.is_numeric_dtype(column):
        return column
    known = column.dropna().astype(str)
    dashes = known.str.strip().str.lower().isin(_GAPS)
    if dashes.any() and known[~dashes].str.fullmatch(LIKE_A_NUMBER).any():
        column = column.astype(object).mask(column.notna() & dashes.reindex(column.index, fill_value=False))
        known = known[~dashes]
    behind = known.str.slice(0, _LONGEST).str.extract(_WITH_ERROR)
    if len(known) and behind[0].notna().any():
        found.note("scale", "of numbers such as 0.85 ± 0.02 the part before the ± was read")
        column = column.astype(object).where(column.isna(), known.where(behind[0].isna(), behind[0]))
        known = column.dropna().astype(str).str.strip()
    parts = known.str.slice(0, _LONGEST).str.extract(_FRACTION).astype(float)
    if len(known) and (parts[0] <= parts[1]).all() and (parts[1] > 0).all():
        found.note("scale", "fractions such as 34/50 were read as shares")
        return (parts[0] / parts[1]).reindex(column.index)
    commas = known[known.str.contains(",", regex=False)]
    if len(commas) and commas.str.fullmatch(_DECIMAL_COMMA).all():
        fraction = commas.str.extract(r"(\d*),(\d+)")
        if ((fraction[1].str.len() != 3) | (fraction[0].isin(["", "0"]))).any():
            found.note("scale", "numbers with decimal commas (0,85) were read as such")
            return column.astype(object).where(column.isna(), known.str.replace(",", "."))
    thousands = len(commas) and commas.str.fullmatch(_THOUSANDS).all()
    if thousands and (points or commas.str.contains(r"\.|,.*,").any()):
        found.note("scale", "numbers with thousands apart (12,345) were read as such")
        return pd.to_numeric(known.str.replace(",", ""), errors="coerce").reindex(column.index)
    return column


def percentages(table: pd.DataFrame, agent: str, found: Storage) -> pd.DataFrame:
    """A wide table in which columns of percentages are numbers, on the scale of its other columns."""
    words = [c for c in table if c != agent and not pd.api.types.is_numeric_dtype(table[c])]
    points = bool(words) and any(_has_points(table[c]) for c in table if c != agent)
    table = table.assign(**{c: plain_numbers(table[c], found, points) for c in words})
    texts = [c for c in words if _in_percent(table[c])]
    if not texts:
        return table
    others = [c for c in table.columns if c not in (agent, *texts) and not is_fact(str(c))]
    beyond = [c for c in others if pd.to_numeric(table[c], errors="coerce").max() > 1]
    scale = found.options.scale
    points = scale[1] > 1 if scale is not None else bool(beyond)
    how, unit = ("as points (50% is 50)", 1) if points else ("as shares (50% is 0.5)", 100)
    shown = listed(map(str, texts), 6)
    found.note("scale", f"columns of percentages were read {how}: {shown}", "scale=(0, 100) (--scale)")
    numbers = {c: pd.to_numeric(table[c].astype("string").str.rstrip("% ")).astype(float) for c in texts}
    return table.assign(**{c: column / unit for c, column in numbers.items()})


def _has_points(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return bool((column.dropna() % 1 != 0).any())
    return bool(column.dropna().astype(str).str.fullmatch(r"\s*[-+]?[\d,]*\.\d+\s*").any())


def share_of(counts: np.ndarray, totals: pd.Series, names: tuple[str, str], found: Storage) -> np.ndarray:
    """Counts as shares of their totals, where they are counts: whole, and none beyond its total."""
    whole = pd.to_numeric(totals, errors="coerce").to_numpy(dtype=float)
    known = ~np.isnan(counts)
    fits = (whole[known] > 0) & (counts[known] <= whole[known]) & (counts[known] % 1 == 0)
    if not fits.all() or (names[0] != "c" and not (counts[known] > 1).any()):
        return counts
    found.note(
        "scale", f"the response is {names[0]!r} as a share of {names[1]!r}", "columns={...} (--columns)"
    )
    return counts / whole


def without_headers(table: pd.DataFrame, label: str, found: Storage) -> pd.DataFrame:
    """A table without the header lines among its rows, which files have that were joined."""
    column = table[label]
    if isinstance(column.dtype, pd.CategoricalDtype) and label not in column.cat.categories:
        return table
    again = (column.astype(str) == str(label)).to_numpy()
    some = again.any() and not again.all()
    if not some or not all((table.loc[again, c].astype(str) == c).all() for c in table if c != label):
        return table
    found.note("columns", f"{again.sum()} header lines among the rows were left out")
    table = table[~again].reset_index(drop=True)
    for name in table:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            table[name] = table[name].cat.remove_unused_categories()
        elif name != label:
            with suppress(ValueError, TypeError):
                table[name] = pd.to_numeric(table[name])
    return table


def missing_codes(value: FloatArray) -> FloatArray:
    """Numbers that stand for no answer: 9 among right and wrong, 99 among ratings; () for none.

    >>> missing_codes(np.array([0, 1, 1, 9, 0, 1, 9.0] * 3))
    array([9.])
    """
    if not len(value) or (np.fmin.reduce(value) >= 0 and np.fmax.reduce(value) < min(_CODES)):
        return value[:0]
    some = value[~np.isnan(value)]
    odd = (some < 0) | (some > 10) | np.isin(some, _CODES)
    if not odd.any() or len(some) < _FEWEST or odd.mean() > _MOST_CODED:
        return some[:0]
    rest, codes = some[~odd], np.unique(some[odd])
    right = np.isin(rest, (0, 1)).all()
    rating = (rest % 1 == 0).all() and not np.isin(codes, (7, 8, 9)).any()
    return codes if np.isin(codes, (*_CODES, *_LONG_CODES)).all() and (right or rating) else some[:0]


def summaries(frame: pd.DataFrame) -> list[str]:
    """Rows that are called an average and are the mean of the others, whatever they were rounded to.

    >>> summaries(pd.DataFrame({"a": [1, 0, 0.5], "b": [1, 1, 1]}, index=["ann", "bob", "Average"]))
    ['Average']
    """
    named = [name for name in frame.index if _SUMMARY.fullmatch(str(name).strip())]
    if not named or len(frame) < len(named) + 2:
        return []
    rest = frame.drop(index=named)
    near = (frame.loc[named] - rest.mean()).abs() <= _ROUNDED * np.nanmax(np.abs(rest.to_numpy()))
    return [name for name in named if (near.loc[name] | frame.loc[name].isna()).all()]


def _in_percent(column: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return False
    known = column.dropna().astype(str).str.strip()
    return len(known) > 0 and bool(known.str.fullmatch(PERCENT).all())
