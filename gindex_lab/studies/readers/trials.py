"""Runs of agents at tasks: METR's, tau-bench, tau2-bench, Terminal-Bench and Harbor.

METR's (eval-analysis-public, 2025-26) are rows, as JSONL or a table: `task_id`, `task_family`, `alias` (how
the agent is called; `model` in older files), `score_binarized` (1 or 0), `score_cont`, `human_minutes` (how
long people take, the same for every run of a task), `run_id`, and weights of the run (`equal_task_weight`,
`invsqrt_task_weight`, which add up to 1 over the runs of an agent). Runs of an agent on a task are repeats;
the weight of a task is that of all its runs, averaged over the agents; minutes go with the items, and make a
time horizon possible. (src/horizon of eval-analysis-public, read in November 2026.)

tau-bench (2024) writes a list of {task_id, reward, info, traj, trial}; the model stands only in the file's
name, `tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1015123456.json`; the trajectories that it publishes
are called after model and domain, `gpt-4o-airline.json`. tau2-bench (2025) writes
{"info": {agent_info {llm}, environment_info {domain_name}}, "tasks": [...], "simulations": [{task_id, trial,
reward_info {reward}, termination_reason}]}, or instead of the last a "simulation_index" [{task_id, trial,
reward, termination_reason}] and the simulations as files of a folder beside. A conversation that broke off
has reward 0 in both, as in their own pass^1; tau2-bench leaves out what its infrastructure broke, and so do
we. (run.py of tau-bench; data_model/simulation.py and metrics/agent_metrics.py of tau2-bench, repositories of
2026, read in November 2026.)

Terminal-Bench (`tb run`, 0.1 and 0.2) writes one `results.json` per trial, and one per run that holds all:

    <run>/run_metadata.json            agent_name, model_name, dataset_name
    <run>/results.json                 {"results": [trial, ...], "accuracy": ...}
    <run>/<task>/<trial>/results.json  task_id, trial_name ("task.2-of-5.run"), is_resolved, failure_mode,
                                       parser_results {test: "passed" | "failed"}

The response is `is_resolved`. A trial without a verdict counts as unresolved, as in the harness's accuracy.
(harness/models.py and harness.py of terminal-bench 0.2.18, whose models wrote what was read, November 2026.)

Harbor writes one `result.json` per trial in `jobs/<job>/<trial>/`: `task_name`, `trial_name`, `source` (the
data set), `agent_info` (`name`, `model_info.name`), `verifier_result.rewards` ({"reward": 1.0}, or several),
and `exception_info` where it broke off. The job's own `result.json` (`n_total_trials`, `stats`) holds means
only and is passed over. A trial without a reward counts as 0, as in Harbor's mean. Of several rewards
`reward` is read. (models/trial/result.py and metrics/base.py of harbor 0.25.0, read in November 2026.)

Attempts at a task are repeats in both, also those of several runs of one agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.metrics import Metrics, settle_direction
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    document,
    field,
    loaded,
    mapping,
    name_in,
    names_by_file,
    note_joined,
    rows_of,
    score_of,
)
from gindex_lab.studies.readers.roles import log_roles
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import LINES, bad_file, listed, load_json, stem_of, suffix_of

__all__ = ["agent_of_name", "read_harbor", "read_metr", "read_tau_bench", "read_terminal_bench"]

# -- METR --------------------------------------------------------------------------------------------


_METRICS = ("score_binarized", "score_cont", "score")
_FACTS = {"human_minutes": "minutes", "task_source": "source", "human_source": "human_source"}
_WEIGHTS = {"equal_task_weight": "weight", "invsqrt_task_weight": "invsqrt_task_weight"}


def read_metr(files: Sequence[Path], found: Storage) -> None:
    """Agents are aliases, families are task families, and repeated runs are trials."""
    metrics, differ = Metrics(found), set[str]()
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
                found.add(agent, family, item, value, trial=found.turn(agent, family, item))
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


# -- tau-bench ---------------------------------------------------------------------------------------


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
            lines = suffix_of(file) in LINES
            content = [row for _, row in rows_of(file, found)] if lines else document(file, found)
            if isinstance(content, dict):
                beside = [f for f in parts if f.parent.parent == file.parent]
                _add_simulations(content, beside, file, found)
            else:
                older[file] = field({"rewards": content}, "rewards", list, file, "tau-bench")
    if not older:
        return
    named = {file: agent_of_name(stem_of(file)) for file in older}
    others = [file for file, agent in named.items() if agent is None]
    names = names_by_file(others, found, prefer="file") if others else {}
    domains = all(_DOMAIN.fullmatch(name) for name in names.values())
    for file, rows in older.items():
        with found.reading(file):
            agent = named[file] or names[file]
            part = _DOMAIN.fullmatch(agent) if domains else None
            agent, family = part.group("model", "domain") if part else (agent, "")
            _add_conversations(rows, agent, family, file, found)


def agent_of_name(stem: str) -> str | None:
    """Model and strategy in the name of a file of tau-bench; None for another name."""
    match = _NAME.match(stem)
    return f"{match['model']} ({match['strategy']})" if match else None


def _add_conversations(rows: list[Any], agent: str, family: str, file: Path, found: Storage) -> None:
    """Trials of tau-bench; tasks of the same number and another wording are other items."""
    for row in rows:
        if not isinstance(row, dict) or "task_id" not in row or "reward" not in row:
            problem = "[wrong-type] has an entry without task_id and reward"
            raise bad_file(file, problem, "name a file that tau-bench wrote")
        said = "conversations that ended in an error count as failed, as in the headline of tau-bench"
        found.count("gaps", said, "error" in mapping(row, "info"))
        label, wording = str(row["task_id"]), mapping(row, "info", "task").get("instruction")
        item = label if wording is None else found.item_name(family, label, wording)
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


# -- Terminal-Bench ----------------------------------------------------------------------------------


def read_terminal_bench(files: Sequence[Path], found: Storage) -> None:
    """Agents are runs (agent and model), items are tasks, trials are attempts."""
    seen, folders = set[tuple[Path, str]](), set[str]()
    runs: dict[str, set[Path]] = {}
    found.remember(seen)
    for file in sorted(files, key=lambda each: len(each.parts)):
        with found.reading(file):
            for run, trial in _trials(file, found):
                name, task = str(trial.get("trial_name") or ""), field(trial, "task_id", str, file, "tb")
                value = trial.get("is_resolved")
                if value is not None and not isinstance(value, bool):
                    problem = f"has is_resolved={value!r} for {task!r}, which is neither true nor false"
                    raise bad_file(file, f"[wrong-type] {problem}", "fix the file, or leave it out")
                if name and (run, name) in seen:
                    continue  # the run's own file and the file of the trial hold the same
                seen.add((run, name))
                agent, family, named = _who(run, found)
                folders |= set() if named else {agent}
                runs.setdefault(agent, set()).add(run)
                found.add(agent, family, task, float(bool(value)), trial=found.turn(agent, family, task))
                found.detail(errored=trial.get("failure_mode") not in (None, "none", "unset"))
                if value is None:
                    said = "trials without a verdict (is_resolved is null) count as failed"
                    found.count("gaps", f"{said}, as in the headline of Terminal-Bench")
    if folders:
        shown = listed(sorted(folders))
        said = f"no run_metadata.json names the model: agents are called after folders ({shown})"
        found.note("agents", said, "agents={old: new}")
    note_joined(found, runs, "runs")


def _trials(file: Path, found: Storage) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(folder of the run, trial) of a file; a run's file holds several."""
    content = load_json(file, found.options.encoding)
    if isinstance(content, dict) and "is_resolved" in content:
        parents = file.resolve().parents
        yield parents[min(2, len(parents) - 1)], content
        return
    for trial in field(content, "results", list, file, "tb"):
        if not isinstance(trial, dict) or "is_resolved" not in trial:
            raise bad_file(file, "[wrong-type] has a trial without is_resolved", "write the run again")
        yield file.resolve().parent, trial


def _who(run: Path, found: Storage) -> tuple[str, str, bool]:
    """Agent and family of a run: what run_metadata.json says, or the name of its folder."""
    about = run / "run_metadata.json"
    content = load_json(about, found.options.encoding) if about.is_file() else {}
    content = content if isinstance(content, dict) else {}
    names = [str(content[name]) for name in ("agent_name", "model_name") if content.get(name)]
    family = str(content.get("dataset_name") or "")
    named = bool(names) and found.options.agent_from != "folder"
    return " ".join(names) if named else run.name, family, named


# -- Harbor ------------------------------------------------------------------------------------------


def read_harbor(files: Sequence[Path], found: Storage) -> None:
    """Agents are models with their harness, families are data sets, items are tasks."""
    trials = {file: one for file, one in loaded(files, found).items() if not _is_job(one)}
    if not trials:
        problem = "[no-samples] is the summary of a job, without trials"
        raise bad_file(files[0], problem, "name the folder of the job, with its trials")
    rewards: dict[Path, dict[str, Any]] = {}
    for file, one in trials.items():
        with found.reading(file):
            rewards[file] = _rewards(one, file)
    names = dict.fromkeys(name for some in rewards.values() for name in some)
    first = sorted(names, key=lambda name: name != "reward") or ["reward"]
    metrics = Metrics(found)
    metric = metrics.of("", first, files[0], what="the trials")
    settle_direction(metric, found, guess="higher")
    jobs: dict[str, set[Path]] = {}
    for file, some in rewards.items():
        with found.reading(file):
            one = trials[file]
            task = field(one, "task_name", str, file, "Harbor")
            agent, family = _agent(one, file, found), str(one.get("source") or "")
            value = score_of(some.get(metric, 0.0), file, repr(task))
            found.add(agent, family, task, value, trial=found.turn(agent, family, task))
            found.detail(errored=bool(one.get("exception_info")))
            if metric not in some:
                said = "trials without a reward count as failed, as in the headline of Harbor"
                found.count("gaps", said)
            found.count("gaps", "trials ended with an exception", bool(one.get("exception_info")))
            jobs.setdefault(agent, set()).add(file.resolve().parent.parent)
    note_joined(found, jobs, "jobs")
    metrics.say()


def _is_job(content: Any) -> bool:
    return isinstance(content, dict) and "n_total_trials" in content and "task_name" not in content


def _rewards(content: Any, file: Path) -> dict[str, Any]:
    given = content.get("verifier_result") if isinstance(content, dict) else None
    rewards = given.get("rewards") if isinstance(given, dict) else given
    if rewards is not None and not isinstance(rewards, dict):
        raise bad_file(file, f"[wrong-type] has rewards={rewards!r}", "name a file that Harbor wrote")
    return {name: value for name, value in (rewards or {}).items() if value is not None}


def _agent(content: dict[str, Any], file: Path, found: Storage) -> str:
    model, name = (mapping(content, "agent_info", *inside).get("name") for inside in (("model_info",), ()))
    if not (model or name):
        problem = "[wrong-type] does not name its agent (agent_info)"
        raise bad_file(file, problem, "write the job again")
    if found.options.agent_from == "folder":
        return file.resolve().parent.parent.name  # the job: a trial's own folder says nothing
    both = f"{model} ({name})" if model and name else str(model or name)
    return found.agent(both, file, {"solver": name})
