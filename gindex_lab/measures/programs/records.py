"""Records of experiments: what a system was trained on, what that cost, and how it did.

The authors store an experiment as JSON: samples per curriculum domain, compute in PFLOP, and per test domain
the mean divergence and the share of perfect programs. `Experiment` reads and writes that layout, and adds
what the g-index needs beyond it: the divergence of every test sample, and distances between domains.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.inputs import as_path, parse_json, read_text
from gindex_lab.foundation.output import write_text
from gindex_lab.foundation.validate import integer, number

__all__ = ["Experiment", "ExperimentLike"]

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

    Reference: g-index paper, section 3.1: curriculum, experience E and performance θ.

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
        object.__setattr__(self, "distances", _distances(self.distances))
        settings: object = self.settings
        if settings is not None and not isinstance(settings, Mapping):
            remedy = "pass {'mode': ..., 'unit': ...}, or none"
            raise BadInput("settings", settings, "[not-settings] are not settings by name", remedy)

    @classmethod
    def of(cls, source: ExperimentLike) -> Experiment:
        """An experiment as it is, or from a path or dict in the authors' layout."""
        if isinstance(source, Experiment):
            return source
        if isinstance(source, (str, PathLike)):
            return cls.read(source)
        return cls.from_dict(source)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """From a JSON file in the authors' layout."""
        path = as_path("experiment", path)
        text = read_text(path, argument="experiment")
        try:
            content = parse_json(text, "experiment", str(path))
        except BadInput:
            raise
        except ValueError as error:
            problem = f"[not-json] is not JSON ({str(error)[:60]})"
            remedy = "fix the file"
            raise BadInput("experiment", str(path), problem, remedy) from None
        return cls.from_dict(content, name=path.stem, folder=path.parent)

    @classmethod
    def from_dict(
        cls, content: Mapping[str, Any], name: str = "", folder: Path | None = None
    ) -> Self:
        """From a dict in the authors' layout; `performance.domains[k].samples` may list each sample's Δ."""
        training = [
            (str(_get(row, "name", at)), _get(row, "num_samples", at))
            for at, row in _rows(content, "train_set", "data")
        ]
        repeated = {
            domain for k, (domain, _) in enumerate(training) if domain in dict(training[:k])
        }
        if repeated:
            raise BadInput(
                "train_set", repeated.pop(), "[duplicate] appears twice", "add its samples up"
            )
        tasks = [
            task
            for at, row in _rows(content, "performance", "domains")
            for task in _task_rows(row, at)
        ]
        assert isinstance(content, Mapping)  # _rows has seen to it
        return cls(
            dict(training),
            _get(_get(content, "train_cost", "experiment"), "compute", "train_cost"),
            pd.DataFrame(tasks),
            name or str(_model_name(content)),
            _matrix(content.get("distances")),
            content.get("settings"),
            folder,
        )

    def to_dict(self) -> dict[str, Any]:
        """The authors' layout, with the Δ of each sample where the tasks are samples."""
        total = sum(self.curriculum.values())
        training = [{"name": k, "num_samples": n} for k, n in self.curriculum.items()]
        domains = [_domain_record(name, rows) for name, rows in self._by_domain()]
        tests = [{"name": d["name"], "num_samples": d["num_samples"]} for d in domains]
        tested = sum(test["num_samples"] for test in tests)
        record: dict[str, Any] = {
            "model": {"name": self.name},
            "train_set": {"data": training, "total": total},
            "test_set": {"data": tests, "total": tested},
            "train_cost": {"compute": self.compute},
            "performance": {
                "divergence": sum(d["divergence"] * d["num_samples"] for d in domains) / tested,
                "perfects": sum(d["perfects"] * d["num_samples"] for d in domains) / tested,
                "domains": domains,
            },
        }
        if self.distances is not None:
            record["distances"] = self.distances.T.to_dict()
        if self.settings is not None:
            record["settings"] = dict(self.settings)
        return record

    def _by_domain(self) -> list[tuple[str, pd.DataFrame]]:
        return [(str(name), rows) for name, rows in self.tasks.groupby("domain", sort=False)]

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the record as JSON, whole or not at all."""
        write_text(Path(path), json.dumps(self.to_dict(), indent=1) + "\n")
        return Path(path)

    @property
    def performance(self) -> float:
        """Mean θ over all test samples."""
        return float(
            (self.tasks["performance"] * self.tasks["samples"]).sum() / self.tasks["samples"].sum()
        )

    @property
    def skill(self) -> float:
        """Share of test samples reproduced perfectly (Section 4; NaN where it is not recorded)."""
        return float(
            (self.tasks["skill"] * self.tasks["samples"]).sum(skipna=False)
            / self.tasks["samples"].sum()
        )

    @property
    def per_sample(self) -> bool:
        """Whether each task is one test sample, rather than the mean of a domain."""
        return bool((self.tasks["samples"] == 1).all())

    def __repr__(self) -> str:
        total, domains, tasks = sum(self.curriculum.values()), len(self.curriculum), len(self.tasks)
        trained = f"{total:,} training samples in {domains} domain" + "s" * (domains != 1)
        tested = f"{tasks} task" + "s" * (tasks != 1)
        return f"Experiment({self.name!r}, {trained}, {self.compute:g} PFLOP, {tested})"


def _get(row: object, key: str, where: str) -> Any:
    if not isinstance(row, Mapping):
        raise BadInput(where, row, "[not-an-object] is not an object", f"it should hold {key!r}")
    if key not in row:
        raise BadInput(
            where, list(row), f"[missing-field] has no {key!r}", "compare with the authors' layout"
        )
    return row[key]


def _rows(content: object, part: str, key: str) -> list[tuple[str, Any]]:
    rows = _get(_get(content, part, "experiment"), key, part)
    if not isinstance(rows, list) or not rows:
        raise BadInput(f"{part}.{key}", rows, "[empty] is empty", "list at least one domain")
    return [(f"{part}.{key}[{k}]", row) for k, row in enumerate(rows)]


def _task_rows(row: object, at: str) -> list[dict[str, Any]]:
    """One row for the mean of a domain, or one per sample where their Δ are listed."""
    name = str(_get(row, "name", at))
    assert isinstance(row, Mapping)  # _get has seen to it
    samples = row.get("samples")
    if samples is None:
        mean = number(f"{at}.divergence", _get(row, "divergence", at), 0, 1)
        count = integer(f"{at}.num_samples", row.get("num_samples", 1))
        return [
            {
                "domain": name,
                "performance": 1 - mean,
                "skill": row.get("perfects"),
                "samples": count,
            }
        ]
    if not isinstance(samples, list) or not samples:
        raise BadInput(f"{at}.samples", samples, "[empty] lists no Δ", "list the Δ of each sample")
    values = [number(f"{at}.samples[{k}]", value, 0, 1) for k, value in enumerate(samples)]
    return [
        {"domain": name, "performance": 1 - value, "skill": float(value == 0), "samples": 1}
        for value in values
    ]


def _domain_record(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    count = int(rows["samples"].sum())
    weight = rows["samples"] / count
    record: dict[str, Any] = {
        "name": name,
        "num_samples": count,
        "divergence": 1 - float((rows["performance"] * weight).sum()),
        "perfects": float((rows["skill"] * weight).sum(skipna=False)),
    }
    if (rows["samples"] == 1).all():
        record["samples"] = (1 - rows["performance"]).tolist()
    return record


def _matrix(known: object) -> pd.DataFrame | None:
    """Ω by task domain and curriculum domain, as JSON holds it."""
    if known is None:
        return None
    if not isinstance(known, Mapping) or not all(isinstance(v, Mapping) for v in known.values()):
        remedy = "write {task domain: {curriculum domain: Ω}}"
        raise BadInput("distances", known, "[not-distances] are not Ω by two domains", remedy)
    for task, row in known.items():
        for domain, value in row.items():
            number(f"distances[{task!r}][{domain!r}]", value, 0, 1)
    return pd.DataFrame(known).T


def _model_name(content: object) -> object:
    model = content.get("model") if isinstance(content, Mapping) else None
    return model.get("name", "") if isinstance(model, Mapping) else ""


def _curriculum(curriculum: object) -> dict[str, int]:
    if not isinstance(curriculum, Mapping):
        problem = "[not-samples] is not samples per domain"
        raise BadInput("curriculum", curriculum, problem, "pass {domain: number}")
    counts = {str(k): integer(f"curriculum[{k!r}]", n, 0) for k, n in curriculum.items()}
    if not any(counts.values()):
        problem = "[empty] has no training sample"
        raise BadInput("curriculum", counts, problem, "give a domain at least one")
    return counts


def _tasks(tasks: object) -> pd.DataFrame:
    if not isinstance(tasks, pd.DataFrame) or not {"domain", "performance"} <= set(tasks.columns):
        raise BadInput(
            "tasks",
            type(tasks),
            "[not-a-table] is not a table of domain and performance",
            "make one",
        )
    if tasks.empty:
        raise BadInput("tasks", 0, "[empty] is empty", "test the system on at least one task")
    table = tasks.reset_index(drop=True).assign(domain=tasks["domain"].astype(str).to_numpy())
    for column, default in (("skill", float("nan")), ("samples", 1)):
        if column not in table:
            table[column] = default
    for k, value in enumerate(table["performance"].tolist()):
        number(f"tasks.performance[{k}]", value, 0, 1)
    for k, value in enumerate(table["samples"].tolist()):
        integer(f"tasks.samples[{k}]", value)
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
        raise BadInput(
            "tasks.skill", skill, "[out-of-range] must lie between 0 and 1", remedy
        ) from None


def _distances(distances: object) -> pd.DataFrame | None:
    if distances is None:
        return None
    if not isinstance(distances, pd.DataFrame):
        problem = "is not a DataFrame"
        raise BadInput("distances", type(distances), problem, "index it by task domain")
    try:
        values = distances.to_numpy(dtype=float)
    except (TypeError, ValueError):
        remedy = "fill it with Ω, numbers from 0 to 1"
        raise BadInput(
            "distances", distances.to_numpy(), "[not-a-number] contains no numbers", remedy
        ) from None
    if not ((values >= 0) & (values <= 1)).all():
        raise BadInput(
            "distances",
            values,
            "[out-of-range] leaves [0, 1]",
            "Ω is a divergence: check the matrix",
        )
    return distances
