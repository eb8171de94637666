"""Is every item worth its place? Items that separate nobody, that point the wrong way, or that occur twice.

The discrimination of an item is the correlation, over agents, of the response to it with the mean response
to all the others (the item-rest correlation). With few agents it is often negative, and items are often
alike, by chance alone: both are compared with what chance would give.
"""

from __future__ import annotations

from math import lgamma

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, number

__all__ = ["audit_counts", "can_tell_wrong_keys", "discoveries", "expected_duplicates", "item_audit"]


def item_audit(data: Responses | Scores, level: float = 0.05) -> pd.DataFrame:
    """One row per item: how well it tells agents apart, and what is odd about it.

    Parameters
    ----------
    data : gl.Responses or gl.Scores; the discrimination of raw scores is that of their ranks
    level : false discovery rate of the items that are called negative, all tested together

    Returns
    -------
    DataFrame indexed by item: `mean`, `agents` (that met it), `discrimination`, `p_negative` (t-test of the
    correlation, but at least the chance of one arrangement of the responses), `same` (all agents did alike),
    `negative` (the discrimination is below 0 beyond chance), `duplicate_of` (the first item with just the
    same responses, else ""), `least_p` (the smallest p that the item could have had: where it is large, no
    test can tell).

    References
    ----------
    Benjamini and Hochberg (1995), "Controlling the false discovery rate".

    Examples
    --------
    >>> table = Responses([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    >>> item_audit(table)[["discrimination", "same", "duplicate_of"]].round(2)
            discrimination   same duplicate_of
    item 1             0.5  False
    item 2             0.5  False       item 1
    item 3            -0.5  False
    item 4             NaN   True
    """
    number("level", level, 0, 1, open_ends=True)
    if not isinstance(data, (Responses, Scores)):
        raise BadInput("data", type(data).__name__, "is not a table of responses", "pass gl.Responses")
    frame = data.frame.rank(pct=True) if isinstance(data, Scores) else data.frame
    values = frame.to_numpy(dtype=float)
    discrimination = item_rest_correlations(values)
    least = np.exp([_log_odds(column) for column in values.T])
    agents = data.frame.notna().sum()
    p = np.maximum(_chance_of_lower(discrimination, agents.to_numpy()), least)
    same = (data.frame.nunique() < 2).to_numpy()
    return pd.DataFrame(
        {
            "mean": data.frame.mean(),
            "agents": agents,
            "discrimination": discrimination,
            "p_negative": p,
            "same": same,
            "negative": discoveries(p, level),
            "duplicate_of": _duplicates(data.values, data.frame.columns, ~same),
            "least_p": least,
        }
    )


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


def discoveries(p: FloatArray, level: float) -> np.ndarray:
    """Which hypotheses are rejected at this false discovery rate; NaN never is."""
    from scipy.stats import false_discovery_control

    tested = ~np.isnan(p)
    found = np.zeros(len(p), dtype=bool)
    found[tested] = tested.any() and false_discovery_control(p[tested]) <= level
    return found


def _duplicates(values: FloatArray, names: pd.Index, varied: np.ndarray) -> list[Label]:
    """The first item that has just these responses, or ""; items that do not vary do not count."""
    first: dict[bytes, object] = {}
    found: list[Label] = []
    for column, name, counts in zip(values.T, names, varied, strict=True):
        earlier = first.setdefault(column.tobytes(), name) if counts else name
        found.append("" if earlier is name else earlier)
    return found


def expected_duplicates(data: Responses | Scores) -> float:
    """How many pairs of equal items chance would make if each item's responses were dealt out at random.

    Two items with the same responses in another order agree with probability Π m_v! / n!, m_v the
    number of agents with response v. Agents that differ in ability agree more often than that.

    Parameters
    ----------
    data : gl.Responses or gl.Scores

    Returns
    -------
    The expected number of pairs.

    Examples
    --------
    >>> round(expected_duplicates(Responses([[1, 1, 0], [0, 0, 1], [0, 0, 0]])), 3)  # 3 pairs at 1/3
    1.0
    """
    values = data.values
    kinds: dict[bytes, list[float]] = {}
    for column in values[:, (data.frame.nunique() > 1).to_numpy()].T:
        key = np.concatenate([np.sort(column[~np.isnan(column)]), np.isnan(column)]).tobytes()
        kinds.setdefault(key, [0.0, _log_odds(column)])[0] += 1
    return float(sum(n * (n - 1) / 2 * np.exp(odds) for n, odds in kinds.values()))


def _log_odds(column: FloatArray) -> float:
    """log(Π m_v! / n!): the chance that responses dealt out at random come in just this order."""
    _, counts = np.unique(column[~np.isnan(column)], return_counts=True)
    return sum(lgamma(m + 1) for m in counts) - lgamma(counts.sum() + 1)


def audit_counts(audit: pd.DataFrame) -> dict[str, int]:
    """How many items carry each flag.

    Parameters
    ----------
    audit : the table of `gl.analysis.item_audit`

    Returns
    -------
    dict of counts, by what they count.

    Examples
    --------
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
    """Whether so many agents could show that an item points the wrong way.

    They could if the items below 0 would be called so, had each the smallest p that it could have.

    >>> can_tell_wrong_keys(item_audit(Responses([[1, 0, 1], [0, 1, 1], [1, 1, 0]])))
    False
    """
    best = np.where(audit["discrimination"] < 0, audit["least_p"], 1.0)
    return bool(discoveries(np.where(audit["p_negative"].isna(), np.nan, best), level).any())
