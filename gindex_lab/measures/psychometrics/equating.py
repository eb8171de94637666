"""Two forms of a test on one scale, through the items that both have (anchors).

A two-parameter model fixes its scale by the agents it was fitted to: abilities of another form are
θ_a = A θ_b + B for some A and B, so that b_a = A b_b + B (difficulties) and a_a = a_b / A (discriminations).
The anchors tell A and B: by their means and standard deviations (mean/mean: Loyd and Hoover 1980;
mean/sigma: Marco 1977), or as the line that brings their curves together: each item's (Haebara 1980) or the
whole test's (Stocking and Lord 1983). Kolen and Brennan (2014), ch. 6. The errors come from the covariance
of all item parameters of both models (observed information) by the delta method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray, choice, known
from gindex_lab.measures.psychometrics import irt_information
from gindex_lab.measures.psychometrics.irt import ItemResponseModel

__all__ = ["METHODS", "ScaleLink", "equate"]

METHODS = ("stocking-lord", "haebara", "mean-sigma", "mean-mean")
_FEWEST = 3  # anchors
_NODES = np.linspace(-4, 4, 41)  # abilities at which characteristic curves are compared
_STEP = 1e-4


@dataclass(frozen=True)
class ScaleLink:
    """θ_a = `slope` θ_b + `intercept`, with standard errors; `anchors` is the table it rests on."""

    slope: float
    intercept: float
    slope_se: float
    intercept_se: float
    covariance: float
    method: str
    anchors: pd.DataFrame = field(repr=False, compare=False)

    def abilities(self, table: pd.DataFrame) -> pd.DataFrame:
        """Abilities of the second form (`ability`, `se`) on the scale of the first; the error of the link is
        added to their own.

        >>> link = ScaleLink(2.0, 1.0, 0.0, 0.1, 0.0, "mean-sigma", pd.DataFrame())
        >>> link.abilities(pd.DataFrame({"ability": [0.5], "se": [0.0]})).round(2).to_numpy().tolist()
        [[2.0, 0.1]]
        """
        right = isinstance(table, pd.DataFrame) and {"ability", "se"} <= set(table)
        remedy = "pass model.abilities or model.score()"
        ensure(right, "table", type(table).__name__, "has no columns ability and se", remedy)
        theta = table["ability"]
        link = self.intercept_se**2 + theta**2 * self.slope_se**2 + 2 * theta * self.covariance
        error = np.sqrt((self.slope * table["se"]) ** 2 + link.clip(lower=0))
        return table.assign(ability=self.slope * theta + self.intercept, se=error)

    def items(self, table: pd.DataFrame) -> pd.DataFrame:
        """Items of the second form (`discrimination`, `difficulty`) on the scale of the first.

        >>> link = ScaleLink(2.0, 1.0, 0.0, 0.0, 0.0, "mean-sigma", pd.DataFrame())
        >>> link.items(pd.DataFrame({"discrimination": [1.0], "difficulty": [0.5]})).to_numpy().tolist()
        [[0.5, 2.0]]
        """
        right = isinstance(table, pd.DataFrame) and {"discrimination", "difficulty"} <= set(table)
        ensure(right, "table", type(table).__name__, "has no item parameters", "pass model.items")
        moved = self.slope * table["difficulty"] + self.intercept
        return table.assign(discrimination=table["discrimination"] / self.slope, difficulty=moved)


def equate(
    first: ItemResponseModel,
    second: ItemResponseModel,
    *,
    anchors: Sequence[Label] | None = None,
    method: str = "stocking-lord",
) -> ScaleLink:
    """The line that puts the second form on the scale of the first.

    Parameters
    ----------
    first, second : what `gl.irt(responses, "2pl")` gives for the two forms
    anchors : the labels of the items in common; all labels that both have unless given
    method : "stocking-lord", "haebara", "mean-sigma" or "mean-mean"

    Notes
    -----
    Generators supply anchors: `gl.two_forms` makes forms of mazes, letter series or Λ environments. An
    anchor whose parameters moved between the forms bends the line: `link.anchors` has the residuals.

    References
    ----------
    Stocking and Lord (1983), Applied Psychological Measurement 7, 201-210; Haebara (1980), Japanese
    Psychological Research 22, 144-149.

    Examples
    --------
    >>> from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
    >>> true = pd.DataFrame({"discrimination": 1.4, "difficulty": np.linspace(-1.5, 1.5, 12)})
    >>> able = true.assign(difficulty=true["difficulty"] - 1)  # the same items met by an abler group
    >>> link = equate(irt(simulate_irt(true, 800, seed=1)), irt(simulate_irt(able, 800, seed=2)))
    >>> round(link.slope, 1), round(link.intercept, 1), link.intercept_se < 0.1
    (1.0, 1.0, True)
    """
    choice("method", method, METHODS)
    for name, model in (("first", first), ("second", second)):
        right = isinstance(model, ItemResponseModel)
        remedy = "pass gl.irt(responses, '2pl')"
        ensure(right, name, type(model).__name__, "[wrong-type] is not a fitted model", remedy)
        ensure(
            model.model == "2pl",
            name,
            model.model,
            "[not-an-option] is not a two-parameter model",
            remedy,
        )
    fitted = [_fitted(model) for model in (first, second)]
    common = fitted[0].index.intersection(fitted[1].index)
    if anchors is not None:
        common = pd.Index(known("anchors", anchors, common))
    problem = f"are too few items in common: at least {_FEWEST} make a line"
    ensure(
        len(common) >= _FEWEST,
        "anchors",
        len(common),
        problem,
        "give both forms more of the same items",
    )
    places = [table.index.get_indexer(common) for table in fitted]
    at = [table.loc[common].to_numpy() for table in fitted]  # slope a and intercept d = -ab
    problem, remedy = "is an anchor that does not discriminate", "leave it out of the anchors"
    for table in at:
        flat = table[:, 0] <= 1e-3
        ensure(not flat.any(), "anchors", common[flat][:1].tolist(), problem, remedy)
    solve = _SOLVERS[method]
    line = solve(at[0], at[1])
    variance = sum(
        _propagated(solve, at, side, _covariance(model, place))
        for side, (model, place) in enumerate(zip((first, second), places, strict=True))
    )
    errors = np.asarray(variance)
    slope_se, intercept_se = np.sqrt(errors.diagonal())
    rests_on = _residuals(common, at[0], at[1], line)
    found = (
        float(line[0]),
        float(line[1]),
        float(slope_se),
        float(intercept_se),
        float(errors[0, 1]),
    )
    return ScaleLink(*found, method, rests_on)


def _fitted(model: ItemResponseModel) -> pd.DataFrame:
    """Slope and intercept of every item that varies."""
    constant = pd.Index(model.constant_items, dtype=object)
    items = model.responses.columns[~model.responses.columns.isin(constant)]
    return pd.DataFrame(model.fitted_parameters[:, :2], items, ["slope", "intercept"])


def _covariance(model: ItemResponseModel, places: np.ndarray) -> FloatArray:
    """Covariance (2K, 2K) of slopes and intercepts of some items, out of that of all."""
    info = irt_information.information(
        model.patterns, model.fitted_parameters, model.model, model.settings, model.priors
    )
    n = len(model.fitted_parameters)
    whole, chosen = irt_information.covariance(info), np.concatenate([places, n + places])
    found = whole[np.ix_(chosen, chosen)]
    if not np.isfinite(found).all():
        problem, remedy = (
            "[not-determined] has parameters that the data do not determine",
            "use priors='lognormal' in gl.irt",
        )
        raise BadInput("anchors", "an anchor", problem, remedy)
    return np.asarray(found)


def _propagated(
    solve: Callable[[FloatArray, FloatArray], FloatArray],
    at: list[FloatArray],
    side: int,
    covariance: FloatArray,
) -> FloatArray:
    """Covariance (2, 2) of slope and intercept of the line from the errors of one form's parameters."""
    k = len(at[side])
    gradient = np.empty((2, 2 * k))
    for j in range(2 * k):
        ends = []
        for sign in (1, -1):
            moved = [x.copy() for x in at]
            moved[side][j % k, j // k] += sign * _STEP
            ends.append(solve(moved[0], moved[1]))
        gradient[:, j] = (ends[0] - ends[1]) / (2 * _STEP)
    return np.asarray(gradient @ covariance @ gradient.T)


def _difficulty(table: FloatArray) -> FloatArray:
    return np.asarray(-table[:, 1] / table[:, 0])


def _mean_sigma(first: FloatArray, second: FloatArray) -> FloatArray:
    """A = sd(b_a) / sd(b_b), B = mean(b_a) - A mean(b_b).

    >>> _mean_sigma(np.array([[1.0, 0.0], [1.0, -2.0]]), np.array([[1.0, 0.0], [1.0, -1.0]])).tolist()
    [2.0, 0.0]
    """
    a, b = _difficulty(first), _difficulty(second)
    slope = a.std() / max(b.std(), 1e-9)
    return np.array([slope, a.mean() - slope * b.mean()])


def _mean_mean(first: FloatArray, second: FloatArray) -> FloatArray:
    """A = mean(a_b) / mean(a_a), B = mean(b_a) - A mean(b_b)."""
    slope = second[:, 0].mean() / first[:, 0].mean()
    return np.array([slope, _difficulty(first).mean() - slope * _difficulty(second).mean()])


def _stocking_lord(first: FloatArray, second: FloatArray) -> FloatArray:
    """The line that minimises ∫ (Σ P_a(θ) - Σ P_b((θ - B)/A))² φ(θ) dθ."""
    return _nearest(first, second, lambda gap: gap.sum(axis=1))


def _haebara(first: FloatArray, second: FloatArray) -> FloatArray:
    """The line that minimises Σ ∫ (P_a(θ) - P_b((θ - B)/A))² φ(θ) dθ."""
    return _nearest(first, second, lambda gap: gap)


def _nearest(
    first: FloatArray, second: FloatArray, summed: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """The line with the least squared distance of the items' curves, summed or not, by Gauss-Newton steps."""
    from scipy.optimize import least_squares

    density = np.sqrt(np.exp(-(_NODES**2) / 2))[:, None]
    target = _curves(first, _NODES)

    def away(line: FloatArray) -> FloatArray:
        gap = density * (target - _curves(second, (_NODES - line[1]) / line[0]))
        return np.asarray(summed(gap)).ravel()

    bounds = ([0.05, -20.0], [20.0, 20.0])
    start = np.clip(_mean_sigma(first, second), [0.1, -10], [10, 10])
    return np.asarray(
        least_squares(away, start, bounds=bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12).x
    )


def _curves(table: FloatArray, theta: FloatArray) -> FloatArray:
    """P(right), abilities x items."""
    return np.asarray(1 / (1 + np.exp(-(table[:, 0] * theta[:, None] + table[:, 1]))))


_SOLVERS = {
    "stocking-lord": _stocking_lord,
    "haebara": _haebara,
    "mean-sigma": _mean_sigma,
    "mean-mean": _mean_mean,
}


def _residuals(
    common: pd.Index, first: FloatArray, second: FloatArray, line: FloatArray
) -> pd.DataFrame:
    """Difficulties of the anchors in both forms, and how far each is from the line."""
    a, b = _difficulty(first), _difficulty(second)
    moved = line[0] * b + line[1]
    return pd.DataFrame(
        {"first": a, "second": b, "second_moved": moved, "residual": a - moved}, index=common
    )
