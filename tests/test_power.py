"""How many items tell two agents apart: predicted against observed, pilots, bad input, the command."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from benchmarks.measured.power import DESIGNS, check_power
from gindex_lab.measures.planning.designs import MEASURES, covariance, curves_apart, value_of
from gindex_lab.press.cli import main
from gindex_lab.studies.simulations.coverage import Profile, simulate_profile
from gindex_lab.studies.simulations.coverage_study import measured_coverage

SMALL = gl.Design(items=30)


def test_predicted_and_observed_power_differ_by_at_most_two_points_on_twelve_designs():
    table = measured_coverage("power")
    assert table.groupby("measure")["design"].nunique().to_dict() == dict.fromkeys(MEASURES, 12)
    assert set(table["design"]) == set(DESIGNS)
    assert (table["predicted"] - table["observed"]).abs().max() <= 0.02
    assert table["observed"].between(0.1, 0.999).mean() > 0.9  # they are not all 0 or 1


def test_the_closed_form_is_near():
    table = measured_coverage("power")
    assert (table["closed_form"] - table["observed"]).abs().max() <= 0.085
    assert (table["closed_form"] - table["observed"]).abs().mean() <= 0.03


def test_a_part_of_the_kept_table_comes_out_again():
    kept = measured_coverage("power").set_index(["design", "measure"])
    row = {"design": "80 items, steep", "measure": "capability"}
    found = check_power(row, 320, 5)["observed"]
    at = kept.loc[tuple(row.values()), "observed"]
    assert abs(found - at) < 3 * np.sqrt(at * (1 - at) / 320)


@pytest.mark.parametrize("measure", MEASURES)
def test_curves_differ_by_what_was_asked_and_keep_the_capability(measure):
    h = np.linspace(0, 1, 101)
    design = gl.Design(items=101, spread=0.25)
    psi = design.chance(h)[None]
    above, below, apart = curves_apart(design, h, psi, measure, 0.1)
    assert apart[0] == pytest.approx(0.1, abs=1e-6)
    if measure in ("spread", "normalised_generality"):
        for curve in (above, below):
            was, now = (value_of(design, h, x, "capability")[0] for x in (psi, curve))
            assert now == pytest.approx(was, abs=1e-6)


def test_covariance_of_responses_is_that_of_the_normal_orthants():
    from scipy.stats import multivariate_normal

    for p, q, luck in ((0.3, 0.6, 0.4), (0.9, 0.8, 0.7), (0.5, 0.5, 0.2)):
        from scipy.special import ndtri

        both = multivariate_normal([0, 0], [[1, luck], [luck, 1]]).cdf([ndtri(p), ndtri(q)])
        assert covariance(np.array([p]), np.array([q]), luck)[0] == pytest.approx(both - p * q, abs=3e-3)


@pytest.mark.slow
def test_more_items_more_repeats_and_shared_luck_give_more_power():
    def value(**changes):
        design = gl.Design(**({"items": 60} | changes))
        return gl.power(design, difference=0.12, simulations=600, seed=1).closed_form

    plain = value()
    assert value(items=120) > plain + 0.1
    assert value(repeats=4) > plain + 0.1
    assert value(shared=0.5) > plain + 0.1
    assert value(families=10, likeness=0.5) < plain - 0.05


@pytest.mark.slow
def test_the_items_needed_reach_the_wanted_power():
    found = gl.power(gl.Design(items=40), difference=0.2, measure="mean", simulations=2000, seed=2)
    again = gl.power(
        gl.Design(items=found.items_needed),
        difference=0.2,
        measure="mean",
        simulations=4000,
        seed=3,
    )
    assert again.value == pytest.approx(0.8, abs=0.03)
    assert list(found.curve["items"]) == sorted(found.curve["items"])


@pytest.mark.slow
def test_families_keep_their_size_and_repeats_may_not_suffice():
    design = gl.Design(items=60, families=12, repeats=1, stable=0.6, likeness=0.3)
    found = gl.power(design, difference=0.1, simulations=300, seed=1)
    assert found.families_needed == pytest.approx(found.items_needed / 5, abs=1)
    assert found.repeats_needed is None


@pytest.mark.slow
def test_a_pilot_lends_its_difficulties_and_the_luck_that_agents_share():
    rng = np.random.default_rng(4)
    h = np.sort(rng.random(400))
    luck = np.sqrt(0.5) * rng.standard_normal((1, 400)) + np.sqrt(0.5) * rng.standard_normal((12, 400))
    from scipy.special import ndtr

    answers = (ndtr(luck) < Profile(0.5, 0.2)(h)).astype(float)
    pilot = gl.Responses(answers, difficulty=h)
    found = gl.power(pilot, difference=0.05, simulations=200, seed=1).design
    assert found.shared == pytest.approx(0.5, abs=0.12)
    assert np.allclose(np.sort(found.places()), h)


@pytest.mark.slow
def test_a_small_pilot_leaves_more_open_than_a_large_one():
    def width(items):
        pilot = simulate_profile([Profile(0.5, 0.2)] * 3, items, seed=3)
        found = gl.power(pilot, difference=0.1 * np.sqrt(200 / items), simulations=300, seed=1)
        assert found.low <= found.value <= found.high
        return found.high - found.low

    assert width(30) > 1.2 * width(300)


def test_a_pilot_without_difficulties_can_be_planned_for_the_mean():
    rng = np.random.default_rng(1)
    hard = rng.standard_normal(200)
    pilot = gl.Responses((rng.random((6, 200)) < 1 / (1 + np.exp(2 * hard))).astype(float))
    found = gl.power(pilot, difference=0.08, measure="mean", simulations=500, seed=1)
    assert found.design.shared > 0.3
    assert found.items_needed > 100


@pytest.mark.slow
def test_what_a_study_can_see_is_what_it_has_the_power_to_see():
    for measure in ("mean", "spread"):
        gap = gl.detectable(gl.Design(items=120), measure=measure)
        found = gl.power(gl.Design(items=120), difference=gap, measure=measure, simulations=1000, seed=1)
        assert found.closed_form == pytest.approx(0.8, abs=0.01)
    assert np.isnan(gl.detectable(gl.Design(items=5), measure="spread"))


def test_same_seed_same_power():
    one, two = (gl.power(SMALL, difference=0.3, simulations=200, seed=7) for _ in range(2))
    assert one == two
    assert one.curve.equals(two.curve)


BAD = {
    "no difference": (lambda: gl.power(SMALL, difference=0, seed=1), "difference"),
    "more than curves can": (lambda: gl.power(SMALL, difference=2, seed=1), "difference"),
    "an unknown measure": (
        lambda: gl.power(SMALL, difference=0.1, measure="iq", seed=1),
        "measure",
    ),
    "a list as study": (lambda: gl.power([[1, 0]], difference=0.1, seed=1), "study"),
    "raw scores": (
        lambda: gl.power(gl.Scores([[3, 4, 5]]), difference=0.1, seed=1),
        "study",
    ),
    "no difficulties": (
        lambda: gl.power(gl.Responses([[1, 0, 1, 0]]), difference=0.1, seed=1),
        "measure",
    ),
    "an agent of a design": (lambda: gl.power(SMALL, difference=0.1, agent="a", seed=1), "agent"),
    "a stranger": (
        lambda: gl.power(gl.Responses([[1, 0, 1]], difficulty=[1, 2, 3]), difference=0.1, agent="x", seed=1),
        "agent",
    ),
    "no families": (
        lambda: gl.power(
            gl.Responses([[1, 0, 1]], difficulty=[1, 2, 3]),
            difference=0.1,
            resample="families",
            seed=1,
        ),
        "resample",
    ),
    "wanted above 1": (lambda: gl.power(SMALL, difference=0.1, wanted=1.5, seed=1), "wanted"),
    "no pairs": (lambda: gl.power(SMALL, difference=0.1, pairs=0, seed=1), "pairs"),
    "two items": (lambda: gl.Design(items=2), "items"),
    "more families than items": (lambda: gl.Design(items=10, families=20), "families"),
    "all luck used": (
        lambda: gl.Design(shared=0.6, stable=0.5),
        "shared, likeness, stable",
    ),
    "accuracy below the floor": (lambda: gl.Design(accuracy=0.2, floor=0.25), "accuracy"),
    "a curve above 1": (lambda: gl.Design(curve=[1.2, 0.1]), "curve"),
    "a spacing of its own": (lambda: gl.Design(spacing="odd"), "spacing"),
    "one difficulty": (lambda: gl.Design(difficulty=[1.0, 1.0]), "difficulty"),
    "a curve of words": (
        lambda: gl.power(gl.Design(curve=lambda h: h + 5), difference=0.1, seed=1),
        "curve",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_by_argument(case):
    call, argument = BAD[case]
    with pytest.raises(gl.BadInput) as caught:
        call()
    assert caught.value.argument.split("[")[0] == argument


def test_the_command_says_how_many_items(tmp_path, capsys):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame((rng.random((3, 80)) < 0.6).astype(int), ["ann", "bob", "cy"])
    frame.columns = [f"q{k}" for k in range(80)]
    pilot, out = tmp_path / "pilot.csv", tmp_path / "curve.csv"
    frame.rename_axis("agent").to_csv(pilot)
    assert main(["plan", str(pilot), "--difference", "10", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "items reach 80%" in said
    assert "differs by 10 points" in said
    assert "The pilot itself could have seen" in said
    assert {"items", "power", "closed_form"} <= set(pd.read_csv(out))
    assert main(["plan", str(pilot), "--difference", "0"]) == 2
    assert "difference" in capsys.readouterr().err
