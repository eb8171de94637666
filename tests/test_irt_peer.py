"""Six more tables fitted by the package mirt 1.2.0 for Python: `fit_mirt(x, model=..., n_quadpts=61, tol=1e-9)`.

Others: `test_irt` (twelve items, with and without gaps), `test_irt_categories` (graded, gpcm, nominal), `test_irt_engine`
(LSAT 6 and 7 by R's mirt), `test_item_fit` (S-X² and M2 of three tables and of LSAT 7).
"""

import numpy as np
import pandas as pd
import pytest
from test_item_fit import LSAT, known_items

import gindex_lab as gl
from gindex_lab.measures.psychometrics.irt_settings import IrtSettings

# table (items, agents, seed of `known_items` drawn), model: log-likelihood, slopes of the first three items, and their
# difficulties (b1 of graded ones; of gpcm the steps of the first; of nominal ones the slopes of the first item)
THEIRS = {
    ("lsat6", "2pl"): (-2466.653377, [0.82566, 0.72276, 0.89084], [-3.35883, -1.37004, -0.27967]),
    ("2pl 20 600 11", "2pl"): (
        -6547.503468,
        [0.88325, 0.82007, 0.68358],
        [-1.55682, -1.48778, -1.53304],
    ),
    ("2pl 15 400 14", "2pl"): (
        -3319.896855,
        [0.77329, 0.58905, 0.87554],
        [-1.59574, -1.63576, -1.16813],
    ),
    ("graded 8 500 12", "graded"): (
        -4786.898752,
        [0.74001, 1.09033, 1.15137],
        [-1.79868, -1.38778, -1.35558],
    ),
    ("three 6 500 13", "gpcm"): (
        -2961.089727,
        [0.64147, 0.61852, 0.98820],
        [-0.32594, -0.75155, -0.59652],
    ),
    ("three 6 500 15", "nominal"): (
        -2972.689285,
        [1.32083, 1.28384, 1.38208],  # of the last category less the first
        [0.26427, 0.60075, 0.49705],  # intercepts of the second
    ),
}


def table_of(name):
    if name == "lsat6":
        return pd.DataFrame(LSAT["lsat6"])
    kind, *numbers = name.split()
    count, agents, seed = map(int, numbers)
    how = None if kind == "2pl" else "graded"
    return gl.simulate_irt(known_items(kind, count), agents, model=how, seed=seed).frame


@pytest.mark.parametrize(("table", "model"), THEIRS)
def test_the_fit_is_that_of_the_peer(table, model):
    likelihood, slopes, places = THEIRS[table, model]
    found = gl.irt(table_of(table), model, settings=IrtSettings(tolerance=1e-9))
    assert found.log_likelihood == pytest.approx(likelihood, abs=1e-5)
    told, first = found.slope_intercept.iloc[:3], found.items.iloc[:3]
    ours = told["a1"] * (told["ak2"] if model == "nominal" else 1)
    assert np.asarray(ours) == pytest.approx(slopes, abs=1e-4)
    name = {"2pl": "difficulty", "graded": "b1", "gpcm": "b1", "nominal": "d1"}[model]
    place = told[name] if model == "nominal" else first[name]
    assert np.asarray(place) == pytest.approx(places, abs=1e-4)
