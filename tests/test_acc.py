"""The public measures: typed-in numbers, edge cases, and errors that teach."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.foundation.responses import Responses, Scores
from gindex_lab.measures.alternatives.sigmoid import sigmoid_curve
from gindex_lab.measures.curves import (
    Scale,
    along,
    difficulty_limits,
    feasible,
    from_sums,
    indicators,
    merge,
    uniform_places,
)
from gindex_lab.measures.generality import characteristic_curve, generality, study_of
from gindex_lab.measures.properties import (
    aggregate,
    dominance,
    effort,
    isometrics,
    saturation,
    spread_at,
)
from gindex_lab.measures.reference import extrapolate, reference_indicators
from gindex_lab.studies.data.transformations import bin_difficulties, filter_by_frequency

COLUMNS = [
    "capability", "spread", "generality", "normalised_generality", "expected_difficulty", "mean",
    "abstruse",
]  # fmt: skip


def test_table_has_the_columns_of_the_contract():
    table = generality(pd.DataFrame([[1, 0.5, 0]], index=["ann"]), [0, 1, 2])
    assert list(table.columns) == COLUMNS
    assert table.index.tolist() == ["ann"]
    assert table.attrs["interval"] == (0.0, 2.0)
    assert table["abstruse"].dtype == bool


# ramp 1, .5, 0 on 0, 1, 2: A = 1, M = 2/3, so H = 2/3, S² = 4/3 - 1, γ = 1 - (1/3)/1
def test_ramp_by_hand():
    row = generality([1, 0.5, 0], [0, 1, 2]).iloc[0]
    assert row["capability"] == pytest.approx(1)
    assert row["spread"] == pytest.approx(3**-0.5)
    assert row["generality"] == pytest.approx(3**0.5)
    assert row["normalised_generality"] == pytest.approx(2 / 3)
    assert row["expected_difficulty"] == pytest.approx(2 / 3)
    assert row["mean"] == 0.5


def test_ramp_by_steps_by_hand():
    row = generality([1, 0.5, 0], [1, 2, 3], estimator="step").iloc[0]
    assert row["capability"] == pytest.approx(1.5)  # the unit rectangles of section C.3: Σ r
    assert row["spread"] == pytest.approx(np.sqrt(2 * (0.5 + 0.75) - 1.5**2))


def test_an_interval_that_starts_lower_adds_solved_difficulty_only():
    plain = generality([0.9, 0.4, 0.1], [3, 5, 8]).iloc[0]
    wide = generality([0.9, 0.4, 0.1], [3, 5, 8], interval=(0, 12)).iloc[0]
    assert wide["capability"] == pytest.approx(plain["capability"]) == pytest.approx(5.05)
    assert wide["spread"] == pytest.approx(plain["spread"])
    assert wide["normalised_generality"] > plain["normalised_generality"]
    assert wide["expected_difficulty"] == pytest.approx(2.8085808580858087)


def test_an_interval_inside_the_data_cuts_the_interpolated_curve():
    # between 1 and 5 the curve falls linearly from .9 to .1
    row = generality([1, 0.8, 0.4, 0], [0, 2, 4, 6], interval=(1, 5)).iloc[0]
    area = 1 * (0.9 + 0.8) / 2 + 2 * (0.8 + 0.4) / 2 + 1 * (0.4 + 0.2) / 2
    assert row["capability"] == pytest.approx(1 + area)


@pytest.mark.parametrize(
    ("responses", "capability", "expected"),
    [([0, 0, 0], 3.0, 1.5), ([1, 1, 1], 5.0, 2.5)],
)
def test_all_or_nothing_is_a_step(responses, capability, expected):
    row = generality(responses, [3, 4, 5]).iloc[0]
    assert row["capability"] == capability
    assert row["spread"] == 0
    assert np.isinf(row["generality"])
    assert row["normalised_generality"] == 1
    assert row["expected_difficulty"] == expected  # counted from 0, where difficulty begins
    assert not row["abstruse"]


def test_nothing_solved_from_the_first_item_on_has_the_origin_as_expected_difficulty():
    assert generality([0, 0], [0, 1])["expected_difficulty"].iloc[0] == 0


def test_equal_difficulties_that_a_fit_left_apart_make_no_spread():
    h = [-0.5, 0.7789195526136113, -0.5, 0.7789195526136513]
    found = generality([[1, 1, 1, 0], [1, 0, 1, 1]], h)
    assert found["spread"].iloc[0] == 0
    assert found["generality"].iloc[0] == np.inf
    assert found["spread"].iloc[1] > 0.1


def test_a_small_spread_far_from_zero_is_kept():
    found = generality([[1, 0.5, 0]], [1e12, 1e12 + 1, 1e12 + 2])
    assert found["spread"].iloc[0] == pytest.approx(1 / 3**0.5, rel=1e-3)


def test_negative_difficulties():
    row = generality([0.9, 0.7, 0.5, 0.1], [-3, -1, 0, 2], interval=(-5, 4)).iloc[0]
    assert row["capability"] == pytest.approx(-0.2)
    assert row["expected_difficulty"] == pytest.approx(-2.3159722222222219)
    assert row["spread"] == pytest.approx(1.6512621435334458)


def test_missing_cells_are_dropped_when_asked():
    table = generality([[1, None, 0], [1, 1, 0]], [0, 1, 2], missing="drop")
    assert table["capability"].tolist() == pytest.approx([1, 1.5])
    assert table["mean"].tolist() == pytest.approx([0.5, 2 / 3])


def test_a_perfect_agent_with_gaps_is_still_perfect():
    h = np.linspace(3.7, 19.3, 23)
    responses = np.ones((2, 23))
    responses[0, [1, 4, 7]] = np.nan
    table = generality(responses, h, missing="drop")
    assert table["spread"].tolist() == [0, 0]
    assert np.isinf(table["generality"]).all()


def test_unequal_numbers_of_items_per_difficulty_weigh_the_same():
    one = generality([[1, 0.5, 0]], [0, 1, 2])
    many = generality([[1, 1, 0, 1, 0, 0]], [0, 1, 1, 1, 1, 2])
    assert many["capability"].iloc[0] == pytest.approx(one["capability"].iloc[0])


def test_a_constant_curve_is_not_abstruse_but_a_rising_one_is():
    table = generality([[0.3] * 5, [0, 0, 0, 0.5, 1]], [1, 2, 3, 4, 5])
    assert table["abstruse"].tolist() == [False, True]


def test_an_interval_is_made_in_five_files():
    """A reader of Eqs 5-9 and of their limits opens these, and no others of the measures."""
    files = set()

    def note(frame, event, _):
        if event == "call":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        generality([[1, 1, 0.5, 0, 0], [0.5] * 5], [0, 1, 2, 3, 4], interval=(-1, 5), ci=0.95)
    finally:
        sys.setprofile(before)
    found = {Path(file).stem for file in files if Path(file).parent.name == "measures"}
    assert found == {"generality", "curves", "samples", "fit", "limits"}


def test_large_tables_go_through_threads_and_give_the_same():
    rng = np.random.default_rng(1)
    values, h = rng.random((25_000, 200)), rng.random(200)
    together = indicators(h, values, (0.0, 1.0))
    apart = indicators(h, values[:300], (0.0, 1.0))
    assert np.array_equal(together.spread[:256], apart.spread[:256])


def test_difficulty_may_name_a_column_of_items():
    items = pd.DataFrame({"hard": [1.0, 2.0, 4.0]}, index=["a", "b", "c"])
    table = Responses(pd.DataFrame([[1, 1, 0]], columns=list("abc")), items=items)
    assert generality(table, "hard").equals(generality([[1, 1, 0]], [1, 2, 4]).set_axis([0]))


def test_curve_of_one_agent_and_of_all():
    table = Responses([[1, 0, 1], [1, None, 0]], difficulty=[1, 2, 1])
    assert characteristic_curve(table, "agent 2").to_numpy().tolist() == [[1, 0.5, 2]]
    everyone = characteristic_curve(table)
    assert everyone["response"].tolist() == [0.75, 0]
    assert everyone["n"].tolist() == [4, 1]


def test_the_mean_agent_has_the_mean_capability_and_no_less_spread():
    rng = np.random.default_rng(0)
    table = Responses(rng.random((30, 12)).round(), difficulty=np.arange(12))
    each, mean = generality(table), generality(aggregate(table)).iloc[0]
    assert mean["capability"] == pytest.approx(each["capability"].mean())
    assert mean["spread"] >= each["spread"].mean()


def test_aggregate_by_group():
    table = Responses(
        [[1, 0], [0, 0], [1, 1]], difficulty=[1, 2],
        agents=pd.DataFrame({"kind": ["x", "x", "y"]}, index=["agent 1", "agent 2", "agent 3"]),
    )  # fmt: skip
    assert aggregate(table, by="kind").frame.loc["x"].tolist() == [0.5, 0]


def test_effort_is_expected_difficulty_times_area():
    assert effort([[1, 1, 1, 0]], [0, 1, 2, 2], estimator="trapezoid").iloc[0] == pytest.approx(
        0.5 + (1 * (1 * (2 + 0.5) + 2 * (1 + 1)) / 6)
    )


def test_saturation_ends_where_the_first_failure_begins():
    found = saturation([[1, 1, 1], [1, 0.5, 1], [0, 1, 1]], [1, 2, 3])
    assert found.tolist() == [3, 1, 1]


def test_dominance_needs_a_strict_place():
    same = dominance([[1, 0], [1, 0]], [1, 2])
    assert not same.to_numpy().any()


# -- isometrics, bins, limits ---------------------------------------------------------------------------


def test_isometrics_are_where_gamma_is_one_zero_and_minus_one():
    lines = isometrics((8.877153, 19.41059), 100)
    assert lines["constant"].iloc[1] == pytest.approx(1.0532899620870539, abs=1e-9)
    assert lines["maximum"].iloc[1] == pytest.approx(1.4895769494949549, abs=1e-9)
    assert (lines["minimum"] == 0).all()
    assert spread_at([3], 0.5, (0, 10))[0] == pytest.approx(np.sqrt(0.5 * 21))


def test_true_bins_have_true_centres():
    h = np.linspace(0, 10, 101)
    assert np.unique(bin_difficulties(h, 5)).tolist() == [1, 3, 5, 7, 9]
    assert np.abs(bin_difficulties(h, 5) - h).max() <= 1 + 1e-12


def test_the_authors_bins_are_one_short():
    h = np.linspace(0, 10, 101)
    assert np.unique(bin_difficulties(h, 5, mode="reference")).tolist() == [1, 3, 5, 7]


def test_filter_by_frequency_counts_exact_values():
    assert filter_by_frequency([1, 1, 1.0000001, 2], 2).tolist() == [True, True, False, False]


def test_limits_follow_the_quantiles_but_start_at_zero():
    assert difficulty_limits([7, 8, 9, 10, 11, 12, 13, 14]) == pytest.approx((0, 23.1))
    assert difficulty_limits([-3, -1, 0, 1, 2, 9]) == pytest.approx((-19, 20))


def test_reference_mode_averages_a_limit_into_the_first_bin():
    h, r = extrapolate(np.array([0.0, 5, 8]), np.array([[0.5, 0.4, 0.1]]), (0.0, 12.0))
    levels, psi, _ = merge(r, h)
    found = reference_indicators(levels, psi, (0.0, 12.0))
    assert found.capability[0] == pytest.approx(3.6250005, abs=1e-9)
    assert found.spread[0] == pytest.approx(3.0126476796448922, abs=1e-9)


def test_reference_mode_calls_a_perfect_agent_abstruse_and_exact_mode_does_not():
    responses, h = [[1, 1, 1], [1, 0.5, 0]], [3, 4, 5]
    assert generality(responses, h, mode="reference")["abstruse"].tolist() == [True, False]
    assert generality(responses, h)["abstruse"].tolist() == [False, False]
    assert generality(responses, h, mode="reference")["normalised_generality"].iloc[0] == 0


def test_reference_mode_drops_the_slivers_at_the_ends_of_an_interval():
    row = generality([1, 0.8, 0.4, 0], [0, 2, 4, 6], interval=(1, 6), mode="reference").iloc[0]
    assert row["capability"] == pytest.approx(2.6)
    assert row["spread"] == pytest.approx(2.2150996967781533)


def test_reference_mode_studies_agents_with_gaps_apart():
    gappy = generality([[1, None, 0], [1, 1, 0]], [1, 2, 3], mode="reference", missing="drop")
    alone = generality([[1, 0]], [1, 3], mode="reference")
    assert gappy["capability"].iloc[0] == pytest.approx(alone["capability"].iloc[0], abs=1e-9)


def test_sigmoid_recovers_a_logistic_curve():
    h = np.linspace(2, 18, 60)
    fit = sigmoid_curve((1 / (1 + np.exp(1.2 * (h - 9))))[None], h)
    assert (fit.slope, fit.location) == pytest.approx((-1.2, 9), abs=1e-3)
    assert fit.capability == pytest.approx(9, abs=1e-3)
    assert fit.spread == pytest.approx(np.pi / np.sqrt(3) / 1.2, rel=1e-2)  # sd of the logistic


# -- bad input ---------------------------------------------------------------------------------------------

GOOD, H = [[1, 0.5, 0]], [1, 2, 3]
BAD = {
    "another length": (lambda: generality(GOOD, [1, 2]), "difficulty: wrong-length"),
    "response above 1": (
        lambda: generality(pd.DataFrame({"i": [1.2], "j": [0]}, index=["ann"]), [1, 2]),
        "frame['ann', 'i']: out-of-range",
    ),
    "response below 0": (lambda: generality([[1, -0.1]], [1, 2]), "frame['agent 1', 'item 2']: out-of-range"),
    "missing cell": (
        lambda: generality([[1, None, 0]], H),
        "responses['agent 1', 'item 2']: missing",
    ),
    "missing cell in reference mode": (
        lambda: generality([[1, None, 0]], H, mode="reference"), "responses['agent 1', 'item 2']: missing"
    ),
    "agent without responses": (
        lambda: generality([[1, 0], [None, None]], [1, 2], missing="drop"),
        "responses: no-response",
    ),
    "no difficulty": (lambda: generality(GOOD), "difficulty: no-difficulty"),
    "one difficulty": (lambda: generality(GOOD, [2, 2, 2]), "difficulty: one-difficulty"),
    "one difficulty, reference": (
        lambda: generality(GOOD, [2, 2, 2], mode="reference"), "difficulty: one-difficulty"
    ),
    "raw scores": (lambda: generality(Scores([[10, 20]]), [1, 2]), "responses: raw-scores"),
    "a word": (lambda: generality([["x", 1]], [1, 2]), "frame['agent 1', 'item 1']: not-a-number"),
    "infinite response": (lambda: generality([[np.inf, 1]], [1, 2]), "frame['agent 1', 'item 1']: not-finite"),
    "infinite difficulty": (lambda: generality(GOOD, [1, 2, np.inf]), "difficulty['item 3']: not-finite"),
    "NaN difficulty": (lambda: generality(GOOD, [1, 2, None]), "difficulty: missing"),
    "empty table": (lambda: generality(np.empty((0, 3)), H), "frame: empty"),
    "agent twice": (
        lambda: generality(pd.DataFrame([[1, 0], [1, 1]], index=["a", "a"]), [1, 2]),
        "frame.index: duplicate-label",
    ),
    "unknown mode": (lambda: generality(GOOD, H, mode="fast"), "mode: not-an-option"),
    "unknown estimator": (lambda: generality(GOOD, H, estimator="spline"), "estimator: not-an-option"),
    "unknown missing": (lambda: generality(GOOD, H, missing="zero"), "missing: not-an-option"),
    "steps in reference mode": (
        lambda: generality(GOOD, H, estimator="step", mode="reference"), "estimator: not-in-reference"
    ),
    "kmin above kmax": (lambda: generality(GOOD, H, interval=(3, 1)), "interval: out-of-range"),
    "empty interval": (lambda: generality(GOOD, H, interval=(2, 2)), "interval: out-of-range"),
    "infinite interval": (lambda: generality(GOOD, H, interval=(0, np.inf)), "interval: out-of-range"),
    "one-sided interval": (lambda: generality(GOOD, H, interval=(1,)), "interval: not-a-pair"),
    "interval of words": (lambda: generality(GOOD, H, interval=("a", "b")), "interval: not-a-pair"),
    "interval above all": (
        lambda: generality(GOOD, H, interval=(3, 9)), "interval: no-overlap"
    ),
    "interval below all": (lambda: generality(GOOD, H, interval=(-9, 1)), "interval: no-overlap"),
    "reference interval above all": (
        lambda: generality(GOOD, H, interval=(2.5, 9), mode="reference"),
        "difficulty: one-difficulty",
    ),
    "reference 0 / 0": (
        lambda: generality([[0, 0, 0]], H, interval=(1, 3), mode="reference"),
        "responses: solves-nothing",
    ),
    "unknown items column": (lambda: generality(Responses(GOOD), "depth"), "difficulty: no-column"),
    "curve of an unknown agent": (
        lambda: characteristic_curve(GOOD, "bob", H), "agents: unknown-label"
    ),
    "groups of another length": (lambda: aggregate(GOOD, H, by=["x", "y"]), "by: not-labels"),
    "unknown group column": (lambda: aggregate(GOOD, H, by="team"), "by: not-labels"),
    "bins of one value": (lambda: bin_difficulties([1, 1], 3), "difficulty: one-difficulty"),
    "no bins": (lambda: bin_difficulties([1, 2], 0), "n: out-of-range"),
    "one edge": (lambda: bin_difficulties([1, 2], 1, "reference"), "n: out-of-range"),
    "frequency": (lambda: filter_by_frequency([1, 2], 0.5), "minimum: not-a-whole-number"),
    "isometrics upside down": (lambda: isometrics((3, 1)), "interval: out-of-range"),
    "one point": (lambda: isometrics((0, 1), 1), "points: out-of-range"),
    "capability outside": (lambda: spread_at([11], 0, (0, 10)), "capability: out-of-range"),
    "gamma outside": (lambda: spread_at([1], 2, (0, 10)), "gamma: out-of-range"),
    "limits of words": (lambda: difficulty_limits(["x"]), "difficulty: not-a-number"),
    "no weight": (lambda: gl.sigmoid_curve(GOOD, H, weight=0), "weight: out-of-range"),
    "study without numbers": (lambda: study_of([[1, 0]], "x"), "difficulty: wrong-type"),
    "unknown resample without intervals": (lambda: generality(GOOD, H, resample="xx"), "resample: not-an-option"),
    "negative seed": (lambda: generality(GOOD, H, ci=0.9, seed=-1), "seed: not-a-seed"),
    "seed in words": (lambda: generality(GOOD, H, seed="x"), "seed: not-a-seed"),
    "two agents for one curve": (lambda: characteristic_curve(GOOD, [1, 2], H), "agents: unknown-label"),
    "difficulties that overflow": (lambda: generality([[1, 0]], [1, 1e160]), "difficulty: too-wide"),
    "difficulties that vanish": (lambda: generality([[1, 0]], [1e-200, 2e-200], ci=0.9), "difficulty: too-wide"),
    "endless interval": (lambda: generality(GOOD, H, interval=(0, 1e200)), "interval: too-wide"),
    "difficulties of dates": (lambda: generality([[1, 0]], pd.date_range("2020", periods=2)), "difficulty['item 1']: not-a-number"),
    "limits of dates": (lambda: difficulty_limits(np.array(["2020"], "M8[D]")), "difficulty: not-a-number"),
    "limits of complex numbers": (lambda: difficulty_limits([1, 1j]), "difficulty: not-a-number"),
    "kernel: empty interval": (
        lambda: indicators(np.array([1.0, 2]), np.ones((1, 2)), (2.0, 1.0)), "interval: empty"
    ),
    "kernel: nothing met": (
        lambda: indicators(np.array([1.0, 2]), np.full((1, 2), np.nan), (1.0, 2.0)),
        "responses: no-response",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_is_wrong(case):
    call, message = BAD[case]
    with refused(message):
        call()


def test_a_curve_walked_piece_by_piece_has_the_area_under_its_own_points():
    """`along` against the integrals of the points that the agent met, whatever it did not meet."""
    random = np.random.default_rng(5)
    for k in range(30):
        levels = np.sort(random.uniform(0, 10, 6))
        psi = random.uniform(0, 1, (1, 6))
        psi[0, 1 + k % 4] = np.nan if k % 2 else psi[0, 1]
        met = ~np.isnan(psi[0])
        low, high = levels[0] - k % 3, levels[-1]
        area, moment, square = along(levels, psi, Scale((low, high)))
        h, y = levels[met], psi[0, met]
        fine = [np.linspace(a, b, 2001) for a, b in itertools.pairwise(h)]
        first = levels[0] - low  # solved up to the first level
        wanted = first + sum(np.trapezoid(np.interp(x, h, y), x) for x in fine)
        by_h = sum(np.trapezoid((x - low) * np.interp(x, h, y), x) for x in fine)
        assert area[0] == pytest.approx(wanted, abs=1e-6)
        assert moment[0] == pytest.approx(first**2 / 2 + by_h, abs=1e-5)
        assert square[0] == pytest.approx(2 * moment[0] - area[0] ** 2, abs=1e-6)


def test_sums_alone_give_no_spread_that_rounding_made_and_no_area_outside_the_interval():
    found = from_sums(np.array([2.0, -1e-12, 4 + 1e-12]), np.array([2.0, 0.0, 8.0]), Scale((0.0, 4.0)))
    assert found.spread.tolist() == [0, 0, 0]
    assert found.capability.tolist() == [2, 0, 4]
    assert found.normalised_generality.tolist() == [1, 1, 1]


# -- curves: what holes, single levels and rounding do -----------------------------------------------


def test_a_curve_with_a_hole_is_held_beyond_its_last_level():
    """Held to both ends, a curve is that with a level at each end, also where a level was not met."""
    held = Scale((0.0, 10.0), "trapezoid", None, "hold")
    plain = Scale((0.0, 10.0), "trapezoid")
    found = along(np.array([2.0, 5.0, 8.0]), np.array([[0.9, np.nan, 0.3]]), held)
    wanted = along(np.array([0.0, 2.0, 8.0, 10.0]), np.array([[0.9, 0.9, 0.3, 0.3]]), plain)
    assert np.ravel(found).tolist() == pytest.approx(np.ravel(wanted).tolist(), rel=1e-12)


def test_a_curve_of_one_level_is_solved_up_to_it():
    area, moment, variance = along(np.array([3.0]), np.array([[0.0]]), Scale((0.0, 10.0), "trapezoid"))
    assert (area[0], moment[0], variance[0]) == pytest.approx((3.0, 4.5, 0.0), abs=1e-12)


@pytest.mark.parametrize("q", [1e-3, 1.0, 1e3])
def test_a_variance_below_the_rounding_of_the_interval_is_none(q):
    """What 2M - A² cannot tell from 0 grows with the square of the interval."""
    half = np.array([q / 2])
    for part, kept in ((5e-15, False), (5e-14, True)):
        found = from_sums(half, half**2 / 2 + part * q**2 / 2, Scale((0.0, q), "trapezoid"))
        assert (found.spread[0] > 0) == kept


def test_a_moment_too_small_for_its_area_is_that_of_the_early_step():
    area, moment = feasible(np.array([1.0]), np.array([0.0]), 2.0)
    assert (area[0], moment[0]) == (1.0, 0.5)


def test_the_place_of_a_fall_between_two_levels_has_the_moments_of_a_uniform_number():
    levels, interval = np.array([-0.5, 0.4, 2.0, 3.0]), (0.1, 2.6)
    middle, variance = uniform_places(levels, interval)
    grid = (np.arange(200_000) + 0.5) / 200_000
    for k in range(3):
        place = np.clip(levels[k] + np.diff(levels)[k] * grid, *interval) - interval[0]
        assert (middle[k], variance[k]) == pytest.approx((place.mean(), place.var()), abs=1e-8)
