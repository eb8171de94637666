"""Tables that hold little or nothing, through every public call of item response theory: a result or a clear
sentence of ours, never a traceback of numpy's or a warning of its arithmetic."""

import contextlib
import warnings

import numpy as np
import pandas as pd
import pytest

import gindex_lab as gl

RNG = np.random.default_rng(7)
ABLE = RNG.standard_normal(60)
PLAIN = (RNG.random((60, 6)) < 1 / (1 + np.exp(-(ABLE[:, None] - np.linspace(-1, 1, 6))))) * 1.0


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
HALVES = {"method": ["mantel-haenszel", "logistic", "likelihood-ratio"]}
MODELS = ["1pl", "2pl", "3pl", "4pl", "graded", "gpcm", "pcm", "nominal", "beta"]


def whole(frame, model):
    """Everything that a fitted model is asked for."""
    fitted = gl.irt(frame, model)
    for part in (fitted.items, fitted.abilities, fitted.person_fit(), fitted.item_fit()):
        assert isinstance(part, pd.DataFrame)
    for method in ("map", "ml", *(["wle"] if model != "beta" else [])):
        assert not fitted.score(method)["ability"].isna().any()
    assert fitted.limits().shape[0] == len(fitted.items)
    assert repr(fitted)
    return fitted


CALLS = {f"irt {model}": lambda frame, m=model: whole(frame, m) for model in MODELS}
CALLS |= {
    f"dif {method}": lambda frame, m=method: str(gl.dif(frame, groups(frame), method=m))
    for method in HALVES["method"]
}
CALLS |= {
    "two dimensions": lambda frame: gl.irt(frame, "2pl", dimensions=2).items,
    "multigroup": lambda frame: gl.multigroup(frame, groups(frame)).groups,
    "invariance": lambda frame: str(gl.invariance(frame, groups(frame))),
    "m2": lambda frame: str(gl.m2(gl.irt(frame, "1pl"))),
    "m2 of categories": lambda frame: str(gl.m2(gl.irt(frame, "graded"))),
    "mokken": lambda frame: str(gl.mokken(frame)),
    "item curves": lambda frame: gl.item_curves(frame),
}


def groups(frame):
    return ["a", "b"] * (len(frame) // 2) + ["a"] * (len(frame) % 2)


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_every_degenerate_table_ends_in_a_result_or_a_sentence(call, subtests):
    for name, frame in TABLES.items():
        with subtests.test(name), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", gl.Caution)
            with contextlib.suppress(gl.GIndexLabError):
                CALLS[call](frame)
