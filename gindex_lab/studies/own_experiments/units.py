"""Long experiments in declared units: each is computed once, kept, and never begun again.

A unit (one classifier, one model family) is a name and a function that gives a row of numbers. Its
result is a small file in the user's cache, written whole or not at all, under a key that changes with
the settings, the code of the experiment, and the versions of gindex_lab and scikit-learn. An interrupted
experiment goes on where it stopped, and a larger one takes over what a smaller one has done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from gindex_lab.foundation import parallel
from gindex_lab.foundation.fingerprints import file_hash, mark_of
from gindex_lab.foundation.kept import keep, kept
from gindex_lab.foundation.places import cache_folder
from gindex_lab.foundation.validate import FloatArray, no_duplicates

__all__ = ["key_of", "run_units"]


def run_units(
    experiment: str,
    units: Sequence[str],
    compute: Callable[[str], FloatArray],
    *,
    settings: Mapping[str, object],
    code: Sequence[str] = (),
    jobs: int = 1,
) -> dict[str, FloatArray]:
    """The row of every unit: read where it is kept, else `compute(unit)` and keep it.

    `settings` is all that a result depends on beside the unit's name; `code` are the files whose
    change makes kept results stale. The order and number of workers do not matter.

    >>> import os, tempfile
    >>> old, asked = os.environ.get("GINDEX_LAB_CACHE"), []
    >>> count = lambda unit: asked.append(unit) or np.array([float(len(unit))])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.environ["GINDEX_LAB_CACHE"] = folder
    ...     first = run_units("doctest", ["a", "bb"], count, settings={"seed": 1})
    ...     again = run_units("doctest", ["a", "bb", "ccc"], count, settings={"seed": 1})
    >>> asked
    ['a', 'bb', 'ccc']
    >>> _ = os.environ.pop("GINDEX_LAB_CACHE") if old is None else os.environ.update(GINDEX_LAB_CACHE=old)
    """
    no_duplicates("units", units)
    folder = cache_folder() / "own_experiments" / experiment / key_of(settings, code)
    rows = {unit: _kept(_path(folder, unit), unit) for unit in units}
    missing = [unit for unit, row in rows.items() if row is None]
    fresh = parallel.map(lambda unit: _computed(unit, compute, folder), missing, jobs=jobs)
    rows |= dict(zip(missing, fresh, strict=True))
    return {unit: row for unit, row in rows.items() if row is not None}


def key_of(settings: Mapping[str, object], code: Sequence[str] = ()) -> str:
    """A short hash of everything that decides a result.

    >>> key_of({"seed": 1, "folds": 10}) == key_of({"folds": 10, "seed": 1})
    True
    >>> key_of({"seed": 1}) == key_of({"seed": 2})
    False
    """
    from importlib.metadata import version

    from gindex_lab import __version__

    made_by = [file_hash(Path(path)) for path in code]
    facts = [__version__, version("scikit-learn"), made_by, settings]
    return mark_of(json.dumps(facts, sort_keys=True))


def _path(folder: Path, unit: str) -> Path:
    return folder / f"{mark_of(unit)}.kept"


def _kept(path: Path, unit: str) -> FloatArray | None:
    """A unit's row from its file; None where it is absent or not what we wrote."""
    content = kept(path)
    found = {} if content is None else json.loads(content)
    return np.array(found["row"], dtype=float) if found.get("unit") == unit else None


def _computed(unit: str, compute: Callable[[str], FloatArray], folder: Path) -> FloatArray:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):  # small fits wait for each other's threads on a busy machine
        row = np.asarray(compute(unit), dtype=float)
    keep(_path(folder, unit), json.dumps({"unit": unit, "row": row.tolist()}).encode())
    return row
