"""Terminal-Bench (`tb run`, 0.1 and 0.2): one `results.json` per trial, and one per run that holds them all.

    <run>/run_metadata.json            agent_name, model_name, dataset_name
    <run>/results.json                 {"results": [trial, ...], "accuracy": ...}
    <run>/<task>/<trial>/results.json  task_id, trial_name ("task.2-of-5"), is_resolved, failure_mode,
                                       parser_results {test: "passed" | "failed"}

The response is `is_resolved`. A trial without a verdict counts as unresolved, as in the harness's accuracy.
Attempts at a task are repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import Repeats, field, note_failures, wrong_field
from gindex_lab.studies.readers.text import load_json

__all__ = ["read_terminal_bench", "trial_number"]


def read_terminal_bench(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are runs (agent and model), items are tasks, trials are attempts."""
    seen: set[tuple[Path, str]] = set()
    turn, undecided, folders = Repeats(), 0, set()
    for file in sorted(files, key=lambda each: len(each.parts)):
        for run, trial in _trials(file, options):
            name, task = (
                str(trial.get("trial_name") or ""),
                field(trial, "task_id", str, file, "tb"),
            )
            if name and (run, name) in seen:
                continue  # the run's own file has it already
            seen.add((run, name))
            agent, family, named = _who(run, options)
            if not named:
                folders.add(agent)
            value = trial.get("is_resolved")
            if value is not None and not isinstance(value, bool):
                problem = f"has is_resolved={value!r} for {task!r}, which is neither true nor false"
                raise wrong_field(file, problem, "fix the file, or leave it out")
            undecided += value is None
            number = trial_number(name) or turn.next(agent, family, task)
            found.add(agent, family, task, float(bool(value)), trial=number)
            found.detail(errored=trial.get("failure_mode") not in (None, "none", "unset"))
    if folders:
        shown = ", ".join(repr(one) for one in sorted(folders)[:3])
        found.note_once(
            f"no run_metadata.json names the model: agents are called after folders ({shown})"
        )
    note_failures(
        found, undecided, "trials without a verdict (is_resolved is null)", "Terminal-Bench"
    )


def trial_number(name: str) -> int | None:
    """The attempt in the name of a trial.

    >>> trial_number("hello-world.2-of-5"), trial_number("hello-world")
    (2, None)
    """
    match = re.search(r"\.(\d+)-of-\d+", name)
    return int(match[1]) if match else None


def _trials(file: Path, options: Options) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(folder of the run, trial) of a file; a run's file holds several."""
    content = load_json(file, options.encoding)
    if isinstance(content, dict) and "is_resolved" in content:
        parents = file.resolve().parents
        yield parents[min(2, len(parents) - 1)], content
        return
    for trial in field(content, "results", list, file, "tb"):
        if not isinstance(trial, dict) or "is_resolved" not in trial:
            raise wrong_field(file, "has a trial without is_resolved", "write the run again")
        yield file.resolve().parent, trial


def _who(run: Path, options: Options) -> tuple[str, str, bool]:
    """Agent and family of a run: what run_metadata.json says, or the name of its folder."""
    about = run / "run_metadata.json"
    content = load_json(about, options.encoding) if about.is_file() else {}
    content = content if isinstance(content, dict) else {}
    agent, model = content.get("agent_name"), content.get("model_name")
    family = str(content.get("dataset_name") or "")
    if agent or model:
        return " ".join(str(one) for one in (agent, model) if one), family, True
    return run.name, family, False
