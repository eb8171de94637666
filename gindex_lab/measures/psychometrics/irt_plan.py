"""What an item response fit is made of: the responses of a group, its abilities, and what is free.

A `PatternTable` is a group's responses as a sparse matrix (patterns x columns of all items) whose product
with the models' log chances gives the log-likelihood at every node. A `Latent` says where the abilities of
each group are, an `EMPlan` which parameters are free and which are one and the same. `irt_engine` fits them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_models import BoolArray, IntArray, ItemModel
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

__all__ = ["EMPlan", "Latent", "PatternTable", "Patterns", "grid"]

_NODES = {2: 31, 3: 15}  # per dimension, as R's mirt
_STRAIGHTEST = 0.995  # a correlation that runs off stops here
_NARROWEST = 0.0025  # and a deviation here


def _distinct(values: npt.NDArray[Any]) -> tuple[IntArray, IntArray, FloatArray]:
    """Which distinct row each row is, numbered as they first occur; where each does, and how often."""
    known: dict[bytes, int] = {}
    pattern = np.array([known.setdefault(row.tobytes(), len(known)) for row in values], np.intp)
    return pattern, np.unique(pattern, return_index=True)[1], np.bincount(pattern).astype(float)


class PatternTable(NamedTuple):
    """One group's responses, equal rows collapsed."""

    incidence: Any  # scipy's sparse array: patterns x (items x columns)
    agents: FloatArray  # how many agents show the pattern
    pattern: IntArray  # the pattern of each agent

    @classmethod
    def of(cls, weights: FloatArray) -> PatternTable:
        """From agents x items x columns: 1 in the column of the category given, 0 elsewhere or if missing."""
        from scipy.sparse import csr_array

        flat = weights.reshape(len(weights), -1)
        pattern, first, agents = _distinct(flat)
        return cls(csr_array(flat[first]), agents, pattern)

    @classmethod
    def of_categories(cls, values: FloatArray, columns: int) -> PatternTable:
        """From agents x items of category numbers (NaN where missing).

        >>> PatternTable.of_categories(np.array([[0.0, 2.0], [1.0, np.nan]]), 3).incidence.toarray()
        array([[1., 0., 0., 0., 0., 1.],
               [0., 1., 0., 0., 0., 0.]])
        """
        from scipy.sparse import csr_array

        code = np.where(np.isnan(values), -1, values).astype(np.int16)
        pattern, first, agents = _distinct(code)
        distinct = code[first]
        rows, items = np.nonzero(distinct >= 0)
        places = items * columns + distinct[rows, items]
        shape = (len(distinct), values.shape[1] * columns)
        return cls(csr_array((np.ones(len(rows)), (rows, places)), shape=shape), agents, pattern)


class Patterns(NamedTuple):
    """Right-or-wrong responses with equal rows collapsed: what was right, what was seen, by how many."""

    right: FloatArray  # patterns x items; 0 where missing
    seen: FloatArray | None  # patterns x items, 1 where observed; None if all is
    agents: FloatArray  # how many agents show the pattern
    pattern: IntArray  # the pattern of each agent

    @classmethod
    def of(cls, values: FloatArray) -> Patterns:
        """Agents x items (NaN = missing) as distinct patterns."""
        values = np.ascontiguousarray(values, dtype=float) + 0.0  # so that -0.0 equals 0.0
        pattern, first, agents = _distinct(values)
        distinct = values[first]
        missing = np.isnan(distinct)
        seen = (~missing).astype(float) if missing.any() else None
        return cls(np.where(missing, 0.0, distinct), seen, agents, pattern)

    def table(self) -> PatternTable:
        """The same as `irt_engine` wants it: what was wrong and what was right, item by item."""
        from scipy.sparse import csr_array

        seen = np.ones_like(self.right) if self.seen is None else self.seen
        both = np.stack([seen - self.right, self.right], axis=2).reshape(len(self.right), -1)
        return PatternTable(csr_array(both), self.agents, self.pattern)


@dataclass(frozen=True)
class EMPlan:
    """What is free: `index` (groups x items x k) numbers the free parameters from 0, equal numbers are one
    parameter, -1 is held at its start; `mean` and `deviation` say of which groups these are estimated,
    `correlated` whether the dimensions' correlations are (in every group).

    >>> from gindex_lab.measures.psychometrics.irt_models import model_of
    >>> EMPlan.usual(model_of("graded", [2, 3])).index
    array([[[ 0,  1, -1],
            [ 2,  3,  4]]])
    """

    index: IntArray
    mean: tuple[bool, ...] = (False,)
    deviation: tuple[bool, ...] = (False,)
    correlated: bool = False

    @classmethod
    def usual(
        cls,
        model: ItemModel,
        *,
        pattern: BoolArray | None = None,
        common_slope: bool = False,
        correlated: bool = False,
    ) -> EMPlan:
        """One group from N(0, 1): `pattern` (items x dimensions) says which slopes are free; `common_slope`
        makes all of them one (1PL, PCM)."""
        slopes = np.ones((len(model.categories), 1), dtype=bool) if pattern is None else pattern
        free = np.hstack([slopes & model.slope_free, model.free])
        index = np.full((1, *free.shape), -1)
        index[0][free] = np.arange(free.sum())
        if common_slope:
            at = index[:, :, 0]
            index[:, :, 0] = np.where(at >= 0, index.max() + 1, -1)
            index[index >= 0] = np.unique(index[index >= 0], return_inverse=True)[1]
        return cls(index, correlated=correlated)

    @property
    def size(self) -> int:
        """How many free item parameters there are."""
        return int(self.index.max()) + 1

    def gathered(self, parameters: FloatArray) -> FloatArray:
        """The free parameters of an array like `index`."""
        free = np.empty(self.size)
        held = self.index >= 0
        free[self.index[held]] = parameters[held]
        return free

    def spread(self, free: FloatArray, parameters: FloatArray) -> FloatArray:
        """`parameters` with the free ones put in."""
        held = self.index >= 0
        full = parameters.copy()
        full[held] = free[self.index[held]]
        return full

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray, BoolArray]:
        """Row and column of every entry of the items' information in that of the free parameters."""
        row, column = np.broadcast_arrays(self.index[..., :, None], self.index[..., None, :])
        kept = (row >= 0) & (column >= 0)
        return row[kept], column[kept], kept

    @cached_property
    def parts(self) -> tuple[IntArray, IntArray]:
        """Which part each free parameter, and each item of each group, belongs to: parts share nothing."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        row, column, _ = self.pairs
        links = coo_array((np.ones(len(row)), (row, column)), shape=(self.size, self.size))
        _, part = connected_components(links, directed=False)
        first = self.index.max(2)  # any free parameter of the item
        return part, np.where(first >= 0, part[np.maximum(first, 0)], -1)


class Latent(NamedTuple):
    """Where the abilities of each group are: means (groups x dimensions), covariances (groups x d x d)."""

    mean: FloatArray
    covariance: FloatArray

    @classmethod
    def standard(cls, groups: int = 1, dimensions: int = 1) -> Latent:
        """N(0, 1) in each."""
        return cls(np.zeros((groups, dimensions)), np.stack([np.eye(dimensions)] * groups))

    def log_weights(self, nodes: FloatArray) -> FloatArray:
        """The log density of each group at the nodes, scaled to sum to one (groups x nodes)."""
        rows = []
        for mean, covariance in zip(self.mean, self.covariance, strict=True):
            far = nodes - mean
            log = -0.5 * (far @ np.linalg.inv(covariance) * far).sum(1)
            log -= log.max()
            rows.append(log - np.log(np.exp(log).sum()))
        return np.stack(rows)

    def packed(self, plan: EMPlan) -> FloatArray:
        """What is free of it, as one vector: means, logs of deviations, atanh of correlations."""
        parts = []
        for group, covariance in enumerate(self.covariance):
            deviation = np.sqrt(covariance.diagonal())
            parts += [self.mean[group]] if plan.mean[group] else []
            parts += [np.log(np.maximum(deviation, _NARROWEST))] if plan.deviation[group] else []
            if plan.correlated:
                above = np.triu_indices(len(deviation), 1)
                r = (covariance / np.outer(deviation, deviation))[above]
                parts.append(np.arctanh(np.clip(r, -_STRAIGHTEST, _STRAIGHTEST)))
        return np.concatenate(parts) if parts else np.zeros(0)

    def unpacked(self, free: FloatArray, plan: EMPlan) -> Latent:
        """The other way; what is not free stays as it is here."""
        if not len(free):
            return self
        mean, covariances, at = self.mean.copy(), self.covariance.copy(), 0
        d = mean.shape[1]
        for group, covariance in enumerate(self.covariance):
            deviation = np.sqrt(covariance.diagonal())
            r = covariance / np.outer(deviation, deviation)
            if plan.mean[group]:
                mean[group], at = free[at : at + d], at + d
            if plan.deviation[group]:
                deviation, at = np.exp(free[at : at + d]), at + d
            if plan.correlated:
                i, j = np.triu_indices(d, 1)
                r[i, j] = r[j, i] = np.tanh(free[at : at + len(i)])
                at += len(i)
            covariances[group] = r * np.outer(deviation, deviation)
        return Latent(mean, covariances)

    def updated(self, at_nodes: FloatArray, nodes: FloatArray, plan: EMPlan) -> Latent:
        """The M-step of what is free, from the expected agents at each node (groups x nodes)."""
        mean, covariances = self.mean.copy(), self.covariance.copy()
        for group, count in enumerate(at_nodes):
            share = count / count.sum()
            if plan.mean[group]:
                mean[group] = share @ nodes
            far = nodes - mean[group]
            moment = (far * share[:, None]).T @ far
            if plan.deviation[group]:
                covariances[group] = np.diag(moment.diagonal())
            elif plan.correlated:
                covariances[group] = _likeliest_correlations(moment, covariances[group])
        return Latent(mean, covariances)


def _likeliest_correlations(moment: FloatArray, begin: FloatArray) -> FloatArray:
    """The R of unit diagonal with the least log |R| + tr(R⁻¹ S), by Fisher scoring from `begin`."""
    i, j = np.triu_indices(len(moment), 1)
    r = begin.copy()
    for _ in range(50):
        p = np.linalg.inv(r)
        gradient = (p - p @ moment @ p)[i, j]
        curve = p[np.ix_(i, i)] * p[np.ix_(j, j)] + p[np.ix_(i, j)] * p[np.ix_(j, i)]
        step = -np.linalg.solve(curve, gradient)
        new = r.copy()
        while True:
            new[i, j] = new[j, i] = np.clip(r[i, j] + step, -_STRAIGHTEST, _STRAIGHTEST)
            if np.linalg.eigvalsh(new)[0] > 1e-3:
                break
            step = 0.5 * step
        r = new
        if np.abs(step).max() < 1e-11:
            break
    return r


def grid(settings: IrtSettings, dimensions: int) -> FloatArray:
    """The nodes (nodes x dimensions): the settings' line, or a square or cube as coarse as mirt's."""
    count = settings.nodes if dimensions == 1 else _NODES.get(dimensions, 15)
    line = np.linspace(-settings.limit, settings.limit, count)
    return np.stack(np.meshgrid(*[line] * dimensions, indexing="ij"), -1).reshape(-1, dimensions)
