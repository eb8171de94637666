"""Domains: how far tasks are from a curriculum, which tasks belong together, and results by domain.

The domain distance Ω of a task is its Δ to the nearest program of the curriculum (Eq 6; found in
`neighbours`): 0 where the task was seen in training. Between two domains it is the mean over the tasks of
one. Tasks that are close to each other form a domain (Section 2.5: a mean Δ of about 0.15 or less), found
here by clustering. The tables of sizes and results are those behind Table 2 and Figs 10 and 11.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gindex_lab.foundation.errors import BadInput, ensure
from gindex_lab.foundation.output import as_path
from gindex_lab.foundation.validate import FloatArray, Mode, choice, number, numbers
from gindex_lab.measures.programs.encode import IntArray, Rules, encode
from gindex_lab.measures.programs.flows import Flow, FlowLike
from gindex_lab.measures.programs.neighbours import nearest, nearest_in, nearest_many
from gindex_lab.measures.programs.records import Experiment, ExperimentLike
from gindex_lab.measures.programs.tiles import pairwise

__all__ = [
    "NOTEBOOK_ORDER", "domain_distance", "domain_distances", "domain_results", "omega", "program_sizes",
    "read_programs", "results_by_size", "task_domains",
]  # fmt: skip

# the order in which the authors' notebook went through the domains
NOTEBOOK_ORDER = (
    *("template-slider", "template-form", "url-skill", "cron-schedule", "gmail-send", "telegram-3-reply"),
    *("telegram-2-reply", "youtube-pause", "youtube-resume", "http", "cron-reminder", "google-search"),
    *("twitter", "youtube-play", "facebook", "googlesearch-to-csv"),
)


def omega(task: FlowLike, curriculum: Sequence[FlowLike], mode: Mode | Rules = "exact") -> float:
    """The domain distance Ω(T', C) = min over T in C of Δ(T', T) of a task from a curriculum.

    Parameters
    ----------
    task : the program T'
    curriculum : the programs C
    mode : "exact", "reference", or `Rules`

    Returns
    -------
    float : from 0 (the curriculum has the task) to 1 (it shares nothing with any program)

    References
    ----------
    g-index paper, Eq 6.

    Examples
    --------
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
    """How far one domain is from another: the mean over its tasks of Ω to the other, a curriculum.

    Parameters
    ----------
    tasks, curriculum : programs, each a list or a folder of JSON files; the distance has a direction
    mode : "exact", "reference" (rounds to three decimals, as the authors' code does), or `Rules`
    exclude_self : whether a task may not be its own nearest neighbour
        By default exact mode does so where a domain of at least two programs is compared with itself, so
        that the result is how far its programs are from each other; reference mode never does.

    Returns
    -------
    float : the mean Ω

    References
    ----------
    g-index paper, Eq 6.

    Examples
    --------
    >>> one, two = [{"id": "a", "type": "csv", "sep": ","}], [{"id": "a", "type": "csv", "sep": ";"}]
    >>> domain_distance([one], [one, two]), domain_distance([one, two], [one, two])
    (0.0, 1.0)
    """
    rows, columns = _domain("tasks", tasks), _domain("curriculum", curriculum)
    reference = mode == "reference"
    if exclude_self is None:
        same = len(rows) == len(columns) > 1 and all(map(_same, rows, columns))
        exclude_self = same and not reference
    own = (
        [next((k for k, c in enumerate(columns) if _same(row, c)), -1) for row in rows]
        if exclude_self
        else None
    )
    mean = float(np.mean(nearest_many(rows, columns, mode, exclude=own).value))
    return round(mean, 3) if reference else mean


def _domain(name: str, programs: Any) -> list[Flow]:
    """The programs of a domain, at least one: a list, or a folder of JSON files."""
    if isinstance(programs, (str, PathLike)) and Path(programs).is_dir():
        programs = sorted(Path(programs).glob("*.json"))
    elif isinstance(programs, (str, bytes, PathLike, Mapping, Flow)) or not isinstance(programs, Iterable):
        remedy = "pass a list of programs or a folder of JSON files"
        raise BadInput(name, programs, "[not-programs] does not hold the programs of a domain", remedy)
    flows = [Flow.of(program) for program in programs]
    ensure(flows, name, flows, "[empty] has no program", "pass at least one")
    return flows


def _same(a: Flow, b: Flow) -> bool:
    return a is b or (a.name == b.name and a.nodes == b.nodes)


def domain_distances(
    programs: Mapping[str, Any] | str | PathLike[str],
    mode: Mode | Rules = "exact",
    *,
    order: Iterable[str] | None = None,
    exclude_self: bool | None = None,
    cached: bool | None = None,
) -> pd.DataFrame:
    """The mean Ω between all domains.

    Parameters
    ----------
    programs : a mapping of each domain to its programs, or a folder of folders of JSON files
    mode : "exact", "reference" (rounds to three decimals), or `Rules`
    order : of the domains; those not named follow by name (reference mode: that of the authors' notebook)
    exclude_self : whether a task may not be its own nearest neighbour (default in exact mode)
    cached : whether the distance from a to b also stands for that from b to a, as in the authors' code, whose
        values depend on the order of the domains (default in reference mode)

    Returns
    -------
    DataFrame : task domains (rows) x curriculum domains (columns)

    References
    ----------
    g-index paper, Eq 6.

    Examples
    --------
    >>> csv, tab = [{"id": "a", "type": "csv"}], [{"id": "a", "type": "tab"}]
    >>> domain_distances({"one": [csv], "two": [csv, tab]})
         one  two
    one  0.0  0.0
    two  0.5  1.0
    """
    reference = mode == "reference"
    groups, names = read_programs(programs), order
    if names is None:
        names = NOTEBOOK_ORDER if reference else groups
    named = [name for name in names if name in groups]
    named += sorted(set(groups) - set(named))
    flows = [flow for name in named for flow in groups[name]]
    owner = np.repeat(np.arange(len(named)), [len(groups[name]) for name in named])
    best = _omegas(flows, owner, Rules.of(mode), not reference if exclude_self is None else exclude_self)
    mean = np.stack([best[owner == k].mean(axis=0) for k in range(len(named))])
    if reference:
        mean = np.round(mean, 3)
    if reference if cached is None else cached:
        mean = np.triu(mean) + np.triu(mean, 1).T
    return pd.DataFrame(mean, index=named, columns=named)


def _omegas(flows: list[Flow], owner: IntArray, rules: Rules, exclude_self: bool) -> FloatArray:
    """Ω of each flow to each domain; `owner` is the domain of each flow, in order."""
    table, _ = encode(flows, rules)
    places, result = np.arange(len(flows)), np.empty((len(flows), owner[-1] + 1))
    for k in range(result.shape[1]):
        own = owner == k
        start, end = np.flatnonzero(own)[[0, -1]] + (0, 1)
        # a domain of one program has only itself to compare with
        barred = np.where(own & exclude_self & (end - start > 1), places, -1)
        result[:, k] = nearest_in(table, places, (start, end), barred).value
    return result


def read_programs(source: Mapping[str, Any] | str | PathLike[str]) -> dict[str, list[Flow]]:
    """Programs by domain.

    Parameters
    ----------
    source : a folder with one folder of JSON files per domain, or a mapping of domain to programs, which are
        listed or themselves given by name

    Returns
    -------
    dict : the flows of each domain

    References
    ----------
    g-index paper, section 2.3.1: programs as directed acyclic graphs.

    Examples
    --------
    >>> read_programs({"one": {"a.json": [{"id": "a", "type": "tab"}]}})
    {'one': [Flow('a', 1 node, 0 wires, 1 type)]}
    """
    if isinstance(source, (str, PathLike)):
        folders = [part for part in sorted(as_path("programs", source).glob("*")) if part.is_dir()]
        found = {part.name: [Flow.read(path) for path in sorted(part.glob("*.json"))] for part in folders}
        groups = {name: flows for name, flows in found.items() if flows}
    elif isinstance(source, Mapping):
        groups = {str(name): _group(content) for name, content in source.items()}
    else:
        raise BadInput(
            "programs", source, "[not-a-mapping] is not a mapping", "pass one, or a folder of programs"
        )
    empty = [name for name, flows in groups.items() if not flows]
    if not groups or empty:
        problem, remedy = "[empty] has no program", "add JSON files"
        raise BadInput("programs", empty[0] if empty else str(source)[:60], problem, remedy)
    return groups


def _group(content: Any) -> list[Flow]:
    if isinstance(content, Mapping):
        named = [(Path(name).stem, flow) for name, flow in content.items()]
        return [flow if isinstance(flow, Flow) else Flow(flow, name=name) for name, flow in named]
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
    """Cluster tasks into domains: agglomerative clustering of Δ.

    Parameters
    ----------
    flows : the tasks
    threshold : of the mean Δ at which the tree is cut (the paper says about 0.15 or less)
    linkage : "average", "single" or "complete" (our choice: the paper names none)
    distances : a matrix of Δ in place of the flows
    mode : "exact", "reference", or `Rules`

    Returns
    -------
    array : the number of its domain for each task, from 0 in order of appearance

    References
    ----------
    g-index paper, section 2.5.

    Examples
    --------
    >>> one, two = [{"id": "a", "type": "csv"}], [{"id": "a", "type": "tab"}]
    >>> task_domains([one, two, one]).tolist()
    [0, 1, 0]
    """
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import squareform

    choice("linkage", linkage, ["average", "single", "complete"])
    cut = number("threshold", threshold, 0, 1)
    matrix = pairwise(flows or [], mode) if distances is None else numbers("distances", distances)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and len(matrix)
    ensure(square, "distances", matrix.shape, "[not-square] is not a square of Δ", "pass flows or their Δ")
    if len(matrix) == 1:
        return np.zeros(1, dtype=np.int64)
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0)
    tree = hierarchy.linkage(squareform(symmetric, checks=False), linkage)
    return pd.factorize(hierarchy.fcluster(tree, cut, "distance"))[0].astype(np.int64)


def program_sizes(programs: Any) -> pd.DataFrame:
    """How large the programs of each domain are.

    Parameters
    ----------
    programs : a folder or a mapping of domain to programs, as for `read_programs`

    Returns
    -------
    DataFrame : per domain the mean number of `nodes` and of `characters` of the JSON, and of `programs`

    References
    ----------
    g-index paper, Appendix A, Table 2.

    Examples
    --------
    >>> program_sizes({"one": [[{"id": "a", "type": "tab"}]]})
            nodes  characters  programs
    domain
    one       1.0        28.0         1
    """
    rows = {}
    for domain, flows in read_programs(programs).items():
        texts = [len(json.dumps([dict(node) for node in flow.nodes])) for flow in flows]
        rows[domain] = (sum(map(len, flows)) / len(flows), sum(texts) / len(flows), len(flows))
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["nodes", "characters", "programs"])
    return table.rename_axis("domain")


def domain_results(experiments: Mapping[str, ExperimentLike]) -> pd.DataFrame:
    """The results of experiments by test domain.

    Parameters
    ----------
    experiments : at least one experiment by name

    Returns
    -------
    DataFrame : one row per experiment and domain; `run`, `domain`, `performance`, `skill`, `tests`

    References
    ----------
    g-index paper, section 4.

    Examples
    --------
    >>> run = {"train_set": {"data": [{"name": "a", "num_samples": 8}]}, "train_cost": {"compute": 9},
    ...        "performance": {"domains": [{"name": "a", "divergence": 0.25, "perfects": 0.5}]}}
    >>> domain_results({"one": run})[["run", "domain", "performance", "skill"]].to_numpy().tolist()
    [['one', 'a', 0.75, 0.5]]
    """
    ensure(experiments, "experiments", experiments, "is empty", "pass at least one by its name")
    tables = [Experiment.of(source).tasks.assign(run=run) for run, source in experiments.items()]
    groups = pd.concat(tables, ignore_index=True).groupby(["run", "domain"], sort=False)
    return groups.agg(
        performance=("performance", "mean"), skill=("skill", "mean"), tests=("samples", "sum")
    ).reset_index()


def results_by_size(
    results: pd.DataFrame, sizes: pd.DataFrame, models: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Mean performance and skill of each model on each domain, with the size of its programs.

    Parameters
    ----------
    results : what `domain_results` gives
    sizes : what `program_sizes` gives
    models : the model of each run; without it each run is its own model

    Returns
    -------
    DataFrame : one row per `model` and `domain`; `performance`, `skill`, `nodes`, `characters`

    References
    ----------
    g-index paper, Figures 10 and 11.
    """
    absent = sorted(set(results["domain"]) - set(sizes.index))
    if absent:
        raise BadInput("sizes", absent[0], "is a domain without programs", "pass its programs too")
    table = results.assign(model=[(models or {}).get(run, run) for run in results["run"]])
    means = table.groupby(["model", "domain"], sort=False)[["performance", "skill"]].mean()
    return means.reset_index().join(sizes[["nodes", "characters"]], on="domain")
