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

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Identities,
    field,
    mapping,
    names_by_file,
    note_failures,
    score_of,
    wrong_field,
)
from gindex_lab.studies.readers.text import LINES, json_lines, load_json, plain

__all__ = ["agent_of_name", "read_tau_bench"]

_NAME = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>[\d.]+)_range_.*"
)

_DOMAIN = re.compile(r"(?P<model>.+)-(?P<domain>airline|retail|telecom)")

_BROKEN = ("infrastructure_error", "context_window_exceeded")  # in no headline of tau2-bench


def read_tau_bench(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models, items are tasks, trials are trials; families are the domains of tau2-bench."""
    reader = _Reader(found)
    older: dict[Path, list[Any]] = {}
    parts = [file for file in files if file.parent.name == "simulations"]
    for file in [f for f in files if f not in parts] or parts:
        with found.reading(file, options):
            content = _content(file, found, options)
            if isinstance(content, dict):
                beside = [f for f in parts if f.parent.parent == file.parent]
                reader.simulations(content, beside, file, options)
            else:
                older[file] = content
    if older:
        named = {file: agent_of_name(plain(file).stem) for file in older}
        others = [file for file, agent in named.items() if agent is None]
        names = names_by_file(others, found, options, prefer="file") if others else {}
        domains = all(_DOMAIN.fullmatch(name) for name in names.values())
        for file, rows in older.items():
            with found.reading(file, options):
                agent = named[file] or names[file]
                part = _DOMAIN.fullmatch(agent) if domains else None
                agent, family = part.group("model", "domain") if part else (agent, "")
                reader.conversations(rows, agent, family, file)
    reader.finish()


def _content(file: Path, found: Collector, options: Options) -> Any:
    if plain(file).suffix.lower() in LINES:
        return [row for _, row in json_lines(file, found.notes, options.encoding)]
    return load_json(file, options.encoding)


def agent_of_name(stem: str) -> str | None:
    """Model and strategy in the name of a file of tau-bench; None for another name.

    >>> agent_of_name("tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1015123456")
    'gpt-4o (tool-calling)'
    """
    match = _NAME.match(stem)
    return f"{match['model']} ({match['strategy']})" if match else None


class _Reader:
    def __init__(self, found: Collector) -> None:
        self.found, self.items = found, Identities()
        self.broken = self.unscored = self.lost = 0

    def conversations(self, rows: list[Any], agent: str, family: str, file: Path) -> None:
        for row in rows:
            if not isinstance(row, dict) or "task_id" not in row or "reward" not in row:
                problem = "has an entry without task_id and reward"
                raise wrong_field(file, problem, "name a file that tau-bench wrote")
            info = mapping(row, "info")
            task = mapping(info, "task")
            self.broken += "error" in info
            wording = task.get("instruction")
            label = str(row["task_id"])
            item = label if wording is None else self.items.name(family, label, wording)
            self.add(agent, family, item, row["reward"], row.get("trial", 0), file)

    def simulations(
        self, content: dict[str, Any], beside: Sequence[Path], file: Path, options: Options
    ) -> None:
        """One run; of a run in several files, the index has the rewards, else each file of `beside`."""
        info = field(content, "info", dict, file, "tau2-bench")
        about = field(info, "agent_info", dict, file, "tau2-bench")
        voice = mapping(info, "audio_native_config").get("model")
        agent = str(about.get("llm") or voice or about.get("implementation") or "")
        if not agent:
            raise wrong_field(file, "does not name its agent (info.agent_info)", "write it again")
        settings = {"solver": about.get("implementation"), "model+args": about.get("llm_args")}
        agent = agent_name(agent, file, self.found, options, settings)
        family = str(mapping(info, "environment_info").get("domain_name") or "")
        rows = content.get("simulations") or content.get("simulation_index")
        rows = rows or [load_json(one, options.encoding) for one in beside]
        for row in rows or field(content, "simulations", list, file, "tau2-bench"):
            if not isinstance(row, dict) or "task_id" not in row:
                raise wrong_field(file, "has a simulation without task_id", "write it again")
            reward = mapping(row, "reward_info").get("reward", row.get("reward"))
            if row.get("termination_reason") in _BROKEN:
                self.lost, reward = self.lost + 1, None
            else:
                self.unscored += reward is None
            self.add(agent, family, str(row["task_id"]), reward, row.get("trial", 0), file)

    def add(
        self, agent: str, family: str, item: str, value: object, trial: object, file: Path
    ) -> None:
        self.found.add(agent, family, item, score_of(value, file, repr(item)), trial=trial)

    def finish(self) -> None:
        note_failures(self.found, self.broken, "conversations that ended in an error", "tau-bench")
        said = "simulations ended in an error of the infrastructure, and count as missing"
        self.found.note_count(self.lost, said)
        self.found.note_count(self.unscored, "simulations have no reward, and count as missing")
        self.items.say(self.found)
