"""One EM for every response model, in one group or several, in one dimension or three.

The E-step is one product of a sparse matrix of responses with the models' log chances. M-steps are Fisher
scoring in the free parameters of an `EMPlan` (`irt_plan`), item by item unless items share parameters. The
steps are lengthened by SQUAREM (Varadhan and Roland 2008, Scand. J. Stat. 35, 335-353) where that does not
lose likelihood.

Shapes: groups x items x k (`parameters`: the slopes of the dimensions, then the model's `rest`); nodes x
dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_models import STEEPEST, Form, ItemModel
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, Latent, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

__all__ = ["EXPANDED", "FLATTEST", "SETTLED", "EngineFit", "climbed", "derivatives", "e_step", "fit"]
__all__ += ["kinds_of", "log_chances", "normalised", "start", "upright"]

_SETTINGS, _NONE = IrtSettings(), Priors()
# Steps with parameter expansion, at most, and when they are enough: judgements, since the end is the same.
EXPANDED, SETTLED = 10, 1e-3
FLATTEST = 0.01  # the least slope where its log has a prior
_NEAR = 0.02  # closer to a bound than this is on it: less than the shortest of the halved steps


class EngineFit(NamedTuple):
    """Where the EM ended."""

    parameters: FloatArray  # groups x items x k
    latent: Latent
    log_likelihood: float
    converged: bool
    iterations: int


def log_chances(model: ItemModel, parameters: FloatArray, nodes: FloatArray) -> Form:
    """The model's form for items x k parameters at nodes x dimensions."""
    d = nodes.shape[1]
    return model.form(parameters[:, :d] @ nodes.T, parameters[:, d:])


def e_step(table: PatternTable, log: FloatArray, log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood of each pattern and its posterior over the nodes (patterns x nodes)."""
    joint = table.incidence @ log.reshape(-1, log.shape[2])
    joint += log_weights
    return normalised(joint)


def normalised(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The log of each row's sum of exp(joint), and the row divided by that sum, in place."""
    peak = joint.max(1, keepdims=True)
    joint -= peak
    np.exp(joint, out=joint)
    total = joint.sum(1, keepdims=True)
    joint /= total
    return (peak + np.log(total))[:, 0], joint


def kinds_of(model: ItemModel, dimensions: int) -> list[str]:
    """Which prior each parameter of an item takes."""
    return ["slope"] * dimensions + model.kinds


def derivatives(form: Form, nodes: FloatArray) -> FloatArray:
    """By all k parameters: items x k x columns x nodes."""
    slopes = form.by_z[:, None] * nodes.T[None, :, None]
    return np.concatenate([slopes, form.by_rest], axis=1)


def start(tables: Sequence[PatternTable], model: ItemModel, dimensions: int = 1) -> FloatArray:
    """Parameters to begin with, the same in every group, from shares and from item-rest scores."""
    from scipy.sparse import vstack

    items, columns = model.used.shape
    counted = np.arange(columns) < model.indicators
    number = np.arange(columns) * counted / np.maximum(model.categories - 1, 1)[:, None]
    incidence, agents = vstack([t.incidence for t in tables]), np.concatenate([t.agents for t in tables])
    totals = incidence @ number.ravel()
    far = totals - np.average(totals, weights=agents)
    deviation = np.sqrt(np.average(far**2, weights=agents)) or 1.0
    counts, sums = ((incidence.T @ x).reshape(items, columns) for x in (agents, agents * far))
    answered = np.maximum(counts[:, : model.indicators].sum(1, keepdims=True), 1e-9)
    own = number - (counts * number / answered).sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        tied = np.nan_to_num((sums / counts - own) / deviation)
    slopes, rest = model.start(counts / answered, tied)
    slopes = -slopes if np.sum(slopes) < 0 else slopes
    each = np.hstack([np.tile(slopes[:, None] / np.sqrt(dimensions), (1, dimensions)), rest])
    return np.stack([each] * len(tables))


def fit(
    tables: Sequence[PatternTable],
    model: ItemModel,
    plan: EMPlan,
    *,
    settings: IrtSettings = _SETTINGS,
    priors: Priors = _NONE,
    parameters: FloatArray | None = None,
    latent: Latent | None = None,
) -> EngineFit:
    """Maximum marginal likelihood (or posterior, with priors) of one table per group.

    `parameters` (groups x items x k) are those to begin with, and the values of what the plan holds;
    `latent` are the groups' distributions to begin with, N(0, 1) by default; what is not free stays so.
    """
    state = _State(tables, model, plan, settings, priors, parameters, latent)
    begin, used = np.concatenate([plan.gathered(state.begin), state.latent.packed(plan)]), 1
    if settings.accelerate and len(tables) == 1 and state.dimensions == 1 and priors == _NONE:
        begin, used = state.expanded(begin)
    one, converged, used = climbed(state.step, begin, state.bounds, settings, used, STEEPEST / 2)
    found = state.expect(one)
    return EngineFit(found.full, found.latent, found.log_likelihood, converged, used)


def upright(found: EngineFit, model: ItemModel, dimensions: int = 1) -> EngineFit:
    """Ability grows with what is right: a dimension is turned round if most of its slopes say so."""
    full = found.parameters.copy()
    slopes = full[..., :dimensions] if model.slope_free else full[..., 1 : model.columns]
    total = slopes[0].sum(0) if model.slope_free else slopes.sum(keepdims=True)[0, 0]
    sign = np.where(total < 0, -1.0, 1.0)
    slopes *= sign
    turned = found.latent.covariance * np.outer(sign, sign)
    return found._replace(parameters=full, latent=found.latent._replace(covariance=turned))


def climbed(
    step: Callable[[FloatArray], tuple[float, FloatArray]],
    old: FloatArray,
    bounds: tuple[FloatArray, FloatArray],
    settings: IrtSettings,
    used: int,
    step_curve: float = np.inf,
) -> tuple[FloatArray, bool, int]:
    """EM from `old` on: where it ends, whether it converged, and after how many steps in all.

    `step` gives the target at a point and where one EM step leads from there. Two steps are lengthened
    (`_squarem`); where that would lose likelihood, the two short ones are taken. It also ends where next to
    nothing was gained for thirty rounds: what still moves is a slope on its way to infinity, and where one is
    beyond `step_curve`, 1e-4 is next to nothing.
    """
    target, one = step(old)
    history, converged = [target], False
    while not converged and used < settings.iterations:
        two = step(one)[1]
        far = _squarem(old, one, two, bounds) if settings.accelerate else two
        reached, after = step(far)
        used += 2
        if not reached >= target:
            far = two
            reached, after = step(far)
            used += 1
        old, one, target = far, after, reached
        history.append(target)
        least = 1e-4 if np.abs(one).max(initial=0.0) > step_curve else 1e-9 * abs(target)
        idle = len(history) > 30 and target - history[-30] < least
        converged = idle or bool(np.abs(one - old).max(initial=0.0) < settings.tolerance)
    return one, converged, used


def _squarem(
    old: FloatArray, one: FloatArray, two: FloatArray, bounds: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Extrapolation S3 of Varadhan and Roland (2008), kept inside the bounds."""
    first = one - old
    bend = two - one - first
    curvature = float(np.sqrt((bend**2).sum()))
    length = float(np.sqrt((first**2).sum())) / curvature if curvature > 0 else 1.0
    length = max(1.0, length)
    return np.clip(old + 2 * length * first + length**2 * bend, *bounds)


class _Expected(NamedTuple):
    """What an E-step finds."""

    log_likelihood: float
    full: FloatArray  # the parameters, groups x items x k
    latent: Latent
    counts: FloatArray  # agents in each column at each node: groups x items x columns x nodes
    at_nodes: FloatArray  # groups x nodes


class _State:
    """The fixed things of a fit, and its steps from the vector of what is free to the next."""

    def __init__(
        self,
        tables: Sequence[PatternTable],
        model: ItemModel,
        plan: EMPlan,
        settings: IrtSettings,
        priors: Priors,
        parameters: FloatArray | None,
        latent: Latent | None,
    ) -> None:
        self.tables, self.model, self.plan, self.priors = tables, model, plan, priors
        self.dimensions = plan.index.shape[2] - model.size
        self.nodes = grid(settings, self.dimensions)
        if parameters is None:
            parameters = start(tables, model, self.dimensions)
            slopes = parameters[..., : self.dimensions]
            slopes[(plan.index[..., : self.dimensions] < 0) & model.slope_free] = 0.0
        self.begin = plan.spread(plan.gathered(parameters), parameters)  # what is one is one
        self.latent = latent or Latent.standard(len(tables), self.dimensions)
        flattest = FLATTEST if priors.log_slope is not None else -STEEPEST
        ends = zip((flattest, STEEPEST), model.bounds, strict=True)
        full = [np.concatenate([np.full(self.dimensions, slope), rest]) for slope, rest in ends]
        self.low, self.high = (plan.gathered(np.broadcast_to(x, plan.index.shape)) for x in full)
        extra = np.full(len(self.latent.packed(plan)), 6.0)  # e^6 deviations are as good as infinitely many
        self.bounds = np.concatenate([self.low, -extra]), np.concatenate([self.high, extra])

    def expect(self, free: FloatArray) -> _Expected:
        """The E-step."""
        size, total, counts, at_nodes = self.plan.size, 0.0, [], []
        full, latent = self.plan.spread(free[:size], self.begin), self.latent.unpacked(free[size:], self.plan)
        for table, each, weight in zip(self.tables, full, latent.log_weights(self.nodes), strict=True):
            log = log_chances(self.model, each, self.nodes).log
            by_pattern, posterior = e_step(table, log, weight)
            total += float(table.agents @ by_pattern)
            posterior *= table.agents[:, None]
            counts.append((table.incidence.T @ posterior).reshape(log.shape))
            at_nodes.append(posterior.sum(0))
        return _Expected(total, full, latent, np.stack(counts), np.stack(at_nodes))

    def step(self, free: FloatArray) -> tuple[float, FloatArray]:
        """The target here, and where one EM step leads."""
        found = self.expect(free)
        target = float(self._pull(found.full)[0][self.plan.index >= 0].sum()) + found.log_likelihood
        latent = found.latent.updated(found.at_nodes, self.nodes, self.plan)
        return target, np.concatenate([self._maximised(found), latent.packed(self.plan)])

    def expanded(self, free: FloatArray) -> tuple[FloatArray, int]:
        """Steps in which mean and spread of the abilities of one group are free and then move into the items;
        nothing else but items is free."""
        used, settled, nodes = 1, False, self.nodes[:, 0]
        while not settled and used <= EXPANDED:
            found = self.expect(free)
            share = found.at_nodes[0] / found.at_nodes.sum()
            mean = float(share @ nodes)
            spread = float(np.sqrt(share @ (nodes - mean) ** 2))
            each = self.plan.spread(self._maximised(found), self.begin)[0]
            each[:, 1:] += self.model.carried(each[:, 1:]) * mean * each[:, :1]
            each[:, :1] *= spread if self.model.slope_free else 1.0
            each[:, 1 : self.model.columns] *= 1.0 if self.model.slope_free else spread
            free = np.clip(self.plan.gathered(each[None]), self.low, self.high)
            settled = abs(mean) < SETTLED and abs(spread - 1) < SETTLED
            used += 1
        return free, used

    def _pull(self, full: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of the priors; a parameter that several items share counts once for each."""
        return self.priors.pull(full, kinds_of(self.model, self.dimensions))

    def _maximised(self, found: _Expected) -> FloatArray:
        """The M-step: the free parameters after two steps of Fisher scoring.

        Where the target of a part of the plan would fall, its step is halved; a parameter on its bound that
        is pushed outwards is held there.
        """
        plan, full, counts = self.plan, found.full, found.counts
        part, of_items = plan.parts
        parts, held = int(part.max()) + 1, of_items >= 0

        def target(at: FloatArray) -> FloatArray:
            logs = [log_chances(self.model, each, self.nodes).log for each in at]
            density = np.where(plan.index >= 0, self._pull(at)[0], 0.0).sum(2)
            value = (np.stack(logs) * counts).sum((2, 3)) + density
            return np.asarray(np.bincount(of_items[held], value[held], parts), dtype=float)

        free = plan.gathered(full)
        best = target(full)
        for _ in range(2):
            step = self._direction(full, counts)
            longest = np.zeros(parts)
            np.maximum.at(longest, part, np.abs(step))
            step = step / np.maximum(1.0, longest)[part]
            for _ in range(6):
                new = np.clip(free + step, self.low, self.high)
                reached = target(plan.spread(new, full))
                worse = ~(reached >= best - 1e-10 * np.abs(best))
                if not worse.any():
                    break
                step[worse[part]] *= 0.5
            free = np.where(worse[part], free, new)
            full, best = plan.spread(free, full), np.where(worse, best, reached)
        return free

    def _direction(self, full: FloatArray, counts: FloatArray) -> FloatArray:
        """The step of one Fisher scoring."""
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import spsolve

        model, plan = self.model, self.plan
        _, gradient, curvature = self._pull(full)
        info = np.zeros((*full.shape, full.shape[2]))
        for g, (each, count) in enumerate(zip(full, counts, strict=True)):
            form = log_chances(model, each, self.nodes)
            by_all = derivatives(form, self.nodes)
            gradient[g] += np.einsum("jcq,jkcq->jk", count, by_all)
            info[g] = model.fisher(form, by_all, count[:, : model.indicators].sum(1))
        k = np.arange(full.shape[2])
        info[..., k, k] += np.maximum(curvature, 0.0)
        held = plan.index >= 0
        uphill = np.bincount(plan.index[held], gradient[held], plan.size)
        free = plan.gathered(full)
        loose = ~((free < self.low + _NEAR) & (uphill < 0) | (free > self.high - _NEAR) & (uphill > 0))
        row, column, kept = plan.pairs
        n = np.arange(plan.size)
        entries = np.concatenate([info[kept] * (loose[row] & loose[column]), np.where(loose, 1e-8, 1.0)])
        where = np.concatenate([row, n]), np.concatenate([column, n])
        matrix = coo_array((entries, where), shape=(plan.size, plan.size)).tocsc()
        return np.asarray(spsolve(matrix, uphill * loose))
