"""gl.generality(method=...): isotonic, smooth and pooled curves, their limits and bands."""

import warnings

import numpy as np
import pandas as pd
import pytest
from refusals import cautioned, refused
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit

import gindex_lab as gl
from gindex_lab.measures.alternatives import methods, monotone, pooled, smooth
from gindex_lab.measures.curves import Scale
from gindex_lab.measures.samples import sample_of
from gindex_lab.studies.simulations import method_study
from gindex_lab.studies.simulations.coverage import PROFILES, Profile, simulate_profile

METHODS = ["isotonic", "smooth", "pooled"]
MEASURES = ["capability", "spread", "normalised_generality"]


def mixed(agents=12, items=40, seed=1, families=None, likeness=0.3):
    rng = np.random.default_rng(seed)
    some = [Profile(rng.uniform(0.2, 0.8), rng.uniform(0.06, 0.3)) for _ in range(agents)]
    return simulate_profile(some, items, families=families, likeness=likeness, seed=rng)


def without_families(study):
    items = study.items.drop(columns="family")
    return gl.Responses(study.frame, items=items, interval=study.interval)


@pytest.fixture(scope="module")
def study():
    return without_families(mixed())


@pytest.fixture(scope="module")
def tables(study):
    return {method: gl.generality(study, method=method, ci=0.95) for method in METHODS}


def test_plain_is_what_it_was_without_a_method(study):
    pd.testing.assert_frame_equal(
        gl.generality(study, ci=0.95), gl.generality(study, ci=0.95, method="plain")
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_columns_of_the_plain_table_and_ordered_limits(study, tables, method):
    table = tables[method]
    assert list(table.columns[:7]) == list(gl.generality(study).columns)
    for name in [*MEASURES, "generality", "expected_difficulty"]:
        assert (table[f"{name}_low"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_high"]).all()
    assert table["normalised_generality_high"].max() <= 1
    assert table.attrs["method"] == method
    assert table.attrs["interval"] == (0.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_call_gives_the_same_bytes(study, tables, method):
    again = gl.generality(study, method=method, ci=0.95)
    pd.testing.assert_frame_equal(again, tables[method], check_exact=True)


@pytest.mark.parametrize("method", METHODS)
def test_a_wider_confidence_gives_wider_limits(study, tables, method):
    wide = gl.generality(study, method=method, ci=0.99)
    for name in MEASURES:
        narrow = tables[method][f"{name}_high"] - tables[method][f"{name}_low"]
        assert (wide[f"{name}_high"] - wide[f"{name}_low"] >= narrow - 1e-12).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_table_is_that_of_the_curve_it_shows(study, tables, method):
    curve = gl.characteristic_curve(study, "agent 3", method=method)
    again = gl.generality(curve[["response"]].T.to_numpy(), curve["difficulty"].to_numpy(), interval=(0, 1))
    for name in MEASURES:
        assert again[name].iloc[0] == pytest.approx(tables[method].loc["agent 3", name], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_band_holds_its_curve_and_stays_between_0_and_1(study, method):
    curve = gl.characteristic_curve(study, "agent 1", method=method, ci=0.9)
    assert (curve["low"] <= curve["response"]).all()
    assert (curve["response"] <= curve["high"]).all()
    assert curve["low"].min() >= 0
    assert curve["high"].max() <= 1
    assert gl.plot_curve(curve).get_ylabel() == "mean response ψ"


@pytest.mark.parametrize("method", METHODS)
def test_a_change_of_unit_changes_the_numbers_by_that_unit(study, tables, method):
    scaled = gl.Responses(study.frame, difficulty=10 + 60 * study.difficulty, interval=(10, 70))
    found = gl.generality(scaled, method=method, ci=0.95)
    for name in ("capability", "capability_low", "capability_high"):
        assert np.allclose(found[name], 10 + 60 * tables[method][name], atol=1e-6)
    for name in ("spread", "spread_low", "spread_high"):
        assert np.allclose(found[name], 60 * tables[method][name], atol=1e-6)
    gamma = "normalised_generality"
    assert np.allclose(found[gamma], tables[method][gamma], atol=1e-8)


# -- isotonic ------------------------------------------------------------------------------------------


def test_the_falling_curve_is_scipys_isotonic_regression():
    rng = np.random.default_rng(3)
    h = rng.integers(0, 15, 60).astype(float)
    values = (rng.random((5, 60)) < 0.9 - 0.05 * h).astype(float)
    levels, psi, count = monotone.falling_curves(h, values)
    for row, n, found in zip(values, count, psi, strict=True):
        means = [row[h == level].mean() for level in levels]
        assert np.allclose(found, isotonic_regression(means, weights=n, increasing=False).x)


def test_a_rising_agent_gets_a_constant_curve_and_limits_that_hold_its_negative_generality():
    h = np.arange(20.0)
    found = gl.generality([(h > 9).astype(float)], h, method="isotonic", ci=0.95).iloc[0]
    assert found["normalised_generality"] == pytest.approx(0, abs=1e-9)
    assert found["normalised_generality_low"] <= gl.generality([h > 9], h)["normalised_generality"].item()
    assert not found["abstruse"]


def test_a_clearly_rising_agent_gets_no_falling_band_and_a_word():
    h = np.arange(20.0)
    with cautioned("rising"):
        curve = gl.characteristic_curve([h > 9], None, h, method="isotonic", ci=0.95)
    assert curve["low"].isna().all()
    assert curve["response"].notna().all()


def test_the_band_of_a_step_is_narrow_away_from_it_and_wide_on_it():
    h = np.arange(40.0)
    curve = gl.characteristic_curve([(h < 20).astype(float)], None, h, method="isotonic", ci=0.95)
    width = (curve["high"] - curve["low"]).to_numpy()
    assert width[3] < 0.2 < width[20]


def test_the_likelihood_ratio_band_agrees_with_a_search_over_all_falling_curves():
    """The same limits from scipy's optimiser: minimise the deviance with ψ falling and ψ_k fixed."""
    psi, n = np.array([1.0, 0.75, 0.5, 0.75, 0.0]), np.full(5, 4.0)
    low, high = monotone.ratio_band(np.arange(5.0), psi, n, 0.95)

    def deviance(q):
        q = np.clip(q, 1e-9, 1 - 1e-9)
        return -2 * float((n * (psi * np.log(q) + (1 - psi) * np.log(1 - q))).sum())

    best = deviance(isotonic_regression(psi, weights=n, increasing=False).x)
    falls = [{"type": "ineq", "fun": lambda q, i=i: q[i] - q[i + 1]} for i in range(4)]
    for theta, within in ((low[2] + 0.02, True), (low[2] - 0.02, False), (high[2] + 0.02, False)):
        fixed = {"type": "eq", "fun": lambda q, theta=theta: q[2] - theta}
        start = np.linspace(min(theta + 0.2, 0.99), max(theta - 0.2, 0.01), 5)
        found = minimize(deviance, start, bounds=[(1e-6, 1 - 1e-6)] * 5, constraints=[*falls, fixed])
        assert (found.fun - best <= monotone.RATIO * 3.8415) == within


# -- smooth --------------------------------------------------------------------------------------------


def test_the_smooth_curve_is_the_mode_of_its_posterior(study):
    sample = sample_of(study, Scale((0.0, 1.0)))
    found = smooth.smooth_posterior(sample, (0.0, 1.0))
    values, x = sample.values[2], found.columns
    own = np.diag(found.covariance[2])[2:] + found.mean[2, 2:] ** 2
    bend = (own.sum() + smooth.BELIEF * smooth.BEND**2) / (len(own) + smooth.BELIEF)
    prior = np.r_[smooth.LEVEL**-2, smooth.SLOPE**-2, np.full(len(own), 1 / bend)]

    def against(b):
        return np.logaddexp(0, x @ b).sum() - values @ (x @ b) + (prior * b**2).sum() / 2

    direct = minimize(against, np.zeros(len(prior)), method="BFGS", options={"gtol": 1e-8})
    assert np.allclose(x @ direct.x, x @ found.mean[2], atol=2e-3)


def test_weighted_draws_have_the_posterior_mean_that_quadrature_has(monkeypatch):
    """Two coefficients only, few responses: a posterior far from a Gaussian."""
    x = np.column_stack([np.ones(6), 0.5 - np.linspace(0, 1, 6)])
    y, prior = np.array([1.0, 1, 1, 1, 0, 1]), np.array([1 / 9, 1 / 400])
    a, s = np.meshgrid(np.linspace(-12, 15, 400), np.linspace(-80, 100, 400), indexing="ij")
    eta = a[..., None] * x[:, 0] + s[..., None] * x[:, 1]
    log = (y * eta - np.logaddexp(0, eta)).sum(axis=2) - (a**2 * prior[0] + s**2 * prior[1]) / 2
    density = np.exp(log - log.max())
    true = (density * expit(a)).sum() / density.sum()
    mode = minimize(lambda b: np.logaddexp(0, x @ b).sum() - y @ (x @ b) + (prior * b**2).sum() / 2, [0, 0]).x
    p = expit(x @ mode)
    covariance = np.linalg.inv((x.T * p * (1 - p)) @ x + np.diag(prior))[None]
    monkeypatch.setattr(smooth, "design", lambda at: np.column_stack([np.ones_like(at), 0.5 - at]))
    one = smooth.Posterior(
        smooth.Unit(0.0, 1.0), mode[None], covariance, covariance, np.ones(1), x,
        (x @ mode)[None], np.ones((1, 6)),
    )  # fmt: skip
    ((psi, weight),) = smooth._drawn(one, np.array([0.5]))
    assert weight @ psi[:, 0] == pytest.approx(true, abs=0.01)
    assert abs(psi[:, 0].mean() - true) > 0.02  # a Gaussian alone would not do


def test_noise_flattens_a_logistic_curve_as_marginal_says():
    e = np.random.default_rng(1).standard_normal(200_000)
    for eta, sd in ((1.0, 1.0), (3.0, 0.5), (-2.0, 1.5)):
        assert expit(eta + sd * e).mean() == pytest.approx(
            float(expit(smooth.marginal(sd**2) * eta)), abs=0.01
        )


# -- pooled --------------------------------------------------------------------------------------------


def test_eliminating_the_agents_gives_the_covariance_of_the_whole_model():
    """Schur's complement against the inverse of the full information matrix."""
    sample = sample_of(mixed(4, 9, families=3), Scale((0.0, 1.0)), "families")
    data = pooled._data(sample, (0.0, 1.0))
    found = pooled.Variances(pooled.GUESSED, 100.0, 0.2, 0.3, 0.4, 200.0)
    rng = np.random.default_rng(2)
    agents, p = 4, data.mine.shape[1]
    shared = data.shared(np.eye(9))
    own, common = 0.1 * rng.standard_normal((agents, p)), 0.1 * rng.standard_normal(shared.shape[1])
    state = pooled._newton(data, own, common, found)
    mine_prior, prior = pooled._precisions(found, data, common[1])
    rows = [
        np.concatenate([np.kron(np.eye(agents)[i], data.mine[j]), shared[j]])
        for i in range(agents)
        for j in range(9)
    ]
    x, at = np.array(rows), np.concatenate([own.ravel(), common])
    whole = np.zeros((len(at), len(at)))
    for i in range(agents):
        whole[i * p : i * p + p, i * p : i * p + p] = mine_prior
    whole[agents * p :, agents * p :] = prior
    chance = expit(x @ at)
    inverse = np.linalg.inv((x.T * chance * (1 - chance)) @ x + whole)
    step = inverse @ (x.T @ (data.solved.ravel() - chance) - whole @ at)
    size = min(1.0, 3.0 / np.abs(x @ step).max())
    assert np.allclose(state.covariance, inverse[agents * p :, agents * p :], atol=1e-8)
    assert np.allclose(state.own.ravel(), (at + size * step)[: agents * p], atol=1e-8)
    pull = np.eye(10, len(common)) - state.taken[:, :10]
    spread = state.inner[:, :10, :10] + pooled._sandwich(pull, state.covariance)
    both = np.hstack([np.eye(10, agents * p), np.eye(10, len(common))])
    assert np.allclose(spread[0], both @ inverse @ both.T, atol=1e-8)


def test_pooled_agrees_with_statsmodels_mixed_model_on_logistic_agents():
    from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM

    study = without_families(mixed(20, 60, seed=5))
    x = 0.5 - study.difficulty.to_numpy()
    long = study.frame.T.melt(var_name="agent", value_name="solved")
    long["x"] = np.tile(x, 20)
    formulas = {"level": "0 + C(agent)", "slope": "0 + C(agent):x"}
    peer = BinomialBayesMixedGLM.from_formula("solved ~ x", formulas, long).fit_vb()
    random = peer.random_effects()["Mean"].to_numpy()
    level, slope = (peer.fe_mean[k] + random[20 * k : 20 * k + 20] for k in range(2))
    grid = np.linspace(0, 1, 101)
    names = sorted(study.frame.index)
    theirs = np.trapezoid(expit(level[:, None] + slope[:, None] * (0.5 - grid)), grid)
    ours = gl.generality(study, method="pooled").loc[names, "capability"]
    assert np.abs(ours - theirs).max() < 0.03


def test_an_agent_with_five_items_is_pulled_towards_the_others():
    study = without_families(mixed(20, 60, seed=7))
    frame = study.frame.copy()
    few = frame.columns[[5, 17, 30, 42, 55]]
    frame.iloc[0] = np.nan
    frame.loc["agent 1", few] = 1.0
    cut = gl.Responses(frame, items=study.items, interval=(0, 1))
    alone = gl.generality(cut, method="smooth", missing="drop").loc["agent 1", "capability"]
    table = gl.generality(cut, method="pooled", missing="drop", ci=0.95)
    assert table["capability"].iloc[1:].mean() < table.loc["agent 1", "capability"] < alone - 0.02
    width = table["capability_high"] - table["capability_low"]
    assert width.iloc[0] > 1.5 * width.iloc[1:].median()


def test_families_that_share_luck_widen_the_limits():
    study = mixed(15, 90, seed=11, families=9, likeness=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gl.Caution)
        for method in ("smooth", "pooled"):
            narrow, wide = (
                gl.generality(study, method=method, ci=0.95, resample=word) for word in ("items", "families")
            )
            ratio = (wide["capability_high"] - wide["capability_low"]) / (
                narrow["capability_high"] - narrow["capability_low"]
            )
            assert ratio.median() > 1.15


def test_families_that_are_ignored_are_announced():
    with cautioned("families"):
        gl.generality(mixed(3, 20, families=5), method="smooth", ci=0.95)


@pytest.mark.parametrize("method", METHODS)
def test_errors_of_difficulties_widen_the_limits(study, method):
    items = study.items.assign(difficulty_se=0.15)
    unsure = gl.Responses(study.frame, items=items, interval=(0, 1))
    sure, found = (gl.generality(x, method=method, ci=0.95) for x in (study, unsure))
    width, more = (x["capability_high"] - x["capability_low"] for x in (sure, found))
    assert (more / width).median() > 1.02


@pytest.mark.parametrize("method", METHODS)
def test_a_single_agent_will_do(study, method):
    one = study.select(agents=["agent 2"])
    found = gl.generality(one, method=method, ci=0.95).iloc[0]
    assert found["capability_low"] < found["capability"] < found["capability_high"]


@pytest.mark.parametrize("method", METHODS)
def test_agents_that_solve_all_or_nothing_have_finite_curves_and_limits(method):
    values = np.vstack([np.ones(20), np.zeros(20), np.arange(20) < 10]).astype(float)
    found = gl.generality(values, np.arange(20.0), method=method, ci=0.95)
    assert found[[c for c in found if not c.startswith("generality")]].notna().all(axis=None)
    assert found["capability"].iloc[0] > found["capability"].iloc[2] > found["capability"].iloc[1]
    assert np.allclose(found["normalised_generality_high"], 1)


@pytest.mark.parametrize("method", METHODS)
def test_missing_cells_are_refused_or_passed_over(study, method):
    frame = study.frame.copy()
    frame.iloc[0, 3:30:4] = np.nan
    gaps = gl.Responses(frame, items=study.items, interval=(0, 1))
    with refused("responses['agent 1', 'item 4']: missing"):
        gl.generality(gaps, method=method)
    found = gl.generality(gaps, method=method, missing="drop", ci=0.95)
    assert found[MEASURES].notna().all(axis=None)


@pytest.mark.parametrize("method", METHODS)
def test_responses_between_0_and_1_vary_less_and_have_narrower_limits(method):
    h = np.linspace(0, 1, 40)
    rng = np.random.default_rng(4)
    chance = Profile(0.5, 0.2)(h)
    once = (rng.random((6, 40)) < chance).astype(float)
    often = rng.binomial(20, chance, (6, 40)) / 20
    widths = [
        gl.generality(x, h, method=method, ci=0.95).eval("capability_high - capability_low")
        for x in (once, often)
    ]
    assert widths[1].median() <= 0.8 * widths[0].median()


# -- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "argument", "code"),
    [
        ({"method": "lowess"}, "method", "not-an-option"),
        ({"method": None}, "method", "not-an-option"),
        ({"method": "smooth", "mode": "reference"}, "mode", "not-with-method"),
        ({"method": "pooled", "estimator": "step"}, "estimator", "not-with-method"),
        ({"method": "smooth", "resample": "trials"}, "resample", "not-with-method"),
        ({"method": "pooled", "ci": 1.5}, "ci", "out-of-range"),
        ({"method": "pooled", "ci": 0.95, "resample": "families"}, "resample", "no-families"),
    ],
)
def test_what_a_method_cannot_do_is_refused(study, arguments, argument, code):
    with pytest.raises(gl.BadInput) as caught:
        gl.generality(study, **arguments)
    assert (caught.value.argument, caught.value.code) == (argument, code)


@pytest.mark.parametrize("method", METHODS)
def test_steps_of_a_transform_are_refused(method):
    with pytest.raises(gl.BadInput) as caught:
        gl.generality(gl.rank([[1.0, 2], [2, 1], [3, 3]]), method=method)
    assert (caught.value.argument, caught.value.code) == ("method", "not-with-method")


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"agent": "agent 1", "ci": 0.95}, "ci"),
        ({"method": "smooth"}, "agent"),
        ({"agent": "nobody", "method": "smooth"}, "agent"),
        ({"agent": "agent 1", "method": "spline"}, "method"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_refused(study, arguments, argument):
    with pytest.raises(gl.BadInput) as caught:
        gl.characteristic_curve(study, **arguments)
    assert caught.value.argument == argument


@pytest.mark.parametrize("method", ["smooth", "pooled"])
def test_an_interval_far_beyond_the_items_gets_no_limits_and_a_word(study, method):
    with cautioned("uncovered"):
        found = gl.generality(study, method=method, interval=(-1, 3), ci=0.95)
    assert found["capability_low"].isna().all()
    assert found["capability"].notna().all()


def test_a_table_that_is_too_large_for_one_model_is_refused(monkeypatch, study):
    monkeypatch.setattr(pooled, "_MOST", 100)
    with pytest.raises(gl.BadInput) as caught:
        gl.generality(study, method="pooled")
    assert (caught.value.argument, caught.value.code) == ("responses", "too-large")


def test_blocks_of_agents_give_what_all_at_once_give(monkeypatch, study):
    whole = gl.generality(study, method="smooth")
    monkeypatch.setattr(smooth, "_BLOCK", 200)
    assert np.allclose(gl.generality(study, method="smooth")[MEASURES], whole[MEASURES], atol=2e-4)


# -- coverage ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("agent", ["gradual", "typical", "guesser", "flat half"])
def test_limits_hold_the_truth_about_as_often_as_they_say(method, agent):
    rows = method_study.designs().set_index(["method", "agent", "layout"])
    row = rows.loc[(method, agent, "50 items")].to_dict()
    row |= {"method": method, "agent": agent, "layout": "50 items"}
    found = method_study.measure_design(row, 160, 99)
    for name in MEASURES:
        assert found[name] > 0.9


def test_the_kept_study_has_every_design():
    kept, wanted = gl.method_coverage(), method_study.designs()
    pd.testing.assert_frame_equal(kept[list(wanted.columns)], wanted)
    report = kept[(kept["part"] == "report") & ~kept["agent"].isin(["rising", "step"])]
    assert report[MEASURES].mean().min() > 0.93
    assert set(PROFILES) <= set(kept["agent"])


def test_a_model_of_all_agents_foretells_unseen_responses_better_than_the_plain_curve():
    told = method_study.held_out(without_families(mixed(30, 40, seed=2)), seed=3)
    assert told.loc["pooled", "difference"] + 2 * told.loc["pooled", "error"] < 0
    assert told.loc["plain", "difference"] == 0


def test_the_coverage_that_is_documented_is_the_coverage_that_was_measured():
    kept = gl.method_coverage()
    report = kept[kept["part"] == "report"]
    assert report[MEASURES].min().min() >= 0.93  # no method, agent or layout excepted
    usual = report[report["agent"] != "rising"]
    error = usual.groupby("method")["spread error"].mean()
    for method in METHODS:
        lowest = report.loc[report["method"] == method, MEASURES].min().min()
        assert f"{lowest:.3f}" in methods.__doc__
        assert f"{error[method] / error['plain']:.2f}" in methods.__doc__
