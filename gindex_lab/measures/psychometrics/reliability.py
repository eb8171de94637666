"""How reliable is the sum of the items? α, and ω of a general factor and of all.

α supposes that all items measure one thing equally well. ω needs no such supposition: ω_h is the share of
the sum's variance that one general factor makes, ω total the share that all factors make. An item that is
scored the other way round is turned first, and named.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import Caution, ensure
from gindex_lab.foundation.likes import ResponsesLike
from gindex_lab.foundation.validate import FloatArray, choice, confidence, flag, integer, numeric_frame
from gindex_lab.measures.psychometrics.correlations import KINDS, correlations, smoothed
from gindex_lab.measures.psychometrics.extraction import GeneralFactor, extract, general_factor
from gindex_lab.measures.psychometrics.rotation import upright

__all__ = ["Reliability", "alpha_interval", "alpha_limits", "cronbach_alpha", "reliability"]

# agents, and skewness of the sum, within which limits of α held on the designs called "tuning"
# (`data/measured/reliability.csv`)
_FEWEST, _MOST_SKEW = 30, 0.8


@dataclass(frozen=True)
class Reliability:
    """`alpha` with `alpha_low` and `alpha_high`, `omega_total`, `omega_h`, `items`, and more.

    `items` has for each item whether it was turned, its correlation with the sum of the others
    (`item_rest`), and α without it (`alpha_if_dropped`).
    """

    alpha: float
    alpha_low: float
    alpha_high: float
    standardised_alpha: float
    omega_total: float
    omega_h: float
    explained_common_variance: float
    items: pd.DataFrame
    general: GeneralFactor | None
    agents: int

    def __repr__(self) -> str:
        turned = int(self.items["flipped"].sum())
        return (
            f"Reliability(alpha={self.alpha:.3f} [{self.alpha_low:.3f}, {self.alpha_high:.3f}], "
            f"omega_total={self.omega_total:.3f}, omega_h={self.omega_h:.3f}, "
            f"{len(self.items)} items, {turned} turned)"
        )


def reliability(
    responses: ResponsesLike, n: int = 3, *, correlation: str = "pearson", flip: bool = True, ci: float = 0.95
) -> Reliability:
    """Compute α, ω total and ω hierarchical of the sum of items.

    Parameters
    ----------
    responses : Responses or a table, agents x items; items that are the same for all agents are left out,
        missing cells pair by pair
    n : group factors of ω (three, as in R's psych); with too few items for them ω is NaN, with a `Caution`
    correlation : "pearson", or "tetrachoric", "polychoric" or "mixed" for the reliability of what lies
        behind the categories (α is then that of the correlations)
    flip : turn items that load below zero: on the first principal component for α
        (`psych::alpha(x, check.keys = TRUE)`), on the general factor for ω (`psych::omega(x, n)`)
    ci : the confidence of the limits of α (see `alpha_limits`, also on where there are none)

    Returns
    -------
    Reliability with `alpha`, `alpha_low`, `alpha_high`, `omega_total`, `omega_h`, `items` (DataFrame:
    `flipped`, `item_rest`, `alpha_if_dropped`), `general` (the loadings behind ω).

    References
    ----------
    Cronbach (1951), Psychometrika 16, 297-334; McDonald (1999), Test Theory; Zinbarg et al. (2005),
    Psychometrika 70, 123-133 (ω_h).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> table = 0.6 * rng.standard_normal((500, 1)) + 0.8 * rng.standard_normal((500, 9))
    >>> table[:, 0] *= -1  # an item scored the other way round
    >>> reliability(table)
    Reliability(alpha=0.794 [0.763, 0.821], omega_total=0.807, omega_h=0.703, 9 items, 1 turned)
    """
    choice("correlation", correlation, KINDS)
    groups, level = integer("n", n, 2), confidence(ci)
    frame = numeric_frame("responses", getattr(responses, "frame", responses))
    frame = frame.loc[:, frame.nunique() > 1]
    problem, remedy = "[too-few] has too few agents or varying items", "measure three and two or more"
    ensure(frame.shape[1] > 1 and len(frame) > 2, "responses", frame.shape, problem, remedy)
    table = correlations(frame, correlation, smooth=False)
    matrix = smoothed(table.to_numpy())
    turn = _component_signs(matrix) if flag("flip", flip) else np.ones(len(matrix))
    shared = frame.cov().to_numpy() if correlation == "pearson" else table.to_numpy()
    covariance = shared * np.outer(turn, turn)
    spread = np.sqrt(covariance.diagonal())
    alpha = cronbach_alpha(covariance)
    general = _general(matrix, table.index, groups, flip)
    omegas = (np.nan,) * 3
    if general is not None:
        omegas = general.omega_total, general.omega_h, general.explained_common_variance
    ends = (np.nan, np.nan)
    if correlation == "pearson":
        ends = alpha_limits(frame.to_numpy() * turn, level)
    standardised = cronbach_alpha(covariance / np.outer(spread, spread))
    items = _item_table(covariance, table.index, turn)
    return Reliability(alpha, *ends, standardised, *omegas, items, general, len(frame))


def cronbach_alpha(covariance: FloatArray) -> float:
    """α = p/(p - 1) (1 - tr C / Σ C) of the items' covariances C (R: `psych::alpha`)."""
    items = len(covariance)
    return float(items / (items - 1) * (1 - np.trace(covariance) / covariance.sum()))


def alpha_interval(alpha: float, agents: int, items: int, ci: float = 0.95) -> tuple[float, float]:
    """Feldt's interval: (1 - α) / (1 - α̂) is distributed as F on (n - 1, (n - 1)(p - 1)).

    Exact for normal responses with equal variances and covariances (R: `psych::alpha.ci`).
    """
    from scipy.stats import f

    tails = f.ppf([(1 + ci) / 2, (1 - ci) / 2], agents - 1, (agents - 1) * (items - 1))
    low, high = 1 - (1 - alpha) * tails
    return float(low), float(high)


def alpha_limits(values: FloatArray, ci: float = 0.95) -> tuple[float, float]:
    """The limits of α of agents x items: Feldt's, or those that suppose no law, whichever are wider.

    Feldt's hold for normal responses and are too narrow for rare successes and heavy tails; the others take
    the error of log(1 - α) from each agent's influence on α, and are too narrow for few agents. NaN with
    gaps, with fewer than 30 agents, or where the sum has a skewness beyond ±0.8: there neither was measured
    to hold (`data/measured/reliability.csv`).

    >>> rng = np.random.default_rng(1)
    >>> table = rng.standard_normal((100, 1)) + rng.standard_normal((100, 5))
    >>> [round(limit, 3) for limit in alpha_limits(table)]
    [0.726, 0.869]

    References
    ----------
    Feldt (1965), Psychometrika 30, 357-370; Maydeu-Olivares, Coffman and Hartmann (2007), Psychol. Methods
    12, 157-176 (no law supposed).
    """
    from scipy.stats import skew, t

    agents, items = values.shape
    if np.isnan(values).any() or agents < _FEWEST or abs(skew(values.sum(1))) > _MOST_SKEW:
        return np.nan, np.nan
    apart = values - values.mean(0)
    covariance = np.cov(values.T)
    alpha, total = cronbach_alpha(covariance), covariance.sum()
    own, sums = (apart**2).sum(1), apart.sum(1) ** 2
    influence = items / (items - 1) * (np.trace(covariance) * sums / total - own) / total
    half = t.ppf((1 + ci) / 2, agents - 1) * influence.std(ddof=1) / np.sqrt(agents) / (1 - alpha)
    free = 1 - (1 - alpha) * np.exp(half), 1 - (1 - alpha) * np.exp(-half)
    feldt = alpha_interval(alpha, agents, items, ci)
    return float(min(free[0], feldt[0])), float(max(free[1], feldt[1]))


def _component_signs(matrix: FloatArray) -> FloatArray:
    """-1 for items that load below zero on the first principal component."""
    leading = np.linalg.eigh(matrix)[1][:, -1]
    leading = leading if leading.sum() >= 0 else -leading
    return np.where(leading < 0, -1.0, 1.0)


def _general(matrix: FloatArray, items: pd.Index, n: int, flip: bool) -> GeneralFactor | None:
    """The general factor of n groups, its loadings above zero if items may be turned."""
    if n >= len(matrix) or (len(matrix) - n) ** 2 < len(matrix) + n:
        said = f"[too-few-items] {len(matrix)} items are too few for {n} group factors: omega is left out"
        warnings.warn(said, Caution, stacklevel=3)
        return None
    plain = extract(matrix, n, "minres")
    found = general_factor(matrix, items, n, plain=plain)
    signs = np.where(found.loadings["general"] < 0, -1.0, 1.0)
    if not flip or signs.min() > 0:
        return found
    turned = matrix * np.outer(signs, signs)  # and its loadings turn with it
    return general_factor(turned, items, n, plain=upright(signs[:, None] * plain))


def _item_table(covariance: FloatArray, items: pd.Index, turn: FloatArray) -> pd.DataFrame:
    """`flipped`, `item_rest` = c/√(s² of the item · s² of the rest), `alpha_if_dropped` of each item."""
    own = covariance.diagonal()
    with_all = covariance.sum(0)
    rest = covariance.sum() - 2 * with_all + own
    count = len(own) - 1
    dropped = np.full(count + 1, np.nan)
    if count > 1:
        dropped = count / (count - 1) * (1 - (own.sum() - own) / rest)
    columns = {
        "flipped": turn < 0,
        "item_rest": (with_all - own) / np.sqrt(own * rest),
        "alpha_if_dropped": dropped,
    }
    return pd.DataFrame(columns, items)
