"""Horizons: what cannot be meant is refused by the name of the argument; edge cases of the exact mode."""

import numpy as np
import pandas as pd
import pytest
from refusals import cautioned

import gindex_lab as gl
from gindex_lab.measures.horizons.runs import runs_of

MINUTES = [1.0, 2.0, 4.0, 8.0]
ROW = [[1, 0, 1, 0]]
DATES = ["2021-01-01", "2022-01-01", "2023-01-01"]
TABLE = pd.DataFrame({"horizon_50": [1.0, 2.0, 4.0], "spread_logistic": [1.0, 2.0, 3.0]}, list("abc"))


def study(**columns):
    items = pd.DataFrame({"minutes": MINUTES, **columns}, [f"item {k}" for k in range(1, 5)])
    return gl.Responses(ROW, items=items)


def with_trials(value):
    trials = pd.DataFrame(
        {"agent": "agent 1", "item": "item 1", "response": [1.0, value], "minutes": [1.0, 1.0]}
    )
    return gl.Responses([[1, 0]], difficulty=[1, 2], trials=trials)


BAD = {
    "raw scores": ("responses", "wrong-type", lambda: gl.horizon(gl.Scores(ROW), MINUTES)),
    "curves of a transform": (
        "responses",
        "wrong-type",
        lambda: gl.horizon(gl.rank([[1, 2], [2, 1]])),
    ),
    "no minutes at all": ("minutes", "missing", lambda: gl.horizon(ROW)),
    "unknown column": ("minutes", "missing-column", lambda: gl.horizon(study(), "hours")),
    "too few minutes": ("minutes", "wrong-length", lambda: gl.horizon(ROW, [1, 2])),
    "an item of no length": (
        "minutes['item 2']",
        "out-of-range",
        lambda: gl.horizon(ROW, [1, 0, 4, 8]),
    ),
    "a negative length": (
        "minutes['item 3']",
        "out-of-range",
        lambda: gl.horizon(ROW, [1, 2, -4, 8]),
    ),
    "a missing length": ("minutes", "missing", lambda: gl.horizon(ROW, [1, 2, np.nan, 8])),
    "an infinite length": (
        "minutes['item 3']",
        "not-finite",
        lambda: gl.horizon(ROW, [1, 2, np.inf, 8]),
    ),
    "a word for a length": (
        "minutes['item 3']",
        "not-a-number",
        lambda: gl.horizon(ROW, [1, 2, "long", 8]),
    ),
    "one length": ("minutes", "one-length", lambda: gl.horizon(ROW, [5, 5, 5, 5])),
    "one length met": (
        "responses",
        "one-length",
        lambda: gl.horizon([[1, 0, None, None], [1, 0, 1, 0]], [2, 2, 4, 8]),
    ),
    "an agent without responses": (
        "responses",
        "empty",
        lambda: gl.horizon([[None] * 4, [1, 0, 1, 0]], MINUTES),
    ),
    "a gap that is an error": (
        "responses['agent 1', 'item 2']",
        "missing",
        lambda: gl.horizon([[1, None, 1, 0]], MINUTES, missing="error"),
    ),
    "a negative penalty": ("penalty", "out-of-range", lambda: gl.horizon(ROW, MINUTES, penalty=-1)),
    "no penalty on separable data": (
        "penalty",
        "separable",
        lambda: gl.horizon([[1, 1, 0, 0]], MINUTES, penalty=0),
    ),
    "a penalty that is no number": (
        "penalty",
        "not-a-number",
        lambda: gl.horizon(ROW, MINUTES, penalty="small"),
    ),
    "a level of 1": (
        "levels[1]",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, levels=(0.5, 1.0)),
    ),
    "no level": ("levels", "empty", lambda: gl.horizon(ROW, MINUTES, levels=())),
    "a level twice": (
        "levels",
        "duplicate-label",
        lambda: gl.horizon(ROW, MINUTES, levels=(0.5, 0.5)),
    ),
    "an interval in minutes": (
        "interval",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, interval=(30, 480)),
    ),
    "an interval backwards": (
        "interval",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, interval=(3, 0)),
    ),
    "an unknown rule of weights": (
        "weights",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, weights="invsqrt"),
    ),
    "a negative weight": (
        "weights",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, weights=[1, 1, -1, 1]),
    ),
    "weights of 0": (
        "weights",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, weights=[0, 0, 0, 0]),
    ),
    "an unknown estimator": (
        "estimator",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, estimator="spline"),
    ),
    "an unknown mode": ("mode", "not-an-option", lambda: gl.horizon(ROW, MINUTES, mode="metr")),
    "draws without a seed": ("seed", "missing", lambda: gl.horizon(ROW, MINUTES, ci=0.95)),
    "a confidence of 95": ("ci", "out-of-range", lambda: gl.horizon(ROW, MINUTES, ci=95, seed=1)),
    "a single draw": (
        "draws",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, ci=0.95, draws=1, seed=1),
    ),
    "trials that are not there": (
        "resample",
        "missing",
        lambda: gl.horizon(ROW, MINUTES, ci=0.95, resample="trials", seed=1),
    ),
    "an item without a family": (
        "items['family']",
        "missing",
        lambda: gl.horizon(study(family=["a", "b", None, "b"])),
    ),
    "a trial off the scale": (
        "trials['agent 1', 'item 1']",
        "out-of-range",
        lambda: gl.horizon(with_trials(2.0)),
    ),
    "no failure in reference mode": (
        "responses",
        "no-failure",
        lambda: gl.horizon([[1, 1, 1, 1]], MINUTES, mode="reference"),
    ),
    "a ceiling in reference mode": (
        "floor, ceiling, noise",
        "not-with-method",
        lambda: gl.horizon(ROW, MINUTES, ceiling="fit", mode="reference"),
    ),
    "a floor of one half": ("floor", "out-of-range", lambda: gl.horizon(ROW, MINUTES, floor=0.5)),
    "a word for a ceiling": (
        "ceiling",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, ceiling="free"),
    ),
    "noise as large as the lengths": (
        "noise",
        "out-of-range",
        lambda: gl.horizon(ROW, MINUTES, noise=9),
    ),
    "an unknown kind of error": (
        "error",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, noise=1, error="both"),
    ),
    "a floor above the ceiling": (
        "floor, ceiling",
        "out-of-range",
        lambda: gl.logistic_indicators(1, 1, (0, 5), floor=0.6, ceiling=0.5),
    ),
    "an interval of one point": (
        "interval",
        "out-of-range",
        lambda: gl.logistic_indicators(1, 1, (5, 5)),
    ),
    "an infinite slope": (
        "beta[0]",
        "not-finite",
        lambda: gl.logistic_indicators(1, np.inf, (0, 5)),
    ),
    "curves of two lengths": (
        "beta",
        "wrong-length",
        lambda: gl.logistic_indicators([1, 2, 3], [1, 2], (0, 5)),
    ),
    "horizons the wrong way round": (
        "longer, shorter",
        "out-of-range",
        lambda: gl.spread_from_horizons([18.0], [57.0]),
    ),
    "dates that are not there": ("dates", "missing-column", lambda: gl.doubling_time(TABLE)),
    "a date that is none": (
        "dates['b']",
        "not-a-date",
        lambda: gl.doubling_time(TABLE, ["2021-01-01", "soon", "2023-01-01"]),
    ),
    "dates of another length": (
        "dates",
        "wrong-length",
        lambda: gl.doubling_time(TABLE, DATES[:2]),
    ),
    "a frontier of one date": (
        "frontier",
        "too-few",
        lambda: gl.doubling_time(TABLE, [DATES[0]] * 3),
    ),
    "an empty window": (
        "since, until",
        "empty",
        lambda: gl.doubling_time(TABLE, DATES, since="2030-01-01"),
    ),
    "a trend of an unknown measure": (
        "column",
        "missing-column",
        lambda: gl.trend(TABLE, "width", DATES),
    ),
    "no dates": ("dates", "missing", lambda: gl.doubling_time(TABLE, None)),
    "a date that may be read in two ways": (
        "dates['a']",
        "not-a-date",
        lambda: gl.doubling_time(TABLE, ["01/02/2021", "03/04/2022", "13/04/2023"]),
    ),
    "a date that depends on the clock": (
        "since",
        "not-a-date",
        lambda: gl.doubling_time(TABLE, DATES, since="today"),
    ),
    "a column of words": (
        "column",
        "not-a-number",
        lambda: gl.doubling_time(TABLE.assign(note="words"), DATES, column="note"),
    ),
    "an unknown horizon": (
        "horizon",
        "missing-column",
        lambda: gl.trend(TABLE, dates=DATES, horizon="hours"),
    ),
    "a mode that is none": (
        "mode",
        "not-an-option",
        lambda: gl.trend(TABLE, dates=DATES, mode="metr"),
    ),
    "weights beyond all numbers": (
        "weights",
        "too-large",
        lambda: gl.horizon(ROW, MINUTES, weights=[1e300] * 4),
    ),
    "an unknown method": (
        "method",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, method="wild"),
    ),
    "an unknown draw": (
        "resample",
        "not-an-option",
        lambda: gl.horizon(ROW, MINUTES, resample="runs"),
    ),
    "a ceiling without draws": (
        "floor, ceiling, noise",
        "not-with-method",
        lambda: gl.horizon(ROW, MINUTES, ci=0.9, method="jackknife", ceiling=0.9),
    ),
    "a trend of two agents": (
        "table",
        "too-few",
        lambda: gl.trend(TABLE, dates=DATES, agents=["a", "b"]),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_argument_and_code(case):
    argument, code, call = BAD[case]
    with pytest.raises(gl.BadInput) as error:
        call()
    assert (error.value.argument, error.value.code) == (argument, code)
    assert error.value.remedy


# -- edge cases of section 14 ------------------------------------------------------------------------------


def one(responses, **options):
    return gl.horizon([responses], MINUTES, **options).iloc[0]


def test_no_success_is_a_horizon_of_zero():
    row = one([0, 0, 0, 0])
    assert row[["horizon_50", "horizon_80", "capability", "spread"]].tolist() == [0, 0, 0, 0]
    assert row["normalised_generality"] == 1
    assert np.isnan(row["slope"])
    assert row["note"] == "no success"


def test_no_success_in_reference_mode_is_an_infinite_slope():
    row = one([0, 0, 0, 0], mode="reference")
    assert row["slope"] == np.inf  # printed as a coefficient of -inf
    assert row[["horizon_50", "horizon_80", "loss"]].tolist() == [0, 0, 0]


def test_no_failure_is_an_unlimited_horizon():
    row = one([1, 1, 1, 1])
    assert row[["horizon_50", "horizon_80"]].tolist() == [np.inf, np.inf]
    assert row[["capability", "spread"]].tolist() == [3, 0]
    assert row["note"] == "no failure"


@pytest.mark.parametrize(
    ("responses", "note"),
    [
        ([0, 1, 0, 1], "success rises with length"),
        ([1, 0, 0, 1], "success does not depend on length"),
    ],
)
def test_a_curve_that_does_not_fall_has_no_horizon_but_keeps_its_exact_curve(responses, note):
    row = one(responses)
    assert row[["horizon_50", "horizon_80", "spread_logistic"]].isna().all()
    assert np.isfinite(row[["capability", "spread"]].astype(float)).all()
    assert row["note"] == note


def test_a_rising_curve_keeps_its_number_in_reference_mode_with_a_warning():
    with cautioned("rising"):
        row = one([0, 1, 0, 1], mode="reference")
    assert row["horizon_50"] > 0


def test_separable_data_say_whose_slope_it_is():
    assert one([1, 1, 0, 0])["note"] == "separable: the slope is the penalty's"


def test_a_horizon_outside_the_tested_lengths_is_marked():
    row = gl.horizon([[1, 1, 1, 1, 0, 1, 1, 1]], [1, 1, 2, 2, 4, 4, 4, 4]).iloc[0]
    assert "horizon_50" in row["note"]
    assert "beyond the tested lengths" in row["note"]


def test_difficulties_stand_in_for_minutes_and_the_table_says_so():
    table = gl.horizon(gl.Responses(ROW, difficulty=[0, 1, 2, 3]))
    assert table.attrs["notes"][0] == "the difficulty is taken as log2 minutes"
    assert table["horizon_50"].tolist() == gl.horizon(ROW, MINUTES)["horizon_50"].tolist()


def test_runs_count_one_by_one_and_may_have_minutes_of_their_own():
    trials = pd.DataFrame(
        {
            "agent": "a",
            "item": list("iijjkk"),
            "response": [1, 1, 1, 0, 0, 1],
            "minutes": [1, 1, 2, 2, 4, 8],
        }
    )
    frame = pd.DataFrame([[1, 0.5, 0.5]], ["a"], list("ijk"))
    items = pd.DataFrame({"minutes": [1.0, 2.0, 4.0]}, list("ijk"))
    runs = runs_of(gl.Responses(frame, items=items, trials=trials))
    assert runs.h.tolist() == [0, 0, 1, 1, 2, 3]
    assert runs.notes == ("1 runs have minutes of their own",)


def test_times_of_day_and_zones_are_understood():
    whole = gl.doubling_time(TABLE, DATES)
    zones = gl.doubling_time(TABLE, [f"{d}T02:00:00+02:00" for d in DATES])
    assert zones.days == pytest.approx(whole.days, rel=1e-12)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not():
    made = gl.simulate_runs([4.0, 6.0], 0.8, items=60, families=5, seed=1)
    one, two, other = (gl.horizon(made, ci=0.9, draws=50, seed=s) for s in (7, 7, 7000))
    pd.testing.assert_frame_equal(one, two)
    assert not one["horizon_50_low"].equals(other["horizon_50_low"])


def test_a_fit_does_not_depend_on_how_a_response_is_split():
    whole = gl.horizon([[1, 0.75, 0.5, 0]], MINUTES, penalty=0.01).iloc[0]
    trials = pd.DataFrame(
        [
            ("agent 1", f"item {k}", y, t)
            for k, share in enumerate([1, 0.75, 0.5, 0], 1)
            for t, y in enumerate([1] * round(4 * share) + [0] * round(4 - 4 * share))
        ],
        columns=["agent", "item", "response", "trial"],
    )
    split = gl.horizon(gl.Responses.from_long(trials, trial="trial"), MINUTES, penalty=0.01).iloc[0]
    names = ["horizon_50", "slope", "capability", "spread"]
    np.testing.assert_allclose(split[names].astype(float), whole[names].astype(float), rtol=1e-10)


def test_repeated_runs_are_redrawn_within_their_cells():
    made = gl.simulate_runs([5.0], 0.8, items=40, families=4, seed=1)
    long = pd.concat([made.to_long().assign(trial=t) for t in (1, 2)])
    study = gl.Responses.from_long(long, trial="trial", items=made.items)
    table = gl.horizon(study, ci=0.9, resample="trials", draws=50, seed=1)
    # both runs of a cell agree, so redrawing them changes nothing
    assert table["horizon_50_low"].iloc[0] == pytest.approx(table["horizon_50"].iloc[0])


@pytest.mark.parametrize("estimator", ["trapezoid", "step"])
def test_the_compiled_walk_is_the_rule_of_generality(estimator):
    from gindex_lab.measures.curves import conclude, indicators
    from gindex_lab.measures.horizons.curves import walk

    random = np.random.default_rng(1)
    levels = np.sort(random.normal(size=7))
    psi = random.random((50, 7))
    psi[random.random((50, 7)) < 0.3] = np.nan
    psi[:, [0, 3, -1]] = 0.5  # an end that was never met: held by generality, solved or failed in the walk
    for interval in (
        (levels[0], levels[-1]),
        (levels[0] - 1, levels[-1] + 1),
        (levels[1], levels[5]),
    ):
        found = conclude(*walk(levels, psi, *interval, estimator == "step"), interval)
        want = indicators(levels, psi, interval, estimator)
        np.testing.assert_allclose(found[:4], want[:4], rtol=1e-9, atol=1e-12)
