"""Distorted digits: ten families of models choose between two digits, as primates and networks did (A.3).

The study of Rajalingham and others shows objects that are off-centre, small, turned or faint, and asks
which of two objects it was. Here the objects are the ten digits of scikit-learn, on a larger canvas with
noise, under the same four distortions; the models learn from mildly distorted digits and are asked about
all. Difficulty is the level of distortion, whatever the digit.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, generator, integer
from gindex_lab.studies.own_experiments.units import estimator, run_units

__all__ = ["FAMILIES", "difficulty_of", "digits", "distort", "examples", "variations"]

# easiest and hardest value of each distortion: pixels, relative size, degrees, relative brightness
RANGES = {"eccentricity": (0.0, 3.0), "size": (1.0, 0.6), "pose": (0.0, 60.0), "contrast": (1.0, 0.3)}
CANVAS, NOISE = 16, 0.08  # pixels a side, and the sd of the noise: judgements
# a usual representative of each family, in scikit-learn; none is tuned
_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "nearest neighbours": ("neighbors.KNeighborsClassifier", {"n_neighbors": 9, "weights": "distance"}),
    "nearest centroid": ("neighbors.NearestCentroid", {}),
    "logistic regression": ("linear_model.LogisticRegression", {"C": 0.05, "max_iter": 500}),
    "linear discriminant": (
        "discriminant_analysis.LinearDiscriminantAnalysis",
        {"solver": "lsqr", "shrinkage": "auto"},
    ),
    "naive Bayes": ("naive_bayes.GaussianNB", {}),
    "decision tree": ("tree.DecisionTreeClassifier", {}),
    "random forest": ("ensemble.RandomForestClassifier", {"n_estimators": 100}),
    "extremely random trees": ("ensemble.ExtraTreesClassifier", {"n_estimators": 100}),
    "support vectors": ("svm.SVC", {"C": 10.0, "gamma": "scale"}),
    "neural network": (
        "neural_network.MLPClassifier",
        {"hidden_layer_sizes": (64,), "alpha": 0.1, "max_iter": 60, "early_stopping": True},
    ),
}
FAMILIES = tuple(_MODELS)


def digits(
    families: tuple[str, ...] = FAMILIES, images: int = 10, copies: int = 2, seed: int = 1
) -> Responses:
    """Responses of each family on 240 items: 10 digits in 24 variations each.

    An item shows `images` pictures of a digit in one variation; each is confronted with the nine
    other digits, and the response is 2x - 1 of the share x of confrontations that are won (chance is
    0; below chance counts as 0). `copies` is how many distorted pictures of each digit in the
    training set a model learns from. `.items` has the digit (`object`, also the family), the four
    distortions and `difficulty`.
    """
    unknown = [name for name in families if name not in FAMILIES]
    known, problem = families and not unknown, "[not-a-list] is not a list of families"
    ensure(known, "families", unknown or families, problem, f"use {FAMILIES}")
    settings = {"images": integer("images", images), "copies": integer("copies", copies)}
    rows = run_units(
        "digits",
        list(families),
        lambda family: _responses_of(family, images, copies, seed),
        settings=settings | {"seed": integer("seed", seed, 0)},
        code=[__file__],
    )
    items = variations(seed)
    frame = pd.DataFrame.from_dict(rows, orient="index").set_axis(items.index, axis=1)
    return Responses(
        frame,
        difficulty=difficulty_of(items),
        items=items.assign(family=items["object"]),
        name="distorted digits, scikit-learn models",
        source="own experiment",
        citation="gindex_lab.studies.own_experiments.digits; digits of Alpaydin and Kaynak (1998)",
    )


def variations(seed: SeedLike = 1, each: int = 24) -> pd.DataFrame:
    """The distortions of each item: uniform draws over their ranges, `each` for each digit."""
    rng = generator(seed)
    count = 10 * integer("each", each)
    draws = {name: rng.uniform(min(s), max(s), count) for name, s in RANGES.items()}
    names = [f"digit {k % 10} v{k // 10 + 1:02d}" for k in range(count)]
    return pd.DataFrame({"object": [f"digit {k % 10}" for k in range(count)]} | draws, names)


def difficulty_of(items: pd.DataFrame) -> pd.Series:
    """ħ = s(eccentricity) + s(-size) + s(pose) + s(-contrast), s scaling to [0, 1] (A.3)."""
    for name in RANGES:
        problem = "[no-column] is a distortion without a column"
        ensure(name in items, "items", name, problem, "add the column")
    raised = pd.DataFrame({name: np.sign(high - low) * items[name] for name, (low, high) in RANGES.items()})
    width = raised.max() - raised.min()
    same = "[no-variance] is the same for all items"
    ensure((width > 0).all(), "items", width.idxmin(), same, "vary it")
    return ((raised - raised.min()) / width).sum(axis=1).rename("difficulty")


def distort(
    image: FloatArray,
    rng: np.random.Generator,
    *,
    eccentricity: float = 0.0,
    size: float = 1.0,
    pose: float = 0.0,
    contrast: float = 1.0,
) -> FloatArray:
    """An image (8, 8) in [0, 1] on a noisy canvas (16, 16): moved, shrunk, turned and faint.

    The direction of the move, the sense of the turn and the noise are drawn from `rng`.
    """
    from scipy.ndimage import affine_transform

    where, sense = rng.uniform(0, 2 * np.pi), rng.choice([-1.0, 1.0])
    turn = np.deg2rad(sense * pose)
    zoom = size * CANVAS * 0.75 / len(image)
    back = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) / zoom
    centre = (CANVAS - 1) / 2 + eccentricity * np.array([np.sin(where), np.cos(where)])
    offset = (len(image) - 1) / 2 - back @ centre
    moved = affine_transform(image, back, offset, (CANVAS, CANVAS), order=1)
    return np.asarray(contrast * moved + rng.normal(0, NOISE, (CANVAS, CANVAS)))


def examples(n: int = 8, seed: int = 1) -> list[tuple[str, float, FloatArray]]:
    """(item, difficulty, picture) of n items from the easiest to the hardest, for looking at.

    >>> [round(difficulty, 1) for _, difficulty, _ in examples(3)]
    [0.4, 2.0, 3.7]
    """
    items = variations(seed)
    difficulty = difficulty_of(items).sort_values()
    chosen = difficulty.iloc[np.linspace(0, len(difficulty) - 1, integer("n", n, 2)).astype(int)]
    pictures = _testing(1, seed).reshape(-1, CANVAS, CANVAS)
    return [(str(k), float(h), pictures[items.index.get_loc(k)]) for k, h in chosen.items()]


def _images() -> tuple[FloatArray, np.ndarray]:
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    return x.reshape(-1, 8, 8) / 16, y


@cache
def _training(copies: int, seed: int) -> tuple[FloatArray, np.ndarray]:
    """Pictures of the first half of the images, each distortion in the easier half of its range."""
    x, y = (part[: len(part) // 2] for part in _images())
    rng = np.random.default_rng([seed, 1])
    seen = []
    for image in np.repeat(x, copies, axis=0):
        mild = {n: low + rng.uniform(0, 0.5) * (high - low) for n, (low, high) in RANGES.items()}
        seen.append(distort(image, rng, **mild).ravel())
    return np.array(seen), np.repeat(y, copies)


@cache
def _testing(images: int, seed: int) -> FloatArray:
    """Pictures of the second half, by other writers: (240 * images, pixels), item after item."""
    x, y = (part[len(part) // 2 :] for part in _images())
    rng = np.random.default_rng([seed, 2])
    seen = []
    for _, item in variations(seed).iterrows():
        digit = int(str(item["object"]).split()[1])
        shown = {name: float(item[name]) for name in RANGES}
        for k in rng.choice(np.flatnonzero(y == digit), images, replace=False):
            seen.append(distort(x[k], rng, **shown).ravel())
    return np.array(seen)


def _responses_of(family: str, images: int, copies: int, seed: int) -> FloatArray:
    model = estimator(*_MODELS[family], seed).fit(*_training(copies, seed))
    rate = getattr(model, "decision_function", None) or model.predict_proba
    scores = rate(_testing(images, seed))  # pictures x 10 digits
    objects = np.repeat(np.arange(len(scores) // images) % 10, images)
    own = scores[np.arange(len(scores)), objects][:, None]
    won = (own > scores) + 0.5 * (own == scores)
    share = (won.sum(axis=1) - 0.5) / 9  # less half a point for the draw with itself
    return np.asarray(np.clip(2 * share.reshape(-1, images).mean(axis=1) - 1, 0, 1))
