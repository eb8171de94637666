"""How well a fitted item response model describes each agent, and how precisely.

Everything here is a function of the items' parameters and of a table of responses: abilities with
their standard errors, Fisher information, and the person-fit statistics lz*, lz, infit and outfit. An
agent with a low lz fails easy items and solves hard ones: the psychometricians' word for what generality
analysis calls a large spread.

Shapes: agents x items (`values`, NaN = missing), items x 2 or 3 (`parameters`), agents (`ability`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_em import curves, e_step, logistic
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Patterns
from gindex_lab.measures.psychometrics.item_fit import mean_squares

__all__ = [
    "expected_a_posteriori",
    "freed",
    "gains",
    "item_information",
    "likeliest_ability",
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
    values: FloatArray, parameters: FloatArray, ability: FloatArray, likeliest: FloatArray
) -> dict[str, FloatArray]:
    """lz* of each agent at its MAP ability (`likeliest`); lz, infit and outfit at `ability`, with `freed` z.

    lz = (l - E l) / sd(l), l the log-likelihood of the agent's responses (Drasgow, Levine and
    Williams 1985, Eq. 5-7); the others by `item_fit.mean_squares`. Expected: lz 0, infit and outfit 1.

    >>> easy_to_hard = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, -2.0]])
    >>> at = np.array([0.5, 0.5])
    >>> fit = person_fit(np.array([[1.0, 1, 0], [0, 1, 1]]), easy_to_hard, at, at)
    >>> fit["lz"].round(2)
    array([ 0.71, -3.67])
    """
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    seen = ~np.isnan(values)
    variance = np.where(seen, chance * (1 - chance), 0.0)
    log_odds = np.log(chance / (1 - chance))
    spread = np.sqrt((variance * log_odds**2).sum(1))
    # l - E l = Σ (r - P) log(P / (1 - P))
    excess = (np.where(seen, values - chance, 0.0) * log_odds).sum(1)
    lz = np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 0)
    squares = mean_squares(values, chance, axis=1)
    z = freed(values, parameters, likeliest)
    found = {"lz_star": z["lz"], "lz": lz}
    for name in ("infit", "outfit"):
        found |= {name: squares[name], f"{name}_z": z[name]}
    return found


def freed(values: FloatArray, parameters: FloatArray, ability: FloatArray) -> dict[str, FloatArray]:
    """z of lz (lz*), infit and outfit of each agent at its MAP ability, freed of what estimating it does.

    An ability fitted to the responses makes them look likelier than they are, so that a statistic
    varies less than it should and warns too seldom. Each of the three is a sum Σ (x - P) w, with
    w = log(P / (1 - P)) for lz, 1 - 2P for infit and (1 - 2P) / (P (1 - P)) for outfit, since
    (x - P)² = P (1 - P) + (x - P)(1 - 2P). With the weights of the estimator r = P' / (P (1 - P)) and
    c = Σ P' w / Σ P' r, the part that the estimator cannot move has the weights w - c r:

    z = (Σ (x - P) w + c r₀) / √(Σ (w - c r)² P (1 - P)), r₀ = -θ the slope of the N(0, 1) log prior
    (Snijders 2001, Psychometrika 66, 331-342; r₀ of MAP: Magis, Raîche and Béland 2012, J. Educ.
    Behav. Stat. 37, 57-81). Of agents who follow the model .05 have an lz* below -1.645, and as many an
    infit above 1.645 (`data/measured/irt_levels.csv`).

    >>> easy_to_hard = np.array([[1.0, 2.0], [1.0, 0.0], [1.0, -2.0]])
    >>> found = freed(np.array([[1.0, 1, 0], [0, 1, 1]]), easy_to_hard, np.array([0.3, 0.3]))
    >>> found["lz"].round(2), found["outfit"].round(2)
    (array([ 0.63, -3.75]), array([-0.53,  3.92]))
    """
    chance = np.clip(curves(parameters, ability).T, 1e-12, 1 - 1e-12)
    seen, variance = ~np.isnan(values), chance * (1 - chance)
    steep = np.where(seen, slopes(parameters, ability).T, 0.0)
    estimator, beyond = steep / variance, np.where(seen, values - chance, 0.0)
    tells = (steep * estimator).sum(1)
    found = {}
    for name, weight in (
        ("lz", np.log(chance / (1 - chance))),
        ("infit", 1 - 2 * chance),
        ("outfit", (1 - 2 * chance) / variance),
    ):
        crossed = (steep * weight).sum(1)
        shift = np.divide(crossed, tells, out=np.zeros_like(tells), where=tells > 0)
        left = np.where(seen, weight - shift[:, None] * estimator, 0.0)
        spread = np.sqrt((variance * left**2).sum(1))
        excess = (beyond * weight).sum(1) - shift * ability
        found[name] = np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 1e-9)
    return found


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
