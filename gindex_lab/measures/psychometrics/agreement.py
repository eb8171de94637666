"""Do the measures agree? Mean score, capability, generality, g score, ability and person fit, together.

Each measure looks at the same responses through other glasses: `measures` puts them side by side,
`rank_correlations` says which of them order people alike. The rest asks what each cannot see (`blind_spots`):
the difficulties, the company, anything but the number of items solved (`share_of_score`), and its own noise
(`split_half`, `across_halves`, `corrected`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import DifficultyLike, ResponsesLike, SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, choice, generator, integer, number
from gindex_lab.measures.generality import difficulties_of, generality, study_of
from gindex_lab.measures.psychometrics.correlations import rank_correlation
from gindex_lab.measures.psychometrics.factors import factors
from gindex_lab.measures.psychometrics.irt import irt
from gindex_lab.measures.psychometrics.person_fit import norm_conformity

__all__ = ["MEASURES", "QUESTIONS", "across_halves", "blind_spots", "corrected", "corrected_intervals"]
__all__ += ["measures", "rank_correlations", "recoveries", "recovery"]
__all__ += ["share_of_score", "split_half", "steady_people"]

MEASURES = {
    "mean": "mean score",
    "g_score": "g score",
    "ability": "IRT ability θ",
    "capability": "capability Ψ",
    "spread": "spread S",
    "normalised_generality": "generality γ",
    "norm_conformity": "norm conformity",
    "lz": "person fit lz",
}
QUESTIONS = {
    "without_difficulty": "same without difficulty",
    "in_other_company": "moved by company (sd)",
    "share_of_score": "share of mean score",
    "split_half": "reliability",
}
_FEWEST = 10  # agents: a judgement, below which neither a factor nor an item response model means anything


def measures(
    responses: ResponsesLike, difficulty: DifficultyLike = None, *, priors: str | None = None
) -> pd.DataFrame:
    """One row for each agent, one column for each of `MEASURES`, on the same responses.

    The g score is the regression score of one minres factor; ability and lz come from a 2PL model (its
    `priors` as in `gl.irt`; a response between 0 and 1 counts as a failure there).

    >>> from gindex_lab.studies.own_experiments.stand_ins import maze_respondents
    >>> table = measures(maze_respondents(seed=1, agents=100))
    >>> table.shape, bool(table["ability"].corr(table["mean"]) > 0.9)
    ((100, 8), True)
    """
    study = study_of(responses, difficulty)
    problem = "[too-few-agents] has too few agents for a factor or an item response model"
    ensure(len(study.frame) >= _FEWEST, "responses", study.shape, problem, f"measure at least {_FEWEST}")
    return _measured(study, study.interval, priors)


def _measured(study: Responses, interval: tuple[float, float] | None, priors: str | None) -> pd.DataFrame:
    model = irt(study, priors=priors, fractions="truncate")  # as `measures` says
    table = generality(study, interval=interval)
    table["g_score"] = factors(study, constant="drop").scores()["factor 1"]
    table["ability"] = model.abilities["ability"]
    table["norm_conformity"] = norm_conformity(study.values, difficulties_of(study))
    table["lz"] = model.person_fit()["lz"]
    return table[list(MEASURES)]


def rank_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every pair of columns: do they put the agents in the same order?"""
    names = list(table.columns)
    values = [[rank_correlation(table[row], table[column]) for column in names] for row in names]
    return pd.DataFrame(values, names, names)


# -- people whose truth is known ------------------------------------------------------------------------


def steady_people(*, people: int = 400, items: int = 30, backwards: float = 0.0, seed: SeedLike) -> Responses:
    """Simulated people with a capability and a steadiness of their own, both in `agents`.

    A person with capability c and steadiness s solves an item of difficulty h with chance
    1 / (1 + exp(s(h - c))), h from 0.5 to 9.5; c and s are drawn apart. A share `backwards` of them finds an
    item of difficulty h as hard as one of 10 - h.

    >>> steady_people(seed=1, people=50, items=12).agents.columns.tolist()
    ['capability', 'steadiness', 'backwards']
    """
    rng = generator(seed)
    count, length = integer("people", people, 2), integer("items", items, 2)
    turned = rng.random(count) < number("backwards", backwards, 0, 1)
    c, s = rng.normal(5.0, 1.2, count), rng.lognormal(0.2, 0.6, count)
    h = np.linspace(0.5, 9.5, length)
    felt = np.where(turned[:, None], 10 - h, h)
    chance = 1 / (1 + np.exp(s[:, None] * (felt - c[:, None])))
    drawn = (rng.random(chance.shape) < chance).astype(float)
    names = [f"person {k + 1}" for k in range(count)]
    who = pd.DataFrame({"capability": c, "steadiness": s, "backwards": turned}, names)
    frame = pd.DataFrame(drawn, names, [f"item {k + 1}" for k in range(length)])
    return Responses(frame, h, agents=who, name="steady people", source="simulated")


def recovery(table: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """What each measure of `measures` says of the truth of `steady_people`.

    `capability` and `steadiness`: the rank correlation with it over those who do not read backwards;
    `backwards`: the chance that a person who does stands above one who does not (0.5: it cannot tell).

    >>> people = steady_people(seed=1, people=200)
    >>> recovery(measures(people), people.agents).loc[["mean"], ["capability"]].round(1).to_numpy()
    array([[0.9]])
    """
    turned = truth["backwards"].to_numpy(dtype=bool)
    ranks = table.rank()
    few, many = turned.sum(), (~turned).sum()
    above = (ranks[turned].sum() - few * (few + 1) / 2) / (few * many) if few else np.nan
    found = {
        what: {name: rank_correlation(table[name][~turned], truth[what][~turned]) for name in table}
        for what in ("capability", "steadiness")
    }
    return pd.DataFrame(found).assign(backwards=above)


def recoveries(populations: int, *, people: int = 400, backwards: float = 0.0, seed: int) -> pd.DataFrame:
    """`recovery` in several populations of `steady_people`, one row for each population and measure.

    >>> recoveries(2, seed=1, people=60).index.names
    FrozenList(['population', 'measure'])
    """
    first = 1000 * integer("seed", seed, 0)
    tables = {}
    for k in range(integer("populations", populations)):
        study = steady_people(seed=first + k, people=people, backwards=backwards)
        tables[k + 1] = recovery(measures(study), study.agents)
    return pd.concat(tables, names=["population", "measure"])


# -- what each cannot see -----------------------------------------------------------------------------


def blind_spots(responses: ResponsesLike, *, priors: str | None = None, seed: SeedLike) -> pd.DataFrame:
    """What each measure (rows) does not see, one column for each of `QUESTIONS`.

    `without_difficulty`: its rank correlation with itself after the difficulties are shuffled, 1 for a
    measure that never looked at them. `in_other_company`: how far it moves, for the lower half by mean score,
    when the better half is no longer measured: the mean absolute change in standard deviations over all
    agents, 0 for a measure that is an agent's own. `share_of_score` and `split_half`: as these functions say.

    >>> from gindex_lab.studies.own_experiments.stand_ins import maze_respondents
    >>> found = blind_spots(maze_respondents(seed=1, agents=120), seed=1)
    >>> found.loc["mean"].round(2).tolist()[:3]  # sees no difficulty, needs no company, is the score
    [1.0, 0.0, 1.0]
    """
    study = study_of(responses)
    whole = measures(study, priors=priors)
    dealt = study.with_difficulty(generator(seed).permutation(difficulties_of(study)))
    shuffled = _measured(dealt, dealt.interval, priors)
    low = whole.index[whole["mean"] <= whole["mean"].median()]
    alone = measures(study.select(agents=list(low)), priors=priors)
    return pd.DataFrame(
        {
            "without_difficulty": {name: rank_correlation(whole[name], shuffled[name]) for name in whole},
            "in_other_company": (alone - whole.loc[low]).abs().mean() / whole.std(),
            "share_of_score": share_of_score(whole),
            "split_half": split_half(study, priors=priors),
        }
    )


def share_of_score(table: pd.DataFrame) -> pd.Series:
    """The share of each measure's variance (of its ranks) that the mean score accounts for.

    ε² = 1 - (within / (n - k)) / (total / (n - 1)) for n agents with k different mean scores (Kelley
    1935: η², freed of its bias). 1 for a measure that says nothing beyond the number of items solved,
    about 0 for one that has nothing to do with it.

    >>> table = pd.DataFrame({"mean": [0, 0, 0.5, 0.5, 1, 1], "x": [1.0, 2, 3, 4, 5, 6]})
    >>> share_of_score(table).round(2).tolist()
    [1.0, 0.86]
    """
    ranks, score = table.rank(), table["mean"].round(9)
    free = len(table) - score.nunique()
    problem = "[no-ties] agents all have different mean scores"
    ensure(free > 0, "table", len(table), problem, "measure more agents")
    inside = ((ranks - ranks.groupby(score).transform("mean")) ** 2).sum() / free
    return 1 - inside / ranks.var()


def split_half(responses: ResponsesLike, *, priors: str | None = None) -> pd.Series:
    """The reliability of each measure: two halves of the items, by the formula of Spearman and Brown.

    With r the rank correlation of the halves of `across_halves`, that of the whole is 2r / (1 + r).
    """
    crossed = across_halves(responses, priors=priors)
    r = pd.Series(np.diag(crossed), crossed.index)
    return 2 * r / (1 + r)


def across_halves(responses: ResponsesLike, *, priors: str | None = None) -> pd.DataFrame:
    """Rank correlations of each measure on one half of the items with each measure on the other half.

    Items in the order of difficulty go to the halves in turn, so that both reach as far. The halves
    share no response, and so no error; the matrix is the mean of both directions.
    """
    one, other = _halves(study_of(responses), priors)
    table = pd.DataFrame({b: {a: rank_correlation(one[a], other[b]) for a in MEASURES} for b in MEASURES})
    return (table + table.T) / 2


def _halves(study: Responses, priors: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    h = difficulties_of(study)
    order = study.frame.columns[np.argsort(h, kind="stable")]
    span = study.interval or (float(h.min()), float(h.max()))
    one, other = (_measured(study.select(items=list(order[k::2])), span, priors) for k in (0, 1))
    return one, other


def corrected(crossed: pd.DataFrame, least: float = 0.1) -> pd.DataFrame:
    """Correlations freed of noise: r_ij / √(r_ii r_jj) of the matrix of `across_halves`.

    Spearman's correction for attenuation (1904), with errors that are independent because the halves
    share no item. NaN for a measure whose own halves correlate by less than `least`.
    """
    own = np.diag(crossed.to_numpy(dtype=float))
    root = np.sqrt(np.where(own >= least, own, np.nan))
    return crossed / np.outer(root, root)


def corrected_intervals(
    responses: ResponsesLike,
    pairs: Sequence[tuple[str, str]],
    *,
    resamples: int = 400,
    priors: str | None = None,
    seed: SeedLike,
) -> pd.DataFrame:
    """The corrected correlation of pairs of measures with 95% percentile intervals over agents, beside the
    rank correlation as observed.

    Agents are resampled with the measures that they have; the models are not fitted again. A correction may
    overshoot: what lies beyond 1 is shown as 1.
    """
    study = study_of(responses)
    table, halves = measures(study, priors=priors), _halves(study, priors)
    rows = {}
    for pair in pairs:
        first, second = (choice("pairs", name, list(MEASURES)) for name in pair)
        rows[f"{MEASURES[first]}, {MEASURES[second]}"] = {
            "observed": rank_correlation(table[first], table[second]),
            **_freed_with_interval(halves, [first, second], resamples, seed),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _freed_with_interval(
    halves: tuple[pd.DataFrame, pd.DataFrame], names: list[str], resamples: int, seed: SeedLike
) -> pd.Series:
    values = np.hstack([half[names] for half in halves])
    count = len(values)
    rows = generator(seed).integers(0, count, (integer("resamples", resamples), count))
    low, high = np.nanquantile([_freed(values[drawn]) for drawn in rows], [0.025, 0.975])
    return pd.Series({"estimate": _freed(values), "low": low, "high": high}).clip(-1.0, 1.0)


def _freed(halves: FloatArray) -> float:
    """`corrected`, for columns first, second (one half), first, second (other half); NaN for noise."""
    from scipy.stats import rankdata

    r = np.corrcoef(rankdata(halves, axis=0).T)
    own = r[0, 2] * r[1, 3] if min(r[0, 2], r[1, 3]) > 0 else np.nan
    return float((r[0, 3] + r[1, 2]) / 2 / np.sqrt(own))
