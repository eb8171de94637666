"""Train a system on drawings, test it, score it, and put the g-index on it.

The set-up is that of section 5 of the g-index paper: pictures and their programs as curriculum, one
attempt per test picture, θ = 1 - Δ by the list metric, Ω by the nearest program of the curriculum. The
record and the index are those of the rest of the project (`gindex_lab.measures.programs`), unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.validate import Mode, mode_of
from gindex_lab.worlds.flatland.curricula import DrawingSample
from gindex_lab.worlds.flatland.distances import distances, nearest_many
from gindex_lab.worlds.flatland.drawings import Drawing
from gindex_lab.worlds.flatland.rendering import image_similarity
from gindex_lab.worlds.flatland.systems import PictureSystem
from gindex_lab.worlds.learning.experiments import Outcome, answered, check_tasks, concluded

__all__ = ["experiment", "score"]


def experiment(
    system: PictureSystem,
    curriculum: Sequence[DrawingSample],
    tests: Sequence[DrawingSample],
    *,
    name: str | None = None,
    mode: Mode = "exact",
    seed: int = 1,
) -> Outcome:
    """Train a system on the curriculum, test it once per picture, and give its g-index in parts.

    Parameters
    ----------
    system : an object with `fit(pairs)`, `generate(image)` and `operations`, each taken as one FLOP
    curriculum : the samples it learns from
    tests : the samples it is tested on
    name : of the system in the record; by default its class
    mode : of Δ, Ω and the g-index, "exact" or "reference"
    seed : decides the order in which the curriculum is shown

    Returns
    -------
    Outcome : the record (`experiment`), a row per test (`tests`), the g-index (`index`) and the `cost`

    References
    ----------
    g-index paper, section 5 and Eq 9.

    Examples
    --------
    >>> from gindex_lab.worlds.flatland import NearestPicture, curriculum
    >>> known = curriculum(3, members=(1,), seed=1)
    >>> outcome = experiment(NearestPicture(), known, known[:2])
    >>> outcome.performance, outcome.domain_distance
    (1.0, 0.0)
    """
    if isinstance(system, type) or not isinstance(system, PictureSystem):
        remedy = "pass an object with fit(pairs), generate(image) and operations"
        raise BadInput("system", system, "[not-a-system] is not a system", remedy)
    check_tasks(curriculum, tests, DrawingSample, "curriculum(), sample(), or DrawingSample(drawing, domain)")
    pairs, images = [task.pair for task in curriculum], [task.image for task in tests]
    given, cost = answered(system, pairs, images, lambda: float(system.operations), seed)
    scored = score([Drawing.of(answer) for answer in given], tests, mode=mode)
    known: dict[str, list[Drawing]] = {}
    for task in curriculum:
        known.setdefault(task.domain, []).append(task.drawing)
    wanted = [task.drawing for task in tests]
    omegas = {d: nearest_many(wanted, some, metric="list", mode=mode).value for d, some in known.items()}
    counts, label = {domain: len(some) for domain, some in known.items()}, name or type(system).__name__
    return concluded(scored, pd.DataFrame(omegas), counts, cost, label, mode_of(mode), seed)


def score(
    answers: Sequence[Drawing], tests: Sequence[DrawingSample], *, mode: Mode = "exact"
) -> pd.DataFrame:
    """One row per test: Δ and θ by the list metric, whether it is perfect, and how alike the pictures are.

    >>> from gindex_lab.worlds.flatland import sample
    >>> task = sample("circles", 2, seed=1)
    >>> score([task.drawing], [task])[["performance", "perfect", "image_similarity"]].to_numpy().tolist()
    [[1.0, True, 1.0]]
    """
    if len(answers) != len(tests):
        problem = f"[wrong-length] do not match the {len(tests)} tests"
        raise BadInput("answers", len(answers), problem, "give one answer for each test")
    rows = []
    for answer, task in zip(answers, tests, strict=True):
        found = distances([task.drawing], [answer], metric="list", mode=mode)[0, 0]
        delta = float(np.clip(found, 0.0, 1.0))
        alike = image_similarity(task.image, answer.image())
        rows.append((task.domain, delta, 1 - delta, delta == 0, len(answer), alike))
    columns = ["domain", "divergence", "performance", "perfect", "shapes", "image_similarity"]
    return pd.DataFrame(rows, columns=columns)
