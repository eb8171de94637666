"""Confirmatory factors against R's lavaan 0.6.14, their errors and test by simulation, and what is refused."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from oracles.confirmatory_models import GROUPS, HALVES, MODELS, in_lavaan
from oracles.factor_tables import PRINTED, groups, normal, printed, simulated
from refusals import cautioned

import gindex_lab as gl

R = in_lavaan()
IN_LAVAAN = ["chi_square", "df", "p", "rmsea", "rmsea_low", "rmsea_high", "tli", "cfi", "srmr"]


@cache
def fitted(name):
    table, factors, correlated = MODELS[name]
    data, people = printed(table) if table in PRINTED else (simulated(table), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gl.Caution)  # a Heywood case is one in lavaan too
        return gl.confirm(data, factors, correlated=correlated, n_obs=people)


@pytest.mark.parametrize("name", MODELS)
def test_loadings_correlations_errors_and_fit_equal_lavaan(name):
    model = fitted(name)
    rows = model.parameters
    keys = [(f, w) for f, w in zip(rows["factor"], rows["with"], strict=True)]
    theirs = pd.DataFrame(
        {what: R[name, what] for what in ("estimate", "se")},
        index=list(zip(R[name, "left"], R[name, "right"], strict=True)),
    ).loc[keys]
    loading = (rows["kind"] == "loading").to_numpy()
    sign = theirs["estimate"][loading].groupby([k[0] for k in keys if k[1][0] == "v"]).sum().map(np.sign)
    turned = [sign[f] * (1 if kind == "loading" else sign[w]) for f, kind, w in rows.iloc[:, :3].to_numpy()]
    assert rows["estimate"].to_numpy() == pytest.approx(theirs["estimate"] * turned, abs=2e-5)
    assert rows["se"].to_numpy() == pytest.approx(theirs["se"].to_numpy(), abs=1e-4)
    fit = model.fit_indices("lavaan")
    assert fit[IN_LAVAAN].to_numpy() == pytest.approx(R[name, "fit"], abs=1e-4)
    assert fit["bic"] == pytest.approx(R[name, "bic"][0], abs=1e-3)


def test_two_factors_whose_correlation_exceeds_one_are_cautioned_about():
    table, factors, _ = MODELS["one_as_two"]
    with cautioned("heywood"):
        gl.confirm(simulated(table), factors)


def test_units_order_and_other_items_do_not_matter():
    table = simulated("three")
    scaled = table.iloc[:, ::-1] * np.geomspace(0.01, 100, 12) + 5
    first = gl.confirm(table, GROUPS).loadings
    again = gl.confirm(scaled.assign(other=np.arange(500)), GROUPS).loadings
    assert again.loc[first.index].to_numpy() == pytest.approx(first.to_numpy(), abs=1e-6)


def test_matrix_and_responses_give_the_same():
    table = simulated("graded")
    one = gl.confirm(table, HALVES)
    other = gl.confirm(table.corr(), HALVES, n_obs=len(table))
    assert one.parameters["se"].to_numpy() == pytest.approx(other.parameters["se"].to_numpy())
    assert np.isnan(one.fit_indices()["p"])  # five values are not normal, and a matrix does not show it
    assert one.fit_indices("lavaan")["p"] == pytest.approx(other.fit_indices("lavaan")["p"])


def test_scores_follow_the_factors():
    table = simulated("three")
    model = gl.confirm(table, GROUPS)
    scores = model.scores("ten_berge")
    assert np.corrcoef(scores.to_numpy().T) == pytest.approx(model.factor_correlations.to_numpy(), abs=1e-6)
    assert scores["a"].corr(table[GROUPS["a"]].sum(axis=1)) > 0.95


def test_polychoric_factors_have_loadings_but_no_errors():
    model = gl.confirm(simulated("graded"), HALVES, correlation="polychoric")
    plain = gl.confirm(simulated("graded"), HALVES)
    assert (model.loadings["a"][:4] > plain.loadings["a"][:4]).all()
    assert model.parameters["se"].isna().all()
    assert model.fit_indices()[["p", "rmsea_low", "rmsea_high"]].isna().all()
    assert np.isfinite(model.fit_indices()[["rmsea", "cfi", "srmr"]]).all()


def test_agents_with_gaps_are_left_out_and_counted():
    table = simulated("three").mask(np.random.default_rng(1).random((500, 12)) < 0.01)
    with cautioned("gaps"):
        model = gl.confirm(table, GROUPS)
    assert model.agents == len(table.dropna())


@pytest.mark.slow
def test_errors_and_test_are_calibrated():
    """Of 600 tables of 150 agents: loadings within 1.96 errors, rejections of the true model at 5%."""
    pattern, phi = groups(2, 4), np.array([[1, 0.5], [0.5, 1]])
    truth = np.array([*pattern[:4, 0], *pattern[4:, 1], 0.5])
    held, p = [], []
    for seed in range(600):
        table = pd.DataFrame(normal([20, seed], 150, pattern, phi), columns=[*"abcdefgh"])
        model = gl.confirm(table, {"one": [*"abcd"], "two": [*"efgh"]})
        rows = model.parameters
        held.append((rows["estimate"] - truth).abs() <= 1.96 * rows["se"])
        p.append(model.fit_indices()["p"])
    assert np.mean(held, axis=0).min() > 0.92
    assert np.mean(held, axis=0).max() < 0.98
    assert 0.03 < np.mean(np.array(p) < 0.05) < 0.07


TABLE = simulated("three")


@pytest.mark.parametrize(
    ("call", "argument", "code"),
    [
        (lambda: gl.confirm(TABLE, ["v1", "v2"]), "factors", "wrong-type"),
        (lambda: gl.confirm(TABLE, {}), "factors", "empty"),
        (lambda: gl.confirm(TABLE, {"a": "v1"}), "factors", "wrong-type"),
        (lambda: gl.confirm(TABLE, {"a": 3}), "factors", "wrong-type"),
        (lambda: gl.confirm(TABLE, {"a": ["v1", "v2", "v99"]}), "factors", "unknown-label"),
        (lambda: gl.confirm(TABLE, {"a": ["v1", "v2"]}), "factors", "not-identified"),
        (lambda: gl.confirm(TABLE, {"a": ["v1", "v1", "v2"]}), "factors", "not-identified"),
        (lambda: gl.confirm(TABLE, GROUPS | {"d": ["v1"]}), "factors", "not-identified"),
        (lambda: gl.confirm(TABLE, {"a": [*TABLE], "b": [*TABLE]}), "factors", "not-identified"),
        (
            lambda: gl.confirm(TABLE, {"a": ["v1", "v2"], "b": ["v5", "v6"]}, correlated=False),
            "factors",
            "not-identified",
        ),
        (lambda: gl.confirm(TABLE, GROUPS, correlated="yes"), "correlated", None),
        (lambda: gl.confirm(TABLE, GROUPS, correlation="phi"), "correlation", None),
        (lambda: gl.confirm(TABLE, GROUPS, n_obs=500), "responses", "not-a-correlation-matrix"),
        (lambda: gl.confirm(TABLE.corr(), GROUPS, n_obs=2), "n_obs", "out-of-range"),
        (lambda: gl.confirm(TABLE.head(9), GROUPS), "responses", "too-few"),
        (lambda: gl.confirm(TABLE.assign(v1=1.0), GROUPS), "responses", "no-variance"),
        (lambda: gl.confirm(TABLE.assign(v1=TABLE["v2"]), GROUPS), "responses", "singular"),
        (lambda: gl.confirm(TABLE.mask(TABLE == TABLE), GROUPS), "responses", "too-few"),
        (lambda: gl.confirm(TABLE, GROUPS).fit_indices("mplus"), "convention", None),
        (lambda: gl.confirm(TABLE, GROUPS).scores("mean"), "method", None),
        (lambda: gl.confirm(TABLE, GROUPS, correlation="tetrachoric"), "responses[0, 'v1']", None),
        (lambda: gl.confirm("table", GROUPS), "responses", None),
    ],
)
@pytest.mark.filterwarnings("ignore::gindex_lab.Caution")
def test_bad_input_names_the_argument(call, argument, code):
    with pytest.raises(gl.BadInput) as refused:
        call()
    assert refused.value.argument == argument
    assert code is None or refused.value.code == code
