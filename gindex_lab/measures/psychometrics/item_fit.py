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
from gindex_lab.measures.psychometrics.irt_em import curves, e_step, logistic
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
    """Infit (with z) and outfit of each item, averaged over the agents' posteriors.

    E[(r - P)²] / E[P(1 - P)] and E[(r - P)² / (P(1 - P))], E over agents and their posteriors, are 1 under
    the model whatever the abilities are (Adams and Wu 2007, as in R's TAM). An agent's part in infit, less
    what the scores of the item parameters explain of it, has the variance from which z comes: the parameters
    were fitted to the same responses. Of items that follow the model |z| > 1.96 in .04 to .07 with 500 agents
    or more (in .08 of a 2PL with 300). Outfit has no z: its tails are too heavy for one (.13 of a 2PL).

    >>> rng, items = np.random.default_rng(1), np.array([[1.0, 0.5], [1.0, 0.0], [1.0, -0.5]] * 3)
    >>> chance = curves(items, rng.standard_normal(500)).T
    >>> data = Patterns.of((rng.random(chance.shape) < chance) * 1.0)
    >>> item_mean_squares(data, items, IrtSettings(), common_slope=False)["infit"].round(2)
    array([1.04, 1.  , 1.02, 1.  , 1.03, 0.98, 1.03, 0.99, 1.01])
    """
    nodes, weights = settings.grid()
    _, posterior = e_step(data, parameters, nodes, weights)
    chance = np.clip(curves(parameters, nodes), 1e-9, 1 - 1e-9)
    seen = np.ones_like(data.right) if data.seen is None else data.seen
    right, wrong = data.right, seen - data.right

    def mean(if_right: FloatArray, if_wrong: FloatArray) -> FloatArray:
        return right * (posterior @ if_right.T) + wrong * (posterior @ if_wrong.T)

    guess = np.zeros((len(chance), 1))
    if parameters.shape[1] == 3:
        guess = logistic(parameters[:, 2:])
    know = (chance - guess) / (1 - guess)
    score = [
        mean(know * (1 - chance) / chance * x, -know * x) for x in (nodes, np.ones_like(nodes))
    ]
    if parameters.shape[1] == 3:
        score.append(mean(guess * (1 - chance) / chance, -guess * np.ones_like(chance)))
    if common_slope:
        score[0] = score[0].sum(1, keepdims=True)
    basis = np.hstack(score) * np.sqrt(data.agents)[:, None]
    squared = mean((1 - chance) ** 2, chance**2)
    variance = seen * (posterior @ (chance * (1 - chance)).T)
    relative = mean((1 - chance) / chance, chance / (1 - chance))
    excess = (squared - variance) * np.sqrt(data.agents)[:, None]
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
    """P(sum score = k | θ), (items + 1) x nodes, by the recursion of Lord and Wingersky (1984).

    >>> sum_score_chances(np.array([[0.5], [0.5]])).ravel()
    array([0.25, 0.5 , 0.25])
    """
    table = np.ones((1, chance.shape[1]))
    for row in chance:
        table = np.pad(table * (1 - row), ((0, 1), (0, 0))) + np.pad(table * row, ((1, 0), (0, 0)))
    return table


def s_x2(
    values: FloatArray, parameters: FloatArray, settings: IrtSettings, free: int
) -> dict[str, FloatArray]:
    """S-X² of each item (Orlando and Thissen 2000, Eq. 5): observed against expected shares of right
    responses among agents with the same sum score, sparse scores merged as R's mirt does (`_merged`).
    Agents with missing responses are left out; `free` is the number of parameters of an item, taken off
    the degrees of freedom.

    >>> rng, items = np.random.default_rng(1), np.array([[1.0, 0.5], [1.0, 0.0], [1.0, -0.5]] * 3)
    >>> chance = curves(items, rng.standard_normal(500)).T
    >>> drawn = (rng.random(chance.shape) < chance) * 1.0
    >>> s_x2(drawn, items, IrtSettings(), free=0)["s_x2_p"].round(2)  # the items were not estimated
    array([0.7 , 0.6 , 0.37, 0.7 , 0.02, 0.26, 0.52, 0.64, 0.87])
    """
    from scipy.stats import chi2

    whole = values[~np.isnan(values).any(1)]
    nodes, weights = settings.grid()
    chance = curves(parameters, nodes)
    items = len(chance)
    score = np.rint(whole.sum(1)).astype(int)
    agents = np.bincount(score, minlength=items + 1)[1:items].astype(float)
    below = sum_score_chances(chance) @ weights
    results = np.zeros((3, items))
    for item in range(items):
        rest = sum_score_chances(np.delete(chance, item, 0))
        expected = (rest[:-1] * chance[item]) @ weights / below[1:items]
        right = np.bincount(score, whole[:, item], items + 1)[1:items].astype(float)
        groups = _merged(np.stack([agents, right, agents * expected], 1))
        n, seen, hoped = groups.T
        statistic = ((seen - hoped) ** 2 / (hoped * (1 - hoped / n))).sum()
        freedom = len(groups) - free
        p = chi2.sf(statistic, freedom) if freedom > 0 else 1.0
        results[:, item] = statistic, freedom, p
    return dict(zip(("s_x2", "s_x2_df", "s_x2_p"), results, strict=True))


def _merged(scores: FloatArray) -> FloatArray:
    """Score groups (agents, right, expected right) merged until each expects one right and one wrong.

    Scores that nobody has are left out, those of a single agent join the next. Then the lowest group that
    expects too few joins a neighbour: the first its next, the last its last but one, any other the smaller of
    the two (the lower if they are equal). That is what mirt 1.x does with `mincell = 1`.

    >>> _merged(np.array([[4.0, 0, 0.5], [0, 0, 0], [9, 3, 4], [1, 1, 0.5], [7, 7, 7.0]])).tolist()
    [[21.0, 11.0, 12.0]]
    """
    groups = [row for row in scores if row[0] > 0]
    place = 0
    while place < len(groups) - 1:  # alone at its score
        if groups[place][0] == 1:
            alone = groups.pop(place)
            groups[place] = groups[place] + alone
        else:
            place += 1
    if len(groups) > 1 and groups[-1][0] == 1:
        alone = groups.pop()
        groups[-1] = groups[-1] + alone
    while len(groups) > 1:
        sparse = [k for k, (n, _, hoped) in enumerate(groups) if min(hoped, n - hoped) < 1]
        if not sparse:
            break
        k = sparse[0]
        sides = [j for j in (k - 1, k + 1) if 0 <= j < len(groups)]
        into = min(sides, key=lambda j: groups[j][0])
        groups[into] = groups[into] + groups[k]
        del groups[k]
    return np.array(groups).reshape(-1, 3)
