"""How sure a fit of `irt_engine` is: the observed information of its free parameters, and their covariance.

I = E(complete information) - Var(complete score), both under each posterior (Louis 1982): the first is
the numerical derivative of the exact score at the expected counts, the second a sum of products over agents
and nodes. Order: the plan's free item parameters, then what is free of the groups' distributions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_engine import EngineFit, derivatives, e_step, kinds_of, log_chances
from gindex_lab.measures.psychometrics.irt_models import ItemModel
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, Latent, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

__all__ = ["covariance", "observed_information"]

_CHUNK = 4_000_000  # numbers held at once
_NOWHERE = 1e-12  # a node with less of an agent than this tells nothing of it
_WIDE = 1e-4  # step of the differences


def observed_information(
    tables: Sequence[PatternTable],
    model: ItemModel,
    plan: EMPlan,
    found: EngineFit,
    settings: IrtSettings,
    priors: Priors,
) -> FloatArray:
    """The observed information of all free parameters, the priors' curvature included."""
    nodes = grid(settings, plan.index.shape[2] - model.size)
    weights = found.latent.log_weights(nodes)
    by_latent = _latent_scores(found.latent, plan, nodes)
    size = plan.size + by_latent.shape[2]
    info = np.zeros((size, size))
    at_nodes = []
    for group, table in enumerate(tables):
        form = log_chances(model, found.parameters[group], nodes)
        _, posterior = e_step(table, form.log, weights[group])
        counts = (table.incidence.T @ (posterior * table.agents[:, None])).reshape(form.log.shape)
        at_nodes.append(table.agents @ posterior)
        info[: plan.size, : plan.size] += _complete(model, plan, found.parameters, group, counts, nodes)
        scores = derivatives(form, nodes)
        info -= _lost(table, posterior, scores, plan.index[group], by_latent[group], plan.size)
    info[plan.size :, plan.size :] += _complete_latent(found.latent, plan, nodes, np.stack(at_nodes))
    held = plan.index >= 0
    curvature = priors.pull(found.parameters, kinds_of(model, nodes.shape[1]))[2]
    n = np.arange(plan.size)
    info[n, n] += np.bincount(plan.index[held], curvature[held], plan.size)
    return info


def covariance(info: FloatArray) -> FloatArray:
    """Its inverse; directions the data do not pin down get an infinite variance, not a NaN.

    >>> covariance(np.diag([4.0, 0.0])).diagonal()
    array([0.25,  inf])
    """
    values, vectors = np.linalg.eigh(info)
    flat = values < 1e-9 * values.max()
    kept = vectors[:, ~flat]
    inverse = np.asarray((kept / values[~flat]) @ kept.T, dtype=float)
    loose = (vectors[:, flat] ** 2).sum(1) > 1e-6
    inverse[loose, loose] = np.inf
    return inverse


def _complete(
    model: ItemModel, plan: EMPlan, parameters: FloatArray, group: int, counts: FloatArray, nodes: FloatArray
) -> FloatArray:
    """Minus the second derivatives of one group's expected log-likelihood, as if abilities were seen."""
    index, at = plan.index[group], parameters[group]

    def gradient(moved: FloatArray) -> FloatArray:
        form = log_chances(model, moved, nodes)
        return np.einsum("jcq,jkcq->jk", counts, derivatives(form, nodes))

    total = np.zeros((plan.size, plan.size))
    for k in range(at.shape[1]):
        free = index[:, k] >= 0
        width = np.where(free, _WIDE * np.maximum(1.0, np.abs(np.where(free, at[:, k], 1.0))), 0.0)
        step = np.zeros_like(at)
        step[:, k] = width
        change = gradient(at - step) - gradient(at + step)
        change = change / np.where(free, 2 * width, 1.0)[:, None]
        both = free[:, None] & (index >= 0)
        row = np.broadcast_to(index[:, k : k + 1], index.shape)[both]
        np.add.at(total, (row, index[both]), change[both])
    return 0.5 * (total + total.T)


def _lost(
    table: PatternTable,
    posterior: FloatArray,
    scores: FloatArray,
    index: FloatArray,
    by_latent: FloatArray,
    size: int,
) -> FloatArray:
    """Σ over agents of the posterior covariance of their complete score."""
    from scipy.sparse import csr_array

    items, k, columns, count = scores.shape
    held = index >= 0
    width = size + by_latent.shape[1]
    place = csr_array((np.ones(held.sum()), (np.flatnonzero(held), index[held])), shape=(items * k, width))
    lost = np.zeros((width, width))
    patterns = len(posterior)
    each = max(1, _CHUNK // (count * max(items * k, width)))
    for begin in range(0, patterns, each):
        rows = slice(begin, min(begin + each, patterns))
        given = table.incidence[rows].toarray().reshape(-1, items, columns)
        by_item = np.einsum("njc,jkcq->nqjk", given, scores, optimize=True)
        flat = by_item.reshape(-1, items * k) @ place  # agents and nodes x free parameters
        flat = flat.reshape(len(given), count, width)
        flat[:, :, size:] += by_latent[None]
        weight = posterior[rows]
        mean = np.einsum("nq,nqp->np", weight, flat)
        agents = table.agents[rows]
        root = np.sqrt(weight * agents[:, None])
        near = weight > _NOWHERE
        kept = ((flat - mean[:, None]) * root[:, :, None])[near]
        lost += kept.T @ kept
    return lost


def _latent_scores(latent: Latent, plan: EMPlan, nodes: FloatArray) -> FloatArray:
    """The derivative of each group's log weights by what is free of it: groups x nodes x free."""
    free = latent.packed(plan)
    if not len(free):
        return np.zeros((len(latent.mean), len(nodes), 0))
    ends = [
        [latent.unpacked(free + side * h, plan).log_weights(nodes) for h in _WIDE * np.eye(len(free))]
        for side in (1, -1)
    ]
    return (np.stack(ends[0], -1) - np.stack(ends[1], -1)) / (2 * _WIDE)


def _complete_latent(latent: Latent, plan: EMPlan, nodes: FloatArray, at_nodes: FloatArray) -> FloatArray:
    """Minus the second derivatives of the log weights, summed over the agents at each node."""
    free = latent.packed(plan)
    rows = np.zeros((len(free), len(free)))
    for row, h in zip(rows, _WIDE * np.eye(len(free)), strict=True):
        low, high = (_latent_scores(latent.unpacked(free + s * h, plan), plan, nodes) for s in (-1, 1))
        row += np.einsum("gq,gqp->p", at_nodes, low - high) / (2 * _WIDE)
    return 0.5 * (rows + rows.T)
