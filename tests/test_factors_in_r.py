"""Factor analysis against R 4.2.2: psych 2.2.9, lavaan 0.6.14, polycor 0.8.1, GPArotation 2022.10.2.

Fifteen tables, simulated here or printed in textbooks (`oracles/factor_tables.py`); the calls stand in
`oracles/factors_in_r.R`, the numbers they gave in `oracles/factors_in_r.txt`.
"""

import warnings
from functools import cache

import numpy as np
import pytest
from oracles.factor_tables import FACTORS, PRINTED, in_r, printed, simulated
from scipy.optimize import linear_sum_assignment

import gindex_lab as gl
from gindex_lab.measures.psychometrics import correlations
from gindex_lab.measures.psychometrics.dimensions import (
    minimum_average_partial,
    very_simple_structure,
)
from gindex_lab.measures.psychometrics.extraction import extract, general_factor
from gindex_lab.measures.psychometrics.factor_fit import fit_indices
from gindex_lab.measures.psychometrics.reliability import alpha_interval
from gindex_lab.measures.psychometrics.rotation import rotate

R = in_r()
KIND = {"binary": "tetrachoric", "rare": "tetrachoric", "mixed": "mixed"}
KIND |= {"graded": "polychoric", "sparse": "polychoric", "gaps_graded": "polychoric"}
IN_PSYCH = ["chi_square", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "tli", "srmr", "bic"]
IN_LAVAAN = ["chi_square", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "tli", "cfi", "srmr"]


@cache
def matrix_of(name):
    """Correlations, and how many people."""
    if name in PRINTED:
        table, people = printed(name)
        return table.to_numpy(), people
    table = simulated(name)
    kind = KIND.get(name, "pearson")
    return gl.correlations(table, kind, smooth=False).to_numpy(), len(table)


@cache
def unrotated(name, method):
    return extract(matrix_of(name)[0], FACTORS[name], method)


def matched(ours, theirs):
    """Their columns in our order and with our signs."""
    alike = ours.T @ theirs
    _, order = linear_sum_assignment(-np.abs(alike))
    return theirs[:, order] * np.sign(alike[np.arange(len(order)), order])


def in_columns(name, what):
    return R[name, what].reshape(FACTORS[name], -1).T


@pytest.mark.parametrize("method", ["minres", "ml"])
@pytest.mark.parametrize("name", FACTORS)
def test_fit_equals_psych(name, method):
    (matrix, people), loadings = matrix_of(name), unrotated(name, method)
    shared = (loadings**2).sum(1)
    assert shared == pytest.approx(R[name, f"communalities.{method}"], abs=1e-4)
    implied = loadings @ loadings.T
    np.fill_diagonal(implied, 1.0)
    found = fit_indices(matrix, implied, FACTORS[name], people, "psych")
    assert found[IN_PSYCH].to_numpy() == pytest.approx(R[name, f"fit.{method}"], rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("name", [name for name in FACTORS if (name, "fit.lavaan") in R])
def test_fit_equals_lavaan(name):
    (matrix, people), loadings = matrix_of(name), unrotated(name, "ml")
    implied = loadings @ loadings.T
    np.fill_diagonal(implied, 1.0)
    found = fit_indices(matrix, implied, FACTORS[name], people, "lavaan")
    assert found[IN_LAVAAN].to_numpy() == pytest.approx(R[name, "fit.lavaan"], abs=1e-4)


@pytest.mark.parametrize("name", KIND)
def test_correlations_behind_categories_equal_psych(name):
    theirs = R[name, "correlations"]
    if name == "sparse":  # see the test below
        return
    worst = 1e-3 if name == "mixed" else 1e-4  # psych's biserial is smaller by √(1 - 1/n)
    assert matrix_of(name)[0].ravel() == pytest.approx(theirs, abs=worst)


def test_polychoric_and_polyserial_equal_polycor():
    assert matrix_of("mixed")[0].ravel() == pytest.approx(R["mixed", "hetcor"], abs=1e-4)
    assert matrix_of("graded")[0][0, 1:] == pytest.approx(R["graded", "polychor"], abs=1e-4)


def test_psych_counts_the_halves_of_empty_cells_twice(monkeypatch):
    """psych leaves the shares of a corrected table summing above one, ours sum to one: up to 0.012 here."""
    ours = matrix_of("sparse")[0].ravel()
    assert 0.005 < np.abs(ours - R["sparse", "correlations"]).max() < 0.02
    counts = correlations._of_pairs.__globals__["_cuts"]
    table = simulated("sparse")

    def inflated(margins):  # shares of the people before the halves were added
        whole = margins.sum(1, keepdims=True)
        return counts(margins) if (whole == len(table)).all() else cuts_of(margins / len(table))

    def cuts_of(shares):
        from scipy.special import ndtri

        return np.clip(np.nan_to_num(ndtri(shares.cumsum(1)[:, :-1]), nan=38.0), -38.0, 38.0)

    monkeypatch.setattr(correlations, "_cuts", inflated)
    theirs = correlations.polychoric(table).to_numpy().ravel()
    assert theirs == pytest.approx(R["sparse", "correlations"], abs=1e-3)


@pytest.mark.parametrize(
    "rotation",
    ["oblimin", "varimax", "promax", "quartimax", "bifactor", "target", "target_orthogonal"],
)
def test_rotations_equal_r(rotation):
    names = [name for name in FACTORS if (name, rotation) in R and FACTORS[name] > 1]
    assert len(names) >= (5 if rotation == "bifactor" else 8)
    for name in names:
        loadings, n = unrotated(name, "minres"), FACTORS[name]
        items, target = len(loadings), None
        if rotation.startswith("target"):
            target = np.zeros((items, n))
            target[np.arange(items), np.arange(items) * n // items] = np.nan
        ours, phi = rotate(loadings, rotation, target)
        assert ours == pytest.approx(matched(ours, in_columns(name, rotation)), abs=1e-3), name
        if rotation == "oblimin":
            theirs = np.sort(R[name, "phi"])
            assert np.sort(np.abs(phi).ravel()) == pytest.approx(np.abs(theirs), abs=1e-3)


def test_scores_equal_psych():
    for method, theirs in (
        ("thurstone", "Thurstone"),
        ("bartlett", "Bartlett"),
        ("ten_berge", "tenBerge"),
    ):
        found = gl.factors(simulated("three"), 3).scores(method).to_numpy()[:6]
        wanted = matched(found, R["three", theirs].reshape(3, 6).T)
        assert found == pytest.approx(wanted, abs=1e-4), method
    one = gl.factors(simulated("one"))
    assert one.scores("thurstone").to_numpy()[:6, 0] == pytest.approx(R["one", "Thurstone"], abs=1e-4)
    assert one.scores("bartlett").to_numpy()[:6, 0] == pytest.approx(R["one", "Bartlett"], abs=1e-4)


@pytest.mark.parametrize("name", [name for name in FACTORS if (name, "omega") in R])
def test_omega_equals_psych(name):
    matrix, _ = matrix_of(name)
    if name in PRINTED:
        found = general_factor(matrix, np.arange(len(matrix)), 3)
    else:
        found = gl.reliability(simulated(name), correlation=KIND.get(name, "pearson"))
    ours = (found.omega_h, found.omega_total, found.explained_common_variance)
    assert ours == pytest.approx(R[name, "omega"][:3], abs=1e-4)


@pytest.mark.parametrize("name", [name for name in FACTORS if (name, "alpha") in R])
def test_alpha_equals_psych(name):
    with warnings.catch_warnings(record=True):
        found = gl.reliability(simulated(name))
    ours = (found.alpha, found.standardised_alpha)
    assert ours == pytest.approx(R[name, "alpha"][:2], abs=1e-7)
    feldt = alpha_interval(found.alpha, found.agents, len(found.items))
    assert feldt == pytest.approx(R[name, "alpha.feldt"], abs=1e-7)
    dropped, rest = found.items["alpha_if_dropped"], found.items["item_rest"]
    assert dropped.to_numpy() == pytest.approx(R[name, "alpha.dropped"], abs=1e-7)
    assert rest.to_numpy() == pytest.approx(R[name, "r.drop"], abs=1e-7)
    if (name, "key") in R:
        assert (found.items["flipped"].to_numpy() == (R[name, "key"] < 0)).all()


@pytest.mark.parametrize("name", FACTORS)
def test_map_and_simple_structure_equal_psych(name):
    """VSS up to the factors that are there: beyond, psych's minima and its varimax are not the least."""
    matrix, theirs = matrix_of(name)[0], R[name, "map"]
    ours = minimum_average_partial(matrix, len(theirs))["map"].to_numpy()[1:]
    assert ours == pytest.approx(theirs, abs=1e-4)
    turned, n = rotate(unrotated(name, "minres"), "varimax")[0], FACTORS[name]
    assert very_simple_structure(matrix, turned, 1) == pytest.approx(R[name, "vss1"][n - 1], abs=1e-3)
    if n > 1:
        second = very_simple_structure(matrix, turned, 2)
        assert second == pytest.approx(R[name, "vss2"][n - 1], abs=1e-3)
