"""The g-index: how efficiently a system turns samples and compute into skill on distant tasks.

g = mean over tasks j of TC_j = √( exp(12 θ_j) · Σ_i W_i GD(j, i) / (ρ + E_i) ), with θ the performance,
W = 1 / (1 + log₂ |C_i|) the weight of a curriculum domain, GD = exp(10 Ω) the generalisation difficulty,
E the experience and ρ the priors (Eq 7-9). Every piece is a function of its own, and the result keeps all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, DataUnavailable
from gindex_lab.foundation.upstairs import upstairs
from gindex_lab.foundation.validate import FloatArray, Mode, choice, mode_of, no_duplicates, number
from gindex_lab.measures.programs.records import Experiment, ExperimentLike, checked_distances

__all__ = [
    "GIndex", "Settings", "curriculum_weight", "experience", "find_distances", "g_index",
    "generalisation_difficulty", "task_contribution",
]  # fmt: skip

_UNITS = {"PFLOP": 1.0, "TFLOP": 1e3, "GFLOP": 1e6, "FLOP": 1e15}  # to a PFLOP, the coarsest first


@dataclass(frozen=True)
class Settings:
    """The constants of the formula, and the choices that the paper leaves open.

    `priors` is ρ (1e-4 in the authors' code; the paper says "constant"). `unit`: in which compute (recorded
    in PFLOP) enters the logarithm. `split`: "total" (each E_i that of the whole curriculum) or "samples" (in
    proportion to |C_i|; our assumption, the paper gives no rule). `difficulty`: "domain" sums GD over
    curriculum domains (Eq 8), "curriculum" takes Ω to the nearest of all (Eq 6, 7). `domains`: "given", or
    "samples" for each training sample as a domain of its own. `decimals`: of g.

    >>> Settings.of("reference").unit, Settings.of("exact").unit
    ('PFLOP', 'TFLOP')
    """

    priors: float = 1e-4
    performance_rate: float = 12.0
    difficulty_rate: float = 10.0
    unit: str = "TFLOP"
    split: str = "samples"
    difficulty: str = "domain"
    domains: str = "given"
    decimals: int | None = None

    def __post_init__(self) -> None:
        number("priors", self.priors, 0)
        number("performance_rate", self.performance_rate, 0, 100)
        number("difficulty_rate", self.difficulty_rate, 0, 100)
        choice("unit", self.unit, list(_UNITS))
        choice("split", self.split, ["total", "samples"])
        choice("difficulty", self.difficulty, ["domain", "curriculum"])
        choice("domains", self.domains, ["given", "samples"])

    @classmethod
    def of(cls, mode: Mode, **changes: Any) -> Settings:
        """What the authors' code does, or the text of the paper; with changes."""
        reference = cls(unit="PFLOP", split="total", decimals=3)
        return replace(reference if mode_of(mode) == "reference" else cls(), **changes)

    @classmethod
    def recorded(cls, record: Experiment, mode: Mode | None) -> tuple[Mode, Settings]:
        """The mode and settings that a record was made with; of another mode only its unit stays."""
        kept = dict(record.settings or {})
        made = mode_of(kept.pop("mode", "exact"))
        known = [part.name for part in fields(cls)]
        unknown = sorted(set(kept) - set(known))
        if unknown:
            remedy = "use " + ", ".join(known)
            raise BadInput("settings", unknown[0], "[not-a-setting] is not a setting", remedy)
        if mode is None or mode_of(mode) == made:
            return made, cls.of(made, **kept)
        return mode, cls.of(mode, **({"unit": kept["unit"]} if "unit" in kept else {}))


@dataclass(frozen=True)
class GIndex:
    """The g-index of an experiment, taken apart.

    `components` has one row per task: `performance` θ, `skill`, `domain_distance` Ω to the nearest curriculum
    domain, `own_share` (what the task's own domain adds to the bracket), `bracket` and `contribution` TC.
    `terms` has one row per task and curriculum domain: `weight` W, `experience` E, `distance` Ω, `difficulty`
    GD, `term`. `notes` tells what had to be assumed.
    """

    value: float
    components: pd.DataFrame
    terms: pd.DataFrame = field(repr=False)
    settings: Settings = field(repr=False)
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value


def curriculum_weight(samples: Any) -> Any:
    """W = 1 / (1 + log₂ n): a domain weighs less the more samples it needs.

    >>> float(curriculum_weight(1)), float(curriculum_weight(2))
    (1.0, 0.5)
    """
    return 1.0 / (1.0 + np.log2(samples))


def experience(compute: Any, unit: str = "TFLOP") -> Any:
    """E = log₂ of the compute, given in PFLOP, in the unit asked for (Section 3.1).

    >>> float(experience(1.024)), float(experience(1024, "PFLOP"))
    (10.0, 10.0)
    """
    return np.log2(_UNITS[choice("unit", unit, list(_UNITS))] * np.asarray(compute, dtype=float))


def generalisation_difficulty(distance: Any, rate: float = 10.0) -> Any:
    """GD = exp(10 Ω): Eq 7.

    >>> float(generalisation_difficulty(0))
    1.0
    """
    return np.exp(rate * np.asarray(distance, dtype=float))


def task_contribution(performance: Any, bracket: Any, rate: float = 12.0) -> Any:
    """TC = √(exp(12 θ) · bracket): Eq 8.

    >>> float(task_contribution(0, 4))
    2.0
    """
    return np.sqrt(np.exp(rate * np.asarray(performance, dtype=float)) * bracket)


def g_index(
    experiment: ExperimentLike,
    mode: Mode | None = None,
    *,
    programs: Any = None,
    distances: pd.DataFrame | None = None,
    settings: Settings | None = None,
) -> GIndex:
    """The g-index of an experiment: g = mean over tasks of √( exp(12 θ) · Σ_i W_i exp(10 Ω_i) / (ρ + E_i) ).

    Parameters
    ----------
    experiment : an `Experiment`, or a path or dict in the authors' layout
    mode : "exact" (the text of the paper) or "reference" (the authors' code); by default that of the record,
        else "exact"
    programs : folder of folders of JSON files, or a mapping of domain to programs, to compute Ω from
    distances : Ω as a DataFrame, task domains x curriculum domains
    settings : the constants and choices; by default those of the record, else of the mode

    Returns
    -------
    GIndex : `value`, `components` (one row per task), `terms` (one per task and domain), `settings`, `notes`

    Notes
    -----
    Ω comes from the first of these that is known: `distances`, `programs`, the experiment, a folder `domains`
    beside the folder of the record, the public sample.

    References
    ----------
    g-index paper, section 3.1, Eqs 7-9.

    Examples
    --------
    >>> from gindex_lab.measures.programs.records import Experiment
    >>> tasks = pd.DataFrame({"domain": ["a"], "performance": [0.5]})
    >>> omega = pd.DataFrame([[0.1]], ["a"], ["a"])
    >>> result = g_index(Experiment({"a": 8}, 4, tasks), "reference", distances=omega)
    >>> result.value
    11.708
    >>> result.components[["performance", "domain_distance"]].to_numpy().tolist()
    [[0.5, 0.1]]
    """
    record = Experiment.of(experiment)
    mode, kept = Settings.recorded(record, mode)
    chosen = settings or kept
    known = find_distances(record, mode, programs, distances)
    curriculum = {name: n for name, n in record.curriculum.items() if n > 0}
    omega = _select(known, record.tasks["domain"], list(curriculum))
    counts = np.array(list(curriculum.values()), dtype=float)
    spent = _experience(record.compute, counts, chosen, mode)
    weight = counts if chosen.domains == "samples" else curriculum_weight(counts)
    note = "θ is the mean of a domain: exp(12 θ) of each sample would give a larger g (Jensen)"
    notes = (note,) if mode == "exact" and not record.per_sample else ()
    return _assemble(record, list(curriculum), omega, weight, spent, chosen, notes)


def _experience(compute: float, counts: FloatArray, settings: Settings, mode: Mode) -> FloatArray:
    """E of each curriculum domain; ρ + E must be positive, or the formula means nothing."""
    part = compute * (counts / counts.sum() if settings.split == "samples" else np.ones_like(counts))
    result = np.asarray(experience(part, settings.unit))
    if not (settings.priors + result > 0).all():
        units = list(_UNITS)
        finer = units[min(units.index(settings.unit) + 1, len(units) - 1)]  # where log₂ is larger
        problem = (
            f"[experience-not-positive] gives an experience of {result.min():.3g} in {settings.unit}, "
            "and ρ + E must be positive"
        )
        remedy = (
            "compute of a record is in PFLOP; for a small run pass "
            f"settings=Settings.of({mode!r}, unit={finer!r})"
        )
        raise BadInput("compute", compute, problem, remedy)
    return result


def _assemble(
    record: Experiment,
    curriculum: list[str],
    omega: FloatArray,
    weight: FloatArray,
    spent: FloatArray,
    settings: Settings,
    notes: tuple[str, ...],
) -> GIndex:
    """Eq 8 and 9 on arrays, tasks x curriculum domains, and the tables that show them."""
    nearest = omega.min(axis=1)
    effective = omega if settings.difficulty == "domain" else np.tile(nearest[:, None], len(curriculum))
    difficulty = generalisation_difficulty(effective, settings.difficulty_rate)
    term = weight * difficulty / (settings.priors + spent)
    bracket = term.sum(axis=1)
    tasks = record.tasks["domain"].to_numpy()
    contribution = task_contribution(record.tasks["performance"], bracket, settings.performance_rate)
    components = record.tasks[["domain", "samples", "performance", "skill"]].assign(
        domain_distance=nearest,
        own_share=(term * (tasks[:, None] == np.array(curriculum)[None, :])).sum(axis=1) / bracket,
        bracket=bracket,
        contribution=contribution,
    )
    value = fsum(contribution) / len(contribution)  # the same in whatever order tasks are recorded
    value = value if settings.decimals is None else round(value, settings.decimals)
    terms = {
        "task": np.repeat(tasks, len(curriculum)),
        "curriculum": np.tile(curriculum, len(tasks)),
        "weight": np.tile(weight, len(tasks)),
        "experience": np.tile(spent, len(tasks)),
        "distance": omega.ravel(),
        "difficulty": difficulty.ravel(),
        "term": term.ravel(),
    }
    components = components.set_index("domain").rename_axis("task")
    return GIndex(value, components, pd.DataFrame(terms), settings, notes)


def find_distances(
    record: Experiment, mode: Mode, programs: Any, distances: pd.DataFrame | None
) -> pd.DataFrame:
    """Ω between domains for an experiment, from the first place that knows them (see `g_index`)."""
    if distances is not None:
        return distances
    if programs is None and record.distances is not None:
        return record.distances
    from gindex_lab.measures.programs.domains import domain_distances  # numba, which is slow to import

    beside = None if record.folder is None else record.folder.parent / "domains"  # the authors' repository
    if programs is None and beside is not None and beside.is_dir():
        programs = beside
    try:
        return domain_distances(upstairs("load")("g-index-programs") if programs is None else programs, mode)
    except DataUnavailable as error:
        problem = "[no-programs] names domains whose programs are not on this machine"
        remedy = f"pass programs= or distances= ({error.remedy})"
        raise BadInput("experiment", record.name, problem, remedy) from None


def _select(distances: pd.DataFrame, tasks: pd.Series, curriculum: list[str]) -> FloatArray:
    """Ω with one row per task and one column per curriculum domain."""
    if not isinstance(distances, pd.DataFrame):
        checked_distances(distances)
    sides = (("task", distances.index, tasks.unique()), ("curriculum", distances.columns, curriculum))
    for name, labels, wanted in sides:
        absent = [label for label in wanted if label not in labels]
        if absent:
            problem = f"[no-distance] is a {name} domain without a distance"
            raise BadInput("distances", absent[0], problem, "pass its programs")
        no_duplicates("distances", labels)
    return checked_distances(distances.loc[tasks.tolist(), curriculum]).to_numpy(dtype=float)
