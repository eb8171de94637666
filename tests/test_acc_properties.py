"""The mathematics of the curve, on random curves: 250 each in `make test`, a thousand in `make test-slow` (supplement, E.2, F.1 to F.3)."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import some_of

from gindex_lab.foundation.step_curves import step_curve
from gindex_lab.measures.curves import indicators, merge, rule_of
from gindex_lab.measures.generality import generality
from gindex_lab.measures.properties import dominance
from gindex_lab.measures.samples import of_positions

thousand = settings(max_examples=some_of(1000), deadline=None, database=None)
ESTIMATOR = st.sampled_from(["trapezoid", "step"])


def curves(agents=1):
    """Levels (K,), responses (agents, K) and an interval that starts at or below the first level.

    One drawn number seeds each curve: ten times faster than drawing every cell, and a failure still
    names its example.
    """
    return st.integers(0, 2**32 - 1).map(lambda seed: _curve(np.random.default_rng(seed), agents))


def _curve(rng, agents):
    k = rng.integers(2, 8)
    levels = rng.integers(-40, 41) / 4 + np.cumsum(rng.integers(1, 51, k)) / 10
    psi = rng.integers(0, 21, (agents, k)) / 20
    if rng.random() < 0.4:  # failures and successes, and all-zero and all-one agents among them
        psi = np.round(psi * rng.choice([0.0, 1.0, 2.0], (agents, 1))).clip(0, 1)
    low = levels[0] - rng.choice([0, rng.integers(0, 21) / 4])
    return levels, psi, (low, levels[-1] + rng.choice([0, rng.integers(0, 21) / 4]))


def close(one, other, scale=1.0):
    return bool((np.abs(one - other) <= 1e-9 * (scale + np.abs(other))).all())


@thousand
@given(curves(), ESTIMATOR, st.integers(-80, 80))
def test_translation_moves_capability_and_nothing_else(curve, estimator, k):
    levels, psi, (low, high) = curve
    here = indicators(levels, psi, (low, high), estimator)
    there = indicators(levels + k / 4, psi, (low + k / 4, high + k / 4), estimator)
    assert close(there.capability, here.capability + k / 4)
    assert close(there.spread, here.spread, 100)
    assert close(there.normalised_generality, here.normalised_generality, 100)


@thousand
@given(curves(), ESTIMATOR, st.integers(1, 400))
def test_scaling_scales_capability_and_spread_and_leaves_gamma(curve, estimator, s):
    levels, psi, (low, high) = curve
    scale = s / 20
    one = indicators(levels, psi, (low, high), estimator)
    two = indicators(levels * scale, psi, (low * scale, high * scale), estimator)
    assert close(two.capability, one.capability * scale, scale)
    assert close(two.spread, one.spread * scale, 100 * scale)
    assert close(two.normalised_generality, one.normalised_generality, 100)
    assert close(two.expected_difficulty, one.expected_difficulty * scale, 100 * scale)


@thousand
@given(curves(agents=3), st.randoms(use_true_random=False))
def test_order_of_items_and_agents_does_not_matter(curve, random):
    levels, psi, interval = curve
    items, agents = list(range(len(levels))), list(range(3))
    random.shuffle(items)
    random.shuffle(agents)
    plain = indicators(levels, psi, interval)
    mixed = indicators(levels[items], psi[np.ix_(agents, items)], interval)
    for one, other in zip(plain[:2] + plain[3:5], mixed[:2] + mixed[3:5], strict=True):
        assert close(one[agents], other, 100)
    assert (plain.abstruse[agents] == mixed.abstruse).all()


@thousand
@given(curves(agents=2), st.integers(2, 4))
def test_duplicated_items_change_nothing(curve, times):
    levels, psi, interval = curve
    once = indicators(levels, psi, interval)
    often = indicators(np.tile(levels, times), np.tile(psi, times), interval)
    assert close(once.capability, often.capability)
    assert close(once.spread, often.spread, 100)


@thousand
@given(curves(), ESTIMATOR, st.data())
def test_compactness_moving_mass_to_easier_items_raises_generality(curve, estimator, data):
    levels, psi, interval = curve
    rule = rule_of(levels, interval, estimator)
    i, j = sorted(data.draw(st.permutations(range(len(levels))))[:2])
    room = min((1 - psi[0, i]) * rule.area[i], psi[0, j] * rule.area[j])
    if room < 1e-3:
        return
    moved = psi.copy()
    moved[0, i] += room / 2 / rule.area[i]
    moved[0, j] -= room / 2 / rule.area[j]
    before, after = (indicators(levels, x, interval, estimator) for x in (psi, moved))
    assert close(before.capability, after.capability)
    assert after.generality > before.generality
    assert after.normalised_generality > before.normalised_generality


@thousand
@given(curves(agents=3), ESTIMATOR)
def test_spread_and_gamma_stay_in_their_bounds(curve, estimator):
    levels, psi, (low, high) = curve
    found = indicators(levels, psi, (low, high), estimator)
    c, q = found.capability - low, high - low
    assert ((c >= -1e-12) & (c <= q + 1e-12)).all()
    assert (found.spread >= 0).all()
    assert (found.spread**2 <= 2 * c * (q - c) + 1e-9).all()
    assert (np.abs(found.normalised_generality) <= 1).all()
    assert not np.isnan(np.array(found[:6], dtype=float)).any()


@thousand
@given(curves(), st.data())
def test_decreasing_step_has_no_spread(curve, data):
    levels, _, interval = curve
    solved = data.draw(st.integers(0, len(levels)))
    psi = (np.arange(len(levels)) < solved).astype(float)[None]
    found = indicators(levels, psi, interval, "step")
    assert close(found.capability, levels[solved - 1] if solved else interval[0])
    assert found.spread == 0
    assert np.isinf(found.generality)
    assert found.normalised_generality == 1


@thousand
@given(curves(), ESTIMATOR, st.integers(0, 100))
def test_constant_curve_has_spread_q_root_c_1_minus_c(curve, estimator, height):
    levels, _, (low, _) = curve
    low = levels[0] if estimator == "trapezoid" else low
    c, q = height / 100, levels[-1] - low
    if q <= 0:
        return
    psi = np.full((1, len(levels)), c)
    found = indicators(levels, psi, (low, levels[-1]), estimator)
    assert close(found.spread, q * np.sqrt(c * (1 - c)), 10)
    assert close(found.normalised_generality, 0 if 0 < c < 1 else 1, 10)
    assert not found.abstruse[0]


@thousand
@given(curves(), st.data())
def test_increasing_step_has_the_maximum_spread(curve, data):
    levels, _, (low, _) = curve
    failed = data.draw(st.integers(1, len(levels) - 1))
    psi = (np.arange(len(levels)) >= failed).astype(float)[None]
    interval = (low - 1, levels[-1])
    found = indicators(levels, psi, interval, "step")
    capability, q = found.capability - interval[0], interval[1] - interval[0]
    assert close(found.spread, np.sqrt(2 * capability * (q - capability)), 10)
    assert close(found.normalised_generality, -1)
    assert found.abstruse[0]


POSITIONS = st.lists(st.integers(0, 1000), min_size=1, max_size=9)


@thousand
@given(POSITIONS)
def test_lemma_19_mean_and_standard_deviation_of_the_steps(places):
    positions = np.array([places]) / 1000
    levels = np.unique(np.append(positions, 1.0))
    staircase = (positions[0] >= levels[:, None]).mean(axis=1)[None]
    if len(levels) > 1 and levels[0] > 0:
        by_curve = indicators(levels, staircase, (0.0, 1.0), "step")
        assert close(by_curve.capability, positions.mean())
        assert close(by_curve.spread, positions.std(), 10)
    closed = of_positions(positions, (0.0, 1.0))
    assert close(closed.capability, positions.mean())
    assert close(closed.spread, positions.std())


@thousand
@given(POSITIONS, st.integers(2, 40))
def test_step_curve_counts_what_the_long_way_compares(places, columns):
    positions, grid = np.array([places]) / 1000, np.linspace(0, 1, columns)
    p = positions[0][:, None]
    long_way = ((p > grid) + 0.5 * (p == grid)).mean(axis=0)
    assert np.allclose(step_curve(positions, grid)[0], long_way)


@thousand
@given(curves(agents=2), ESTIMATOR)
def test_a_dominating_agent_is_at_least_as_capable(curve, estimator):
    levels, psi, interval = curve
    psi = np.stack([psi.max(axis=0), psi.min(axis=0)])
    found = indicators(levels, psi, interval, estimator)
    assert found.capability[0] >= found.capability[1] - 1e-12


@thousand
@given(curves(agents=3))
def test_dominance_is_what_it_says_and_never_mutual(curve):
    levels, psi, _ = curve
    found = dominance(psi, levels).to_numpy()
    for a in range(3):
        for b in range(3):
            above = (psi[a] >= psi[b]).all() and (psi[a] > psi[b]).any()
            assert found[a, b] == above
    assert not (found & found.T).any()


@thousand
@given(curves(agents=2), ESTIMATOR, st.data())
def test_an_agent_with_gaps_is_as_if_it_had_never_met_those_items(curve, estimator, data):
    levels, psi, interval = curve
    inner = list(range(1, len(levels) - 1))
    hidden = data.draw(st.sets(st.sampled_from(inner))) if inner else set()
    kept = [k for k in range(len(levels)) if k not in hidden]
    gappy = psi.copy()
    gappy[1, list(hidden)] = np.nan
    both = indicators(levels, gappy, interval, estimator)
    alone = indicators(levels[kept], psi[1:, kept], interval, estimator)
    assert close(both.capability[1], alone.capability[0])
    assert close(both.spread[1], alone.spread[0], 100)
    assert close(both.capability[0], indicators(levels, psi[:1], interval, estimator).capability[0])


@settings(thousand, max_examples=some_of(300))
@given(curves(agents=2))
def test_exact_curve_equals_numerical_integration(curve):
    levels, psi, (low, high) = curve
    found = indicators(levels, psi, (low, high))
    middle = low + (np.arange(20_000) + 0.5) * (high - low) / 20_000
    for row, capability, spread in zip(psi, found.capability, found.spread, strict=True):
        y = np.interp(middle, levels, row)
        y[middle < levels[0]], y[middle > levels[-1]] = 1, 0
        area = y.mean() * (high - low)
        moment = (y * (middle - low)).mean() * (high - low)
        assert abs(low + area - capability) < 1e-3 * (high - low)
        assert abs(2 * moment - area**2 - spread**2) < 2e-3 * (high - low) ** 2


@settings(thousand, max_examples=some_of(200))
@given(curves(agents=3))
def test_public_table_agrees_with_the_kernel_and_with_one_agent_at_a_time(curve):
    levels, psi, interval = curve
    table = generality(psi, levels, interval=interval)
    kernel = indicators(levels, psi, interval)
    assert np.array_equal(table["capability"], kernel.capability)
    single = generality(psi[1], levels, interval=interval)
    assert close(single["spread"].iloc[0], table["spread"].iloc[1], 100)


@thousand
@given(curves(agents=2), st.integers(1, 3))
def test_merging_is_idempotent(curve, times):
    levels, psi, _ = curve
    first = merge(np.tile(psi, times), np.tile(levels, times))
    again = merge(first[1], first[0])
    assert np.allclose(first[1], again[1])
    assert np.array_equal(first[0], again[0])
