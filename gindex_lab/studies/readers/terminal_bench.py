"""Terminal-Bench (`tb run`, 0.1 and 0.2): one `results.json` per trial, and one per run that holds them all.

    <run>/run_metadata.json            agent_name, model_name, dataset_name
    <run>/results.json                 {"results": [trial, ...], "accuracy": ...}
    <run>/<task>/<trial>/results.json  task_id, trial_name ("task.2-of-5.run"), is_resolved, failure_mode,
                                       parser_results {test: "passed" | "failed"}

The response is `is_resolved`. A trial without a verdict counts as unresolved, as in the harness's accuracy.
Attempts at a task are repeats, also those of several runs of one agent. (harness/models.py and harness.py of
terminal-bench 0.2.18, whose models wrote what was read, November 2026.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Repeats,
    field,
    note_failures,
    note_joined,
    wrong_field,
)
from gindex_lab.studies.readers.text import load_json

__all__ = ["read_terminal_bench"]


def read_terminal_bench(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are runs (agent and model), items are tasks, trials are attempts."""
    reader = _Trials(found, options)
    for file in sorted(files, key=lambda each: len(each.parts)):
        with found.reading(file, options, reader.seen):
            for run, trial in _trials(file, options):
                reader.add(run, trial, file)
    if reader.folders:
        shown = ", ".join(repr(one) for one in sorted(reader.folders)[:3])
        said = f"no run_metadata.json names the model: agents are called after folders ({shown})"
        found.note("agents", said, "agents={old: new}")
    note_joined(found, reader.runs, "runs")
    what = "trials without a verdict (is_resolved is null)"
    note_failures(found, reader.undecided, what, "Terminal-Bench")


class _Trials:
    """Adds trials, each once: a run's own file and the files of its trials hold the same."""

    def __init__(self, found: Collector, options: Options) -> None:
        self.found, self.options, self.turn = found, options, Repeats()
        self.seen: set[tuple[Path, str]] = set()
        self.folders: set[str] = set()
        self.runs: dict[str, set[Path]] = {}
        self.undecided = 0

    def add(self, run: Path, trial: dict[str, Any], file: Path) -> None:
        name, task = str(trial.get("trial_name") or ""), field(trial, "task_id", str, file, "tb")
        value = trial.get("is_resolved")
        if value is not None and not isinstance(value, bool):
            problem = f"has is_resolved={value!r} for {task!r}, which is neither true nor false"
            raise wrong_field(file, problem, "fix the file, or leave it out")
        if name and (run, name) in self.seen:
            return
        self.seen.add((run, name))
        agent, family, named = _who(run, self.options)
        if not named:
            self.folders.add(agent)
        self.undecided += value is None
        self.runs.setdefault(agent, set()).add(run)
        number = self.turn.next(agent, family, task)
        self.found.add(agent, family, task, float(bool(value)), trial=number)
        self.found.detail(errored=trial.get("failure_mode") not in (None, "none", "unset"))


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
    if (agent or model) and options.agent_from != "folder":
        return " ".join(str(one) for one in (agent, model) if one), family, True
    return run.name, family, False
