"""Difficulties from a logistic model: held where agents are few, honest about what they cannot say."""

import warnings

import numpy as np
import pandas as pd
import pytest
from loops import looped
from oracles.irt_direct import numerical_information
from refusals import cautioned

import gindex_lab as gl
from gindex_lab.foundation.errors import BadInput, Caution
from gindex_lab.foundation.responses import Responses
from gindex_lab.measures.psychometrics import irt_scale
from gindex_lab.measures.psychometrics.irt import Priors, irt, simulate_irt
from gindex_lab.measures.psychometrics.irt_em import information
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings
from gindex_lab.studies.own_experiments.stand_ins import letter_series_respondents


def simulated(agents, items=20, seed=1, sd=0.3):
    rng = np.random.default_rng(seed)
    true = pd.DataFrame(
        {"discrimination": rng.lognormal(0.1, sd, items), "difficulty": rng.normal(0, 1.2, items)}
    )
    return true, simulate_irt(true, agents, seed=rng)


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error", Caution)
        return call()


@looped("who", ["published", "made up"])
def test_the_letter_series_do_not_run_away(who, beside, monkeypatch):
    if who == "published" and not beside:
        pytest.skip("needs ../shared")
    monkeypatch.setenv("GINDEX_LAB_DATA", str(beside / "datasets") if beside else "")
    series = gl.load("ctest") if who == "published" else letter_series_respondents(1)
    with cautioned("few-agents"):
        found = gl.irt_difficulty(series)
    assert found.difficulty.between(-6, 6).all()
    with cautioned("far-difficulties"):
        loose = gl.irt_difficulty(series, priors=None)
    assert np.ptp(loose.difficulty) > 3 * np.ptp(found.difficulty)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_the_prior_brings_the_difficulties_of_few_agents_nearer_the_truth(seed):
    true, table = simulated(30, seed=seed, sd=0.4)
    with pytest.warns(Caution):
        held, loose = gl.irt_difficulty(table), gl.irt_difficulty(table, priors=None)
    wanted = true["difficulty"]
    errors = [(x.difficulty - wanted).pow(2).mean() for x in (held, loose)]
    assert errors[0] < errors[1]


def test_many_agents_get_no_prior_and_no_word():
    _, table = simulated(400)
    found = quiet(lambda: gl.irt_difficulty(table))
    assert found.notes == ()
    assert found.difficulty.equals(irt(table).parameters["difficulty"])


def test_a_prior_that_was_asked_for_is_not_announced():
    _, table = simulated(60, seed=2)
    asked = quiet(lambda: gl.irt_difficulty(table, priors="lognormal"))
    with cautioned("few-agents"):
        auto = gl.irt_difficulty(table)
    assert asked.difficulty.equals(auto.difficulty)
    assert "lognormal prior" in auto.notes[0]


def test_items_that_all_solve_or_fail_are_left_out_and_named():
    _, table = simulated(300)
    frame = table.frame.assign(trivial=1.0, hopeless=0.0)
    with cautioned("constant-items"):
        found = gl.irt_difficulty(Responses(frame))
    assert list(found.frame.columns) == list(table.frame.columns)
    assert found.difficulty.to_numpy() == pytest.approx(irt(table).parameters["difficulty"])
    with cautioned("constant-items"):
        kept = gl.irt_difficulty(Responses(frame), constant="median")
    assert kept.difficulty["trivial"] == found.difficulty.median()


def test_the_errors_of_difficulty_come_along_on_the_same_scale():
    _, table = simulated(400)
    plain, moved = gl.irt_difficulty(table), gl.irt_difficulty(table, centre=10, deviation=3)
    assert plain.items["difficulty_se"].equals(irt(table).items["difficulty_se"])
    scale = 3 / plain.difficulty.std()
    assert moved.items["difficulty_se"].to_numpy() == pytest.approx(
        scale * plain.items["difficulty_se"].to_numpy()
    )


def test_other_difficulties_take_the_errors_with_them():
    _, table = simulated(400)
    found = gl.irt_difficulty(table)
    assert "difficulty_se" not in found.with_difficulty(np.arange(20.0)).items


def test_errors_of_many_items_are_those_of_all_items_together(monkeypatch):
    _, table = simulated(300, items=60)
    whole = irt_scale.difficulty_errors(irt(table))
    monkeypatch.setattr(irt_scale, "_MANY", 10)
    own = irt_scale.difficulty_errors(irt(table))
    assert (own / whole).between(0.75, 1.02).all()


def test_the_lognormal_prior_is_its_density():
    priors, at = Priors(log_slope=(0.2, 0.5)), np.array([[0.7, 0.1], [2.5, -1.0]])
    _, gradient, curvature = priors.pull(at)
    h = np.array([1e-4, 0.0])
    up, middle, down = (priors.pull(at + s * h)[0].sum(1) for s in (1, 0, -1))
    assert gradient[:, 0] == pytest.approx((up - down) / 2e-4, abs=1e-6)
    assert curvature[:, 0] == pytest.approx(-(up - 2 * middle + down) / 1e-8, abs=1e-4)
    assert (gradient[:, 1] == 0).all()


def test_the_fit_with_a_lognormal_prior_is_at_rest():
    from gindex_lab.measures.psychometrics.irt_em import e_step, expected, score

    _, table = simulated(50, items=8)
    model = irt(table, priors="lognormal", settings=IrtSettings(tolerance=1e-8))
    at, data = model.fitted_parameters, model.patterns
    nodes, weights = IrtSettings().grid()
    counts, places = expected(data, e_step(data, at, nodes, weights)[1], nodes)
    slope = score(counts, at, places)[0] + model.priors.pull(at)[1]
    assert np.abs(slope).max() < 1e-4
    assert (at[:, 0] > 0).all()
    given = data, at, model.plan.index[0], IrtSettings(), model.priors
    assert information(*given) == pytest.approx(
        numerical_information(data, at, IrtSettings(), model.priors), abs=1e-3
    )


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda t: gl.irt_difficulty(t, priors="strong"), "priors"),
        (lambda t: gl.irt_difficulty(t, constant="keep"), "constant"),
        (lambda t: gl.irt_difficulty(t, centre=1.0), "centre, deviation"),
        (lambda t: Priors(slope=(1, 1), log_slope=(0, 1)), "priors.log_slope"),
        (lambda t: Priors(log_slope=(0, 0)), "priors.log_slope sd"),
    ],
)
def test_bad_input_names_its_argument(call, argument):
    with pytest.raises(BadInput) as caught:
        call(simulated(40, items=5)[1])
    assert caught.value.argument == argument
