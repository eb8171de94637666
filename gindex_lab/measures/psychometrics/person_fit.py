"""Person fit beside generality: how far is each agent from answering like a Guttman scale?

Psychometrics asks of every respondent whether the easy items were solved and the hard ones failed, as
a step curve would have it (supplement, B.1). These indices count ranks where generality measures
areas; on items one unit apart the two are the same thing: Guttman errors G = S²/2, and the norm
conformity index is the normalised generality γ.

The second half asks the same of a fitted item response model. lz is the log-likelihood of an agent's answers,
infit and outfit are mean squared residuals (Drasgow, Levine and Williams 1985, Br. J. Math. Stat. Psychol.
38, 67-86; Wright and Masters 1982, ch. 5). An ability that was fitted to the answers makes them look likelier
than they are; `_standardised` frees a statistic of that. Shapes there: items x columns x agents (`chance`,
and what a statistic makes of each answer); agents x items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.foundation.validate import FloatArray, choice
from gindex_lab.measures.psychometrics.irt_engine import log_chances

if TYPE_CHECKING:
    from gindex_lab.measures.psychometrics.irt_models import BoolArray
    from gindex_lab.measures.psychometrics.irt_result import ItemResponseModel

__all__ = ["disagreement", "guttman_errors", "mean_squares", "model_person_fit", "norm_conformity"]
__all__ += ["person_fit", "relations"]

_RAREST = np.log(1e-12)  # no answer counts as less likely: what is rarer depends on the tails of the model
_FEWEST_FOR_MODEL = 30  # agents: a judgement, a two-parameter model of fewer is fitted to noise


def person_fit(
    responses: ResponsesLike,
    difficulty: DifficultyLike = None,
    *,
    model: str | None = "auto",
    interval: tuple[float, float] | None = None,
    missing: str = "error",
) -> pd.DataFrame:
    """Compute person-fit indices of each agent, with its Γ and γ on the same data beside them.

    Parameters
    ----------
    responses : Responses or a table, agents x items
    difficulty : of each item; without any, 1 minus the item's mean response
    model : the item response model behind `lz_star` and `lz`: "auto" is a 2PL where responses are
        binary and there are at least 30 agents, else neither; None leaves them out
    interval : of difficulty, as in `gl.generality`
    missing : "error", or "drop": each agent on the items that it met

    Returns
    -------
    DataFrame by agent: `score` (sum of responses), `guttman_errors` G, `normalised_guttman_errors` G* (0 a
    Guttman pattern, 1 its reverse), `norm_conformity` (1 to -1), `disagreement`, `lz_star` (the more
    negative, the stranger; .05 of agents who follow the model are below -1.645), `lz` (the same without
    Snijders' correction, for comparison with other programs), `capability`, `spread`, `generality`,
    `normalised_generality`.

    References
    ----------
    van der Flier 1977 (G*); Tatsuoka & Tatsuoka 1983 (norm conformity); Kane & Brennan 1980 (disagreement);
    Drasgow, Levine & Williams 1985 (lz); Snijders 2001 and Magis, Raîche & Béland 2012 (lz*); Meijer &
    Sijtsma 2001 for all.

    Examples
    --------
    >>> found = person_fit([[1, 1, 1, 0, 0], [0, 1, 1, 0, 1]], difficulty=[1, 2, 3, 4, 5])
    >>> found[["guttman_errors", "normalised_guttman_errors", "norm_conformity"]].round(3)
             guttman_errors  normalised_guttman_errors  norm_conformity
    agent 1             0.0                      0.000            1.000
    agent 2             4.0                      0.667           -0.333
    """
    from gindex_lab.measures.generality import difficulties_of, generality, study_of

    study = study_of(_with_difficulty(responses, difficulty), None, missing)
    values, h = study.values, difficulties_of(study)
    errors, most = guttman_errors(values, h), _most_errors(values, h)
    found = {
        "score": np.nansum(values, axis=1),
        "guttman_errors": errors,
        "normalised_guttman_errors": np.divide(errors, most, out=np.zeros_like(errors), where=most > 0),
        "norm_conformity": norm_conformity(values, h),
        "disagreement": disagreement(values, h),
    }
    table = pd.DataFrame(found, index=study.frame.index.copy())
    kind = _model_of(model, study)
    if kind is not None:
        from gindex_lab.measures.psychometrics.irt import irt

        table = table.join(irt(study, kind).person_fit()[["lz_star", "lz"]])
    beside = ["capability", "spread", "generality", "normalised_generality"]
    return table.join(generality(study, interval=interval, missing=missing)[beside])


def guttman_errors(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """G (A,): pairs with the harder item solved and the easier one failed; for graded responses, by
    how much the harder one is ahead. Items of one difficulty make no pair.

    G = Σ max(0, r_j - r_i) over h_i < h_j  (Guttman 1950; Meijer & Sijtsma 2001).
    """
    order = np.argsort(difficulty, kind="stable")
    return _ahead(values[:, order], difficulty[order])


def norm_conformity(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """Norm conformity index (A,): (C - G) / (C + G), C the pairs in the order of difficulty, G those
    against it; 1 for an agent without any such pair.

    Without ties in difficulty it is 1 - 2G*, and Goodman and Kruskal's gamma of easiness and response
    (Tatsuoka & Tatsuoka 1983, Eq. 1).

    >>> norm_conformity(np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]]), np.arange(4.0)).tolist()
    [1.0, -1.0, 1.0]
    """
    order = np.argsort(difficulty, kind="stable")
    wrong = _ahead(values[:, order], difficulty[order])
    right = _ahead(values[:, order[::-1]], -difficulty[order[::-1]])
    total = right + wrong
    return np.divide(right - wrong, total, out=np.ones_like(total), where=total > 0)


def disagreement(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """Disagreement index (A,): Σ r h minus the least it could be with the same responses.

    Kane & Brennan (1980) compare the sum of responses times easiness with its maximum, reached by the
    Guttman pattern; with difficulty in place of easiness the maximum becomes the minimum and the
    difference stays.
    """
    if not np.isnan(values).any():
        best = -np.sort(-values, axis=1) @ np.sort(difficulty)
        return np.asarray(values @ difficulty - best)
    met = ((row[~np.isnan(row)], difficulty[~np.isnan(row)]) for row in values)
    return np.array([r @ h - -np.sort(-r) @ np.sort(h) for r, h in met])


def relations(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman correlations of every index with spread, γ and capability over agents.

    Γ = 1/S orders agents as -S does, so its correlations are those of spread with the sign turned.

    >>> rng = np.random.default_rng(1)
    >>> table = person_fit((rng.random((40, 20)) < np.linspace(0.9, 0.1, 20)).astype(float),
    ...                    difficulty=range(20), model=None)
    >>> relations(table).loc["norm_conformity", "normalised_generality"].round(2)
    np.float64(0.97)
    """
    from gindex_lab.measures.psychometrics.correlations import rank_correlation

    given = "norm_conformity" in getattr(table, "columns", ())
    problem, remedy = "[empty] has no person fit", "pass gl.person_fit(...)"
    ensure(given, "table", type(table).__name__, problem, remedy)
    problem = "[too-few-agents] are too few agents for a correlation"
    ensure(len(table) > 2, "table", len(table), problem, "use three or more")
    against = ["spread", "normalised_generality", "capability"]
    rows = [name for name in table.columns if name not in [*against, "generality", "score"]]
    return pd.DataFrame(
        {name: [rank_correlation(table[row], table[name]) for row in rows] for name in against},
        index=pd.Index(rows),
    )


def _ahead(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """Σ max(0, r_j - r_i) over items i before j, of different difficulty; NaN cells make no pair."""
    binary = np.isnan(values) | (values == 0) | (values == 1)
    result = np.empty(len(values))
    whole = binary.all(axis=1)
    result[whole] = _ahead_binary(values[whole], difficulty)
    earlier = np.triu(difficulty[:, None] != difficulty)
    for row in np.flatnonzero(~whole):
        gain = np.maximum(values[row][None, :] - values[row][:, None], 0.0)
        result[row] = np.nansum(np.where(earlier, gain, 0.0))
    return result


def _ahead_binary(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """The same for 0 and 1: solved items times failed items at earlier levels, in one pass."""
    failed = np.cumsum(values == 0, axis=1)
    first = np.searchsorted(difficulty, difficulty)  # of those that are as hard
    before = np.concatenate([np.zeros((len(values), 1)), failed], axis=1)[:, first]
    return np.asarray(((values == 1) * before).sum(axis=1))


def _most_errors(values: FloatArray, difficulty: FloatArray) -> FloatArray:
    """G of the reverse pattern: the same responses, the best on the hardest items.

    For binary responses on distinct difficulties it is r(n - r) (van der Flier 1977).
    """
    if not np.isnan(values).any():
        return _ahead(np.sort(values, axis=1), np.sort(difficulty))
    met = ((row[~np.isnan(row)], difficulty[~np.isnan(row)]) for row in values)
    return np.array([_ahead(np.sort(r)[None, :], np.sort(h))[0] for r, h in met])


def _with_difficulty(responses: ResponsesLike, difficulty: DifficultyLike) -> Responses:
    raw, remedy = isinstance(responses, Scores), "turn them into responses first"
    ensure(not raw, "responses", responses, "[raw-scores] holds raw scores", remedy)
    study = responses if isinstance(responses, Responses) else Responses(responses)
    if difficulty is None and study.difficulty is None:
        difficulty = (1 - study.frame.mean()).to_numpy()
    return study if difficulty is None else study.with_difficulty(difficulty)


def _model_of(model: str | None, study: Responses) -> str | None:
    if model is None or choice("model", model, ["auto", "1pl", "2pl", "3pl"]) != "auto":
        return model
    binary = bool((np.isnan(study.values) | np.isin(study.values, (0, 1))).all())
    return "2pl" if binary and len(study.values) >= _FEWEST_FOR_MODEL else None


# -- of a fitted model --------------------------------------------------------------------------------


def model_person_fit(
    model: ItemResponseModel, ability: FloatArray, likeliest: FloatArray
) -> dict[str, FloatArray]:
    """lz* at the MAP ability (`likeliest`); lz, infit and outfit at `ability`, of right-or-wrong answers with
    z at the MAP ability. No lz of fractions. Expected: lz 0, infit and outfit 1."""
    squares = mean_squares(model, ability, axis=1)
    if model.model == "beta":
        return squares
    found = {"lz_star": _standardised(model, likeliest, "lz", freed=True)}
    found["lz"] = _standardised(model, ability, "lz", freed=False)
    for name, square in squares.items():
        found[name] = square
        if model.model in ("1pl", "2pl", "3pl"):
            found[f"{name}_z"] = _standardised(model, likeliest, name, freed=True)
    return found


def mean_squares(model: ItemResponseModel, ability: FloatArray, axis: int) -> dict[str, FloatArray]:
    """Infit = Σ (x - E x)² / Σ var x and outfit = mean (x - E x)² / var x, over agents (`axis=0`, of items)
    or items (`axis=1`, of agents)."""
    residual, variance, seen = _residuals(model, ability)
    outfit = (residual**2 / np.where(seen, variance, 1.0)).sum(axis) / seen.sum(axis)
    return {"infit": (residual**2).sum(axis) / variance.sum(axis), "outfit": outfit}


def _residuals(model: ItemResponseModel, ability: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Answer less its mean, and its variance (agents x items; 0 where missing), and what was seen."""
    kind, values = model.kind, model.values
    form = log_chances(kind, model.fitted_parameters, ability[:, None])
    seen = ~np.isnan(values)
    if model.model == "beta":
        from gindex_lab.measures.psychometrics.irt_beta import parts

        chance, alpha, beta = parts(form)
        inner = alpha / (alpha + beta)
        mean = chance[:, 2] + chance[:, 1] * inner
        square = chance[:, 2] + chance[:, 1] * inner * (alpha + 1) / (alpha + beta + 1)
    else:
        chance, number = np.exp(form.log) * kind.used[:, :, None], _numbers(model)
        mean, square = (chance * number).sum(1), (chance * number**2).sum(1)
        values = (_given(values, kind.columns) * number).sum(1).T
    variance = np.where(seen, np.maximum(square - mean**2, 1e-12).T, 0.0)
    return np.where(seen, values - mean.T, 0.0), variance, seen


def _numbers(model: ItemResponseModel) -> FloatArray:
    """What each category counts (items x categories x 1): its number; in a nominal model its slope."""
    return np.where(model.kind.used, model.kind.scores(model.fitted_parameters[:, 1:]), 0.0)[:, :, None]


def _given(values: FloatArray, columns: int) -> FloatArray:
    """1 in the column of each answer, 0 elsewhere and if missing; a fraction of a success counts in both."""
    apart = np.abs(values.T[:, None] - np.arange(columns)[:, None])
    return np.nan_to_num(np.clip(1 - apart, 0, 1))


def _standardised(model: ItemResponseModel, ability: FloatArray, what: str, freed: bool) -> FloatArray:
    """z of lz, infit or outfit of each agent, `freed` at its MAP ability of what estimating it does.

    Each is a sum Σ w(x) over items, with w = log P(x) for lz, (x - E x)² for infit and that over var x for
    outfit. An estimated ability makes the sum vary less than it should. With l' the slope of log P(x) by
    ability, I its variance and c = Σ E(w l') / Σ I, the part that the estimator cannot move has the weights
    w - c l': z = (Σ (w - E w) - c θ) / √(Σ var(w - c l')), -θ being the slope of the N(0, 1) log prior
    (Snijders 2001, Psychometrika 66, 331-342; of MAP: Magis, Raîche and Béland 2012, J. Educ. Behav. Stat.
    37, 57-81; for categories: Sinharay 2016, Psychometrika 81, 992-1013). Of agents who follow the model .05
    have an lz* below -1.645, and as many an infit above 1.645 (`data/measured/irt_levels.csv`).
    """
    kind, values = model.kind, model.values
    form = log_chances(kind, model.fitted_parameters, ability[:, None])
    log = np.clip(form.log, _RAREST, np.log1p(-1e-12))
    chance = np.exp(log) * kind.used[:, :, None]
    seen = ~np.isnan(values).T[:, None]
    weight = log
    if what != "lz":
        number = _numbers(model)
        weight = (number - (chance * number).sum(1, keepdims=True)) ** 2
        weight = weight / (chance * weight).sum(1, keepdims=True) if what == "outfit" else weight
    steep = model.fitted_parameters[:, :1, None] * form.by_z
    shift = np.zeros(len(ability))
    if freed:
        tells, crossed = ((seen * chance * steep * other).sum((0, 1)) for other in (steep, weight))
        shift = np.divide(crossed, tells, out=shift, where=tells > 0)
    excess = ((_given(values, kind.columns) - seen * chance) * weight).sum((0, 1)) - shift * ability
    left = weight - shift * steep
    left = left - (chance * left).sum(1, keepdims=True)
    spread = np.sqrt((seen * chance * left**2).sum((0, 1)))
    return np.divide(excess, spread, out=np.zeros_like(spread), where=spread > 1e-9)
