"""One EM for every response model, in one group or several, in one dimension or three.

The E-step is one product of a sparse matrix of responses with the models' log chances. M-steps are Fisher
scoring in the free parameters of an `EMPlan` (`irt_plan`), item by item unless items share parameters;
SQUAREM (Varadhan and Roland 2008) lengthens the steps as in `irt_em`.

Shapes: groups x items x k (`parameters`: the slopes of the dimensions, then the model's `rest`); nodes x
dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_climb import climbed
from gindex_lab.measures.psychometrics.irt_em import STEEPEST, normalised
from gindex_lab.measures.psychometrics.irt_models import Form, ItemModel
from gindex_lab.measures.psychometrics.irt_plan import (
    EMPlan,
    Latent,
    PatternTable,
    PriorArrays,
    grid,
    prior_arrays,
)
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

__all__ = ["EngineFit", "derivatives", "e_step", "fit", "log_chances", "start"]

_SETTINGS, _NONE = IrtSettings(), Priors()
_EXPANDED, _SETTLED = 10, 1e-3  # as in `irt_em`


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


def e_step(
    table: PatternTable, log: FloatArray, log_weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The log-likelihood of each pattern and its posterior over the nodes (patterns x nodes)."""
    joint = table.incidence @ log.reshape(-1, log.shape[2])
    joint += log_weights
    return normalised(joint)


def derivatives(form: Form, nodes: FloatArray) -> FloatArray:
    """By all k parameters: items x k x columns x nodes."""
    slopes = form.by_z[:, None] * nodes.T[None, :, None]
    return np.concatenate([slopes, form.by_rest], axis=1)


def start(tables: Sequence[PatternTable], model: ItemModel, dimensions: int = 1) -> FloatArray:
    """Parameters to begin with, the same in every group, from shares and from item-rest scores."""
    items, columns = model.used.shape
    numbers = np.tile(np.arange(columns) * (np.arange(columns) < model.indicators), items)
    numbers = numbers / np.repeat(np.maximum(model.categories - 1, 1), columns)
    counts, sums = np.zeros((2, items * columns))
    totals = np.concatenate([t.incidence @ numbers for t in tables])
    agents = np.concatenate([t.agents for t in tables])
    centre = np.average(totals, weights=agents)
    deviation = np.sqrt(np.average((totals - centre) ** 2, weights=agents)) or 1.0
    for table in tables:
        counts += table.incidence.T @ table.agents
        sums += table.incidence.T @ (table.agents * (table.incidence @ numbers - centre))
    counts, sums = counts.reshape(items, columns), sums.reshape(items, columns)
    answered = np.maximum(counts[:, : model.indicators].sum(1, keepdims=True), 1e-9)
    number = np.arange(columns) / np.maximum(model.categories - 1, 1)[:, None]
    own = number - (counts * number / answered)[:, : model.indicators].sum(1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        tied = np.nan_to_num((sums / counts - own) / deviation)
    slopes, rest = model.start(counts / answered, tied)
    if np.sum(slopes) < 0:
        slopes = -slopes
    spread = np.tile(slopes[:, None] / np.sqrt(dimensions), (1, dimensions))
    each = np.hstack([spread, rest])
    return np.stack([each] * len(tables))


class Scoring(NamedTuple):
    """The M-step: Fisher scoring in the free parameters of a plan, within `bounds`."""

    model: ItemModel
    plan: EMPlan
    nodes: FloatArray
    prior: PriorArrays
    bounds: tuple[FloatArray, FloatArray]

    def two_steps(self, full: FloatArray, counts: FloatArray) -> FloatArray:
        """The free parameters after two steps, from the expected `counts` (groups x items x columns x nodes).
        Where the target of a part of the plan would fall, its step is halved; a parameter on its bound that
        is pushed outwards is held there."""
        plan = self.plan
        part, of_items = plan.parts
        parts, held = int(part.max()) + 1, of_items >= 0

        def target(at: FloatArray) -> FloatArray:
            logs = [log_chances(self.model, each, self.nodes).log for each in at]
            density = np.where(plan.index >= 0, self.prior.pull(at)[0], 0.0).sum(2)
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
                new = np.clip(free + step, *self.bounds)
                moved = plan.spread(new, full)
                reached = target(moved)
                worse = ~(reached >= best - 1e-10 * np.abs(best))
                if not worse.any():
                    break
                step[worse[part]] *= 0.5
            new = np.where(worse[part], free, new)
            free, full = new, plan.spread(new, full)
            best = np.where(worse, best, reached)
        return free

    def _direction(self, full: FloatArray, counts: FloatArray) -> FloatArray:
        """The step of one Fisher scoring."""
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import spsolve

        model, plan = self.model, self.plan
        gradients, blocks = [], []
        for each, count in zip(full, counts, strict=True):
            form = log_chances(model, each, self.nodes)
            by_all = derivatives(form, self.nodes)
            gradients.append(np.einsum("jcq,jkcq->jk", count, by_all))
            blocks.append(model.fisher(form, by_all, count[:, : model.indicators].sum(1)))
        _, pull, curvature = self.prior.pull(full)
        info = np.stack(blocks)
        k = np.arange(info.shape[-1])
        info[..., k, k] += np.maximum(curvature, 0.0)
        held = plan.index >= 0
        gradient = np.bincount(plan.index[held], (np.stack(gradients) + pull)[held], plan.size)
        free, (low, high) = plan.gathered(full), self.bounds
        loose = ~((free < low + 0.02) & (gradient < 0) | (free > high - 0.02) & (gradient > 0))
        row, column, kept = plan.pairs
        entries = info[kept] * (loose[row] & loose[column])
        n = np.arange(plan.size)
        entries = np.concatenate([entries, np.where(loose, 1e-8, 1.0)])
        where = np.concatenate([row, n]), np.concatenate([column, n])
        matrix = coo_array((entries, where), shape=(plan.size, plan.size)).tocsc()
        return np.asarray(spsolve(matrix, gradient * loose))


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

    Parameters
    ----------
    parameters : groups x items x k to begin with, and the values of what the plan holds
    latent : the groups' distributions to begin with, N(0, 1) by default; what is not free stays so
    """
    state = _State(tables, model, plan, settings, priors, parameters, latent)
    begin, used = state.pack(), 1
    if state.expandable and settings.accelerate:
        begin, used = state.expanded(begin)
    one, converged, used = climbed(state.step, begin, state.bounds, settings, used, STEEPEST / 2)
    full, latent = state.unpack(one)
    return EngineFit(full, latent, state.log_likelihood(full, latent), converged, used)


class _State:
    """The fixed things of a fit, and the map from the vector that EM moves to parameters and back."""

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
        begin = start(tables, model, self.dimensions) if parameters is None else parameters
        held = np.zeros(plan.index.shape, bool)
        held[..., : self.dimensions] = (plan.index[..., : self.dimensions] < 0) & model.slope_free
        self.begin = np.where(held & (parameters is None), 0.0, begin)
        if plan.size:
            self.begin = plan.spread(plan.gathered(self.begin), self.begin)  # what is one is one
        self.latent = latent or Latent.standard(len(tables), self.dimensions)
        self.prior = prior_arrays(priors, model, self.dimensions)
        low, high = model.bounds()
        steep = np.full(self.dimensions, STEEPEST)
        flattest = 0.01 if priors.log_slope is not None else -STEEPEST
        shape = plan.index.shape
        full = [
            np.broadcast_to(np.concatenate(p), shape)
            for p in ((0 * steep + flattest, low), (steep, high))
        ]
        self.low, self.high = (plan.gathered(np.array(p)) for p in full)
        self.scoring = Scoring(model, plan, self.nodes, self.prior, (self.low, self.high))
        extra = len(self.latent.packed(plan))
        self.bounds = (
            np.concatenate([self.low, np.full(extra, -6.0)]),
            np.concatenate([self.high, np.full(extra, 6.0)]),
        )

    @property
    def expandable(self) -> bool:
        """One free standard group without priors: its mean and spread can be moved into the items."""
        plan, slopes = self.plan, self.plan.index[..., : self.dimensions]
        free = bool((slopes >= 0).all()) if self.model.slope_free else True
        whole = bool((plan.index[0][:, self.dimensions :] >= 0)[self.model.free].all())
        return (
            len(self.tables) == 1
            and free
            and whole
            and self.priors == Priors()
            and self.dimensions == 1
        )

    def pack(self) -> FloatArray:
        return np.concatenate([self.plan.gathered(self.begin), self.latent.packed(self.plan)])

    def unpack(self, free: FloatArray) -> tuple[FloatArray, Latent]:
        size = self.plan.size
        return self.plan.spread(free[:size], self.begin), self.latent.unpacked(
            free[size:], self.plan
        )

    def log_likelihood(self, full: FloatArray, latent: Latent) -> float:
        weights, total = latent.log_weights(self.nodes), 0.0
        for table, each, weight in zip(self.tables, full, weights, strict=True):
            log = log_chances(self.model, each, self.nodes).log
            total += float(table.agents @ e_step(table, log, weight)[0])
        return total

    def step(self, free: FloatArray) -> tuple[float, FloatArray]:
        """The target here, and where one EM step leads."""
        target, full, counts, at_nodes = self._expect(free)
        new = self.scoring.two_steps(full, counts)
        latent = self.latent.unpacked(free[self.plan.size :], self.plan)
        latent = latent.updated(at_nodes, self.nodes, self.plan)
        return target, np.concatenate([new, latent.packed(self.plan)])

    def _expect(self, free: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        full, latent = self.unpack(free)
        weights = latent.log_weights(self.nodes)
        target, counts, at_nodes = self.prior.log_density(full, self.plan), [], []
        for table, each, weight in zip(self.tables, full, weights, strict=True):
            log = log_chances(self.model, each, self.nodes).log
            by_pattern, posterior = e_step(table, log, weight)
            target += float(table.agents @ by_pattern)
            posterior *= table.agents[:, None]
            counts.append((table.incidence.T @ posterior).reshape(log.shape))
            at_nodes.append(posterior.sum(0))
        return target, full, np.stack(counts), np.stack(at_nodes)

    def expanded(self, free: FloatArray) -> tuple[FloatArray, int]:
        """Steps in which mean and spread of the abilities are free and then moved into the items."""
        used, settled, nodes = 1, False, self.nodes[:, 0]
        while not settled and used <= _EXPANDED:
            _, full, counts, at_nodes = self._expect(free)
            new = self.scoring.two_steps(full, counts)
            share = at_nodes[0] / at_nodes.sum()
            mean = float(share @ nodes)
            spread = float(np.sqrt(share @ (nodes - mean) ** 2))
            each = self.plan.spread(new, self.begin)[0]
            each[:, 1:] = self.model.moved(each[:, :1], each[:, 1:], np.array([mean]))
            if self.model.slope_free:
                each[:, 0] *= spread
            else:
                each[:, 1 : self.model.columns] *= spread
            free = np.clip(self.plan.gathered(each[None]), self.low, self.high)
            free = np.concatenate([free, self.latent.packed(self.plan)])
            settled = abs(mean) < _SETTLED and abs(spread - 1) < _SETTLED
            used += 1
        return free, used
