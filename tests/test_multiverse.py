"""Which conclusions of a horizon study survive every combination of choices."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl


@pytest.fixture(scope="module")
def study():
    """Four agents, each twice as strong as the one before it in doublings, with dates."""
    made = gl.simulate_runs([2.0, 4.0, 6.0, 8.0], 0.9, items=120, families=6, seed=3)
    dates = pd.DataFrame(
        {"release_date": ["2022-01-01", "2023-01-01", "2024-01-01", "2025-01-01"]}, made.frame.index
    )
    return gl.Responses(made.frame, items=made.items, agents=dates)


@pytest.fixture(scope="module")
def found(study):
    return gl.multiverse(study, dates="release_date", floor=[0.0], ceiling=[1.0], draws=200)


def test_every_combination_is_a_universe_and_the_first_is_the_baseline(found):
    assert len(found.universes) == 2 * 2 * 7
    first = found.universes.iloc[0]
    assert (first["penalty"], first["weights"], first["without"]) == (1e-5, "diversity", "nothing")
    assert first["capability_order"] == 1
    assert not found.refused


def test_clear_conclusions_survive(found):
    assert found.conclusions["survives"].loc[["best", "order", "growth"]].all()
    assert "survives all 28 universes" in " ".join(found.sentences())


def test_a_conclusion_is_counted_from_the_universes(found):
    verdicts = found.universes["verdict"]
    row = found.conclusions.loc["trend"]
    assert row["holds_in"] == (verdicts == verdicts.iloc[0]).sum()
    assert row["survives"] == (row["holds_in"] == row["universes"])


@pytest.mark.slow
def test_universes_do_not_depend_on_the_number_of_processes(study):
    options = {"floor": [0.0], "ceiling": [1.0], "without": [None], "draws": 100}
    one, two = (gl.multiverse(study, jobs=jobs, **options).universes for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_fractions_open_the_question_of_binarising(study):
    half = gl.Responses(study.frame * 0.9 + 0.05, items=study.items)
    found = gl.multiverse(half, floor=[0.0], ceiling=[1.0], without=[None], draws=100)
    assert set(found.universes["scores"]) == {"as given", "binarised"}
    flat, steep = (
        found.universes.groupby("scores")["median_spread"]
        .mean()
        .loc[list(found.universes["scores"].unique())]
    )
    assert flat > steep


def test_what_cannot_be_fitted_is_refused_with_its_reason(study):
    found = gl.multiverse(study, floor=[0.0], ceiling=[1.0], without=[None], noise=[0.0, 50.0], draws=100)
    assert len(found.refused) == len(found.universes)
    assert all("noise" in reason for reason in found.refused.values())


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("penalty", {"penalty": []}),
        ("penalty", {"penalty": 0.1}),
        ("scores", {"scores": ["raw"]}),
        ("weights", {"weights": "equal"}),
        ("choices", {"noise": list(np.linspace(0, 1, 2000))}),
    ],
)
def test_bad_choices_are_refused_by_name(study, argument, options):
    with pytest.raises(gl.BadInput) as error:
        gl.multiverse(study, **options)
    assert error.value.argument == argument


def test_the_specification_curve_needs_dates_for_a_trend(study):
    found = gl.multiverse(study, floor=[0.0], ceiling=[1.0], without=[None], draws=100)
    with refused("what: no-dates"):
        gl.plot_specification_curve(found)
    assert len(gl.plot_specification_curve(found, "order").axes) == 2
