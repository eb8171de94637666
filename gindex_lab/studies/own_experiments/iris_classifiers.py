"""More than 150 classifiers for iris: every kind that scikit-learn has, in several settings each.

Good settings and bad ones, as in OpenML's study 7306: a stump, a linear model that is hardly allowed to
learn, a kernel too narrow to generalise. A family is written as one line with its grid of settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import integer

__all__ = ["FAMILIES", "Classifier", "classifiers"]

Grid = dict[str, list[Any]]

# family: (class in scikit-learn, scaled features?, settings to combine, the usual ones first)
FAMILIES: dict[str, tuple[str, bool, Grid]] = {
    "linear discriminant": (
        "discriminant_analysis.LinearDiscriminantAnalysis",
        False,
        {"solver": ["lsqr"], "shrinkage": [None, "auto", 0.1, 0.5, 0.9]},
    ),
    "quadratic discriminant": (
        "discriminant_analysis.QuadraticDiscriminantAnalysis",
        False,
        {"reg_param": [0.0, 0.01, 0.1, 0.5, 0.9]},
    ),
    "logistic regression": (
        "linear_model.LogisticRegression",
        True,
        {"C": [1.0, 1e-3, 1e-2, 0.1, 10.0, 100.0, 1e4], "max_iter": [2000]},
    ),
    "neural network": (
        "neural_network.MLPClassifier",
        True,
        {
            "hidden_layer_sizes": [(4,), (1,), (2,), (8,)],
            "alpha": [1e-3, 0.1],
            "solver": ["lbfgs"],
            "max_iter": [500],
        },
    ),
    "decision tree": (
        "tree.DecisionTreeClassifier",
        False,
        {"max_depth": [None, 1, 2, 3, 4], "criterion": ["gini", "entropy"]},
    ),
    "random tree": (
        "tree.ExtraTreeClassifier",
        False,
        {"max_depth": [None, 1, 2, 3, 4, 6]},
    ),
    "nearest neighbours": (
        "neighbors.KNeighborsClassifier",
        False,
        {
            "n_neighbors": [5, 1, 3, 9, 15, 31, 61, 99],
            "weights": ["uniform", "distance"],
            "p": [1, 2],
        },
    ),
    "nearest centroid": (
        "neighbors.NearestCentroid",
        False,
        {"metric": ["euclidean", "manhattan"]},
    ),
    "naive Bayes, normal": (
        "naive_bayes.GaussianNB",
        False,
        {"var_smoothing": [1e-9, 1e-3, 0.1, 1.0, 10.0]},
    ),
    "naive Bayes, counts": (
        "naive_bayes.MultinomialNB",
        False,
        {"alpha": [1.0, 0.01, 100.0]},
    ),
    "naive Bayes, complement": (
        "naive_bayes.ComplementNB",
        False,
        {"alpha": [0.01, 1.0]},
    ),
    "support vectors, linear": (
        "svm.SVC",
        True,
        {"kernel": ["linear"], "C": [1.0, 1e-3, 0.01, 0.1, 10.0, 100.0]},
    ),
    "support vectors, polynomial": (
        "svm.SVC",
        True,
        {"kernel": ["poly"], "degree": [3, 2, 4], "C": [1.0, 0.01, 100.0]},
    ),
    "support vectors, radial": (
        "svm.SVC",
        True,
        {"kernel": ["rbf"], "C": [1.0, 0.1, 10.0, 100.0], "gamma": [0.1, 100.0, 0.01, 1.0, 10.0]},
    ),
    "support vectors, sigmoid": (
        "svm.SVC",
        True,
        {"kernel": ["sigmoid"], "C": [1.0, 0.1, 100.0], "gamma": [0.1, 0.01, 1.0]},
    ),
    "ridge": ("linear_model.RidgeClassifier", True, {"alpha": [1.0, 0.1, 100.0]}),
    "perceptron": (
        "linear_model.Perceptron",
        True,
        {"penalty": [None, "l2"], "alpha": [1e-4, 1e-2]},
    ),
    "stochastic gradient": (
        "linear_model.SGDClassifier",
        True,
        {"loss": ["hinge", "modified_huber"], "alpha": [1e-4, 1e-2, 0.1, 1.0]},
    ),
    "Gaussian process": (
        "gaussian_process.GaussianProcessClassifier",
        True,
        {"warm_start": [False]},
    ),
    "bagged trees": (
        "ensemble.BaggingClassifier",
        False,
        {"n_estimators": [10, 3], "max_samples": [1.0, 0.1, 0.5]},
    ),
    "random forest": (
        "ensemble.RandomForestClassifier",
        False,
        {"n_estimators": [20, 5], "max_depth": [None, 1, 2]},
    ),
    "extremely random trees": (
        "ensemble.ExtraTreesClassifier",
        False,
        {"n_estimators": [20, 5], "max_depth": [None, 1, 2]},
    ),
    "boosted stumps": (
        "ensemble.AdaBoostClassifier",
        False,
        {"n_estimators": [20, 2, 5], "learning_rate": [1.0, 0.1]},
    ),
    "gradient boosting": (
        "ensemble.GradientBoostingClassifier",
        False,
        {"n_estimators": [10, 2], "max_depth": [3, 1]},
    ),
    "label spreading": (
        "semi_supervised.LabelSpreading",
        True,
        {"kernel": ["knn"], "n_neighbors": [5, 15]},
    ),
    "guessing": ("dummy.DummyClassifier", False, {"strategy": ["most_frequent", "stratified"]}),
}


@dataclass(frozen=True)
class Classifier:
    """One classifier in one setting; the number in its name counts the settings of its family.

    >>> classifiers()[0].name
    'linear discriminant (1)'
    """

    family: str
    number: int
    settings: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        return f"{self.family} ({self.number})"

    def build(self, seed: int) -> Any:
        """A fresh estimator of scikit-learn; `seed` where it draws at random."""
        from importlib import import_module

        where, scaled, _ = FAMILIES[self.family]
        module, _, kind = where.rpartition(".")
        estimator = getattr(import_module(f"sklearn.{module}"), kind)(**dict(self.settings))
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        if not scaled:
            return estimator
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), estimator)


def classifiers(n: int | None = None) -> list[Classifier]:
    """All classifiers, or `n` of them: the first setting of each family, then the second, and so on.

    >>> len(classifiers()) >= 150, len({c.family for c in classifiers(40)})
    (True, 26)
    """
    everyone = [c for family in FAMILIES for c in _settings(family)]
    ordered = sorted(everyone, key=lambda c: c.number)
    if n is None:
        return ordered
    if integer("n", n) > len(everyone):
        raise BadInput("n", n, f"is more than the {len(everyone)} classifiers", "ask for fewer")
    return ordered[:n]


def _settings(family: str) -> Iterator[Classifier]:
    grid = FAMILIES[family][2]
    for k, values in enumerate(product(*grid.values())):
        yield Classifier(family, k + 1, tuple(zip(grid, values, strict=True)))
