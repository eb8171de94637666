"""The EM of every response model: mirt's printed numbers, direct maximisation, groups, and what must hold."""

import numpy as np
import pandas as pd
import pytest
from oracles import irt_direct as direct

from gindex_lab.measures.psychometrics.irt import irt, simulate_irt
from gindex_lab.measures.psychometrics.irt_engine import fit
from gindex_lab.measures.psychometrics.irt_errors import observed_information
from gindex_lab.measures.psychometrics.irt_models import model_of
from gindex_lab.measures.psychometrics.irt_plan import EMPlan, PatternTable
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

TIGHT = IrtSettings(tolerance=1e-8)
# How many of 1,000 people gave each pattern 00000, 00001, ... of five items: LSAT sections 6 and 7
# (Bock and Lieberman 1970, Psychometrika 35, 179-197, Table 1)
LSAT6 = "3 6 2 11 1 1 3 4 1 8 0 16 0 3 2 15 10 29 14 81 3 28 15 80 16 56 21 173 11 61 28 298"
LSAT7 = "12 19 1 7 3 19 3 17 10 5 3 7 7 23 8 28 7 39 11 34 14 51 15 90 6 25 7 35 18 136 32 308"


def lsat(counts):
    patterns = np.array([[int(bit) for bit in f"{n:05b}"] for n in range(32)], dtype=float)
    return np.repeat(patterns, [int(n) for n in counts.split()], axis=0)


def fitted(name, values, **options):
    categories = np.nanmax(values, axis=0).astype(int) + 1
    model = model_of(name, categories)
    tables = [PatternTable.of_categories(values, model.columns)]
    plan = EMPlan.usual(model, common_slope=name == "pcm")
    return tables, model, plan, fit(tables, model, plan, settings=TIGHT, **options)


# -- numbers of R's mirt, from its own tests (philchalmers/mirt, tests/testthat) -----------------------


def test_lsat7_2pl_is_mirts():
    """test-01-mirtOne.R: mirt(data, 1, SE = TRUE), SE.type 'SEM' for the values, 'Richardson' for errors."""
    tables, model, plan, found = fitted("2pl", lsat(LSAT7))
    assert found.log_likelihood == pytest.approx(-2658.805, abs=5e-4)
    assert found.parameters[0].ravel() == pytest.approx(
        [0.9876, 1.8559, 1.0808, 0.808, 1.7075, 1.8052, 0.765, 0.486, 0.7357, 1.8545], abs=1e-4
    )
    info = observed_information(tables, model, plan, found, TIGHT, Priors())
    errors = np.sqrt(np.linalg.inv(info).diagonal())
    half = [1.3354 - 0.988, 2.1138 - 1.8561, 1.4119 - 1.081, 0.9869 - 0.808]
    assert errors[:4] * 1.959964 == pytest.approx(half, abs=2e-4)


def test_lsat7_with_one_slope_is_mirts_rasch():
    """test-15-IRTpars.R: mirt(dat, 1, 'Rasch'), whose slope is 1 and whose variance is free: scaled, ours."""
    _, _, _, found = fitted("pcm", lsat(LSAT7))
    each = found.parameters[0]
    assert np.ptp(each[:, 0]) == 0
    mirts = [1.8680155, 0.7908857, 1.4607798, 0.5214175, 1.9927099]
    assert each[:, 1] == pytest.approx(mirts, rel=2e-4)  # mirt stops at 1e-4


def test_lsat6_rasch_is_mirts():
    """test-01-mirtOne.R: mirt(dat, 1, itemtype = 'Rasch'): intercepts and the variance 0.57 = slope²."""
    each = fitted("pcm", lsat(LSAT6))[3].parameters[0]
    assert each[:, 1] == pytest.approx([2.73, 0.999, 0.24, 1.306, 2.099], abs=6e-4)
    assert each[0, 0] ** 2 == pytest.approx(0.57, abs=2e-3)
    assert fitted("2pl", lsat(LSAT6))[3].log_likelihood == pytest.approx(-2466.653, abs=1e-3)


def test_lsat7_3pl_is_at_least_as_likely_as_mirts():
    """test-15-IRTpars.R: mirt(dat, 1, '3PL'); its EM stopped a little short along the flat guessing of item 2."""
    _, _, _, found = fitted("3pl", lsat(LSAT7))
    d = np.array([1.86562047, 0.09404091, 1.78051762, 0.48189021, 1.86845282])
    b = np.array([-1.85291884, -0.04877029, -1.06840017, -0.65462572, -2.43551721])
    guess = [-9.0, -0.8709602, -9.0, -9.0, -9.0]
    theirs = direct.log_likelihood(direct.four, np.column_stack([-d / b, d, guess]), lsat(LSAT7))
    assert found.log_likelihood >= theirs - 1e-4
    assert found.log_likelihood == pytest.approx(theirs, abs=0.01)
    assert np.delete(found.parameters[0][:, 1], 1) == pytest.approx(np.delete(d, 1), abs=6e-4)


def test_lsat7_scores_are_mirts():
    """test-01-mirtOne.R: fscores(modm1, method = 'EAPsum'), nothing and everything right, which is the EAP."""
    model = irt(pd.DataFrame(lsat(LSAT7)), "graded", settings=TIGHT)
    found = model.score("eap", pd.DataFrame([[0.0] * 5, [1.0] * 5])).to_numpy()
    mirts = [[-1.86979, 0.6927032], [0.7271877, 0.8009335]]
    assert found == pytest.approx(np.array(mirts), abs=1e-4)


# -- against likelihoods written out (tests/oracles/irt_direct.py) ---------------------------------------


def drawn(name, seed, agents=200, items=4, gaps=0.0):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.8, 1.8, items), np.sort(rng.normal(0, 1, (items, 3)), axis=1)
    b += [-0.4, 0.0, 0.4]
    table = pd.DataFrame({"discrimination": a, "b1": b[:, 0], "b2": b[:, 1], "b3": b[:, 2]})
    if name == "nominal":
        table = pd.DataFrame(rng.normal(0, 1, (items, 6)), columns=["a1", "a2", "a3", "c1", "c2", "c3"])
    if name in ("3pl", "4pl"):
        table = pd.DataFrame({"discrimination": a, "difficulty": b[:, 1], "guessing": 0.2, "upper": 0.9})
    if name == "beta":
        ends = {"precision": 5.0, "b_zero": b[:, 1] - 1.5, "b_one": b[:, 1] + 1.5}
        table = pd.DataFrame({"discrimination": a, "difficulty": b[:, 1], **ends})
    frame = simulate_irt(table, agents, model=name, seed=rng).frame
    return frame.mask(rng.random(frame.shape) < gaps)


def away(model, loss):
    """How far the maximum of `loss` is from the fit: its gradient there, times our covariance."""
    at, plan = model.found.parameters, model.plan

    def value(free):
        return loss(plan.spread(free, at)[0])

    gradient = direct.slope_of(value, plan.gathered(at))
    return np.abs(model.covariance @ gradient).max(), value(plan.gathered(at))


CHANCES = {"graded": direct.graded, "gpcm": direct.gpcm, "pcm": direct.gpcm, "4pl": direct.four}


@pytest.mark.parametrize(
    ("name", "seed", "gaps"),
    [
        ("graded", 1, 0.0),
        ("graded", 2, 0.2),
        ("gpcm", 3, 0.0),
        ("gpcm", 4, 0.2),
        ("pcm", 5, 0.0),
        ("nominal", 6, 0.0),
        ("nominal", 7, 0.2),
        ("4pl", 8, 0.0),
        ("beta", 9, 0.0),
    ],
)
def test_no_other_parameters_are_likelier(name, seed, gaps):
    """The likelihood written out is flat where our EM ended: the maximum is less than 1e-4 away."""
    model = irt(drawn(name, seed, gaps=gaps), name, settings=TIGHT, priors="weak" if name == "4pl" else None)
    answers = model.responses.to_numpy()

    def loss(each):
        if name == "beta":
            return direct.beta_log_likelihood(each, answers)
        if name == "nominal":
            return direct.log_likelihood(direct.nominal, each[:, 1:], answers)
        found = direct.log_likelihood(CHANCES[name], each, answers)
        if name != "4pl":
            return found
        far = (each - [1.0, 0.0, -1.4, 2.2]) / [1.0, 3.0, 0.5, 0.5]
        return found - 0.5 * (far**2).sum()

    distance, value = away(model, loss)
    assert distance < 1e-4
    if name != "4pl":
        assert model.log_likelihood == pytest.approx(value, abs=1e-6)


@pytest.mark.slow
def test_two_correlated_dimensions_are_at_the_maximum():
    rng = np.random.default_rng(4)
    theta = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 200)
    truth = np.array([[1.2, 0], [1.5, 0], [1.0, 0], [0, 1.4], [0, 1.1], [0, 1.3]])
    right = rng.random((200, 6)) < direct.sigma(theta @ truth.T + rng.normal(0, 0.7, 6))
    model = irt(right.astype(float), dimensions=(truth > 0).astype(int), settings=TIGHT)
    at, free = model.found.parameters[0], truth > 0

    def value(x):
        slopes = np.zeros((6, 2))
        slopes[free] = x[:6]
        return direct.two_dimensions_log_likelihood(slopes, x[6:12], np.tanh(x[12]), right, points=31)

    rho = model.correlations.iloc[0, 1]
    x = np.concatenate([at[:, :2][free], at[:, 2], [np.arctanh(rho)]])
    assert model.log_likelihood == pytest.approx(value(x), abs=1e-6)
    assert np.abs(direct.slope_of(value, x)).max() < 2e-3  # errors are about 0.2: 1e-4 away
    assert model.n_parameters == 13
