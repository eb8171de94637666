"""Factor analysis: do the items measure one thing, and how much of it is each item?

The classical way to a general intelligence: correlate the items over agents, and look for the few
factors that would explain the correlations. Extraction and the general factor of several are in `extraction`,
the number of factors in `dimensions`, rotations in `rotation`, tetrachoric correlations in
`correlations`. Note what generality analysis adds: a factor belongs to a population, never to an agent.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure, short
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, choice, confidence, generator, integer, numeric_frame
from gindex_lab.measures.psychometrics.correlations import (
    KINDS,
    correlation_matrix,
    correlations,
    smoothed,
    warn_of_smoothing,
)
from gindex_lab.measures.psychometrics.dimensions import ParallelAnalysis, eigenvalues, parallel_analysis
from gindex_lab.measures.psychometrics.extraction import METHODS, GeneralFactor, extract, general_factor
from gindex_lab.measures.psychometrics.factor_fit import FactorSolution, determinant_p, invertible
from gindex_lab.measures.psychometrics.rotation import (
    ROTATIONS,
    TARGETED,
    rotate,
    rotate_each,
    wanted_loadings,
)

__all__ = ["FactorModel", "factors", "procrustes", "resampled_loadings"]

# agents who differ from the rest on an item, for Bartlett's test: it errs in .05 with ten of thirty, and in
# .19 with three (`data/measured/irt_levels.csv`)
_FEWEST_OFF = 10


def factors(
    responses: ResponsesLike,
    n: int = 1,
    method: str = "minres",
    *,
    correlation: str = "pearson",
    rotation: str = "oblimin",
    constant: str = "error",
    n_obs: int | None = None,
    target: NumbersLike | None = None,
) -> FactorModel:
    """Fit n factors to the correlations of the items of `responses` (agents x items, or raw scores).

    Parameters
    ----------
    responses : Responses, raw scores or a table, agents x items; with `n_obs` a correlation matrix
    n : number of factors
    method : "minres" (R psych's default), "ml" or "principal_axis"
    correlation : "pearson", "tetrachoric" for responses of 0 and 1, "polychoric" for graded ones, or
        "mixed" (see `gl.correlations`)
    rotation : of two or more factors: "oblimin" (psych's default), "promax", "quartimin",
        "varimax", "quartimax", "bifactor" (three or more), "target", "target_orthogonal" or "none"
    constant : an item that is the same for all agents correlates with nothing: "error" refuses it,
        "drop" leaves it out (named in `constant_items`)
    n_obs : `responses` is a correlation matrix, of this many agents
    target : loadings to rotate to, items x factors, NaN where anything is welcome

    Returns
    -------
    FactorModel with `loadings`, `communalities`, `proportion_of_variance`, `factor_correlations`,
    `fit_indices()`, `scores()`, `bootstrap()`, `parallel_analysis()`, `general_factor()`.

    Notes
    -----
    Conventions: the loadings of each factor sum above zero; factors stand in the order of the
    variance they carry; missing cells are left out pair by pair. An item whose communality reaches 1
    (a Heywood case) leaves nothing of its own: the solution is improper, a `Caution` says so, and the
    item stands in `heywood`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> general = rng.standard_normal((2000, 1))
    >>> table = 0.6 * general + 0.8 * rng.standard_normal((2000, 5))
    >>> model = factors(table)
    >>> model
    FactorModel(minres, 1 factor of 5 items, 2000 agents, 35.9% of variance)
    >>> model.loadings["factor 1"].round(2).tolist()
    [0.61, 0.6, 0.6, 0.57, 0.62]

    References
    ----------
    Harman and Jones (1966), Psychometrika 31, 351-368 (minres); Jöreskog (1967), Psychometrika 32 (ML).
    Agrees with R psych 2.2.9 within 2e-6 on the mazes and letter series of Hernández-Orallo et al.
    """
    choice("method", method, METHODS)
    choice("rotation", rotation, [*ROTATIONS, *TARGETED])
    choice("constant", constant, ["error", "drop"])
    choice("correlation", correlation, KINDS)
    count = integer("n", n)
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    kept, dropped = None, []
    if n_obs is None:
        kept = _varying(frame, constant)
        dropped = [item for item in frame.columns if item not in kept.columns]
        _check_size(len(kept), kept.shape[1], count)
        matrix = correlations(kept, correlation, smooth=False)
    else:
        _check_size(integer("n_obs", n_obs), frame.shape[1], count)
        matrix = correlation_matrix(frame)
    aim = wanted_loadings(target, rotation, len(matrix), count)
    model = FactorModel(kept, matrix, count, method, rotation, dropped, n_obs, aim, correlation)
    if model.smoothed:
        warn_of_smoothing(stacklevel=2)
    if model.heywood:
        worst = model.communalities.idxmax()
        warnings.warn(
            f"[heywood] {len(model.heywood)} of {len(matrix)} items have a communality at or above 1 "
            f"(largest: {short(worst)} with {model.communalities[worst]:.2f}): an improper solution "
            "(Heywood case); ask for fewer factors, or measure more agents",
            Caution,
            stacklevel=2,
        )
    return model


class FactorModel(FactorSolution):
    """Fitted factors: `loadings`, `communalities`, `proportion_of_variance`, and what tests them."""

    def __init__(
        self,
        frame: pd.DataFrame | None,
        correlation: pd.DataFrame,
        n: int,
        method: str,
        rotation: str,
        constant_items: list[Any],
        n_obs: int | None = None,
        target: FloatArray | None = None,
        correlation_kind: str = "pearson",
    ) -> None:
        self._frame, self.correlation = frame, correlation
        self.agents = int(n_obs or 0) if frame is None else len(frame)
        self.n, self.method, self.rotation = n, method, rotation if n > 1 else "none"
        self.constant_items, self.target = constant_items, target
        self.correlation_kind = correlation_kind
        given = correlation.to_numpy()
        self._matrix = smoothed(given)
        self.smoothed = self._matrix is not given
        names = [f"factor {k + 1}" for k in range(n)]
        self.unrotated = extract(self._matrix, n, method)
        loadings, phi = rotate(self.unrotated, rotation, target)
        self.loadings = pd.DataFrame(loadings, correlation.index, names)
        self.factor_correlations = pd.DataFrame(phi, names, names)

    def __repr__(self) -> str:
        many = "factor" if self.n == 1 else "factors"
        return (
            f"FactorModel({self.method}, {self.n} {many} of {len(self.loadings)} items, "
            f"{self.agents} agents, {self.proportion_of_variance:.1%} of variance)"
        )

    def fit_indices(self, convention: str = "calibrated") -> pd.Series:
        """χ², RMSEA, TLI, CFI, SRMR and BIC (see `factor_fit`); "psych" and "lavaan" give R's numbers.

        p and the limits of RMSEA suppose normal responses: they are NaN for responses with gaps, few values
        or heavy tails, and for correlations other than Pearson's; the limits also where the number of factors
        hardly separates (`why_no_limits` says why). R's numbers do not say so.

        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 6))
        >>> factors(table, method="ml").fit_indices().round(3).head(4).to_dict()
        {'chi_square': 12.487, 'df': 9.0, 'p': 0.187, 'rmsea': 0.028}
        """
        return self._fit(convention)

    # -- whether there is anything to explain ----------------------------------------------------------

    @property
    def kmo(self) -> float:
        """Kaiser, Meyer and Olkin's adequacy (`psych::KMO`), Σ r² / (Σ r² + Σ partial r²) off the diagonal"""
        plain, partial = self._squares()
        return float(plain.sum() / (plain + partial).sum())

    @property
    def kmo_items(self) -> pd.Series:
        """The same for each item (MSA): below 0.5, the item shares too little with the others."""
        plain, partial = self._squares()
        return pd.Series(plain.sum(0) / (plain + partial).sum(0), self.loadings.index, name="kmo")

    def _squares(self) -> FloatArray:
        """Correlations and partial correlations of different items, squared."""
        inverse = np.linalg.inv(invertible(self._matrix, "KMO"))
        scale = np.sqrt(inverse.diagonal())
        both = np.stack([self._matrix, inverse / np.outer(scale, scale)]) ** 2
        return both * (1 - np.eye(len(scale)))

    def bartlett(self) -> pd.Series:
        """Bartlett's (1950) test that all items are uncorrelated: `statistic`, `df`, `p`.

        The statistic is psych's (`cortest.bartlett`): -(agents - 1 - (2p + 5) / 6) ln |R|. Its χ² errs far
        more often than it should with few agents for each item, so `p` is that of the law of |R| itself
        (`determinant_p`); with 100 agents and 8 items the two differ by less than .001. It errs in .05, and
        in .19 of tables in which three of thirty agents solve each item: a Caution says where
        (`data/measured/irt_levels.csv`).
        """
        items = len(self._matrix)
        if self._frame is not None:
            usual = self._frame.apply(lambda x: x.value_counts().max())
            off = (self._frame.count() - usual)[usual > self._frame.count() / 2]
            if off.min() < _FEWEST_OFF:
                said = f"{off.min()} agents differ from all others on {short(off.idxmin())}: p errs too often"
                warnings.warn(f"[too-few] {said}; measure more agents", Caution, stacklevel=2)
        log_determinant = np.linalg.slogdet(invertible(self._matrix, "Bartlett's test"))[1]
        statistic, df = -(self.agents - 1 - (2 * items + 5) / 6) * log_determinant, items * (items - 1) / 2
        p = determinant_p(log_determinant, self.agents, items)
        return pd.Series({"statistic": statistic, "df": df, "p": p}, name="bartlett")

    def bootstrap(self, *, resamples: int = 400, ci: float = 0.95, seed: SeedLike) -> pd.DataFrame:
        """`loading`, `se`, `low`, `high` of each item on each factor; percentiles over resampled agents.

        A resample in which an item no longer varies is drawn again. After a bifactor rotation there are no
        limits (NaN): of a general factor with its groups they would hold in .97, but of groups that merely
        correlate, where the criterion has several ends, in .69 (`data/measured/reliability.csv`).

        References
        ----------
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13; Zientek and Thompson (2007),
        Behav. Res. Methods 39, 318-325.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> table = 0.6 * rng.standard_normal((400, 1)) + 0.8 * rng.standard_normal((400, 5))
        >>> factors(table).bootstrap(seed=1, resamples=100).round(2).iloc[0].to_dict()
        {'loading': 0.52, 'se': 0.05, 'low': 0.42, 'high': 0.59}
        """
        count, level, rng = integer("resamples", resamples, 2), confidence(ci), generator(seed)
        turned = resampled_loadings(self, count, rng)
        low, high = np.quantile(turned, [(1 - level) / 2, (1 + level) / 2], axis=0)
        if self.rotation == "bifactor":
            low, high = np.full_like(low, np.nan), np.full_like(high, np.nan)
        columns = {"loading": self.loadings, "se": turned.std(0, ddof=1), "low": low, "high": high}
        places = [self.loadings.index, self.loadings.columns]
        index = pd.MultiIndex.from_product(places, names=["item", "factor"])
        return pd.DataFrame({name: np.ravel(values) for name, values in columns.items()}, index)

    # -- how many, and how general ---------------------------------------------------------------------

    def parallel_analysis(
        self, *, draws: int = 100, quantile: float = 0.95, noise: str = "normal", seed: SeedLike
    ) -> ParallelAnalysis:
        """How many components and factors stand above noise (see `dimensions`).

        >>> rng = np.random.default_rng(2)
        >>> two = np.repeat(rng.standard_normal((400, 2)), 4, axis=1) + rng.standard_normal((400, 8))
        >>> factors(two, 2).parallel_analysis(seed=1, draws=20).n_factors
        2
        """
        shape = (self.agents, len(self._matrix))
        bare = self._frame is None and noise == "normal"
        values = np.zeros(shape) if bare else self.frame.to_numpy()
        given = values, self._matrix
        return parallel_analysis(*given, draws=draws, quantile=quantile, noise=noise, seed=seed)

    def plot_scree(self, analysis: ParallelAnalysis | None = None, ax: Any = None) -> Any:
        """The eigenvalues by rank; with a parallel `analysis`, the limits of noise beside them."""
        if analysis is not None:
            return analysis.plot_scree(ax)
        components, reduced = eigenvalues(self._matrix)
        index = pd.RangeIndex(1, len(components) + 1, name="k")
        return upstairs("plot_scree")(pd.DataFrame({"components": components, "factors": reduced}, index), ax)

    def general_factor(self, n: int | None = None) -> GeneralFactor:
        """ω_h and the explained common variance by n group factors (see `extraction.general_factor`).

        n is that of the model if it has two or more, and 3 otherwise, as in R's psych.

        >>> rng = np.random.default_rng(3)
        >>> general, groups = rng.standard_normal((5000, 1)), rng.standard_normal((5000, 3))
        >>> table = 0.6 * general + 0.4 * np.repeat(groups, 4, 1) + rng.normal(0, 0.69, (5000, 12))
        >>> factors(table, 3).general_factor()  # 36 / (36 + 16) = 0.69
        GeneralFactor(omega_h=0.789, omega_total=0.912, explained_common_variance=0.683)
        """
        usual = self.n if self.n > 1 else 3
        count = usual if n is None else integer("n", n, 2)
        _check_size(self.agents, len(self._matrix), count)
        return general_factor(self._matrix, self.loadings.index, count, self.method)


def _varying(frame: pd.DataFrame, constant: str) -> pd.DataFrame:
    same = frame.nunique() <= 1
    problem = "[no-variance] is an item that is the same for all agents, and correlates with nothing"
    remedy = 'drop it, or pass constant="drop"'
    ensure(constant == "drop" or not same.any(), "responses", same.idxmax(), problem, remedy)
    return frame.loc[:, ~same]


def _check_size(agents: int, items: int, n: int) -> None:
    """Enough agents to correlate, and more correlations than loadings to fit to them."""
    ensure(agents >= 3, "responses", (agents, items), "[too-few] has too few agents", "measure three or more")
    problem = f"[too-many-factors] is too many factors for {items} varying items"
    remedy = "ask for fewer factors (three items carry one, six carry three)"
    ensure(n < items and (items - n) ** 2 >= items + n, "n", n, problem, remedy)


def resampled_loadings(model: FactorModel, count: int, rng: np.random.Generator) -> FloatArray:
    """The rotated loadings of `count` resamples (resamples x items x factors).

    Each resample is extracted again, in one descent from the estimate's uniquenesses, turned to the
    estimate's unrotated loadings, and rotated by the same criterion from the estimate's axes, so that its
    factors stay in order and sign: a factor that swaps its place or its sign would look like noise (Zientek
    and Thompson 2007).
    """
    rotated, plain = model.loadings.to_numpy(), model.unrotated
    axes = np.linalg.inv(np.linalg.lstsq(plain, rotated, rcond=None)[0]).T
    drawn = np.stack([_resampled(model, plain, rng) for _ in range(count)])
    turned = rotate_each(drawn @ procrustes(drawn, plain), model.rotation, axes, model.target)
    return turned * np.where((turned * rotated).sum(-2, keepdims=True) < 0, -1.0, 1.0)


def procrustes(stack: FloatArray, target: FloatArray) -> FloatArray:
    """The turn T of each matrix A that makes ‖A T - target‖ least: UV' of A'target = U S V'."""
    left, _, right = np.linalg.svd(stack.mT @ target)
    return left @ right


def _resampled(model: FactorModel, plain: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Unrotated loadings of agents drawn with replacement."""
    frame, start = model.frame, np.clip(1 - (plain**2).sum(1), 0.005, 1.0)
    while True:
        rows = frame.iloc[rng.integers(0, len(frame), len(frame))]
        if (rows.nunique() > 1).all():
            break
    if model.correlation_kind == "pearson" and not rows.isna().to_numpy().any():
        matrix = np.corrcoef(rows.to_numpy().T)
    else:
        rows = rows.set_axis(range(len(rows)), axis=0)
        matrix = smoothed(correlations(rows, model.correlation_kind, smooth=False).to_numpy())
    return extract(matrix, model.n, model.method, start)
