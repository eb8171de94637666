"""Mokken scaling: do the items order the agents, without any formula for their curves?

Loevinger's H compares how two items go together with how far they could at their difficulties: 1 where nobody
fails the easier and solves the harder (a Guttman scale, a spread of zero), 0 where they have nothing in
common. H of an item or of all items is the same ratio, of sums. From .3 up items make a weak scale, from .4 a
medium one and from .5 a strong one (Mokken 1971). Graded items count through their steps (X ≥ x).

Shapes: agents x items (`values`, no gaps); steps of all items (`Steps`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.validate import FloatArray, number
from gindex_lab.measures.psychometrics import nonparametric
from gindex_lab.measures.psychometrics.groups import Told
from gindex_lab.measures.psychometrics.irt_models import BoolArray, IntArray
from gindex_lab.measures.psychometrics.irt_settings import table_of, varies

__all__ = ["Mokken", "mokken"]

MOST_LEVELS = 12  # of one item: a judgement, since every step is compared with every other
_FEWEST = 10  # agents: a judgement


@dataclass(frozen=True)
class Mokken(Told):
    """`h` and `h_se` of all items, `items` (mean, H, its error, which scale), `pairs` (H of two items)."""

    h: float
    h_se: float
    items: pd.DataFrame = field(repr=False, compare=False)
    pairs: pd.DataFrame = field(repr=False, compare=False)
    pair_errors: pd.DataFrame = field(repr=False, compare=False)
    responses: pd.DataFrame = field(repr=False, compare=False)
    lower_bound: float
    left_out: int

    @property
    def scales(self) -> list[list[object]]:
        """The items of each scale that automatic selection found, in the order in which they came in."""
        chosen = self.items[self.items["scale"] > 0].sort_values(["scale", "order"])
        return [list(part.index) for _, part in chosen.groupby("scale")]

    @property
    def table(self) -> pd.DataFrame:
        """The items, without the order in which they came in."""
        return self.items.drop(columns="order")

    @property
    def strength(self) -> str:
        """What the items make by Mokken's limits, when the whole 95% interval of H is beyond them."""
        kinds = {0.5: "a strong scale", 0.4: "at least a medium scale", 0.3: "at least a weak scale"}
        for limit, kind in kinds.items():
            if self.h - 1.96 * self.h_se >= limit:
                return f"make {kind}"
        none = self.h + 1.96 * self.h_se < 0.3
        return "do not make one scale" if none else "may or may not make one scale"

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        sizes, apart = [str(len(scale)) for scale in self.scales], int((self.items["scale"] == 0).sum())
        split = f"{len(sizes)} scales of {', '.join(sizes)} items"
        if len(sizes) < 2:
            split = f"One scale of {sizes[0]} items" if sizes else "No item goes with another"
        left = f", {apart} belonging to none" if apart and sizes else ""
        worst, least = self.items["h"].idxmin(), self.items["h"].min()
        return (
            f"Together the {len(self.items)} items {self.strength}: "
            f"H = {self.h:.2f} (se {self.h_se:.2f}). "
            f"{split} at H ≥ {self.lower_bound:g}{left}; "
            f"{worst} goes least with the others (H = {least:.2f})."
        )

    def monotonicity(self, least: float = 0.03) -> pd.DataFrame:
        """Does each item rise with the rest of the test? See `nonparametric.monotonicity`."""
        return nonparametric.monotonicity(self.responses, least)

    def double_monotonicity(self, least: float = 0.03) -> pd.DataFrame:
        """Do the items keep their order of difficulty at every level? See `nonparametric`."""
        return nonparametric.double_monotonicity(self.responses, least)


def mokken(responses: ResponsesLike, *, lower_bound: float = 0.3, level: float = 0.05) -> Mokken:
    """H of items, pairs and the whole test with standard errors, and the scales that the items make.

    Parameters
    ----------
    responses : Responses or a table, agents x items, right or wrong or in at most 12 ordered levels; agents
        with missing cells are left out
    lower_bound : the least H of an item in a scale (automatic item selection)
    level : of the tests of H > 0 in the selection, divided by the number of tests made so far

    Returns
    -------
    Mokken with `h`, `h_se`, `items` (DataFrame: `mean`, `h`, `h_se`, `scale`), `pairs` (H of two items),
    `scales`, `monotonicity()` and `double_monotonicity()`.

    Notes
    -----
    H_ij = cov(i, j) / max cov, the largest that their shares allow; H_i = Σ_j cov / Σ_j max cov. The errors
    are those of the delta method over all response patterns. Selection starts with the pair of largest
    H_ij, adds the item that keeps H largest while every H_i ≥ `lower_bound` and no H_ij < 0, and begins
    another scale with what is left.

    Examples
    --------
    >>> table = pd.DataFrame([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 10, columns=["a", "b", "c"])
    >>> found = mokken(table.assign(noise=[0, 0, 1, 1, 1, 1, 0, 0] * 5))
    >>> found.scales, found.items["h"].round(2).tolist()
    ([['a', 'b', 'c']], [0.6, 0.5, 0.6, 0.0])

    References
    ----------
    Mokken (1971), A Theory and Procedure of Scale Analysis. Sijtsma and Molenaar (2002), Introduction to
    Nonparametric IRT, ch. 4-5. Kuijpers, van der Ark and Croon (2013), Sociol. Methodol. 43, 42-69 (errors).
    """
    number("lower_bound", lower_bound, 0, 1)
    number("level", level, 0, 1, open_ends=True)
    given = table_of(responses)
    frame = given.dropna()
    problem = "[too-few] are too few agents without a gap"
    ensure(len(frame) >= _FEWEST, "responses", len(frame), problem, f"give {_FEWEST} or more")
    frame = frame.loc[:, varies(frame)]
    few = "[too-few] has fewer than two items that vary"
    ensure(frame.shape[1] > 1, "responses", given.shape, few, "give more items")
    steps = Steps.of(frame)
    cov, most = steps.covariances()
    table, pairs, pair_errors, h, h_se = _coefficients(steps, cov, most)
    items = pd.DataFrame(table, frame.columns)
    items["scale"], items["order"] = _selection(frame.to_numpy(), cov, most, lower_bound, level)
    of_two, their_errors = (pd.DataFrame(x, frame.columns, frame.columns) for x in (pairs, pair_errors))
    lost = len(given) - len(frame)
    return Mokken(h, h_se, items, of_two, their_errors, frame, float(lower_bound), lost)


class Steps(NamedTuple):
    """Every item as its steps X ≥ x: who passes each, how much it adds, and whose it is."""

    passed: FloatArray  # agents x steps
    height: FloatArray  # steps
    item: IntArray  # the item of each step

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Steps:
        """From agents x items without gaps; more than 12 levels of an item are refused."""
        passed, height, item = [], [], []
        for place, (name, column) in enumerate(frame.items()):
            levels = np.unique(column)
            problem = f"[too-large] has {len(levels)} levels"
            ensure(len(levels) <= MOST_LEVELS, "responses", name, problem, "bin it: a scale has few steps")
            passed.append(column.to_numpy()[:, None] >= levels[1:] - 1e-12)
            height.append(np.diff(levels))
            item += [place] * (len(levels) - 1)
        return cls(np.hstack(passed).astype(float), np.concatenate(height), np.array(item))

    def covariances(self) -> tuple[FloatArray, FloatArray]:
        """Items x items: the covariances, and the largest that the shares of the steps allow."""
        share, whose = self.passed.mean(0), self.of_items
        values = self.passed @ whose
        centred = values - values.mean(0)
        highest = np.minimum.outer(share, share) - np.outer(share, share)
        return centred.T @ centred / len(values), whose.T @ highest @ whose

    @property
    def of_items(self) -> FloatArray:
        """Steps x items, the height of each step in the column of its item."""
        found = np.zeros((len(self.item), self.item.max() + 1))
        found[np.arange(len(self.item)), self.item] = self.height
        return found


def _coefficients(
    steps: Steps, cov: FloatArray, most: FloatArray
) -> tuple[dict[str, FloatArray], FloatArray, FloatArray, float, float]:
    """H of items (with their mean and error), of pairs with errors, and of all with its error.

    The error of a ratio of sums is √(mean of squared influences / n), an agent's influence on cov(i, j) being
    its (x_i - mean)(x_j - mean) - cov, and on the largest covariance that of the shares that make it up.
    """
    whose, share = steps.of_items, steps.passed.mean(0)
    values = steps.passed @ whose
    n, items = values.shape
    centred, away = values - values.mean(0), steps.passed - share
    off = ~np.eye(items, dtype=bool)
    h_item = (cov * off).sum(1) / (most * off).sum(1)
    h = float((cov * off).sum() / (most * off).sum())
    pairs, pair_errors = np.eye(items), np.zeros((items, items))
    item_error, total = np.zeros(items), np.zeros(n)
    for i in range(items):
        own, others = steps.item == i, off[i]
        lower = share[own][:, None] <= share
        by_own = (np.where(lower, 1 - share, -share) @ whose) * steps.height[own][:, None]
        by_other = steps.height[own] @ np.where(lower, -share[own][:, None], 1 - share[own][:, None])
        on_most = away[:, own] @ by_own + (away * by_other) @ whose
        on_cov = centred[:, [i]] * centred - cov[i]
        pairs[i, others] = (cov[i] / most[i])[others]
        influence = (on_cov - pairs[i] * on_most) / most[i]
        pair_errors[i, others] = np.sqrt((influence**2).mean(0) / n)[others]
        one, top = (x[:, others].sum(1) for x in (on_cov, on_most))
        item_error[i] = np.sqrt(((one - h_item[i] * top) ** 2).mean() / n) / most[i, others].sum()
        total += one - h * top
    h_se = float(np.sqrt((total**2).mean() / n) / (most * off).sum())
    return {"mean": values.mean(0), "h": h_item, "h_se": item_error}, pairs, pair_errors, h, h_se


def _selection(
    values: FloatArray, cov: FloatArray, most: FloatArray, least: float, level: float
) -> tuple[IntArray, IntArray]:
    """The scale of each item (0 for none) and when it came in: Mokken's automatic item selection."""
    from scipy.special import ndtri

    n, items = values.shape
    h, variance = cov / most, np.diag(cov)
    z = cov * np.sqrt((n - 1) / np.outer(variance, variance))
    scale, order = np.zeros((2, items), dtype=np.intp)
    for number_of_scale in range(1, items + 1):
        left = np.flatnonzero(scale == 0)
        tests = len(left) * (len(left) - 1) // 2
        chosen = _first_pair(left, h, z > -ndtri(level / tests), least) if tests else []
        if not chosen:
            break
        while True:
            left = np.setdiff1d(np.flatnonzero(scale == 0), chosen)
            left = left[(h[np.ix_(left, chosen)] >= 0).all(1)]
            tests += len(left)
            together = cov[np.ix_(left, chosen)].sum(1)
            fit = together / most[np.ix_(left, chosen)].sum(1)
            strong = together * np.sqrt((n - 1) / (variance[left] * variance[chosen].sum()))
            able = left[(fit >= least) & (strong > -ndtri(level / max(tests, 1)))]
            able = [j for j in able if _kept(cov, most, [*chosen, j], least)]
            if not able:
                break
            chosen = [*chosen, max(able, key=lambda j: _h(cov, most, [*chosen, j]))]
        scale[chosen], order[chosen] = number_of_scale, np.arange(len(chosen))
    return scale, order


def _first_pair(left: IntArray, h: FloatArray, sure: BoolArray, least: float) -> list[np.intp]:
    """The pair of largest H among those that surely go together, or none."""
    part = np.ix_(left, left)
    allowed = np.triu((h[part] >= least) & sure[part], 1)
    if not allowed.any():
        return []
    best = np.where(allowed, h[part], -np.inf)
    return [left[place] for place in np.unravel_index(best.argmax(), best.shape)]


def _h(cov: FloatArray, most: FloatArray, chosen: list[np.intp]) -> float:
    part = np.ix_(chosen, chosen)
    return float(np.triu(cov[part], 1).sum() / np.triu(most[part], 1).sum())


def _kept(cov: FloatArray, most: FloatArray, chosen: list[np.intp], least: float) -> bool:
    """Whether every item of the scale keeps its H."""
    part, off = np.ix_(chosen, chosen), ~np.eye(len(chosen), dtype=bool)
    return bool(((cov[part] * off).sum(1) / (most[part] * off).sum(1) >= least).all())
