"""The range test of a group, what units bring, and limits in the designs of `coverage_kinds`."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.errors import BadInput
from gindex_lab.measures.fit import fit_of, unit_sums
from gindex_lab.measures.samples import sample_of
from gindex_lab.simulations.coverage import Profile, simulate_profile
from gindex_lab.simulations.coverage_kinds import kinds, measure_kind
from gindex_lab.simulations.coverage_study import measure_design

MEASURES = ["capability", "spread", "normalised_generality", "expected_difficulty", "mean"]


def table_of(responses, **options):
    return gl.generality(responses, range(np.shape(responses)[1]), ci=0.95, **options)


@pytest.mark.parametrize("measure", ["capability", "spread", "normalised_generality", "mean"])
def test_the_range_test_agrees_with_every_way_to_deal_out_the_responses(measure):
    x = np.array([[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0]], dtype=float)
    found = gl.range_test(table_of(x), measure, permutations=9999, seed=1)
    orders = [list(order) for order in permutations(range(3))]
    dealt = [
        np.stack([x[order, j] for j, order in enumerate(chosen)], axis=1)
        for chosen in product(orders, repeat=4)
    ]
    every = gl.generality(np.concatenate(dealt), range(4))[measure].to_numpy().reshape(-1, 3)
    exact = (np.ptp(every, axis=1) >= found.range - 1e-12).mean()
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert found.critical == pytest.approx(np.quantile(np.ptp(every, axis=1), 0.95), rel=0.02)


def test_the_range_test_sees_what_is_there_and_repeats_itself():
    random = np.random.default_rng(3)
    level = np.arange(40)
    x = [random.random(40) < 1 / (1 + np.exp((level - c) / 3)) for c in (10, 20, 30)]
    table = table_of(np.array(x, dtype=float))
    assert gl.range_test(table, permutations=499).p_value == 1 / 500
    assert gl.range_test(table, seed=4) == gl.range_test(table, seed=4)
    assert gl.range_test(table.iloc[::-1], permutations=499).p_value == 1 / 500


def test_families_are_exchanged_whole():
    family = np.repeat(np.arange(4), 10)  # three families to one agent, one to the other
    x = np.array([family != 0, family == 0], dtype=float)
    items = pd.DataFrame({"difficulty": np.arange(40) % 10, "family": family})
    study = gl.Responses(pd.DataFrame(x), items=items)
    by_family = gl.generality(study, ci=0.95, resample="families")
    with pytest.warns(gl.Caution, match="families"):
        by_item = gl.generality(study, ci=0.95)
    assert gl.range_test(by_family, permutations=999).p_value > 0.5  # 3 to 1 is no news
    assert gl.range_test(by_item, permutations=999).p_value < 0.01


@pytest.mark.parametrize("resample", ["items", "families"])
@pytest.mark.parametrize("transform", ["none", "rank", "grid", "opponent"])
def test_what_the_units_bring_adds_up_to_the_agent(resample, transform):
    random = np.random.default_rng(2)
    scores = random.random((6, 6))
    names = [f"agent {k + 1}" for k in range(6)]
    if transform == "none":
        study = simulate_profile([Profile(), Profile(0.3)], 30, families=5, seed=1)
    elif transform == "opponent":
        won = np.triu(scores > 0.5, 1).astype(float)
        study = gl.opponent(pd.DataFrame(won + np.tril(1 - won.T, -1), names, names))
        study.items["family"] = ["x", "x", "y", "y", "z", "z", "-", "-"][: len(study.items)]
    else:
        items = pd.DataFrame({"family": list("xxyyzz")})
        raw = gl.Scores(pd.DataFrame(scores), items=items)
        study = gl.rank(raw, columns=None if transform == "rank" else 50)
    interval = study.interval or (0.0, 1.0)
    fit = fit_of(sample_of(study, interval, "trapezoid", resample))
    cells = unit_sums(fit)
    assert cells.shape == (3, len(fit.agents), fit.sample.units)
    ends = [fit.area, fit.moment, fit.mean]
    rest = np.stack(ends) - cells.sum(axis=2)
    assert np.ptp(rest, axis=1).max() < 1e-12  # the same for all: end points, solved block
    if transform != "opponent":
        assert np.abs(rest[2]).max() < 1e-12


@pytest.mark.parametrize(("families", "likeness"), [(8, 0.5), (20, 0.1)])
def test_families_that_vary_are_not_given_a_surprise_each(families, likeness):
    row = {"agent": "flat half", "spacing": "random", "items": 120}
    found = measure_design(row | {"families": families, "likeness": likeness}, 500, 5)
    for name in ("capability", "normalised_generality"):
        assert 0.93 <= found[name] <= 0.995, (name, found[name])


def test_families_that_failed_once_keep_room_for_a_family_that_fails():
    row = {"agent": "flat .95", "spacing": "random", "items": 120}
    found = measure_design(row | {"families": 8, "likeness": 0.5}, 500, 5)
    assert found["capability"] >= 0.93  # .82 with a surprise of one item


@pytest.mark.parametrize("who", ["steep", "flat .1"])
def test_two_trials_of_few_items_are_covered(who):
    found = measure_kind({"kind": "trials", "who": who, "items": 10}, 300, 3)
    assert min(found.values()) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(set(kinds()["kind"])))
def test_limits_hold_in_every_kind_of_design(kind):
    row = kinds().query("kind == @kind").iloc[0].to_dict()
    found = measure_kind(row, 200, 8)
    assert min(found.values()) >= 0.91  # .95 less three standard errors


def met_apart():
    x = np.array([[1.0, 1, 0, 0, 1, 0], [1, 0, 0, 1, 0, np.nan]])
    return gl.generality(x, range(6), ci=0.95, missing="drop")


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda t: gl.range_test(t, "speed"), "measure"),
        (lambda t: gl.range_test(t, ci=1.0), "ci"),
        (lambda t: gl.range_test(t, permutations=10), "permutations"),
        (lambda t: gl.range_test(t, permutations=10**12), "permutations"),
        (lambda t: gl.range_test(t, seed="x"), "seed"),
        (lambda t: gl.range_test(t.iloc[:1]), "table"),
        (lambda t: gl.range_test(pd.DataFrame(t)[["capability"]]), "table"),
        (lambda t: gl.range_test(met_apart()), "table"),
    ],
)
def test_bad_input_of_the_range_test(call, argument):
    table = table_of(np.eye(5))
    with pytest.raises(BadInput) as caught:
        call(table)
    assert caught.value.argument == argument
