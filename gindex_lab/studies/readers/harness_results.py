"""Results of lm-evaluation-harness: what a run was, and its scores by task where there are no samples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput
from gindex_lab.studies.readers.metrics import Metrics, rising, settle_direction
from gindex_lab.studies.readers.parts import mapping
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, listed, load_json, stem_of

__all__ = ["TIME", "Run", "model_of", "no_filter", "read_results", "runs_of"]

TIME = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
_RESULTS = re.compile(rf"(?:.+_(?P<time>{TIME})|results)$")  # without a time until 0.4.2
_MODEL = re.compile(r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)")


class Run(NamedTuple):
    """What a results file says of its run."""

    model: str
    directions: dict[str, dict[str, str]]  # by task and metric
    settings: dict[str, Any]  # what else may tell agents apart
    filters: dict[str, str]  # of each task the first
    tasks: set[str]
    sizes: dict[str, float]  # documents of each task; a run with a limit has fewer


def no_filter(given: str, filters: Iterable[str], task: str) -> BadInput:
    """The error for a filter that a task does not have."""
    return BadInput("filter", given, f"[not-found] is not in task {task!r}", f"it has {listed(filters, 9)}")


def runs_of(samples: Sequence[Path], results: dict[Path, Any], found: Storage) -> dict[tuple[Path, str], Run]:
    """What is known of each run, by folder and time ("" for the only one of a folder)."""
    known = dict(results)
    for folder in {file.parent for file in samples}:
        for file in sorted(folder.glob("results*.json*")):
            if file not in known and file not in found.skipped:
                with found.reading(file):
                    known[file] = load_json(file, found.options.encoding)
    runs: dict[tuple[Path, str], Run] = {}
    for file, content in known.items():
        match = _RESULTS.match(stem_of(file))
        model = model_of(content) if isinstance(content, dict) else ""
        if match and model:
            about = _directions(content), _settings(content), _first_filters(content)
            tasks = {*mapping(content, "configs"), *mapping(content, "results")}
            runs[file.parent, match["time"] or ""] = Run(model, *about, tasks, _sizes(content))
    for folder in {folder for folder, _ in runs}:
        models = {run.model for (where, _), run in runs.items() if where == folder}
        if len(models) == 1:
            newest = max(time for where, time in runs if where == folder)
            runs[folder, ""] = runs[folder, newest]
    return runs


def model_of(content: dict[str, Any]) -> str:
    """The model of a results file: `model_name`, or what `model_args` says.

    >>> model_of({"config": {"model": "hf", "model_args": "pretrained=org/pythia,dtype=float16"}})
    'org/pythia'
    """
    if isinstance(content.get("model_name"), str) and content["model_name"]:
        return str(content["model_name"])
    config = mapping(content, "config")
    given = config.get("model_args")
    if isinstance(given, dict):
        given = ",".join(f"{k}={v}" for k, v in given.items())
    match = _MODEL.search(given) if isinstance(given, str) else None
    return match[1] if match else str(config.get("model") or "")


def _settings(content: dict[str, Any]) -> dict[str, Any]:
    config = mapping(content, "config")
    revision = config.get("model_revision") or config.get("model_sha") or content.get("model_sha")
    few = content.get("n-shot")
    shots = {k: v for k, v in few.items() if v} if isinstance(few, dict) else None
    return {"model+args": {"args": config.get("model_args"), "shots": shots}, "revision": revision}


def _sizes(content: dict[str, Any]) -> dict[str, float]:
    """How many documents of each task were read, where the log says so."""
    counts = {task: mapping(content["n-samples"], task) for task in mapping(content, "n-samples")}
    return {task: float(n) for task, one in counts.items() if (n := as_number(one.get("effective")))}


def _first_filters(content: dict[str, Any]) -> dict[str, str]:
    """The first filter of each task, as its configuration lists them."""
    found = {}
    for task, config in mapping(content, "configs").items():
        filters = config.get("filter_list") if isinstance(config, dict) else None
        if isinstance(filters, list) and filters and isinstance(filters[0], dict):
            found[str(task)] = str(filters[0].get("name"))
    return found


def _directions(content: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Which way the metrics of each task run, where the log says so."""
    words = {True: "higher", False: "lower"}
    return {
        task: {name: words[better] for name, better in metrics.items() if isinstance(better, bool)}
        for task, metrics in mapping(content, "higher_is_better").items()
        if isinstance(metrics, dict)
    }


def read_results(results: dict[Path, Any], found: Storage) -> None:
    """A score for each task of each results file that is not a group of tasks."""
    metrics, groups = Metrics(found), set[str]()
    found.remember(groups)
    common = _common(results)
    for file, content in results.items():
        with found.reading(file):
            _read_run(file, content, metrics, common, groups)
    found.note("items", "results only, no samples: each task is one item, its score a mean over documents")
    metrics.say()
    if groups:
        found.note("items", f"means over groups of tasks were left out: {', '.join(sorted(groups)[:5])}")


def _read_run(
    file: Path, content: Any, metrics: Metrics, common: dict[str, set[str]], groups: set[str]
) -> None:
    found = metrics.found
    if not isinstance(content, dict) or not isinstance(content.get("results"), dict):
        raise bad_file(file, "has no table of results by task", "name a results file of the harness")
    model = model_of(content)
    if not model and found.options.agent_from not in ("file", "folder"):
        problem = "[no-model] does not say which model it is of (no model_name, no config)"
        raise bad_file(file, problem, "add model_name to it, or pass agent_from='file'")
    model = found.agent(model, file, _settings(content))
    skipped, first, directions = _groups(content), _first_filters(content), _directions(content)
    groups |= skipped & set(content["results"])
    for task, scores in content["results"].items():
        unwanted = found.is_unwanted(file, model, str(task))
        if task not in skipped and isinstance(scores, dict) and not unwanted:
            ways, table = directions.get(task, {}), _table(scores)
            names = rising(table, ways)
            names = [name for name in names if name in common[task]] or names
            metric = metrics.of(task, table, file, names)
            settle_direction(metric, found, log=ways.get(metric), item=str(task))
            found.add(model, "", str(task), _filtered(table[metric], task, first.get(task), found))
            if found.details is not None and (shots := _shots(content, task)) is not None:
                found.detail(configuration=f"num_fewshot={shots}")


def _shots(content: dict[str, Any], task: str) -> Any:
    """Examples in the prompt of a task; until 0.3 of all tasks of a run."""
    if isinstance(content.get("n-shot"), dict):
        return content["n-shot"].get(task, 0)
    return mapping(content, "config").get("num_fewshot")


def _common(results: dict[Path, Any]) -> dict[str, set[str]]:
    """Of each task the metrics that all results have."""
    found: dict[str, set[str]] = {}
    for content in results.values():
        for task, scores in mapping(content, "results").items():
            names = set(_table(scores)) if isinstance(scores, dict) else set()
            found[task] = found.get(task, names) & names
    return found


def _groups(content: dict[str, Any]) -> set[str]:
    """Names in the results that stand for several tasks."""
    grouped = {g for g, tasks in mapping(content, "group_subtasks").items() if tasks}
    configs, scores = mapping(content, "configs"), mapping(content, "results")
    if configs.keys() & scores.keys():  # a group has none
        grouped |= scores.keys() - configs.keys()
    return grouped | set(mapping(content, "groups"))


def _table(scores: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Scores by metric and filter; keys are `metric,filter`, or `metric` in old files."""
    table: dict[str, dict[str, float]] = {}
    for key, value in scores.items():
        metric, _, name = key.partition(",")
        number = as_number(value)
        if number is None or metric.endswith("_stderr") or metric in {"alias", "sample_len"}:
            continue
        table.setdefault(metric, {})[name or "none"] = number
    return table


def _filtered(filters: dict[str, float], task: str, first: str | None, found: Storage) -> float:
    """The score under the filter that was asked for, else the task's first."""
    wanted = found.options.filter
    if len(filters) > 1 and wanted is not None and wanted not in filters:
        raise no_filter(wanted, filters, task)
    taken = next(name for name in (wanted, first, *filters) if name in filters)
    if len(filters) > 1 and wanted is None:
        rest = listed((name for name in filters if name != taken), 9)
        said = f"{task}: the task's first filter {taken!r} was read, not {rest}"
        found.note("filter", said, "filter=... (--filter)")
    return filters[taken]
