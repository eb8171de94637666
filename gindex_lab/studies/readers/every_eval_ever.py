"""every_eval_ever (schema 0.2 and 0.3): one JSON per model and run, and samples in `<uuid>_samples.jsonl`.

The JSON has `model_info.id`, and in `evaluation_results` for each result `evaluation_name`,
`source_data.dataset_name`, `metric_config` (`lower_is_better`, `min_score`, `max_score`) and
`score_details.score`. A line of the samples has `model_id`, `evaluation_name`, `evaluation_result_id`,
`sample_id`, `sample_hash` and `evaluation.score`. Samples are read where there are some, and otherwise the
results: one item per result, on the scale that the log states; not the overall result of a data set whose
parts are there too. (schemas of every_eval_ever 0.3.0, read in November 2026.)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.collect import Collector
from gindex_lab.studies.readers.metrics import choose_metric, note_metrics, settle_direction
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import (
    Identities,
    field,
    loaded,
    mapping,
    score_of,
    wrong_field,
)
from gindex_lab.studies.readers.roles import log_roles
from gindex_lab.studies.readers.text import LINES, json_lines, plain

__all__ = ["read_every_eval_ever"]

_TOOL = "every_eval_ever"
_OVERALL = re.compile(r"\b(overall|average|avg|mean|total|aggregate)\b", re.IGNORECASE)


def read_every_eval_ever(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Read samples where there are some, and otherwise results."""
    samples = [f for f in files if plain(f).suffix.lower() in LINES]
    results = loaded([f for f in files if f not in samples], found, options)
    if not samples:
        _read_results(results, found, options)
        return
    _read_samples(samples, _directions(results), found, options)
    apart = [f for f, one in results.items() if not _has_samples(f, one, samples)]
    if apart:
        said = f"results without samples were left out ({apart[0].name} …): read them apart"
        found.note_count(len(apart), said)


def _has_samples(file: Path, content: Any, samples: Sequence[Path]) -> bool:
    names = {f"{plain(file).stem}_samples"}
    detail = content.get("detailed_evaluation_results") if isinstance(content, dict) else None
    if isinstance(detail, dict):
        names.add(Path(str(detail.get("file_path"))).stem)
    return any(plain(one).stem in names for one in samples)


# -- results -----------------------------------------------------------------------------------------


def _read_results(results: Mapping[Path, Any], found: Collector, options: Options) -> None:
    rescaled, overall = 0, set()
    several = _several(results)
    for file, content in results.items():
        with found.reading(file, options):
            model = agent_name(_model(content, file), file, found, options, {})
            rows = field(content, "evaluation_results", list, file, _TOOL)
            if not rows:
                raise wrong_field(file, "[empty] has no evaluation result", "leave it out")
            names = [_names(row, several, file) for row in rows]
            for row, (family, item) in zip(rows, names, strict=True):
                parts = [one for data, one in names if data == family and not _OVERALL.search(one)]
                if _OVERALL.search(item) and len(parts) > 1:
                    overall.add(item)
                    continue
                metric = mapping(row, "metric_config")
                details = field(row, "score_details", dict, file, _TOOL)
                value = score_of(details.get("score"), file, f"{family}/{item}")
                value, changed = _scaled(value, metric)
                rescaled += changed
                found.add(model, family, item, value)
                name = str(metric.get("metric_name") or metric.get("metric_id") or item)
                settle_direction(name, found, options, log=_way(metric), family=family, item=item)
            info = content["model_info"]
            facts = {k: info[k] for k in ("developer", "inference_platform") if info.get(k)}
            found.agent_facts.setdefault(model, {}).update(facts)
    found.notes.append("results only, no samples: each result is one item")
    if overall:
        shown = ", ".join(sorted(overall)[:3])
        found.note("items", f"overall results beside their parts were left out: {shown}")
    said = "scores were put on [0, 1] by the min_score and max_score of the log"
    found.note_count(rescaled, said)


def _model(content: Any, file: Path) -> str:
    info = field(content, "model_info", dict, file, _TOOL)
    name = info.get("id") or info.get("name")
    if not isinstance(name, str):
        problem = "[missing-field] does not name its model (model_info.id)"
        raise wrong_field(file, problem, "add it")
    return name


def _names(row: Any, several: Mapping[tuple[str, str], set[str]], file: Path) -> tuple[str, str]:
    """Data set (none where it is called like the result) and name, with the metric where it has several."""
    name = field(row, "evaluation_name", str, file, _TOOL)
    data = str(mapping(row, "source_data").get("dataset_name") or "")
    item = f"{name} ({_metric(row)})" if len(several[data, name]) > 1 else name
    return ("" if data == item else data), item


def _metric(row: Any) -> str:
    about = mapping(row, "metric_config")
    known = about.get("metric_id") or about.get("metric_name") or row.get("evaluation_result_id")
    return str(known or "")


def _several(results: Mapping[Path, Any]) -> dict[tuple[str, str], set[str]]:
    """The metrics of each evaluation, by data set and name."""
    found: dict[tuple[str, str], set[str]] = {}
    for content in results.values():
        rows = content.get("evaluation_results") if isinstance(content, dict) else None
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                data = str(mapping(row, "source_data").get("dataset_name") or "")
                found.setdefault((data, str(row.get("evaluation_name"))), set()).add(_metric(row))
    return found


def _scaled(value: float, metric: Mapping[str, Any]) -> tuple[float, bool]:
    """A score on the scale that the log states, and whether that changed it; -1 may stand for unknown."""
    if metric.get("has_unknown_level") and value == -1:
        return float("nan"), False
    low, high = metric.get("min_score"), metric.get("max_score")
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return value, False
    if (low, high) == (0, 1) or not 0 < high - low < float("inf") or not low <= value <= high:
        return value, False
    return (value - low) / (high - low), True


def _way(metric: Mapping[str, Any]) -> str | None:
    given = metric.get("lower_is_better")
    return None if not isinstance(given, bool) else "lower" if given else "higher"


def _directions(results: Mapping[Path, Any]) -> dict[str, str]:
    """Which way each evaluation runs, by its name or the id of its result."""
    ways: dict[str, str] = {}
    for content in results.values():
        for row in content.get("evaluation_results") or [] if isinstance(content, dict) else []:
            metric = row.get("metric_config") if isinstance(row, dict) else None
            way = _way(metric) if isinstance(metric, dict) else None
            if way is not None:
                ways |= {str(row.get(k)): way for k in ("evaluation_name", "evaluation_result_id")}
    return ways


# -- samples -----------------------------------------------------------------------------------------


def _read_samples(
    files: Sequence[Path], ways: Mapping[str, str], found: Collector, options: Options
) -> None:
    """Families are evaluations; of one that scores a sample by several metrics, one is chosen."""
    rows: dict[Path, list[tuple[str, str, str, str, object, float, dict[str, Any]]]] = {}
    metrics: dict[str, dict[str, None]] = {}
    unscored = errors = 0
    for file in files:
        some = []
        with found.reading(file, options):
            for number, line in json_lines(file, found.notes, options.encoding):
                keys = ("model_id", "evaluation_name", "sample_id")
                model, name, sample = (_text(line, key, file, number) for key in keys)
                score = field(line, "evaluation", dict, file, _TOOL).get("score")
                value = score_of(score, file, f"line {number}")
                unscored += value != value
                metric = str(line.get("evaluation_result_id") or name)
                metrics.setdefault(name, {})[metric] = None
                roles = log_roles(line, options)
                some.append((model, name, metric, sample, _content(line), value, roles))
                errors += bool(line.get("error"))
            rows[file] = some
    chosen = {}
    for name, listed in metrics.items():
        wanted = options.metrics if len(listed) > 1 else ()
        chosen[name] = choose_metric(list(listed), wanted, files[0], f"evaluation {name!r}")
    for name, metric in chosen.items():
        way = ways.get(metric) or ways.get(name)
        settle_direction(metric, found, options, log=way, family=name, guess="higher")
    items = Identities()
    for file, some in rows.items():
        with found.reading(file, options):
            for model, name, metric, sample, content, value, roles in some:
                if metric == chosen[name]:
                    item = sample if content is None else items.name(name, sample, content)
                    agent = agent_name(model, file, found, options, {})
                    found.add(agent, name, item, value)
                    if roles:
                        found.item_facts.setdefault((name, item), {}).update(roles)
    found.notes.extend(note_metrics(chosen, {name: set(some) for name, some in metrics.items()}))
    items.say(found)
    found.note_count(unscored, "samples have no score, and count as missing")
    found.note_count(errors, "samples ended in an error; their score is the one in the file")


def _content(line: Mapping[str, Any]) -> object:
    """What tells a sample from another of the same id: its reference answers (prompts differ by model)."""
    given = line.get("input")
    return (given.get("reference") or None) if isinstance(given, dict) else None


def _text(line: Mapping[str, Any], name: str, file: Path, number: int) -> str:
    if not isinstance(line.get(name), (str, int)) or line[name] == "":
        problem = f"[missing-field] has no {name} in line {number}"
        raise wrong_field(file, problem, "fix or drop the line")
    return str(line[name])
