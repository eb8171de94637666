"""The tables behind Table 2 and Figs 10 and 11 of the g-index paper: sizes of programs, results by domain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from gindex_lab.foundation.errors import BadInput
from gindex_lab.measures.programs.domains import read_programs
from gindex_lab.measures.programs.records import Experiment

__all__ = ["domain_results", "program_sizes", "results_by_size"]


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


def domain_results(experiments: Mapping[str, object]) -> pd.DataFrame:
    """One row per experiment and test domain: `run`, `domain`, `performance`, `skill`, `tests`.

    >>> run = {"train_set": {"data": [{"name": "a", "num_samples": 8}]}, "train_cost": {"compute": 9},
    ...        "performance": {"domains": [{"name": "a", "divergence": 0.25, "perfects": 0.5}]}}
    >>> domain_results({"one": run})[["run", "domain", "performance", "skill"]].to_numpy().tolist()
    [['one', 'a', 0.75, 0.5]]
    """
    if not experiments:
        raise BadInput("experiments", experiments, "are none", "pass at least one by its name")
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
    """
    absent = sorted(set(results["domain"]) - set(sizes.index))
    if absent:
        raise BadInput("sizes", absent[0], "is a domain without programs", "pass its programs too")
    table = results.assign(model=[(models or {}).get(run, run) for run in results["run"]])
    means = table.groupby(["model", "domain"], sort=False)[["performance", "skill"]].mean()
    return means.reset_index().join(sizes[["nodes", "characters"]], on="domain")
