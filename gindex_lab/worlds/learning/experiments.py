"""Train a system, test it, score it, and put the g-index on it: one call for one experiment.

The set-up is that of sections 2.1 and 4 of the g-index paper: a system is trained on a curriculum,
answers each test prompt once, and is scored by θ = 1 - Δ. Compute is counted in elementary operations
where the system counts them (ours do), so that a run means the same on every machine; one operation is
taken as one FLOP, and E = log₂ of that. The record has the authors' layout and can be saved.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.documents import Documents
from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import FloatArray, Mode, generator, mode_of, number
from gindex_lab.measures.programs.comparison import nearest_many
from gindex_lab.measures.programs.flows import Flow
from gindex_lab.measures.programs.gindex import GIndex, Settings, g_index
from gindex_lab.measures.programs.records import Experiment
from gindex_lab.worlds.learning.corpus import PromptSample
from gindex_lab.worlds.learning.scoring import score_answers
from gindex_lab.worlds.learning.systems import System

__all__ = ["Outcome", "experiment", "learning_curve", "own_experiments"]

_PETA = 1e15


@dataclass(frozen=True)
class Outcome:
    """What one experiment gave: the record, a row per test, distances, and the g-index in parts.

    `tests` has a row per test task: `domain`, `divergence`, `performance`, `perfect`, `whole`,
    `domain_distance` (Ω to the nearest program of the whole curriculum). `cost` holds `operations` and
    `seconds` of training and testing.
    """

    experiment: Experiment
    tests: pd.DataFrame
    index: GIndex
    cost: dict[str, float]
    seed: int | None = field(default=None)

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
        """The share of tests answered with the very program."""
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
        """One line for a table; without times, which no two runs share."""
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
        """The record in the authors' layout, with what it lacks: operations, Ω and Δ per sample."""
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
    seed: int = 1,
    *,
    compute: float | None = None,
    name: str | None = None,
    mode: Mode = "exact",
    path: str | PathLike[str] | None = None,
) -> Outcome:
    """Train a system on the curriculum, test it once per task, score it and give its g-index.

    `seed` decides the order in which the curriculum is shown. A system that does not count its
    `operations` needs `compute`, the FLOP that its training took (a record, `Experiment.compute`, has it
    in PFLOP, as the authors'). Ω goes into the g-index as the
    mean over the tests of a domain, θ as it is for each test (Eq 8, 9), E with compute in FLOP. The record
    keeps these settings, so that `g_index(path)` and `g_index(outcome.experiment)` give the same value.

    >>> from gindex_lab.worlds.learning.corpus import corpus
    >>> from gindex_lab.worlds.learning.systems import SlotFilling
    >>> outcome = experiment(SlotFilling(), corpus(5, ["http"], seed=1), corpus(4, ["http"], seed=2))
    >>> outcome.performance, outcome.skill
    (1.0, 1.0)
    """
    _check(system, curriculum, tests)
    order = generator(seed).permutation(len(curriculum))
    pairs = [curriculum[i].pair for i in order]
    started = time.perf_counter()
    system.fit(pairs)
    trained = time.perf_counter()
    operations = _operations(system, compute)
    counts = dict(Counter(task.domain for task in curriculum))
    _enough(operations, counts)
    answers = [system.generate(task.prompt) for task in tests]
    done = time.perf_counter()
    cost = {
        "operations": operations,
        "seconds": trained - started,
        "test_operations": _operations(system, compute) - operations,
        "test_seconds": done - trained,
    }
    scored, distances = _distances(
        score_answers(answers, tests, mode=mode), curriculum, tests, mode
    )
    tasks = scored[["domain", "performance"]].assign(
        skill=scored["perfect"].astype(float), samples=1
    )
    label = name or type(system).__name__
    settings = {"mode": mode, **asdict(Settings.of(mode, unit="FLOP"))}
    record = Experiment(counts, operations / _PETA, tasks, label, distances, settings)
    index = g_index(record)
    outcome = Outcome(record, scored, index, cost, seed)
    if path is not None:
        outcome.save(path)
    return outcome


def _check(system: object, curriculum: object, tests: object) -> None:
    if isinstance(system, type):
        remedy = f"pass an object of it, {system.__name__}(...)"
        raise BadInput("system", system.__name__, "[is-a-class] is a class", remedy)
    for method in ("fit", "generate"):
        if not callable(getattr(system, method, None)):
            problem = f"[no-method] has no {method}()"
            remedy = "a system is an object with fit(pairs) and generate(prompt)"
            raise BadInput("system", system, problem, remedy)
    for name, tasks in (("curriculum", curriculum), ("tests", tests)):
        if not isinstance(tasks, Sequence) or isinstance(tasks, str) or not tasks:
            raise BadInput(
                name, tasks, "[empty] has no tasks", "pass a list of PromptSample, as of corpus()"
            )
        for at, task in enumerate(tasks):
            if not isinstance(task, PromptSample):
                remedy = "make it PromptSample(prompt, program, domain)"
                raise BadInput(
                    f"{name}[{at}]", task, "[not-a-sample] is not a PromptSample", remedy
                )


def _operations(system: object, compute: float | None) -> float:
    """What the system counted, or what was said for it."""
    if compute is not None:
        return number("compute", compute, 1)
    counted = getattr(system, "operations", None)
    if counted is None:
        remedy = "count them in an attribute `operations`, or pass compute="
        raise BadInput(
            "system", type(system).__name__, "[no-operations] does not count its operations", remedy
        )
    return number("system.operations", counted, 1)


def _enough(operations: float, counts: dict[str, int]) -> None:
    """log₂ of each curriculum domain's share of the FLOP must be positive, or E means nothing."""
    least = sum(counts.values()) / min(counts.values())
    if operations <= least:
        problem = "[too-few-operations] FLOP are too few: E = log₂ of each domain's share must be positive"
        raise BadInput("compute", operations, problem, f"give more than {least:g} FLOP")


def _distances(
    scored: pd.DataFrame,
    curriculum: Sequence[PromptSample],
    tests: Sequence[PromptSample],
    mode: Mode,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ω of each test to the whole curriculum, and its mean by test domain and curriculum domain."""
    wanted = [Flow(task.program) for task in tests]
    columns: dict[str, FloatArray] = {}
    for domain in dict.fromkeys(task.domain for task in curriculum):
        known = [task.program for task in curriculum if task.domain == domain]
        columns[domain] = nearest_many(wanted, known, mode_of(mode)).value
    every = pd.DataFrame(columns)
    means = every.groupby(scored["domain"].to_numpy(), sort=False).mean()
    return scored.assign(domain_distance=every.min(axis=1).to_numpy()), means


def learning_curve(
    system: type[System] | Any,
    curricula: Sequence[Sequence[PromptSample]],
    tests: Sequence[PromptSample],
    seed: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """One experiment per curriculum, each with a fresh system (`system` is a class or a function).

    Reference: g-index paper, section 3.2 and Figure 7: how g answers to the size of the curriculum.

    >>> from gindex_lab.worlds.learning.corpus import corpus
    >>> from gindex_lab.worlds.learning.systems import SlotFilling
    >>> sizes = [corpus(n, ["http", "twitter"], seed=1) for n in (1, 8)]
    >>> curve = learning_curve(SlotFilling, sizes, corpus(3, ["http", "twitter"], seed=2))
    >>> curve["training_samples"].tolist()
    [2, 16]
    """
    if not callable(system):
        remedy = "pass the class, or lambda: YourSystem(...)"
        raise BadInput(
            "system",
            system,
            "[not-a-class] is not a class or a function that makes a system",
            remedy,
        )
    runs = [experiment(system(), curriculum, tests, seed, **options) for curriculum in curricula]
    return pd.DataFrame([run.row() for run in runs])


def own_experiments(
    sizes: Sequence[int] = (4, 16), tests_per_domain: int = 5, *, seed: int = 1
) -> Documents:
    """Our own counterpart of the published experiments: four systems, each on curricula of every size.

    Records in the authors' layout by name ("templates_1", "templates_2", ...), each with the distances
    between its domains. So that they can stand in for runs that took PFLOPs, ten operations are
    written down as one PFLOP of compute.

    >>> runs = own_experiments((2,), 1, seed=1)
    >>> sorted(runs), runs.source
    (['n-gram_1', 'neighbour_1', 'slots_1', 'templates_1'], 'own experiment')
    """
    from gindex_lab.worlds.learning.corpus import corpus
    from gindex_lab.worlds.learning.systems import NearestNeighbour, NGram, SlotFilling
    from gindex_lab.worlds.learning.systems_template import TemplateInduction

    systems: dict[str, Any] = {
        "neighbour": NearestNeighbour,
        "slots": SlotFilling,
        "templates": TemplateInduction,
        "n-gram": lambda: NGram(24, neighbours=6, window=400, seed=seed),
    }
    tests = corpus(tests_per_domain, seed=seed + 1)
    content: dict[str, Any] = {}
    for number_, size in enumerate(sizes, 1):
        curriculum = corpus(size, seed=seed)
        for name, make in systems.items():
            record = experiment(make(), curriculum, tests, seed, name=name).to_dict()
            for cost in ("train_cost", "test_cost"):
                record[cost]["compute"] = record[cost]["operations"] / 10
                del record[cost]["time"]  # so that the same inputs give the same bytes
            del record["settings"]  # read as the published runs are: in PFLOP or TFLOP
            content[f"{name}_{number_}"] = record
    return Documents(content, name="our own experiments", source="own experiment")
