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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.foreign import parquet_table
from gindex_lab.studies.readers.metrics import Metrics, rising, settle_direction
from gindex_lab.studies.readers.parts import field, loaded, mapping, model_of_folder
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, stem_of, suffix_of

__all__ = ["read_lighteval"]

_TOOL = "lighteval"
_DETAILS = re.compile(r"(?:details_)?(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+))?$")


def read_lighteval(files: Sequence[Path], found: Storage) -> None:
    """Agents are models, families are tasks, items are samples."""
    details = [f for f in files if suffix_of(f) == ".parquet"]
    results = loaded([f for f in files if f not in details], found)
    if details:
        _read_details(details, results, found)
    else:
        _read_results(results, found)


def _model(content: Any, file: Path) -> str:
    general = field(content, "config_general", dict, file, _TOOL)
    name = general.get("model_name") or mapping(general, "model_config").get("model_name")
    if not isinstance(name, str) or not name:
        raise bad_file(file, "[missing-field] does not name its model (config_general.model_name)", "add it")
    return name


# -- results -----------------------------------------------------------------------------------------


def _read_results(results: Mapping[Path, Any], found: Storage) -> None:
    metrics = Metrics(found)
    for file, content in results.items():
        with found.reading(file):
            model = found.agent(_model(content, file), file)
            for task, scores in field(content, "results", dict, file, _TOOL).items():
                if task == "all" or "_average" in task or not isinstance(scores, dict):
                    continue
                numbers = _numbers({k: v for k, v in scores.items() if not k.endswith("_stderr")})
                metric = metrics.of(task, numbers, file, rising(numbers, {}))
                settle_direction(metric, found, item=task)
                found.add(model, "", task, numbers[metric])
    if not metrics.chosen and not found.skipped:
        raise bad_file(next(iter(results)), "[empty] has no task in its results", "leave it out")
    found.note("items", "results only, no details: each task is one item, its score a mean over samples")
    metrics.say()


def _numbers(scores: Mapping[str, Any]) -> dict[str, float]:
    known = {str(name): as_number(value) for name, value in scores.items()}
    return {name: value for name, value in known.items() if value is not None}


# -- details -----------------------------------------------------------------------------------------


def _read_details(files: Sequence[Path], results: Mapping[Path, Any], found: Storage) -> None:
    models: dict[str, list[str]] = {}
    for file, content in results.items():
        with found.reading(file):
            time = stem_of(file).removeprefix("results_")
            models.setdefault(time, []).append(_model(content, file))
    metrics = Metrics(found)
    for file in files:
        with found.reading(file):
            match = _DETAILS.match(stem_of(file))
            assert match is not None  # a name has at least one character
            task, time = match["task"], match["time"] or ""
            model = found.agent(_beside(models.get(time, []), file) or _from_folder(file, found), file)
            samples = list(_samples(file))
            names = dict.fromkeys(name for *_, numbers in samples for name in numbers)
            if not names:
                raise bad_file(file, "[empty] has no score that is a number", "choose another task")
            metric = metrics.of(task, names, file, rising(names, {}))
            settle_direction(metric, found, family=task)
            for number, (label, content, choices, numbers) in enumerate(samples):
                value = numbers.get(metric, float("nan"))
                found.count("gaps", "samples have no score, and count as missing", value != value)
                item = found.item_name(task, label or str(number), content)
                found.add(model, task, item, value)
                if choices > 1 and metric.startswith("acc"):
                    found.facts_of(task, item)["choices"] = choices
    metrics.say()


def _beside(models: Sequence[str], file: Path) -> str | None:
    """Of the models with results of the same time, the one that the path names, or the only one."""
    place = file.resolve().as_posix()
    named = [m for m in models if f"/{m}/" in place or f"/{m.replace('/', '__')}/" in place]
    return named[0] if named else models[0] if len(models) == 1 else None


def _from_folder(file: Path, found: Storage) -> str:
    """details/<org>/<model>/<time>/details_....parquet: what stands between `details` and the time."""
    parts = file.resolve().parent.parts
    start = -parts[::-1].index("details") if "details" in parts else -2
    inside = parts[start:] if start else ()
    named = [part for part in inside if not re.match(r"\d{4}-\d\d-\d\dT", part)] or [parts[-1]]
    name = model_of_folder("/".join(named))
    found.note_once(f"no results file names the model: it is called {name!r} after its folder")
    return name


def _samples(file: Path) -> Iterator[tuple[str, object, int, dict[str, float]]]:
    """(label, what tells the sample from others, number of options, scores) of each row."""
    table = parquet_table(file)
    scores = "metric" if "metric" in table else "metrics"
    if table.empty:
        raise bad_file(file, "[empty] has no sample", "leave it out")
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
        problem = f"[wrong-type] has {value!r} where lighteval writes scores"
        raise bad_file(file, problem, "write it again")
    return value
