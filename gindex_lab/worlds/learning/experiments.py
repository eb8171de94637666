"""Train a system, test it, score it and compute its g-index: one call for one experiment.

The set-up is that of sections 2.1 and 4 of the g-index paper: a system is trained on a curriculum,
answers each test prompt once, and is scored by θ = 1 - Δ. Compute is counted in elementary operations
where the system counts them (ours do), so that a run means the same on every machine; one operation is
taken as one FLOP, and E = log₂ of that. The record has the authors' layout and can be saved.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import ensure
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import Mode, generator, number
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.gindex import GIndex, Settings, g_index
from gindex_lab.measures.programs.neighbours import nearest_many
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.worlds.learning.corpus import PromptSample, corpus
from gindex_lab.worlds.learning.scoring import score_answers
from gindex_lab.worlds.learning.systems import NearestNeighbour, NGram, SlotFilling, System
from gindex_lab.worlds.learning.systems_template import TemplateInduction

__all__ = ["Outcome", "answered", "check_tasks", "concluded", "experiment", "learning_curve"]
__all__ += ["own_experiments"]

_PETA = 1e15  # FLOP of a PFLOP, the unit of the authors' records


@dataclass(frozen=True)
class Outcome:
    """What one experiment gave: the record, one row per test, what it cost, and the g-index in parts.

    `tests` has a row per test task: `domain`, `divergence`, `performance`, `perfect`, `whole`,
    `domain_distance` (Ω to the nearest program of the whole curriculum). `cost` holds `operations` and
    `seconds` of training and testing.
    """

    experiment: Experiment
    tests: pd.DataFrame
    index: GIndex
    cost: dict[str, float]
    seed: int | None = None

    @property
    def name(self) -> str:
        """The system's name."""
        return self.experiment.name

    @property
    def performance(self) -> float:
        """Mean θ over the tests."""
        return float(self.tests["performance"].mean())

    @property
    def skill(self) -> float:
        """The share of tests that were answered perfectly (Δ = 0)."""
        return float(self.tests["perfect"].mean())

    @property
    def domain_distance(self) -> float:
        """Mean Ω of the tests from the curriculum."""
        return float(self.tests["domain_distance"].mean())

    @property
    def experience(self) -> float:
        """E of the whole curriculum: log₂ of the operations it took."""
        return float(np.log2(self.cost["operations"]))

    def row(self) -> dict[str, Any]:
        """One line for a table; without times, which differ from run to run."""
        return {
            "system": self.name,
            "training_samples": sum(self.experiment.curriculum.values()),
            "operations": self.cost["operations"],
            "experience": self.experience,
            "performance": self.performance,
            "skill": self.skill,
            "domain_distance": self.domain_distance,
            "g_index": self.index.value,
        }

    def to_dict(self) -> dict[str, Any]:
        """The record in the authors' layout, and beyond it operations, Ω and Δ of each sample."""
        record = self.experiment.to_dict()
        record["model"]["type"] = "gindex_lab system"
        training = {"time": self.cost["seconds"], "operations": self.cost["operations"]}
        testing = {"time": self.cost["test_seconds"], "operations": self.cost["test_operations"]}
        record["train_cost"] |= training
        record["test_cost"] = testing | {"compute": self.cost["test_operations"] / _PETA}
        record["domain_distance"] = self.domain_distance
        return record | {"input": "text", "output": "JSON", "environment": {}, "complete": True}

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the record as JSON, whole or not at all."""
        write_text(Path(path), json.dumps(self.to_dict(), indent=1) + "\n")
        return Path(path)


def experiment(
    system: System,
    curriculum: Sequence[PromptSample],
    tests: Sequence[PromptSample],
    *,
    compute: float | None = None,
    name: str | None = None,
    mode: Mode = "exact",
    path: str | PathLike[str] | None = None,
    seed: int = 1,
) -> Outcome:
    """Train a system on the curriculum, test it once per task, score it and give its g-index.

    Parameters
    ----------
    system : an object with `fit(pairs)` and `generate(prompt)`
    curriculum : tasks to learn from
    tests : tasks to answer
    compute : the FLOP that training took, for a system that does not count its `operations`
    name : of the system; that of its class by default
    mode : "exact" or "reference", the rules of Δ and of the g-index
    path : where the record is saved as JSON
    seed : decides the order in which the curriculum is shown

    Returns
    -------
    Outcome : `index` (the g-index in parts), `tests` (one row per test), `performance`, `skill`,
        `domain_distance`, `experience` and `experiment`, the record. The record keeps its settings, so that
        `g_index(path)` and `g_index(outcome.experiment)` give the same value; its compute is in PFLOP, as the
        authors'.

    Notes
    -----
    Ω goes into the g-index as the mean over the tests of a domain, θ as it is for each test, and E with
    compute in FLOP.

    References
    ----------
    g-index paper, sections 2.1 and 4 (the set-up) and Eq 8, 9 (the index).

    Examples
    --------
    >>> outcome = experiment(SlotFilling(), corpus(5, ["http"], seed=1), corpus(4, ["http"], seed=2))
    >>> outcome.performance, outcome.skill
    (1.0, 1.0)
    """
    _check(system, curriculum, tests)
    counts = dict(Counter(task.domain for task in curriculum))
    spent = partial(_operations, system, compute, len(curriculum) / min(counts.values()))
    pairs, prompts = [task.pair for task in curriculum], [task.prompt for task in tests]
    answers, cost = answered(system, pairs, prompts, spent, seed)
    scored, label = score_answers(answers, tests, mode=mode), name or type(system).__name__
    outcome = concluded(scored, _distances(curriculum, tests, mode), counts, cost, label, mode, seed)
    if path is not None:
        outcome.save(path)
    return outcome


def answered(
    system: Any, pairs: Sequence[Any], questions: Sequence[Any], spent: Callable[[], float], seed: int
) -> tuple[list[Any], dict[str, float]]:
    """Train a system on the pairs, in the seed's order, and ask it once each: answers, and what both cost."""
    order = generator(seed).permutation(len(pairs))
    started = time.perf_counter()
    system.fit([pairs[k] for k in order])
    trained, operations = time.perf_counter(), spent()
    answers = [system.generate(question) for question in questions]
    cost = {"operations": operations, "seconds": trained - started}
    cost |= {"test_operations": spent() - operations, "test_seconds": time.perf_counter() - trained}
    return answers, cost


def concluded(
    scored: pd.DataFrame,
    omega: pd.DataFrame,
    counts: dict[str, int],
    cost: dict[str, float],
    label: str,
    mode: Mode,
    seed: int,
) -> Outcome:
    """The g-index of scored tests, from Ω of each of them (row) to each domain of the curriculum (column)."""
    scored["domain_distance"] = omega.min(axis=1)
    tasks = scored[["domain", "performance"]].assign(skill=scored["perfect"].astype(float), samples=1)
    means = omega.groupby(scored["domain"].to_numpy(), sort=False).mean()
    settings = {"mode": mode, **asdict(Settings.of(mode, unit="FLOP"))}
    record = Experiment(counts, cost["operations"] / _PETA, tasks, label, means, settings)
    return Outcome(record, scored, g_index(record), cost, seed)


def _check(system: object, curriculum: object, tests: object) -> None:
    kind = system.__name__ if isinstance(system, type) else ""
    ensure(not kind, "system", kind, "[is-a-class] is a class", f"pass an object of it, {kind}(...)")
    for method in ("fit", "generate"):
        remedy = "a system is an object with fit(pairs) and generate(prompt)"
        known = callable(getattr(system, method, None))
        ensure(known, "system", system, f"[no-method] has no {method}()", remedy)
    check_tasks(curriculum, tests, PromptSample, "corpus(), or PromptSample(prompt, program, domain)")


def check_tasks(curriculum: object, tests: object, kind: type, maker: str) -> None:
    """Refuse what are not lists of tasks of a kind."""
    for name, tasks in (("curriculum", curriculum), ("tests", tests)):
        listed = tasks if isinstance(tasks, Sequence) and not isinstance(tasks, str) else ()
        ensure(listed, name, tasks, "[empty] has no tasks", f"pass a list, as of {maker}")
        for at, task in enumerate(listed):
            problem = f"[not-a-sample] is not a {kind.__name__}"
            ensure(isinstance(task, kind), f"{name}[{at}]", task, problem, f"make it with {maker}")


def _operations(system: object, compute: float | None, least: float) -> float:
    """What the system counted, or what was said for it: more than `least`."""
    counted, name = compute, "compute"
    if compute is None:
        counted, name = getattr(system, "operations", None), "system.operations"
        problem = "[no-operations] does not count its operations"
        remedy = "count them in `operations`, or pass compute="
        ensure(counted is not None, "system", type(system).__name__, problem, remedy)
    found = number(name, counted, 1)
    problem = "[too-few-operations] FLOP are too few: E = log₂ of each domain's share must be positive"
    ensure(found > least, "compute", found, problem, f"give more than {least:g} FLOP")
    return found


def _distances(curriculum: Sequence[PromptSample], tests: Sequence[PromptSample], mode: Mode) -> pd.DataFrame:
    """Ω of each test (row) to the nearest program of each domain of the curriculum (column)."""
    wanted, programs = [Flow(task.program) for task in tests], defaultdict(list)
    for task in curriculum:
        programs[task.domain].append(task.program)
    return pd.DataFrame({name: nearest_many(wanted, known, mode).value for name, known in programs.items()})


def learning_curve(
    system: type[System] | Any,
    curricula: Sequence[Sequence[PromptSample]],
    tests: Sequence[PromptSample],
    seed: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """One experiment per curriculum, each with a fresh system.

    Parameters
    ----------
    system : a class, or a function that makes a system
    curricula : lists of tasks to learn from
    tests : tasks to answer
    seed : decides the order in which a curriculum is shown
    **options : of `experiment`

    Returns
    -------
    DataFrame : one row per curriculum: `system`, `training_samples`, `operations`, `experience`,
        `performance`, `skill`, `domain_distance` and `g_index`

    References
    ----------
    g-index paper, section 3.2 and Figure 7: how g depends on the size of the curriculum.

    Examples
    --------
    >>> sizes = [corpus(n, ["http", "twitter"], seed=1) for n in (1, 8)]
    >>> curve = learning_curve(SlotFilling, sizes, corpus(3, ["http", "twitter"], seed=2))
    >>> curve["training_samples"].tolist()
    [2, 16]
    """
    problem = "[not-a-class] is not a class or a function that makes a system"
    ensure(callable(system), "system", system, problem, "pass the class, or lambda: YourSystem(...)")
    runs = [experiment(system(), curriculum, tests, seed=seed, **options) for curriculum in curricula]
    return pd.DataFrame([run.row() for run in runs])


def own_experiments(sizes: Sequence[int] = (4, 16), tests_per_domain: int = 5, *, seed: int = 1) -> Documents:
    """Our own counterpart of the published experiments: four systems, each on curricula of every size.

    Records in the authors' layout by name ("templates_1", "templates_2", ...), each with the distances
    between its domains. So that they can stand in for runs that took PFLOPs, ten operations are
    written down as one PFLOP of compute.

    >>> runs = own_experiments((2,), 1, seed=1)
    >>> sorted(runs), runs.source
    (['n-gram_1', 'neighbour_1', 'slots_1', 'templates_1'], 'own experiment')
    """
    systems: dict[str, Any] = {
        "neighbour": NearestNeighbour,
        "slots": SlotFilling,
        "templates": TemplateInduction,
        "n-gram": lambda: NGram(24, neighbours=6, window=400, seed=seed),
    }
    tests = corpus(tests_per_domain, seed=seed + 1)
    content: dict[str, Any] = {}
    for at, size in enumerate(sizes, 1):
        curriculum = corpus(size, seed=seed)
        for name, make in systems.items():
            record = experiment(make(), curriculum, tests, name=name, seed=seed).to_dict()
            for cost in ("train_cost", "test_cost"):
                record[cost]["compute"] = record[cost]["operations"] / 10
                del record[cost]["time"]  # so that the same inputs give the same bytes
            del record["settings"]  # read as the published runs are: in PFLOP or TFLOP
            content[f"{name}_{at}"] = record
    return Documents(content, name="our own experiments", source="own experiment")
