"""Item response theory: recovery of known truth, the published data, mirt's numbers, and bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
from loops import looped
from oracles.irt_direct import numerical_information
from refusals import refused
from scipy.integrate import quad
from scipy.stats import norm

from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.psychometrics import irt_engine
from gindex_lab.measures.psychometrics.irt import (
    IrtSettings,
    ItemResponseModel,
    Priors,
    irt,
    simulate_irt,
)
from gindex_lab.measures.psychometrics.irt_em import e_step, expected, fit, information, score
from gindex_lab.measures.psychometrics.irt_models import curves, model_of
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, Patterns
from gindex_lab.measures.psychometrics.item_fit import s_x2, sum_score_chances

TIGHT = IrtSettings(tolerance=1e-8)


def truth(items, seed=0, guessing=None):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"discrimination": rng.lognormal(0.0, 0.3, items), "difficulty": rng.standard_normal(items)}
    )
    return table if guessing is None else table.assign(guessing=guessing)


def with_gaps(frame, share, seed):
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


@pytest.fixture(scope="module")
def dozen():
    """800 agents on 12 items, as given to mirt for the numbers below."""
    rng_a, rng_b = np.random.default_rng(0), np.random.default_rng(1)
    items = pd.DataFrame(
        {
            "discrimination": rng_a.lognormal(0, 0.3, 12),
            "difficulty": rng_b.standard_normal(12),
        }
    )
    return simulate_irt(items, 800, seed=3).frame


@pytest.fixture(scope="module")
def model(dozen):
    return irt(dozen, settings=TIGHT)


# -- known truth -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_2pl_recovers_items_of_1000_agents(seed):
    items = truth(30, seed)
    responses = simulate_irt(items, 1000, seed=seed).frame
    found = irt(responses).items
    assert np.corrcoef(found["difficulty"], items["difficulty"])[0, 1] >= 0.97
    assert np.corrcoef(found["discrimination"], items["discrimination"])[0, 1] >= 0.90
    gappy = irt(with_gaps(responses, 0.2, seed)).items
    assert np.corrcoef(gappy["difficulty"], items["difficulty"])[0, 1] >= 0.95


def test_standard_errors_are_as_large_as_the_errors():
    items = truth(40, 5)
    found = irt(simulate_irt(items, 3000, seed=5)).items
    for name in ("discrimination", "difficulty"):
        z = (found[name].to_numpy() - items[name].to_numpy()) / found[f"{name}_se"].to_numpy()
        assert 0.7 < z.std() < 1.35


def test_3pl_with_weak_priors_finds_the_guessing_level():
    items = truth(15, 2, guessing=0.25)
    found = irt(simulate_irt(items, 2500, seed=2), "3pl", priors="weak").items
    assert found["guessing"].mean() == pytest.approx(0.25, abs=0.06)
    assert np.corrcoef(found["difficulty"], items["difficulty"])[0, 1] > 0.97
    assert found["guessing_se"].between(0.001, 0.3).all()


def test_1pl_shares_one_discrimination_and_is_nested():
    responses = simulate_irt(truth(10, 3), 600, seed=3)
    fits = {name: irt(responses, name, settings=TIGHT) for name in ("1pl", "2pl", "3pl")}
    assert fits["1pl"].items["discrimination"].nunique() == 1
    assert fits["1pl"].items["discrimination_se"].nunique() == 1
    likelihoods = [fits[name].log_likelihood for name in ("1pl", "2pl", "3pl")]
    assert likelihoods[0] < likelihoods[1] < likelihoods[2] + 0.02  # c is 0.0001 at least
    assert [fits[name].n_parameters for name in fits] == [11, 20, 30]
    assert fits["1pl"].aic == pytest.approx(2 * 11 - 2 * likelihoods[0])
    assert fits["1pl"].bic == pytest.approx(11 * np.log(600) - 2 * likelihoods[0])


# -- against mirt (PyPI 1.2.0, 61 points, tol 1e-8, Oakes standard errors) ----------------------------


def test_2pl_equals_mirt(model):
    items = model.items.iloc[:3]
    assert model.log_likelihood >= -5926.557338367389
    assert model.log_likelihood == pytest.approx(-5926.557338, abs=1e-5)
    assert items["discrimination"].to_numpy() == pytest.approx([0.91947, 1.14537, 1.07435], abs=2e-5)
    assert items["difficulty"].to_numpy() == pytest.approx([0.41793, 0.66748, 0.41728], abs=2e-5)
    assert items["discrimination_se"].to_numpy() == pytest.approx([0.11719, 0.13729, 0.12882], abs=2e-5)
    assert items["difficulty_se"].to_numpy() == pytest.approx([0.09944, 0.09585, 0.08877], abs=2e-5)
    assert items["guessing_se"].isna().all()


def test_2pl_with_missing_responses_equals_mirt(dozen):
    found = irt(with_gaps(dozen, 0.2, 2), settings=TIGHT)
    assert found.log_likelihood == pytest.approx(-4745.933013, abs=1e-5)
    items = found.items.iloc[:3]
    assert items["discrimination_se"].to_numpy() == pytest.approx([0.14529, 0.16436, 0.16528], abs=2e-5)
    assert items["difficulty_se"].to_numpy() == pytest.approx([0.09955, 0.10267, 0.09104], abs=2e-5)


def test_3pl_without_priors_reaches_mirts_likelihood(dozen):
    assert irt(dozen, "3pl").log_likelihood == pytest.approx(-5926.38328, abs=0.02)
    gappy = irt(with_gaps(dozen, 0.2, 2), "3pl")
    assert gappy.log_likelihood == pytest.approx(-4745.81005, abs=0.02)


# -- against the mathematics -------------------------------------------------------------------------


def test_log_likelihood_is_the_integral_over_abilities():
    responses = simulate_irt(truth(4, 6), 60, seed=6).values
    found = irt(responses, settings=TIGHT)
    items = found.items[["discrimination", "difficulty"]].to_numpy()

    def density(ability, row):
        chance = 1 / (1 + np.exp(-items[:, 0] * (ability - items[:, 1])))
        return np.prod(np.where(row == 1, chance, 1 - chance)) * norm.pdf(ability)

    direct = sum(np.log(quad(density, -9, 9, args=(row,))[0]) for row in responses)
    assert found.log_likelihood == pytest.approx(direct, abs=1e-6)


@pytest.mark.parametrize("name", ["2pl", "3pl"])
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_the_score_is_the_gradient_of_the_log_likelihood(name, gaps, dozen):
    data = Patterns.of(with_gaps(dozen.iloc[:80, :4], gaps, 1).to_numpy())
    table, kind = data.table(), model_of(name, [2] * 4)
    nodes, weights = IrtSettings().grid()
    nodes, prior = nodes[:, None], np.log(weights)
    at = np.array([[1.0, 0.3, -1.5], [0.7, -0.4, -2.0], [1.4, 0.0, -1.0], [0.9, 0.8, -2.5]])[
        :, : kind.size + 1
    ]

    def log_likelihood(flat):
        log = irt_engine.log_chances(kind, flat.reshape(at.shape), nodes).log
        return table.agents @ irt_engine.e_step(table, log, prior)[0]

    form = irt_engine.log_chances(kind, at, nodes)
    _, posterior = irt_engine.e_step(table, form.log, prior)
    counts = (table.incidence.T @ (posterior * table.agents[:, None])).reshape(form.log.shape)
    gradient = np.einsum("jcq,jkcq->jk", counts, irt_engine.derivatives(form, nodes))
    steps = 1e-5 * np.eye(at.size)
    numeric = [(log_likelihood(at.ravel() + h) - log_likelihood(at.ravel() - h)) / 2e-5 for h in steps]
    assert gradient.ravel() == pytest.approx(np.array(numeric), abs=1e-5)
    if name == "2pl":
        own, posterior = e_step(data, at, nodes[:, 0], weights)
        assert data.agents @ own == pytest.approx(log_likelihood(at.ravel()), abs=1e-9)
        counts, places = expected(data, posterior, nodes[:, 0])
        assert score(counts, at, places)[0] == pytest.approx(gradient, abs=1e-9)


def fitted(data, name, settings):
    """The fit by `irt_em`, and what numbers its free parameters."""
    plan = EMPlan.usual(model_of(name, [2] * data.right.shape[1]), common_slope=name == "1pl")
    return fit(data, name, settings, Priors()).parameters[0], plan.index[0]


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_information_by_louis_equals_differences_of_the_score(gaps, dozen):
    data = Patterns.of(with_gaps(dozen, gaps, 4).to_numpy())
    at, index = fitted(data, "2pl", TIGHT)
    for priors in (Priors(), Priors.named("weak")):
        exact = information(data, at, index, TIGHT, priors)
        assert exact == pytest.approx(numerical_information(data, at, TIGHT, priors), abs=1e-4)


def test_information_of_the_1pl_is_the_curvature_along_the_shared_slope(dozen):
    data = Patterns.of(dozen.to_numpy())
    nodes, weights = IrtSettings().grid()
    at, index = fitted(data, "1pl", TIGHT)
    shift = np.array([1e-3, 0.0])

    def log_likelihood(parameters):
        return data.agents @ e_step(data, parameters, nodes, weights)[0]

    middle, sides = log_likelihood(at), [log_likelihood(at + s * shift) for s in (1, -1)]
    curvature = (2 * middle - sum(sides)) / 1e-6
    info = information(data, at, index, IrtSettings(), Priors())
    assert info[index[0, 0], index[0, 0]] == pytest.approx(curvature, rel=1e-4)
    assert info.shape == (13, 13)


def test_the_engine_of_all_models_finds_the_same_2pl(dozen):
    """Two ways up the same hill: `irt_em` is the faster one."""
    data = Patterns.of(with_gaps(dozen, 0.1, 5).to_numpy())
    at, _ = fitted(data, "2pl", TIGHT)
    kind = model_of("2pl", [2] * 12)
    found = irt_engine.fit([data.table()], kind, EMPlan.usual(kind), settings=TIGHT)
    assert found.parameters[0] == pytest.approx(at, abs=1e-5)


def test_acceleration_only_saves_steps(dozen):
    data = Patterns.of(dozen.to_numpy())
    fast = fit(data, "2pl", IrtSettings(tolerance=1e-9), Priors())
    slow = fit(data, "2pl", IrtSettings(tolerance=1e-9, accelerate=False), Priors())
    assert fast.parameters == pytest.approx(slow.parameters, abs=1e-6)
    assert fast.iterations < slow.iterations


def test_order_of_agents_and_items_does_not_matter(dozen, model):
    rng = np.random.default_rng(1)
    shuffled = dozen.iloc[rng.permutation(800), rng.permutation(12)]
    found = irt(shuffled, settings=TIGHT)
    assert found.items.loc[model.items.index].to_numpy() == pytest.approx(
        model.items.to_numpy(), abs=1e-5, nan_ok=True
    )
    expected_ability = model.abilities.loc[shuffled.index, "ability"]
    assert found.abilities["ability"].to_numpy() == pytest.approx(expected_ability, abs=1e-5)


def test_an_agent_counted_twice_weighs_twice(dozen):
    doubled = pd.concat([dozen, dozen.set_axis([f"again {i}" for i in dozen.index])])
    assert irt(doubled).log_likelihood == pytest.approx(2 * irt(dozen).log_likelihood, rel=1e-7)


def test_the_scale_points_to_more_right_responses(dozen):
    turned = dozen.copy()
    turned[turned.columns[0]] = 1 - turned[turned.columns[0]]
    found = irt(turned).items["discrimination"]
    assert found.iloc[0] < 0 < found.iloc[1:].min()
    assert irt(1 - dozen).items["discrimination"].min() > 0


# -- the published data ------------------------------------------------------------------------------


@pytest.mark.shared
@looped("settings", ["default", "mirt"])
def test_mazes_as_published(shared, settings):
    mazes = Responses.read(shared / "datasets" / "mazes")
    golden = pd.read_csv(shared / "golden/generality/mazes_items.csv", index_col="item")
    found = irt(mazes, settings=settings).items
    difficulty = found["difficulty"]
    assert round(difficulty.corr(mazes.difficulty), 2) == 0.39
    assert round(difficulty.corr(mazes.frame.mean()), 2) == -0.94
    assert (found["discrimination"] > 0).all()
    assert (difficulty - golden["irt_b_standin"]).abs().max() < 2e-4
    assert (found["discrimination"] - golden["irt_a_standin"]).abs().max() < 2e-4
    assert (difficulty - mazes.items["irt_b_authors_digitised"]).abs().max() < 1e-3


@pytest.mark.shared
def test_letter_series_as_published(shared):
    table = Responses.read(shared / "datasets" / "ctest")
    humans = table.select(agents=table.agents.index[table.agents["kind"] == "human"])
    golden = pd.read_csv(shared / "golden/generality/ctest_items.csv", index_col="item")
    found = irt(humans, settings="mirt")
    difficulty, mean = found.items["difficulty"], humans.frame.mean()
    published = {
        ("pearson", "intrinsic"): 0.02,
        ("spearman", "intrinsic"): 0.50,
        ("pearson", "mean"): 0.00,
        ("spearman", "mean"): -0.60,
    }
    for (kind, against), value in published.items():
        other = humans.difficulty if against == "intrinsic" else mean
        assert difficulty.corr(other, method=kind) == pytest.approx(value, abs=0.005)
    assert found.constant_items == ["IT14"]
    assert found.items.loc["IT14", "discrimination"] == 0
    assert found.items.loc["IT14", "difficulty"] == difficulty.drop("IT14").median()
    assert difficulty.min() == pytest.approx(-129, abs=0.5)
    off = (difficulty - golden["irt_b_standin"]).abs() / golden["irt_b_standin"].abs().clip(lower=1)
    assert off.max() < 1e-3


# -- agents ------------------------------------------------------------------------------------------


def test_eap_map_and_ml_agree_with_direct_maximisation(model, dozen):
    fitted = model.items
    grid = np.linspace(-6, 6, 24_001)
    by_map, by_ml = model.score("map")["ability"], model.score("ml")["ability"]
    slope, intercept = fitted["discrimination"], -fitted["discrimination"] * fitted["difficulty"]
    chance = curves(np.stack([slope, intercept], 1), grid)
    for agent in dozen.index[:25]:
        row = dozen.loc[agent].to_numpy()
        log_likelihood = row @ np.log(chance) + (1 - row) @ np.log(1 - chance)
        posterior = np.exp(log_likelihood - grid**2 / 2)
        posterior /= posterior.sum()
        eap = posterior @ grid
        assert model.abilities.loc[agent, "ability"] == pytest.approx(eap, abs=1e-6)
        spread = np.sqrt(posterior @ (grid - eap) ** 2)
        assert model.abilities.loc[agent, "se"] == pytest.approx(spread, abs=1e-6)
        assert by_map[agent] == pytest.approx(grid[posterior.argmax()], abs=5e-4)
        if 0 < row.sum() < 12:
            assert by_ml[agent] == pytest.approx(grid[log_likelihood.argmax()], abs=5e-4)


def test_ml_error_is_one_over_the_root_of_information(model, dozen):
    ml = model.score("ml")
    some = ml[np.isfinite(ml["ability"])].iloc[:10]
    information_there = model.test_information(some["ability"].to_numpy())
    assert some["se"].to_numpy() == pytest.approx(1 / np.sqrt(information_there.to_numpy()), rel=1e-5)


def test_all_right_and_all_wrong_are_infinite_only_under_ml(model):
    extremes = pd.DataFrame([[1.0] * 12, [0.0] * 12], ["all", "none"], model.items.index)
    assert model.score("ml", extremes)["ability"].tolist() == [np.inf, -np.inf]
    assert model.score("ml", extremes)["se"].tolist() == [np.inf, np.inf]
    for method in ("eap", "map"):
        ability = model.score(method, extremes)["ability"]
        assert np.isfinite(ability).all()
        assert ability["all"] > model.abilities["ability"].quantile(0.95)


def test_missing_responses_widen_the_error(model, dozen):
    half = dozen.copy()
    half.iloc[:, 6:] = np.nan
    assert (model.score("eap", half)["se"] > model.abilities["se"]).mean() > 0.99


@pytest.mark.parametrize("gaps", [0.0, 0.25])
def test_person_fit_is_drasgows_formula(dozen, gaps):
    frame = with_gaps(dozen.iloc[:200], gaps, 8)
    found = irt(frame)
    fit_table = found.person_fit()
    items = found.items
    for agent in frame.index[:20]:
        p = 1 / (
            1
            + np.exp(-items["discrimination"] * (found.abilities.loc[agent, "ability"] - items["difficulty"]))
        )
        row = frame.loc[agent]
        p, row = p[row.notna()], row[row.notna()]
        observed = (row * np.log(p) + (1 - row) * np.log(1 - p)).sum()
        hoped = (p * np.log(p) + (1 - p) * np.log(1 - p)).sum()
        variance = (p * (1 - p) * np.log(p / (1 - p)) ** 2).sum()
        assert fit_table.loc[agent, "lz"] == pytest.approx((observed - hoped) / np.sqrt(variance))
        z2 = (row - p) ** 2 / (p * (1 - p))
        assert fit_table.loc[agent, "outfit"] == pytest.approx(z2.mean())
        assert fit_table.loc[agent, "infit"] == pytest.approx(((row - p) ** 2).sum() / (p * (1 - p)).sum())


def test_person_fit_finds_random_responders():
    honest = simulate_irt(truth(40, 4).assign(discrimination=2.0), 300, seed=4).frame
    rng = np.random.default_rng(4)
    guessers = pd.DataFrame(
        rng.integers(0, 2, (15, 40)).astype(float),
        [f"guesser {i}" for i in range(15)],
        honest.columns,
    )
    lz = irt(pd.concat([honest, guessers])).person_fit()["lz"]
    worst = lz.nsmallest(15).index
    assert sum(str(agent).startswith("guesser") for agent in worst) >= 12


# -- items -------------------------------------------------------------------------------------------


def test_information_is_the_squared_slope_over_the_variance():
    found = irt(simulate_irt(truth(8, 7, guessing=0.2), 1500, seed=7), "3pl", priors="weak")
    at = np.array([-1.0, 0.0, 2.0])
    slope = (found.curves(at + 1e-5).to_numpy() - found.curves(at - 1e-5).to_numpy()) / 2e-5
    p = found.curves(at).to_numpy()
    assert found.item_information(at).to_numpy() == pytest.approx(slope**2 / (p * (1 - p)), rel=1e-6)
    assert found.test_information(at).to_numpy() == pytest.approx(found.item_information(at).sum(axis=1))
    assert found.item_information().shape == (81, 8)


def test_sum_score_chances_are_those_of_all_patterns():
    chance = np.array([[0.2], [0.7], [0.5]])
    direct = np.zeros(4)
    for pattern in itertools.product([0, 1], repeat=3):
        direct[sum(pattern)] += np.prod(np.where(pattern, chance[:, 0], 1 - chance[:, 0]))
    both = np.stack([1 - chance, chance], axis=1)
    assert sum_score_chances(both)[:, 0] == pytest.approx(direct)


def test_s_x2_follows_its_chi_square_when_the_model_is_true():
    p = np.concatenate([irt(simulate_irt(truth(12, s), 800, seed=s)).item_fit()["s_x2_p"] for s in range(5)])
    assert 0.3 < p.mean() < 0.7
    assert (p < 0.05).mean() < 0.15


def test_item_fit_finds_the_item_that_experts_fail():
    responses = simulate_irt(truth(15, 9).assign(discrimination=1.5), 2000, seed=9)
    frame, rng = responses.frame, np.random.default_rng(9)
    strength = frame.mean(axis=1).to_numpy()
    hump = np.exp(-(((strength - 0.5) / 0.15) ** 2))
    frame["hump"] = (rng.random(2000) < hump).astype(float)
    assert irt(frame).item_fit()["s_x2_p"].idxmin() == "hump"
    assert irt(frame).item_fit()["s_x2_p"]["hump"] < 1e-6


def test_item_fit_leaves_s_x2_out_where_nobody_answered_everything(dozen):
    gappy = with_gaps(dozen, 0.6, 3)
    gappy = gappy[gappy.notna().any(axis=1)]
    assert list(irt(gappy).item_fit().columns) == ["infit", "infit_z", "outfit"]


def test_s_x2_leaves_out_agents_with_gaps(dozen):
    gappy = dozen.copy()
    gappy.iloc[:100, 0] = np.nan
    parameters, _ = fitted(Patterns.of(dozen.to_numpy()), "2pl", IrtSettings())
    nodes, weights = IrtSettings().grid()
    right = curves(parameters, nodes)
    free = np.full(len(right), 2)
    given = np.stack([1 - right, right], axis=1), weights, free, free
    some, rest = (s_x2(table, *given) for table in (gappy.to_numpy(), dozen.to_numpy()[100:]))
    assert some["s_x2"] == pytest.approx(rest["s_x2"])


# -- controls, priors, fractions ---------------------------------------------------------------------


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("name", ["1pl", "2pl"])
def test_shuffled_responses_lose_their_fit(dozen, name, gaps):
    table = irt(with_gaps(dozen, gaps, 6), name).negative_control(seed=1)
    observed, shuffled = table.loc["observed"], table.loc["shuffled"]
    assert observed["penalised_gain"] > 1
    assert shuffled["penalised_gain"] < 0.1
    assert shuffled["median_discrimination"] < 0.4 * observed["median_discrimination"]


def test_simulation_and_control_depend_on_the_seed_alone(model):
    assert model.simulate(seed=5).frame.equals(model.simulate(seed=5).frame)
    assert not model.simulate(seed=5).frame.equals(model.simulate(seed=6).frame)
    assert model.negative_control(seed=5).equals(model.negative_control(seed=5))


def test_the_model_recovers_itself(model):
    again = irt(model.simulate(4000, seed=1)).items
    assert np.corrcoef(again["difficulty"], model.items["difficulty"])[0, 1] > 0.98
    assert model.simulate(seed=1).frame.index.equals(model.responses.index)
    assert model.simulate(seed=1).source == "simulated"


def test_weak_priors_keep_separated_items_finite():
    rng = np.random.default_rng(3)
    strength = np.sort(rng.standard_normal(12))
    steps = (strength[:, None] > np.linspace(-1, 1, 8)).astype(float)
    loose = irt(steps)
    assert loose.runaway_items
    assert 'try priors="weak"' in repr(loose)
    held = irt(steps, priors="weak")
    assert held.runaway_items == []
    assert held.items["discrimination"].between(0.3, 5).all()
    assert np.isfinite(held.items[["discrimination_se", "difficulty_se"]]).all(axis=None)
    assert held.log_likelihood < loose.log_likelihood


def test_a_tight_prior_wins():
    responses = simulate_irt(truth(6, 1), 300, seed=1)
    found = irt(responses, priors=Priors(slope=(0.5, 1e-4))).items
    assert found["discrimination"].to_numpy() == pytest.approx(0.5, abs=1e-3)


def test_what_a_fraction_counts_as(dozen):
    frame = dozen.iloc[:100].copy()
    frame.iloc[0, :3] = [0.2, 0.5, 0.7]
    by = {f: irt(frame, fractions=f).responses.iloc[0, :3].tolist() for f in ("truncate", "round", "weigh")}
    assert by == {"truncate": [0, 0, 0], "round": [0, 0, 1], "weigh": [0.2, 0.5, 0.7]}


def test_weighed_fractions_are_repeated_trials():
    rng = np.random.default_rng(2)
    items = truth(10, 2)
    ability = rng.standard_normal(800)
    trials = [simulate_irt(items, ability=ability, seed=s).values for s in (1, 2, 3, 4)]
    found = irt(np.mean(trials, 0), fractions="weigh")
    assert np.corrcoef(found.items["difficulty"], items["difficulty"])[0, 1] > 0.98
    assert np.corrcoef(found.abilities["ability"], ability)[0, 1] > 0.85


def test_rounded_constant_items_are_left_out(dozen):
    frame = dozen.iloc[:150].copy()
    frame["easy"] = np.where(np.arange(150) % 2, 1.0, 0.8)  # all round to 1, though 0.8 truncates to 0
    frame["nearly"] = np.where(np.arange(150) % 2, 0.9, 0.0)  # rounds to both, truncates to 0
    found = irt(frame)
    assert found.constant_items == ["easy", "nearly"]
    assert "2 constant" in repr(found)
    others = found.items.drop(["easy", "nearly"])
    for item in found.constant_items:
        assert found.items.loc[item, "discrimination"] == 0
        assert found.items.loc[item, "difficulty"] == others["difficulty"].median()
    assert found.abilities["ability"].to_numpy() == pytest.approx(
        irt(dozen.iloc[:150]).abilities["ability"].to_numpy()
    )
    assert list(found.curves([0.0]).columns) == list(dozen.columns)


def test_a_fit_that_runs_out_of_steps_says_so(dozen):
    short = irt(dozen, settings=IrtSettings(iterations=2, tolerance=1e-9))
    assert not short.converged
    assert "NOT converged" in repr(short)


def test_mirts_settings_by_name():
    assert IrtSettings.named("mirt") == IrtSettings(61, 6.0, 1e-4, 500)
    nodes, weights = IrtSettings.named("mirt").grid()
    assert (nodes[0], nodes[-1], len(nodes)) == (-6, 6, 61)
    assert weights.sum() == pytest.approx(1)
    assert Priors.named(None) == Priors()


def test_a_long_test_gets_a_finer_grid():
    items = truth(500, 1).assign(discrimination=1.5)
    responses = simulate_irt(items, 60, seed=1).frame
    default = irt(responses, "1pl")
    fine = irt(responses, "1pl", settings=IrtSettings(nodes=401))
    coarse = irt(responses, "1pl", settings="mirt")
    assert default.settings.nodes > 61 == coarse.settings.nodes
    assert default.log_likelihood == pytest.approx(fine.log_likelihood, abs=0.05)
    error = fine.abilities["se"].mean()
    assert default.abilities["se"].mean() == pytest.approx(error, rel=1e-3)
    assert coarse.abilities["se"].mean() < 0.95 * error


def test_arrays_frames_and_responses_are_the_same(dozen):
    small = dozen.iloc[:60]
    fits = [irt(x) for x in (small, Responses(small), small.to_numpy())]
    assert all(isinstance(f, ItemResponseModel) for f in fits)
    assert len({round(f.log_likelihood, 9) for f in fits}) == 1


# -- bad input ---------------------------------------------------------------------------------------

GOOD = [[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0]]
ITEMS = pd.DataFrame({"discrimination": [1.0, 1.0], "difficulty": [0.0, 1.0]})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: irt(GOOD, "5pl"),
            "model: not-an-option",
        ),
        (lambda: irt(GOOD, model=None), "model: not-an-option"),
        (
            lambda: irt([[1, 2, 0, 1], *GOOD]),
            "frame['agent 1', 'item 2']: out-of-range",
        ),
        (lambda: irt([[1, -1, 0, 1], *GOOD]), "frame['agent 1', 'item 2']: out-of-range"),
        (lambda: irt(pd.DataFrame()), "responses: empty"),
        (lambda: irt(np.zeros((0, 3))), "responses: empty"),
        (lambda: irt([["a", 1, 1, 0], *GOOD]), "responses['agent 1', 'item 1']: not-a-number"),
        (lambda: irt([[np.inf, 1, 1, 0], *GOOD]), "responses['agent 1', 'item 1']: not-finite"),
        (lambda: irt([[1, 0, 1]]), "responses: too-few"),
        (lambda: irt([[1, 1], [0, 0]]), "responses: too-few"),
        (lambda: irt([[1, 1], [0, 1]], "1pl"), "responses: too-few"),
        (lambda: irt(np.ones((5, 4))), "responses: too-few"),
        (
            lambda: irt([[0.2, 0.9, 0.4], [0.7, 0.1, 0.8]]),
            "responses: too-few",
        ),
        (lambda: irt([[None] * 4, *GOOD]), "responses: no-response"),
        (
            lambda: irt([[0.4, 1, 1, 0], *GOOD], fractions="error"),
            "responses['agent 1', 'item 1']: not-binary",
        ),
        (lambda: irt(GOOD, fractions="floor"), "fractions: not-an-option"),
        (lambda: irt(GOOD, settings="bilog"), "settings: not-a-setting"),
        (lambda: irt(GOOD, priors="strong"), "priors: not-a-setting"),
        (lambda: IrtSettings(nodes=2), "settings.nodes: out-of-range"),
        (lambda: IrtSettings(limit=0), "settings.limit: out-of-range"),
        (lambda: IrtSettings(tolerance=0), "settings.tolerance: out-of-range"),
        (lambda: IrtSettings(iterations=0), "settings.iterations: out-of-range"),
        (lambda: Priors(slope=(1, 0)), "priors.slope sd: out-of-range"),
        (lambda: Priors(intercept=3), "priors.intercept: not-a-prior"),
        (lambda: Priors(guessing=("a", 1)), "priors.guessing mean: not-a-number"),
        (lambda: irt(GOOD, priors="weak").score("mean"), "method: not-an-option"),
        (
            lambda: irt(GOOD, priors="weak").score("eap", [[1, 0, 1]]),
            "responses: other-items",
        ),
        (
            lambda: irt(GOOD, priors="weak").score("eap", [[None] * 4]),
            "responses: no-response",
        ),
        (lambda: irt(GOOD, priors="weak").curves([[0.0]]), "ability: wrong-shape"),
        (lambda: irt(GOOD, priors="weak").item_information([np.nan]), "ability[0]: not-finite"),
        (lambda: irt(GOOD, priors="weak").simulate(seed=None), "seed: not-a-seed"),
        (lambda: irt(GOOD, priors="weak").simulate(0, seed=1), "agents: out-of-range"),
        (lambda: irt(GOOD, priors="weak").negative_control(seed=-1), "seed: not-a-seed"),
        (lambda: simulate_irt(ITEMS, seed=1), "agents: one-of-two"),
        (lambda: simulate_irt(ITEMS, 3, ability=[0.0], seed=1), "agents: one-of-two"),
        (lambda: simulate_irt([1, 2], 3, seed=1), "items: not-a-table"),
        (lambda: simulate_irt(ITEMS[["difficulty"]], 3, seed=1), "items: no-column"),
        (
            lambda: simulate_irt(ITEMS.assign(guessing=1.0), 3, seed=1),
            "items.guessing: out-of-range",
        ),
        (
            lambda: simulate_irt(ITEMS.assign(difficulty=np.nan), 3, seed=1),
            "items.difficulty[0]: not-finite",
        ),
    ],
)
def test_bad_input_says_what_to_do(call, message):
    with refused(message):
        call()


def test_many_items_converge_in_few_steps_to_abilities_of_mean_0_and_variance_1():
    """Without parameter expansion the scale creeps: 219 steps to the same likelihood, here -19143.02199."""
    rng = np.random.default_rng(1)
    true = pd.DataFrame({"discrimination": rng.lognormal(0, 0.3, 600), "difficulty": rng.normal(0, 1, 600)})
    values = simulate_irt(true, agents=60, seed=1).values
    data = Patterns.of(values[:, values.std(axis=0) > 0])
    settings = IrtSettings.named("default", 600)
    found = fit(data, "2pl", settings, Priors())
    assert found.converged
    assert found.iterations < 150
    assert found.log_likelihood == pytest.approx(-19143.02199, abs=1e-4)
    nodes, weights = settings.grid()
    posterior = e_step(data, found.parameters[0], nodes, weights)[1]
    at_nodes = data.agents @ posterior / data.agents.sum()
    # not exactly: items that all the able solve have slopes held at their bound
    assert at_nodes @ nodes == pytest.approx(0, abs=0.01)
    assert at_nodes @ nodes**2 == pytest.approx(1, abs=0.01)
