"""OpenAI evals (`oaieval --record_path`, 1.x-3.x): JSONL of events, one file per run.

The first line is {"spec": {completion_fns, eval_name, base_eval, split}}; then come events {sample_id, type,
data}, of type "match" ({"correct": true}), "metrics" ({name: value}) and others; {"final_report": {...}}
closes a run that came to its end. The response is `correct`, whose mean is the accuracy of the report, or a
metric. (LocalRecorder of evals 3.0.1, run in November 2026.)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gindex_lab.studies.readers.metrics import Metrics, settle_direction
from gindex_lab.studies.readers.parts import field, mapping
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, json_lines

__all__ = ["read_openai_evals"]

_TOOL = "OpenAI evals"


def read_openai_evals(files: Sequence[Path], found: Storage) -> None:
    """Agents are completion functions, families are evals, items are samples."""
    metrics = Metrics(found)
    for file in files:
        with found.reading(file):
            lines = [line for _, line in json_lines(file, found.notes, found.options.encoding)]
            agent, family = _names(lines[0] if lines else {}, file)
            agent = found.agent(agent, file)
            scores, errors = _scores(lines, file)
            if not scores:
                problem = "[empty] has no event with a score (match or metrics)"
                raise bad_file(file, problem, "run the eval again")
            names = dict.fromkeys(name for each in scores.values() for name in each)
            metric = metrics.of(family, names, file, what=f"eval {family!r}")
            settle_direction(metric, found, family=family)
            for sample, each in scores.items():
                found.add(agent, family, sample, each.get(metric, float("nan")))
            if not any("final_report" in line for line in lines):
                found.note("files", f"{file.name}: the run has no final report; what it has was read")
            if errors:
                found.note("gaps", f"{file.name}: {errors} samples ended in an error, and are missing")
    metrics.say()


def _names(first: dict[str, Any], file: Path) -> tuple[str, str]:
    spec = field(first, "spec", dict, file, _TOOL)
    functions = field(spec, "completion_fns", list, file, _TOOL)
    name = field(spec, "eval_name", str, file, _TOOL)
    if not functions:
        raise bad_file(file, "[missing-field] names no completion function", "run the eval again")
    return " + ".join(str(one) for one in functions), name


def _scores(lines: Sequence[dict[str, Any]], file: Path) -> tuple[dict[str, dict[str, float]], int]:
    """The scores of each sample, and how many samples have an error and no score."""
    scores: dict[str, dict[str, float]] = {}
    errors: set[str] = set()
    for number, line in enumerate(lines, 1):
        kind, sample = line.get("type"), line.get("sample_id")
        if kind == "error" and sample is not None:
            errors.add(str(sample))
        if kind not in ("match", "metrics") or sample is None:
            continue
        data = mapping(line, "data")
        given = {"correct": data.get("correct")} if kind == "match" else data
        known = {str(k): as_number(v) for k, v in given.items() if v is not None}
        numbers = {k: v for k, v in known.items() if v is not None}
        if kind == "match" and not numbers:
            problem = f"[wrong-type] has correct={data.get('correct')!r} in line {number}"
            raise bad_file(file, problem, "run the eval again")
        scores.setdefault(str(sample), {}).update(numbers)
    return scores, len(errors - set(scores))
