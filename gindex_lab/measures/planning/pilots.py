"""A pilot study as a design: what it says of curves, difficulties, families, trials and luck, and how sure.

The curve of an agent is a penalised logistic spline (`alternatives.smooth`), and draws from its posterior
are the curves that the pilot leaves open. Shares of luck are estimated by moments: the mean product of two
residuals is the mean of their covariance (`covariance`), which rises with the luck in common.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.alternatives.smooth import Posterior, smooth_posterior
from gindex_lab.measures.alternatives.smooth import design as spline
from gindex_lab.measures.curves import Interval, Scale
from gindex_lab.measures.planning.designs import FEWEST, TERMS, Curve, Design, logistic, series_of
from gindex_lab.measures.samples import Sample

__all__ = ["pilot_design"]

Draws = Callable[[int, np.random.Generator], list[Curve]]
_AGENTS = 40  # of a pilot, from which the shares of luck are estimated: a judgement


def pilot_design(
    study: Responses, agent: Label, interval: Interval | None, resample: str
) -> tuple[Design, Draws]:
    """A design like a pilot study: its difficulties, families and trials, the smooth curve of an agent, its
    shares of luck; and a function that draws curves as the pilot leaves them open.

    Without difficulties the curve is flat: how items differ is then part of the luck that agents share.
    """
    h, place = study.difficulty, study.frame.index.get_loc(agent)
    met = ~np.isnan(study.values[place])
    n = int(met.sum())
    ensure(n >= FEWEST, "agent", agent, "answered fewer than three items", "name another agent")
    flat = h is None or h.nunique() < 2
    places = np.linspace(0, 1, n) if flat or h is None else h.to_numpy(dtype=float)[met]
    span = interval or study.interval or (float(places.min()), float(places.max()))
    span = (0.0, 1.0) if flat else (float(span[0]), float(span[1]))
    families, codes = None, np.arange(n)
    if resample == "families":
        if study.family is None:
            raise BadInput("resample", resample, "needs to know the family of each item", "use 'items'")
        codes = pd.factorize(study.family[met])[0]
        families = int(codes.max()) + 1
    values = study.values[:, met]
    known = np.flatnonzero((~np.isnan(values)).mean(axis=1) > 0.5)[:_AGENTS]
    known = np.array([place, *known[known != place]])
    sample = Sample(study.frame.index[known], values[known], places, codes, Scale(span), resample)
    smooth = None if flat else smooth_posterior(sample, span)
    chance = _flat(values[known]) if smooth is None else np.asarray(logistic(smooth.logit))
    repeats, stable = _repeats(study, agent, chance[0], values[known][0])
    shared, likeness = _lucks(values[known], chance, codes, families)
    total = max(1.0, (shared + likeness + stable) / 0.95)

    if smooth is None:
        right, typical = float(np.nansum(values[place])), _constant(float(chance[0, 0]))
        draws = _flat_draws(right + 0.5, n - right + 0.5)
    else:
        typical, draws = _curve(smooth, smooth.mean[0]), _curve_draws(smooth)
    design = Design(
        items=n,
        families=families,
        repeats=repeats,
        curve=typical,
        difficulty=None if flat else tuple(places),
        interval=span,
        shared=shared / total,
        likeness=likeness / total,
        stable=stable / total,
    )
    return design, draws


def _constant(p: float) -> Curve:
    return lambda x: np.full(np.shape(x), p)


def _flat_draws(right: float, wrong: float) -> Draws:
    return lambda count, random: [_constant(p) for p in random.beta(right, wrong, count)]


def _curve(smooth: Posterior, coefficients: FloatArray) -> Curve:
    return lambda x: logistic(spline(smooth.scale(x)) @ coefficients)


def _curve_draws(smooth: Posterior) -> Draws:
    mean, covariance = smooth.mean[0], smooth.covariance[0]
    return lambda count, random: [
        _curve(smooth, one) for one in random.multivariate_normal(mean, covariance, count, method="cholesky")
    ]


def _flat(values: FloatArray) -> FloatArray:
    """Every agent's own mean at every item, half a response short of 0 and of 1."""
    n = (~np.isnan(values)).sum(axis=1, keepdims=True)
    return np.broadcast_to((np.nansum(values, axis=1, keepdims=True) + 0.5) / (n + 1), values.shape)


def _repeats(study: Responses, agent: Label, chance: FloatArray, values: FloatArray) -> tuple[int, float]:
    """Trials of each item, and the share of luck that stays from trial to trial; of graded responses the
    number of right-or-wrong parts that would vary as they do."""
    if study.trials is not None:
        mine = study.trials[study.trials["agent"] == agent].dropna(subset=["response"])
        by = mine.groupby("item")["response"]
        count = by.size()
        many = round(float(count.mean())) if len(count) else 1
        if many > 1:
            total, square = by.sum(), (mine["response"] ** 2).groupby(mine["item"]).sum()
            pairs = (count * (count - 1)).sum()
            at = pd.Series(chance, study.frame.columns[~study.frame.loc[agent].isna()]).reindex(count.index)
            both = float((total**2 - square).sum() / max(pairs, 1) - (at**2).mean())
            return many, _luck_of(both, at.to_numpy()[None], at.to_numpy()[None])
    room = (chance * (1 - chance)).sum()
    graded = float(((values - chance) ** 2).sum() / max(room, 1e-12))
    binary = bool(np.isin(values, (0.0, 1.0)).all())
    return (1 if binary else int(np.clip(round(1 / max(graded, 0.01)), 1, 100))), 0.0


def _lucks(
    values: FloatArray, chance: FloatArray, codes: np.ndarray, families: int | None
) -> tuple[float, float]:
    """Luck that agents share on an item, from the products of their residuals; and that an agent has with a
    family, from the products of the differences of residuals between agents."""
    rest = np.where(np.isnan(values), 0.0, values - chance)
    a, shared, likeness = len(rest), 0.0, 0.0
    if a > 1:
        products = (rest.sum(axis=0) ** 2 - (rest**2).sum(axis=0)) / (a * (a - 1))
        terms = series_of(chance)
        total = terms.sum(axis=0) ** 2 - (terms**2).sum(axis=0)
        shared = _solve(float(products.mean()), total.mean(axis=0) / (a * (a - 1)))
    if families is not None:
        apart = rest - rest.mean(axis=0) if a > 1 else rest
        scale = a / (a - 1) if a > 1 else 1.0
        sums, squares = (np.stack([np.bincount(codes, x, families) for x in y]) for y in (apart, apart**2))
        size = np.bincount(codes)
        pairs = float((size * (size - 1)).sum())
        if pairs:
            both = float((sums**2 - squares).sum() * scale / (a * pairs))
            likeness = _luck_of(both, chance, chance)
    return shared, likeness


def _luck_of(both: float, p: FloatArray, q: FloatArray) -> float:
    """The correlation of luck that gives this mean covariance."""
    return _solve(both, (series_of(p) * series_of(q)).reshape(-1, TERMS).mean(axis=0))


def _solve(both: float, coefficients: FloatArray) -> float:
    """ρ in [0, 0.9] with Σ cₖ ρᵏ nearest to a mean covariance."""
    grid = np.linspace(0, 0.9, 181)
    found = (grid[:, None] ** np.arange(1, TERMS + 1)) @ coefficients
    return float(grid[np.abs(found - both).argmin()])
