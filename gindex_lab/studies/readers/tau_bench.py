"""tau-bench and tau2-bench: the reward of each trial of each task.

tau-bench (2024) writes a list of {task_id, reward, info, traj, trial}; the model stands only in the file's
name, `tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1015123456.json`; the trajectories that it publishes
are called after model and domain, `gpt-4o-airline.json`. tau2-bench (2025) writes
{"info": {agent_info {llm}, environment_info {domain_name}}, "tasks": [...], "simulations": [{task_id, trial,
reward_info {reward}, termination_reason}]}, or instead of the last a "simulation_index" [{task_id, trial,
reward, termination_reason}] and the simulations as files of a folder beside. A conversation that broke off
has reward 0 in both, as in their own pass^1; tau2-bench leaves out what its infrastructure broke, and so do
we. (run.py of tau-bench; data_model/simulation.py and metrics/agent_metrics.py of tau2-bench, repositories of
2026, read in November 2026.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.parts import Identities, field, mapping, names_by_file, score_of
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import LINES, bad_file, json_lines, load_json, stem_of, suffix_of

__all__ = ["agent_of_name", "read_tau_bench"]

_STRATEGY = r"(?P<strategy>tool-calling|act|react|few-shot)"
_NAME = re.compile(rf"{_STRATEGY}-(?P<model>.+)-(?P<temperature>[\d.]+)_range_.*")
_DOMAIN = re.compile(r"(?P<model>.+)-(?P<domain>airline|retail|telecom)")
_BROKEN = ("infrastructure_error", "context_window_exceeded")  # in no headline of tau2-bench


def read_tau_bench(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, items are tasks, trials are trials; families are the domains of tau2-bench."""
    older: dict[Path, list[Any]] = {}
    parts = [file for file in files if file.parent.name == "simulations"]
    for file in [f for f in files if f not in parts] or parts:
        with found.reading(file):
            content = _content(file, found)
            if isinstance(content, dict):
                beside = [f for f in parts if f.parent.parent == file.parent]
                _add_simulations(content, beside, file, found)
            else:
                older[file] = content
    if not older:
        return
    named = {file: agent_of_name(stem_of(file)) for file in older}
    others = [file for file, agent in named.items() if agent is None]
    names = names_by_file(others, found, prefer="file") if others else {}
    domains = all(_DOMAIN.fullmatch(name) for name in names.values())
    items = Identities()
    for file, rows in older.items():
        with found.reading(file):
            agent = named[file] or names[file]
            part = _DOMAIN.fullmatch(agent) if domains else None
            agent, family = part.group("model", "domain") if part else (agent, "")
            _add_conversations(rows, agent, family, items, file, found)
    items.say(found)


def _content(file: Path, found: Storage) -> Any:
    if suffix_of(file) in LINES:
        return [row for _, row in json_lines(file, found.notes, found.options.encoding)]
    return load_json(file, found.options.encoding)


def agent_of_name(stem: str) -> str | None:
    """Model and strategy in the name of a file of tau-bench; None for another name."""
    match = _NAME.match(stem)
    return f"{match['model']} ({match['strategy']})" if match else None


def _add_conversations(
    rows: list[Any], agent: str, family: str, items: Identities, file: Path, found: Storage
) -> None:
    """Trials of tau-bench; tasks of the same number and another wording are other items."""
    for row in rows:
        if not isinstance(row, dict) or "task_id" not in row or "reward" not in row:
            problem = "[wrong-type] has an entry without task_id and reward"
            raise bad_file(file, problem, "name a file that tau-bench wrote")
        said = "conversations that ended in an error count as failed, as in the headline of tau-bench"
        found.count("gaps", said, "error" in mapping(row, "info"))
        label, wording = str(row["task_id"]), mapping(row, "info", "task").get("instruction")
        item = label if wording is None else items.name(family, label, wording)
        value = score_of(row["reward"], file, repr(item))
        found.add(agent, family, item, value, trial=row.get("trial", 0))


def _add_simulations(content: dict[str, Any], beside: Sequence[Path], file: Path, found: Storage) -> None:
    """One run of tau2-bench; of a run in several files, the index has the rewards, else each file of
    `beside`."""
    info = field(content, "info", dict, file, "tau2-bench")
    about = field(info, "agent_info", dict, file, "tau2-bench")
    voice = mapping(info, "audio_native_config").get("model")
    agent = str(about.get("llm") or voice or about.get("implementation") or "")
    if not agent:
        problem = "[wrong-type] does not name its agent (info.agent_info)"
        raise bad_file(file, problem, "write it again")
    settings = {"solver": about.get("implementation"), "model+args": about.get("llm_args")}
    agent = found.agent(agent, file, settings)
    family = str(mapping(info, "environment_info").get("domain_name") or "")
    rows = content.get("simulations") or content.get("simulation_index")
    rows = rows or [load_json(one, found.options.encoding) for one in beside]
    for row in rows or field(content, "simulations", list, file, "tau2-bench"):
        if not isinstance(row, dict) or "task_id" not in row:
            raise bad_file(file, "[wrong-type] has a simulation without task_id", "write it again")
        reward = mapping(row, "reward_info").get("reward", row.get("reward"))
        if row.get("termination_reason") in _BROKEN:
            said = "simulations ended in an error of the infrastructure, and count as missing"
            found.count("gaps", said)
            reward = None
        elif reward is None:
            found.count("gaps", "simulations have no reward, and count as missing")
        task = str(row["task_id"])
        found.add(agent, family, task, score_of(reward, file, repr(task)), trial=row.get("trial", 0))
