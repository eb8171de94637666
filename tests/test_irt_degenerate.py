"""Tables that hold little or nothing, through every public call of item response theory: of each pair it is said
whether it ends in a result or in which sentence of ours, and never in a warning of numpy's arithmetic."""

import warnings

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import gindex_lab as gl
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

RNG = np.random.default_rng(7)
ABLE = RNG.standard_normal(60)
PLAIN = (RNG.random((60, 6)) < 1 / (1 + np.exp(-(ABLE[:, None] - np.linspace(-1, 1, 6))))) * 1.0
NOISE = RNG.uniform(-0.15, 0.15, (60, 18))


def changed(**columns):
    frame = pd.DataFrame(PLAIN, columns=[f"i{j}" for j in range(6)])
    for name, values in columns.items():
        frame[name] = values
    return frame


def without(cells):
    frame = changed()
    frame.iloc[cells] = np.nan
    return frame


TABLES = {
    "a constant item": changed(i2=1.0),
    "all items constant": changed(**{f"i{j}": 0.0 for j in range(6)}),
    "all but two items constant": changed(i0=1.0, i1=1.0, i2=0.0, i3=0.0),
    "everybody perfect": changed(**{f"i{j}": 1.0 for j in range(6)}),
    "half of them perfect": pd.DataFrame(np.where(ABLE[:, None] > 0, 1.0, PLAIN)),
    "a perfect ladder": pd.DataFrame((ABLE[:, None] > np.linspace(-1, 1, 6)) * 1.0),
    "the same item twice": changed(i5=PLAIN[:, 0]),
    "an item turned round": changed(i5=1 - PLAIN[:, 0]),
    "fewer people than items": pd.DataFrame(np.hstack([PLAIN[:5], PLAIN[5:10], PLAIN[10:15]])),
    "two people": pd.DataFrame(PLAIN[:2]),
    "one person": pd.DataFrame(PLAIN[:1]),
    "one item": pd.DataFrame(PLAIN[:, :1]),
    "two items": pd.DataFrame(PLAIN[:, :2]),
    "a row of gaps": without((3, slice(None))),
    "a column of gaps": without((slice(None), 2)),
    "gaps in every row": changed().mask(np.eye(60, 6, dtype=bool) | (RNG.random((60, 6)) < 0.3)),
    "nothing but gaps": changed() * np.nan,
    "nobody": pd.DataFrame(np.empty((0, 4))),
    "nothing": pd.DataFrame(),
}
FEW = IrtSettings(iterations=60)  # a slope that runs off needs no more
MODELS = ["1pl", "2pl", "3pl", "4pl", "graded", "gpcm", "pcm", "nominal", "beta"]


def whole(frame, model):
    """Everything that a fitted model is asked for."""
    fitted = gl.irt(soft(frame) if model == "beta" else frame, model)
    for part in (fitted.items, fitted.abilities, fitted.person_fit(), fitted.item_fit()):
        assert isinstance(part, pd.DataFrame)
    for method in ("map", "ml", *(["wle"] if model != "beta" else [])):
        assert not fitted.score(method)["ability"].isna().any()
    assert fitted.limits().shape[0] == len(fitted.items)
    assert repr(fitted)


def soft(frame):
    """Fractions instead of right and wrong; what is constant stays so."""
    rows, columns = frame.shape
    return (0.2 + 0.6 * frame) + NOISE[:rows, :columns] * (frame.max() > frame.min()).to_numpy()


def groups(frame):
    return ["a", "b"] * (len(frame) // 2) + ["a"] * (len(frame) % 2)


def fit_of(frame, model):
    assert gl.m2(gl.irt(frame, model)).df > 0


def scale_of(frame):
    found = gl.mokken(frame)
    assert str(found)
    assert len(found.monotonicity()) == len(found.double_monotonicity()) == len(found.items)


def biased(frame, method):
    assert str(gl.dif(frame, groups(frame), method=method, model="1pl"))


CALLS = {f"irt {model}": (whole, model) for model in MODELS}
CALLS |= {f"dif {x}": (biased, x) for x in ("mantel-haenszel", "logistic", "likelihood-ratio")}
CALLS |= {
    "two dimensions": (lambda frame: gl.irt(frame, dimensions=2, settings=FEW).items,),
    "multigroup": (lambda frame: gl.multigroup(frame, groups(frame)).groups,),
    "invariance": (lambda frame: str(gl.invariance(frame, groups(frame), "1pl")),),
    "m2 1pl": (fit_of, "1pl"),
    "m2 graded": (fit_of, "graded"),
    "mokken": (scale_of,),
    "item curves": (gl.item_curves,),
}

# Who refuses a table, and how; every other call ends in a result. Calls by their kinds:
EARLY = ["irt 1pl", "irt 2pl", "irt 3pl"]
LATE = [*[f"irt {model}" for model in MODELS[3:]], "two dimensions"]
DIF = [name for name in CALLS if name.startswith("dif")]
SIDES = [*DIF, "multigroup", "invariance"]
REST = ["mokken", "item curves"]
FLAT = {
    "responses: too-few": [*EARLY, *SIDES, "m2 1pl", "mokken"],
    "responses: too-few-items": [*LATE, "m2 graded"],
}
TWO = {
    "responses: too-few": ["irt 2pl", "irt 3pl", *SIDES],
    "responses: too-few-items": [*[name for name in LATE if name != "irt pcm"], "m2 graded"],
    "model: too-few": ["m2 1pl"],
}
REFUSED = {
    "a constant item": {"dimensions: too-few-items": ["two dimensions"]},
    "all items constant": FLAT,
    "all but two items constant": TWO,
    "everybody perfect": FLAT,
    "half of them perfect": {},
    "a perfect ladder": {"model: not-determined": ["m2 1pl", "m2 graded"]},
    "the same item twice": {},
    "an item turned round": {},
    "fewer people than items": {
        "group: too-few": SIDES,
        "responses: too-few": REST,
        "model: too-few": ["m2 1pl", "m2 graded"],
    },
    "two people": {
        "group: too-few": SIDES,
        "responses: too-few": [*EARLY, "m2 1pl", *REST],
        "responses: too-few-items": [*LATE, "m2 graded"],
    },
    "one person": {
        "group: too-few": SIDES,
        "responses: too-few": [*EARLY, "m2 1pl", *REST],
        "responses: too-few-agents": [*LATE, "m2 graded"],
    },
    "one item": {
        "responses: too-few": [*EARLY, *SIDES, "m2 1pl", *REST],
        "responses: too-few-items": [*LATE, "m2 graded"],
    },
    "two items": TWO,
    "a row of gaps": {"responses: no-response": [*EARLY, *LATE, "m2 1pl", "m2 graded"]},
    "a column of gaps": {
        "responses: too-few": [*DIF, *REST],
        "dimensions: too-few-items": ["two dimensions"],
    },
    "gaps in every row": {
        "group: too-few": DIF,
        "responses: too-few": REST,
        "model: too-few": ["m2 1pl", "m2 graded"],
    },
    "nothing but gaps": {
        "responses: too-few": [*EARLY, *SIDES, "m2 1pl", *REST],
        "responses: too-few-items": ["irt beta"],
        "responses: empty": [*[name for name in LATE if name != "irt beta"], "m2 graded"],
    },
    "nobody": {"responses: empty": list(CALLS)},
    "nothing": {"responses: empty": list(CALLS)},
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_every_degenerate_table_ends_as_it_should(call, subtests):
    assert list(REFUSED) == list(TABLES)
    function, *more = CALLS[call]
    for name, frame in TABLES.items():
        with subtests.test(name), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", gl.Caution)
            ends = next((code for code, who in REFUSED[name].items() if call in who), "a result")
            if ends == "a result":
                function(frame, *more)
            else:
                with refused(ends):
                    function(frame, *more)
