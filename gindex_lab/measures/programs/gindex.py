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
from gindex_lab.measures.programs.domains import domain_distances
from gindex_lab.measures.programs.records import Experiment, ExperimentLike

__all__ = [
    "GIndex",
    "Settings",
    "curriculum_weight",
    "experience",
    "find_distances",
    "g_index",
    "generalisation_difficulty",
    "task_contribution",
]

_UNITS = {"PFLOP": 1.0, "TFLOP": 1e3, "GFLOP": 1e6, "FLOP": 1e15}


@dataclass(frozen=True)
class Settings:
    """The constants of the formula, and the choices that the paper leaves open.

    `unit`: in which compute (recorded in PFLOP) enters the logarithm. `split`: "total" (each E_i that of the
    whole curriculum) or "samples" (in proportion to |C_i|; our assumption, the paper gives no rule).
    `difficulty`: "domain" sums GD over curriculum domains (Eq 8), "curriculum" takes Ω to the nearest of
    all (Eq 6, 7).
    `domains`: "given", or "samples" for each training sample as a domain of its own. `decimals`: of g.

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
        if mode_of(mode) == "reference":
            return replace(cls(unit="PFLOP", split="total", decimals=3), **changes)
        return replace(cls(), **changes)

    @classmethod
    def recorded(cls, record: Experiment, mode: Mode | None) -> tuple[Mode, Settings]:
        """The mode and settings that a record was made with; of another mode only its unit stays."""
        kept = dict(record.settings or {})
        made = mode_of(kept.pop("mode", "exact"))
        unknown = set(kept) - {part.name for part in fields(cls)}
        if unknown:
            remedy = "use " + ", ".join(part.name for part in fields(cls))
            raise BadInput(
                "settings", sorted(unknown)[0], "[not-a-setting] is not a setting", remedy
            )
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
    """The g-index of an experiment, with every component (Eq 9).

    `experiment` is an `Experiment`, or a path or dict in the authors' layout. The distances Ω between domains
    come, in this order, from `distances`, from the experiment, from `programs` (a folder, or a mapping of
    domain to programs), from a folder `domains` beside the folder of the record, or from the public sample.
    `mode` (else "exact") and `settings` are those that the record names, as `gl.experiment` writes them.

    >>> from gindex_lab.measures.programs.records import Experiment, ExperimentLike
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
    share = _experience(record.compute, counts, chosen, mode)
    weight = counts if chosen.domains == "samples" else curriculum_weight(counts)
    return _assemble(record, list(curriculum), omega, weight, share, chosen, _notes(record, mode))


def _experience(compute: float, counts: FloatArray, settings: Settings, mode: Mode) -> FloatArray:
    """E of each curriculum domain; ρ + E must be positive, or the formula means nothing."""
    part = compute * (
        counts / counts.sum() if settings.split == "samples" else np.ones_like(counts)
    )
    result = np.asarray(experience(part, settings.unit))
    if not (settings.priors + result > 0).all():
        raise BadInput(
            "compute",
            compute,
            f"[experience-not-positive] gives an experience of {result.min():.3g} in {settings.unit}, "
            "and ρ + E must be positive",
            "compute of a record is in PFLOP; for a small run pass "
            f"settings=Settings.of({mode!r}, unit={_finer(settings)!r})",
        )
    return result


def _finer(settings: Settings) -> str:
    """The next smaller unit: the logarithm of the same compute is larger in it."""
    units = list(_UNITS)
    return units[min(units.index(settings.unit) + 1, len(units) - 1)]


def _assemble(
    record: Experiment,
    curriculum: list[str],
    omega: FloatArray,
    weight: FloatArray,
    share: FloatArray,
    settings: Settings,
    notes: tuple[str, ...],
) -> GIndex:
    """Eq 8 and 9 on arrays, tasks x curriculum domains, and the tables that show them."""
    effective = omega if settings.difficulty == "domain" else _nearest_of_all(omega)
    difficulty = generalisation_difficulty(effective, settings.difficulty_rate)
    term = weight * difficulty / (settings.priors + share)
    bracket = term.sum(axis=1)
    theta = record.tasks["performance"].to_numpy()
    contribution = task_contribution(theta, bracket, settings.performance_rate)
    own = record.tasks["domain"].to_numpy()[:, None] == np.array(curriculum)[None, :]
    components = record.tasks[["domain", "samples", "performance", "skill"]].assign(
        domain_distance=omega.min(axis=1),
        own_share=(term * own).sum(axis=1) / bracket,
        bracket=bracket,
        contribution=contribution,
    )
    components = components.set_index("domain").rename_axis("task")
    value = fsum(contribution) / len(contribution)  # the same in whatever order tasks are recorded
    value = value if settings.decimals is None else round(value, settings.decimals)
    terms = _terms(record, curriculum, omega, weight, share, difficulty, term)
    return GIndex(value, components, terms, settings, notes)


def _nearest_of_all(omega: FloatArray) -> FloatArray:
    return np.broadcast_to(omega.min(axis=1, keepdims=True), omega.shape)


def _terms(
    record: Experiment,
    curriculum: list[str],
    omega: FloatArray,
    weight: FloatArray,
    share: FloatArray,
    difficulty: FloatArray,
    term: FloatArray,
) -> pd.DataFrame:
    tasks, domains = omega.shape
    return pd.DataFrame(
        {
            "task": np.repeat(record.tasks["domain"].to_numpy(), domains),
            "curriculum": np.tile(curriculum, tasks),
            "weight": np.tile(weight, tasks),
            "experience": np.tile(share, tasks),
            "distance": omega.ravel(),
            "difficulty": difficulty.ravel(),
            "term": term.ravel(),
        }
    )


def find_distances(
    record: Experiment, mode: Mode, programs: Any, distances: pd.DataFrame | None
) -> pd.DataFrame:
    """Ω between domains for an experiment, from the first place that knows them (see `g_index`)."""
    if distances is not None:
        if not isinstance(distances, pd.DataFrame):
            remedy = "pass a DataFrame of task domains x curriculum domains"
            raise BadInput("distances", distances, "[wrong-type] is not a table", remedy)
        return distances
    if programs is None and record.distances is not None:
        return record.distances
    if programs is None:
        programs = _programs_beside(record)
    return domain_distances(programs, mode)


def _programs_beside(record: Experiment) -> Any:
    """The programs in `../domains`, as in the authors' repository, or the public sample."""
    if record.folder is not None and (record.folder.parent / "domains").is_dir():
        return record.folder.parent / "domains"
    try:
        return upstairs("load")("g-index-programs")
    except DataUnavailable as error:
        problem = "[no-programs] names domains whose programs are not on this machine"
        remedy = f"pass programs= or distances= ({error.remedy})"
        raise BadInput("experiment", record.name, problem, remedy) from None


def _select(distances: pd.DataFrame, tasks: pd.Series, curriculum: list[str]) -> FloatArray:
    """Ω with one row per task and one column per curriculum domain."""
    for name, labels, wanted in (
        ("task domain", distances.index, tasks.unique().tolist()),
        ("curriculum domain", distances.columns, curriculum),
    ):
        absent = [label for label in wanted if label not in labels]
        if absent:
            problem = f"[no-distance] is a {name} without a distance"
            raise BadInput("distances", absent[0], problem, "pass its programs")
    for axis in (distances.index, distances.columns):
        no_duplicates("distances", axis)
    chosen = distances.loc[tasks.tolist(), curriculum]
    try:
        values = chosen.to_numpy(dtype=float)
    except (TypeError, ValueError, OverflowError):
        problem, remedy = (
            "[not-a-number] holds something that is not a number",
            "pass numbers from 0 to 1",
        )
        raise BadInput("distances", "a table", problem, remedy) from None
    wrong = np.argwhere(~((values >= 0) & (values <= 1)))
    if len(wrong):
        row, column = wrong[0]
        where = f"distances[{chosen.index[row]!r}, {chosen.columns[column]!r}]"
        problem, remedy = "[out-of-range] is not a distance", "Ω lies between 0 and 1"
        raise BadInput(where, float(values[row, column]), problem, remedy)
    return values


def _notes(record: Experiment, mode: Mode) -> tuple[str, ...]:
    """What exact mode would need and does not have."""
    if mode == "exact" and not record.per_sample:
        return (
            "θ is the mean of a domain: exp(12 θ) of each sample would give a larger g (Jensen)",
        )
    return ()
