"""Iris: more than 150 classifiers on 150 flowers, each flower with two difficulties of its own (A.5).

KDN, the share of a flower's ten nearest neighbours that belong to another class, is hard for methods
that look at distances; TD_U, the depth of its leaf in a fully grown decision tree, for those that cut
along features. Both come from the flowers alone and equal the published columns on all 150. The agents
are scikit-learn's classifiers, cross-validated: a response is whether the flower, held out, was named
correctly. They come in good settings and bad ones, as in OpenML's study 7306: a stump, a linear model that is
hardly allowed to learn, a kernel too narrow to generalise. A family is one line with its grid of settings.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.responses import Responses
from gindex_lab.foundation.validate import FloatArray, integer
from gindex_lab.studies.own_experiments.units import estimator, run_units

__all__ = ["CHANCE", "FAMILIES", "classifiers", "difficulties", "held_out", "iris"]

Grid = dict[str, list[Any]]

_FILE = Path(__file__).with_name("iris_families.json")
# family: (class in scikit-learn, scaled features?, settings to combine, the usual ones first)
FAMILIES: dict[str, tuple[str, bool, Grid]] = json.loads(_FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Classifier:
    """One classifier in one setting; the number in its name counts the settings of its family."""

    family: str
    number: int
    settings: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        return f"{self.family} ({self.number})"

    def build(self, seed: int) -> Any:
        """A fresh estimator of scikit-learn; `seed` where it draws at random."""
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        where, scaled, _ = FAMILIES[self.family]
        made = estimator(where, dict(self.settings), seed)
        return make_pipeline(StandardScaler(), made) if scaled else made


def classifiers(n: int | None = None) -> list[Classifier]:
    """All classifiers, or `n` of them: the first setting of each family, then the second, and so on."""
    everyone = []
    for family, (_, _, grid) in FAMILIES.items():
        choices = ([tuple(v) if isinstance(v, list) else v for v in some] for some in grid.values())
        settings = (tuple(zip(grid, values, strict=True)) for values in product(*choices))
        everyone += [Classifier(family, k, some) for k, some in enumerate(settings, 1)]
    ordered = sorted(everyone, key=lambda c: c.number)
    count = len(ordered) if n is None else integer("n", n)
    problem = f"[too-many] is more than the {len(ordered)} classifiers"
    ensure(count <= len(ordered), "n", n, problem, "ask for fewer")
    return ordered[:count]


CHANCE = 0.35  # the authors leave out classifiers of lower accuracy (A.5)


def iris(n: int | None = None, folds: int = 10, seed: int = 1) -> Responses:
    """Held-out responses of n classifiers (all by default) on the 150 flowers.

    `.items` has `KDN` (the difficulty) and `TD_U`; `.agents` has `agent`, `kind`, `family`,
    `accuracy` and `kept` (accuracy of 0.35 or more), as the published table has. The folds are
    stratified and the same for all classifiers.
    """
    chosen = {c.name: c for c in classifiers(n)}
    rows = run_units(
        "iris",
        list(chosen),
        lambda name: held_out(chosen[name], folds, seed),
        settings={"folds": integer("folds", folds, 2), "seed": integer("seed", seed, 0)},
        code=[__file__, str(_FILE)],
    )
    items = difficulties()
    frame = pd.DataFrame.from_dict(rows, orient="index").set_axis(items.index, axis=1)
    accuracy = frame.mean(axis=1)
    about = {
        "agent": list(chosen),
        "kind": "machine",
        "family": [c.family for c in chosen.values()],
        "accuracy": accuracy,
        "kept": (accuracy >= CHANCE).astype(int),
    }
    return Responses(
        frame,
        difficulty=items["KDN"],
        items=items,
        agents=pd.DataFrame(about, index=frame.index),
        name="iris, scikit-learn classifiers",
        source="own experiment",
        citation="Cross-validation by gindex_lab.studies.own_experiments.iris; flowers of Fisher (1936)",
    )


def difficulties() -> pd.DataFrame:
    """KDN and TD_U of the 150 flowers, I001 to I150.

    One flower (I134) has two neighbours at the same tenth distance; as in the published column, the
    k-d tree's order decides.
    """
    from sklearn.neighbors import NearestNeighbors
    from sklearn.tree import DecisionTreeClassifier

    x, y = _flowers()
    near = NearestNeighbors(n_neighbors=10, algorithm="kd_tree").fit(x)
    others = y[near.kneighbors(return_distance=False)] != y[:, None]
    tree = DecisionTreeClassifier(random_state=0).fit(x, y)
    depth = np.asarray(tree.decision_path(x).sum(axis=1)).ravel() - 1
    names = [f"I{k + 1:03d}" for k in range(len(y))]
    return pd.DataFrame({"KDN": others.sum(axis=1) / 10, "TD_U": depth.astype(float)}, names)


def held_out(classifier: Classifier, folds: int = 10, seed: int = 1) -> FloatArray:
    """1 where the classifier names a flower that it was not trained on correctly, else 0 (150,)."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    x, y = _flowers()
    split = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():  # some settings are bad on purpose, and say so
        for kind in (ConvergenceWarning, UserWarning, RuntimeWarning):
            warnings.simplefilter("ignore", kind)
        named = cross_val_predict(classifier.build(seed), x, y, cv=split)
    return np.asarray(named == y, dtype=float)


def _flowers() -> tuple[FloatArray, np.ndarray]:
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)
