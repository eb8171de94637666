"""Transforms: positions and difficulties by hand, ties, gaps, and errors that teach."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.generality import generality
from gindex_lab.measures.psychometrics.irt_scale import irt_difficulty
from gindex_lab.measures.transforms import (
    absolute_reference,
    distributional_reference,
    opponent,
    rank,
    standardise,
    threshold,
)

RAW = [[10, 5, 7], [20, 5, 1], [30, 9, 4]]


def games(rows, names="abcd"):
    labels = list(names[: len(rows)])
    return pd.DataFrame(rows, index=labels, columns=labels, dtype=float)


ROUND_ROBIN = games([[None, 1, 1, 0.5], [0, None, 0.5, 1], [0, 0.5, None, 1], [0.5, 0, 0, None]])


# -- rank ------------------------------------------------------------------------------------------------


def test_a_single_score_cannot_be_ranked_and_is_counted():
    with pytest.raises(BadInput) as caught:
        rank(pd.DataFrame({"i": [1.0, 2.0], "j": [3.0, None]}), leave_one_out=True, missing="drop")
    assert (caught.value.argument, caught.value.value) == ("scores['j']", 1)


def test_rank_counts_the_agent_itself_as_half():
    positions = rank(RAW).positions.to_numpy()
    assert positions[:, 0] == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    assert positions[:, 1] == pytest.approx([1 / 3, 1 / 3, 5 / 6])


def test_rank_against_the_others_only():
    positions = rank(RAW, leave_one_out=True).positions.to_numpy()
    assert positions[:, 0] == pytest.approx([0, 0.5, 1])
    assert positions[:, 1] == pytest.approx([0.25, 0.25, 1])


def test_a_position_that_meets_a_column_counts_half_there():
    """As the authors compute it, below/m + ½ equal/m: 5/18 + ½ 2/18 is the column 33/99 to the last digit.

    (5 + 1)/18 is not: its last digit is lower, and the column would count as missed.
    """
    scores = np.array([[*range(5), 5, 5, *range(6, 17)]], float).T
    curves = rank(scores)
    assert curves.positions.iloc[5, 0] == curves.grid[33] != 6 / 18
    assert curves.frame.iloc[5, 32:35].tolist() == [1, 0.5, 0]


@pytest.mark.parametrize("ties", ["half", "win"])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_positions_are_counts_below_and_counts_equal(leave_one_out, ties):
    scores = np.random.default_rng(4).integers(0, 6, (18, 40)).astype(float)
    m = 18 - leave_one_out
    for row, found in zip(
        scores,
        rank(scores, leave_one_out=leave_one_out, ties=ties).positions.to_numpy(),
        strict=True,
    ):
        below, equal = (scores < row).sum(axis=0), (scores == row).sum(axis=0) - leave_one_out
        wanted = below / m + 0.5 * equal / m if ties == "half" else (below + equal) / m
        assert found.tolist() == wanted.tolist()


def test_positions_of_adversarial_floats_tie_exactly_where_the_scores_do():
    """Scores one rounding apart are different; below/m + ½ equal/m is the authors' sum, digit by digit."""
    base = 0.1 + 0.2
    column = np.array([base, 0.3, np.nextafter(base, 1), base, 1e-308, -0.0, 0.0, 1e308, 0.3, base] * 3)
    found = rank(column[:, None], columns=None).positions.iloc[:, 0].to_numpy()
    wanted = [(column < x).sum() / 30 + 0.5 * (column == x).sum() / 30 for x in column]
    assert found.tolist() == wanted
    assert len(set(found)) == 6


def test_the_grid_has_a_hundred_steps_unless_said_otherwise():
    values = np.random.default_rng(2).uniform(0.1, 0.9, (4, 5))
    moments = {"mean": [0.5] * 5, "sd": [0.2] * 5}
    for curves in (rank, standardise, lambda x, **k: distributional_reference(x, **moments, **k)):
        plain, said, other = (
            curves(values),
            curves(values, columns=100),
            curves(values, columns=101),
        )
        assert generality(plain).equals(generality(said))
        assert not generality(plain).equals(generality(other))


def test_standard_scores_do_not_depend_on_the_size_of_the_numbers():
    scores = np.array([[1.0], [2.0], [4.0]])
    wanted = standardise(scores, columns=None).positions
    for size in (1e-200, 1e250):
        found = standardise(scores * size, columns=None).positions
        assert np.allclose(found, wanted, rtol=1e-12)


def test_only_a_full_response_is_acceptable_unless_said_otherwise():
    assert threshold([[0.0, 0.9, 1.0]]).frame.to_numpy().tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("wrong", [-0.5, 1.5])
def test_a_value_outside_the_unit_interval_is_named(wrong):
    values = pd.DataFrame([[0.5, 0.5], [0.5, 0.5], [0.5, wrong]], list("abc"), list("ij"))
    with pytest.raises(BadInput) as error:
        distributional_reference(values, [0.5, 0.5], [0.2, 0.2])
    assert (error.value.argument, error.value.value) == ("values['c', 'j']", wrong)


def test_rank_without_halves():
    assert rank(RAW, ties="win").positions.iloc[:, 1].tolist() == pytest.approx([2 / 3, 2 / 3, 1])


def test_rank_of_a_constant_item_is_one_half_for_everybody():
    assert rank([[1, 5], [2, 5]]).positions.iloc[:, 1].tolist() == [0.5, 0.5]


def test_rank_ties_up_to_rounding_when_asked():
    scores = [[0.1 + 0.2], [0.3], [1.0]]
    assert rank(scores).positions.iloc[0, 0] != rank(scores, decimals=9).positions.iloc[0, 0]


def test_rank_leaves_missing_scores_out_of_the_population():
    curves = rank([[1, 4], [2, None], [3, 6]], missing="drop")
    assert curves.positions.iloc[:, 1].tolist() == pytest.approx([0.25, np.nan, 0.75], nan_ok=True)
    assert curves.frame.notna().all(axis=None)


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("columns", [2, 7, 100])
def test_curve_equals_the_long_way_of_columns_times_items(columns, leave_one_out):
    scores = np.random.default_rng(3).integers(0, 6, (8, 11))
    curves = rank(scores, columns, leave_one_out)
    grid, p = np.linspace(0, 1, columns), curves.positions.to_numpy()[:, :, None]
    cells = (p > grid) + 0.5 * (p == grid)
    long = Responses(cells.reshape(8, -1), difficulty=np.tile(grid, 11), interval=(0, 1))
    measures = ["capability", "spread", "normalised_generality", "expected_difficulty"]
    for mode in ("exact", "reference"):
        one, two = generality(curves, mode=mode), generality(long, mode=mode)
        assert np.allclose(one[measures], two[measures], atol=1e-12)


def test_continuous_rank_is_lemma_19():
    curves = rank(np.random.default_rng(1).random((20, 30)), columns=None)
    table = generality(curves)
    assert np.allclose(table["capability"], curves.positions.mean(axis=1))
    assert np.allclose(table["spread"], curves.positions.std(axis=1, ddof=0))


def test_many_columns_approach_the_continuous_curve():
    scores = np.random.default_rng(2).random((10, 15))
    limit = generality(rank(scores, columns=None))
    errors = [np.abs(generality(rank(scores, c))["spread"] - limit["spread"]).max() for c in (10, 100, 2000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-3


def test_a_single_step_on_100_columns_has_the_width_of_a_column_as_spread():
    table = generality(rank([[1.0], [2.0]]), mode="reference")
    assert table["spread"].tolist() == pytest.approx([1 / (99 * np.sqrt(12))] * 2)


def test_step_curves_keep_positions_when_agents_are_selected():
    curves = rank(RAW).select(agents=["agent 3"])
    assert curves.positions.shape == (1, 3)
    assert generality(curves)["capability"].iloc[0] == pytest.approx(
        generality(rank(RAW))["capability"].iloc[2]
    )


def test_transforms_keep_what_is_known_of_the_agents():
    agents = pd.DataFrame({"kind": ["x", "y", "y"]}, index=["agent 1", "agent 2", "agent 3"])
    scores = Scores(RAW, agents=agents, name="raw", citation="someone")
    for found in (rank(scores), absolute_reference(scores, "mean"), standardise(scores)):
        assert found.agents["kind"].tolist() == ["x", "y", "y"]
        assert found.citation == "someone"


# -- scale, references -----------------------------------------------------------------------------------


def test_standard_scores_with_the_sample_deviation():
    curves = standardise(RAW)
    assert curves.positions.iloc[:, 0].tolist() == pytest.approx([-1, 0, 1])
    assert curves.interval == (-3, 3)
    assert generality(curves)["capability"].mean() == pytest.approx(0, abs=0.03)


def test_scores_beyond_the_limit_saturate():
    scores = np.append(np.zeros(30), 1000.0)[:, None] + np.arange(31)[:, None] * 1e-6
    table = generality(standardise(scores, columns=None))
    assert table["capability"].max() == 3


@pytest.mark.parametrize(("ties", "tie", "hard"), [("half", 0.5, 0.75), ("win", 1, 0.5), ("loss", 0, 1)])
def test_three_rules_for_a_tie_with_the_reference(ties, tie, hard):
    found = absolute_reference([[5, 5], [7, 1], [9, 5]], "agent 1", ties)
    assert found.frame.loc["agent 3"].tolist() == [1, tie]
    assert found.difficulty.tolist() == [0, hard]
    assert found.interval == (0, 1)


def test_mean_reference_counts_all_agents():
    found = absolute_reference([[0, 3], [1, 3], [5, 0]], "mean")
    assert found.frame.to_numpy().tolist() == [[0, 1], [0, 1], [1, 0]]
    assert found.difficulty.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_an_agent_called_mean_is_the_reference_of_that_name():
    scores = pd.DataFrame([[9.0, 0.0], [1.0, 1.0]], index=["mean", "x"])
    assert absolute_reference(scores, "mean").frame.loc["x"].tolist() == [0, 1]


def test_missing_scores_do_not_count_against_an_item():
    found = absolute_reference([[5, 5], [7, None], [4, 9]], "agent 1")
    assert found.difficulty.tolist() == [0.5, 0]
    assert np.isnan(found.frame.iloc[1, 1])


def test_who_fails_everything_under_a_reference_is_a_step_at_the_easiest_item():
    scores = [[5, 5, 5], [0, 0, 0], [9, 9, 0], [9, 0, 0]]
    row = generality(absolute_reference(scores, "agent 1"), mode="reference").loc["agent 2"]
    assert row["capability"] == pytest.approx(1 / 3)
    assert row["spread"] == pytest.approx(0, abs=1e-7)


def test_beta_positions_agree_with_scipy():
    mean, sd = np.array([0.71, 0.86]), np.array([0.118, 0.3])
    found = distributional_reference([[0.71, 0.1]], mean, sd).positions.to_numpy()[0]
    alpha = mean * (mean * (1 - mean) / sd**2 - 1)
    assert found == pytest.approx(stats.beta.cdf([0.71, 0.1], alpha, alpha * (1 - mean) / mean))


def test_normal_positions_use_the_deviation_and_in_reference_mode_the_variance():
    one = distributional_reference([[3.0]], [1.0], [2.0], family="normal")
    two = distributional_reference([[3.0]], [1.0], [2.0], family="normal", mode="reference")
    assert one.positions.iloc[0, 0] == pytest.approx(stats.norm.cdf(1))
    assert two.positions.iloc[0, 0] == pytest.approx(stats.norm.cdf(0.5))


def test_moments_may_be_columns_of_items():
    items = pd.DataFrame({"m": [0.5], "s": [0.1]}, index=["i"])
    values = Responses(pd.DataFrame({"i": [0.5, 0.7]}), items=items)
    assert distributional_reference(values, "m", "s").positions["i"].iloc[0] == pytest.approx(0.5)


# -- opponents -------------------------------------------------------------------------------------------


def test_opponents_are_as_hard_as_their_score_with_the_own_draw():
    found = opponent(ROUND_ROBIN)
    assert found.difficulty.to_dict() == {
        "a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0, "(nobody)": 0.0, "(everybody)": 4.0,
    }  # fmt: skip
    assert found.interval == (0, 4)
    assert (found.frame["(nobody)"] == 1).all()
    assert (found.frame["(everybody)"] == 0).all()
    assert generality(found)["mean"].to_dict() == {"a": 0.75, "b": 0.5, "c": 0.5, "d": 0.25}


def test_opponents_without_the_own_draw():
    found = opponent(ROUND_ROBIN, self_draw=False)
    assert found.difficulty[["a", "d"]].tolist() == [2.5, 0.5]
    assert found.interval == (0, 3)
    assert np.isnan(found.frame.loc["a", "a"])
    assert generality(found, missing="drop")["capability"].is_monotonic_decreasing


def test_an_incomplete_round_robin_by_draws_or_by_what_was_played():
    partial = games([[None, 1, None], [0, None, 1], [None, 0, None]])
    assert opponent(partial, incomplete="draw").difficulty[["a", "c"]].tolist() == [2, 1]
    dropped = opponent(partial, incomplete="drop")
    assert dropped.difficulty[["a", "b", "c"]].tolist() == pytest.approx([2.25, 1.5, 0.75])
    assert generality(dropped, missing="drop")["capability"].is_monotonic_decreasing


def test_columns_of_a_tournament_may_come_in_another_order():
    mixed = ROUND_ROBIN[["d", "b", "a", "c"]]
    assert opponent(mixed).difficulty["a"] == 3.0


# -- IRT and acceptability -------------------------------------------------------------------------------


def test_irt_difficulties_move_to_the_scale_asked_for():
    rng = np.random.default_rng(5)
    chance = 1 / (1 + np.exp(-1.5 * (rng.normal(size=(400, 1)) - np.linspace(-1.5, 1.5, 8))))
    answers = (rng.random(chance.shape) < chance).astype(float)
    plain = irt_difficulty(answers)
    assert np.corrcoef(plain.difficulty, np.arange(8))[0, 1] > 0.95
    moved = irt_difficulty(answers, centre=10, deviation=2).difficulty
    assert (moved.mean(), moved.std()) == pytest.approx((10, 2))
    assert generality(irt_difficulty(answers))["capability"].between(-2.5, 2.5).all()


def test_threshold_is_acceptability():
    found = threshold(Responses([[0.9, 0.89, None]], difficulty=[1, 2, 3]), epsilon=0.1)
    assert found.frame.iloc[0].tolist() == pytest.approx([1, 0, np.nan], nan_ok=True)
    assert found.difficulty.tolist() == [1, 2, 3]


# -- bad input -------------------------------------------------------------------------------------------

NAN = [[1, None], [2, 3]]
BAD = {
    "one column": (lambda: rank(RAW, columns=1), "columns: out-of-range"),
    "half a column": (lambda: rank(RAW, columns=2.5), "columns: not-a-whole-number"),
    "unknown ties": (lambda: rank(RAW, ties="loss"), "ties: not-an-option"),
    "missing score": (lambda: rank(NAN), "scores['agent 1', 'item 2']: missing"),
    "nobody else": (lambda: rank([[1, 2]], leave_one_out=True), "scores: no-other-agent"),
    "one score to rank": (
        lambda: rank([[1, 2], [1, None]], leave_one_out=True, missing="drop"), "scores['item 2']: one-agent"
    ),
    "agent without scores": (
        lambda: rank([[1, 2], [None, None]], missing="drop"), "scores: no-score"
    ),
    "item without scores": (lambda: rank([[1, None], [2, None]], missing="drop"), "scores: no-score"),
    "negative decimals": (lambda: rank(RAW, decimals=-1), "decimals: out-of-range"),
    "ranked twice": (lambda: rank(rank(RAW)), "scores: transformed"),
    "continuous in reference mode": (
        lambda: generality(rank(RAW, columns=None), mode="reference"), "columns: not-in-reference"
    ),
    "constant item": (
        lambda: standardise([[1, 4], [2, 4]]), "scores['item 2']: no-variance"
    ),
    "no limit": (lambda: standardise(RAW, limit=0), "limit: out-of-range"),
    "unknown reference": (lambda: absolute_reference(RAW, "human"), "reference: not-an-agent"),
    "unknown rule": (lambda: absolute_reference(RAW, "mean", "equal"), "ties: not-an-option"),
    "reference with a gap": (
        lambda: absolute_reference(NAN, "agent 1"), "scores['agent 1', 'item 2']: missing"
    ),
    "reference alone": (
        lambda: absolute_reference([[1, 2]], "agent 1"), "scores['item 1']: one-agent"
    ),
    "unknown family": (
        lambda: distributional_reference(RAW, [1] * 3, [1] * 3, "gamma"), "family: not-an-option"
    ),
    "beta too wide": (
        lambda: distributional_reference([[0.5]], [0.5], [0.5]),
        "sd['item 1']: too-large",
    ),
    "beta outside": (lambda: distributional_reference([[5]], [0.5], [0.1]), "values['agent 1', 'item 1']: out-of-range"),
    "beta mean": (lambda: distributional_reference([[0.5]], [1.0], [0.1]), "mean['item 1']: out-of-range"),
    "no deviation": (lambda: distributional_reference([[0.5]], [0.5], [0.0]), "sd['item 1']: not-positive"),
    "too few means": (
        lambda: distributional_reference([[0.5, 0.5]], [0.5], [0.1, 0.1]), "mean: wrong-length"
    ),
    "missing mean": (lambda: distributional_reference([[0.5]], [None], [0.1]), "mean: missing"),
    "unknown column": (lambda: distributional_reference([[0.5]], "mu", "sd"), "mean: no-column"),
    "mean without the item": (
        lambda: distributional_reference([[0.5]], {"x": 0.5}, [0.1]), "mean: missing"
    ),
    "not square": (lambda: opponent([[None, 1, 1], [0, None, 1]]), "results: not-square"),
    "one player": (lambda: opponent([[None]]), "results: not-square"),
    "other players": (
        lambda: opponent(pd.DataFrame([[None, 1], [0, None]], list("ab"), list("ac"))), "results: not-square"
    ),
    "result above 1": (lambda: opponent([[None, 3], [0, None]]), "results['agent 1', 'agent 2']: out-of-range"),
    "asymmetric": (
        lambda: opponent(games([[None, 1], [0.5, None]])),
        "results['a', 'b']: uneven",
    ),
    "one side": (lambda: opponent(games([[None, 1], [None, None]])), "results['a', 'b']: one-sided"),
    "incomplete": (
        lambda: opponent(games([[None, 1, None], [0, None, 1], [None, 0, None]])),
        "results['a', 'c']: incomplete",
    ),
    "idle player": (
        lambda: opponent(
            games([[None, 1, None], [0, None, None], [None, None, None]]), incomplete="drop"
        ),
        "results: no-game",
    ),
    "unknown remedy": (lambda: opponent(ROUND_ROBIN, incomplete="guess"), "incomplete: not-an-option"),
    "a list as reference": (lambda: absolute_reference([[1], [2]], ["a"]), "reference: not-an-agent"),
    "an array as reference": (lambda: absolute_reference([[1], [2]], np.ones(2)), "reference: not-an-agent"),
    "a column as reference": (lambda: absolute_reference([[1], [2]], pd.Series([1])), "reference: not-an-agent"),
    "leaving out by word": (lambda: rank([[1], [2]], leave_one_out="no"), "leave_one_out: not-a-flag"),
    "drawing by word": (lambda: opponent(ROUND_ROBIN, self_draw="no"), "self_draw: not-a-flag"),
    "a ragged mean": (lambda: distributional_reference([[0.5]], [[1], [1, 2]], [0.1]), "mean: wrong-shape"),
    "trials of a rank": (
        lambda: generality(rank([[1, 2], [3, 1]]), ci=0.9, resample="trials"),
        "resample: no-trials",
    ),
    "difficulty of curves": (
        lambda: generality(rank([[1, 2], [3, 1]]), [1, 2]), "difficulty: fixed"
    ),
    "centre alone": (
        lambda: irt_difficulty(np.eye(6)[:, :4], centre=1), "centre, deviation: not-together"
    ),
    "epsilon": (lambda: threshold([[1, 0]], 1.5), "epsilon: out-of-range"),
    "threshold of scores": (lambda: threshold([[3, 0]], 0), "frame['agent 1', 'item 1']: out-of-range"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_is_wrong(case):
    call, message = BAD[case]
    with refused(message):
        call()


def test_a_threshold_after_a_transform_is_refused():
    with refused("responses: transformed"):
        threshold(rank([[1, 2], [2, 1]]))
