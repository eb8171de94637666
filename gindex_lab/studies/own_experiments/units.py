"""Long experiments in declared units: each is computed once, kept, and never begun again.

A unit (one classifier, one model family) is a name and a function that gives a row of numbers. Its
result is a small file in the user's cache, written whole or not at all, under a key that changes with
the settings, the code of the experiment, and the versions of gindex_lab and scikit-learn. An interrupted
experiment goes on where it stopped, and a larger one takes over what a smaller one has done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gindex_lab.foundation.fingerprints import file_hash, mark_of
from gindex_lab.foundation.kept import keep, kept
from gindex_lab.foundation.places import cache_folder
from gindex_lab.foundation.validate import FloatArray, no_duplicates

__all__ = ["estimator", "key_of", "run_units"]


def run_units(
    experiment: str,
    units: Sequence[str],
    compute: Callable[[str], FloatArray],
    *,
    settings: Mapping[str, object],
    code: Sequence[str] = (),
) -> dict[str, FloatArray]:
    """The row of every unit: read where it is kept, else computed and kept.

    `settings` is all that a result depends on besides the unit's name; `code` are the files whose
    change makes kept results stale. The order does not matter.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    no_duplicates("units", units)
    folder = cache_folder() / "own_experiments" / experiment / key_of(settings, code)

    def row_of(unit: str) -> FloatArray:
        path = folder / f"{mark_of(unit)}.kept"
        found = json.loads(kept(path) or b"{}")  # nothing where it is absent or not what we wrote
        if found.get("unit") != unit:
            with threadpool_limits(1):  # small fits wait for each other's threads on a busy machine
                found = {"unit": unit, "row": np.asarray(compute(unit), dtype=float).tolist()}
            keep(path, json.dumps(found).encode())
        return np.array(found["row"], dtype=float)

    return {unit: row_of(unit) for unit in units}


def key_of(settings: Mapping[str, object], code: Sequence[str] = ()) -> str:
    """A short hash of everything that decides a result."""
    from gindex_lab import __version__

    made_by = [file_hash(Path(path)) for path in code]
    facts = [__version__, version("scikit-learn"), made_by, settings]
    return mark_of(json.dumps(facts, sort_keys=True))


def estimator(where: str, settings: Mapping[str, Any], seed: int) -> Any:
    """A fresh estimator of scikit-learn, such as "tree.DecisionTreeClassifier"; `seed` where it draws."""
    module, _, kind = where.rpartition(".")
    made = getattr(import_module(f"sklearn.{module}"), kind)(**settings)
    return made.set_params(random_state=seed) if "random_state" in made.get_params() else made
