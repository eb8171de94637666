"""Correlations behind categories: known populations, gaps, smoothing, speed, and input that is refused."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from oracles.factor_tables import cut, groups, normal, printed, simulated
from refusals import cautioned
from scipy.stats import multivariate_normal

import gindex_lab as gl
from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.measures.psychometrics.correlations import (
    _bivariate_normal,
    _cell_chances,
    mixed,
    polychoric,
)


@pytest.mark.parametrize("rho", [-0.95, -0.3, 0.0, 0.5, 0.99])
def test_the_bivariate_normal_equals_scipys(rho):
    h, k = np.array([-1.2, 0.3, 2.0]), np.array([0.4, 0.3, -1.0])
    known = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).cdf(np.stack([h, k], 1))
    assert _bivariate_normal(h, k, np.full(3, rho)) == pytest.approx(known, abs=1e-6)


def test_the_slope_of_a_cells_chance_is_its_derivative():
    a, b, rho = np.array([[-0.5, 0.7]]), np.array([[-1.0, 0.2]]), np.array([0.4])
    chance, slope = _cell_chances(a, b, rho)
    ahead, behind = (_cell_chances(a, b, rho + step)[0] for step in (1e-5, -1e-5))
    assert slope == pytest.approx((ahead - behind) / 2e-5, abs=1e-6)
    assert chance.sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", ["polychoric", "mixed"])
def test_graded_items_give_back_the_correlations_behind_them(kind):
    behind = normal(1, 20_000, groups(2, 3), np.array([[1, 0.5], [0.5, 1]]))
    table = pd.DataFrame(cut(behind, [-1, 0, 1]))
    if kind == "mixed":
        table[0], table[1] = behind[:, 0], 1.0 * (behind[:, 1] > 0.5)
    found = gl.correlations(table, kind).to_numpy()
    assert found == pytest.approx(np.corrcoef(behind.T), abs=0.025)
    assert table.corr().to_numpy()[2, 3:] == pytest.approx(found[2, 3:] * 0.86, abs=0.03)


def test_the_names_of_categories_do_not_matter_but_their_order_does():
    table = simulated("graded")
    assert polychoric(table * 10 - 3).equals(polychoric(table))
    turned = polychoric(table.assign(v1=-table["v1"]))
    assert turned.to_numpy()[0, 1:] == pytest.approx(-polychoric(table).to_numpy()[0, 1:], abs=1e-8)


def test_an_item_with_fewer_categories_has_thresholds_of_its_own():
    table = pd.DataFrame(cut(normal(2, 3000, np.full((2, 1), 0.8)), [-1, 0, 1]))
    halved = table.assign(**{"1": table[1].clip(0, 1)}).drop(columns=1)
    halved.columns = [0, 1]
    assert polychoric(halved).iloc[0, 1] == pytest.approx(polychoric(table).iloc[0, 1], abs=0.05)


def test_a_hundred_right_or_wrong_items_take_seconds():
    table = (normal(3, 1000, np.full((100, 1), 0.6)) > 0).astype(float)
    start = time.process_time()
    found = gl.correlations(table, "tetrachoric")
    assert time.process_time() - start < 5
    assert found.to_numpy()[np.triu_indices(100, 1)].mean() == pytest.approx(0.36, abs=0.03)


def test_what_no_data_could_have_is_smoothed_and_said():
    few = np.random.default_rng(5).random((12, 9)) < 0.5
    with cautioned("smoothed"):
        found = gl.correlations(few.astype(float), "tetrachoric")
    assert np.linalg.eigvalsh(found).min() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rough = gl.correlations(few.astype(float), "tetrachoric", smooth=False)
    assert np.linalg.eigvalsh(rough).min() < 0


def test_factors_of_graded_and_mixed_items():
    graded = gl.factors(simulated("graded"), 2, correlation="polychoric")
    assert graded.proportion_of_variance > gl.factors(simulated("graded"), 2).proportion_of_variance
    assert gl.factors(simulated("mixed"), correlation="mixed").loadings.shape == (9, 1)
    assert gl.factors(simulated("graded"), 2, correlation="polychoric").bootstrap(
        seed=1, resamples=3
    ).shape == (16, 4)


def test_a_correlation_matrix_is_as_good_as_its_table():
    table = simulated("three")
    whole, matrix = gl.factors(table, 3), gl.factors(table.corr(), 3, n_obs=len(table))
    assert matrix.loadings.to_numpy() == pytest.approx(whole.loadings.to_numpy(), abs=1e-9)
    assert matrix.fit_indices().to_dict() == pytest.approx(whole.fit_indices().to_dict())
    assert matrix.parallel_analysis(seed=1, draws=10).n_factors == 3
    assert repr(matrix) == repr(whole)
    assert gl.dimensions(table.corr(), seed=1, n_obs=500, draws=10).suggested["MAP"] == 3


# -- degenerate tables end in a result or in a clear message --------------------------------------------


def test_two_items_that_are_one():
    table = normal(4, 100, np.full((5, 1), 0.6))
    table[:, 1] = table[:, 0]
    loadings = gl.factors(table).loadings["factor 1"]
    assert loadings.iloc[0] == pytest.approx(loadings.iloc[1], abs=1e-4)
    assert loadings.iloc[:2].min() > loadings.iloc[2:].max()
    assert gl.reliability(table, 2).alpha < 1
    binary = (table > 0).astype(float)
    found = gl.correlations(binary, "tetrachoric", smooth=False)
    assert 0.98 < found.iloc[0, 1] < 1


def test_more_items_than_agents():
    table = pd.DataFrame(normal(5, 8, np.full((12, 1), 0.6)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        model = gl.factors(table)
        assert np.isfinite(model.loadings.to_numpy()).all()
        assert np.isfinite(gl.reliability(table).omega_total)
        found = gl.dimensions(table, 3, seed=1, draws=10)
    assert "BIC" not in found.suggested
    assert len(found.suggested) == 6


def test_a_model_without_degrees_of_freedom_has_no_p():
    found = gl.factors(normal(6, 100, np.full((3, 1), 0.6)), method="ml").fit_indices()
    assert found["df"] == 0
    assert found["chi_square"] == pytest.approx(0, abs=1e-6)
    assert found[["p", "rmsea", "tli"]].isna().all()


# -- bad input -------------------------------------------------------------------------------------------

TABLE = simulated("few")
THREE = simulated("three")
MATRIX, PEOPLE = printed("thurstone")
NOT_SQUARE = MATRIX.iloc[:5]
LOPSIDED = MATRIX.to_numpy() + np.triu(np.full((9, 9), 0.01), 1)


@pytest.mark.parametrize(
    ("call", "argument", "code"),
    [
        (lambda: gl.correlations(TABLE, "kendall"), "kind", "not-an-option"),
        (lambda: gl.correlations(TABLE, smooth=1), "smooth", "not-a-flag"),
        (lambda: gl.correlations(TABLE, "polychoric"), "responses", "too-many-categories"),
        (
            lambda: gl.correlations([[0, 1], [2, 1]], "tetrachoric"),
            "responses['agent 2', 'item 1']",
            "not-binary",
        ),
        (lambda: gl.correlations([[0, 1], [1, 1]], "tetrachoric"), "responses", "no-variance"),
        (lambda: gl.factors(NOT_SQUARE, n_obs=50), "responses", "not-a-correlation-matrix"),
        (lambda: gl.factors(LOPSIDED, n_obs=50), "responses", "not-a-correlation-matrix"),
        (lambda: gl.factors(2 * MATRIX, n_obs=50), "responses", "not-a-correlation-matrix"),
        (lambda: gl.factors(MATRIX * 0.9, n_obs=50), "responses", "not-a-correlation-matrix"),
        (lambda: gl.factors(MATRIX, n_obs=0), "n_obs", "out-of-range"),
        (lambda: gl.factors(MATRIX, n_obs="many"), "n_obs", "not-a-whole-number"),
        (lambda: gl.factors(MATRIX, n_obs=2), "responses", "too-few"),
        (lambda: gl.factors(MATRIX, n_obs=213).scores(), "responses", "needs-responses"),
        (lambda: gl.factors(MATRIX, n_obs=213).bootstrap(seed=1), "responses", "needs-responses"),
        (lambda: gl.factors(MATRIX, n_obs=213).fit_indices("sas"), "convention", "not-an-option"),
        (lambda: gl.factors(MATRIX, n_obs=4).fit_indices(), "responses", "too-few"),
        (lambda: gl.factors(TABLE).scores("sum"), "method", "not-an-option"),
        (lambda: gl.factors(TABLE).bootstrap(seed=None), "seed", "not-a-seed"),
        (lambda: gl.factors(TABLE).bootstrap(seed=1, resamples=1), "resamples", "out-of-range"),
        (lambda: gl.factors(TABLE).bootstrap(seed=1, ci=95), "ci", "out-of-range"),
        (lambda: gl.factors(THREE, 2, rotation="bifactor"), "rotation", "too-few-factors"),
        (lambda: gl.factors(THREE, 2, rotation="target"), "target", "missing"),
        (lambda: gl.factors(THREE, 2, target=np.zeros((12, 2))), "target", "unused"),
        (
            lambda: gl.factors(THREE, 2, rotation="target", target=np.zeros((2, 12))),
            "target",
            "wrong-shape",
        ),
        (
            lambda: gl.factors(THREE, 2, rotation="target", target=np.full((12, 2), np.nan)),
            "target",
            "not-finite",
        ),
        (lambda: gl.reliability(TABLE, 1), "n", "out-of-range"),
        (lambda: gl.reliability(TABLE, ci=2), "ci", "out-of-range"),
        (lambda: gl.reliability(TABLE, flip="yes"), "flip", "not-a-flag"),
        (lambda: gl.reliability(TABLE[["v1"]]), "responses", "too-few"),
        (lambda: gl.reliability(np.ones((9, 4))), "responses", "too-few"),
        (lambda: gl.dimensions(TABLE, 5, seed=1), "most", "too-many-factors"),
        (lambda: gl.dimensions(TABLE, seed="x"), "seed", "not-a-seed"),
        (lambda: gl.dimensions(TABLE[["v1", "v2"]], seed=1), "n", "too-many-factors"),
    ],
)
@pytest.mark.filterwarnings("ignore::gindex_lab.foundation.errors.Caution")
def test_bad_input_is_refused_by_name(call, argument, code):
    with pytest.raises(BadInput) as refused:
        call()
    assert (refused.value.argument, refused.value.code) == (argument, code)


def test_a_singular_matrix_has_neither_fit_nor_ten_berges_scores():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Caution)
        model = gl.factors(normal(7, 6, np.full((9, 1), 0.6)))
    for call in (model.fit_indices, lambda: model.scores("ten_berge"), model.bartlett):
        with pytest.raises(BadInput) as refused:
            call()
        assert refused.value.code == "singular"


def test_ten_berges_scores_correlate_as_the_factors_do():
    model = gl.factors(THREE, 3)
    found = np.corrcoef(model.scores("ten_berge").to_numpy().T)
    assert found == pytest.approx(model.factor_correlations.to_numpy(), abs=1e-6)
    one = gl.factors(simulated("one"))
    assert one.scores("ten_berge")["factor 1"].std() == pytest.approx(1)


def test_bartletts_scores_are_unbiased_and_regressions_shrink():
    rng = np.random.default_rng(8)
    general = rng.standard_normal((5000, 1))
    model = gl.factors(0.7 * general + np.sqrt(0.51) * rng.standard_normal((5000, 6)))
    for method, slope in (("bartlett", 1.0), ("regression", 0.852)):
        score = model.scores(method)["factor 1"]
        assert np.polyfit(general[:, 0], score, 1)[0] == pytest.approx(slope, abs=0.02), method


def test_mixed_of_graded_items_alone_is_polychoric():
    assert mixed(simulated("graded")).equals(polychoric(simulated("graded")))


def test_too_few_items_for_the_groups_leave_omega_out():
    with cautioned("too-few-items"):
        found = gl.reliability(simulated("few").iloc[:, :4])
    assert np.isnan(found.omega_h)
    assert found.general is None
    assert 0 < found.alpha_low < found.alpha < found.alpha_high < 1
    assert "4 items" in repr(found)


def test_items_are_turned_on_request_only():
    table = simulated("reversed")
    turned, plain = gl.reliability(table), gl.reliability(table, flip=False)
    assert list(turned.items.index[turned.items["flipped"]]) == ["v3", "v7", "v11"]
    assert not plain.items["flipped"].any()
    assert turned.alpha > 0.7 > plain.alpha
    assert turned.omega_h > plain.omega_h
