"""Fit of models, items and agents: against all patterns one by one, R's eRm, and what mirt prints."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

import gindex_lab as gl
from gindex_lab.measures.psychometrics.irt_models import model_of
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings
from gindex_lab.measures.psychometrics.m2 import MOST_ITEMS
from gindex_lab.measures.psychometrics.person_fit import mean_squares

PATTERNS = np.array(list(itertools.product([0.0, 1.0], repeat=5)))
# Law School Admission Test, sections 6 and 7 (Bock and Lieberman 1970, Table 1), agents per pattern 00000 ... 11111
COUNTS = {
    "lsat6": "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298",
    "lsat7": "12 19 1 7 3 19 3 17 10 5 3 7 7 23 8 28 7 39 11 34 14 51 15 90 6 25 7 35 18 136 32 308",
}
LSAT = {name: np.repeat(PATTERNS, [int(x) for x in text.split()], axis=0) for name, text in COUNTS.items()}


def m2_over_all_patterns(model):
    """M2 from the 2^items chances of all patterns and the multinomial covariance: no shortcut shared with ours."""
    at, items = model.fitted_parameters, len(model.fitted_parameters)
    patterns = np.array(list(itertools.product([0.0, 1.0], repeat=items)))
    theta = np.linspace(-6, 6, 61)
    weight = np.exp(-(theta**2) / 2)
    weight /= weight.sum()

    def chances(free):
        slopes = np.full(items, free[0]) if model.model == "1pl" else free[:items]
        p = 1 / (1 + np.exp(-(np.outer(theta, slopes) + free[-items:])))
        return [weight @ np.prod(np.where(x == 1, p, 1 - p), 1) for x in patterns]

    shared = at[:1, 0] if model.model == "1pl" else at[:, 0]
    free = np.concatenate([shared, at[:, 1]])
    pairs = list(itertools.combinations(range(items), 2))
    moments = np.vstack([patterns.T, *[patterns[:, i] * patterns[:, j] for i, j in pairs]])
    expected = np.array(chances(free))
    move = 1e-5 * np.eye(len(free))
    delta = [(np.array(chances(free + d)) - np.array(chances(free - d))) @ moments.T / 2e-5 for d in move]
    delta = np.array(delta).T
    values = model.responses.to_numpy()
    shares = np.array([(values == x).all(1).mean() for x in patterns])
    e = moments @ (shares - expected)
    xi = moments @ (np.diag(expected) - np.outer(expected, expected)) @ moments.T
    inner = np.linalg.inv(xi)
    c = inner - inner @ delta @ np.linalg.inv(delta.T @ inner @ delta) @ delta.T @ inner
    return len(values) * e @ c @ e, len(e) - len(free)


@pytest.mark.parametrize(("data", "kind"), [("lsat6", "1pl"), ("lsat6", "2pl"), ("lsat7", "2pl")])
def test_m2_is_that_over_all_patterns(data, kind):
    model = gl.irt(LSAT[data], kind)
    expected, df = m2_over_all_patterns(model)
    found = gl.m2(model)
    assert found.df == df
    assert found.m2 == pytest.approx(expected, rel=1e-6)
    assert found.p == pytest.approx(chi2.sf(expected, df), rel=1e-5)


def test_m2_is_what_mirt_prints():
    """mirt's own tests: M2(mirt(LSAT7, 1)) is 11.93841 with 5 df; its manual of LSAT6 (1.45, CONSTRAIN a1): 5.293
    with 9 df, p .808, RMSEA 0 [0, .023], SRMSR .022, TLI 1.073, CFI 1."""
    seven, six = gl.m2(gl.irt(LSAT["lsat7"])), gl.m2(gl.irt(LSAT["lsat6"], "1pl"))
    assert seven.m2 == pytest.approx(11.93841, abs=1e-4)
    assert six.m2 == pytest.approx(5.293, abs=3e-3)
    shown = (six.df, six.p, six.rmsea, six.rmsea_low, six.rmsea_high, six.srmsr, six.tli, six.cfi)
    assert shown == pytest.approx((9, 0.808, 0, 0, 0.023, 0.022, 1.073, 1), abs=6e-4)


def test_s_x2_of_lsat6_is_what_mirt_prints():
    """mirt's manual of LSAT6 (its df take one off for the common slope)."""
    six = gl.irt(LSAT["lsat6"], "1pl").item_fit()
    assert six["s_x2"].to_numpy() == pytest.approx([0.436, 1.576, 0.871, 0.190, 0.190], abs=2e-3)
    assert (six["s_x2_df"] - 1).tolist() == [2, 2, 1, 2, 2]


# itemfit(mirt(LSAT7, 1))$S_X2 of two versions of R's mirt: tests/testthat of philchalmers/mirt (which allow 1e-2)
# and the run with `mincell = 0` that jMetrik's tests quote, whose third slope is 1.706 where the maximum is at 1.7075
MIRTS = [
    [4.749440, 14.451071, 1.270381, 5.237400, 0.941125],
    [4.7492191, 14.4528980, 1.2703374, 5.2373430, 0.9407036],
]


def test_s_x2_of_lsat7_is_that_at_the_maximum_of_the_likelihood():
    """The likelihood of the 32 patterns maximised on 201 nodes by other means, S-X² from their chances alone: ours is
    it to 1e-4. R's two numbers differ from each other by 2e-3, because its EM stops once steps are below 1e-4, and
    both from the maximum by less than our own do when our EM stops ten times sooner."""
    theta = np.linspace(-8, 8, 201)
    weight = np.exp(-(theta**2) / 2) / np.exp(-(theta**2) / 2).sum()
    counts = np.array([int(x) for x in COUNTS["lsat7"].split()])

    def chances(free):
        z = np.outer(theta, free[:5]) + free[5:]
        return np.exp(-PATTERNS @ np.logaddexp(0, -z).T - (1 - PATTERNS) @ np.logaddexp(0, z).T) @ weight

    best = minimize(lambda x: -counts @ np.log(chances(x)), np.repeat([1.0, 0.5], 5), tol=1e-9).x
    chance, score, direct = chances(best), PATTERNS.sum(1), np.zeros(5)
    for item, k in itertools.product(range(5), range(1, 5)):
        at, right = score == k, (score == k) & (PATTERNS[:, item] == 1)
        n, hoped = counts[at].sum(), chance[right].sum() / chance[at].sum()
        direct[item] += (counts[right].sum() - n * hoped) ** 2 / (n * hoped * (1 - hoped))
    ours = gl.irt(LSAT["lsat7"]).item_fit()
    assert ours["s_x2"].to_numpy() == pytest.approx(direct, abs=1e-4)
    assert (ours["s_x2_df"] == 2).all()
    early = IrtSettings(tolerance=1e-3, accelerate=False)
    stopped = gl.irt(LSAT["lsat7"], settings=early).item_fit()["s_x2"].to_numpy()
    away = [np.abs(np.array(x) - direct).max() for x in (*MIRTS, stopped)]
    assert max(away[:2]) < 2.5e-3 < away[2]


def known_items(kind, count):
    """Items of rising discrimination and difficulty; "three" and "graded" have three and four categories."""
    place = np.linspace(-1.5, 1.5, count)
    table = pd.DataFrame({"discrimination": np.linspace(0.8, 1.8, count)})
    if kind == "2pl":
        return table.assign(difficulty=place)
    cuts = 0.6 * place[:, None] + np.linspace(-0.8, 0.8, {"three": 2, "graded": 3}[kind])
    return table.join(pd.DataFrame(cuts).rename(columns=lambda c: f"b{c + 1}"))


# The package mirt 1.2.0 for Python, at our parameters and on our grid: compute_s_x2 (statistics, df) and
# compute_m2 (M2*, df) of known_items(kind, count) answered by so many agents with that seed
PEER = {
    ("2pl", 10, 400, 1): (
        "5.872297 7.417844 6.690081 4.393857 9.13935 3.532868 12.971658 5.731048 1.878932 4.948402",
        [6, 6, 6, 6, 6, 6, 5, 5, 5, 4],
        (36.857568, 35),
    ),
    ("three", 8, 300, 2): (
        "18.38716 13.471194 15.750451 18.762663 17.582099 17.243043 14.050409 13.017775",
        [21, 20, 18, 20, 17, 17, 17, 18],
        (9.380549, 12),
    ),
    ("graded", 12, 500, 3): (
        "80.928777 81.8079 58.152585 77.154783 57.362973 93.040254 70.145722 74.421952 75.571144 69.992375 "
        "66.518564 39.585941",
        [76, 78, 73, 69, 71, 67, 69, 67, 65, 66, 61, 56],
        (35.307861, 30),
    ),
}


@pytest.mark.parametrize("design", PEER)
def test_s_x2_and_m2_are_those_of_the_peer_to_the_fifth_digit(design):
    kind, count, agents, seed = design
    s_x2, df, (m2, freedom) = PEER[design]
    how = None if kind == "2pl" else "graded"
    drawn = gl.simulate_irt(known_items(kind, count), agents, model=how, seed=seed)
    model = gl.irt(drawn, how or "2pl", settings=IrtSettings(tolerance=1e-8))
    found = model.item_fit()
    assert found["s_x2"].to_numpy() == pytest.approx([float(x) for x in s_x2.split()], abs=1e-4)
    assert found["s_x2_df"].tolist() == df
    whole = gl.m2(model, moments="m2*")
    assert (whole.m2, whole.df) == pytest.approx((m2, freedom), abs=1e-4)


@pytest.mark.parametrize("kind", ["graded", "gpcm", "pcm", "nominal"])
@pytest.mark.parametrize("moments", ["c2", "m2*"])
def test_c2_and_m2_star_are_those_over_all_patterns(kind, moments):
    """From the chances of all 3^6 patterns, their multinomial covariance and numerical derivatives."""
    from gindex_lab.measures.psychometrics.irt_engine import log_chances

    drawn = gl.simulate_irt(known_items("three", 6), 700, model="graded", seed=8)
    model = gl.irt(drawn, kind)
    patterns = np.array(list(itertools.product([0, 1, 2], repeat=6)))
    theta = np.linspace(-6, 6, 61)
    weight = np.exp(-(theta**2) / 2) / np.exp(-(theta**2) / 2).sum()
    plan, at = model.plan, model.found.parameters

    def chances(free):
        log = log_chances(model.kind, plan.spread(free, at)[0], theta[:, None]).log
        return np.exp(sum(log[j, patterns[:, j]] for j in range(6))) @ weight

    free = plan.gathered(at)
    delta = [(chances(free + d) - chances(free - d)) / 2e-5 for d in 1e-5 * np.eye(len(free))]
    firsts = [patterns == c for c in (1, 2)] if moments == "c2" else [patterns]
    pairs = [patterns[:, i] * patterns[:, j] for i, j in itertools.combinations(range(6), 2)]
    taken = np.vstack([*[first.T for first in firsts], *pairs]).astype(float)
    values, expected = model.responses.to_numpy(), chances(free)
    shares = np.array([(values == x).all(1).mean() for x in patterns])
    e, by = taken @ (shares - expected), taken @ np.array(delta).T
    if len(e) <= len(free):  # the nominal model has 24
        with pytest.raises(gl.BadInput) as refused:
            gl.m2(model, moments=moments)
        assert refused.value.code == "too-few"
        return
    inner = np.linalg.inv(taken @ (np.diag(expected) - np.outer(expected, expected)) @ taken.T)
    c = inner - inner @ by @ np.linalg.inv(by.T @ inner @ by) @ by.T @ inner
    found = gl.m2(model, moments=moments)
    assert (found.m2, found.df) == pytest.approx((len(values) * e @ c @ e, len(e) - len(free)), rel=1e-5)
    assert str(found).find(f"{moments.upper()}({found.df})") > 0


def test_categories_that_are_not_as_the_model_says_are_found():
    """An item whose lowest category half of the most able choose."""
    rng = np.random.default_rng(5)
    drawn = gl.simulate_irt(known_items("three", 10), 1500, model="graded", seed=5).frame
    able = drawn.mean(axis=1) > 0.75
    drawn[4] = drawn[4].mask(able & (rng.random(1500) < 0.5), 0.0)
    found = gl.irt(drawn, "graded").item_fit()
    assert found["s_x2_p"].idxmin() == 4
    assert found["s_x2_p"].min() < 1e-4


def test_mean_squares_are_those_of_erm():
    """eRm 1.0.2: itemfit and personfit of person.parameter(RM(LSAT7)), ML abilities of scores 1 to 4."""
    easy = [0.5414703273, -0.5365454726, 0.1335826505, -0.8051663839, 0.6666588787]
    ability = np.array([-1.4861051070, -0.4425869064, 0.4363100690, 1.4870053806])
    score = LSAT["lsat7"].sum(1).astype(int)
    inside = (score > 0) & (score < 5)
    values = LSAT["lsat7"][inside]
    known = SimpleNamespace(
        model="1pl",
        kind=model_of("2pl", [2] * 5),
        values=values,
        fitted_parameters=np.column_stack([np.ones(5), easy]),
    )
    at = ability[score[inside] - 1]
    items = pd.DataFrame(mean_squares(known, at, axis=0)).to_numpy()
    expected = [
        [0.9095337650, 0.8777478091],
        [0.9946611284, 1.0229819922],
        [0.8710798333, 0.8369407833],
        [1.0488345777, 1.0204594230],
        [0.9928086209, 0.9843650261],
    ]
    assert items == pytest.approx(np.array(expected), abs=1e-7)
    agents = pd.DataFrame(mean_squares(known, at, axis=1)).iloc[[0, 19, 20]].to_numpy()
    expected = [[0.8176515837, 0.6300187322], [1.3781284664, 2.2215780421], [1.1958234441, 1.2991039380]]
    assert agents == pytest.approx(np.array(expected), abs=1e-7)


def noisy(seed=1, agents=800):
    """Ten items of a 2PL, and one more that is solved by luck of those in the middle only."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=agents)
    items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1.5, 1.5, 10)})
    frame = gl.simulate_irt(items, ability=ability, seed=rng).frame
    frame["bell"] = (rng.random(agents) < np.exp(-2 * ability**2)).astype(float)
    return frame


def test_two_dimensions_do_not_fit_one():
    rng = np.random.default_rng(2)
    items = pd.DataFrame({"discrimination": 2.0, "difficulty": np.linspace(-1, 1, 5)})
    halves = [gl.simulate_irt(items, 600, seed=rng).frame.add_prefix(k) for k in "ab"]
    halves[1].index = halves[0].index
    found = gl.m2(gl.irt(pd.concat(halves, axis=1)))
    assert found.p < 1e-10
    assert found.verdict == "does not fit"
    assert "does not fit" in str(found)


def test_the_odd_item_is_the_one_that_s_x2_names():
    assert gl.irt(noisy()).item_fit()["s_x2_p"].idxmin() == "bell"


def test_infit_is_one_and_its_z_is_small_where_the_model_is_true():
    items = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-1.5, 1.5, 12)})
    drawn = gl.simulate_irt(items, 1000, seed=3)
    for model in ("1pl", "2pl"):
        found = gl.irt(drawn, model).item_fit()
        assert found["infit"].between(0.94, 1.06).all()
        if model == "1pl":
            assert found["infit_z"].abs().max() < 3.2
        else:
            assert found["infit_z"].isna().all()  # an item with a slope of its own


@pytest.mark.parametrize(
    ("make", "argument", "code"),
    [
        (lambda: gl.m2("model"), "model", "wrong-type"),
        (lambda: gl.m2(gl.irt(LSAT["lsat7"]), ci=1), "ci", "out-of-range"),
        (lambda: gl.m2(gl.irt(LSAT["lsat7"]), moments="m3"), "moments", "not-an-option"),
        (lambda: gl.m2(gl.irt(LSAT["lsat7"][:, :3])), "model", "too-few"),
        (
            lambda: gl.m2(gl.irt(LSAT["lsat7"] * 0.5 + 0.25, fractions="weigh")),
            "model",
            "not-binary",
        ),
    ],
)
def test_bad_input_names_the_argument(make, argument, code):
    with pytest.raises(gl.BadInput) as refused:
        make()
    assert (refused.value.argument, refused.value.code) == (argument, code)


def test_items_that_fill_the_memory_are_refused():
    many = (np.random.default_rng(1).random((60, MOST_ITEMS + 1)) < 0.5).astype(float)
    with pytest.raises(gl.BadInput) as refused:
        gl.m2(gl.irt(many, "1pl"))
    assert refused.value.code == "too-large"


def test_two_equal_items_end_in_a_number():
    table = np.column_stack([LSAT["lsat7"], LSAT["lsat7"][:, 0]])
    assert np.isfinite(gl.m2(gl.irt(table)).m2)
