"""METR's runs: one row per run of an agent on a task, as JSONL or a table (eval-analysis-public, 2025-26).

A row has `task_id`, `task_family`, `alias` (how the agent is called; `model` in older files),
`score_binarized` (1 or 0), `score_cont`, `human_minutes` (how long people take, the same for every run of a
task), `run_id`, and weights of the run (`equal_task_weight`, `invsqrt_task_weight`, which add up to 1 over
the runs of an agent). Runs of an agent on a task are repeats; the weight of a task is that of all its runs,
averaged over the agents; minutes go with the items, and make a time horizon possible. (src/horizon of
eval-analysis-public, read in November 2026.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.metrics import Metrics
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import Repeats, name_in, rows_of, score_of
from gindex_lab.studies.readers.roles import log_roles
from gindex_lab.studies.readers.storage import Storage

__all__ = ["read_metr"]

_METRICS = ("score_binarized", "score_cont", "score")
_FACTS = {"human_minutes": "minutes", "task_source": "source", "human_source": "human_source"}
_WEIGHTS = {"equal_task_weight": "weight", "invsqrt_task_weight": "invsqrt_task_weight"}


def read_metr(files: Sequence[Path], found: Storage) -> None:
    """Agents are aliases, families are task families, and repeated runs are trials."""
    metrics, turn, differ = Metrics(found), Repeats(), set[str]()
    weights: dict[tuple[str, str], dict[str, dict[str, float]]] = {}  # by task, weighting and agent
    columns = found.options.columns
    for file in files:
        with found.reading(file):
            for number, row in rows_of(file, found, ["task_id"]):
                if not metrics.chosen:
                    known = [name for name in _METRICS if name in row]
                    metrics.of("", known, file, what="the runs")
                agent = name_in(row, file, number, "alias", "model")
                task = name_in(row, file, number, "task_id")
                family = str(row.get("task_family") or task.split("/")[0])
                value = score_of(row.get(metrics.chosen[""]), file, f"line {number}")
                found.count("gaps", "runs have no score, and count as missing", value != value)
                said = (
                    "runs are of people ('human' is an agent too): leave it out with agents=[...] (--agents)"
                )
                found.count("agents", said, agent.lower() == "human")
                item = task.removeprefix(f"{family}/")
                found.add(agent, family, item, value, trial=turn.next(agent, family, item))
                for name in [name for name in _WEIGHTS if name in row] if "weight" not in columns else ():
                    weight = score_of(row[name], file, f"the weight in line {number}")
                    runs = weights.setdefault((family, item), {}).setdefault(name, {})
                    runs[agent] = runs.get(agent, 0.0) + weight
                differ |= _add_facts(found.facts_of(family, item), row, found.options)
                about = found.agent_facts.setdefault(agent, {})
                if isinstance(row.get("model"), str):
                    about.setdefault("model", row["model"])
                date = row.get(columns.get("date") or "release_date")
                if date is not None:
                    about.setdefault("date", date)
    for pair, some in weights.items():
        for name, by_agent in some.items():
            found.item_facts[pair][_WEIGHTS[name]] = sum(by_agent.values()) / len(by_agent)
    metrics.say()
    if any("minutes" in row for row in found.item_facts.values()):
        found.note("roles", "human_minutes were read as the minutes of the items")
    if differ:
        words = " and ".join(sorted(differ))
        found.note("roles", f"some tasks have several values of {words}: the first was kept")


def _add_facts(facts: dict[str, Any], row: dict[str, Any], options: Options) -> set[str]:
    """Keep the facts of a task, its roles as asked for; gives those that an earlier run contradicts."""
    asked = {role for role in ("difficulty", "weight") if role in options.columns}
    known = {label: row[name] for name, label in _FACTS.items() if row.get(name) is not None}
    roles = log_roles({"metadata": row}, options)
    if "weight" not in asked:
        roles.pop("weight", None)  # of one run
    known |= {name: value for name, value in roles.items() if name in asked or name not in known}
    return {name for name, value in known.items() if facts.setdefault(name, value) != value}
