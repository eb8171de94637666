"""A smaller test from a log, and two forms of a test on one scale."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.psychometrics.equating import METHODS
from gindex_lab.studies.simulations.coverage import Profile, simulate_profile


def people(items=90, agents=40, seed=1):
    rng = np.random.default_rng(seed)
    some = [
        Profile(c, s)
        for c, s in zip(rng.uniform(0.2, 0.8, agents), rng.uniform(0.05, 0.4, agents), strict=True)
    ]
    return simulate_profile(some, items, seed=rng)


def test_a_shorter_test_keeps_more_than_random_items_do():
    lost = gl.shorter(people(), 15, seed=1).lost
    assert lost.loc["capability", "error"] < lost.loc["capability", "random_error"]
    assert lost.loc["capability", "correlation"] > lost.loc["capability", "random_correlation"]
    assert (lost["error"] < lost["range"]).all()


def test_the_loss_is_of_agents_who_had_no_say_and_noise_cannot_be_shortened():
    """On agents that are all alike nothing can be predicted: an honest correlation is near 0, not 1."""
    same = simulate_profile([Profile(0.5, 0.2)] * 60, 60, seed=3)
    lost = gl.shorter(same, 12, seed=1).lost
    assert lost.loc["mean", "correlation"] < 0.75
    own = gl.shorter(same, 12, seed=1)
    x = same.frame[own.items.index].to_numpy() @ own.items["mean_weight"].to_numpy()
    assert np.corrcoef(x, same.frame.mean(axis=1))[0, 1] > lost.loc["mean", "correlation"]


@pytest.mark.shared
def test_a_tenth_of_swebench_keeps_capability_and_spread(shared, monkeypatch):
    monkeypatch.setenv("GINDEX_LAB_DATA", str(shared / "datasets"))
    lost = gl.shorter(gl.load("swebench_134"), 50, seed=1).lost
    assert lost.loc["capability", "correlation"] > 0.97
    assert lost.loc["spread", "error"] < 0.6 * lost.loc["spread", "random_error"]


def test_the_items_are_written_with_their_weights(tmp_path):
    found = gl.shorter(people(agents=12), 5, seed=1)
    table = pd.read_csv(found.write(tmp_path / "items.csv"))
    assert len(table) == 5
    assert {"item", "difficulty", "area_weight", "moment_weight", "mean_weight"} <= set(table)


SMALL = people(agents=10, items=20)
BAD = {
    "all items": (lambda: gl.shorter(SMALL, 20, seed=1), "k"),
    "one item": (lambda: gl.shorter(SMALL, 1, seed=1), "k"),
    "few agents": (lambda: gl.shorter(people(agents=4), 5, seed=1), "responses"),
    "gaps": (
        lambda: gl.shorter(SMALL.frame.where(SMALL.frame > 0), 5, SMALL.difficulty, seed=1),
        "responses",
    ),
    "no difficulty": (lambda: gl.shorter(SMALL.frame, 5, seed=1), "difficulty"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_requests_for_a_shorter_test_are_refused(case):
    call, argument = BAD[case]
    with pytest.raises(gl.BadInput) as caught:
        call()
    assert caught.value.argument.startswith(argument)


# -- equating ----------------------------------------------------------------------------------------------


def forms(seed, anchors=15, agents=600, slope=1.3, shift=0.5):
    """Two forms with common items; the second group's abilities are N(shift, slope²) on the first's scale."""
    rng = np.random.default_rng(seed)
    n = anchors + 10
    a, b = rng.lognormal(0.2, 0.25, n + 10), rng.normal(0, 1, n + 10)
    names = [f"i{k}" for k in range(n + 10)]
    theta = rng.standard_normal((2, agents))
    theta[1] = shift + slope * theta[1]
    models = []
    for form, who in ((slice(0, n), 0), (slice(10, n + 10), 1)):
        chance = 1 / (1 + np.exp(-a[form] * (theta[who][:, None] - b[form])))
        frame = pd.DataFrame((rng.random(chance.shape) < chance).astype(float), columns=names[form])
        models.append(gl.irt(frame, "2pl"))
    return models


@pytest.mark.parametrize("method", METHODS)
def test_the_line_between_two_forms_is_found_within_its_errors(method):
    found = gl.equate(*forms(1), method=method)
    assert abs(found.slope - 1.3) < 3.5 * found.slope_se
    assert abs(found.intercept - 0.5) < 3.5 * found.intercept_se
    assert len(found.anchors) == 15


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_the_errors_of_the_line_are_those_that_occur(method):
    """Oracle by simulation: over studies, the deviation of the line is the standard error that it states."""
    lines = [gl.equate(*forms(100 + k, agents=400), method=method) for k in range(30)]
    for name, truth in (("slope", 1.3), ("intercept", 0.5)):
        z = np.array([(getattr(x, name) - truth) / getattr(x, f"{name}_se") for x in lines])
        assert abs(z.mean()) < 0.65
        assert 0.6 < z.std() < 1.5


def test_two_fits_of_one_form_are_on_one_scale_already():
    first, _ = forms(2)
    found = gl.equate(first, first)
    assert found.slope == pytest.approx(1, abs=1e-6)
    assert found.intercept == pytest.approx(0, abs=1e-6)
    moved = found.abilities(first.abilities)
    assert np.allclose(moved["ability"], first.abilities["ability"], atol=1e-5)
    assert (moved["se"] >= first.abilities["se"] - 1e-9).all()


def test_forms_without_common_items_are_refused():
    first, second = forms(3)
    with pytest.raises(gl.BadInput) as caught:
        gl.equate(first, second, anchors=["i12", "i13"])
    assert caught.value.argument == "anchors"
    with pytest.raises(gl.BadInput) as caught:
        gl.equate(first, "b")
    assert caught.value.argument == "second"
    with pytest.raises(gl.BadInput) as caught:
        gl.equate(first, second, method="eye")
    assert caught.value.code == "not-an-option"


# -- forms out of generated items ----------------------------------------------------------------------------


GENERATED = {
    "mazes": lambda seed: gl.mazes.battery((8, 10), (0.2, 0.3, 0.4), copies=2, seed=seed),
    "letter series": lambda seed: gl.letter_series.generate(9, 12, seed),
    "Λ environments": lambda seed: list(gl.anytime.make_pool(12, seed=seed).environments),
}


@pytest.mark.parametrize("kind", GENERATED)
def test_generators_supply_anchors_whose_names_mean_one_item(kind):
    """Items of two seeds have the same names: taken as they are, different mazes would be anchors."""
    parts = [GENERATED[kind](seed) for seed in (1, 2, 3)]
    a, b = gl.two_forms(*parts)
    common = a.keys() & b.keys()
    assert len(a) == len(b) == 24
    assert len(common) == 12
    assert all(a[name] == b[name] for name in common)


def test_forms_of_environments_are_played_under_their_names():
    a, b = gl.two_forms(*(GENERATED["Λ environments"](seed) for seed in (1, 2, 3)))
    played = [gl.anytime.as_items(["random", "oracle"], form, runs=1, seed=1) for form in (a, b)]
    assert [list(one.frame.columns) for one in played] == [list(a), list(b)]
    plain = gl.anytime.as_items(["random", "oracle"], list(a.values()), runs=1, seed=1)
    assert (played[0].frame.to_numpy() == plain.frame.to_numpy()).all()


def test_anchors_from_a_generator_put_an_abler_group_ahead():
    a, b = gl.two_forms(*(GENERATED["mazes"](seed) for seed in (1, 2, 3)))
    rng, models = np.random.default_rng(5), []
    for form, errors in ((a, np.geomspace(0.5, 4, 12)), (b, np.geomspace(0.25, 2, 12))):
        walkers = {f"w{k}": gl.mazes.Noisy(float(x)) for k, x in enumerate(errors)}
        chance = pd.concat([gl.mazes.play(list(form.values()), walkers).frame] * 40)
        models.append(gl.irt((rng.random(chance.shape) < chance).astype(float).reset_index(drop=True)))
    link = gl.equate(*models)
    assert len(link.anchors) == 12
    assert link.intercept > 3 * link.intercept_se


@pytest.mark.parametrize(
    ("parts", "argument", "code"),
    [
        (([], [1], [2]), "both", "empty"),
        (([1], [2], [2]), "second", "duplicate"),
        ((3, [1], [2]), "both", "wrong-type"),
        (("ab", ["c"], ["d"]), "both", "wrong-type"),
    ],
)
def test_bad_forms_are_refused(parts, argument, code):
    with pytest.raises(gl.BadInput) as caught:
        gl.two_forms(*parts)
    assert (caught.value.argument, caught.value.code) == (argument, code)
