"""How much of a test is one general factor: Schmid and Leiman's transformation, ω_h and ECV.

Several oblique factors correlate; what they have in common is a factor of the factors. Schmid and
Leiman (1957) write both levels as loadings of the items themselves, one general and one per group,
all uncorrelated. ω_h is then the share of the sum score's variance that the general factor makes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import FloatArray
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.rotation import rotate, upright

__all__ = ["GeneralFactor", "general_factor", "schmid_leiman"]


@dataclass(frozen=True)
class GeneralFactor:
    """`loadings` (general and groups), `omega_h`, `omega_total`, `explained_common_variance`."""

    loadings: pd.DataFrame
    omega_h: float
    omega_total: float
    explained_common_variance: float

    def __repr__(self) -> str:
        return (
            f"GeneralFactor(omega_h={self.omega_h:.3f}, omega_total={self.omega_total:.3f}, "
            f"explained_common_variance={self.explained_common_variance:.3f})"
        )


def schmid_leiman(pattern: FloatArray, phi: FloatArray) -> tuple[FloatArray, FloatArray]:
    """General and group loadings of an oblique pattern Λ with factor correlations Φ.

    With γ the loadings of one factor fitted to Φ: general = Λγ, group = Λ √(1 - γ²). Two factors do
    not determine γ; both get √φ, as in R's psych.

    >>> pattern = np.array([[0.8, 0], [0.8, 0], [0, 0.8], [0, 0.8]])
    >>> general, group = schmid_leiman(pattern, np.array([[1, 0.25], [0.25, 1]]))
    >>> general.round(2), group[0].round(2)
    (array([0.4, 0.4, 0.4, 0.4]), array([0.69, 0.  ]))
    """
    if len(phi) == 2:
        second = np.sqrt(np.full(2, abs(phi[0, 1]))) * np.array([1.0, np.sign(phi[0, 1]) or 1.0])
    else:
        second = extract(phi, 1, "minres")[:, 0]
    second = np.clip(second, -1.0, 1.0)
    return upright((pattern @ second)[:, None])[:, 0], pattern * np.sqrt(1 - second**2)


def general_factor(
    matrix: FloatArray, items: pd.Index, n: int, method: str = "minres"
) -> GeneralFactor:
    """ω_h, ω and the explained common variance of a correlation matrix, by n group factors.

    ω_h = (Σ general)² / Σ R and ω = 1 - Σ (1 - communality) / Σ R (McDonald 1999; Zinbarg et al.
    2005, Psychometrika 70); ECV = Σ general² / Σ communality (Reise 2012). Oblimin rotation.

    >>> second, group = np.full((3, 1), 0.8), np.kron(np.eye(3), np.full((4, 1), 0.7))
    >>> matrix = group @ (second @ second.T + 0.36 * np.eye(3)) @ group.T + 0.51 * np.eye(12)
    >>> general_factor(matrix, pd.RangeIndex(12), 3)
    GeneralFactor(omega_h=0.756, omega_total=0.898, explained_common_variance=0.640)
    """
    if n < 2:
        raise BadInput("n", n, "leaves nothing to take a general factor of", "use n=3 or so")
    pattern, phi = rotate(extract(matrix, n, method), "oblimin")
    general, group = schmid_leiman(pattern, phi)
    table = pd.DataFrame(group, items, [f"group {k + 1}" for k in range(n)])
    table.insert(0, "general", general)
    communality = (table.to_numpy() ** 2).sum(1)
    total = float(matrix.sum())
    return GeneralFactor(
        loadings=table,
        omega_h=float(general.sum() ** 2 / total),
        omega_total=float(1 - (1 - communality).sum() / total),
        explained_common_variance=float((general**2).sum() / communality.sum()),
    )
