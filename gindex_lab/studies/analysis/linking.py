"""Agents without common items, compared through others: a linked item response model.

a met some items, b met others, and several agents c met both kinds. On the items of a the log-odds of who
solves what the other fails, y = log(only c / only a), place c above a (Rasch 1960: the items cancel); on the
items of b, z places c above b. The two scales may differ in unit and origin, since one set of items may
discriminate more sharply, so they are linked through the means and standard deviations of y and z over the
linking agents (mean-sigma linking, Marco 1977; Kolen and Brennan 2014, chapter 6). Where y is 0, at a, the
line says how far a is above b. Its variance is the sum of two jackknives, over items and over linking
agents: what a single agent does differently on the two sets is an error of the link.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.many_tests import half_width, holm
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.studies.analysis.accuracy import family_codes, verdicts

__all__ = ["linked_differences", "with_links"]

# How few items and agents still link two scales, and how many groups of items the jackknife leaves out in
# turn: judgements, under which equal agents are seldom separated (Notes of `linked_differences`).
_FEWEST_ANCHORS = 20  # items that a linking agent shares with each of the two
_FEWEST_LINKS = 5  # linking agents
_GROUPS = 20  # of items
_SLACK = 0.3  # log-odds: keeps the ratio of two small standard deviations near 1 (Notes)
_MOST_AGENTS = 60  # of more only the best is compared with the others


def linked_differences(
    responses: Responses, pairs: pd.DataFrame, ci: float = 0.95, resample: str = "items"
) -> pd.DataFrame:
    """Pairs of agents with too few common items, compared through agents that met items of both.

    Parameters
    ----------
    responses : gl.Responses, agents x items
    pairs : table with the columns `a` and `b`
    ci : level of the limits, one pair at a time
    resample : "items" or "families", what the jackknife leaves out

    Returns
    -------
    DataFrame with one row a pair: `a`, `b`, `links` (agents that met at least 20 items with a and with b),
    `anchors` (the fewest items that one of them shares with a or b), `logits` (how far a is above b, in
    log-odds on the items of b), `low`, `high` (one pair at a time) and `p_value` (Student's t, as many
    degrees of freedom as linking agents less one, at most 19). With fewer than five links: NaN.

    Notes
    -----
    False separations at level .05 of equal agents, one on the easier and one on the harder half: at most .05
    over Rasch, two-parameter, guessing and two-dimensional studies (`tests/test_linking.py`, slow). Of 48
    designs (these four kinds, 5-25 links, 25-300 items a half, 60 studies each) a random 24 were used to look
    at the constant that keeps the ratio of two small standard deviations near 1: 0.1, 0.3 and 1 separate
    .018, .022 and .024 on average, so that it hardly matters. On the other 24, not looked at before, 0.3
    separates .012 on average and .05 at most.

    References
    ----------
    Marco (1977); Kolen and Brennan (2014), "Test equating, scaling, and linking", chapter 6.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> hard, able = np.linspace(-2, 2, 400), np.array([2.0, -1.0, *np.linspace(-1, 1, 9)])
    >>> values = (rng.random((11, 400)) < 1 / (1 + np.exp(hard - able[:, None]))).astype(float)
    >>> values[0, :200], values[1, 200:] = np.nan, np.nan
    >>> found = linked_differences(Responses(values), pd.DataFrame({"a": ["agent 1"], "b": ["agent 2"]}))
    >>> found[["links", "anchors", "logits"]].round(1).to_numpy().tolist(), bool(found["low"].iloc[0] > 0)
    ([[9.0, 200.0, 3.1]], True)
    """
    met = ~np.isnan(responses.values)
    common = met.astype(np.float32) @ met.T.astype(np.float32)
    wins = _wins_by_group(responses, resample)
    places = [responses.frame.index.get_indexer(pd.Index(pairs[side])) for side in "ab"]
    rows = []
    for a, b in zip(*places, strict=True):
        shared = np.minimum(common[a], common[b])
        links = np.flatnonzero(shared >= _FEWEST_ANCHORS)
        links = links[(links != a) & (links != b)]
        row: dict[str, Any] = {"links": len(links)}
        if len(links) >= _FEWEST_LINKS:
            row["anchors"] = shared[links].min()
            row |= _linked(wins, a, b, links, ci)
        rows.append(row)
    columns = ["links", "anchors", "logits", "low", "high", "p_value"]
    return pairs[["a", "b"]].join(pd.DataFrame(rows, pairs.index, columns=columns))


def _wins_by_group(responses: Responses, resample: str) -> FloatArray:
    """Items (G, A, A) that the first solved and the second failed, in groups of items or of families."""
    values = responses.values
    codes = family_codes(responses) if resample == "families" else np.arange(values.shape[1])
    group = codes % min(_GROUPS, int(codes.max()) + 1)
    right, wrong = np.nan_to_num(values), np.nan_to_num(1 - values)
    return np.stack([right[:, group == g] @ wrong[:, group == g].T for g in range(int(group.max()) + 1)])


def _linked(wins: FloatArray, a: int, b: int, links: np.ndarray, ci: float) -> dict[str, float]:
    from scipy.special import stdtr

    total = wins.sum(axis=0)
    without = np.concatenate([total[None], total - wins])  # all items, then each group left out
    y, z = (np.log((without[:, links, side] + 0.5) / (without[:, side, links] + 0.5)) for side in (a, b))
    at = _line_at_zero(y, z)
    n, groups = len(links), len(wins)
    left_out = ~np.eye(n, dtype=bool)
    by_link = np.array([_line_at_zero(y[:1, keep], z[:1, keep])[0] for keep in left_out])
    variance = sum((k - 1) / k * ((x - x.mean()) ** 2).sum() for k, x in ((groups, at[1:]), (n, by_link)))
    error, freedom = float(np.sqrt(variance)), min(n, groups) - 1
    half = float(half_width(error, ci, freedom))
    p = 2 * float(stdtr(freedom, -abs(at[0]) / max(error, 1e-12)))
    return {"logits": at[0], "low": at[0] - half, "high": at[0] + half, "p_value": p}


def _line_at_zero(y: FloatArray, z: FloatArray) -> FloatArray:
    """z̄ - (s_z/s_y) ȳ (R,): where the line through the linking agents (R, L) meets y = 0.

    >>> _line_at_zero(np.array([[1.0, 2.0]]), np.array([[2.0, 3.0]])).tolist()
    [1.0]
    """
    ratio = np.sqrt((z.var(axis=1, ddof=1) + _SLACK**2) / (y.var(axis=1, ddof=1) + _SLACK**2))
    return np.asarray(z.mean(axis=1) - ratio * y.mean(axis=1))


def with_links(
    found: pd.DataFrame, responses: Responses, ci: float = 0.95, resample: str = "items"
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """A table of `score_differences` whose pairs without enough common items are tested through a link where
    one exists, all pairs corrected together (Holm); and the table of `linked_differences`, or None.

    Linked pairs have no difference in points; their column `logits` says who is above whom.
    """
    alone = found[found["verdict"] == "not comparable"]
    agents, pairs = len(responses.frame), len(responses.frame) * (len(responses.frame) - 1) // 2
    if alone.empty or agents < _FEWEST_LINKS + 2 or agents > _MOST_AGENTS or len(found) < pairs:
        return found, None
    linked = linked_differences(responses, alone, ci, resample)
    joined = found.assign(logits=linked["logits"].astype(float).reindex(found.index))
    joined["p_value"] = found["p_value"].fillna(linked["p_value"].astype(float))
    joined["p_adjusted"] = holm(joined["p_value"].to_numpy(dtype=float))
    joined["verdict"] = verdicts(joined["p_value"], joined["p_adjusted"], ci)
    linked[["p_adjusted", "verdict"]] = joined.loc[linked.index, ["p_adjusted", "verdict"]]
    return joined, linked
