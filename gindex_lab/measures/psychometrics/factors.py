"""Factor analysis: do the items measure one thing, and how much of it is each item?

The classical way to a general intelligence: correlate the items over agents, and look for the few
factors that would explain the correlations. Extraction is in `extraction`, the number of factors in
`factors_parallel`, rotations in `rotation`, the general factor of several in `bifactor`, tetrachoric
correlations in `correlations`. Note what generality analysis adds: a factor belongs to a population,
never to an agent.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, Caution, short
from gindex_lab.foundation.likes import NumbersLike, ResponsesLike, SeedLike
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, choice, integer, numeric_frame
from gindex_lab.measures.psychometrics.correlations import (
    KINDS,
    correlation_matrix,
    correlations,
    smoothed,
    warn_of_smoothing,
)
from gindex_lab.measures.psychometrics.extraction import (
    METHODS,
    GeneralFactor,
    extract,
    general_factor,
)
from gindex_lab.measures.psychometrics.factor_fit import (
    adequacy,
    sphericity,
)
from gindex_lab.measures.psychometrics.factor_solution import FactorSolution
from gindex_lab.measures.psychometrics.factors_parallel import (
    ParallelAnalysis,
    eigenvalues,
    parallel_analysis,
)
from gindex_lab.measures.psychometrics.rotation import (
    ROTATIONS,
    TARGETED,
    rotate,
    wanted_loadings,
)

__all__ = ["FactorModel", "factors"]


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
        """Kaiser, Meyer and Olkin's adequacy: Σ r² / (Σ r² + Σ partial r²) off the diagonal.

        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> round(factors(table).kmo, 2), round(factors(rng.standard_normal((500, 4))).kmo, 2)
        (0.78, 0.46)
        """
        return float(adequacy(self._matrix)[0])

    @property
    def kmo_items(self) -> pd.Series:
        """The same for each item (MSA): below 0.5, the item shares too little with the others."""
        return pd.Series(adequacy(self._matrix)[1], self.loadings.index, name="kmo")

    def bartlett(self) -> pd.Series:
        """Bartlett's (1950) test that all items are uncorrelated: `statistic`, `df`, `p`.

        χ² = -(agents - 1 - (2p + 5) / 6) ln |R| on p(p - 1) / 2 degrees of freedom.

        >>> rng = np.random.default_rng(1)
        >>> table = rng.standard_normal((500, 1)) + rng.standard_normal((500, 4))
        >>> factors(table).bartlett().round(3).to_dict()
        {'statistic': 512.89, 'df': 6.0, 'p': 0.0}
        """
        return sphericity(self._matrix, self.agents)

    def bootstrap(self, *, seed: SeedLike, resamples: int = 400, ci: float = 0.95) -> pd.DataFrame:
        """`loading`, `se`, `low` and `high` of each item on each factor (see `factors_bootstrap`)."""
        from gindex_lab.measures.psychometrics.factors_bootstrap import bootstrap_loadings

        return bootstrap_loadings(self, seed=seed, resamples=resamples, ci=ci)

    # -- how many, and how general ---------------------------------------------------------------------

    def parallel_analysis(
        self,
        *,
        seed: SeedLike,
        draws: int = 100,
        quantile: float = 0.95,
        noise: str = "normal",
    ) -> ParallelAnalysis:
        """How many components and factors stand above noise (see `factors_parallel`).

        >>> rng = np.random.default_rng(2)
        >>> two = np.repeat(rng.standard_normal((400, 2)), 4, axis=1) + rng.standard_normal((400, 8))
        >>> factors(two, 2).parallel_analysis(seed=1, draws=20).n_factors
        2
        """
        shape = (self.agents, len(self._matrix))
        bare = self._frame is None and noise == "normal"
        return parallel_analysis(
            np.zeros(shape) if bare else self.frame.to_numpy(),
            self._matrix,
            seed=seed,
            draws=draws,
            quantile=quantile,
            noise=noise,
        )

    def plot_scree(self, analysis: ParallelAnalysis | None = None, ax: Any = None) -> Any:
        """The eigenvalues by rank; with a parallel `analysis`, the limits of noise beside them."""
        if analysis is not None:
            return analysis.plot_scree(ax)
        components, reduced = eigenvalues(self._matrix)
        index = pd.RangeIndex(1, len(components) + 1, name="k")
        return upstairs("plot_scree")(
            pd.DataFrame({"components": components, "factors": reduced}, index), ax
        )

    def general_factor(self, n: int | None = None) -> GeneralFactor:
        """ω_h and the explained common variance by n group factors (see `bifactor`).

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
    if same.any() and constant == "error":
        problem = (
            "[no-variance] is an item that is the same for all agents, and correlates with nothing"
        )
        remedy = 'drop it, or pass constant="drop"'
        raise BadInput("responses", same.idxmax(), problem, remedy)
    return frame.loc[:, ~same]


def _check_size(agents: int, items: int, n: int) -> None:
    """Enough agents to correlate, and more correlations than loadings to fit to them."""
    if agents < 3:
        problem, remedy = "[too-few] has too few agents", "measure three or more"
        raise BadInput("responses", (agents, items), problem, remedy)
    if n >= items or (items - n) ** 2 < items + n:
        remedy = "ask for fewer factors (three items carry one, six carry three)"
        problem = f"[too-many-factors] is too many factors for {items} varying items"
        raise BadInput("n", n, problem, remedy)
