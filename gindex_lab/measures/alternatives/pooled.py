"""One model of all agents and items: agents of whom little is known are pulled towards the others.

logit P(agent i solves item j) = m(h_j) + c_i(h_j) + u_j + f_k + v_ik, where m is the curve of the
population, c_i how agent i departs from it, u_j how much easier item j is than its difficulty says, and
f_k and v_ik the luck of a family k with everybody and with agent i. All but the line in m are normal
around 0; their variances are estimated (Laplace's approximation, EM; Breslow and Clayton 1993). An agent's
curve is for new items: ψ is averaged over u, f and v. An error δ of a difficulty adds (sδ)² to the variance
of u_j. Cost: a matrix of the items is inverted at every step; 100 agents x 500 items took 7 s of a busy core.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.alternatives.smooth import (
    BEND,
    LEVEL,
    Posterior,
    Unit,
    asked,
    design,
    dispersion,
    marginal,
)
from gindex_lab.measures.curves import Interval
from gindex_lab.measures.samples import Sample

__all__ = ["Variances", "fitted", "pooled_posterior"]

# All judgements
SLOPE = 40.0  # prior deviation of the population's slope: the agents bring what is missing
BELIEF = 3.0  # a first guess of a variance counts like so many agents (items, families)
GUESS = 0.3  # standard deviation of u, f and v before anything is seen
GUESSED = np.diag([1.0, (SLOPE / 2) ** 2])  # the same of level and slope
_STEPS, _STILL, _SETTLED = 100, 0.02, 0.01  # the most; and the end: of a logit, of the log of a variance
_LEAP = 3.0  # on the logit scale, the most that one step may move a curve
_MOST = 3_000_000  # cells: beyond, a step takes gigabytes


class Variances(NamedTuple):
    """Of the departures of agents: level and slope (2, 2) and spline; of items, families, and families
    within an agent; of the spline of the population."""

    agents: FloatArray
    bend: float
    items: float
    families: float
    luck: float
    common: float


class _PooledData(NamedTuple):
    """Responses (A, N), which of them there are, the columns of a curve (N, r) and of families (N, f),
    how many items have an effect of their own (all, or none for a single agent), their errors on [0, 1]."""

    scale: Unit
    solved: FloatArray
    seen: FloatArray
    curve: FloatArray
    family: FloatArray
    single: int
    error: FloatArray

    @property
    def mine(self) -> FloatArray:
        return np.hstack([self.curve, self.family])

    def shared(self, part: FloatArray) -> FloatArray:
        """`part` (…, N) times the columns of what is shared: population, items, families."""
        return np.concatenate([part @ self.curve, part[..., : self.single], part @ self.family], axis=-1)


class _PooledState(NamedTuple):
    """Coefficients of agents (A, p) and of what is shared (s,); with W the weights, `inner` (A, p, p) is
    the covariance of an agent's given the shared ones, `taken` (A, p, s) moves it with them, and
    `covariance` (s, s) is that of the shared ones; `leap` is how far the last step went."""

    own: FloatArray
    shared: FloatArray
    inner: FloatArray
    taken: FloatArray
    covariance: FloatArray
    leap: float


def pooled_posterior(sample: Sample, interval: Interval) -> Posterior:
    """The posterior of each agent's curve, with everybody's responses."""
    return fitted(sample, interval)[0]


def fitted(sample: Sample, interval: Interval) -> tuple[Posterior, Variances]:
    """The posterior, and the variances that it rests on."""
    problem = f"[too-large] has more than the {_MOST:,} cells that one model of all agents can take"
    remedy = "pool some of the agents, or use method='smooth'"
    ensure(sample.values.size <= _MOST, "responses", sample.values.shape, problem, remedy)
    data = _data(sample, interval)
    r, f = data.curve.shape[1], data.family.shape[1]
    own, shared = np.zeros((len(data.solved), r + f)), np.zeros(r + data.single + f)
    found = Variances(GUESSED, BEND**2, GUESS**2, GUESS**2, GUESS**2, BEND**2)
    for _ in range(_STEPS):
        state = _newton(data, own, shared, found)
        own, shared = state.own, state.shared
        found, before = _updated(data, state), found
        moved = max(abs(np.log(a / b)) for a, b in zip(found[1:], before[1:], strict=True))
        if state.leap < _STILL and moved < _SETTLED:
            break
    pull = np.eye(r, len(shared)) - state.taken[:, :r]
    spread = state.inner[:, :r, :r] + _sandwich(pull, state.covariance)
    noise = (found.items if data.single else 0.0) + (found.families + found.luck if f else 0.0)
    flat = np.full(len(own), float(marginal(noise)))
    mean, given = own[:, :r] + shared[:r], state.inner[:, :r, :r]
    logit = own @ data.mine.T + data.shared(np.eye(len(data.curve))) @ shared
    return Posterior(data.scale, mean, spread, given, flat, data.curve, logit, data.seen), found


def _data(sample: Sample, interval: Interval) -> _PooledData:
    (scale, x, values, error), free = asked(sample, interval), sample.codes >= 0
    several = sample.word == "families"
    family = np.eye(sample.units)[sample.codes[free]] if several else np.zeros((len(x), 0))
    single = len(x) if len(values) > 1 else 0
    alone = replace(sample, codes=np.where(free, np.cumsum(free) - 1, -1), word="items")
    seen = (~np.isnan(values)) / dispersion(alone)[:, None]  # a mean of trials varies less
    return _PooledData(scale, np.nan_to_num(values), seen, design(x), family, single, error[:single])


def _newton(data: _PooledData, own: FloatArray, shared: FloatArray, found: Variances) -> _PooledState:
    """One step towards the mode: agents are eliminated (Schur's complement), then found again."""
    from scipy.special import expit

    mine, s = data.mine, len(shared)
    mine_prior, prior = _precisions(found, data, shared[1])
    columns = data.shared(np.eye(len(mine)))
    chance = np.asarray(expit(own @ mine.T + columns @ shared))
    weight, rest = data.seen * chance * (1 - chance), data.seen * (data.solved - chance)
    weighted = mine.T * weight[:, None, :]
    inner = np.linalg.inv(weighted @ mine + mine_prior)
    cross = data.shared(weighted)
    taken = inner @ cross
    total = data.shared((columns * weight.sum(axis=0)[:, None]).T)
    schur = total + prior - cross.reshape(-1, s).T @ taken.reshape(-1, s)
    covariance = np.asarray(np.linalg.inv(schur), dtype=float)
    uphill = rest @ mine - own @ mine_prior
    above = data.shared(rest.sum(axis=0)) - prior @ shared
    step_shared = covariance @ (above - taken.reshape(-1, s).T @ uphill.ravel())
    step = (inner @ uphill[..., None])[..., 0] - taken @ step_shared
    leap = float(np.abs(step @ mine.T + columns @ step_shared).max())
    size = min(1.0, _LEAP / max(leap, 1e-9))
    return _PooledState(own + size * step, shared + size * step_shared, inner, taken, covariance, leap)


def _sandwich(pull: FloatArray, covariance: FloatArray) -> FloatArray:
    """P V P' for every agent (A, r, s)."""
    moved = (pull.reshape(-1, pull.shape[2]) @ covariance).reshape(pull.shape)
    return np.asarray(moved @ pull.transpose(0, 2, 1))


def _precisions(found: Variances, data: _PooledData, slope: float) -> tuple[FloatArray, FloatArray]:
    """Prior precisions of an agent's own coefficients (p, p) and of the shared ones (s, s)."""
    bends, f = data.curve.shape[1] - 2, data.family.shape[1]
    own = np.diag(np.repeat([1.0, 1 / found.bend, 1 / found.luck], [2, bends, f]))
    own[:2, :2] = np.linalg.inv(found.agents)
    items = 1 / (found.items + (slope * data.error) ** 2)
    common = np.repeat([1 / found.common, 1 / found.families], [bends, f])
    shared = np.concatenate([[LEVEL**-2, SLOPE**-2], common[:bends], items, common[bends:]])
    return own, np.diag(shared)


def _updated(data: _PooledData, state: _PooledState) -> Variances:
    """The EM step: second moments of the effects under their posterior, with the first guess mixed in."""
    r, n, f = data.curve.shape[1], data.single, data.family.shape[1]
    agents, at = len(state.own), state.own[:, :r]
    moment = (state.inner[:, :r, :r] + _sandwich(state.taken[:, :r], state.covariance)).sum(axis=0)
    moment += at.T @ at
    luck = (state.own[:, r:] ** 2).sum() + np.einsum("app->", state.inner[:, r:, r:])
    second = state.shared**2 + np.diag(state.covariance)
    return Variances(
        (moment[:2, :2] + BELIEF * GUESSED) / (agents + BELIEF),
        _mixed(np.trace(moment[2:, 2:]), agents * (r - 2), BEND**2),
        _mixed(second[r : r + n].sum(), n, GUESS**2),
        _mixed(second[r + n :].sum(), f, GUESS**2),
        _mixed(luck, agents * f, GUESS**2),
        _mixed(second[2:r].sum(), r - 2, BEND**2),
    )


def _mixed(total: float, count: int, guess: float) -> float:
    return float((total + BELIEF * guess) / (count + BELIEF))
