"""Inspect logs: one file per model and task, as JSON or as an `.eval` archive (a zip of JSON files).

The model and the task stand in `eval`, each sample has an `id`, an `epoch` and `scores` (one per scorer).
A score is a number, or one of Inspect's letters: C correct, I incorrect, P partial, N no answer. Epochs
become trials. (Inspect documentation, "Log Files" and "Scorers".)
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.foundation.inputs import check_archive, parse_json
from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.directions import settle_direction
from gindex_lab.studies.readers.metrics import choose_metric, lacks_metric, note_metrics
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.text import beginning, load_json, open_bytes

__all__ = ["read_inspect", "score_values"]

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_HEADERS = ("header.json", "start.json", "_journal/start.json")


def read_inspect(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Read each log: agents are models, families are tasks, trials are epochs."""
    chosen: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    arguments: dict[str, tuple[str, dict[str, Any]]] = {}
    unscored = 0
    for file in files:
        archive = beginning(file, 2) == b"PK"
        header, samples = _archive(file) if archive else _document(file, options)
        model, name, given = _names(header, file)
        task = json.dumps([name, given], sort_keys=True, default=str) if given else name
        arguments[task] = name, given
        if header.get("status") not in (None, "success"):
            found.notes.append(
                f"{file.name}: the run ended with status {header['status']!r}; what it has was read"
            )
        scored: bool | None = None  # whether any scored sample has the metric of the task
        for sample in samples:
            values = score_values(sample, file)
            if not values:
                unscored += 1
            elif task not in chosen:
                names = [each for each, value in values.items() if value is not None]
                chosen[task] = choose_metric(names, options.metrics, file, f"task {name!r}")
                settle_direction(chosen[task], found, options, family=task, guess="higher")
            others.setdefault(task, set()).update(values)
            value = _value(values, chosen.get(task), sample, file)
            item = _id(sample, file)
            found.add(model, task, item, value, trial=sample.get("epoch", 1))
            if found.details is not None:
                found.detail(
                    text=zlib.crc32(json.dumps(sample.get("input"), default=str).encode()),
                    errored=bool(sample.get("error")),
                    configuration=_configuration(header),
                )
            if isinstance(sample.get("choices"), list) and len(sample["choices"]) > 1:
                found.item_facts.setdefault((task, item), {})["choices"] = len(sample["choices"])
            if values:
                scored = bool(scored) or chosen[task] in values
        if scored is False:
            raise lacks_metric(chosen[task], file, f"task {name!r}")
    labels = _task_labels(arguments, found)
    found.rename_families(labels)
    chosen = {labels[task]: metric for task, metric in chosen.items()}
    others = {labels[task]: metrics for task, metrics in others.items()}
    found.notes.extend(note_metrics(chosen, others))
    if unscored:
        found.notes.append(
            f"{unscored} samples have no score (an error, or a limit), and count as missing"
        )


def _configuration(header: dict[str, Any]) -> str:
    """The settings of a run that change what it measures; the same text for the same settings."""
    spec = header.get("eval") or {}
    plan = header.get("plan") if isinstance(header.get("plan"), dict) else {}
    assert isinstance(plan, dict)
    kept = {
        "task_version": spec.get("task_version"),
        "model_args": spec.get("model_args"),
        "generate": spec.get("model_generate_config") or plan.get("config"),
        "solver": spec.get("solver") or [s.get("solver") for s in plan.get("steps") or []],
    }
    return json.dumps({k: v for k, v in kept.items() if v}, sort_keys=True, default=str)


def _task_labels(
    arguments: Mapping[str, tuple[str, dict[str, Any]]], found: Collector
) -> dict[str, str]:
    """The name of each task; where one was run with different arguments, with those that differ.

    Samples of `mmlu(subject=law)` and `mmlu(subject=art)` may have the same ids and are other items.
    """
    labels = {}
    for task, (name, given) in arguments.items():
        others = [each for other, each in arguments.values() if other == name]
        keys = sorted({k for each in others for k in each})
        differ = [k for k in keys if len({repr(each.get(k)) for each in others}) > 1]
        shown = ", ".join(f"{k}={given[k]}" for k in differ if k in given)
        labels[task] = f"{name}({shown})" if differ else name
        if differ:
            found.note_once(
                f"task {name!r} was run with different {', '.join(differ)}: its runs are kept apart, since "
                "equal ids need not be the same items"
            )
    return labels


def score_values(sample: dict[str, Any], file: Path) -> dict[str, float | None]:
    """Each score of a sample as a number, `scorer/key` for a score of several parts; None for text.

    >>> score_values({"scores": {"match": {"value": "C"}, "judge": {"value": {"tone": 0.5}}}}, Path("a"))
    {'match': 1.0, 'judge/tone': 0.5}
    """
    scores = sample.get("scores")
    if scores is None and isinstance(sample.get("score"), dict):
        scores = {"score": sample["score"]}  # logs of version 1
    if scores is not None and not isinstance(scores, dict):
        raise BadInput("path", str(file), f"has scores={short(scores)}", "write the log anew")
    found: dict[str, float | None] = {}
    for name, score in (scores or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = (
            {f"{name}/{k}": v for k, v in value.items()}
            if isinstance(value, dict)
            else {name: value}
        )
        found |= {key: _as_score(part) for key, part in parts.items()}
    return found


def _as_score(value: object) -> float | None:
    if not isinstance(value, str):
        return as_number(value)
    word = _WORDS.get(value, _WORDS.get(value.lower()) if len(value) > 1 else None)
    if word is not None:
        return word
    try:
        return float(value)
    except ValueError:
        return None


def _value(
    values: dict[str, float | None], metric: str | None, sample: dict[str, Any], file: Path
) -> float:
    """The score of the chosen metric; NaN where the sample has none."""
    if metric is None or metric not in values:
        return float("nan")
    value = values[metric]
    if value is None:
        problem = f"scores sample {_id(sample, file)!r} with text or a list by {metric!r}"
        raise BadInput(
            "path", str(file), problem, "choose another scorer with metric=... (--metric)"
        )
    return value


def _id(sample: dict[str, Any], file: Path) -> str:
    if "id" not in sample:
        raise BadInput("path", str(file), "has a sample without an id", "write the log anew")
    return str(sample["id"])


def _names(header: dict[str, Any], file: Path) -> tuple[str, str, dict[str, Any]]:
    """Model, task, and the arguments that the task was run with."""
    spec = header.get("eval")
    if not isinstance(spec, dict) or not spec.get("model") or not spec.get("task"):
        problem = "does not say its model and its task (eval.model, eval.task)"
        raise BadInput("path", str(file), problem, "name a log that Inspect wrote")
    given = spec.get("task_args")
    return str(spec["model"]), str(spec["task"]), given if isinstance(given, dict) else {}


def _document(file: Path, options: Options) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    content = load_json(file, options.encoding)
    samples = content.get("samples") if isinstance(content, dict) else None
    if not isinstance(samples, list) or not all(isinstance(s, dict) for s in samples):
        problem = "has no samples: it is a header only"
        raise BadInput("path", str(file), problem, "name the full log (not read with header_only)")
    return content, samples


def _archive(file: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """The header of an `.eval` archive, and its samples one by one."""
    with open_bytes(file) as stream, zipfile.ZipFile(stream) as archive:
        check_archive(archive, file)
        names = archive.namelist()
        header = _member(archive, next(name for name in _HEADERS if name in names), file)
    members = sorted(n for n in names if n.startswith("samples/") and n.endswith(".json"))
    if not members:
        remedy = "wait for the run to end, or leave it out"
        raise BadInput("path", str(file), "is an archive without samples", remedy)
    return header, _members(file, members)


def _members(file: Path, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    with open_bytes(file) as stream, zipfile.ZipFile(stream) as archive:
        for name in names:
            yield _member(archive, name, file)


def _member(archive: zipfile.ZipFile, name: str, file: Path) -> dict[str, Any]:
    remedy = "write the log as JSON: inspect log convert --to json"
    try:
        found = parse_json(archive.read(name), "path", f"{file}, {name}")
    except BadInput:
        raise
    except NotImplementedError:
        problem = f"is packed in a way that Python's zipfile cannot unpack ({name})"
        raise BadInput("path", str(file), problem, remedy) from None
    except (ValueError, zipfile.BadZipFile, EOFError, zlib.error, RuntimeError, OSError) as error:
        problem = f"has a damaged part {name!r} ({error})"
        raise BadInput("path", str(file), problem, remedy, code="damaged") from None
    if not isinstance(found, dict):
        raise BadInput("path", str(file), f"has no object in {name!r}", remedy)
    return found
