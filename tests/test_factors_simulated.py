"""Simulations with known truth: the level of χ², the coverage of intervals, the recovery of loadings."""

import numpy as np
import pytest
from oracles.factor_tables import groups, normal

import gindex_lab as gl
from gindex_lab.measures.psychometrics.extraction import extract
from gindex_lab.measures.psychometrics.factor_fit import discrepancy, fit_indices
from gindex_lab.measures.psychometrics.factors import procrustes
from gindex_lab.measures.psychometrics.reliability import alpha_interval, cronbach_alpha
from gindex_lab.measures.psychometrics.rotation import rotate

PATTERN = groups(2, 4)
PHI = np.array([[1, 0.3], [0.3, 1]])


def implied_by(loadings):
    matrix = loadings @ loadings.T
    np.fill_diagonal(matrix, 1.0)
    return matrix


def fitted(seed, people, n, phi=PHI):
    """Fit indices of n maximum likelihood factors of a simulated table, searched from the truth."""
    matrix = np.corrcoef(normal(seed, people, PATTERN, phi).T)
    start = 1 - ((PATTERN @ phi) * PATTERN).sum(1)
    return fit_indices(matrix, implied_by(extract(matrix, n, "ml", start)), n, people)


@pytest.mark.slow
@pytest.mark.parametrize("people", [100, 400])
def test_a_true_model_is_rejected_once_in_twenty(people):
    p = [fitted([1, people, seed], people, 2)["p"] for seed in range(1000)]
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.07


@pytest.mark.slow
def test_the_interval_of_rmsea_covers_nine_times_in_ten():
    """One factor is fitted to two that correlate 0.85; its true RMSEA, 0.063, is that of the population."""
    phi = np.array([[1, 0.85], [0.85, 1]])
    population = implied_by(PATTERN @ np.linalg.cholesky(phi))
    truth = np.sqrt(discrepancy(population, implied_by(extract(population, 1, "ml"))) / 20)
    found = [fitted([2, seed], 300, 1, phi) for seed in range(1000)]
    inside = [row["rmsea_low"] <= truth <= row["rmsea_high"] for row in found]
    assert 0.86 < np.mean(inside) < 0.94


@pytest.mark.slow
def test_feldts_interval_covers_where_items_are_alike():
    truth = cronbach_alpha(implied_by(np.full((6, 1), 0.6)))
    inside = []
    for seed in range(2000):
        table = normal([3, seed], 50, np.full((6, 1), 0.6))
        low, high = alpha_interval(cronbach_alpha(np.cov(table.T)), 50, 6)
        inside.append(low <= truth <= high)
    assert 0.935 < np.mean(inside) < 0.965


@pytest.mark.slow
@pytest.mark.parametrize("rotation", ["oblimin", "none"])
def test_bootstrap_intervals_cover_the_loadings_of_the_population(rotation):
    population = implied_by(PATTERN @ np.linalg.cholesky(PHI))
    plain = extract(population, 2, "minres")
    truth, _ = rotate(plain, rotation)
    inside = []
    for seed in range(40):
        model = gl.factors(normal([4, seed], 300, PATTERN, PHI), 2, rotation=rotation)
        table = model.bootstrap(seed=seed, resamples=120)
        low, high = (table[side].unstack().to_numpy() for side in ("low", "high"))
        wanted = truth
        if rotation == "none":  # loadings are those of the axes that lie nearest
            wanted = plain @ procrustes(plain[None], model.loadings.to_numpy())[0]
        else:
            alike = model.loadings.to_numpy().T @ truth
            wanted = truth[:, np.abs(alike).argmax(1)]
        order = [list(table.index.levels[0]).index(item) for item in model.loadings.index]
        inside.append((low[order] <= wanted) & (wanted <= high[order]))
    assert 0.91 < np.mean(inside) < 0.98


@pytest.mark.slow
def test_loadings_and_their_correlation_are_recovered():
    found, phis = [], []
    for seed in range(100):
        loadings, phi = rotate(
            extract(np.corrcoef(normal([5, seed], 500, PATTERN, PHI).T), 2, "minres"), "oblimin"
        )
        order = np.abs(loadings.T @ PATTERN).argmax(0)
        found.append(loadings[:, order])
        phis.append(phi[0, 1])
    assert np.abs(np.mean(found, axis=0) - PATTERN).max() < 0.02
    assert np.std(found, axis=0).max() < 0.08
    assert np.mean(phis) == pytest.approx(0.3, abs=0.03)


def test_bootstrap_depends_on_the_seed_alone_and_keeps_order_and_sign():
    table = normal(6, 200, PATTERN, PHI)
    model = gl.factors(table, 2)
    first, again = (model.bootstrap(seed=3, resamples=30) for _ in range(2))
    assert first.equals(again)
    assert not first.equals(model.bootstrap(seed=4, resamples=30))
    assert ((first["low"] < first["loading"]) & (first["loading"] < first["high"])).mean() > 0.9
    assert first["se"].max() < 0.2  # a factor that swapped or turned would give 0.5 and more


@pytest.mark.parametrize("rotation", ["oblimin", "promax", "varimax", "bifactor", "target"])
def test_each_of_a_stack_is_rotated_as_it_is_alone(rotation):
    from gindex_lab.measures.psychometrics.rotation import rotate_each

    plain = extract(np.corrcoef(normal(7, 400, groups(3, 4)).T), 3, "minres")
    target = np.where(groups(3, 4) > 0, np.nan, 0.0) if rotation == "target" else None
    alone, _ = rotate(plain, rotation, target)
    axes = np.linalg.inv(np.linalg.lstsq(plain, alone, rcond=None)[0]).T
    stack = rotate_each(np.stack([plain, plain]), rotation, axes, target)
    assert stack[1] == pytest.approx(alone, abs=1e-5)
