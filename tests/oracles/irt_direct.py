"""Marginal likelihoods of item response models written out as in the textbooks, for scipy to maximise.

Nothing here is shared with gindex_lab: chances are differences and ratios of exponentials, the integral over
ability is a plain sum over 161 points of [-8, 8]. Parameters are one flat
list per item, in mirt's slope-intercept form.
"""

import numpy as np
from scipy.special import gammaln
from scipy.stats import multivariate_normal, norm

POINTS = np.linspace(-8, 8, 161)
WEIGHTS = norm.pdf(POINTS) / norm.pdf(POINTS).sum()


def sigma(x):
    return 1 / (1 + np.exp(-x))


def graded(p, theta):
    above = [np.ones_like(theta), *(sigma(p[0] * theta + d) for d in p[1:]), np.zeros_like(theta)]
    return np.array([above[c] - above[c + 1] for c in range(len(p))])


def gpcm(p, theta):
    terms = np.array([np.exp(c * p[0] * theta + d) for c, d in enumerate([0.0, *p[1:]])])
    return terms / terms.sum(0)


def nominal(p, theta):
    """Slopes of categories 1, 2, ... then their intercepts."""
    half = len(p) // 2
    terms = np.array([np.exp(s * theta + d) for s, d in zip([0, *p[:half]], [0, *p[half:]], strict=True)])
    return terms / terms.sum(0)


def four(p, theta):
    """a, d, logit of guessing and, in a 4PL, logit of the upper asymptote."""
    low, high = sigma(p[2]), sigma(p[3]) if len(p) == 4 else 1.0
    right = low + (high - low) * sigma(p[0] * theta + p[1])
    return np.array([1 - right, right])


def log_likelihood(chances, items, table):
    """Of whole-number answers (NaN = missing); `items` has one list of parameters per item."""
    total = np.zeros((len(table), len(POINTS)))
    for p, answers in zip(items, np.asarray(table).T, strict=True):
        logs = np.log(chances(np.asarray(p), POINTS))
        seen = ~np.isnan(answers)
        total[seen] += logs[answers[seen].astype(int)]
    return float(np.log(np.exp(total) @ WEIGHTS).sum())


def beta_log_likelihood(items, table):
    """Of fractions; p = a, cut of 0, cut of 1, intercept, log of the precision."""
    total = np.zeros((len(table), len(POINTS)))
    for (a, d_zero, d_one, d, log_phi), answers in zip(items, np.asarray(table).T, strict=True):
        phi, mean = np.exp(log_phi), sigma(a * POINTS + d)
        some, all_of_it = sigma(a * POINTS + d_zero), sigma(a * POINTS + d_one)
        up, down = mean * phi, (1 - mean) * phi
        norming = gammaln(phi) - gammaln(up) - gammaln(down)
        y = np.where(np.isin(answers, (0, 1)), 0.5, answers)[:, None]
        between = np.log(some - all_of_it) + norming + (up - 1) * np.log(y) + (down - 1) * np.log(1 - y)
        total += np.select(
            [answers[:, None] == 0, answers[:, None] == 1],
            [np.log(1 - some), np.log(all_of_it)],
            between,
        )
    return float(np.log(np.exp(total) @ WEIGHTS).sum())


def two_dimensions_log_likelihood(slopes, intercepts, correlation, table, points=61):
    """2PL on a square of points; slopes items x 2."""
    line = np.linspace(-6, 6, points)
    theta = np.array([(x, y) for x in line for y in line])
    weight = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).pdf(theta)
    right = sigma(theta @ np.asarray(slopes).T + intercepts)
    table = np.asarray(table, dtype=float)
    chance = np.exp(table @ np.log(right).T + (1 - table) @ np.log(1 - right).T)
    return float(np.log(chance @ (weight / weight.sum())).sum())


def slope_of(function, at, width=1e-5):
    """The gradient by central differences."""
    steps = width * np.eye(len(at))
    return np.array([(function(at + h) - function(at - h)) / (2 * width) for h in steps])


def numerical_information(data, parameters, settings, priors):
    """The observed information of a 2PL, item by item, by central differences of the marginal log posterior's slope."""
    nodes, weights = settings.grid()
    weights = weights / weights.sum()
    seen = np.ones_like(data.right) if data.seen is None else data.seen

    def slope(flat):
        a, d = flat.reshape(-1, 2).T
        chance = sigma(np.outer(nodes, a) + d)
        joint = data.right @ np.log(chance).T + (seen - data.right) @ np.log1p(-chance).T + np.log(weights)
        post = np.exp(joint - joint.max(1, keepdims=True))
        post *= (data.agents / post.sum(1))[:, None]
        by = [
            data.right.T @ (post @ x) - (seen.T @ post * chance.T) @ x for x in (nodes, np.ones_like(nodes))
        ]
        return (np.stack(by, 1) + priors.pull(np.stack([a, d], 1))[1]).ravel()

    flat = parameters.ravel()
    width = 1e-4 * np.maximum(1.0, np.abs(flat))
    rows = np.stack([slope(flat - h) - slope(flat + h) for h in np.diag(width)]) / (2 * width[:, None])
    return 0.5 * (rows + rows.T)
