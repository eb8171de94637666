"""Is every item worth its place? Items that nobody separates, that point the wrong way, or stand twice.

The discrimination of an item is the correlation, over agents, of the response to it with the mean response
to all the others (the item-rest correlation). With few agents it is often negative, and items are often
alike, by chance alone: both are held against what chance would give.
"""

from __future__ import annotations

from math import lgamma

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, number

__all__ = ["audit_counts", "can_tell_wrong_keys", "expected_duplicates", "item_audit"]


def item_audit(data: Responses | Scores, level: float = 0.05) -> pd.DataFrame:
    """One row per item: `mean`, `agents`, `discrimination`, `p_negative`, and three flags.

    `same` says that all agents did alike (nobody is separated); `negative` that the discrimination is
    below 0 beyond chance, all items tested together (t-test of the correlation, at least the chance of
    one arrangement of the responses; false discovery rate `level`; Benjamini and Hochberg 1995);
    `duplicate_of` names the first item that every agent answered in just the same way (the responses
    themselves, not their ranks). The discrimination of raw scores is that of their ranks. `least_p` is
    the smallest p that the item could have had with these agents: where it is large, no test can tell.

    >>> table = Responses([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    >>> item_audit(table)[["discrimination", "same", "duplicate_of"]].round(2)
            discrimination   same duplicate_of
    item 1             0.5  False
    item 2             0.5  False       item 1
    item 3            -0.5  False
    item 4             NaN   True
    """
    number("level", level, 0, 1, open_ends=True)
    values = _comparable(data)
    discrimination = item_rest_correlations(values)
    least = np.exp([_log_odds(column) for column in values.T])
    p = np.maximum(_chance_of_lower(discrimination, (~np.isnan(values)).sum(axis=0)), least)
    same = np.array([_is_same(column) for column in values.T])
    return pd.DataFrame(
        {
            "mean": data.frame.mean().to_numpy(),
            "agents": data.frame.notna().sum().to_numpy(),
            "discrimination": discrimination,
            "p_negative": p,
            "same": same,
            "negative": _discoveries(p, level),
            "duplicate_of": _duplicates(data.values, data.frame.columns, ~same),
            "least_p": least,
        },
        index=data.frame.columns,
    )


def _comparable(data: Responses | Scores) -> FloatArray:
    if not isinstance(data, (Responses, Scores)):
        raise BadInput("data", type(data).__name__, "holds no responses", "pass gl.Responses")
    frame = data.frame.rank(pct=True) if isinstance(data, Scores) else data.frame
    return np.asarray(frame.to_numpy(dtype=float))


def item_rest_correlations(values: FloatArray) -> FloatArray:
    """Correlation of each column (N,) with the mean of the other columns, over the rows that met it.

    NaN where an item, or the rest, does not vary.

    >>> item_rest_correlations(np.array([[1.0, 1, 0], [1, 0, 0], [0, 0, 1]])).round(2)
    array([-0.5 ,   nan, -0.87])
    """
    seen = ~np.isnan(values)
    filled = np.where(seen, values, 0.0)
    others = seen.sum(axis=1, keepdims=True) - seen
    rest = (filled.sum(axis=1, keepdims=True) - filled) / np.maximum(others, 1)
    weight = (seen & (others > 0)).astype(float)
    n = np.maximum(weight.sum(axis=0), 1.0)
    x = (filled - (filled * weight).sum(axis=0) / n) * weight
    y = (rest - (rest * weight).sum(axis=0) / n) * weight
    size = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
    found = np.full(values.shape[1], np.nan)
    return np.clip(np.divide((x * y).sum(axis=0), size, out=found, where=size > 1e-9), -1, 1)


def _chance_of_lower(correlation: FloatArray, n: np.ndarray) -> FloatArray:
    """P(r or lower) of no correlation: t = r √((n - 2) / (1 - r²)) on n - 2 degrees of freedom."""
    from scipy.special import stdtr

    df = np.maximum(n - 2, 0)
    slack = np.maximum(1 - correlation**2, 1e-12)
    p = stdtr(np.maximum(df, 1), correlation * np.sqrt(df / slack))
    return np.asarray(np.where(df > 0, p, np.nan))


def _discoveries(p: FloatArray, level: float) -> np.ndarray:
    """The hypotheses that fall at this false discovery rate; NaN never does."""
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    below = p[order] <= level * np.arange(1, len(order) + 1) / max(len(order), 1)
    found = np.zeros(len(p), dtype=bool)
    if below.any():
        found[order[: int(np.flatnonzero(below)[-1]) + 1]] = True
    return found


def _is_same(column: FloatArray) -> bool:
    seen = column[~np.isnan(column)]
    return not len(seen) or bool(np.ptp(seen) == 0)


def _duplicates(values: FloatArray, names: pd.Index, free: np.ndarray) -> list[Label]:
    """The first item with just these responses, or "" for none before."""
    first: dict[bytes, object] = {}
    found: list[Label] = []
    for column, name, counts in zip(values.T, names, free, strict=True):
        key = column.tobytes()
        found.append(first.get(key, "") if counts else "")
        if counts:
            first.setdefault(key, name)
    return found


def expected_duplicates(data: Responses | Scores) -> float:
    """How many pairs of alike items chance would make if each item's responses were dealt out at random.

    Two items with the same responses in another order agree with probability Π m_v! / n!, m_v the
    number of agents with response v. Agents that differ in ability agree more often than that.

    >>> round(expected_duplicates(Responses([[1, 1, 0], [0, 0, 1], [0, 0, 0]])), 3)  # 3 pairs at 1/3
    1.0
    """
    values = data.values
    kinds: dict[bytes, list[float]] = {}
    for column in values.T:
        if _is_same(column):
            continue
        key = np.concatenate([np.sort(column[~np.isnan(column)]), np.isnan(column)]).tobytes()
        kinds.setdefault(key, [0.0, _log_odds(column)])[0] += 1
    return float(sum(n * (n - 1) / 2 * np.exp(odds) for n, odds in kinds.values()))


def _log_odds(column: FloatArray) -> float:
    """log(Π m_v! / n!): the chance that responses dealt out at random come in just this order."""
    _, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return sum(lgamma(m + 1) for m in counts) - lgamma(counts.sum() + 1)


def audit_counts(audit: pd.DataFrame) -> dict[str, int]:
    """How many items carry each flag.

    >>> audit_counts(item_audit(Responses([[1, 1, 0], [0, 0, 0]])))
    {'items': 3, 'met by one agent only': 0, 'separate nobody': 1, 'negative discrimination': 0,
     'negative beyond chance': 0, 'duplicates': 1, 'duplicate pairs': 1}
    """
    twice = audit["duplicate_of"][audit["duplicate_of"] != ""]
    sizes = twice.value_counts() + 1
    return {
        "items": len(audit),
        "met by one agent only": int((audit["agents"] == 1).sum()),
        "separate nobody": int((audit["same"] & (audit["agents"] > 1)).sum()),
        "negative discrimination": int((audit["discrimination"] < 0).sum()),
        "negative beyond chance": int(audit["negative"].sum()),
        "duplicates": len(twice),
        "duplicate pairs": int((sizes * (sizes - 1) // 2).sum()),
    }


def can_tell_wrong_keys(audit: pd.DataFrame, level: float = 0.05) -> bool:
    """Whether so many agents could show that an item points the wrong way: the items below 0 would, if
    each had the smallest p that it could have, be called so at this false discovery rate.

    >>> can_tell_wrong_keys(item_audit(Responses([[1, 0, 1], [0, 1, 1], [1, 1, 0]])))
    False
    """
    below = audit["discrimination"] < 0
    best = np.where(below, audit["least_p"], 1.0)
    return bool(_discoveries(np.where(audit["p_negative"].isna(), np.nan, best), level).any())
