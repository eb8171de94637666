"""Terminal-Bench and Harbor, which runs Terminal-Bench 2 and others: trials of agents at tasks.

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

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.metrics import Metrics, settle_direction
from gindex_lab.studies.readers.parts import Repeats, field, loaded, mapping, note_joined, score_of
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import bad_file, listed, load_json

__all__ = ["read_harbor", "read_terminal_bench"]


def read_terminal_bench(files: Sequence[Path], found: Storage) -> None:
    """Agents are runs (agent and model), items are tasks, trials are attempts."""
    turn, seen, folders = Repeats(), set[tuple[Path, str]](), set[str]()
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
                found.add(agent, family, task, float(bool(value)), trial=turn.next(agent, family, task))
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
    metrics, turn = Metrics(found), Repeats()
    metric = metrics.of("", first, files[0], what="the trials")
    settle_direction(metric, found, guess="higher")
    jobs: dict[str, set[Path]] = {}
    for file, some in rewards.items():
        with found.reading(file):
            one = trials[file]
            task = field(one, "task_name", str, file, "Harbor")
            agent, family = _agent(one, file, found), str(one.get("source") or "")
            value = score_of(some.get(metric, 0.0), file, repr(task))
            found.add(agent, family, task, value, trial=turn.next(agent, family, task))
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
