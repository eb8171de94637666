"""Where each agent is, by any unidimensional model: EAP, MAP, ML and Warm's WLE, and the information.

ML is where the slope of the log-likelihood is 0, MAP where that and the slope -θ of the N(0, 1) log prior
sum to 0, WLE where the slope and J / 2I do: it takes off the first-order bias of ML and is finite for
perfect scores (Warm 1989, Psychometrika 54, 427-450; J = Σ P' P'' / P over categories, as for the partial
credit model by Penfield and Bergeron 2005). The maximum is sought on a grid, then by Newton steps.

Shapes: items x k (`parameters`), patterns x items (`seen`), patterns (`ability`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.irt_engine import e_step, log_chances
from gindex_lab.measures.psychometrics.irt_models import IntArray, ItemModel
from gindex_lab.measures.psychometrics.irt_plan import Latent, PatternTable, grid
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

__all__ = ["abilities", "bends", "expected_a_posteriori", "item_information"]

_FARTHEST, _STEP = 20.0, 0.25  # the grid on which a maximum is sought; beyond it ML is infinite
_AT_ONCE = 2_000_000  # numbers


def item_information(model: ItemModel, parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """Fisher information of each item at each ability (items x abilities): a² I(z)."""
    form = log_chances(model, parameters, ability[:, None])
    return parameters[:, :1] ** 2 * model.about_z(form)


def bends(model: ItemModel, parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """J of each item at each ability: Σ P' P'' / P = a³ Σ P l (l² + l'), l the slope of log P by z."""
    z, rest, h = parameters[:, :1] * ability, parameters[:, 1:], 1e-4
    form = model.form(z, rest)
    curve = (model.form(z + h, rest).by_z - model.form(z - h, rest).by_z) / (2 * h)
    chance = np.exp(form.log) * model.used[:, :, None]
    return parameters[:, :1] ** 3 * (chance * form.by_z * (form.by_z**2 + curve)).sum(1)


def expected_a_posteriori(
    table: PatternTable, model: ItemModel, parameters: FloatArray, nodes: FloatArray, latent: Latent
) -> tuple[FloatArray, FloatArray]:
    """Mean and deviation of each agent's posterior on each dimension (agents x dimensions), in one group
    (Bock and Mislevy 1982, Appl. Psychol. Meas. 6, 431-444)."""
    log = log_chances(model, parameters, nodes).log
    _, posterior = e_step(table, log, latent.log_weights(nodes)[0])
    mean = posterior @ nodes
    spread = np.sqrt(np.maximum(posterior @ nodes**2 - mean**2, 0.0))
    return mean[table.pattern], spread[table.pattern]


def abilities(
    table: PatternTable, model: ItemModel, parameters: FloatArray, method: str, settings: IrtSettings
) -> tuple[FloatArray, FloatArray]:
    """Ability and standard error of each agent by "eap", "map", "ml" or "wle"."""
    if method == "eap":
        found = expected_a_posteriori(table, model, parameters, grid(settings, 1), Latent.standard())
        return found[0][:, 0], found[1][:, 0]
    problem, remedy = "[not-an-option] is not defined for the Beta model", 'use "eap", "map" or "ml"'
    ensure(method != "wle" or model.name != "beta", "method", method, problem, remedy)
    who = _Who(table, _seen(table, model), model, parameters, method)
    place, outside = who.nearby()
    ability, info = who.solved(place)
    ability = np.where(outside != 0, np.copysign(np.inf, outside), ability)
    error = np.where(outside != 0, np.inf, 1 / np.sqrt(np.maximum(info, 1e-300)))
    return ability[table.pattern], error[table.pattern]


def _seen(table: PatternTable, model: ItemModel) -> FloatArray:
    items, columns = model.used.shape
    counted = np.tile(np.arange(columns) < model.indicators, items)
    kept = table.incidence.multiply(counted[None]).tocsr()
    sums = np.repeat(np.eye(items), columns, axis=0)
    return np.asarray(kept @ sums, dtype=float)


class _Who(NamedTuple):
    """What the abilities of a table follow from."""

    table: PatternTable
    seen: FloatArray  # patterns x items
    model: ItemModel
    parameters: FloatArray
    method: str

    def nearby(self) -> tuple[Place, FloatArray]:
        """Where the slope of each pattern is 0 between two nodes of a grid, by the polynomial through its
        values at nine of them, and whether the maximum runs off (-1, 0 or 1)."""
        line = np.arange(-_FARTHEST, _FARTHEST + _STEP / 2, _STEP)
        form = log_chances(self.model, self.parameters, line[:, None])
        height = self.table.incidence @ form.log.reshape(-1, len(line))
        steep = self.parameters[:, :1, None] * form.by_z
        slope = self.table.incidence @ steep.reshape(-1, len(line))
        if self.method == "map":
            height -= 0.5 * line**2
            slope -= line
        if self.method == "wle":
            told = item_information(self.model, self.parameters, line)
            info = np.maximum(self.seen @ told, 1e-200)
            tilt = self.seen @ bends(self.model, self.parameters, line) / (2 * info)
            height[:, 1:] += np.cumsum(0.5 * (tilt[:, 1:] + tilt[:, :-1]) * _STEP, axis=1)
            slope += tilt
        best = height.argmax(1)
        tied = height.max(1) - height.min(1) < 1e-12
        outside = np.where(best == 0, -1.0, np.where(best == len(line) - 1, 1.0, 0.0))
        if self.method == "ml":  # a likelihood that rises to its limit is flat before the grid ends
            top = height.max(1, keepdims=True)
            flat = top[:, 0] - height[:, [0, -1]].T < 1e-9
            outside = np.where(flat[0], -1.0, np.where(flat[1], 1.0, outside))
            outside = np.where(tied, 1.0, outside)
        return _zero(line, slope, best), outside

    def solved(self, place: Place) -> tuple[FloatArray, FloatArray]:
        """The zero of the slope inside each bracket, and the information there: Newton steps with the
        polynomial's curvature, then Fisher scoring, or halving where a step leaves the bracket."""
        ability, low, high, curvature = place
        info = np.ones_like(ability)
        for step in range(80):
            slope, info = self._slopes(ability)
            low, high = np.where(slope > 0, ability, low), np.where(slope > 0, high, ability)
            steep = np.where((step < 4) & (curvature > 0), curvature, np.maximum(info, 1e-12))
            new = ability + slope / steep
            new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
            moved, ability = np.abs(new - ability).max(), new
            if moved < 1e-9:
                break
        return ability, info

    def _slopes(self, ability: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The slope to be made 0 and the information, of each pattern at its own ability."""
        model, parameters = self.model, self.parameters
        items, columns = model.used.shape
        slope, info = np.empty((2, len(ability)))
        each = max(1, _AT_ONCE // (items * columns))
        for begin in range(0, len(ability), each):
            rows = slice(begin, begin + each)
            at = ability[rows]
            form = log_chances(model, parameters, at[:, None])
            steep = (parameters[:, :1, None] * form.by_z).reshape(items * columns, -1).T
            slope[rows] = self.table.incidence[rows].multiply(steep).sum(1)
            told = parameters[:, :1] ** 2 * model.about_z(form)
            info[rows] = (self.seen[rows] * told.T).sum(1)
            if self.method == "map":
                slope[rows] -= at
                info[rows] += 1.0
            if self.method == "wle":
                bent = (self.seen[rows] * bends(model, parameters, at).T).sum(1)
                slope[rows] += bent / (2 * np.maximum(info[rows], 1e-200))
        return slope, info


Place = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def _zero(line: FloatArray, slope: FloatArray, best: IntArray) -> Place:
    """The zero between the neighbours of node `best`, that bracket, and minus the derivative there."""
    centre = np.clip(best, 4, len(line) - 5)
    near = np.arange(-4, 5)
    values = np.take_along_axis(slope, centre[:, None] + near, axis=1)
    powers = np.linalg.inv(np.vander(near, 9, increasing=True)) @ values.T
    by = powers[1:] * np.arange(1, 9)[:, None]
    low, high = (np.clip(best + side, 0, len(line) - 1) - centre for side in (-1.0, 1.0))
    ends, at = (line[0] + _STEP * (centre + low), line[0] + _STEP * (centre + high)), best - centre
    at = at.astype(float)
    for _ in range(40):
        value = np.polynomial.polynomial.polyval(at, powers, tensor=False)
        low, high = np.where(value > 0, at, low), np.where(value > 0, high, at)
        falls = np.polynomial.polynomial.polyval(at, by, tensor=False)
        new = at - value / np.where(falls < 0, falls, -1e300)
        at = np.where((new > low) & (new < high), new, 0.5 * (low + high))
    return line[0] + _STEP * (centre + at), *ends, -falls / _STEP
