"""The response models, each a small object: the chance of every answer, and how it changes.

An item turns ability into z = a·θ, and z with the item's other parameters (`rest`) into the chance of every
answer. A model gives the logs of these chances and their derivatives by z and by `rest`; the EM of
`irt_engine` needs no more, in one dimension or in several.

Shapes: items x nodes (`z`), items x s (`rest`), items x columns x nodes (the logs). A column is a category of
answers; the Beta model (`irt_beta`) has two more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from gindex_lab.foundation.validate import FloatArray

__all__ = ["FAR", "MODELS", "STEEPEST", "Form", "Graded", "ItemModel", "Logistic", "Nominal", "PartialCredit"]
__all__ += ["between_cuts", "curves", "logistic", "model_of", "slope_of", "softplus"]

STEEPEST = 40.0  # a slope that runs off stops here, where the curve is a step
FAR = 200.0  # an intercept that runs off stops here
_NEVER = -1e6  # the log chance of a category whose cuts are in the wrong order
IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
Derivative = Callable[[], FloatArray]


def logistic(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def softplus(x: FloatArray) -> FloatArray:
    """log(1 + exp(x)), without overflow and five times faster than `np.logaddexp`."""
    return np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x)))


def curves(parameters: FloatArray, ability: FloatArray) -> FloatArray:
    """P(right), items x abilities, of slopes, intercepts and, in a third column, logits of guessing."""
    know = logistic(np.outer(parameters[:, 0], ability) + parameters[:, 1:2])
    guess = logistic(parameters[:, 2:]) if parameters.shape[1] == 3 else 0.0
    return guess + (1.0 - guess) * know


class Form:
    """The log chances (items x columns x nodes) with their derivatives by z and by the rest, which are
    computed when they are asked for."""

    def __init__(self, log: FloatArray, by_z: Derivative, by_rest: Derivative) -> None:
        self.log, self._by_z, self._by_rest = log, by_z, by_rest

    @cached_property
    def by_z(self) -> FloatArray:
        """Items x columns x nodes."""
        return self._by_z()

    @cached_property
    def by_rest(self) -> FloatArray:
        """Items x s x columns x nodes."""
        return self._by_rest()


class ItemModel:
    """What every model has; `categories` is how many each item has, `indicators` how many columns count.

    Of each of the `rest`: its name, which prior it takes ("intercept", "guessing", "upper" or none, ""), and
    its least and largest value.
    """

    name = ""
    slope_free = True  # nominal items have their slopes in `rest`

    def __init__(self, categories: Sequence[int] | IntArray) -> None:
        self.categories = np.asarray(categories, dtype=np.intp)
        self.columns = self.indicators = int(self.categories.max())
        self.used: BoolArray = np.arange(self.columns) < self.categories[:, None]
        names, kinds, low, high = zip(*self.rest(), strict=True)
        self.names, self.kinds = list(names), list(kinds)
        self.bounds = np.array(low), np.array(high)

    def rest(self) -> list[tuple[str, str, float, float]]:
        """One intercept for each category but the first."""
        return [(f"d{c}", "intercept", -FAR, FAR) for c in range(1, self.columns)]

    @property
    def size(self) -> int:
        """How many parameters an item has beside its slopes."""
        return len(self.names)

    @property
    def free(self) -> BoolArray:
        """Which of them an item has (items x s): one with fewer categories has fewer."""
        return self.used[:, 1:]

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """The log chances and their derivatives."""
        raise NotImplementedError

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes (items) and rest to begin with, from the shares of the columns (items x columns) and from
        how the answers go with the rest of the test (`tied`, items x columns: mean standardised score)."""
        raise NotImplementedError

    def scores(self, rest: FloatArray) -> FloatArray:
        """What each category counts (items x categories): its number."""
        return np.broadcast_to(np.arange(self.columns, dtype=float), self.used.shape)

    def carried(self, rest: FloatArray) -> FloatArray:
        """How much of a shift of z each of the rest takes over, if no chance is to change (items x s)."""
        return np.ones_like(rest)

    def about_z(self, form: Form) -> FloatArray:
        """The expected information about z at each node (items x nodes)."""
        return np.asarray((np.exp(form.log) * self.used[:, :, None] * form.by_z**2).sum(1))

    def fisher(self, form: Form, full: FloatArray, seen: FloatArray) -> FloatArray:
        """The expected information of each item (items x k x k) of `seen` agents at each node; `full` has
        the derivatives by all k parameters (items x k x columns x nodes)."""
        chance = np.exp(form.log) * self.used[:, :, None]
        flat = full.reshape(*full.shape[:2], -1)
        weight = (chance * seen[:, None]).reshape(len(flat), 1, -1)
        return np.asarray((flat * weight) @ flat.transpose(0, 2, 1))


def between_cuts(z: FloatArray, cuts: FloatArray, used: BoolArray) -> Form:
    """The graded form: category c lies between z + d_c and z + d_(c + 1).

    log(σ(x) - σ(y)) = log σ(x) + log σ(-y) + log(1 - exp(y - x)) loses no digit in either tail.
    """
    edge = np.ones((len(cuts), 1))
    inside = np.where(used[:, 1:], cuts, -np.inf)
    upper = np.hstack([np.inf * edge, inside])
    lower = np.hstack([inside, -np.inf * edge])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        gap = upper - lower
        spread = np.where(gap > 0, np.log(-np.expm1(-gap)), _NEVER)
        ratio = 1.0 / np.expm1(np.maximum(gap, 1e-8))[:, :, None]
    x, y = z[:, None] + upper[:, :, None], z[:, None] + lower[:, :, None]
    log, kept = -softplus(-x) - softplus(y) + spread[:, :, None], used[:, :, None]

    @cache
    def tails() -> tuple[FloatArray, FloatArray]:
        return logistic(-x), logistic(y)

    def by_z() -> FloatArray:
        above, below = tails()
        return np.where(kept, above - below, 0.0)

    def by_cut() -> FloatArray:
        above, below = tails()
        found = np.zeros((len(cuts), cuts.shape[1], used.shape[1], z.shape[1]))
        m = np.arange(cuts.shape[1])
        found[:, m, m + 1] = (above + ratio)[:, 1:]
        found[:, m, m] = -(below + ratio)[:, :-1]
        return np.where(kept[:, None] & used[:, 1:, None, None], found, 0.0)

    return Form(np.where(kept, log, 0.0), by_z, by_cut)


class Graded(ItemModel):
    """P(x ≥ c) = σ(z + d_c), d_1 > d_2 > ... (Samejima 1969); with two categories, the 2PL."""

    name = "graded"

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """See `between_cuts`."""
        return between_cuts(z, rest, self.used)

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The cuts that the shares alone would have."""
        slopes = slope_of(shares, tied)
        above = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1][:, 1:]
        with np.errstate(divide="ignore"):
            cuts = np.log(above / (1 - above)) * np.sqrt(1 + slopes[:, None] ** 2 / 3)
        return slopes, np.where(self.free, cuts, -np.inf)


class PartialCredit(ItemModel):
    """log P(x = c) = c z + d_c, less the log of their sum; d_0 = 0 (Muraki 1992)."""

    name = "gpcm"

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """Derivatives: s_c - E s by z, 1(c = m) - P_m by d_m."""
        scores = self.scores(rest)
        intercepts = np.hstack([np.zeros((len(rest), 1)), rest[:, -(self.columns - 1) :]])
        log = scores[:, :, None] * z[:, None] + np.where(self.used, intercepts, -np.inf)[:, :, None]
        log -= log.max(1, keepdims=True)
        log -= np.log(np.exp(log).sum(1, keepdims=True))
        chance = np.exp(log)
        kept = self.used[:, :, None]

        def by_z() -> FloatArray:
            mean = (chance * scores[:, :, None]).sum(1, keepdims=True)
            return np.where(kept, scores[:, :, None] - mean, 0.0)

        def by_intercept() -> FloatArray:
            minus = -np.repeat(chance[:, 1:, None], self.columns, axis=2)
            m = np.arange(self.columns - 1)
            minus[:, m, m + 1] += 1.0
            return np.where(kept[:, None] & kept[:, 1:, None], minus, 0.0)

        return Form(np.where(kept, log, 0.0), by_z, by_intercept)

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The intercepts that the shares alone would have."""
        slopes = slope_of(shares, tied) / np.maximum(1, self.categories - 1)
        with np.errstate(divide="ignore"):
            logs = np.log(shares[:, 1:] / shares[:, :1])
        return slopes, np.where(self.used[:, 1:], logs, 0.0)

    def carried(self, rest: FloatArray) -> FloatArray:
        """An intercept takes over what z is multiplied by."""
        return self.scores(rest)[:, 1:]


class Nominal(PartialCredit):
    """log P(x = c) = s_c z + d_c, less the log of their sum; s_0 = d_0 = 0 (Bock 1972).

    The slope a is held at 1, so that s_c is the slope of category c itself.
    """

    name = "nominal"
    slope_free = False

    def rest(self) -> list[tuple[str, str, float, float]]:
        """The slopes of categories, which have no order and therefore no prior; then their intercepts."""
        later = range(1, self.columns)
        return [(f"a{c}", "", -STEEPEST, STEEPEST) for c in later] + super().rest()

    @property
    def free(self) -> BoolArray:
        """Slope and intercept of each category that the item has."""
        return np.tile(self.used[:, 1:], 2)

    def scores(self, rest: FloatArray) -> FloatArray:
        """The category's own slope."""
        return np.hstack([np.zeros((len(rest), 1)), rest[:, : self.columns - 1]])

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """By s_m as by d_m, times z."""
        form = super().form(z, rest)

        def by_both() -> FloatArray:
            return np.concatenate([form.by_rest * z[:, None, None], form.by_rest], axis=1)

        return Form(form.log, lambda: form.by_z, by_both)

    def carried(self, rest: FloatArray) -> FloatArray:
        """Only the intercepts move."""
        lift = super().carried(rest)
        return np.hstack([0 * lift, lift])

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A category that the able choose has a slope above that of the first."""
        _, intercepts = super().start(shares, tied)
        slopes = np.where(self.used[:, 1:], tied[:, 1:] - tied[:, :1], 0.0)
        return np.ones(len(shares)), np.hstack([np.clip(slopes, -3, 3), intercepts])


class Logistic(ItemModel):
    """P = g + (u - g) σ(z + d): 3PL with u = 1 (Birnbaum 1968), 4PL (Barton and Lord 1981)."""

    name = "3pl"

    def __init__(self, categories: Sequence[int] | IntArray, upper: bool = False) -> None:
        self.upper = upper
        super().__init__(np.full(len(categories), 2))

    def rest(self) -> list[tuple[str, str, float, float]]:
        """Guessing from 0.0001 to 0.73, the upper asymptote from 0.27 to 0.9999."""
        ends = [("logit_g", "guessing", -9.0, 1.0), ("logit_u", "upper", -1.0, 9.0)]
        return super().rest() + ends[: 1 + self.upper]

    @property
    def free(self) -> BoolArray:
        """All of them."""
        return np.ones((len(self.used), self.size), dtype=bool)

    def form(self, z: FloatArray, rest: FloatArray) -> Form:
        """1 - P = (1 - u) + (u - g) (1 - σ): no digit lost near 1."""
        know, fail = logistic(z + rest[:, :1]), logistic(-z - rest[:, :1])
        g = logistic(rest[:, 1:2])
        u, lacks = (logistic(rest[:, 2:]), logistic(-rest[:, 2:])) if self.upper else (1.0, 0.0)
        chance = np.stack([lacks + (u - g) * fail, g + (u - g) * know], 1)
        sign = np.array([-1.0, 1.0])[:, None] / np.maximum(chance, 1e-300)
        steep = ((u - g) * know * fail)[:, None] * sign
        parts = [steep, (g * (1 - g) * fail)[:, None] * sign]
        parts += [(u * lacks * know)[:, None] * sign] if self.upper else []
        log = np.log(np.maximum(chance, 1e-300))
        return Form(log, lambda: steep, lambda: np.stack(parts, 1))

    def carried(self, rest: FloatArray) -> FloatArray:
        """Only the intercept moves."""
        return np.broadcast_to(np.arange(self.size) == 0, rest.shape).astype(float)

    def start(self, shares: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Little guessing, few slips."""
        slopes, cuts = Graded(self.categories).start(shares, tied)
        ends = np.tile([-2.0, 2.5], (len(slopes), 1))[:, : self.size - 1]
        return slopes, np.hstack([cuts, ends])


def slope_of(shares: FloatArray, tied: FloatArray) -> FloatArray:
    """A slope from how the categories' numbers go with the rest of the test (a correlation, stretched)."""
    number = np.arange(shares.shape[1])
    centred = number - (shares * number).sum(1, keepdims=True)
    spread = np.sqrt((shares * centred**2).sum(1))
    r = (shares * centred * tied[:, : shares.shape[1]]).sum(1) / np.maximum(spread, 1e-9)
    r = np.clip(r, -0.85, 0.85)
    slope = 1.7 * r / np.sqrt(1 - r**2)
    return np.where(np.abs(slope) < 0.2, np.copysign(0.2, slope), slope)


MODELS = ["1pl", "2pl", "3pl", "4pl", "graded", "gpcm", "pcm", "nominal", "beta"]


def model_of(name: str, categories: Sequence[int] | IntArray, ends: BoolArray | None = None) -> ItemModel:
    """The model called `name` for items of so many categories.

    >>> model_of("graded", [2, 4]).names, model_of("4pl", [2, 2]).names
    (['d1', 'd2', 'd3'], ['d1', 'logit_g', 'logit_u'])
    """
    if name in ("3pl", "4pl"):
        return Logistic(categories, upper=name == "4pl")
    if name == "beta":
        from gindex_lab.measures.psychometrics.irt_beta import OrderedBeta

        return OrderedBeta(categories, ends)
    kinds: dict[str, type[ItemModel]] = {"gpcm": PartialCredit, "pcm": PartialCredit, "nominal": Nominal}
    return kinds.get(name, Graded)(categories)
