"""Correlations between items: Pearson's, or of what lies behind right and wrong or graded responses.

Two items with few categories cannot correlate fully unless they are equally hard, which makes "difficulty
factors" out of nothing. Tetrachoric and polychoric correlations take each item for a normal variable cut at
thresholds. Thresholds come from the items' margins, then ρ is the most likely one of each pair (Olsson 1979,
two-step), by Fisher's scoring for all pairs at once. A measured item and a graded one have Olsson, Drasgow
and Dorans' (1982) polyserial correlation. Empty cells are treated as R's psych 2.2.9 does: see `polychoric`.

Shapes: pairs x categories x categories (`tables`), pairs x thresholds (`cuts`).
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike
from gindex_lab.foundation.validate import FloatArray, choice, confidence, flag, numeric_frame, vector
from gindex_lab.measures.psychometrics.irt_settings import check_binary

__all__ = ["KINDS", "correlation", "correlation_matrix", "correlations", "mixed", "polychoric", "polyserial"]
__all__ += ["rank_correlation", "rank_interval", "smoothed", "tetrachoric"]

_STEEPEST = 0.9999  # a correlation of one is a limit that no table of two categories reaches
_FAR = 38.0  # a threshold beyond all categories; Φ(-38) is the smallest number that a computer has
_HALF = 0.5  # agents in an empty cell, psych's `correct`
_MOST_CATEGORIES = 8  # an item with more is a measured one, as in psych
_CHUNK = 2_000_000  # numbers held at once
_FEWEST_RANKED = 20  # agents: with ten, limits held in 75% where two measures agree on nearly all


def correlation(x: NumbersLike, y: NumbersLike) -> float:
    """Pearson's correlation, NaN where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    >>> correlation([1, 2, 3], [5, 5, 5])
    nan
    """
    a, b = vector("x", x), vector("y", y)
    problem = f"[wrong-length] has a different length from x ({len(a)})"
    ensure(len(a) == len(b), "y", len(b), problem, "pair the numbers")
    # constant up to rounding: the correlation of rounding errors means nothing
    if len(a) < 2 or any(np.ptp(x) <= 1e-12 * np.abs(x).max() for x in (a, b)):
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def rank_correlation(x: NumbersLike, y: NumbersLike) -> float:
    """Spearman's correlation: Pearson's, of the average ranks.

    >>> rank_correlation([1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """
    return correlation(*(pd.Series(vector(name, v)).rank() for name, v in (("x", x), ("y", y))))


def rank_interval(x: NumbersLike, y: NumbersLike, ci: float = 0.95) -> tuple[float, float]:
    """Limits of Spearman's correlation over agents: Fisher's z, with the error that the agents show.

    Each agent's influence on r, its part in the ranks of all others included, gives the error (Hampel 1974,
    J. Am. Stat. Assoc. 69, 383-393), so that ties and a cloud of any shape count. Up to 3/n of all agents may
    be of a kind that no n agents show (Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745), and two measures
    may have nothing in common on them: the limit nearer to 0 is moved there by that share. Measured on 63
    report designs, it held in 90 to 100% (`data/measured/ranks.csv`). Below 20 agents, and where more than
    half of them share one value, there are no limits (NaN).

    >>> rng = np.random.default_rng(1)
    >>> ability = rng.standard_normal(100)
    >>> [round(limit, 2) for limit in rank_interval(ability, ability + rng.standard_normal(100))]
    [0.41, 0.72]
    """
    from scipy.special import ndtri

    ranks = [pd.Series(vector(name, v)).rank().to_numpy() for name, v in (("x", x), ("y", y))]
    r, n = correlation(*ranks), len(ranks[0])
    if max(np.unique(rank, return_counts=True)[1].max() for rank in ranks) > n / 2:
        return np.nan, np.nan
    if np.isnan(r) or n < _FEWEST_RANKED or abs(r) > 1 - 1e-12:
        return (r, r) if n >= _FEWEST_RANKED and abs(r) > 1 - 1e-12 else (np.nan, np.nan)
    u, v = ((rank - rank.mean()) / rank.std() for rank in ranks)
    scale = [rank.std() / n for rank in ranks]
    shared = u * v + _above(ranks[0], v) / scale[0] + _above(ranks[1], u) / scale[1]
    own = u**2 + v**2 + 2 * (_above(ranks[0], u) / scale[0] + _above(ranks[1], v) / scale[1])
    influence = shared - r / 2 * own
    half = ndtri((1 + confidence(ci)) / 2) * influence.std() / np.sqrt(n - 1) / (1 - r**2)
    low, high = (float(np.tanh(np.arctanh(r) + side * half)) for side in (-1, 1))
    return low - 3 / n * max(low, 0.0), high - 3 / n * min(high, 0.0)


def _above(ranks: FloatArray, values: FloatArray) -> FloatArray:
    """For each agent the sum of the values of agents ranked above it, ties by half, over their number."""
    _, level = np.unique(ranks, return_inverse=True)
    sums = np.bincount(level, values)
    return np.asarray((sums[::-1].cumsum()[::-1] - sums / 2)[level] / len(ranks))


def correlations(responses: ResponsesLike, kind: str = "pearson", *, smooth: bool = True) -> pd.DataFrame:
    """Correlate the items of a table, also by what lies behind their categories.

    Parameters
    ----------
    responses : Responses or a table, agents x items; missing cells are left out pair by pair
    kind : "pearson", "tetrachoric" (0 and 1), "polychoric" (graded) or "mixed"
    smooth : replace a matrix that no data could have (negative eigenvalues, from gaps or thresholds) by the
        `smoothed` one, with a `Caution`

    Returns
    -------
    DataFrame, items x items.

    Notes
    -----
    How thresholds and empty cells are treated: see `polychoric` in this module.

    References
    ----------
    Olsson (1979), Psychometrika 44, 443-460 (polychoric). R: `psych::tetrachoric`, `polychoric`, `mixedCor`.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> correlations(table).loc["a", "b"].round(4), correlations(table, "tetrachoric").loc["a", "b"].round(4)
    (np.float64(0.5774), np.float64(0.4236))
    """
    choice("kind", kind, KINDS)
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    table = _HOW[kind](frame)
    apart = np.argwhere(table.isna().to_numpy())
    pair = tuple(table.index[i] for i in apart[0]) if len(apart) else ()
    problem = "[no-variance] are two items that no two agents tell apart"
    ensure(not pair, "responses", pair, problem, "drop one of them")
    given = table.to_numpy()
    matrix = smoothed(given) if flag("smooth", smooth) else given
    if matrix is not given:
        warn_of_smoothing(stacklevel=2)
    return pd.DataFrame(matrix, table.index, table.columns)


def correlation_matrix(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame, if it is a correlation matrix: square, symmetric, ones on the diagonal, all in [-1, 1]."""
    matrix = frame.to_numpy()
    square = matrix.shape[0] == matrix.shape[1] and not np.isnan(matrix).any()
    proper = square and np.abs(matrix - matrix.T).max() <= 1e-6 and np.abs(matrix).max() <= 1 + 1e-9
    problem = "[not-a-correlation-matrix] is not a correlation matrix (square, symmetric, between -1 and 1, "
    remedy = "pass one, or agents x items without n_obs"
    ensure(proper, "responses", frame.shape, f"{problem}no gaps)", remedy)
    problem = "[not-a-correlation-matrix] has a diagonal that is not one"
    ones = np.abs(matrix.diagonal() - 1).max() <= 1e-6
    ensure(ones, "responses", frame.shape, problem, "divide covariances by the deviations")
    return pd.DataFrame((matrix + matrix.T) / 2, frame.columns, frame.columns)


def warn_of_smoothing(stacklevel: int) -> None:
    """Say that the correlations were not those of any data."""
    said = "the correlations had negative eigenvalues, which no data could have, and were smoothed"
    warnings.warn(f"[smoothed] {said}; measure more agents", Caution, stacklevel=stacklevel + 1)


def smoothed(matrix: FloatArray, least: float = 1e-6) -> FloatArray:
    """The nearest-looking proper correlation matrix: negative eigenvalues lifted, diagonal one again.

    Pairwise and tetrachoric matrices may have negative eigenvalues, which no data could have.
    """
    values, vectors = np.linalg.eigh(matrix)
    if values.min() >= -1e-10:
        return matrix
    lifted = (vectors * np.maximum(values, least)) @ vectors.T
    scale = 1 / np.sqrt(lifted.diagonal())
    return lifted * np.outer(scale, scale)


# -- what lies behind the categories ----------------------------------------------------------------


def tetrachoric(frame: pd.DataFrame) -> pd.DataFrame:
    """Tetrachoric correlations of responses of 0 and 1 (Pearson 1900).

    The cuts are τ = Φ⁻¹(share wrong); ρ makes Σ n_ij log p_ij(ρ) largest over the four cells, which is
    where Φ₂(τ_i, τ_j; ρ) = share wrong on both. An empty cell counts as half an agent. R:
    `psych::tetrachoric(x)`, whose search ends within 1e-4 of the maximum.

    With cuts at the medians ρ = sin(2π (p - 1/4)), p the share wrong on both:

    >>> table = pd.DataFrame({"a": [0, 0, 0, 1, 1, 1, 0, 1] * 5, "b": [0, 0, 0, 1, 1, 1, 1, 0] * 5})
    >>> tetrachoric(table).loc["a", "b"].round(4), np.sin(2 * np.pi * (3 / 8 - 1 / 4)).round(4)
    (np.float64(0.7071), np.float64(0.7071))
    """
    remedy = 'round the responses first, or use "polychoric" or "pearson" correlations'
    check_binary(frame, remedy)
    return polychoric(frame)


def polychoric(frame: pd.DataFrame) -> pd.DataFrame:
    """Polychoric correlations of graded items (2 to 8 categories each), pairwise where cells are missing.

    p_ij(ρ) is the normal probability between the thresholds of i and j. As `psych::polychoric(x)`: where all
    items have the same number of categories, thresholds are those of the whole item; empty cells of right
    and wrong count as half an agent, of more categories as none. Where the numbers differ, each pair has
    thresholds of its own table, in which an empty cell counts as half an agent.

    >>> rng = np.random.default_rng(1)
    >>> behind = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 5000)
    >>> graded = pd.DataFrame(np.digitize(behind, [-1, 0, 1]), columns=["a", "b"])
    >>> graded.corr().loc["a", "b"].round(2), polychoric(graded).loc["a", "b"].round(2)
    (np.float64(0.53), np.float64(0.6))
    """
    codes, categories = _codes(frame)
    item = frame.columns[int(categories.argmax())]
    problem = f"[too-many-categories] is an item with more than {_MOST_CATEGORIES} categories"
    few = categories.max() <= _MOST_CATEGORIES
    ensure(few, "responses", item, problem, 'use "mixed" or "pearson" correlations')
    items = len(categories)
    first, second = np.triu_indices(items, 1)
    alike = len(set(categories)) == 1
    rho = np.eye(items)
    rho[first, second] = rho[second, first] = _of_pairs(codes, categories, first, second, alike)
    return pd.DataFrame(rho, frame.columns, frame.columns)


def mixed(frame: pd.DataFrame) -> pd.DataFrame:
    """Each pair by what its items are: measured (more than 8 values), graded, or right and wrong.

    Pearson's for two measured items, `polyserial` for a measured and a graded one, `polychoric` otherwise,
    with thresholds of the whole item where all graded items have the same number of categories. As
    `psych::mixedCor(x)`, except that psych's biserial is smaller by √(1 - 1/n); `polycor::hetcor` agrees.
    """
    found = frame.corr().to_numpy(copy=True)
    np.fill_diagonal(found, 1.0)
    codes, categories = _codes(frame)
    few = categories <= _MOST_CATEGORIES
    graded, measured = np.flatnonzero(few), np.flatnonzero(~few)
    for item in graded:
        found[measured, item] = polyserial(found[measured, item], frame.iloc[:, item])
        found[item, measured] = found[measured, item]
    first, second = (graded[side] for side in np.triu_indices(len(graded), 1))
    alike = len(set(categories[few & (categories > 2)])) <= 1
    found[first, second] = found[second, first] = _of_pairs(codes, categories, first, second, alike)
    return pd.DataFrame(found, frame.columns, frame.columns)


def polyserial(r: FloatArray, graded: pd.Series) -> FloatArray:
    """Pearson's r with a graded item, freed of its categories: r √((n - 1)/n) s / Σ φ(τ), at most 1.

    s is the standard deviation of the item scored 0, 1 ..., τ its thresholds (Olsson, Drasgow and Dorans
    1982, Psychometrika 47, 337-347, two-step). R: `polycor::polyserial(x, y)`.
    """
    from scipy.special import ndtri

    codes, categories = _codes(graded.to_frame())
    counts = np.bincount(codes[codes >= 0], minlength=categories[0])
    cuts = ndtri(counts.cumsum()[:-1] / counts.sum())
    density = np.exp(-(cuts**2) / 2).sum() / np.sqrt(2 * np.pi)
    return np.clip(r * codes[codes >= 0].std() / density, -_STEEPEST, _STEEPEST)


def _codes(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Categories 0, 1 ... of each item in the order of their values (-1 where missing), and how many."""
    pairs = [pd.factorize(frame[item], sort=True) for item in frame]
    return np.stack([codes for codes, _ in pairs], 1), np.array([len(seen) for _, seen in pairs])


def _of_pairs(
    codes: np.ndarray, categories: np.ndarray, first: np.ndarray, second: np.ndarray, alike: bool
) -> FloatArray:
    """The most likely ρ of each pair of items; NaN for a pair that no two agents tell apart."""
    if not len(first):
        return np.zeros(0)
    most = int(categories[np.concatenate([first, second])].max())
    marks = (codes[:, :, None] == np.arange(most)).astype(float)  # agents x items x categories
    flat = marks.reshape(len(codes), -1)
    together = (flat.T @ flat).reshape(len(categories), most, len(categories), most)
    own = _cuts(marks.sum(0))
    step = max(1, _CHUNK // (32 * most**2))
    found = []
    for at in range(0, len(first), step):
        i, j = first[at : at + step], second[at : at + step]
        tables = together[i, :, j, :]
        binary = ((categories[i] == 2) & (categories[j] == 2))[:, None, None]
        used = (tables.sum(2) > 0)[:, :, None] & (tables.sum(1) > 0)[:, None, :]
        tables = np.where((tables == 0) & used & (binary | (not alike)), _HALF, tables)
        local = np.zeros(len(i), dtype=bool) if alike else ~binary.ravel()
        cuts_a = np.where(local[:, None], _cuts(tables.sum(2)), own[i])
        cuts_b = np.where(local[:, None], _cuts(tables.sum(1)), own[j])
        apart = (used.any(2).sum(1) > 1) & (used.any(1).sum(1) > 1)
        found.append(np.where(apart, _most_likely(tables, cuts_a, cuts_b), np.nan))
    return np.concatenate(found)


def _cuts(margins: FloatArray) -> FloatArray:
    """Thresholds Φ⁻¹(cumulated share) of each row of counts, `_FAR` beyond the last category."""
    from scipy.special import ndtri

    shares = margins.cumsum(1)[:, :-1] / np.maximum(margins.sum(1, keepdims=True), 1)
    return np.clip(ndtri(shares), -_FAR, _FAR)


def _most_likely(tables: FloatArray, cuts_a: FloatArray, cuts_b: FloatArray) -> FloatArray:
    """ρ at which Σ n p'/p = 0, by Fisher's scoring inside a bracket that the score's sign narrows."""
    total = tables.sum((1, 2))
    low, high = np.full(len(tables), -_STEEPEST), np.full(len(tables), _STEEPEST)
    rho = np.zeros(len(tables))
    for _ in range(60):
        chance, slope = _cell_chances(cuts_a, cuts_b, rho)
        ratio = slope / chance
        score = (tables * ratio).sum((1, 2)) / total
        low, high = np.where(score > 0, rho, low), np.where(score > 0, high, rho)
        new = rho + score / np.maximum((slope * ratio).sum((1, 2)), 1e-12)
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        moved, rho = np.abs(new - rho).max(), new
        if moved < 1e-9:
            break
    return rho


def _cell_chances(cuts_a: FloatArray, cuts_b: FloatArray, rho: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The chance of each cell and its derivative in ρ, which is a difference of densities (Plackett 1954)."""
    from scipy.special import ndtr

    pairs, cuts = cuts_a.shape
    grid, slope = (np.zeros((pairs, cuts + 2, cuts_b.shape[1] + 2)) for _ in range(2))
    h, k, r = cuts_a[:, :, None], cuts_b[:, None, :], rho[:, None, None]
    grid[:, 1:-1, 1:-1] = _bivariate_normal(h, k, r)
    grid[:, 1:-1, -1], grid[:, -1, 1:-1], grid[:, -1, -1] = ndtr(cuts_a), ndtr(cuts_b), 1.0
    free = 1 - r**2
    density = np.exp(-(h**2 - 2 * r * h * k + k**2) / (2 * free)) / (2 * np.pi * np.sqrt(free))
    slope[:, 1:-1, 1:-1] = density
    chance = np.diff(np.diff(grid, axis=1), axis=2)
    return np.maximum(chance, 1e-12), np.diff(np.diff(slope, axis=1), axis=2)


def _bivariate_normal(h: FloatArray, k: FloatArray, rho: FloatArray) -> FloatArray:
    """Φ₂(h, k; ρ) = Φ(h) Φ(k) + 1/2π ∫₀^{asin ρ} exp(-(h² + k² - 2hk sin t) / 2cos² t) dt."""
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(32)
    reach = np.arcsin(rho)[..., None] / 2
    sine = np.sin(reach * (nodes + 1))
    exponent = (h**2 + k**2)[..., None] - 2 * (h * k)[..., None] * sine
    integral = (reach * np.exp(-exponent / (2 * (1 - sine**2)))) @ weights
    return ndtr(h) * ndtr(k) + integral / (2 * np.pi)


_HOW = {
    "pearson": lambda frame: frame.corr(),
    "tetrachoric": tetrachoric,
    "polychoric": polychoric,
    "mixed": mixed,
}
KINDS = list(_HOW)
