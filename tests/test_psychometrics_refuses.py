"""Forty and more inputs that mean nothing, over all public calls of psychometrics: each is refused by argument and
code, in a sentence that shows what was given and says what to do."""

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings, Priors

RNG = np.random.default_rng(24)
ITEMS = pd.DataFrame({"discrimination": 1.2, "difficulty": np.linspace(-1.5, 1.5, 6)}, [*"abcdef"])
RIGHT = gl.simulate_irt(ITEMS, 120, seed=24).frame
SIDES = ["old", "new"] * 60
FRACTIONS = pd.DataFrame(RNG.random((120, 6)), columns=RIGHT.columns)
CUTS = pd.DataFrame({"discrimination": 1.2, "b1": [-1.0, 0.0], "b2": [0.5, 1.0]})


def with_cell(value):
    """RIGHT with one other number in its first cell."""
    frame = RIGHT.copy()
    frame.iloc[0, 0] = value
    return frame


@pytest.fixture(scope="module")
def model():
    return gl.irt(RIGHT)


# what is given -> (call of the fitted model, argument, code, what the sentence must show of the value)
BAD = {
    # the table itself
    "no table": (lambda m: gl.irt(pd.DataFrame()), "responses", "empty", "(0, 0)"),
    "nobody": (lambda m: gl.irt(np.zeros((0, 3))), "responses", "empty", "(0, 3)"),
    "one agent": (lambda m: gl.irt(RIGHT[:1]), "responses", "too-few", "(1, 6)"),
    "nothing varies": (lambda m: gl.irt(np.ones((9, 4))), "responses", "too-few", "0 of 4"),
    "words": (
        lambda m: gl.irt(RIGHT.astype(object).replace(1.0, "yes")),
        "responses['agent 1', 'a']",
        "not-a-number",
        "yes",
    ),
    "infinity": (
        lambda m: gl.irt(with_cell(np.inf)),
        "responses['agent 1', 'a']",
        "not-finite",
        "inf",
    ),
    "above one": (lambda m: gl.irt(with_cell(7.0)), "frame['agent 1', 'a']", "out-of-range", "7"),
    "below zero": (
        lambda m: gl.irt(with_cell(-2.0)),
        "frame['agent 1', 'a']",
        "out-of-range",
        "-2",
    ),
    "a silent agent": (
        lambda m: gl.irt(pd.concat([RIGHT, pd.DataFrame(np.nan, ["mute"], RIGHT.columns)])),
        "responses",
        "no-response",
        "mute",
    ),
    "raw scores": (
        lambda m: gl.person_fit(gl.Scores(RIGHT * 40)),
        "responses",
        "raw-scores",
        "Scores",
    ),
    # models and how they are fitted
    "an unknown model": (lambda m: gl.irt(RIGHT, "5pl"), "model", "not-an-option", "5pl"),
    "an unknown rule for fractions": (
        lambda m: gl.irt(RIGHT, fractions="floor"),
        "fractions",
        "not-an-option",
        "floor",
    ),
    "fractions where none are allowed": (
        lambda m: gl.irt(with_cell(0.4), fractions="error"),
        "responses['agent 1', 'a']",
        "not-binary",
        "0.4",
    ),
    "unknown settings": (
        lambda m: gl.irt(RIGHT, settings="bilog"),
        "settings",
        "not-a-setting",
        "bilog",
    ),
    "unknown priors": (
        lambda m: gl.irt(RIGHT, priors="strong"),
        "priors",
        "not-a-setting",
        "strong",
    ),
    "two nodes": (lambda m: IrtSettings(nodes=2), "settings.nodes", "out-of-range", "2"),
    "a prior without a deviation": (
        lambda m: Priors(slope=(1, 0)),
        "priors.slope sd",
        "out-of-range",
        "0",
    ),
    "half a category": (
        lambda m: gl.irt([[0, 1.5, 2], [1, 0, 1], [2, 2, 0]], "graded"),
        "responses",
        "not-a-category",
        "1.5",
    ),
    "fractions for steps": (
        lambda m: gl.irt(FRACTIONS, "gpcm"),
        "responses['a']",
        "no-ladder",
        "continuous",
    ),
    "no fractions for a Beta": (
        lambda m: gl.irt(RIGHT, "beta"),
        "responses",
        "too-few-fractions",
        "6",
    ),
    "nine dimensions": (lambda m: gl.irt(RIGHT, dimensions=9), "dimensions", "out-of-range", "9"),
    "a pattern of other items": (
        lambda m: gl.irt(RIGHT, dimensions=[[1, 0]] * 3),
        "dimensions",
        "wrong-length",
        "3",
    ),
    # a fitted model
    "an unknown estimator": (lambda m: m.score("mode"), "method", "not-an-option", "mode"),
    "answers to other items": (
        lambda m: m.score("eap", [[1, 0, 1]]),
        "responses",
        "other-items",
        "item 1",
    ),
    "an ability that is not": (lambda m: m.curves([np.nan]), "ability[0]", "not-finite", "nan"),
    "limits that hold all": (lambda m: m.limits(ci=1.0), "ci", "out-of-range", "1.0"),
    "a seed that is none": (lambda m: m.negative_control(seed=-1), "seed", "not-a-seed", "-1"),
    "fit of a table": (lambda m: gl.m2(RIGHT), "model", "wrong-type", "DataFrame"),
    "unknown moments": (lambda m: gl.m2(m, moments="m3"), "moments", "not-an-option", "m3"),
    "too few items for M2": (
        lambda m: gl.m2(gl.irt(RIGHT[["a", "b", "c"]])),
        "model",
        "too-few",
        "3",
    ),
    # simulation
    "no agents": (lambda m: gl.simulate_irt(ITEMS, 0, seed=1), "agents", "out-of-range", "0"),
    "items without difficulty": (
        lambda m: gl.simulate_irt(ITEMS[["discrimination"]], 5, seed=1),
        "items",
        "no-column",
        "discrimination",
    ),
    "cuts in the wrong order": (
        lambda m: gl.simulate_irt(CUTS.assign(b2=-9.0), 5, model="graded", seed=1),
        "items",
        "order",
        "-9",
    ),
    # groups
    "an unknown test of DIF": (
        lambda m: gl.dif(RIGHT, SIDES, method="lord"),
        "method",
        "not-an-option",
        "lord",
    ),
    "an unknown focal group": (
        lambda m: gl.dif(RIGHT, SIDES, focal="X"),
        "focal",
        "unknown-label",
        "X",
    ),
    "an unknown anchor": (
        lambda m: gl.dif(RIGHT, SIDES, anchors=["z"]),
        "anchors",
        "unknown-label",
        "z",
    ),
    "three groups": (lambda m: gl.dif(RIGHT, [*"xyz"] * 40), "group", "wrong-length", "x"),
    "too few labels": (lambda m: gl.dif(RIGHT, ["old", "new"]), "group", "wrong-length", "2"),
    "a small group": (
        lambda m: gl.dif(RIGHT, ["old"] * 115 + ["new"] * 5),
        "group",
        "too-few",
        "new",
    ),
    "an unknown level": (
        lambda m: gl.multigroup(RIGHT, SIDES, level="strict"),
        "level",
        "not-an-option",
        "strict",
    ),
    "an unknown item of its own": (
        lambda m: gl.multigroup(RIGHT, SIDES, own=["z"]),
        "own",
        "unknown-label",
        "z",
    ),
    "an unknown reference": (
        lambda m: gl.invariance(RIGHT, SIDES, reference="X"),
        "reference",
        "unknown-label",
        "X",
    ),
    # forms, scales, curves
    "an unknown link": (
        lambda m: gl.equate(m, m, method="mean"),
        "method",
        "not-an-option",
        "mean",
    ),
    "an unknown common item": (
        lambda m: gl.equate(m, m, anchors=["nowhere"]),
        "anchors",
        "unknown-label",
        "nowhere",
    ),
    "a bound above one": (
        lambda m: gl.mokken(RIGHT, lower_bound=2),
        "lower_bound",
        "out-of-range",
        "2",
    ),
    "five agents for a scale": (lambda m: gl.mokken(RIGHT[:5]), "responses", "too-few", "5"),
    "fractions for a scale": (lambda m: gl.mokken(FRACTIONS), "responses", "too-large", "a"),
    "a negative violation": (
        lambda m: gl.mokken(RIGHT).monotonicity(least=-1),
        "least",
        "out-of-range",
        "-1",
    ),
    "no bandwidth": (
        lambda m: gl.item_curves(RIGHT, bandwidth=0),
        "bandwidth",
        "out-of-range",
        "0",
    ),
    # correlations and factors
    "an unknown correlation": (
        lambda m: gl.correlations(RIGHT, "kendall"),
        "kind",
        "not-an-option",
        "kendall",
    ),
    "an unknown extraction": (
        lambda m: gl.factors(RIGHT, method="ols2"),
        "method",
        "not-an-option",
        "ols2",
    ),
    "more factors than items": (lambda m: gl.factors(RIGHT, 9), "n", "too-many-factors", "9"),
    "a factor of unknown items": (
        lambda m: gl.confirm(RIGHT, {"g": ["a", "b", "z"]}),
        "factors",
        "unknown-label",
        "z",
    ),
    "limits of alpha that hold all": (
        lambda m: gl.reliability(RIGHT, ci=2),
        "ci",
        "out-of-range",
        "2",
    ),
    "dimensions without a seed": (
        lambda m: gl.dimensions(RIGHT, seed=None),
        "seed",
        "not-a-seed",
        "None",
    ),
}


def test_there_are_forty_and_no_two_alike():
    assert len(BAD) >= 40
    assert len({(argument, code, shown) for _, argument, code, shown in BAD.values()}) == len(BAD)


@pytest.mark.parametrize("what", BAD)
def test_it_is_refused_in_a_sentence_that_helps(model, what):
    call, argument, code, shown = BAD[what]
    with pytest.raises(gl.BadInput) as refused:
        call(model)
    error = refused.value
    assert (error.argument, error.code) == (argument, code)
    told, _, rest = str(error).partition(f": {error.problem}; ")
    assert shown in told.removeprefix(argument)
    assert rest == error.remedy
    assert len(error.remedy.split()) >= 2
