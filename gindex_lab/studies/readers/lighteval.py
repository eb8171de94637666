"""lighteval (0.4 and newer): results in JSON, and details of every sample in Parquet.

    results/<org>/<model>/results_<time>.json     config_general {model_name}, results {task: {metric: score}}
    details/<org>/<model>/<time>/details_<task>_<time>.parquet

A row of the details has `metrics` and `example` (until 0.9), or `metric` and `doc` {id, query, choices} (0.10
and newer). Details are read where there are some, and otherwise results: one item per task; the means over
tasks ("all", "..._average") are left out. A task carries its number of shots in its name.
(EvaluationTracker of lighteval 0.13.0, run in November 2026; the older layout from its documentation.)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.metrics import Metrics, direction_of, settle_direction
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import Identities, field, loaded, mapping, wrong_field
from gindex_lab.studies.readers.text import plain

__all__ = ["read_lighteval", "task_and_time"]

_TOOL = "lighteval"
_DETAILS = re.compile(r"(?:details_)?(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?$")


def read_lighteval(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Agents are models, families are tasks, items are samples."""
    details = [f for f in files if plain(f).suffix.lower() == ".parquet"]
    results = loaded([f for f in files if f not in details], found, options)
    if details:
        _read_details(details, results, found, options)
    else:
        _read_results(results, found, options)


def task_and_time(stem: str) -> tuple[str, str]:
    """The task and the time in the name of a file of details.

    >>> task_and_time("details_leaderboard|arc:challenge|25_2026-01-02T03-04-05.000006")
    ('leaderboard|arc:challenge|25', '2026-01-02T03-04-05.000006')
    """
    match = _DETAILS.match(stem)
    assert match is not None  # a name has at least one character
    return match["task"], match["time"] or ""


def _model(content: Any, file: Path) -> str:
    general = field(content, "config_general", dict, file, _TOOL)
    name = general.get("model_name") or mapping(general, "model_config").get("model_name")
    if not isinstance(name, str) or not name:
        problem = "[missing-field] does not name its model (config_general.model_name)"
        raise wrong_field(file, problem, "add it")
    return name


# -- results -----------------------------------------------------------------------------------------


def _read_results(results: Mapping[Path, Any], found: Collector, options: Options) -> None:
    metrics = Metrics(found, options)
    for file, content in results.items():
        with found.reading(file, options, *metrics.state):
            model = agent_name(_model(content, file), file, found, options, {})
            tasks = field(content, "results", dict, file, _TOOL)
            for task, scores in tasks.items():
                if task == "all" or "_average" in task or not isinstance(scores, dict):
                    continue
                numbers = _numbers({k: v for k, v in scores.items() if not k.endswith("_stderr")})
                metric = metrics.of(task, list(numbers), file, _rising(numbers))
                settle_direction(metric, found, options, item=task)
                found.add(model, "", task, numbers[metric])
    if not metrics.chosen and not found.skipped:
        first = next(iter(results))
        raise wrong_field(first, "[empty] has no task in its results", "leave it out")
    said = "results only, no details: each task is one item, its score a mean over samples"
    found.notes.append(said)
    metrics.say()


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    known = {str(name): as_number(value) for name, value in scores.items()}
    return {name: value for name, value in known.items() if value is not None}


def _rising(names: Iterable[str]) -> list[str]:
    return [name for name in names if direction_of(name) != "lower"]


# -- details -----------------------------------------------------------------------------------------


def _read_details(
    files: Sequence[Path], results: Mapping[Path, Any], found: Collector, options: Options
) -> None:
    models: dict[str, list[str]] = {}
    for file, content in results.items():
        with found.reading(file, options):
            time = plain(file).stem.removeprefix("results_")
            models.setdefault(time, []).append(_model(content, file))
    metrics = Metrics(found, options)
    items, unscored = Identities(), 0
    for file in files:
        with found.reading(file, options, *metrics.state):
            task, time = task_and_time(plain(file).stem)
            model = _beside(models.get(time, []), file) or _from_folder(file, found)
            model = agent_name(model, file, found, options, {})
            samples = list(_samples(file))
            names = dict.fromkeys(name for *_, numbers in samples for name in numbers)
            if not names:
                problem = "[empty] has no score that is a number"
                raise wrong_field(file, problem, "choose another task")
            metric = metrics.of(task, list(names), file, _rising(names))
            settle_direction(metric, found, options, family=task)
            for number, (label, content, choices, numbers) in enumerate(samples):
                value = numbers.get(metric, float("nan"))
                unscored += value != value
                item = items.name(task, label or str(number), content)
                found.add(model, task, item, value)
                if choices > 1 and metric.startswith("acc"):
                    found.item_facts.setdefault((task, item), {})["choices"] = choices
    metrics.say()
    items.say(found)
    found.note_count(unscored, "samples have no score, and count as missing")


def _beside(models: Sequence[str], file: Path) -> str | None:
    """Of the models with results of the same time, the one that the path names, or the only one."""
    place = file.resolve().as_posix()
    named = [m for m in models if f"/{m}/" in place or f"/{m.replace('/', '__')}/" in place]
    return named[0] if named else models[0] if len(models) == 1 else None


def _from_folder(file: Path, found: Collector) -> str:
    """details/<org>/<model>/<time>/details_....parquet: what stands between `details` and the time."""
    parts = file.resolve().parent.parts
    start = -parts[::-1].index("details") if "details" in parts else -2
    inside = parts[start:] if start else ()
    named = [part for part in inside if not re.match(r"\d{4}-\d\d-\d\dT", part)] or [parts[-1]]
    name = "/".join(named).replace("__", "/", 1)
    found.note_once(f"no results file names the model: it is called {name!r} after its folder")
    return name


def _samples(file: Path) -> Iterator[tuple[str, object, int, dict[str, float]]]:
    """(label, what tells the sample from others, number of options, scores) of each row."""
    from gindex_lab.studies.readers.foreign import parquet_table

    table = parquet_table(file)
    scores = "metric" if "metric" in table else "metrics"
    if table.empty:
        raise wrong_field(file, "[empty] has no sample", "leave it out")
    for row in table.to_dict("records"):
        found, doc = _object(row.get(scores), file), _object(row.get("doc") or {}, file)
        choices = doc.get("choices") if doc else row.get("choices")
        query = doc.get("query") if doc else row.get("example") or row.get("full_prompt")
        length = 0 if choices is None or isinstance(choices, str) else len(choices)
        yield str(doc.get("id") or ""), query, length, _numbers(found)


def _object(value: Any, file: Path) -> dict[str, Any]:
    """A mapping; where the columns would not fit, lighteval writes it as text."""
    if isinstance(value, str):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = ast.literal_eval(value)
    if not isinstance(value, dict):
        raise wrong_field(file, f"has {value!r} where lighteval writes scores", "write it again")
    return value
