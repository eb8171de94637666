"""How far single items, and pairs of them, are from what the model expects.

Infit and outfit are mean squared residuals (expected 1; more is noise, less is redundancy). At abilities that
were estimated from the same responses the classical z of an item warns of most (.4 to .8 of those that follow
the model, at EAP abilities); averaged over each agent's posterior, and freed of what fitting the items
does to it, that of infit holds its level. S-X² compares an item's shares right with the model's among agents
of the same sum score, so that no ability has to be estimated. Q3 asks it of pairs: given the ability, answers
to two items should have nothing to do with each other; a shared passage, an item that answers another, or a
second dimension shows as pairs whose residuals x - E(x | θ) correlate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_models import IntArray
from gindex_lab.measures.psychometrics.irt_plan import Patterns

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt_result import ItemResponseModel

__all__ = ["dependent_pairs", "item_mean_squares", "q3", "s_x2", "sum_score_chances"]


def item_mean_squares(
    data: Patterns, posterior: FloatArray, chance: FloatArray, nodes: FloatArray, common_slope: bool
) -> dict[str, FloatArray]:
    """Infit and outfit of each item, averaged over the agents' posteriors; with one slope, infit has a z.

    E[(r - P)²] / E[P(1 - P)] and E[(r - P)² / (P(1 - P))], E over agents and their posteriors (patterns x
    nodes), are 1 under the model whatever the abilities are (Adams and Wu 2007, as in R's TAM). An agent's
    part in infit, less what the scores of the item parameters explain of it, has the variance from which z
    comes: the parameters were fitted to the same responses (its level is in
    `data/measured/irt_levels.csv`). Infit asks whether an item's slope is that of the others, so where each
    item has a slope of its own nothing is left to ask: z is NaN (|z| > 1.96 in .09 of items that follow a
    2PL, 300 agents). Outfit's tails are too heavy for a z.
    """
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
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


def sum_score_chances(chance: FloatArray) -> FloatArray:
    """P(sum score = k | θ), scores x nodes, from the chances of each item's categories (items x categories x
    nodes), by the recursion of Lord and Wingersky (1984), for categories that of Thissen et al. (1995).
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
    values: FloatArray, chance: FloatArray, weights: FloatArray, categories: IntArray, free: IntArray
) -> dict[str, FloatArray]:
    """S-X² of each item: how often each answer was given by agents of the same sum score, against how often
    the model expects it (Orlando and Thissen 2000, Eq. 5; with categories Kang and Chen 2008, Eq. 6).

    Sparse scores and categories are merged as mirt does (`_merged`, `_tails`, `_joined`). `values` are
    category numbers, agents with gaps are left out; `chance` is items x categories x nodes; `categories`
    and `free` are how many categories, and how many fitted parameters, each item has.
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
    """Scores (from 1) at which some category cannot occur join the nearest at which all can."""
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
    """One score's categories, the least expected joined to its smaller neighbour until each expects one."""
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


def q3(model: ItemResponseModel) -> pd.DataFrame:
    """Correlations of the items' residuals, items x items; gaps are left out pair by pair.

    Abilities are fitted to the same responses, so that Q3 of independent items is -1 / (items - 1) or so.

    >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1, 1, 6)})
    >>> table = simulate_irt(items, agents=2000, seed=1).frame
    >>> table["echo"] = table[3]
    >>> q3(irt(table)).loc[3, "echo"].round(2)
    np.float64(1.0)

    References
    ----------
    Yen (1984), Appl. Psychol. Meas. 8, 125-145.
    """
    frame = model.answers.frame
    chance = model.curves(model.abilities["ability"].to_numpy())
    if chance.columns.nlevels > 1:  # of categories: the mean category
        number = chance.columns.get_level_values("category").to_numpy(dtype=float)
        chance = (chance * number).T.groupby(level="item", sort=False).sum().T
    return (frame - chance[frame.columns].to_numpy()).corr()


def dependent_pairs(model: ItemResponseModel, level: float = 0.01) -> list[tuple[object, object, float]]:
    """Pairs (item, item, Q3) whose Q3 is too high for chance, the highest first.

    Fisher's z of Q3 against the median of all pairs, in deviations of theirs (by quartiles, and at least
    1/√(n - 3)); the false discovery rate of all pairs is `level`. Of 150 tables each of 100
    to 1,000 agents on 10 to 40 independent items, a pair was named in 0 to 5% (the slow tests simulate it).

    >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
    >>> items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1, 1, 8)})
    >>> table = simulate_irt(items, agents=500, seed=1).frame
    >>> dependent_pairs(irt(table)), dependent_pairs(irt(table.assign(echo=table[3])))[0][:2]
    ([], (3, 'echo'))
    """
    from scipy.stats import false_discovery_control, norm

    table = q3(model)
    first, second = np.triu_indices(len(table), 1)
    z = np.arctanh(table.to_numpy()[first, second].clip(-0.999999, 0.999999))
    known = np.flatnonzero(~np.isnan(z))
    if len(known) < 3:
        return []
    low, middle, high = np.quantile(z[known], [0.25, 0.5, 0.75])
    deviation = max((high - low) / 1.349, 1 / np.sqrt(max(len(model.responses) - 3, 1)))
    apart = (z[known] - middle) / deviation
    found = known[false_discovery_control(norm.sf(apart)) < level]
    order = found[np.argsort(-z[found], kind="stable")]
    names = table.index
    return [(names[i], names[j], float(np.tanh(z[k]))) for k in order for i, j in [(first[k], second[k])]]
