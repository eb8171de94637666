"""Several abilities at once: items that load on two or three dimensions (`gl.irt(..., dimensions=2)`).

z = a·θ + d with θ ~ N(0, Φ). Exploratory: every item may load on every dimension, Φ = I, and the slopes are
determined up to a turn, which `loadings` settles as the factors module does. Confirmatory: a table of zeros
and ones says which slopes are free, and the dimensions' correlations are estimated. A slope a is the
loading λ = a / √(1.702² + a'Φa), on the scale of a factor analysis of tetrachoric correlations.

References: Bock, Gibbons and Muraki (1988), Appl. Psychol. Meas. 12, 261-280; Reckase (2009),
Multidimensional Item Response Theory; Chalmers (2012), J. Stat. Softw. 48(6).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.validate import choice, integer, numeric_frame
from gindex_lab.measures.psychometrics.irt import read_for
from gindex_lab.measures.psychometrics.irt_categories import Answers
from gindex_lab.measures.psychometrics.irt_plan import grid
from gindex_lab.measures.psychometrics.irt_result import Fitted, FittedModel
from gindex_lab.measures.psychometrics.irt_scoring import expected_a_posteriori
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors
from gindex_lab.measures.psychometrics.rotation import ROTATIONS, rotate

__all__ = ["MultidimensionalModel", "fit_dimensions"]

_SCALE = 1.702  # a logistic curve of this slope is all but a normal one
_MOST = 3  # dimensions: 15³ nodes
_ALLOWED = ["2pl", "3pl", "4pl", "graded", "gpcm"]


def fit_dimensions(
    responses: ResponsesLike,
    model: str,
    dimensions: object,
    settings: str | IrtSettings,
    priors: str | Priors | None,
    fractions: str,
    categories: int | None,
) -> MultidimensionalModel:
    """Fit `model` with so many dimensions, or with the slopes that a pattern (items x dimensions) frees."""
    choice("model", model, _ALLOWED)
    answers = read_for(model, responses, categories, fractions)
    free, names, exploratory = _pattern(dimensions, answers)
    problem, remedy = (
        f"[too-many] is more than {_MOST} dimensions",
        f"use 2 or {_MOST}: the grid grows too large",
    )
    ensure(len(names) <= _MOST, "dimensions", len(names), problem, remedy)
    correlated, belief = not exploratory and len(names) > 1, Priors.named(priors)
    fit = Fitted.of(answers, model, settings, belief, fractions, pattern=free, correlated=correlated)
    return MultidimensionalModel(fit, names, exploratory)


def _pattern(dimensions: object, answers: Answers) -> tuple[npt.NDArray[np.bool_], list[object], bool]:
    """Which slopes are free, the dimensions' names, and whether every item may load on every one."""
    items = list(answers.frame.columns)
    if isinstance(dimensions, (int, np.integer)) and not isinstance(dimensions, bool):
        count = integer("dimensions", dimensions, 1, _MOST)
        problem = f"[too-few-items] are too many dimensions for {len(items)} items that vary"
        remedy = "give at least three items for each"
        ensure(len(items) >= 3 * count, "dimensions", count, problem, remedy)
        free = np.tril(np.ones((len(items), count), dtype=bool))  # the turn is fixed by zeros, as in mirt
        return free, [f"dimension {d + 1}" for d in range(count)], True
    frame = numeric_frame("dimensions", dimensions)
    if isinstance(dimensions, pd.DataFrame):
        absent = [item for item in items if item not in frame.index]
        problem, remedy = "[other-items] has no row for some item", "give one row per item"
        ensure(not absent, "dimensions", absent[:1], problem, remedy)
        frame = frame.loc[items]
    problem = f"[wrong-length] has {len(frame)} rows for {len(items)} items that vary"
    ensure(len(frame) == len(items), "dimensions", len(frame), problem, "give one per item")
    values = frame.to_numpy()
    problem, remedy = "[not-a-flag] is neither 0 nor 1", "1 where the slope is free, else 0"
    ensure(np.isin(values, (0.0, 1.0)).all(), "dimensions", float(values.max()), problem, remedy)
    free = values == 1
    problem = "[too-few-items] has an item without a dimension or a dimension with fewer than two items"
    enough = (free.sum(0) >= 2).all() and free.any(1).all()
    ensure(enough, "dimensions", free.sum(0).tolist(), problem, "free more slopes")
    named = isinstance(dimensions, pd.DataFrame)
    names = list(frame.columns) if named else [f"dimension {d + 1}" for d in range(free.shape[1])]
    return free, names, False


class MultidimensionalModel(FittedModel):
    """A fitted model of several dimensions: `items`, `loadings`, `correlations`, `abilities`."""

    def __init__(self, fit: Fitted, names: list[object], exploratory: bool) -> None:
        super().__init__(fit)
        self.names, self.exploratory = names, exploratory

    def __repr__(self) -> str:
        kind = "exploratory" if self.exploratory else "confirmatory"
        return self._said("MultidimensionalModel", f", {len(self.names)} dimensions ({kind})")

    @property
    def slopes(self) -> pd.DataFrame:
        """The slopes as they were fitted (items x dimensions)."""
        values = self.found.parameters[0][:, : len(self.names)]
        return pd.DataFrame(values, self.responses.columns, self.names)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Slopes `a1`, `a2`, ... and intercepts in mirt's form with standard errors, and Reckase's
        `discrimination` √(a'a) and `difficulty` -d / √(a'a) (of the first intercept)."""
        at, index = self.found.parameters[0], self.plan.index[0]
        names = [f"a{d + 1}" for d in range(len(self.names))] + self.kind.names
        variance = self.covariance.diagonal()
        error = np.where(index >= 0, np.sqrt(np.maximum(variance[index], 0.0)), np.nan)
        length = np.sqrt((at[:, : len(self.names)] ** 2).sum(1))
        table = pd.DataFrame(at, self.responses.columns, names)
        table.insert(0, "difficulty", -at[:, len(self.names)] / np.maximum(length, 1e-12))
        table.insert(0, "discrimination", length)
        errors = pd.DataFrame(error, table.index, [f"{name}_se" for name in names])
        return table.join(errors)

    @property
    def correlations(self) -> pd.DataFrame:
        """Of the dimensions: estimated if confirmatory; see `rotated` for oblique rotations."""
        return pd.DataFrame(self.found.latent.covariance[0], self.names, self.names)

    @property
    def loadings(self) -> pd.DataFrame:
        """Standardised: of an exploratory model after oblimin, of a confirmatory one as specified."""
        return self.rotated()[0] if self.exploratory else self._standardised()

    def _standardised(self) -> pd.DataFrame:
        slopes = self.slopes.to_numpy()
        together = (slopes @ self.found.latent.covariance[0] * slopes).sum(1)
        return self.slopes / np.sqrt(_SCALE**2 + together)[:, None]

    def rotated(self, rotation: str = "oblimin") -> tuple[pd.DataFrame, pd.DataFrame]:
        """Loadings and the correlations of the dimensions after a rotation of the factors module."""
        choice("rotation", rotation, ROTATIONS)
        problem, remedy = "[confirmatory] would undo the pattern", "rotate an exploratory model"
        ensure(self.exploratory, "rotation", rotation, problem, remedy)
        turned, phi = rotate(self._standardised().to_numpy(), rotation)
        loadings = pd.DataFrame(turned, self.responses.columns, self.names)
        return loadings, pd.DataFrame(phi, self.names, self.names)

    @cached_property
    def abilities(self) -> pd.DataFrame:
        """The posterior mean of each agent on each dimension (as fitted) and its `*_se`."""
        nodes, latent = grid(self.settings, len(self.names)), self.found.latent
        found = expected_a_posteriori(self.table, self.kind, self.found.parameters[0], nodes, latent)
        errors = [f"{name}_se" for name in self.names]
        return pd.DataFrame(np.hstack(found), self.responses.index, [*self.names, *errors])

    @property
    def reliability(self) -> pd.Series:
        """Of each dimension: var(EAP) / (var(EAP) + mean se²)."""
        table = self.abilities
        signal = table[self.names].var(ddof=0)
        noise = (table[[f"{name}_se" for name in self.names]] ** 2).mean().to_numpy()
        return signal / (signal + noise)
