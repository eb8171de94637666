"""Which items hang together beyond what one ability explains? Yen's Q3 of every pair.

Given the ability, answers to two items should have nothing to do with each other. Q3 is the correlation over
agents of what the model leaves unexplained of each, x - E(x | θ). A shared passage, an item that answers
another, or a second dimension shows as pairs with a high Q3.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["dependent_pairs", "q3"]


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
    constant = set(model.constant_items)
    frame = model.responses[[x for x in model.responses if x not in constant]]
    chance = model.curves(model.abilities["ability"].to_numpy())
    if chance.columns.nlevels > 1:  # of categories: the mean category
        number = chance.columns.get_level_values("category").to_numpy(dtype=float)
        chance = (chance * number).T.groupby(level="item", sort=False).sum().T
    return (frame - chance[frame.columns].to_numpy()).corr()


def dependent_pairs(
    model: ItemResponseModel, level: float = 0.01
) -> list[tuple[object, object, float]]:
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
    return [
        (names[i], names[j], float(np.tanh(z[k])))
        for k in order
        for i, j in [(first[k], second[k])]
    ]
