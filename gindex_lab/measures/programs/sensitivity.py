"""What drives the g-index: levels, simulations, and the constants one at a time.

Section 3.2 of the paper shows the index responding to samples, compute, performance and distance by
simulation; `simulate` does that with the authors' formula (which has raw compute where the text has a
logarithm) and with the corrected one. `sensitivity` changes one constant at a time and asks whether the
ranking of systems stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.likes import SeedLike
from gindex_lab.foundation.validate import FloatArray, Mode, choice, generator, integer, mode_of, number
from gindex_lab.measures.programs.gindex import (
    GIndex,
    Settings,
    curriculum_weight,
    experience,
    find_distances,
    g_index,
    generalisation_difficulty,
    task_contribution,
)
from gindex_lab.measures.programs.records import Experiment, ExperimentLike

__all__ = [
    "VARIANTS", "generalisation_level", "priors_by_ablation", "random_distances", "repeated_split",
    "sensitivity", "simulate", "summary", "uneven_split",
]  # fmt: skip

# Splits are drawn so many at a time: of sixteen domains with 20 samples each, one in 1,300 is accepted.
_BLOCK, _MOST_BLOCKS = 256, 4_000
# the borders of the levels by mean Ω (section 3.3, where they are approximate)
_LEVELS = [(0.15, "L1"), (0.4, "between L1 and L2"), (0.7, "L2"), (0.85, "between L2 and L3")]
# judgements: around the authors' constants, and every other reading of the text
VARIANTS: dict[str, tuple[Any, ...]] = {
    "priors": (1e-6, 1e-2, 1.0, 10.0),
    "performance_rate": (6.0, 24.0),
    "difficulty_rate": (0.0, 5.0, 20.0),
    "unit": ("PFLOP", "TFLOP", "GFLOP"),
    "split": ("total", "samples"),
    "difficulty": ("domain", "curriculum"),
    "domains": ("given", "samples"),
}


def generalisation_level(distance: float, *, rule_based: bool = False) -> str:
    """The level of generalisation by the mean Ω of the tasks.

    L1: known variables in known domains, Ω up to 0.15; L2: unknown variables, 0.4 to 0.7; L3: unknown
    domains, from 0.85. The paper's borders are approximate and leave gaps.

    Parameters
    ----------
    distance : the mean Ω
    rule_based : whether the system is one of fixed rules, L0, which Ω cannot tell

    Returns
    -------
    str : "L0", "L1", "between L1 and L2", "L2", "between L2 and L3" or "L3"

    References
    ----------
    g-index paper, section 3.3.

    Examples
    --------
    >>> [generalisation_level(x) for x in (0.09, 0.3, 0.5, 0.75, 0.9)]
    ['L1', 'between L1 and L2', 'L2', 'between L2 and L3', 'L3']
    """
    mean = round(number("distance", distance, 0, 1), 9)
    if rule_based:
        return "L0"
    for border, level in _LEVELS:
        if mean < border or (mean == border and level in ("L1", "L2")):
            return level
    return "L3"


def simulate(
    distances: pd.DataFrame | Callable[[np.random.Generator], pd.DataFrame],
    *,
    performance: Sequence[float],
    samples: Sequence[int] = (40,),
    compute: Sequence[float] = (100,),
    priors: float = 1e-2,
    draws: int = 0,
    split: str | None = None,
    mode: Mode = "exact",
    seed: SeedLike = 1,
) -> pd.DataFrame:
    """g of imagined systems, by performance, samples per domain and compute.

    Parameters
    ----------
    distances : Ω between domains, or a function that draws a matrix from a Generator
    performance : θ, the same on every task
    samples : training samples per domain
    compute : PFLOP of training
    priors : ρ
    draws : how often the samples are split at random over the domains; 0: once, evenly
    split : "repeated" (`repeated_split`, the authors' law, default in reference mode) or "uniform"
        (`uneven_split`, default in exact mode)
    mode : "reference" takes raw compute for E and rounds to three decimals, as the authors' simulation does;
        "exact" takes log₂ of it (in PFLOP, as in Table 1)
    seed : of the splits and of `distances`

    Returns
    -------
    DataFrame : one row per combination and draw; `performance`, `samples_per_domain`, `compute`, `draw`,
        `mean_distance`, `g_index`

    References
    ----------
    g-index paper, section 3.2, Figs 7-9 and Eq 9.

    Examples
    --------
    >>> omega = pd.DataFrame([[0.0, 0.9], [0.9, 0.0]])
    >>> both = [simulate(omega, performance=[1], compute=[50, 1500], mode=m)["g_index"]
    ...         for m in ("reference", "exact")]
    >>> [round(float(1 - g[1] / g[0]), 2) for g in both]
    [0.82, 0.27]
    """
    rng, reference = generator(seed), mode_of(mode) == "reference"
    law = choice("split", split or ("repeated" if reference else "uniform"), ["repeated", "uniform"])
    divide = repeated_split if law == "repeated" else uneven_split
    rows = []
    for theta, n, flop in product(performance, samples, compute):
        for draw in range(max(1, draws)):
            omega = (distances(rng) if callable(distances) else distances).to_numpy(dtype=float)
            count = omega.shape[1]
            counts = divide(n * count, count, rng) if draws else np.full(count, n)
            g = _uniform_g(theta, counts, flop, omega, priors, reference)
            rows.append((theta, n, flop, draw if draws else -1, float(omega.mean()), g))
    columns = ["performance", "samples_per_domain", "compute", "draw", "mean_distance", "g_index"]
    return pd.DataFrame(rows, columns=columns)


def _uniform_g(
    theta: float, counts: Any, compute: float, omega: FloatArray, priors: float, reference: bool
) -> float:
    """Eq 9 where every task has the same performance."""
    number("performance", theta, 0, 1)
    effort = number("compute", compute, 0, open_ends=True)
    spent = effort if reference else float(experience(effort, "PFLOP"))
    problem = "[experience-not-positive] gives no positive ρ + E"
    ensure(priors + spent > 0, "compute", compute, problem, "use more than 1 PFLOP")
    bracket = (curriculum_weight(counts) * generalisation_difficulty(omega) / (priors + spent)).sum(axis=1)
    g = float(task_contribution(theta, bracket).mean())
    return round(g, 3) if reference else g


def uneven_split(total: int, parts: int, rng: np.random.Generator) -> Any:
    """A number of samples split over domains at random, at least one for each."""
    integer("total", total, parts)
    share = rng.dirichlet(np.ones(integer("parts", parts)))
    return 1 + rng.multinomial(total - parts, share)


def repeated_split(total: int, parts: int, rng: np.random.Generator) -> Any:
    """The authors' uneven split of Figs 7 and 8: each domain in turn takes a random part of what is left.

    A limit L starts at total - parts + 1. Each domain but the last takes x, uniform on 1 ... L - 1, and L
    becomes L - x + 1; the last takes L. The first domains take about half of what is left each time, so
    most hold only a few samples. A split is drawn again as long as some count occurs int(parts / 5) times
    or more, which no split of fewer than ten domains can avoid: there this is an error.
    """
    integer("total", total, parts)
    most = integer("parts", parts) // 5
    problem = "is too few domains: in every split some count occurs int(parts / 5) times or more"
    ensure(most > 1, "parts", parts, problem, 'use 10 domains or more, or split="uniform"')
    for _ in range(_MOST_BLOCKS if total > parts else 0):
        counts = np.empty((_BLOCK, parts), np.int64)
        left = np.full(_BLOCK, total - parts + 1)
        for k in range(parts - 1):
            counts[:, k] = rng.integers(1, left)
            left += 1 - counts[:, k]
        counts[:, -1] = left
        ranked = np.sort(counts, axis=1)
        good = (ranked[:, most - 1 :] > ranked[:, : parts - most + 1]).all(axis=1)
        if good.any():
            return counts[good.argmax()]
    problem = f"samples over {parts} domains repeat some count {most} times in every split tried"
    raise BadInput("total", total, problem, 'use more samples, or split="uniform"')


def random_distances(
    rng: np.random.Generator, domains: int = 16, mean: float = 0.5, spread: float = 0.4
) -> pd.DataFrame:
    """A matrix of Ω drawn from a normal distribution and clipped to [0, 1], as for Fig 9."""
    return pd.DataFrame(np.clip(rng.normal(mean, spread, (domains, domains)), 0, 1))


def sensitivity(
    experiments: Mapping[str, ExperimentLike],
    mode: Mode = "reference",
    *,
    distances: pd.DataFrame | None = None,
    programs: Any = None,
    variants: Mapping[str, Sequence[Any]] | None = None,
) -> pd.DataFrame:
    """g of each experiment under other constants and choices, one changed at a time.

    Parameters
    ----------
    experiments : at least two experiments by name
    mode : whose settings are changed; records that name a unit of compute keep it
    distances, programs : where Ω comes from, as for `g_index`
    variants : the values tried of each of the `Settings`; by default `VARIANTS`

    Returns
    -------
    DataFrame : one row per (constant, value), "none" first; a column per experiment, `kendall_tau` (agreement
        of the ranking with that of the unchanged settings) and `ratio` (of the median g to the unchanged one)

    References
    ----------
    g-index paper, Eq 9; the constants are those of section 3.1.

    Examples
    --------
    >>> omega = pd.DataFrame([[0.0, 0.9], [0.9, 0.0]], ["a", "b"], ["a", "b"])
    >>> def run(n, theta):
    ...     return Experiment({"a": n, "b": n}, 100, pd.DataFrame({"domain": ["a"], "performance": [theta]}))
    >>> table = sensitivity({"few": run(10, 0.7), "many": run(640, 0.8)}, distances=omega,
    ...                     variants={"performance_rate": [6.0]})
    >>> table["kendall_tau"].tolist()
    [1.0, -1.0]
    """
    from scipy.stats import kendalltau

    records = {name: Experiment.of(source) for name, source in experiments.items()}
    if len(records) < 2:
        raise BadInput("experiments", list(records), "[too-few] cannot be ranked", "pass at least two")
    first = next(iter(records.values()))
    base = replace(Settings.recorded(first, mode)[1], decimals=None)
    if variants is None:
        own_unit = "unit" in (first.settings or {})
        variants = {key: v for key, v in VARIANTS.items() if not (own_unit and key == "unit")}
    changes = {("none", ""): base}
    for key, tried in variants.items():
        changes |= {(key, str(value)): replace(base, **{key: value}) for value in tried}
    known = [find_distances(record, mode, programs, distances) for record in records.values()]
    pairs = list(zip(records.values(), known, strict=True))
    rows = [
        [g_index(record, mode, settings=settings, distances=omega).value for record, omega in pairs]
        for settings in changes.values()
    ]
    index = pd.MultiIndex.from_tuples(list(changes), names=["constant", "value"])
    tau = [round(float(kendalltau(row, rows[0]).statistic), 12) for row in rows]
    ratio = [float(np.median(row) / np.median(rows[0])) for row in rows]
    return pd.DataFrame(rows, index, columns=list(records)).assign(kendall_tau=tau, ratio=ratio)


def priors_by_ablation(with_prior: GIndex | float, without_prior: GIndex | float) -> float:
    """The weight of a prior by removing it, up to a constant: ρ ∝ g with it / g without it.

    Parameters
    ----------
    with_prior, without_prior : the g-index of the system with and without the prior

    Returns
    -------
    float : their ratio

    References
    ----------
    g-index paper, Eq 10.

    Examples
    --------
    >>> priors_by_ablation(300.0, 100.0)
    3.0
    """
    above = number("with_prior", float(with_prior), 0)
    return above / number("without_prior", float(without_prior), 0, open_ends=True)


def summary(results: Mapping[str, GIndex]) -> pd.DataFrame:
    """One row per experiment: mean performance, skill, mean domain distance, level, g-index, rank."""
    columns = ["performance", "skill", "domain_distance"]
    rows = {name: [*r.components[columns].mean(), r.value] for name, r in results.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=[*columns, "g_index"])
    level = [generalisation_level(distance) for distance in table["domain_distance"]]
    return table.assign(level=level, rank=table["g_index"].rank(ascending=False).astype(int))
