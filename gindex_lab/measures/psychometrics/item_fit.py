"""How far single items, or single agents, are from what the model expects of them.

Infit and outfit are mean squared residuals (expected 1; more is noise, less is redundancy). At abilities that
were estimated from the same responses the classical z of an item warns of most (.4 to .8 of those that follow
the model, at EAP abilities); averaged over each agent's posterior, and freed of what fitting the items
does to it, that of infit holds its level. S-X² compares an item's shares right with the model's among agents
of the same sum score, so that no ability has to be estimated.

Shapes: agents x items (`values`, NaN = missing; `chance`, P of each response).
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_em import curves, e_step
from gindex_lab.measures.psychometrics.irt_models import IntArray
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Patterns

__all__ = ["item_mean_squares", "mean_squares", "s_x2", "sum_score_chances"]


def mean_squares(values: FloatArray, chance: FloatArray, axis: int) -> dict[str, FloatArray]:
    """Infit = Σ (r - P)² / Σ W and outfit = mean (r - P)² / W, W = P(1 - P), summed over agents
    (`axis=0`, of items) or items (`axis=1`, of agents), with z = (x^⅓ - 1) 3/q + q/3.

    q² is the variance of the mean square: Σ(C - W²) / (ΣW)² and Σ(C / W²) / n² - 1/n, with C = W (1 - 3W) the
    fourth moment of r - P. Wright and Masters (1982), ch. 5; R's eRm has the same numbers.

    >>> found = mean_squares(np.array([[1.0, 0.0], [0.0, 1.0]]), np.full((2, 2), 0.3), axis=1)
    >>> found["outfit"].round(2), found["outfit_z"].round(2)
    (array([1.38, 1.38]), array([0.76, 0.76]))
    """
    seen = ~np.isnan(values)
    chance = np.clip(chance, 1e-12, 1 - 1e-12)
    variance = np.where(seen, chance * (1 - chance), 0.0)
    fourth = variance * (1 - 3 * variance)
    squared = np.where(seen, values - chance, 0.0) ** 2
    n, total = seen.sum(axis), variance.sum(axis)
    inside = np.where(seen, variance, 1.0)
    outfit = (squared / inside).sum(axis) / n
    infit = squared.sum(axis) / total
    return {
        "infit": infit,
        "infit_z": _cube_root_z(infit, (fourth - variance**2).sum(axis) / total**2),
        "outfit": outfit,
        "outfit_z": _cube_root_z(outfit, (fourth / inside**2).sum(axis) / n**2 - 1 / n),
    }


def item_mean_squares(
    data: Patterns, parameters: FloatArray, settings: IrtSettings, common_slope: bool
) -> dict[str, FloatArray]:
    """Infit and outfit of each item, averaged over the agents' posteriors; with one slope, infit has a z.

    E[(r - P)²] / E[P(1 - P)] and E[(r - P)² / (P(1 - P))], E over agents and their posteriors, are 1 under
    the model whatever the abilities are (Adams and Wu 2007, as in R's TAM). An agent's part in infit, less
    what the scores of the item parameters explain of it, has the variance from which z comes: the parameters
    were fitted to the same responses (its level is in `data/measured/irt_levels.csv`). Infit asks whether an
    item's slope is that of the others, so where each item has a slope of its own nothing is left to ask: z
    is NaN (|z| > 1.96 in .09 of items that follow a 2PL, 300 agents). Outfit's tails are too heavy for a z.

    >>> rng, items = np.random.default_rng(1), np.array([[1.0, 0.5], [1.0, 0.0], [1.0, -0.5]] * 3)
    >>> chance = curves(items, rng.standard_normal(500)).T
    >>> data = Patterns.of((rng.random(chance.shape) < chance) * 1.0)
    >>> item_mean_squares(data, items, IrtSettings(), common_slope=True)["infit"].round(2)
    array([1.04, 1.  , 1.02, 1.  , 1.03, 0.98, 1.03, 0.99, 1.01])
    """
    nodes, weights = settings.grid()
    _, posterior = e_step(data, parameters, nodes, weights)
    chance = np.clip(curves(parameters, nodes), 1e-9, 1 - 1e-9)
    seen = np.ones_like(data.right) if data.seen is None else data.seen
    right, wrong = data.right, seen - data.right

    def mean(if_right: FloatArray, if_wrong: FloatArray) -> FloatArray:
        return right * (posterior @ if_right.T) + wrong * (posterior @ if_wrong.T)

    squared = mean((1 - chance) ** 2, chance**2)
    variance = seen * (posterior @ (chance * (1 - chance)).T)
    relative = mean((1 - chance) / chance, chance / (1 - chance))
    z = np.full(len(chance), np.nan)
    if common_slope:
        slopes, intercepts = (mean((1 - chance) * x, -chance * x) for x in (nodes, 1 + 0 * nodes))
        root = np.sqrt(data.agents)[:, None]
        basis = np.column_stack([slopes.sum(1), intercepts]) * root
        excess = (squared - variance) * root
        left = ((excess - basis @ (np.linalg.pinv(basis) @ excess)) ** 2).sum(0)
        left *= data.agents.sum() / max(data.agents.sum() - basis.shape[1], 1.0)
        more = data.agents @ (squared - variance)
        z = np.divide(more, np.sqrt(left), out=np.zeros_like(more), where=left > 1e-12)
    infit = data.agents @ squared / (data.agents @ variance)
    return {"infit": infit, "infit_z": z, "outfit": data.agents @ relative / (data.agents @ seen)}


def _cube_root_z(square: FloatArray, variance: FloatArray) -> FloatArray:
    """Wilson and Hilferty's (1931) z of a mean square; 0 where it cannot vary."""
    q = np.sqrt(np.maximum(variance, 0.0))
    safe = np.where(q > 1e-9, q, 1.0)
    return np.where(q > 1e-9, (np.cbrt(square) - 1) * 3 / safe + safe / 3, 0.0)


def sum_score_chances(chance: FloatArray) -> FloatArray:
    """P(sum score = k | θ), scores x nodes, from the chances of each item's categories (items x categories x
    nodes), by the recursion of Lord and Wingersky (1984), for categories that of Thissen et al. (1995).

    >>> sum_score_chances(np.full((2, 2, 1), 0.5)).ravel()
    array([0.25, 0.5 , 0.25])
    """
    table = np.ones((1, chance.shape[2]))
    for item in chance:
        more = len(item) - 1
        longer = np.zeros((len(table) + more, table.shape[1]))
        for number, row in enumerate(item):
            longer[number : number + len(table)] += table * row
        table = longer
    return table


def s_x2(
    values: FloatArray,
    chance: FloatArray,
    weights: FloatArray,
    categories: IntArray,
    free: IntArray,
) -> dict[str, FloatArray]:
    """S-X² of each item: how often each answer was given by agents of the same sum score, against how often
    the model expects it (Orlando and Thissen 2000, Eq. 5; with categories Kang and Chen 2008, Eq. 6).

    Sparse scores and categories are merged as mirt does (`_merged`, `_tails`, `_joined`). `values` are
    category numbers, agents with gaps are left out; `chance` is items x categories x nodes; `categories`
    and `free` are how many categories, and how many fitted parameters, each item has.

    >>> rng, items = np.random.default_rng(1), np.array([[1.0, 0.5], [1.0, 0.0], [1.0, -0.5]] * 3)
    >>> right = curves(items, rng.standard_normal(500)).T
    >>> drawn = (rng.random(right.shape) < right) * 1.0
    >>> nodes, weights = IrtSettings().grid()
    >>> chance = np.stack([1 - curves(items, nodes), curves(items, nodes)], 1)
    >>> two, none = np.full(9, 2), np.zeros(9, int)  # the items were not estimated
    >>> s_x2(drawn, chance, weights, two, none)["s_x2_p"].round(2)
    array([0.7 , 0.6 , 0.37, 0.7 , 0.02, 0.26, 0.52, 0.64, 0.87])
    """
    from scipy.stats import chi2

    whole = np.rint(values[~np.isnan(values).any(1)]).astype(int)
    score, top = whole.sum(1), int((categories - 1).sum())
    agents = np.bincount(score, minlength=top + 1)
    below = sum_score_chances(chance)[: top + 1] @ weights
    results = np.zeros((3, len(chance)))
    for item, k in enumerate(categories):
        rest = sum_score_chances(np.delete(chance, item, 0))
        expected, seen = np.zeros((2, top + 1, k))
        for c in range(k):
            given = (rest[: top + 1 - c] * chance[item, c]) @ weights
            expected[c : c + len(given), c] = given
            seen[:, c] = np.bincount(score[whole[:, item] == c], minlength=top + 1)
        expected *= (agents / np.maximum(below, 1e-300))[:, None]
        seen, expected = seen[1:-1], expected[1:-1]  # nothing or everything right leaves no choice
        if k > 2:
            seen, expected = _tails(seen, expected)
        kept = seen.sum(1) > 0
        rows = list(zip(seen[kept], expected[kept], strict=True))
        rows = _merged(rows) if k == 2 else [_joined(*row) for row in rows]
        statistic = sum(((o - e) ** 2 / e).sum() for o, e in rows)
        freedom = max(sum(len(e) - 1 for _, e in rows) - free[item], 0)
        p = chi2.sf(statistic, freedom) if freedom > 0 else np.nan
        results[:, item] = statistic if freedom > 0 else np.nan, freedom, p
    return dict(zip(("s_x2", "s_x2_df", "s_x2_p"), results, strict=True))


def _tails(seen: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scores (from 1) at which some category cannot occur join the nearest at which all can.

    >>> _tails(np.ones((7, 3)), np.ones((7, 3)))[0][:, 0]  # scores 1 to 7: two and more, six and less
    array([2., 1., 1., 1., 2.])
    """
    impossible = seen.shape[1] - 2
    low, high = impossible, len(seen) - 1 - impossible
    if high <= low:
        return seen.sum(0, keepdims=True), expected.sum(0, keepdims=True)
    place = np.clip(np.arange(len(seen)), low, high) - low
    joined = np.zeros((2, high - low + 1, seen.shape[1]))
    np.add.at(joined[0], place, seen)
    np.add.at(joined[1], place, expected)
    return joined[0], joined[1]


def _joined(seen: FloatArray, expected: FloatArray) -> tuple[FloatArray, FloatArray]:
    """One score's categories, the least expected joined to its smaller neighbour until each expects one.

    >>> _joined(np.array([5.0, 1.0, 0.0]), np.array([4.0, 1.5, 0.5]))
    (array([5., 1.]), array([4., 2.]))
    """
    seen, expected = seen.copy(), expected.copy()
    while len(expected) > 1 and expected.min() < 1 - 1e-9:
        k = int(expected.argmin())
        sides = [j for j in (k - 1, k + 1) if 0 <= j < len(expected)]
        into = min(sides, key=lambda j: expected[j])
        seen[into], expected[into] = seen[into] + seen[k], expected[into] + expected[k]
        seen, expected = np.delete(seen, k), np.delete(expected, k)
    return seen, expected


def _merged(rows: list[tuple[FloatArray, FloatArray]]) -> list[tuple[FloatArray, FloatArray]]:
    """Scores of a right-or-wrong item (seen, expected) merged until each expects one right and one wrong.

    The lowest that expects too few joins a neighbour: the first its next, the last its last but one, any
    other the one with fewer agents (the lower if they are equal). So does mirt with `mincell = 1`, after
    those of a single agent have joined the next.

    >>> rows = [([4, 0], [3.5, 0.5]), ([6, 3], [5, 4]), ([0, 1], [0.5, 0.5]), ([0, 7], [0.0, 7.0])]
    >>> [row[0].tolist() for row in _merged([(np.array(o, float), np.array(e)) for o, e in rows])]
    [[10.0, 11.0]]
    """
    groups = [np.stack(row) for row in rows]

    def join(k: int, into: int) -> None:
        groups[into] = groups[into] + groups[k]
        del groups[k]

    place = 0
    while place < len(groups) - 1:
        if groups[place][0].sum() == 1:
            join(place, place + 1)
        else:
            place += 1
    if len(groups) > 1 and groups[-1][0].sum() == 1:
        join(len(groups) - 1, len(groups) - 2)
    while len(groups) > 1:
        sparse = [k for k, (_, expected) in enumerate(groups) if expected.min() < 1 - 1e-9]
        if not sparse:
            break
        k = sparse[0]
        sides = [j for j in (k - 1, k + 1) if 0 <= j < len(groups)]
        join(k, min(sides, key=lambda j: float(groups[j][0].sum())))
    return [(group[0], group[1]) for group in groups]
