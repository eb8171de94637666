"""Domains: how far tasks are from a curriculum, which tasks belong together, and results by domain.

The domain distance Ω of a task is its Δ to the nearest program of the curriculum (Eq 6): 0 where the task
was seen in training. Between two domains it is the mean over the tasks of one. Tasks that are close to each
other form a domain (Section 2.5: a mean Δ of about 0.15 or less), found here by clustering. The tables of
sizes and results are those behind Table 2 and Figs 10 and 11 of the g-index paper.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.foundation.output import as_path
from gindex_lab.foundation.validate import FloatArray, Mode, choice, number, numbers
from gindex_lab.measures.programs.comparison import nearest, nearest_in, nearest_many, pairwise
from gindex_lab.measures.programs.encode import IntArray, Rules, encode
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.measures.programs.records import Experiment, ExperimentLike

__all__ = [
    "NOTEBOOK_ORDER",
    "domain_distance",
    "domain_distances",
    "domain_results",
    "omega",
    "program_sizes",
    "read_programs",
    "results_by_size",
    "task_domains",
]

NOTEBOOK_ORDER = (
    "template-slider",
    "template-form",
    "url-skill",
    "cron-schedule",
    "gmail-send",
    "telegram-3-reply",
    "telegram-2-reply",
    "youtube-pause",
    "youtube-resume",
    "http",
    "cron-reminder",
    "google-search",
    "twitter",
    "youtube-play",
    "facebook",
    "googlesearch-to-csv",
)  # fmt: skip  (the order in which the authors' notebook went through the domains)


def omega(task: FlowLike, curriculum: Sequence[FlowLike], mode: Mode | Rules = "exact") -> float:
    """Ω(T', C) = min over the curriculum of Δ(T', T): Eq 6.

    >>> seen = [[{"id": "a", "type": "csv", "sep": ","}], [{"id": "a", "type": "tab"}]]
    >>> omega(seen[0], seen)
    0.0
    """
    return nearest(task, curriculum, mode)[1]


def domain_distance(
    tasks: Sequence[FlowLike] | str | PathLike[str],
    curriculum: Sequence[FlowLike] | str | PathLike[str],
    mode: Mode | Rules = "exact",
    *,
    exclude_self: bool | None = None,
) -> float:
    """The mean over tasks of Ω to a curriculum: how far one domain is from another.

    Each is a list of programs or a folder of JSON files. The distance has a direction. `exclude_self`
    keeps a task from being its own nearest neighbour; left open, exact mode does so where a domain of at
    least two programs is compared with itself, so that the result is how far its programs are from each
    other; a domain of one program has only itself, at distance 0. Reference mode, which also rounds to
    three decimals as the authors' code does, never excludes. (g-index paper, Eq 6.)

    >>> one, two = [{"id": "a", "type": "csv", "sep": ","}], [{"id": "a", "type": "csv", "sep": ";"}]
    >>> domain_distance([one], [one, two]), domain_distance([one, two], [one, two])
    (0.0, 1.0)
    """
    rows, columns = _domain("tasks", tasks), _domain("curriculum", curriculum)
    for name, flows in (("tasks", rows), ("curriculum", columns)):
        if not flows:
            raise BadInput(name, flows, "[empty] has no program", "pass at least one")
    reference = mode == "reference"
    if exclude_self is None:
        exclude_self = not reference and len(rows) > 1 and _same_domain(rows, columns)
    barred = _own_places(rows, columns) if exclude_self else None
    mean = float(np.mean(nearest_many(rows, columns, mode, exclude=barred).value))
    return round(mean, 3) if reference else mean


def _domain(name: str, programs: object) -> list[Flow]:
    """The programs of a domain: a list, or a folder of JSON files."""
    if isinstance(programs, (str, PathLike)) and Path(programs).is_dir():
        return [Flow.read(path) for path in sorted(Path(programs).glob("*.json"))]
    if isinstance(programs, (str, bytes, PathLike, Mapping, Flow)) or not isinstance(
        programs, Iterable
    ):
        remedy = "pass a list of programs or a folder of JSON files"
        raise BadInput(
            name, programs, "[not-programs] does not hold the programs of a domain", remedy
        )
    return [Flow.of(program) for program in programs]


def _same(a: Flow, b: Flow) -> bool:
    return a is b or (a.name == b.name and a.nodes == b.nodes)


def _same_domain(rows: list[Flow], columns: list[Flow]) -> bool:
    return len(rows) == len(columns) and all(map(_same, rows, columns))


def _own_places(rows: list[Flow], columns: list[Flow]) -> list[int]:
    """For each task its own place in the curriculum, or -1."""
    return [next((k for k, c in enumerate(columns) if _same(row, c)), -1) for row in rows]


def domain_distances(
    programs: Mapping[str, Any] | str | PathLike[str],
    mode: Mode | Rules = "exact",
    *,
    order: Iterable[str] | None = None,
    exclude_self: bool | None = None,
    cached: bool | None = None,
) -> pd.DataFrame:
    """Ω between all domains: rows are task domains, columns curriculum domains.

    `programs` maps each domain to its programs, or is a folder of folders of JSON files. The authors' code
    keeps the distance from a to b for that from b to a, so that its values depend on the `order` of the
    domains (the notebook's, where it knows them): `cached=True`, the default of reference mode.
    (g-index paper, Eq 6.)

    >>> csv, tab = [{"id": "a", "type": "csv"}], [{"id": "a", "type": "tab"}]
    >>> domain_distances({"one": [csv], "two": [csv, tab]})
         one  two
    one  0.0  0.0
    two  0.5  1.0
    """
    reference = mode == "reference"
    groups = read_programs(programs)
    names = _ordered(groups, order if order is not None or not reference else NOTEBOOK_ORDER)
    flows = [flow for name in names for flow in groups[name]]
    owner = np.repeat(np.arange(len(names)), [len(groups[name]) for name in names])
    best = _omegas(
        flows, owner, Rules.of(mode), not reference if exclude_self is None else exclude_self
    )
    mean = np.stack([best[owner == k].mean(axis=0) for k in range(len(names))])
    if reference:
        mean = np.round(mean, 3)
    if reference if cached is None else cached:
        mean = np.triu(mean) + np.triu(mean, 1).T
    return pd.DataFrame(mean, index=names, columns=names)


def _omegas(flows: list[Flow], owner: IntArray, rules: Rules, exclude_self: bool) -> FloatArray:
    """Ω of each flow to each domain; `owner` is the domain of each flow, in order."""
    table, _ = encode(flows, rules)
    places, result = np.arange(len(flows)), np.empty((len(flows), owner[-1] + 1))
    for k in range(result.shape[1]):
        own = owner == k
        start, end = np.flatnonzero(own)[[0, -1]] + (0, 1)
        # a domain of one program has only itself to compare with
        barred = np.where(own & exclude_self & (end - start > 1), places, -1)
        result[:, k] = nearest_in(table, places, (start, end), barred)[1]
    return result


def _ordered(groups: Mapping[str, Any], order: Iterable[str] | None) -> list[str]:
    """The domains in the given order; those it does not name follow by name."""
    if order is None:
        return list(groups)
    wanted = list(order)
    return [name for name in wanted if name in groups] + sorted(set(groups) - set(wanted))


def read_programs(source: Mapping[str, Any] | str | PathLike[str]) -> dict[str, list[Flow]]:
    """Programs by domain: from a folder with one folder of JSON files per domain, or from a mapping.

    Reference: g-index paper, section 2.3.1: programs as directed acyclic graphs.

    >>> read_programs({"one": {"a.json": [{"id": "a", "type": "tab"}]}})
    {'one': [Flow('a', 1 node, 0 wires, 1 type)]}
    """
    if isinstance(source, (str, PathLike)):
        folder = as_path("programs", source)
        found = {
            part.name: [Flow.read(path) for path in sorted(part.glob("*.json"))]
            for part in sorted(folder.glob("*"))
            if part.is_dir()
        }
        groups = {name: flows for name, flows in found.items() if flows}
    elif isinstance(source, Mapping):
        groups = {str(name): _group(content) for name, content in source.items()}
    else:
        raise BadInput(
            "programs",
            source,
            "[not-a-mapping] is not a mapping",
            "pass one, or a folder of programs",
        )
    empty = [name for name, flows in groups.items() if not flows]
    if not groups or empty:
        problem, remedy = "[empty] has no program", "add JSON files"
        raise BadInput("programs", empty[0] if empty else str(source)[:60], problem, remedy)
    return groups


def _group(content: Any) -> list[Flow]:
    if isinstance(content, Mapping):
        return [
            flow if isinstance(flow, Flow) else Flow(flow, name=Path(name).stem)
            for name, flow in content.items()
        ]
    if isinstance(content, (list, tuple)):
        return [Flow.of(flow) for flow in content]
    problem = "[not-a-list] is not a list of programs"
    raise BadInput("programs", content, problem, "list the flows of each domain")


def task_domains(
    flows: Sequence[FlowLike] | None = None,
    threshold: float = 0.15,
    *,
    linkage: str = "average",
    distances: FloatArray | None = None,
    mode: Mode | Rules = "exact",
) -> IntArray:
    """Cluster tasks into domains: the number of its domain for each task, from 0 in order of appearance.

    Agglomerative clustering of Δ, cut at `threshold` (Section 2.5 gives only "mean Δ about 0.15 or less";
    the linkage is our choice). A matrix of `distances` may be given in place of the flows.

    >>> one, two = [{"id": "a", "type": "csv"}], [{"id": "a", "type": "tab"}]
    >>> task_domains([one, two, one]).tolist()
    [0, 1, 0]
    """
    from scipy.cluster.hierarchy import fcluster
    from scipy.cluster.hierarchy import linkage as link
    from scipy.spatial.distance import squareform

    choice("linkage", linkage, ["average", "single", "complete"])
    cut = number("threshold", threshold, 0, 1)
    matrix = pairwise(flows or [], mode) if distances is None else numbers("distances", distances)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise BadInput(
            "distances", matrix.shape, "[not-square] is not a square of Δ", "pass flows or their Δ"
        )
    if len(matrix) == 1:
        return np.zeros(1, dtype=np.int64)
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0)
    raw = fcluster(link(squareform(symmetric, checks=False), linkage), cut, "distance")
    first = {label: k for k, label in enumerate(dict.fromkeys(raw.tolist()))}
    return np.array([first[label] for label in raw.tolist()], dtype=np.int64)


def program_sizes(programs: Any) -> pd.DataFrame:
    """Per domain the mean number of nodes and of characters of the JSON, and the number of programs.

    `programs` is what `domains.read_programs` takes: a folder or a mapping of domain to programs.

    >>> program_sizes({"one": [[{"id": "a", "type": "tab"}]]})
            nodes  characters  programs
    domain
    one       1.0        28.0         1

    References: g-index paper, Appendix A, Table 2.
    """
    rows = {}
    for domain, flows in read_programs(programs).items():
        texts = [len(json.dumps([dict(node) for node in flow.nodes])) for flow in flows]
        nodes = [len(flow) for flow in flows]
        rows[domain] = (sum(nodes) / len(flows), sum(texts) / len(flows), len(flows))
    table = pd.DataFrame.from_dict(
        rows, orient="index", columns=["nodes", "characters", "programs"]
    )
    return table.rename_axis("domain")


def domain_results(experiments: Mapping[str, ExperimentLike]) -> pd.DataFrame:
    """One row per experiment and test domain: `run`, `domain`, `performance`, `skill`, `tests`.

    Reference: g-index paper, section 4.

    >>> run = {"train_set": {"data": [{"name": "a", "num_samples": 8}]}, "train_cost": {"compute": 9},
    ...        "performance": {"domains": [{"name": "a", "divergence": 0.25, "perfects": 0.5}]}}
    >>> domain_results({"one": run})[["run", "domain", "performance", "skill"]].to_numpy().tolist()
    [['one', 'a', 0.75, 0.5]]
    """
    if not experiments:
        raise BadInput("experiments", experiments, "is empty", "pass at least one by its name")
    parts = []
    for run, source in experiments.items():
        tasks = Experiment.of(source).tasks
        means = tasks.groupby("domain", sort=False)[["performance", "skill"]].mean()
        tests = tasks.groupby("domain", sort=False)["samples"].sum()
        parts.append(means.assign(tests=tests, run=run).reset_index())
    columns = ["run", "domain", "performance", "skill", "tests"]
    return pd.concat(parts, ignore_index=True)[columns]


def results_by_size(
    results: pd.DataFrame, sizes: pd.DataFrame, models: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Mean performance and skill of each model on each domain, with the size of its programs.

    `results` is of `domain_results`, `sizes` of `program_sizes`; `models` names the model of each run
    (each run its own model without it). One row per model and domain: Figs 10 and 11.
    (g-index paper, Figures 10 and 11.)
    """
    absent = sorted(set(results["domain"]) - set(sizes.index))
    if absent:
        raise BadInput("sizes", absent[0], "is a domain without programs", "pass its programs too")
    table = results.assign(model=[(models or {}).get(run, run) for run in results["run"]])
    means = table.groupby(["model", "domain"], sort=False)[["performance", "skill"]].mean()
    return means.reset_index().join(sizes[["nodes", "characters"]], on="domain")
