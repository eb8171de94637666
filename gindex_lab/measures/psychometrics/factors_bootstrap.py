"""How sure are the loadings? Standard errors and intervals over resampled agents.

Each resample is extracted again, turned to the estimate's unrotated loadings (Schönemann's orthogonal
Procrustes), and rotated by the same criterion from the estimate's axes, so that its factors stay in order
and sign: a factor that swaps its place or its sign would look like noise (Zientek and Thompson 2007).
Extraction starts from the estimate's uniquenesses, one descent for each resample.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, confidence, generator, integer
from gindex_lab.measures.psychometrics.correlations import correlations, smoothed
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.factors import FactorModel
from gindex_lab.measures.psychometrics.rotation import rotate_each

__all__ = ["bootstrap_loadings", "procrustes"]


def bootstrap_loadings(
    model: FactorModel, *, seed: SeedLike, resamples: int = 400, ci: float = 0.95
) -> pd.DataFrame:
    """`loading`, `se`, `low`, `high` of each item on each factor; percentiles over resampled agents.

    A resample in which an item no longer varies is drawn again. After a bifactor rotation there are no limits
    (NaN): its criterion has several ends, and limits held in 66% (`data/measured/reliability.json`).

    >>> from gindex_lab.measures.psychometrics.factors import factors
    >>> rng = np.random.default_rng(1)
    >>> table = 0.6 * rng.standard_normal((400, 1)) + 0.8 * rng.standard_normal((400, 5))
    >>> bootstrap_loadings(factors(table), seed=1, resamples=100).round(2).iloc[0].to_dict()
    {'loading': 0.52, 'se': 0.05, 'low': 0.42, 'high': 0.59}

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13; Zientek and Thompson (2007), Behav.
    Res. Methods 39, 318-325.
    """
    count, level, rng = integer("resamples", resamples, 2), confidence(ci), generator(seed)
    rotated = model.loadings.to_numpy()
    plain = model.unrotated
    axes = np.linalg.inv(np.linalg.lstsq(plain, rotated, rcond=None)[0]).T
    drawn = np.stack([_resampled(model, plain, rng) for _ in range(count)])
    turned = rotate_each(drawn @ procrustes(drawn, plain), model.rotation, axes, model.target)
    turned = turned * np.where((turned * rotated).sum(-2, keepdims=True) < 0, -1.0, 1.0)
    low, high = np.quantile(turned, [(1 - level) / 2, (1 + level) / 2], axis=0)
    if model.rotation == "bifactor":
        low, high = np.full_like(low, np.nan), np.full_like(high, np.nan)
    columns = {"loading": rotated, "se": turned.std(0, ddof=1), "low": low, "high": high}
    index = pd.MultiIndex.from_product(
        [model.loadings.index, model.loadings.columns], names=["item", "factor"]
    )
    return pd.DataFrame({name: values.ravel() for name, values in columns.items()}, index)


def procrustes(stack: FloatArray, target: FloatArray) -> FloatArray:
    """The turn T of each matrix A that makes ‖A T - target‖ least: UV' of A'target = U S V'.

    >>> turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    >>> target = np.array([[0.7, 0.1], [0.2, 0.6], [0.5, 0.5]])
    >>> procrustes((target @ turn.T)[None], target)[0].round(2)
    array([[ 0.8, -0.6],
           [ 0.6,  0.8]])
    """
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
