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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.studies.readers.metrics import Metrics, choose_metric, settle_direction
from gindex_lab.studies.readers.parts import field, loaded, mapping, name_in, score_of
from gindex_lab.studies.readers.roles import log_roles
from gindex_lab.studies.readers.storage import Storage
from gindex_lab.studies.readers.text import LINES, bad_file, json_lines, stem_of, suffix_of

__all__ = ["read_every_eval_ever"]

_TOOL = "every_eval_ever"
_OVERALL = re.compile(r"\b(overall|average|avg|mean|total|aggregate)\b", re.IGNORECASE)


def read_every_eval_ever(files: Sequence[Path], found: Storage) -> None:
    """Read samples where there are some, and otherwise results."""
    samples = [file for file in files if suffix_of(file) in LINES]
    results = loaded([file for file in files if file not in samples], found)
    if not samples:
        _read_results(results, found)
        return
    _read_samples(samples, _directions(results), found)
    names = {stem_of(file) for file in samples}
    apart = [file for file, one in results.items() if not names & _sample_files(file, one)]
    if apart:
        said = f"results without samples were left out ({apart[0].name} …): read them apart"
        found.count("files", said, len(apart))


def _sample_files(file: Path, content: Any) -> set[str]:
    """What the samples of a results file may be called."""
    detail = mapping(content, "detailed_evaluation_results")
    return {f"{stem_of(file)}_samples", Path(str(detail.get("file_path"))).stem}


def _rows_in(results: Mapping[Path, Any]) -> Iterator[dict[str, Any]]:
    """The results in some files that are objects."""
    for content in results.values():
        rows = content.get("evaluation_results") if isinstance(content, dict) else None
        yield from (row for row in (rows if isinstance(rows, list) else ()) if isinstance(row, dict))


# -- results -----------------------------------------------------------------------------------------


def _read_results(results: Mapping[Path, Any], found: Storage) -> None:
    several = _several(results)
    overall: set[str] = set()
    for file, content in results.items():
        with found.reading(file):
            info = field(content, "model_info", dict, file, _TOOL)
            name = info.get("id") or info.get("name")
            if not isinstance(name, str):
                raise bad_file(file, "[missing-field] does not name its model (model_info.id)", "add it")
            model = found.agent(name, file)
            rows = field(content, "evaluation_results", list, file, _TOOL)
            if not rows:
                raise bad_file(file, "[empty] has no evaluation result", "leave it out")
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
                said = "scores were put on [0, 1] by the min_score and max_score of the log"
                found.count("scale", said, changed)
                found.add(model, family, item, value)
                name = str(metric.get("metric_name") or metric.get("metric_id") or item)
                settle_direction(name, found, log=_way(metric), family=family, item=item)
            facts = {k: info[k] for k in ("developer", "inference_platform") if info.get(k)}
            found.agent_facts.setdefault(model, {}).update(facts)
    found.note("items", "results only, no samples: each result is one item")
    if overall:
        shown = ", ".join(sorted(overall)[:3])
        found.note("items", f"overall results beside their parts were left out: {shown}")


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
    for row in _rows_in(results):
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
    for row in _rows_in(results):
        way = _way(mapping(row, "metric_config"))
        if way is not None:
            ways |= {str(row.get(k)): way for k in ("evaluation_name", "evaluation_result_id")}
    return ways


# -- samples -----------------------------------------------------------------------------------------


class _Sampled(NamedTuple):
    model: str
    name: str  # of the evaluation
    metric: str
    sample: str
    value: float
    content: object  # reference answers tell a sample from another of the same id (prompts differ by model)
    roles: dict[str, Any]


def _read_samples(files: Sequence[Path], ways: Mapping[str, str], found: Storage) -> None:
    """Families are evaluations; of one that scores a sample by several metrics, one is chosen."""
    rows: dict[Path, list[_Sampled]] = {}
    listed: dict[str, dict[str, None]] = {}
    for file in files:
        with found.reading(file):
            some = []
            for number, line in json_lines(file, found.notes, found.options.encoding):
                keys = ("model_id", "evaluation_name", "sample_id")
                model, name, sample = (name_in(line, file, number, key) for key in keys)
                score = field(line, "evaluation", dict, file, _TOOL).get("score")
                value = score_of(score, file, f"line {number}")
                found.count("gaps", "samples have no score, and count as missing", value != value)
                said = "samples ended in an error; their score is the one in the file"
                found.count("gaps", said, bool(line.get("error")))
                metric = str(line.get("evaluation_result_id") or name)
                listed.setdefault(name, {})[metric] = None
                content = mapping(line, "input").get("reference") or None
                roles = log_roles(line, found.options)
                some.append(_Sampled(model, name, metric, sample, value, content, roles))
            rows[file] = some
    metrics = Metrics(found)
    for name, some_metrics in listed.items():
        wanted = found.options.metrics if len(some_metrics) > 1 else ()
        metric = choose_metric(list(some_metrics), wanted, files[0], f"evaluation {name!r}")
        metrics.chosen[name], metrics.others[name] = metric, set(some_metrics)
        way = ways.get(metric) or ways.get(name)
        settle_direction(metric, found, log=way, family=name, guess="higher")
    for file, some in rows.items():
        with found.reading(file):
            for one in [one for one in some if one.metric == metrics.chosen[one.name]]:
                known = one.content is not None
                item = found.item_name(one.name, one.sample, one.content) if known else one.sample
                found.add(found.agent(one.model, file), one.name, item, one.value)
                if one.roles:
                    found.facts_of(one.name, item).update(one.roles)
    metrics.say()
