"""`gl.irt` on categories, fractions and several dimensions: reading, scores, fit, bad input, degenerate tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from oracles import irt_direct as direct
from refusals import cautioned
from scipy.optimize import brentq

from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

ITEMS = pd.DataFrame(
    {
        "discrimination": [1.0, 1.5, 0.8, 1.2, 1.8],
        "b1": [-1.5, -1.0, -2.0, -0.5, -1.2],
        "b2": [0.0, 0.2, -0.5, 0.5, 0.0],
        "b3": [1.0, 1.5, 1.0, 1.4, 0.9],
    }
)


@pytest.fixture(scope="module")
def answers():
    return simulate_irt(ITEMS, 400, model="graded", seed=1).frame


@pytest.fixture(scope="module")
def graded(answers):
    return irt(answers, "graded")


# -- how a table is read --------------------------------------------------------------------------------


def test_thirds_and_whole_numbers_are_the_same_categories(answers, graded):
    whole = irt((answers * 3).round(), "graded")
    likert = irt((answers * 3).round() + 1, "graded")
    assert whole.log_likelihood == graded.log_likelihood == likert.log_likelihood
    assert any("1/3" in note for note in graded.notes)
    assert not whole.notes
    assert irt(Responses(answers), "graded").log_likelihood == graded.log_likelihood


def test_continuous_fractions_are_never_cut_in_silence():
    rng = np.random.default_rng(1)
    fractions = rng.random((60, 4))
    with pytest.raises(BadInput) as refused:
        irt(fractions, "graded")
    assert (refused.value.code, "beta" in str(refused.value)) == ("no-ladder", True)
    with cautioned("cut"):
        model = irt(fractions, "graded", categories=4, settings=IrtSettings(iterations=20))
    assert model.curves([0.0]).shape == (1, 16)


def test_an_unused_category_is_announced(answers):
    table = (answers * 3).round()
    table.iloc[:, 0] = table.iloc[:, 0].replace(1, 2)
    with cautioned("unused-category"):
        model = irt(table, "gpcm")
    assert model.parameters["b3"].isna().tolist() == [True, False, False, False, False]
    assert np.isfinite(model.items["b2_se"]).all()


def test_a_graded_model_of_two_categories_is_the_2pl():
    truth = pd.DataFrame({"discrimination": [1.0, 1.5, 0.7, 1.2], "difficulty": [-1.0, 0.0, 0.5, 1.0]})
    table = simulate_irt(truth, 500, seed=3).frame
    table = table.mask(np.random.default_rng(3).random(table.shape) < 0.1)
    tight = IrtSettings(tolerance=1e-8)
    ours, known = irt(table, "graded", settings=tight), irt(table, "2pl", settings=tight)
    assert ours.log_likelihood == pytest.approx(known.log_likelihood, abs=1e-8)
    for name in ("discrimination", "discrimination_se", "difficulty"):
        assert ours.items[name].to_numpy() == pytest.approx(known.items[name].to_numpy(), abs=1e-6)
    assert ours.items["b1_se"].to_numpy() == pytest.approx(known.items["difficulty_se"].to_numpy(), abs=1e-6)
    for method in ("eap", "map", "ml", "wle"):
        assert np.allclose(ours.score(method), known.score(method), atol=1e-6)
    fit, same = ours.person_fit(), known.person_fit()
    for name in ("lz_star", "lz", "infit", "outfit"):
        assert fit[name].to_numpy() == pytest.approx(same[name].to_numpy(), abs=1e-6)
    assert ours.marginal_reliability == pytest.approx(known.marginal_reliability, abs=1e-9)
    assert (ours.aic, ours.bic) == pytest.approx((known.aic, known.bic), abs=1e-6)
    assert irt(table, "rasch").log_likelihood == irt(table, "1pl").log_likelihood


# -- both ways of writing items -------------------------------------------------------------------------


def test_slope_intercept_and_classical_say_the_same(answers, graded):
    mirts, b = graded.slope_intercept, graded.items
    assert (-mirts["d2"] / mirts["a1"]).to_numpy() == pytest.approx(b["b2"].to_numpy())
    credit = irt(answers, "gpcm")
    mirts, b = credit.slope_intercept, credit.items
    step = -(mirts["d2"] - mirts["d1"]) / mirts["a1"]
    assert step.to_numpy() == pytest.approx(b["b2"].to_numpy())
    loose = irt(answers, "nominal")
    mirts, b = loose.slope_intercept, loose.items
    assert (mirts["ak3"] == 3).all()
    assert (mirts["a1"] * mirts["ak2"] - mirts["a1"] * mirts["ak1"]).to_numpy() == pytest.approx(
        (b["a3"] - b["a2"]).to_numpy()
    )
    assert loose.log_likelihood > credit.log_likelihood > irt(answers, "pcm").log_likelihood
    assert [irt(answers, name).n_parameters for name in ("pcm", "gpcm", "nominal")] == [16, 20, 30]


def test_graded_gpcm_and_nominal_equal_mirt(answers):
    """PyPI mirt 1.2.0: fit_mirt(x, model="GRM" | "GPCM" | "NRM", n_quadpts=61, tol=1e-9), its first two items;
    its standard errors of the nominal model leave out that abilities are estimated, so ours differ."""
    tight = IrtSettings(tolerance=1e-9)
    found = irt(answers, "graded", settings=tight)
    assert found.log_likelihood == pytest.approx(-2624.068927, abs=1e-5)
    first = found.items.iloc[:2]
    assert first["discrimination"].to_numpy() == pytest.approx([0.88595, 1.21442], abs=2e-5)
    assert first["discrimination_se"].to_numpy() == pytest.approx([0.15289, 0.18836], abs=2e-5)
    assert first["b1"].to_numpy() == pytest.approx([-1.47571, -1.23995], abs=3e-5)
    assert first["b3_se"].to_numpy() == pytest.approx([0.20365, 0.2462], abs=3e-5)
    found = irt(answers, "gpcm", settings=tight)
    assert found.log_likelihood == pytest.approx(-2625.790005, abs=1e-5)
    first = found.items.iloc[:2]
    assert first["discrimination"].to_numpy() == pytest.approx([0.44668, 0.76462], abs=2e-5)
    assert first["discrimination_se"].to_numpy() == pytest.approx([0.08523, 0.13816], abs=2e-5)
    assert first["b2"].to_numpy() == pytest.approx([0.68175, 0.13941], abs=1e-4)
    assert first["b2_se"].to_numpy() == pytest.approx([0.37051, 0.17848], abs=1e-4)
    found = irt(answers, "nominal", settings=tight)
    assert found.log_likelihood == pytest.approx(-2621.621008, abs=1e-5)
    slopes = found.slope_intercept.eval("a1 * ak2").iloc[:2].to_numpy()
    assert slopes == pytest.approx([1.19284, 1.35907], abs=3e-5)


def test_slope_intercept_of_a_2pl_has_mirts_errors():
    """LSAT-like numbers are in test_irt_engine; here the two ways to the same errors."""
    truth = pd.DataFrame({"discrimination": 1.2, "difficulty": [-1.0, 0.0, 0.5, 1.0], "guessing": 0.2})
    table = simulate_irt(truth, 700, seed=4)
    for name in ("1pl", "2pl", "3pl"):
        model = irt(table, name, priors="weak", settings=IrtSettings(tolerance=1e-8))
        told = model.slope_intercept
        assert (-told["d"] / told["a1"]).to_numpy() == pytest.approx(model.items["difficulty"].to_numpy())
        assert told["a1_se"].to_numpy() == pytest.approx(model.items["discrimination_se"].to_numpy())
    assert told["g_se"].to_numpy() == pytest.approx(model.items["guessing_se"].to_numpy())
    same = irt(table, "graded", priors="weak", settings=IrtSettings(tolerance=1e-8)).slope_intercept
    two = irt(table, "2pl", priors="weak", settings=IrtSettings(tolerance=1e-8)).slope_intercept
    assert same["d1_se"].to_numpy() == pytest.approx(two["d_se"].to_numpy(), abs=1e-6)


# -- scores ---------------------------------------------------------------------------------------------


def test_scores_solve_their_equations(graded):
    """Written out with numerical derivatives: ML, MAP and Warm's WLE of three agents."""
    mirts = graded.slope_intercept[["a1", "d1", "d2", "d3"]].to_numpy()
    rows = graded.responses.iloc[:3]
    h = 1e-4

    def chances(theta):
        return np.array([direct.graded(p, np.array([theta]))[:, 0] for p in mirts])

    def slope(theta, row):
        given = np.arange(5), row.astype(int)
        return (np.log(chances(theta + h)[given]) - np.log(chances(theta - h)[given])).sum() / (2 * h)

    def tilt(theta):
        low, mid, high = chances(theta - h), chances(theta), chances(theta + h)
        first, second = (high - low) / (2 * h), (high - 2 * mid + low) / h**2
        return (first * second / mid).sum() / (2 * (first**2 / mid).sum())

    new = graded.responses.iloc[:3] / 3
    extra = {"ml": lambda t: 0.0, "map": lambda t: -t, "wle": tilt}
    for method, added in extra.items():
        found = graded.score(method, new)["ability"].to_numpy()
        solved = [
            brentq(lambda t, row=row, added=added: slope(t, row) + added(t), -5, 5) for row in rows.to_numpy()
        ]
        assert found == pytest.approx(solved, abs=1e-5)


def test_perfect_scores_are_infinite_by_ml_and_finite_by_the_others(graded):
    new = pd.DataFrame([[1.0] * 5, [0.0] * 5], columns=graded.responses.columns)
    assert graded.score("ml", new)["ability"].tolist() == [np.inf, -np.inf]
    for method in ("eap", "map", "wle"):
        high, low = graded.score(method, new)["ability"]
        assert 1 < high < 6
        assert -6 < low < -1


def test_information_is_the_curvature_of_the_mean_log_likelihood(graded):
    mirts = graded.slope_intercept[["a1", "d1", "d2", "d3"]].to_numpy()
    h, theta = 1e-3, 0.4
    for item, p in enumerate(mirts):
        low, mid, high = (direct.graded(p, np.array([t]))[:, 0] for t in (theta - h, theta, theta + h))
        fisher = (((high - low) / (2 * h)) ** 2 / mid).sum()
        assert graded.item_information([theta]).iloc[0, item] == pytest.approx(fisher, rel=1e-5)
    assert graded.test_information([theta]).iloc[0] == pytest.approx(
        graded.item_information([theta]).sum(axis=1).iloc[0]
    )


# -- known truth ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["graded", "gpcm", "pcm"])
def test_cuts_are_recovered_within_their_errors(name):
    truth = ITEMS.assign(discrimination=1.2) if name == "pcm" else ITEMS
    found = irt(simulate_irt(truth, 1500, model=name, seed=5), name).items
    z = [((found[c] - truth[c]) / found[f"{c}_se"]).abs().max() for c in ("discrimination", "b1", "b2", "b3")]
    assert max(z) < 3.5
    assert found[["b1_se", "b2_se", "b3_se"]].max().max() < 0.5


def test_beta_recovers_fractions_with_zeros_and_ones():
    truth = pd.DataFrame(
        {
            "discrimination": [1.0, 1.5, 0.8, 1.2],
            "difficulty": [-0.5, 0.0, 0.5, 1.0],
            "precision": [4.0, 8.0, 6.0, 10.0],
            "b_zero": [-2.0, -1.5, -1.0, np.nan],
            "b_one": [1.0, 1.5, np.nan, np.nan],
        }
    )
    drawn = simulate_irt(truth, 800, model="beta", seed=2)
    assert (drawn.frame.iloc[:, 3] > 0).all()
    assert (drawn.frame.iloc[:, 0] == 0).any()
    found = irt(drawn, "beta").items
    for name in truth:
        z = (found[name] - truth[name]) / found[f"{name}_se"]
        assert z.abs().max() < 3.5
        assert z.isna().equals(truth[name].isna())


def test_limits_stay_where_the_parameters_live():
    truth = pd.DataFrame(
        {
            "discrimination": 1.4,
            "difficulty": np.linspace(-1, 1, 8),
            "guessing": 0.15,
            "upper": 0.93,
        }
    )
    with cautioned("asymptotes"):
        model = irt(simulate_irt(truth, 400, model="4pl", seed=2), "4pl")
    ends = model.limits()
    for name in truth:
        low, high = ends[f"{name}_low"], ends[f"{name}_high"]
        assert (low < model.parameters[name]).all()
        assert (model.parameters[name] < high).all()
        if name != "difficulty":
            assert (low > 0).all()
    assert (ends["upper_high"] < 1).all()
    narrow = model.limits(0.5)
    assert (narrow["guessing_low"] > ends["guessing_low"]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graded", "gpcm", "pcm", "nominal"])
def test_intervals_hold_the_truth_in_about_95_of_100(name):
    hits = []
    for seed in range(15):
        rng = np.random.default_rng([seed, 7])
        truth = ITEMS.assign(discrimination=1.1 if name == "pcm" else rng.lognormal(0.1, 0.3, 5))
        if name == "nominal":
            truth = pd.DataFrame(rng.normal(0, 0.8, (5, 6)), columns=["a1", "a2", "a3", "c1", "c2", "c3"])
            truth[["a1", "a2", "a3"]] += [-0.8, 0.0, 0.8]
            for letter in "ac":
                names = [f"{letter}{c}" for c in (1, 2, 3)]
                truth[names] = truth[names].sub(truth[names].mean(axis=1), axis=0)
        found = irt(simulate_irt(truth, 700, model=name, seed=rng), name).items
        columns = [c for c in truth if c != "discrimination"]
        far = [((found[c] - truth[c]) / found[f"{c}_se"]).abs().to_numpy() for c in columns]
        hits.append(np.array(far) < 1.959964)
    assert 0.91 < np.mean(hits) < 0.985  # 225 intervals or more, those of one table not independent


def test_shuffled_categories_lose_what_the_model_found(graded):
    control = graded.negative_control(seed=1)
    assert control.loc["observed", "penalised_gain"] > 1
    assert control.loc["shuffled", "penalised_gain"] < 0.5
    assert control.loc["observed", "median_discrimination"] > control.loc["shuffled", "median_discrimination"]


# -- several dimensions ---------------------------------------------------------------------------------


def test_dimensions_are_found_and_named():
    rng = np.random.default_rng(2)
    theta = rng.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], 600)
    truth = np.zeros((8, 2))
    truth[:4, 0] = truth[4:, 1] = 1.6
    right = (rng.random((600, 8)) < direct.sigma(theta @ truth.T)).astype(float)
    names = [f"q{n}" for n in range(8)]
    pattern = pd.DataFrame((truth > 0).astype(int), names, ["space", "words"])
    frame = pd.DataFrame(right, columns=names)
    settings = IrtSettings(tolerance=1e-3)
    free, held = (
        irt(frame, dimensions=2, settings=settings),
        irt(frame, dimensions=pattern, settings=settings),
    )
    loading = 1.6 / np.sqrt(1.702**2 + 1.6**2)
    turned = free.loadings.to_numpy()
    assert np.sort(np.abs(turned), axis=1)[:, 1] == pytest.approx(np.full(8, loading), abs=0.17)
    assert np.abs(turned).min(axis=1).max() < 0.2
    assert held.loadings.loc["q0", "words"] == 0
    assert held.correlations.loc["space", "words"] == pytest.approx(0.4, abs=0.15)
    assert free.log_likelihood > held.log_likelihood
    assert list(held.abilities.columns) == ["space", "words", "space_se", "words_se"]
    assert held.bic < irt(frame).bic


def test_new_agents_are_cut_as_the_fitted_ones_were():
    """They were refused, and one that solves everything would have counted as the second of four categories."""
    rng = np.random.default_rng(3)
    behind = rng.normal(size=(200, 1)) + rng.normal(size=(200, 5))
    with cautioned("cut"):
        model = irt(pd.DataFrame(1 / (1 + np.exp(-behind))), "graded", categories=4)
    again = model.score("eap", pd.DataFrame(1 / (1 + np.exp(-behind[:20]))))
    assert again["ability"].to_numpy() == pytest.approx(model.abilities["ability"].to_numpy()[:20])
    best, worst = model.score("eap", pd.DataFrame([[1.0] * 5, [0.0] * 5]))["ability"]
    assert (
        best > model.abilities["ability"].quantile(0.95) > model.abilities["ability"].quantile(0.05) > worst
    )


# -- bad input and degenerate tables ----------------------------------------------------------------------

GOOD = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 0, 0], [2, 2, 2], [1, 1, 1]]
BINARY = [[0, 1, 0, 1, 0, 1], [1, 0, 0, 1, 1, 0], [1, 1, 1, 0, 0, 1], [0, 0, 1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("call", "argument", "code"),
    [
        (lambda: irt(GOOD, "grade"), "model", "not-an-option"),
        (lambda: irt([[0, -1, 2], [1, 0, 1]], "graded"), "responses", "negative-category"),
        (lambda: irt([[0, 1.5, 2], [1, 0, 1]], "graded"), "responses", "not-a-category"),
        (
            lambda: irt(np.random.default_rng(1).random((9, 3)), "gpcm"),
            "responses['item 1']",
            "no-ladder",
        ),
        (lambda: irt(GOOD, "graded", categories=2), "responses", "too-many-categories"),
        (lambda: irt(GOOD, "graded", categories=1), "categories", None),
        (lambda: irt([[0, 1, 2]], "graded"), "responses", "too-few-agents"),
        (lambda: irt([[0, 1, 1], [1, 1, 1], [2, 1, 1]], "graded"), "responses", "too-few-items"),
        (lambda: irt([[0, 1, 2], [1, 0, 0], [None] * 3], "gpcm"), "responses", None),
        (
            lambda: irt(np.arange(75).reshape(25, 3), "nominal"),
            "responses['item 1']",
            "too-many-categories",
        ),
        (lambda: irt(GOOD, "beta"), "responses", "out-of-range"),
        (lambda: irt(BINARY, "beta"), "responses", "too-few-fractions"),
        (lambda: irt(GOOD, "graded").score("mean"), "method", "not-an-option"),
        (
            lambda: irt(GOOD, "graded").score("eap", [[0, 1, 3]]),
            "responses['item 3']",
            "new-category",
        ),
        (lambda: irt(GOOD, "graded").score("eap", [[0, 1]]), "responses", "other-items"),
        (lambda: irt(BINARY, dimensions=4), "dimensions", None),
        (lambda: irt(BINARY, dimensions=3), "dimensions", "too-few-items"),
        (lambda: irt(BINARY, dimensions=[[1, 0]] * 3), "dimensions", "wrong-length"),
        (lambda: irt(BINARY, dimensions=[[1, 0]] * 6), "dimensions", "too-few-items"),
        (lambda: irt(BINARY, dimensions=[[1, 2]] * 6), "dimensions", "not-a-flag"),
        (lambda: irt(BINARY, "1pl", dimensions=2), "model", "not-an-option"),
        (lambda: simulate_irt(ITEMS, 5, model="grade", seed=1), "model", "not-an-option"),
        (
            lambda: simulate_irt(ITEMS[["discrimination"]], 5, model="graded", seed=1),
            "items",
            "missing-column",
        ),
        (lambda: simulate_irt(ITEMS.assign(b2=-9.0), 5, model="graded", seed=1), "items", "order"),
        (lambda: simulate_irt(ITEMS.assign(b1=np.nan), 5, model="gpcm", seed=1), "items", "gap"),
        (
            lambda: simulate_irt(ITEMS.assign(difficulty=0, precision=-1), 5, model="beta", seed=1),
            "items.precision",
            "out-of-range",
        ),
        (
            lambda: simulate_irt(ITEMS.assign(difficulty=0, guessing=1.2), 5, model="3pl", seed=1),
            "items.guessing",
            "out-of-range",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::gindex_lab.foundation.errors.Caution")
def test_bad_input_is_named(call, argument, code):
    with pytest.raises(BadInput) as refused:
        call()
    assert refused.value.argument == argument
    assert code is None or refused.value.code == code


@pytest.mark.filterwarnings("ignore::gindex_lab.foundation.errors.Caution")
@pytest.mark.parametrize("name", ["graded", "gpcm", "pcm", "nominal", "4pl"])
@pytest.mark.parametrize("case", ["few people", "perfect", "constant", "guttman", "reversed"])
def test_degenerate_tables_end_in_numbers(name, case):
    rng = np.random.default_rng(6)
    top = 1 if name == "4pl" else 2
    table = rng.integers(0, top + 1, (5, 8) if case == "few people" else (40, 5)).astype(float)
    if case == "perfect":
        table[:10] = top
    if case == "constant":
        table[:, 0] = 1
    if case == "guttman":
        table = np.array([[min(top, max(0, n - i)) for i in range(5)] for n in range(8)] * 2, dtype=float)
    if case == "reversed":
        table[:, 1] = top - table[:, 0]
    settings = IrtSettings(iterations=200)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = irt(table, name, settings=settings, priors="weak")
        scores, items = model.score("wle"), model.items
    assert np.isfinite(model.log_likelihood)
    assert np.isfinite(model.abilities.to_numpy()).all()
    assert not scores.isna().any().any()
    assert not model.parameters.iloc[:, 0].isna().any()
    assert len(items) == table.shape[1] - len(model.constant_items)
    assert bool(model.constant_items) == (case == "constant" or (case, name) == ("few people", "4pl"))


def test_fractions_are_never_called_failures_in_silence():
    truth = pd.DataFrame({"discrimination": 1.0, "difficulty": [-1.0, 0.0, 0.5, 1.0]})
    table = simulate_irt(truth, 60, seed=1).frame.replace(0.0, 0.3)
    with cautioned("fractions"):
        told = irt(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error", Caution)
        accepted = irt(table, fractions="truncate")
        irt(table.round(), "2pl")
    assert told.log_likelihood == accepted.log_likelihood


def test_new_fractions_need_the_items_of_the_model():
    model = irt(np.random.default_rng(1).beta(2, 2, (60, 4)), "beta")
    assert np.isfinite(model.score("map", [[0.2, 0.4, None, 0.9]]).to_numpy()).all()
    with pytest.raises(BadInput) as refused:
        model.score("eap", [[0.5, 0.5]])
    assert (refused.value.argument, refused.value.code) == ("responses", "other-items")
