"""Models of several groups: against a likelihood maximised by other means, and how often their tests err."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from test_dif import two_groups

import gindex_lab as gl


def log_likelihood(parts, slopes, intercepts, means, deviations):
    """Σ log ∫ P(pattern | θ) φ(θ; mean, sd) dθ on the same grid, one agent after another."""
    theta, total = np.linspace(-6, 6, 61), 0.0
    for values, a, d, mean, sd in zip(parts, slopes, intercepts, means, deviations, strict=True):
        weight = np.exp(-(((theta - mean) / sd) ** 2) / 2)
        weight /= weight.sum()
        z = np.outer(theta, a) + d
        shown, agents = np.unique(values, axis=0, return_counts=True)
        log = -shown @ np.logaddexp(0, -z).T - (1 - shown) @ np.logaddexp(0, z).T
        total += agents @ logsumexp(log, axis=1, b=weight)
    return total


SLOW = [pytest.param(level, marks=pytest.mark.slow) for level in ("configural", "metric")]


@pytest.mark.parametrize("level", [*SLOW, "scalar"])
def test_the_fit_is_the_maximum_found_by_other_means(level):
    frame, group = two_groups(1, n=200, items=4)
    found = gl.multigroup(frame, group, level=level, reference="R")
    parts = [frame.to_numpy()[:200], frame.to_numpy()[200:]]
    k = {"configural": 16, "metric": 13, "scalar": 10}[level]

    def unpack(x):
        if level == "configural":
            return x[:8].reshape(2, 4), x[8:].reshape(2, 4), (0, 0), (1, 1)
        if level == "metric":
            return [x[:4]] * 2, x[4:12].reshape(2, 4), (0, 0), (1, np.exp(x[12]))
        return [x[:4]] * 2, [x[4:8]] * 2, (0, x[8]), (1, np.exp(x[9]))

    start = np.concatenate([np.ones(8 if level == "configural" else 4), np.zeros(k)])[:k]
    best = minimize(lambda x: -log_likelihood(parts, *unpack(x)), start, tol=1e-7)
    assert found.n_parameters == k
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-4)
    if level == "scalar":
        place = found.groups.loc["F", ["mean", "sd"]].to_numpy(dtype=float)
        assert place == pytest.approx([best.x[8], np.exp(best.x[9])], abs=2e-3)
        slopes = found.items["discrimination"].xs("R", level="group")
        assert slopes.to_numpy() == pytest.approx(best.x[:4], abs=5e-3)


def test_one_parameter_groups_differ_in_one_slope_each():
    frame, group = two_groups(2, items=6)
    free, same = (gl.multigroup(frame, group, "1pl", level=x) for x in ("configural", "scalar"))
    assert (free.n_parameters, same.n_parameters) == (14, 9)
    assert free.items["discrimination"].groupby("group").nunique().tolist() == [1, 1]
    found = gl.invariance(frame, group, "1pl").table
    assert found.index.tolist() == ["configural", "scalar"]
    assert found["df"].iloc[1] == 5


def test_an_item_with_parameters_of_its_own_is_the_likelihood_ratio_test():
    frame, group = two_groups(3, items=6)
    tested = gl.dif(frame, group, focal="F", method="likelihood-ratio", purify=False).table
    base, free = (gl.multigroup(frame, group, own=own, reference="R") for own in ([], [2]))
    gain = 2 * (free.log_likelihood - base.log_likelihood)
    assert tested.loc[2, "chi2"] == pytest.approx(gain, abs=1e-3)
    assert tested.loc[2, "df"] == 2
    assert free.items.xs(2, level="item")["difficulty"].nunique() == 2
    assert free.items.xs(1, level="item")["difficulty"].nunique() == 1


def test_the_biased_item_is_found_and_its_effect_has_the_right_sign():
    frame, group = two_groups(4, n=400, items=6, shift=1.2)
    found = gl.dif(frame, group, focal="F", method="likelihood-ratio", anchors=[0, 1, 3, 4, 5])
    assert found.table["p"].idxmin() == 2
    assert found.table.loc[2, "p"] < 1e-3
    assert found.table.loc[2, "difference"] < -0.1
    assert found.table.loc[2, "area"] >= -found.table.loc[2, "difference"] - 1e-9
    assert "harder" in found.sentence
    assert "at the same ability" in found.sentence


def test_graded_items_and_gaps_are_fitted():
    rng = np.random.default_rng(5)
    able = np.concatenate([rng.normal(0, 1, 300), rng.normal(0.7, 1, 300)])
    steps = able[:, None] + rng.logistic(size=(600, 6)) / 1.5 + np.linspace(-0.5, 0.5, 6)
    frame = pd.DataFrame(np.digitize(steps, [-1, 0.5]) / 2)
    frame.iloc[::7, 2] = np.nan
    found = gl.multigroup(frame, ["a"] * 300 + ["b"] * 300, "graded", reference="a")
    assert found.groups.loc["b", "mean"] == pytest.approx(0.7, abs=0.25)
    assert list(found.items.columns) == ["discrimination", "difficulty_1", "difficulty_2"]
    assert found.abilities["ability"].corr(pd.Series(able)) > 0.75


def test_an_item_that_a_group_always_solves_is_left_out_and_named():
    frame, group = two_groups(6, items=6)
    frame.iloc[:300, 1] = 1.0
    assert gl.multigroup(frame, group).left_out == [1]
    assert np.isnan(gl.dif(frame, group, method="likelihood-ratio", purify=False).table.loc[1, "p"])


def test_groups_whose_items_differ_are_told_from_groups_that_do_not():
    same = gl.invariance(*two_groups(7, n=400, shift=0, items=8))
    other = gl.invariance(*two_groups(8, n=400, shift=1.5, items=8))
    assert same.table["p"].iloc[1:].min() > 0.01
    assert other.table.loc["scalar", "p"] < 1e-3
    assert "difficulties differ" in other.sentence
    assert "<table" in other._repr_html_()


@pytest.mark.parametrize(
    ("change", "argument", "code"),
    [
        ({"model": "5pl"}, "model", "not-an-option"),
        ({"level": "strict"}, "level", "not-an-option"),
        ({"own": [99]}, "own", "unknown-label"),
        ({"reference": "X"}, "reference", "unknown-label"),
        ({"group": ["R"] * 590 + ["F"] * 10}, "group", "too-few"),
        ({"responses": np.full((600, 4), 0.5)}, "responses['agent 1', 'item 1']", "not-binary"),
        ({"responses": np.ones((600, 4))}, "responses", "too-few"),
        (
            {"responses": np.random.default_rng(1).random((600, 4)), "model": "graded"},
            "responses",
            "too-large",
        ),
    ],
)
def test_bad_input_names_the_argument(change, argument, code):
    frame, group = two_groups(1)
    with pytest.raises(gl.BadInput) as refused:
        gl.multigroup(**{"responses": frame, "group": group} | change)
    assert (refused.value.argument, refused.value.code) == (argument, code)


@pytest.mark.slow
def test_the_tests_err_in_about_one_of_twenty():
    """Thirty pairs of groups whose abilities lie apart and whose items are the same: 210 items, 60 models."""
    drawn = [two_groups(k, n=300, items=7, shift=0, gap=1.0) for k in range(30)]
    items = [gl.dif(*t, method="likelihood-ratio", purify=False).table["p"] for t in drawn]
    levels = [gl.invariance(*t).table["p"].iloc[1:] for t in drawn]
    assert 0.01 <= (np.array(items) < 0.05).mean() <= 0.1
    assert (np.array(levels) < 0.05).mean() <= 0.15
    assert 0.3 <= np.median(levels) <= 0.7
