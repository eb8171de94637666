"""How well a fitted item response model describes each agent, each item, and how precisely.

Everything here is a function of the items' parameters and of a table of responses: abilities with
their standard errors, Fisher information, the person-fit statistics lz*, lz, infit and outfit, and
the item-fit statistic S-X². An agent with a low lz fails easy items and solves hard ones: the
psychometricians' word for what generality analysis calls a large spread.

Shapes: agents x items (`values`, NaN = missing), items x 2 or 3 (`parameters`), agents (`ability`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_em import curves, e_step, logistic
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Patterns

__all__ = [
    "expected_a_posteriori",
    "gains",
    "item_fit",
    "item_information",
    "likeliest_ability",
    "lz_star",
    "person_fit",
    "slopes",
]

_FARTHEST = 200.0  # as far as an ability is followed; the difficulty of a flat item may be -129


def slopes(parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """dP/dθ, items x abilities: (1 - c) a p (1 - p), with p the curve without guessing.

    >>> slopes(np.array([[2.0, 0.0]]), np.array([0.0]))  # a quarter of the discrimination
    array([[0.5]])
    """
    know = logistic(np.outer(parameters[:, 0], ability) + parameters[:, 1:2])
    guess = logistic(parameters[:, 2:]) if parameters.shape[1] == 3 else 0.0
    return (1.0 - guess) * parameters[:, :1] * know * (1.0 - know)


def item_information(parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """Fisher information I(θ) = (dP/dθ)² / (P (1 - P)), items x abilities (Birnbaum 1968).

    For the 2PL it is a² P (1 - P), largest where ability equals difficulty:

    >>> item_information(np.array([[2.0, 0.0]]), np.array([0.0]))
    array([[1.]])
    """
    chance = np.clip(curves(parameters, ability), 1e-12, 1 - 1e-12)
    return slopes(parameters, ability) ** 2 / (chance * (1 - chance))


def expected_a_posteriori(
    data: Patterns, parameters: FloatArray, settings: IrtSettings
) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the posterior of each agent's ability (Bock and Mislevy 1982).

    >>> data = Patterns.of(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> items = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])  # easy, middling, hard
    >>> mean, sd = expected_a_posteriori(data, items, IrtSettings())
    >>> mean.round(2), sd.round(2)
    (array([ 0.32, -0.32, -0.96]), array([0.8 , 0.8 , 0.81]))
    """
    nodes, weights = settings.grid()
    _, posterior = e_step(data, parameters, nodes, weights)
    mean = posterior @ nodes
    variance = np.maximum(posterior @ nodes**2 - mean**2, 0.0)
    return mean[data.pattern], np.sqrt(variance)[data.pattern]


def likeliest_ability(
    data: Patterns, parameters: FloatArray, start: FloatArray, prior: bool
) -> tuple[FloatArray, FloatArray]:
    """The mode of the posterior (`prior=True`, MAP) or of the likelihood (ML), by Fisher scoring.

    Under ML an agent that solves everything is infinitely able: ±inf, with an infinite error.

    >>> data = Patterns.of(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    >>> items = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])
    >>> likeliest_ability(data, items, np.zeros(3), prior=False)[0].round(2)
    array([ 0.8, -0.8, -inf])
    >>> likeliest_ability(data, items, np.zeros(3), prior=True)[0].round(2)
    array([ 0.3 , -0.3 , -0.93])
    """
    seen = np.ones_like(data.right) if data.seen is None else data.seen
    ability = start[np.unique(data.pattern, return_index=True)[1]].copy()
    for _ in range(200):
        score, info = _ability_score(data.right, seen, parameters, ability)
        score, info = score - prior * ability, info + prior
        step = np.clip(score / np.maximum(info, 1e-100), -0.5, 0.5)
        ability = np.clip(ability + step, -_FARTHEST, _FARTHEST)
        if np.abs(step[np.abs(ability) < _FARTHEST]).max(initial=0.0) < 1e-9:
            break
    runaway = np.zeros(len(ability), dtype=bool) if prior else _flat(data, seen, parameters, info)
    ability = np.where(runaway, np.copysign(np.inf, ability), ability)
    error = 1 / np.sqrt(np.where(runaway, 0.1, info))
    return ability[data.pattern], np.where(runaway, np.inf, error)[data.pattern]


def _ability_score(
    right: FloatArray, seen: FloatArray, parameters: FloatArray, ability: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slope of the log-likelihood at each pattern's ability, and its expected information."""
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    steep = slopes(parameters, ability).T / (chance * (1 - chance))
    score = ((right - seen * chance) * steep).sum(1)
    return score, (seen * steep**2 * chance * (1 - chance)).sum(1)


def _flat(
    data: Patterns, seen: FloatArray, parameters: FloatArray, info: FloatArray
) -> npt.NDArray[np.bool_]:
    """Whose likelihood keeps rising: every response points the same way, or nothing informs."""
    up = parameters[:, 0] >= 0
    raises = (data.right == np.where(up, 1.0, 0.0)) | (seen == 0)
    lowers = (data.right == np.where(up, 0.0, 1.0)) | (seen == 0)
    return raises.all(1) | lowers.all(1) | (info < 1e-6)


def person_fit(
    values: FloatArray, parameters: FloatArray, ability: FloatArray
) -> dict[str, FloatArray]:
    """lz, infit and outfit of each agent at its ability.

    lz = (l - E l) / sd(l), l the log-likelihood of the agent's responses (Drasgow, Levine and
    Williams 1985, Eq. 5-7); infit = Σ (r - P)² / Σ P(1 - P) and outfit = mean (r - P)² / (P(1 - P))
    (Wright and Masters 1982, ch. 5). Expected: lz 0, infit and outfit 1.

    >>> easy_to_hard = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, -2.0]])
    >>> fit = person_fit(np.array([[1.0, 1, 0], [0, 1, 1]]), easy_to_hard, np.array([0.5, 0.5]))
    >>> fit["lz"].round(2)
    array([ 0.71, -3.67])
    """
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    seen = ~np.isnan(values)
    variance = np.where(seen, chance * (1 - chance), 0.0)
    residual = np.where(seen, values - chance, 0.0)
    log_odds = np.log(chance / (1 - chance))
    spread = np.sqrt((variance * log_odds**2).sum(1))
    excess = (residual * log_odds).sum(1)  # l - E l = Σ (r - P) log(P / (1 - P))
    return {
        "lz": np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 0),
        "infit": (residual**2).sum(1) / variance.sum(1),
        "outfit": (residual**2 / (chance * (1 - chance))).sum(1) / seen.sum(1),
    }


def lz_star(values: FloatArray, parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """lz* of each agent at its MAP ability: lz freed of what estimating the ability does to it.

    An ability fitted to the responses makes them look likelier than they are, so that lz varies less
    than a standard normal and warns too seldom. With the weights w = log(P / (1 - P)) of lz, those of
    the estimator r = P' / (P (1 - P)) and c = Σ P' w / Σ P' r, the part of Σ (x - P) w that the
    estimator cannot move has the weights w - c r:

    lz* = (Σ (x - P) w + c r₀) / √(Σ (w - c r)² P (1 - P)), r₀ = -θ the slope of the N(0, 1) log prior
    (Snijders 2001, Psychometrika 66, 331-342; r₀ of MAP: Magis, Raîche and Béland 2012, J. Educ.
    Behav. Stat. 37, 57-81). Below -1.645 are .05 of agents who follow the model.

    >>> easy_to_hard = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, -2.0]])
    >>> lz_star(np.array([[1.0, 1, 0], [0, 1, 1]]), easy_to_hard, np.array([0.3, 0.3])).round(2)
    array([ 0.63, -3.75])
    """
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    seen = ~np.isnan(values)
    variance = np.where(seen, chance * (1 - chance), 0.0)
    steep = np.where(seen, slopes(parameters, ability).T, 0.0)
    log_odds, estimator = np.log(chance / (1 - chance)), steep / (chance * (1 - chance))
    tells = (steep * estimator).sum(1)
    shift = np.divide((steep * log_odds).sum(1), tells, out=np.zeros_like(tells), where=tells > 0)
    left = log_odds - shift[:, None] * estimator
    spread = np.sqrt((variance * left**2).sum(1))
    excess = (np.where(seen, values - chance, 0.0) * log_odds).sum(1) - shift * ability
    return np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 1e-9)


def item_fit(
    values: FloatArray, parameters: FloatArray, ability: FloatArray
) -> dict[str, FloatArray]:
    """Infit and outfit of each item: as `person_fit`, summed over agents.

    >>> alike = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> item_fit(alike, np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros(2))["outfit"]
    array([1., 1.])
    """
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    seen = ~np.isnan(values)
    variance = np.where(seen, chance * (1 - chance), 0.0)
    squared = np.where(seen, values - chance, 0.0) ** 2
    return {
        "infit": squared.sum(0) / variance.sum(0),
        "outfit": (squared / (chance * (1 - chance))).sum(0) / seen.sum(0),
    }


def gains(values: FloatArray, log_likelihood: float, added: int) -> dict[str, float]:
    """What a model's log-likelihood has above that of independent items, per hundred responses: `gain`,
    and `penalised_gain` less one for each parameter that was `added` (Akaike).

    >>> gains(np.array([[1.0, 0.0], [0.0, 1.0]]), 4 * np.log(0.5) + 1, added=1)
    {'gain': 25.0, 'penalised_gain': 0.0}
    """
    share, seen = np.nanmean(values, 0), (~np.isnan(values)).sum(0)
    independent = (seen * (share * np.log(share) + (1 - share) * np.log(1 - share))).sum()
    per = 100 / seen.sum()
    gain = log_likelihood - independent
    return {"gain": float(per * gain), "penalised_gain": float(per * (gain - added))}


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
    responses among agents with the same sum score; neighbouring scores are merged until at least one
    right and one wrong response is expected. Agents with missing responses are left out; `free` is
    the number of parameters of an item, taken off the degrees of freedom.

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
        statistic, cells = _merged_chi_square(agents, right, expected)
        freedom = cells - free
        p = chi2.sf(statistic, freedom) if freedom > 0 else 1.0
        results[:, item] = statistic, freedom, p
    return dict(zip(("s_x2", "s_x2_df", "s_x2_p"), results, strict=True))


def _merged_chi_square(
    agents: FloatArray, right: FloatArray, expected: FloatArray
) -> tuple[float, int]:
    """Chi-square over score groups, merged from the bottom until each expects one of either kind."""
    groups, current = [], np.zeros(3)
    for cell in np.stack([agents, right, agents * expected], 1):
        current = current + cell
        if 1.0 <= current[2] <= current[0] - 1.0:
            groups.append(current)
            current = np.zeros(3)
    if groups:
        groups[-1] = groups[-1] + current
    n, seen, hoped = np.array(groups).reshape(-1, 3).T
    return float(((seen - hoped) ** 2 / (hoped * (1 - hoped / n))).sum()), len(groups)
