"""Person fit: the indices on patterns that can be counted by hand, and their identity with γ."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.generality import generality
from gindex_lab.measures.psychometrics.person_fit import (
    disagreement,
    guttman_errors,
    norm_conformity,
    person_fit,
    relations,
)

patterns = st.lists(st.lists(st.integers(0, 1), min_size=7, max_size=7), min_size=1, max_size=5)


def by_hand(row, h):
    """Guttman errors as the definition counts them, pair by pair."""
    pairs = itertools.permutations(range(len(h)), 2)
    return sum(max(0.0, row[j] - row[i]) for i, j in pairs if h[i] < h[j])


@pytest.mark.parametrize(
    ("row", "errors"),
    [([1, 1, 1, 0, 0], 0), ([0, 0, 1, 1, 1], 6), ([1, 0, 1, 0, 1], 3), ([0, 1, 1, 1, 1], 4)],
)
def test_guttman_errors_count_inverted_pairs(row, errors):
    assert guttman_errors(np.array([row], float), np.arange(5.0)).tolist() == [errors]


@given(patterns, st.lists(st.integers(0, 4), min_size=7, max_size=7))
def test_guttman_errors_equal_the_pairwise_definition_with_ties(rows, h):
    values, levels = np.array(rows, float), np.array(h, float)
    assert guttman_errors(values, levels) == pytest.approx([by_hand(r, h) for r in rows])


def test_graded_and_missing_responses_follow_the_same_definition():
    rng = np.random.default_rng(3)
    values, h = rng.random((4, 12)), rng.integers(0, 6, 12).astype(float)
    values[1, 3] = values[2, 0] = np.nan
    expected = [by_hand(row[~np.isnan(row)], h[~np.isnan(row)]) for row in values]
    assert guttman_errors(values, h) == pytest.approx(expected)


@settings(max_examples=300)
@given(patterns)
def test_on_items_one_unit_apart_generality_is_norm_conformity(rows):
    """B.1 calls the norm conformity index the closest metric to Γ: with unit steps they coincide."""
    values, h = np.array(rows, float), np.arange(1.0, 8.0)
    table = generality(values, h, interval=(0.0, 7.0), estimator="step")
    errors = guttman_errors(values, h)
    assert errors == pytest.approx(table["spread"].to_numpy() ** 2 / 2, abs=1e-9)
    assert disagreement(values, h) == pytest.approx(errors)
    assert norm_conformity(values, h) == pytest.approx(table["normalised_generality"].to_numpy(), abs=1e-9)


@given(patterns)
def test_norm_conformity_is_one_minus_twice_the_normalised_errors(rows):
    table = person_fit(np.array(rows, float), difficulty=range(7))
    expected = 1 - 2 * table["normalised_guttman_errors"]
    assert table["norm_conformity"].tolist() == pytest.approx(expected.tolist())


@given(patterns)
def test_normalised_errors_have_the_textbook_denominator(rows):
    table = person_fit(np.array(rows, float), difficulty=range(7))
    r = table["score"]
    mixed = (r > 0) & (r < 7)
    expected = table["guttman_errors"] / (r * (7 - r))
    assert np.allclose(table["normalised_guttman_errors"][mixed], expected[mixed])
    assert (table["normalised_guttman_errors"][~mixed] == 0).all()


def test_the_relation_breaks_when_difficulties_are_uneven():
    """The area knows how far apart items are, the ranks do not (B.1): that is the difference."""
    values = np.array([[1, 0, 1, 0], [1, 0, 1, 0]], float)
    even, uneven = [1, 2, 3, 4], [1, 2, 30, 31]
    gamma = [
        generality(values, h, interval=(0, h[-1]), estimator="step")["normalised_generality"].iloc[0]
        for h in (even, uneven)
    ]
    assert norm_conformity(values, np.array(uneven, float))[0] == pytest.approx(gamma[0])
    assert abs(gamma[1] - gamma[0]) > 0.1


def test_disagreement_compares_with_the_guttman_pattern_of_the_same_score():
    h = np.array([1.0, 2.0, 4.0, 8.0])
    values = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, np.nan, 0, 1]])
    assert disagreement(values, h).tolist() == [6.0, 3.0, 4.0]


def test_order_of_items_and_monotone_rescaling_do_not_matter_to_ranks():
    rng = np.random.default_rng(1)
    values, h = rng.integers(0, 2, (6, 15)).astype(float), rng.normal(size=15)
    shuffled = rng.permutation(15)
    assert np.allclose(norm_conformity(values, h), norm_conformity(values[:, shuffled], np.exp(h[shuffled])))


def test_without_difficulties_the_item_means_order_the_items():
    values = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 0]], float)
    table = person_fit(values)
    assert table["guttman_errors"].tolist() == guttman_errors(values, 1 - values.mean(axis=0)).tolist()


def test_lz_finds_the_agent_who_fails_the_easy_and_solves_the_hard():
    rng = np.random.default_rng(4)
    ability, h = rng.normal(size=(200, 1)), np.linspace(-2, 2, 25)
    values = (rng.random((200, 25)) < 1 / (1 + np.exp(-1.5 * (ability - h)))).astype(float)
    values[0] = h > 0
    table = person_fit(values, difficulty=h)
    assert table["lz"].idxmin() == table["lz_star"].idxmin() == "agent 1"
    assert table["norm_conformity"].idxmin() == "agent 1"
    assert relations(table).loc["lz", "normalised_generality"] > 0.4


def test_lz_star_is_snijders_formula():
    from gindex_lab.measures.psychometrics.irt import irt, simulate_irt

    rng = np.random.default_rng(8)
    items = pd.DataFrame({"discrimination": rng.lognormal(0, 0.3, 9), "difficulty": rng.normal(size=9)})
    frame = simulate_irt(items, 150, seed=8).frame
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    model = irt(frame)
    found, theta = model.person_fit()["lz_star"], model.score("map")["ability"]
    for agent in frame.index[:20]:
        met = frame.loc[agent].notna()
        x, a = frame.loc[agent][met], model.parameters.loc[met, "discrimination"]
        p = 1 / (1 + np.exp(-a * (theta[agent] - model.parameters.loc[met, "difficulty"])))
        w = np.log(p / (1 - p))
        c = (a * p * (1 - p) * w).sum() / (a**2 * p * (1 - p)).sum()
        # MAP solves Σ (x - p) a = θ, so that the term of the prior is c θ
        assert ((x - p) * a).sum() == pytest.approx(theta[agent], abs=1e-6)
        statistic = ((x - p) * (w - c * a)).sum() / np.sqrt((p * (1 - p) * (w - c * a) ** 2).sum())
        assert found[agent] == pytest.approx(statistic, abs=1e-6)


def test_z_of_infit_and_outfit_is_the_mean_square_freed_of_the_estimate():
    """By small differences: the part of the mean square that moves with θ is taken out, as is that of the estimator."""
    from gindex_lab.measures.psychometrics.irt import irt, simulate_irt

    rng = np.random.default_rng(9)
    items = pd.DataFrame({"discrimination": rng.lognormal(0, 0.3, 9), "difficulty": rng.normal(size=9)})
    model = irt(simulate_irt(items, 400, seed=9))
    table, theta = model.person_fit(), model.score("map")["ability"]
    a, b = (model.parameters[name].to_numpy() for name in ("discrimination", "difficulty"))
    for agent in model.responses.index[:20]:
        x, at = model.responses.loc[agent].to_numpy(), theta[agent]
        p = 1 / (1 + np.exp(-a * (at - b)))
        v = p * (1 - p)
        for name, weight in (("infit", np.ones(9)), ("outfit", 1 / v)):
            excess = (weight * ((x - p) ** 2 - v)).sum()
            line = weight * (1 - 2 * p)  # excess = Σ (x - p) line: both its mean and its slope in θ
            c = (a * v * line).sum() / (a**2 * v).sum()
            spread = np.sqrt(((line - c * a) ** 2 * v).sum())
            assert table.loc[agent, f"{name}_z"] == pytest.approx((excess - c * at) / spread, abs=1e-6)


@pytest.mark.parametrize(
    ("items", "agents", "model", "tables"),
    [
        (10, 1000, "2pl", 6),
        (25, 600, "2pl", 6),
        (30, 500, "1pl", 6),
        *(
            pytest.param(*design, 20, marks=pytest.mark.slow)
            for design in [(23, 500, "2pl"), (80, 400, "2pl"), (30, 250, "1pl"), (60, 200, "2pl")]
        ),
    ],
)
def test_lz_star_warns_of_one_agent_in_twenty(items, agents, model, tables):
    from gindex_lab.measures.psychometrics.irt import irt, simulate_irt

    wrong = []
    for seed in range(tables):
        rng = np.random.default_rng([items, seed])
        slope = rng.lognormal(0.2, 0.3, items) if model == "2pl" else np.full(items, 1.2)
        true = pd.DataFrame({"discrimination": slope, "difficulty": rng.normal(size=items)})
        fit = irt(simulate_irt(true, agents, seed=rng), model).person_fit()
        wrong.append((fit[["lz_star", "lz"]] < -1.645).mean())
    share = pd.DataFrame(wrong).mean()
    assert 0.04 < share["lz_star"] < 0.06
    assert share["lz"] < share["lz_star"]


def test_lz_is_left_out_of_small_or_graded_tables():
    assert "lz" not in person_fit(np.eye(5), difficulty=range(5))
    assert "lz" not in person_fit(np.full((40, 5), 0.5), difficulty=range(5))


def test_relations_follow_the_indices():
    rng = np.random.default_rng(2)
    values = (rng.random((60, 30)) < np.linspace(0.9, 0.1, 30)).astype(float)
    found = relations(person_fit(values, difficulty=range(30), model=None))
    assert found.loc["norm_conformity", "normalised_generality"] > 0.95
    assert found.loc["guttman_errors", "spread"] > 0.95
    assert found.loc["normalised_guttman_errors", "normalised_generality"] < -0.95


@pytest.mark.shared
def test_maze_runners_agree_in_rank_but_not_exactly(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    import gindex_lab as gl

    table = person_fit(gl.load("mazes"))
    found = relations(table)
    assert len(table) == 496
    assert 0.7 < found.loc["norm_conformity", "normalised_generality"] < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: person_fit(Scores([[1, 2]])), "responses: raw-scores"),
        (
            lambda: person_fit([[1, 2]], [1, 2]),
            "frame['agent 1', 'item 2']: out-of-range",
        ),
        (lambda: person_fit([[1, 0]], [1, 2, 3]), "difficulty: wrong-length"),
        (lambda: person_fit([[1, 0]], [1, 1]), "difficulty: one-difficulty"),
        (lambda: person_fit([[1, None]], [1, 2]), "responses['agent 1', 'item 2']: missing"),
        (lambda: person_fit([[1, 0]], [1, None]), "difficulty: missing"),
        (lambda: person_fit([[1, 0]], [1, 2], missing="zero"), "missing: not-an-option"),
        (lambda: person_fit([[1, 0]], [1, 2], model="5pl"), "model: not-an-option"),
        (lambda: person_fit(Responses([[1, 0]]), "hardness"), "difficulty: no-column"),
        (lambda: person_fit([["x", 0]], [1, 2]), "frame['agent 1', 'item 1']: not-a-number"),
        (lambda: person_fit([[1, 0]], [1, 2], interval=(3, 1)), "interval: out-of-range"),
        (lambda: relations(pd.DataFrame({"a": [1]})), "table: empty"),
        (lambda: relations(person_fit([[1, 0], [0, 1]], [1, 2])), "table: too-few-agents"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(call, message):
    with refused(message):
        call()


def test_normalised_errors_of_an_agent_with_gaps_are_those_on_the_items_it_met():
    rows, h = np.array([[0, 1, np.nan, 1, 0], [1, np.nan, 0.5, 1, 0]]), np.array([1.0, 2, 3, 4, 5])
    whole = person_fit(rows, h, model=None, missing="drop")["normalised_guttman_errors"]
    for row, share in zip(rows, whole, strict=True):
        met = ~np.isnan(row)
        alone = person_fit(row[None, met], h[met], model=None)["normalised_guttman_errors"]
        assert 0 < share == pytest.approx(alone.item(), rel=1e-12)
