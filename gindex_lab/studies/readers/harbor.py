"""Harbor, which runs Terminal-Bench 2 and others: one `result.json` per trial in `jobs/<job>/<trial>/`.

A trial has `task_name`, `trial_name`, `source` (the data set), `agent_info` (`name`, `model_info.name`),
`verifier_result.rewards` ({"reward": 1.0}, or several), and `exception_info` where it broke off. The job's
own `result.json` (`n_total_trials`, `stats`) holds means only and is passed over. A trial without a reward
counts as 0, as in Harbor's mean. Of several rewards `reward` is read. Trials of a task are repeats.
(models/trial/result.py and metrics/base.py of harbor 0.25.0, read in November 2026.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.metrics import choose_metric, note_metrics, settle_direction
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Repeats,
    field,
    loaded,
    mapping,
    note_failures,
    note_joined,
    score_of,
    wrong_field,
)

__all__ = ["read_harbor"]


def read_harbor(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models with their harness, families are data sets, items are tasks."""
    trials = {f: one for f, one in loaded(files, found, options).items() if not _is_job(one)}
    if not trials:
        remedy = "name the folder of the job, with its trials"
        raise wrong_field(files[0], "[no-samples] is the summary of a job, without trials", remedy)
    metrics: dict[str, None] = {}
    for file, one in trials.items():
        with found.reading(file, options):
            metrics |= dict.fromkeys(_rewards(one, file))
    names = sorted(metrics, key=lambda name: name != "reward") or ["reward"]
    metric = choose_metric(names, options.metrics, files[0], "the trials")
    settle_direction(metric, found, options, guess="higher")
    turn, broken, unscored = Repeats(), 0, 0
    jobs: dict[str, set[Path]] = {}
    for file, one in trials.items():
        if file in found.skipped:
            continue
        with found.reading(file, options):
            task, rewards = field(one, "task_name", str, file, "Harbor"), _rewards(one, file)
            agent, family = _agent(one, file, found, options), str(one.get("source") or "")
            value = score_of(rewards.get(metric, 0.0), file, repr(task))
            found.add(agent, family, task, value, trial=turn.next(agent, family, task))
            found.detail(errored=bool(one.get("exception_info")))
            unscored += metric not in rewards
            broken += bool(one.get("exception_info"))
            jobs.setdefault(agent, set()).add(file.resolve().parent.parent)
    note_joined(found, jobs, "jobs")
    found.notes.extend(note_metrics({"trials": metric}, {"trials": set(metrics)}))
    note_failures(found, unscored, "trials without a reward", "Harbor")
    found.note_count(broken, "trials ended with an exception")


def _is_job(content: Any) -> bool:
    return isinstance(content, dict) and "n_total_trials" in content and "task_name" not in content


def _rewards(content: Any, file: Path) -> dict[str, Any]:
    given = content.get("verifier_result") if isinstance(content, dict) else None
    rewards = given.get("rewards") if isinstance(given, dict) else given
    if rewards is None:
        return {}
    if not isinstance(rewards, dict):
        raise wrong_field(file, f"has rewards={rewards!r}", "name a file that Harbor wrote")
    return {name: value for name, value in rewards.items() if value is not None}


def _agent(content: dict[str, Any], file: Path, found: Collector, options: Options) -> str:
    about = mapping(content, "agent_info")
    model, name = mapping(about, "model_info").get("name"), about.get("name")
    if not (model or name):
        raise wrong_field(file, "does not name its agent (agent_info)", "write the job again")
    if options.agent_from == "folder":
        return file.resolve().parent.parent.name  # the job: a trial's own folder says nothing
    plainly = f"{model} ({name})" if model and name else str(model or name)
    return agent_name(plainly, file, found, options, {"solver": name})
