"""Mokken scales and nonparametric curves: by Guttman errors counted one by one, and what must be found."""

import itertools

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.psychometrics.nonparametric import rest_groups


def drawn(seed, agents=500, items=8, slope=1.5):
    table = {"discrimination": slope, "difficulty": np.linspace(-1.5, 1.5, items)}
    return gl.simulate_irt(pd.DataFrame(table), agents, seed=seed).frame


def by_guttman_errors(values):
    """H = 1 - observed / expected Guttman errors, counted agent by agent (Loevinger 1948)."""
    n, items = values.shape
    share = values.mean(0)
    seen, hoped = np.zeros((2, items, items))
    for i, j in itertools.permutations(range(items), 2):
        easy, hard = (i, j) if share[i] >= share[j] else (j, i)
        seen[i, j] = sum(1 for row in values if row[easy] == 0 and row[hard] == 1)
        hoped[i, j] = n * (1 - share[easy]) * share[hard]
    pairs = 1 - seen / np.where(hoped > 0, hoped, 1)
    return pairs, 1 - seen.sum(1) / hoped.sum(1), 1 - seen.sum() / hoped.sum()


def test_h_counts_guttman_errors():
    frame = drawn(1, agents=200)
    found = gl.mokken(frame)
    pairs, items, h = by_guttman_errors(frame.to_numpy())
    off = ~np.eye(8, dtype=bool)
    assert np.allclose(found.pairs.to_numpy()[off], pairs[off])
    assert np.allclose(found.items["h"], items)
    assert found.h == pytest.approx(h)


def test_h_of_graded_items_is_covariance_over_that_of_sorted_responses():
    rng = np.random.default_rng(2)
    able = rng.normal(size=(300, 1))
    graded = pd.DataFrame(np.digitize(able + rng.normal(size=(300, 4)) + [0, 0.3, -0.4, 0.8], [-1, 0, 1]) / 3)
    found = gl.mokken(graded)
    for i, j in itertools.combinations(range(4), 2):
        x, y = graded[i], graded[j]
        most = np.cov(np.sort(x), np.sort(y))[0, 1]
        assert found.pairs.loc[i, j] == pytest.approx(np.cov(x, y)[0, 1] / most)


@pytest.mark.parametrize("graded", [False, True])
def test_errors_are_those_of_the_jackknife(graded):
    frame = drawn(3, agents=150, items=5)
    if graded:
        frame = (frame + drawn(4, agents=150, items=5).to_numpy() * frame.iloc[:, [0]].to_numpy()) / 2
    found, n = gl.mokken(frame), len(frame)
    left = [gl.mokken(frame.drop(index=frame.index[k])) for k in range(n)]
    each = np.array([[m.h, m.items["h"].iloc[1], m.pairs.iloc[0, 3]] for m in left])
    jackknife = np.sqrt((n - 1) / n * ((each - each.mean(0)) ** 2).sum(0))
    errors = [found.h_se, found.items["h_se"].iloc[1], found.pair_errors.iloc[0, 3]]
    assert np.array(errors) == pytest.approx(jackknife, rel=0.08)  # both have errors of order 1 / n


def test_a_guttman_scale_has_h_of_one():
    steps = pd.DataFrame(np.tril(np.ones((6, 5)), -1).repeat(10, axis=0))
    found = gl.mokken(steps)
    assert (found.h, len(found.scales)) == (pytest.approx(1), 1)
    assert found.strength == "make a strong scale"


def test_two_sets_of_items_make_two_scales():
    both = pd.concat(
        [drawn(5, items=5, slope=3).add_prefix("a"), drawn(6, items=5, slope=3).add_prefix("b")],
        axis=1,
    )
    found = gl.mokken(both)
    assert sorted(sorted(name[0] for name in scale) for scale in found.scales) == [
        ["a"] * 5,
        ["b"] * 5,
    ]
    assert "2 scales of 5, 5 items" in found.sentence
    assert "<table" in found._repr_html_()
    assert str(found).startswith(found.sentence)


def test_noise_makes_no_scale():
    noise = pd.DataFrame((np.random.default_rng(7).random((400, 6)) < 0.5).astype(float))
    found = gl.mokken(noise)
    assert found.scales == []
    assert found.strength == "do not make one scale"
    assert "No item goes with another" in found.sentence


def test_an_item_that_the_able_fail_breaks_monotonicity():
    rng = np.random.default_rng(8)
    able = rng.normal(size=1000)
    items = pd.DataFrame({"discrimination": 1.5, "difficulty": np.linspace(-1, 1, 8)})
    frame = gl.simulate_irt(items, ability=able, seed=rng).frame
    frame["bell"] = (rng.random(1000) < np.exp(-(able**2))).astype(float)
    found = gl.mokken(frame).monotonicity()
    assert found["z"].idxmax() == "bell"
    assert found.loc["bell", "z"] > 3
    assert (found.drop(index="bell")["z"] < 1.645).all()


@pytest.mark.parametrize("table", [(20, 30, 28, 22), (40, 60, 55, 45), (30, 120, 60, 140)])
def test_z_of_a_fall_is_that_of_the_hypergeometric_chance(table):
    """Right and wrong of the able, then of the less able: so many or more of those would be right by chance."""
    from scipy.stats import hypergeom, norm

    from gindex_lab.measures.psychometrics.nonparametric import _falls

    a, b, c, d = table
    found = _falls(np.array([[c, a]], float), np.array([c + d, a + b], float), 0.0)
    chance = hypergeom.sf(c - 1, a + b + c + d, a + c, c + d)
    assert norm.sf(found["z"]) == pytest.approx(chance, abs=3e-3)
    assert found["p"] == pytest.approx(norm.sf((c / (c + d) - a / (a + b)) / _pooled(*table)), abs=2e-3)


def _pooled(a, b, c, d):
    share = (a + c) / (a + b + c + d)
    return np.sqrt(share * (1 - share) * (1 / (a + b) + 1 / (c + d)))


def test_p_of_the_largest_fall_is_that_of_shuffled_responses():
    """An item that has nothing to do with the others: p against 2,000 shuffles of its responses."""
    rng = np.random.default_rng(13)
    frame = drawn(13, agents=400)
    frame["flat"] = (rng.random(400) < 0.4).astype(float)
    found = gl.mokken(frame).monotonicity().loc["flat", "p"]
    group = rest_groups(frame.drop(columns="flat").sum(axis=1).to_numpy())
    low, high = np.triu_indices(group.max() + 1, 1)
    sizes = np.bincount(group)

    def largest(flat):
        right = np.bincount(group, flat)
        return max(
            (right[i] / sizes[i] - right[j] / sizes[j])
            / _pooled(right[i], sizes[i] - right[i], right[j], sizes[j] - right[j])
            for i, j in zip(low, high, strict=True)
        )

    flat = frame["flat"].to_numpy()
    shuffled = [largest(rng.permutation(flat)) for _ in range(2000)]
    assert found == pytest.approx(np.mean(np.array(shuffled) >= largest(flat)), abs=0.03)


def test_curves_that_cross_break_double_monotonicity():
    items = pd.DataFrame(
        {"discrimination": [0.3, 3.0, *[1.0] * 6], "difficulty": [0.3, 0.0, *np.linspace(-1, 1, 6)]}
    )
    crossing = gl.mokken(gl.simulate_irt(items, 2000, seed=9)).double_monotonicity()
    parallel = gl.mokken(drawn(10, agents=2000, slope=1.2)).double_monotonicity()
    assert crossing["z"].iloc[:2].min() > 4
    assert parallel["z"].max() < 3


def test_groups_of_the_rest_score_are_large_enough():
    rest = np.random.default_rng(11).integers(0, 20, 1000).astype(float)
    sizes = np.bincount(rest_groups(rest))
    assert sizes.min() >= 100
    assert len(sizes) > 5
    assert (rest_groups(rest[:40]) == 0).all()


def test_curves_without_a_model_follow_the_model_that_made_the_data():
    items = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-1.5, 1.5, 40)})
    found = gl.item_curves(gl.simulate_irt(items, 3000, seed=12), np.linspace(-1.5, 1.5, 7))
    true = 1 / (1 + np.exp(-1.2 * (found.index.to_numpy()[:, None] - items["difficulty"].to_numpy())))
    assert np.abs(found.to_numpy() - true).mean() < 0.03
    assert np.abs(found.to_numpy() - true).max() < 0.12


@pytest.mark.parametrize(
    ("make", "argument", "code"),
    [
        (lambda: gl.mokken(drawn(1), lower_bound=2), "lower_bound", "out-of-range"),
        (lambda: gl.mokken(drawn(1), level=0), "level", "out-of-range"),
        (lambda: gl.mokken(drawn(1)[:5]), "responses", "too-few"),
        (lambda: gl.mokken(np.ones((50, 4))), "responses", "too-few"),
        (lambda: gl.mokken(np.random.default_rng(1).random((50, 4))), "responses", "too-large"),
        (lambda: gl.mokken(drawn(1)).monotonicity(least=-1), "least", "out-of-range"),
        (
            lambda: gl.mokken(drawn(1) / 2 + drawn(2) / 2).double_monotonicity(),
            "responses",
            "not-binary",
        ),
        (lambda: gl.item_curves(drawn(1)[:5]), "responses", "too-few"),
        (lambda: gl.item_curves(drawn(1).iloc[:, :1]), "responses", "too-few"),
        (lambda: gl.item_curves(drawn(1), bandwidth=0), "bandwidth", "out-of-range"),
    ],
)
def test_bad_input_names_the_argument(make, argument, code):
    with pytest.raises(gl.BadInput) as refused:
        make()
    assert (refused.value.argument, refused.value.code) == (argument, code)
