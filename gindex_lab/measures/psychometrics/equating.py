"""Two forms of a test on one scale, through the items that both have (anchors).

A two-parameter model fixes its scale by the agents it was fitted to: abilities of another form are
θ_a = A θ_b + B for some A and B, so that b_a = A b_b + B (difficulties) and a_a = a_b / A (discriminations).
The anchors tell A and B: by their means and standard deviations (mean/mean: Loyd and Hoover 1980;
mean/sigma: Marco 1977), or as the line that brings their curves together: each item's (Haebara 1980) or the
whole test's (Stocking and Lord 1983). Kolen and Brennan (2014), ch. 6. The errors come from the covariance
of all item parameters of both models (observed information) by the delta method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import Label
from gindex_lab.foundation.validate import FloatArray, choice, known
from gindex_lab.measures.psychometrics.irt import ItemResponseModel
from gindex_lab.measures.psychometrics.irt_models import curves

__all__ = ["METHODS", "ScaleLink", "equate"]

METHODS = ("stocking-lord", "haebara", "mean-sigma", "mean-mean")
_FEWEST = 3  # anchors: two would fit any line
_NODES = np.linspace(-4, 4, 41)  # abilities at which characteristic curves are compared
_STEP = 1e-4  # of numerical derivatives


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
        """Items of the second form (`discrimination`, `difficulty`) on the scale of the first."""
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
    """Find the line that puts the second form on the scale of the first.

    Parameters
    ----------
    first, second : what `gl.irt(responses, "2pl")` gives for the two forms
    anchors : the labels of the items in common; all labels that both have unless given
    method : "stocking-lord", "haebara", "mean-sigma" or "mean-mean"

    Returns
    -------
    ScaleLink with `slope`, `intercept`, their errors, `anchors` (DataFrame: `first`, `second`,
    `second_moved`, `residual`), `abilities(table)` and `items(table)`.

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
    remedy = "pass gl.irt(responses, '2pl')"
    for name, model in (("first", first), ("second", second)):
        right = isinstance(model, ItemResponseModel)
        ensure(right, name, type(model).__name__, "[wrong-type] is not a fitted model", remedy)
        problem = "[not-an-option] is not a two-parameter model"
        ensure(model.model == "2pl", name, model.model, problem, remedy)
    fitted = [pd.DataFrame(x.fitted_parameters, x.answers.frame.columns) for x in (first, second)]
    common = fitted[0].index.intersection(fitted[1].index)
    if anchors is not None:
        common = pd.Index(known("anchors", anchors, common))
    problem = f"are too few items in common: at least {_FEWEST} make a line"
    ensure(len(common) >= _FEWEST, "anchors", len(common), problem, "give both forms more of the same items")
    at = np.stack([table.loc[common].to_numpy() for table in fitted])  # slope a and intercept d = -ab
    flat = common[(at[:, :, 0] <= 1e-3).any(0)]
    problem, remedy = "is an anchor that does not discriminate", "leave it out of the anchors"
    ensure(not len(flat), "anchors", list(flat[:1]), problem, remedy)
    slope, intercept = _line(at, method)
    errors = np.zeros((2, 2))
    for side, (model, table) in enumerate(zip((first, second), fitted, strict=True)):
        gradient = _gradient(at, side, method)
        errors += gradient @ _covariance(model, table.index.get_indexer(common)) @ gradient.T
    slope_se, intercept_se = np.sqrt(errors.diagonal())
    a, b = _difficulty(at[0]), _difficulty(at[1])
    moved = slope * b + intercept
    rests_on = pd.DataFrame({"first": a, "second": b, "second_moved": moved, "residual": a - moved}, common)
    found = float(slope), float(intercept), float(slope_se), float(intercept_se), float(errors[0, 1])
    return ScaleLink(*found, method, rests_on)


def _covariance(model: ItemResponseModel, places: np.ndarray) -> FloatArray:
    """Covariance (2K, 2K) of slopes and intercepts of some items, out of that of all."""
    chosen = model.plan.index[0][places].T.ravel()
    found = model.covariance[np.ix_(chosen, chosen)]
    problem = "[not-determined] has parameters that the data do not determine"
    ensure(np.isfinite(found).all(), "anchors", "an anchor", problem, "use priors='lognormal' in gl.irt")
    return np.asarray(found)


def _gradient(at: FloatArray, side: int, method: str) -> FloatArray:
    """How slope and intercept of the line follow the slopes and intercepts of one form's items (2 x 2K)."""
    columns = []
    for place in np.ndindex(2, at.shape[1]):
        ends = []
        for sign in (1, -1):
            moved = at.copy()
            moved[side, place[1], place[0]] += sign * _STEP
            ends.append(_line(moved, method))
        columns.append((ends[0] - ends[1]) / (2 * _STEP))
    return np.stack(columns, 1)


def _difficulty(table: FloatArray) -> FloatArray:
    return np.asarray(-table[:, 1] / table[:, 0])


def _line(at: FloatArray, method: str) -> FloatArray:
    """Slope A and intercept B from slopes and intercepts of the anchors in both forms (2 x K x 2).

    mean-sigma: A = sd(b_a) / sd(b_b); mean-mean: A = mean(a_b) / mean(a_a); B = mean(b_a) - A mean(b_b).
    stocking-lord: least ∫ (Σ P_a(θ) - Σ P_b((θ - B)/A))² φ(θ) dθ; haebara: the sum outside the square.
    """
    from scipy.optimize import least_squares

    first, second = at
    a, b = _difficulty(first), _difficulty(second)
    slope = a.std() / max(b.std(), 1e-9)
    if method == "mean-mean":
        slope = second[:, 0].mean() / first[:, 0].mean()
    simple = np.array([slope, a.mean() - slope * b.mean()])
    if method.startswith("mean"):
        return simple
    density = np.sqrt(np.exp(-(_NODES**2) / 2))
    target = curves(first, _NODES)

    def away(line: FloatArray) -> FloatArray:
        gap = density * (target - curves(second, (_NODES - line[1]) / line[0]))
        return gap.sum(0) if method == "stocking-lord" else gap.ravel()

    start = np.clip(simple, [0.1, -10], [10, 10])
    bounds = ([0.05, -20.0], [20.0, 20.0])
    return np.asarray(least_squares(away, start, bounds=bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12).x)
