"""Where each agent is, by any unidimensional model: EAP, MAP, ML and Warm's WLE, and the information.

ML is where the slope of the log-likelihood is 0, MAP where that and the slope -θ of the N(0, 1) log prior
sum to 0, WLE where the slope and J / 2I do: it takes off the first-order bias of ML and is finite for
perfect scores (Warm 1989, Psychometrika 54, 427-450; J = Σ P' P'' / P over categories, as for the partial
credit model by Penfield and Bergeron 2005). The maximum is sought on a grid, then by safeguarded scoring.

Shapes: items x k (`parameters`), patterns x items (`seen`), patterns (`ability`).
"""

from __future__ import annotations

import numpy as np

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_engine import e_step, log_chances
from gindex_lab.measures.psychometrics.irt_models import ItemModel
from gindex_lab.measures.psychometrics.irt_plan import Latent, Table, grid
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

__all__ = ["abilities", "bends", "item_information"]

_FARTHEST, _STEP = 20.0, 0.25  # the grid on which a maximum is sought; beyond it ML is infinite
_AT_ONCE = 2_000_000  # numbers


def item_information(model: ItemModel, parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """Fisher information of each item at each ability (items x abilities): a² I(z).

    >>> from gindex_lab.measures.psychometrics.irt_models import model_of
    >>> item_information(model_of("2pl", [2]), np.array([[2.0, 0.0]]), np.array([0.0]))
    array([[1.]])
    """
    form = log_chances(model, parameters, ability[:, None])
    return parameters[:, :1] ** 2 * model.about_z(form)


def bends(model: ItemModel, parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """J of each item at each ability: Σ P' P'' / P = a³ Σ P l (l² + l'), l the slope of log P by z."""
    z, rest, h = parameters[:, :1] * ability, parameters[:, 1:], 1e-4
    form = model.form(z, rest)
    curve = (model.form(z + h, rest).by_z - model.form(z - h, rest).by_z) / (2 * h)
    chance = np.exp(form.log) * model.used[:, :, None]
    return parameters[:, :1] ** 3 * (chance * form.by_z * (form.by_z**2 + curve)).sum(1)


def abilities(
    table: Table, model: ItemModel, parameters: FloatArray, method: str, settings: IrtSettings
) -> tuple[FloatArray, FloatArray]:
    """Ability and standard error of each agent by "eap", "map", "ml" or "wle".

    >>> from gindex_lab.measures.psychometrics.irt_models import model_of
    >>> model, items = model_of("graded", [3, 3]), np.array([[1.0, 1.0, -1.0], [1.0, 1.0, -1.0]])
    >>> table = Table.of_categories(np.array([[2.0, 2.0], [1.0, 2.0]]), 3)
    >>> [abilities(table, model, items, m, IrtSettings())[0].round(2).tolist() for m in ("map", "ml", "wle")]
    [[1.0, 0.46], [inf, 1.2], [2.6, 1.06]]
    """
    if method == "eap":
        nodes = grid(settings, 1)
        weights = Latent.standard().log_weights(nodes)[0]
        _, posterior = e_step(table, log_chances(model, parameters, nodes).log, weights)
        mean = posterior @ nodes[:, 0]
        spread = np.sqrt(np.maximum(posterior @ nodes[:, 0] ** 2 - mean**2, 0.0))
        return mean[table.pattern], spread[table.pattern]
    if method == "wle" and model.name == "beta":
        problem, remedy = "is not defined for the Beta model", 'use "eap", "map" or "ml"'
        raise BadInput("method", method, problem, remedy, code="not-an-option")
    seen = _seen(table, model)
    low, high, outside = _bracket(table, seen, model, parameters, method)
    ability, info = _root(table, seen, model, parameters, method, low, high)
    ability = np.where(outside != 0, np.copysign(np.inf, outside), ability)
    error = np.where(outside != 0, np.inf, 1 / np.sqrt(np.maximum(info, 1e-300)))
    return ability[table.pattern], error[table.pattern]


def _seen(table: Table, model: ItemModel) -> FloatArray:
    items, columns = model.used.shape
    counted = np.tile(np.arange(columns) < model.indicators, items)
    kept = table.incidence.multiply(counted[None]).tocsr()
    sums = np.repeat(np.eye(items), columns, axis=0)
    return np.asarray(kept @ sums, dtype=float)


def _bracket(
    table: Table, seen: FloatArray, model: ItemModel, parameters: FloatArray, method: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Between which nodes each pattern's maximum is, and whether it runs off (-1, 0 or 1)."""
    line = np.arange(-_FARTHEST, _FARTHEST + _STEP / 2, _STEP)
    form = log_chances(model, parameters, line[:, None])
    height = table.incidence @ form.log.reshape(-1, len(line))
    if method == "map":
        height -= 0.5 * line**2
    if method == "wle":
        info = np.maximum(seen @ item_information(model, parameters, line), 1e-200)
        tilt = seen @ bends(model, parameters, line) / (2 * info)
        height[:, 1:] += np.cumsum(0.5 * (tilt[:, 1:] + tilt[:, :-1]) * _STEP, axis=1)
    best = height.argmax(1)
    tied = height.max(1) - height.min(1) < 1e-12
    outside = np.where(best == 0, -1.0, np.where(best == len(line) - 1, 1.0, 0.0))
    if method == "ml":  # a likelihood that rises to its limit is flat before the end of the grid
        top = height.max(1, keepdims=True)
        flat = top[:, 0] - height[:, [0, -1]].T < 1e-9
        outside = np.where(flat[0], -1.0, np.where(flat[1], 1.0, outside))
    outside = np.where(tied, 1.0, outside) if method == "ml" else outside
    return line[np.maximum(best - 1, 0)], line[np.minimum(best + 1, len(line) - 1)], outside


def _root(
    table: Table,
    seen: FloatArray,
    model: ItemModel,
    parameters: FloatArray,
    method: str,
    low: FloatArray,
    high: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The zero of the slope inside each bracket: Fisher scoring, or halving where that leaves it."""
    ability = 0.5 * (low + high)
    info = np.ones_like(ability)
    for _ in range(80):
        slope, info = _slopes(table, seen, model, parameters, method, ability)
        low, high = np.where(slope > 0, ability, low), np.where(slope > 0, high, ability)
        new = ability + slope / np.maximum(info, 1e-12)
        new = np.where((new > low) & (new < high), new, 0.5 * (low + high))
        moved, ability = np.abs(new - ability).max(), new
        if moved < 1e-10:
            break
    return ability, info


def _slopes(
    table: Table,
    seen: FloatArray,
    model: ItemModel,
    parameters: FloatArray,
    method: str,
    ability: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The slope to be made 0 and the information, of each pattern at its own ability."""
    items, columns = model.used.shape
    slope, info = np.empty((2, len(ability)))
    each = max(1, _AT_ONCE // (items * columns * (model.size + 2)))
    for begin in range(0, len(ability), each):
        rows = slice(begin, begin + each)
        at = ability[rows]
        form = log_chances(model, parameters, at[:, None])
        steep = (parameters[:, :1, None] * form.by_z).reshape(items * columns, -1).T
        slope[rows] = table.incidence[rows].multiply(steep).sum(1)
        told = parameters[:, :1] ** 2 * model.about_z(form)
        info[rows] = (seen[rows] * told.T).sum(1)
        if method == "map":
            slope[rows] -= at
            info[rows] += 1.0
        if method == "wle":
            bent = (seen[rows] * bends(model, parameters, at).T).sum(1)
            slope[rows] += bent / (2 * np.maximum(info[rows], 1e-200))
    return slope, info
