"""Records of experiments: what a system was trained on, what that cost, and how it did.

The authors store an experiment as JSON: samples per curriculum domain, compute in PFLOP, and per test domain
the mean divergence and the share of perfect programs. `Experiment` reads and writes that layout, and adds
what the g-index needs beyond it: the divergence of every test sample, and distances between domains.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.inputs import as_path, parse_json, read_text
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import integer, number

__all__ = ["Experiment", "ExperimentLike", "checked_distances"]

if TYPE_CHECKING:
    ExperimentLike: TypeAlias = "Experiment | Mapping[str, Any] | str | PathLike[str]"
else:
    ExperimentLike = object  # while the program runs, `Experiment.of` says what is wrong with it


@dataclass(frozen=True)
class Experiment:
    """One system, trained and tested.

    `curriculum`: training samples per domain. `compute`: PFLOP used in training. `tasks`: one row per test
    domain or per test sample, with `domain`, `performance` (θ = 1 - Δ), `skill` (share of perfect programs)
    and `samples`. `distances`: Ω from task domains (rows) to curriculum domains (columns), where known.
    `settings`: the `mode` and the `Settings` by which its g-index was computed, where that is recorded;
    `g_index` goes by them.

    References
    ----------
    g-index paper, section 3.1: curriculum, experience E and performance θ.

    Examples
    --------
    >>> tasks = pd.DataFrame({"domain": ["http"], "performance": [0.8]})
    >>> Experiment({"http": 80}, 74.75, tasks, name="GPT2-345M")
    Experiment('GPT2-345M', 80 training samples in 1 domain, 74.75 PFLOP, 1 task)
    """

    curriculum: Mapping[str, int]
    compute: float
    tasks: pd.DataFrame
    name: str = ""
    distances: pd.DataFrame | None = None
    settings: Mapping[str, Any] | None = None
    folder: Path | None = None  # where the record was read, to find programs beside it

    def __post_init__(self) -> None:
        object.__setattr__(self, "curriculum", _curriculum(self.curriculum))
        object.__setattr__(self, "compute", number("compute", self.compute, 0, open_ends=True))
        object.__setattr__(self, "tasks", _tasks(self.tasks))
        if self.distances is not None:
            checked_distances(self.distances)
        settings: object = self.settings
        if settings is not None and not isinstance(settings, Mapping):
            remedy = "pass {'mode': ..., 'unit': ...}, or none"
            raise BadInput("settings", settings, "[not-settings] are not settings by name", remedy)

    @classmethod
    def of(cls, source: ExperimentLike) -> Experiment:
        """An experiment as it is, or from a path or dict in the authors' layout."""
        if isinstance(source, Experiment):
            return source
        return cls.read(source) if isinstance(source, (str, PathLike)) else cls.from_dict(source)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """From a JSON file in the authors' layout."""
        path = as_path("experiment", path)
        text = read_text(path, argument="experiment")
        content = parse_json(text, "experiment", str(path), "fix the file")
        return cls.from_dict(content, name=path.stem, folder=path.parent)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], name: str = "", folder: Path | None = None) -> Self:
        """From a dict in the authors' layout; `performance.domains[k].samples` may list each sample's Δ."""
        training = [
            (str(_get(row, "name", at)), _get(row, "num_samples", at))
            for at, row in _rows(content, "train_set", "data")
        ]
        domain, times = Counter(domain for domain, _ in training).most_common(1)[0]
        ensure(times == 1, "train_set", domain, "[duplicate] appears twice", "add its samples up")
        tasks = [task for at, row in _rows(content, "performance", "domains") for task in _task_rows(row, at)]
        model, known = content.get("model"), content.get("distances")
        if known is not None and not (
            isinstance(known, Mapping) and all(isinstance(row, Mapping) for row in known.values())
        ):
            remedy = "write {task domain: {curriculum domain: Ω}}"
            raise BadInput("distances", known, "[not-distances] are not Ω by two domains", remedy)
        return cls(
            dict(training),
            _get(_get(content, "train_cost", "experiment"), "compute", "train_cost"),
            pd.DataFrame(tasks),
            name or str(model.get("name", "") if isinstance(model, Mapping) else ""),
            None if known is None else pd.DataFrame(known).T,
            content.get("settings"),
            folder,
        )

    def to_dict(self) -> dict[str, Any]:
        """The authors' layout, with the Δ of each sample where the tasks are samples."""
        domains = [_domain_record(str(name), rows) for name, rows in self.tasks.groupby("domain", sort=False)]
        tested = sum(d["num_samples"] for d in domains)
        mean = {
            key: sum(d[key] * d["num_samples"] for d in domains) / tested
            for key in ("divergence", "perfects")
        }
        training = [{"name": k, "num_samples": n} for k, n in self.curriculum.items()]
        tests = [{"name": d["name"], "num_samples": d["num_samples"]} for d in domains]
        record: dict[str, Any] = {
            "model": {"name": self.name},
            "train_set": {"data": training, "total": sum(self.curriculum.values())},
            "test_set": {"data": tests, "total": tested},
            "train_cost": {"compute": self.compute},
            "performance": {**mean, "domains": domains},
        }
        if self.distances is not None:
            record["distances"] = self.distances.T.to_dict()
        if self.settings is not None:
            record["settings"] = dict(self.settings)
        return record

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the record as JSON, whole or not at all."""
        write_text(Path(path), json.dumps(self.to_dict(), indent=1) + "\n")
        return Path(path)

    @property
    def performance(self) -> float:
        """Mean θ over all test samples."""
        return _mean(self.tasks, "performance")

    @property
    def skill(self) -> float:
        """Share of test samples reproduced perfectly (Section 4; NaN where it is not recorded)."""
        return _mean(self.tasks, "skill")

    @property
    def per_sample(self) -> bool:
        """Whether each task is one test sample, rather than the mean of a domain."""
        return bool((self.tasks["samples"] == 1).all())

    def __repr__(self) -> str:
        total, domains, tasks = sum(self.curriculum.values()), len(self.curriculum), len(self.tasks)
        trained = f"{total:,} training samples in {domains} domain" + "s" * (domains != 1)
        tested = f"{tasks} task" + "s" * (tasks != 1)
        return f"Experiment({self.name!r}, {trained}, {self.compute:g} PFLOP, {tested})"


def _mean(tasks: pd.DataFrame, column: str) -> float:
    """The mean over samples; NaN where one is missing."""
    return float((tasks[column] * tasks["samples"]).sum(skipna=False) / tasks["samples"].sum())


def _get(row: object, key: str, where: str) -> Any:
    if not isinstance(row, Mapping):
        raise BadInput(where, row, "[not-an-object] is not an object", f"it should hold {key!r}")
    if key not in row:
        remedy = "compare with the authors' layout"
        raise BadInput(where, list(row), f"[missing-field] has no {key!r}", remedy)
    return row[key]


def _rows(content: object, part: str, key: str) -> list[tuple[str, Any]]:
    """The rows of a list of the record, each with its address."""
    rows = _get(_get(content, part, "experiment"), key, part)
    if not isinstance(rows, list) or not rows:
        raise BadInput(f"{part}.{key}", rows, "[empty] is empty", "list at least one domain")
    return [(f"{part}.{key}[{k}]", row) for k, row in enumerate(rows)]


def _task_rows(row: Any, at: str) -> list[dict[str, Any]]:
    """One row for the mean of a domain, or one per sample where their Δ are listed."""
    name = str(_get(row, "name", at))
    samples = row.get("samples")
    if samples is None:
        theta = 1 - number(f"{at}.divergence", _get(row, "divergence", at), 0, 1)
        count = integer(f"{at}.num_samples", row.get("num_samples", 1))
        return [{"domain": name, "performance": theta, "skill": row.get("perfects"), "samples": count}]
    if not isinstance(samples, list) or not samples:
        raise BadInput(f"{at}.samples", samples, "[empty] lists no Δ", "list the Δ of each sample")
    values = [number(f"{at}.samples[{k}]", value, 0, 1) for k, value in enumerate(samples)]
    return [{"domain": name, "performance": 1 - x, "skill": float(x == 0), "samples": 1} for x in values]


def _domain_record(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    count = int(rows["samples"].sum())
    weight = rows["samples"] / count
    divergence = 1 - float((rows["performance"] * weight).sum())
    perfects = float((rows["skill"] * weight).sum(skipna=False))
    record = {"name": name, "num_samples": count, "divergence": divergence, "perfects": perfects}
    if (rows["samples"] == 1).all():
        record["samples"] = (1 - rows["performance"]).tolist()
    return record


def _curriculum(curriculum: object) -> dict[str, int]:
    if not isinstance(curriculum, Mapping):
        problem = "[not-samples] is not samples per domain"
        raise BadInput("curriculum", curriculum, problem, "pass {domain: number}")
    counts = {str(k): integer(f"curriculum[{k!r}]", n, 0) for k, n in curriculum.items()}
    problem = "[empty] has no training sample"
    ensure(any(counts.values()), "curriculum", counts, problem, "give a domain at least one")
    return counts


def _tasks(tasks: object) -> pd.DataFrame:
    if not isinstance(tasks, pd.DataFrame) or not {"domain", "performance"} <= set(tasks.columns):
        problem = "[not-a-table] is not a table of domain and performance"
        raise BadInput("tasks", type(tasks), problem, "make one")
    ensure(not tasks.empty, "tasks", 0, "[empty] is empty", "test the system on at least one task")
    defaults = {"skill": float("nan"), "samples": 1}
    table = tasks.reset_index(drop=True).assign(domain=tasks["domain"].astype(str).to_numpy())
    table = table.assign(**{name: value for name, value in defaults.items() if name not in table})
    for k, (performance, samples) in enumerate(zip(table["performance"], table["samples"], strict=True)):
        number(f"tasks.performance[{k}]", performance, 0, 1)
        integer(f"tasks.samples[{k}]", samples)
    table["skill"] = [_share(value) for value in table["skill"].tolist()]
    return table[["domain", "performance", "skill", "samples"]]


def _share(skill: object) -> float:
    """The share of perfect programs; NaN where it is not recorded."""
    if skill is None or skill is pd.NA or (isinstance(skill, float) and skill != skill):
        return float("nan")
    try:
        return number("tasks.skill", skill, 0, 1)
    except BadInput:
        remedy = "use a number from 0 to 1"
        raise BadInput("tasks.skill", skill, "[out-of-range] must lie between 0 and 1", remedy) from None


def checked_distances(table: Any) -> pd.DataFrame:
    """Ω by task domain (rows) and curriculum domain (columns): every cell a number from 0 to 1."""
    if not isinstance(table, pd.DataFrame):
        remedy = "pass a DataFrame of task domains x curriculum domains"
        raise BadInput("distances", table, "[wrong-type] is not a table", remedy)
    try:
        values = table.to_numpy(dtype=float)
        sound = bool(((values >= 0) & (values <= 1)).all())
    except (TypeError, ValueError, OverflowError):
        sound = False
    for (i, j), value in np.ndenumerate(table.to_numpy()) if not sound else ():
        number(f"distances[{table.index[i]!r}, {table.columns[j]!r}]", value, 0, 1)
    return table
