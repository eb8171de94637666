"""One logistic curve per agent: converged (exact), or stopped where the published code stops.

The objective is Σ w [ln(1 + e^η) - y η] + (λ/2) b², η = a + b h, h = log2 minutes; the intercept is not
penalised and the weights of an agent sum to 1, so λ competes with one observation (`specs/horizon.md`,
section 3). "exact" is Newton's method, compiled, one row of weights after the other: 16 agents x 291
tasks x 1,000 replicates take under a second where scikit-learn takes two minutes
(`benchmarks/bench_horizon.py`). "reference" calls scikit-learn, whose L-BFGS stops early.

Three and four parameters, ψ = c + (d - c) / (1 + e^{β(h - θ)}): lucky guesses leave a floor c, tasks that are
broken or out of an agent's kind a ceiling d, which a two-parameter curve takes for a flat slope (sections 7,
10 and VI.3). That objective has several optima: damped Fisher scoring starts from several places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.kernels import compiled
from gindex_lab.foundation.likes import NumbersLike
from gindex_lab.foundation.validate import FloatArray, number

__all__ = [
    "FLAT", "FOUND", "NO_FAILURE", "NO_SUCCESS", "SEPARABLE", "Curves", "Plateaus", "fit", "fit_reference",
    "fit_with_plateaus", "loss_rows", "plateaus_of",
]  # fmt: skip

# How a fit ended
FOUND, NO_SUCCESS, NO_FAILURE, FLAT, SEPARABLE, UNFINISHED = range(6)
_STEPS = 200  # of Newton's method: a judgement
# Newton decrements, as shares of the objective, at which full steps begin and at which they end; and the most
# full steps, each of which doubles the digits
_NEAR, _SMALL, _LAST = 1e-6, 1e-20, 4
_NO_SLOPE = 1e-9  # a rise over one standard deviation of the lengths that is rounding


@compiled
def _objective(x: FloatArray, y: FloatArray, w: FloatArray, a: float, b: float, ridge: float) -> float:
    total = 0.0
    for k in range(len(x)):
        if w[k] > 0.0:
            eta = a + b * x[k]
            total += w[k] * (max(eta, 0.0) + np.log1p(np.exp(-abs(eta))) - y[k] * eta)
    return total + 0.5 * ridge * b * b


@compiled
def _fit(h: FloatArray, y: FloatArray, w: FloatArray, penalty: float) -> tuple[float, float, int]:
    """(a, b, state) that minimise Σ w [ln(1 + e^η) - yη] + λ/2 b², η = a + b h."""
    total = mean = solved = 0.0
    hardest, easiest, last, first = -np.inf, np.inf, np.inf, -np.inf
    for k in range(len(h)):
        if w[k] > 0.0:
            total += w[k]
            mean += w[k] * h[k]
            solved += w[k] * y[k]
            if y[k] > 0.0:
                hardest, last = max(hardest, h[k]), min(last, h[k])
            if y[k] < 1.0:
                easiest, first = min(easiest, h[k]), max(first, h[k])
    if hardest == -np.inf:
        return 0.0, np.nan, NO_SUCCESS
    if easiest == np.inf:
        return 0.0, np.nan, NO_FAILURE
    mean /= total
    square = 0.0
    for k in range(len(h)):
        square += w[k] * (h[k] - mean) ** 2
    sd = np.sqrt(square / total)
    if sd <= 1e-12 * max(1.0, abs(mean)):
        return np.log(solved / (total - solved)), 0.0, FLAT
    separable = hardest <= easiest or first <= last
    if separable and penalty <= 0.0:
        # the limit of a vanishing penalty: a step half-way between the two classes
        falling = hardest <= easiest
        middle = 0.5 * (hardest + easiest) if falling else 0.5 * (first + last)
        return middle, -np.inf if falling else np.inf, SEPARABLE
    x = (h - mean) / sd
    ridge = penalty / (sd * sd)
    a, b = np.log(solved / (total - solved)), 0.0
    value = _objective(x, y, w, a, b, ridge)
    state, last_steps = UNFINISHED, 0
    for _ in range(_STEPS):
        ga, gb, haa, hab, hbb = 0.0, ridge * b, 0.0, 0.0, ridge
        for k in range(len(x)):
            if w[k] > 0.0:
                eta = a + b * x[k]
                e = np.exp(-abs(eta))
                p = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
                r = w[k] * (p - y[k])
                v = w[k] * e / ((1.0 + e) * (1.0 + e))
                ga += r
                gb += r * x[k]
                haa += v
                hab += v * x[k]
                hbb += v * x[k] * x[k]
        det = haa * hbb - hab * hab
        if not det > 0.0:
            break
        da, db = (hab * gb - hbb * ga) / det, (hab * ga - haa * gb) / det
        decrement = -(ga * da + gb * db)
        if decrement <= _NEAR * value:
            # full steps double the digits from here, and the objective is too coarse to judge them
            a, b, last_steps = a + da, b + db, last_steps + 1
            if last_steps == _LAST or decrement <= _SMALL * value:
                state = FOUND
                break
            continue
        size = 1.0
        for _ in range(60):
            new = _objective(x, y, w, a + size * da, b + size * db, ridge)
            if new <= value - 1e-4 * size * decrement:
                break
            size *= 0.5
        a, b, value = a + size * da, b + size * db, new
    slope = b / sd
    return a - slope * mean, slope, state


@compiled
def fit_rows(
    h: FloatArray, y: FloatArray, weights: FloatArray, penalty: float
) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """Intercept, slope and state of each row of weights (R, n) for runs of length h and response y."""
    n = len(weights)
    intercept, slope = np.empty(n), np.empty(n)
    state = np.empty(n, dtype=np.int64)
    for r in range(n):
        intercept[r], slope[r], state[r] = _fit(h, y, weights[r], penalty)
    return intercept, slope, state


@compiled
def loss_rows(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    theta: FloatArray,
    beta: FloatArray,
    floor: FloatArray,
    ceiling: FloatArray,
) -> FloatArray:
    """Weighted mean cross-entropy of each curve for its row of weights (R, n), predictions clipped."""
    found = np.zeros(len(weights))
    for r in range(len(weights)):
        total = loss = 0.0
        for k in range(len(h)):
            w = weights[r, k]
            if w > 0.0:
                gap = theta[r] - h[k]
                eta = beta[r] * gap if gap != 0.0 else 0.0  # also at the edge of a step
                e = np.exp(-abs(eta))
                s = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
                p = floor[r] + (ceiling[r] - floor[r]) * s
                p = min(max(p, 1e-15), 1.0 - 1e-15)
                total += w
                loss -= w * y[k] * np.log(p) if y[k] > 0.0 else 0.0
                loss -= w * (1.0 - y[k]) * np.log1p(-p) if y[k] < 1.0 else 0.0
        found[r] = loss / total if total > 0.0 else np.nan
    return found


class Curves(NamedTuple):
    """Fitted curves ψ = c + (d - c) / (1 + e^{β(h - θ)}), arrays of one length, and how each ended."""

    theta: FloatArray
    beta: FloatArray
    floor: FloatArray
    ceiling: FloatArray
    state: np.ndarray

    @property
    def falling(self) -> np.ndarray:
        """Success falls with length: the curves that have a horizon."""
        return np.isin(self.state, (FOUND, SEPARABLE)) & (self.beta > 0)


def curves_from(intercept: FloatArray, slope: FloatArray, state: np.ndarray) -> Curves:
    """θ = -a/b and β = -b; a step (β = ∞) brings its place as the intercept."""
    with np.errstate(divide="ignore", invalid="ignore"):
        theta = np.where(state == SEPARABLE, intercept, -intercept / slope)
    return Curves(theta, -slope, np.zeros(len(slope)), np.ones(len(slope)), state)


def fit(h: FloatArray, y: FloatArray, weights: FloatArray, penalty: float) -> Curves:
    """The converged curve of each row of weights (R, n), for n runs of log2 length h and response y."""
    intercept, slope, state = fit_rows(h, y, np.ascontiguousarray(weights, dtype=float), penalty)
    if (state == UNFINISHED).any():
        problem = "[not-converged] leaves a curve without an optimum that floating-point numbers can reach"
        remedy = "use a larger penalty, such as 1e-5"
        raise BadInput("penalty", penalty, problem, remedy)
    level = np.abs(slope) * float(np.std(h)) < _NO_SLOPE
    state = np.where((state == FOUND) & level, FLAT, state)
    return curves_from(intercept, slope, state)


def fit_reference(h: FloatArray, y: FloatArray, weight: FloatArray, penalty: float) -> Curves:
    """The curve where scikit-learn's `LogisticRegression(C=1/λ)` stops; one row of weights (n,).

    A response between 0 and 1 is split into a success of weight wy and a failure of weight w(1 - y).
    """
    from sklearn.linear_model import LogisticRegression

    kept = weight > 0
    h, y, weight = h[kept], y[kept], weight[kept]
    zero = np.zeros(1)
    if not len(y) or not (y > 0).any():
        return curves_from(zero, zero - np.inf, np.array([NO_SUCCESS]))
    if not (y < 1).any():
        return curves_from(zero, zero + np.inf, np.array([NO_FAILURE]))
    rows, classes = np.tile(h, 2), np.repeat([1.0, 0.0], len(h))
    shares = np.append(weight * y, weight * (1 - y))
    if np.isin(y, (0.0, 1.0)).all():  # in the order of the published code, which its early stop depends on
        rows, classes, shares = h, y, weight
    rows, classes, shares = rows[shares > 0], classes[shares > 0], shares[shares > 0]
    model = LogisticRegression(C=np.inf if penalty == 0 else 1 / penalty)
    model.fit(rows[:, None], classes, sample_weight=shares)
    return curves_from(model.intercept_, model.coef_[0], np.array([FOUND]))


# -- floors and ceilings ----------------------------------------------------------------------------------

# All judgements
HIGHEST_FLOOR, LOWEST_CEILING = 0.4, 0.6  # beyond these a curve no longer crosses 50% in earnest
_FIRST, _MORE = 20, 300  # steps from every start, then from the best two
_TINY = 1e-12  # the least chance of an outcome
_GENTLE = ((0.02, 0.98), (0.2, 0.9), (0.05, 0.75), (0.35, 0.95))  # floors and ceilings to start from
# starts that are steeper by a factor, further along by a shift
_STEEP = tuple((m, shift, p) for m in (5, 30) for shift in (-1, 0, 1) for p in ((0.2, 0.9), (0.35, 0.95)))
Plateaus = tuple[float | None, float | None]  # floor and ceiling, None where they are fitted


@compiled
def _expansion(
    h: FloatArray, y: FloatArray, w: FloatArray, v: FloatArray, ridge: float
) -> tuple[float, FloatArray, FloatArray]:
    """The objective at v = (a, b, c, d), its slope and the Fisher information."""
    value = 0.5 * ridge * v[1] * v[1]
    g, info, d = np.zeros(4), np.zeros((4, 4)), np.empty(4)
    for k in range(len(h)):
        if w[k] > 0.0:
            eta = v[0] + v[1] * h[k]
            e = np.exp(-abs(eta))
            s = 1.0 / (1.0 + e) if eta >= 0.0 else e / (1.0 + e)
            p = min(max(v[2] + (v[3] - v[2]) * s, _TINY), 1.0 - _TINY)
            value -= w[k] * (y[k] * np.log(p) + (1.0 - y[k]) * np.log1p(-p))
            d[0] = (v[3] - v[2]) * e / ((1.0 + e) * (1.0 + e))
            d[1], d[2], d[3] = d[0] * h[k], 1.0 - s, s
            scale = w[k] / (p * (1.0 - p))
            for i in range(4):
                g[i] += scale * (p - y[k]) * d[i]
                for j in range(4):
                    info[i, j] += scale * d[i] * d[j]
    g[1] += ridge * v[1]
    info[1, 1] += ridge
    return value, g, info


@compiled
def _descend(
    h: FloatArray,
    y: FloatArray,
    w: FloatArray,
    start: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    ridge: float,
    steps: int,
) -> tuple[FloatArray, float]:
    """From one start to the nearest optimum within the bounds (Levenberg and Marquardt's damping)."""
    v = np.minimum(np.maximum(start, lower), upper)
    value, slope, information = _expansion(h, y, w, v, ridge)
    damping, quiet = 1e-3, 0
    for _ in range(steps):
        g, info = slope.copy(), information.copy()
        for i in range(4):
            stuck = (v[i] <= lower[i] and g[i] > 0.0) or (v[i] >= upper[i] and g[i] < 0.0)
            if stuck or lower[i] == upper[i]:
                g[i] = 0.0
                info[i, :] = 0.0
                info[:, i] = 0.0
                info[i, i] = 1.0
            else:
                info[i, i] = info[i, i] * (1.0 + damping) + 1e-14
        new = np.minimum(np.maximum(v - np.linalg.solve(info, g), lower), upper)
        found, uphill, curved = _expansion(h, y, w, new, ridge)
        if found <= value:
            quiet = quiet + 1 if value - found <= 1e-14 * abs(value) else 0
            v, value, slope, information = new, found, uphill, curved
            damping = max(damping / 5.0, 1e-12)
        else:
            damping *= 6.0
        if quiet >= 3 or damping > 1e12:
            break
    return v, value


@compiled
def fit_plateaus(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalty: float,
    starts: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The best (a, b, c, d) of each row of weights (R, n), from starts (R, S, 4), within the bounds.

    a and b belong to lengths centred on their mean and scaled by their standard deviation.
    """
    out = np.empty((len(weights), 4))
    mean, sd = h.mean(), h.std()
    x = (h - mean) / sd
    for r in range(len(weights)):
        ridge = penalty / (sd * sd)
        n = starts.shape[1]
        reached, values = np.empty((n, 4)), np.empty(n)
        for s in range(n):
            start = starts[r, s].copy()
            start[0] += start[1] * mean
            start[1] *= sd
            reached[s], values[s] = _descend(x, y, weights[r], start, lower, upper, ridge, _FIRST)
        best = np.inf
        for s in np.argsort(values)[:2]:
            v, value = _descend(x, y, weights[r], reached[s], lower, upper, ridge, _MORE)
            if value < best:
                best = value
                out[r] = v
        out[r, 1] /= sd
        out[r, 0] -= out[r, 1] * mean
    return out


def plateaus_of(floor: NumbersLike, ceiling: NumbersLike) -> Plateaus:
    """The two settings, checked: a number, or "fit"."""

    def share(name: str, value: NumbersLike, low: float, high: float) -> float | None:
        problem = "[not-an-option] is neither a number nor 'fit'"
        ensure(not isinstance(value, str) or value == "fit", name, value, problem, f"use {name}='fit'")
        return None if isinstance(value, str) else number(name, value, low, high)

    return share("floor", floor, 0.0, HIGHEST_FLOOR), share("ceiling", ceiling, LOWEST_CEILING, 1.0)


def fit_with_plateaus(
    h: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalty: float,
    plateaus: Plateaus,
    near: Curves | None = None,
) -> Curves:
    """The curve of each row of weights (R, n), with floor and ceiling given or fitted.

    `near` holds one curve to start from beside the two-parameter one; without it sixteen starts are
    tried. A floor is sought up to 0.4, a ceiling down to 0.6. Curves that do not fall stay as they are.
    """
    plain = fit(h, y, weights, penalty)
    floor, ceiling = plateaus
    rows = np.flatnonzero(plain.falling & (plain.state == FOUND))
    if plateaus == (0.0, 1.0) or not len(rows):
        return plain
    lower = np.array([-np.inf, -np.inf, floor or 0.0, LOWEST_CEILING if ceiling is None else ceiling])
    upper = np.array([np.inf, 0.0, HIGHEST_FLOOR if floor is None else floor, ceiling or 1.0])
    starts = _starts(plain, rows, near)
    found = fit_plateaus(
        h, y, np.ascontiguousarray(weights[rows], dtype=float), penalty, starts, lower, upper
    )
    theta, beta, c, d = (x.copy() for x in plain[:4])
    with np.errstate(divide="ignore", invalid="ignore"):
        theta[rows], beta[rows] = -found[:, 0] / found[:, 1], -found[:, 1]
    c[rows], d[rows] = found[:, 2], found[:, 3]
    return Curves(theta, beta, c, d, plain.state)


def _starts(plain: Curves, rows: np.ndarray, near: Curves | None) -> FloatArray:
    """(R, S, 4): the two-parameter curve, made steeper, with several floors and ceilings."""
    theta, beta = plain.theta[rows], plain.beta[rows]
    places = [(theta, beta, c, d) for c, d in _GENTLE]
    places += [(theta + shift, m * beta, c, d) for m, shift, (c, d) in _STEEP]
    if near is not None:  # a start on a bound would stay there
        c, d = float(np.clip(near.floor[0], 0.002, 0.39)), float(np.clip(near.ceiling[0], 0.61, 0.998))
        here = np.full_like(theta, near.theta[0]), np.full_like(beta, near.beta[0])
        places = [places[0], places[7], (*here, c, d)]
    each = [np.stack(np.broadcast_arrays(t * b, -b, c, d), axis=1) for t, b, c, d in places]
    return np.stack(each, axis=1)
