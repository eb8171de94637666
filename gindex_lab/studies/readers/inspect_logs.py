"""Inspect logs: one file per model and task, as JSON or as an `.eval` archive (a zip of JSON files).

The model and the task stand in `eval`, each sample has an `id`, an `epoch` and `scores` (one per scorer).
Epochs become trials. A score is a number, a letter (C correct, I incorrect, P partial, N no answer) or a word
that judges write for one; categories ("left", "both") and free text have no value. A run that failed or was
stopped gives way to one that succeeded, and otherwise to a newer one, of the same model and task, if that has
scores. (Documentation, "Log Files" and "Scorers"; inspect-ai 0.3.285 run, November 2026.)
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.eval_archives import eval_archive
from gindex_lab.studies.readers.metrics import Metrics, choose_metric, lacks_metric, settle_direction
from gindex_lab.studies.readers.parts import mapping
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, beginning, json_glimpse, load_json

__all__ = ["read_inspect"]

# letters as `value_to_float` of inspect_ai counts them, and words that judges write for one
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"partial": 0.5, "partially correct": 0.5, "no answer": 0.0, "not attempted": 0.0}


def read_inspect(files: Sequence[Path], found: Storage) -> None:
    """Read each log: agents are models, families are tasks, trials are epochs."""
    reader = _Logs(found)
    whole: dict[Path, dict[str, Any]] = {}  # logs that have no samples, by their headers
    instead = _instead(files, found)
    left = {file for others in instead.values() for file in others}
    tried = [file for file in files if file not in left]
    for file in tried:
        with found.reading(file):
            whole |= reader.read(file)
        if file in found.skipped and (others := instead.pop(file, {})):
            following, *rest = others  # it may have scores, though its run failed
            instead[following] = {other: others[other] for other in rest}
            tried.append(following)
    _say_left({file: status for others in instead.values() for file, status in others.items()}, found)
    alone = not reader.chosen
    for file, header in whole.items():
        with found.reading(file):
            reader.read_results(file, header, alone)
    reader.finish()


def _instead(files: Sequence[Path], found: Storage) -> dict[Path, dict[Path, str]]:
    """Of each run the failed ones of the same model and task that give way to it, the best first."""
    runs: dict[tuple[str, str], list[tuple[bool, str, Path, str]]] = {}
    for file in files if len(files) > 1 else ():
        with suppress(BadInput):  # the same error comes back where the file is read
            header = _glimpse(file)
            log = _log(header, file, found)
            status = str(header.get("status") or "success")
            created = str(header["eval"].get("created") or "")
            runs.setdefault((log.model, log.key), []).append((status == "success", created, file, status))
    ordered = [sorted(some, reverse=True) for some in runs.values()]
    return {
        best[2]: {file: status for whole, _, file, status in others if not whole} for best, *others in ordered
    }


def _say_left(left: Mapping[Path, str], found: Storage) -> None:
    if left:
        shown = ", ".join(f"{file.name}: {status}" for file, status in list(left.items())[:3])
        rest = " …" * (len(left) > 3)
        runs = "run that failed or was" if len(left) == 1 else "runs that failed or were"
        said = f"{len(left)} {runs} stopped gave way to others ({shown}{rest})"
        found.note("files", said, "the path: name the file itself")


def _glimpse(file: Path) -> dict[str, Any]:
    """The header of a log, without its samples."""
    if beginning(file, 2) == b"PK":
        return eval_archive(file)[0]
    found = json_glimpse(file, 200_000)  # the samples come last
    return found if isinstance(found, dict) else {}


@dataclass
class _Log:
    """The run of one log: its agent, and its task as it was run, with the arguments it was given."""

    header: dict[str, Any]
    file: Path
    model: str
    task: str
    arguments: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """The task with its arguments."""
        if not self.arguments:
            return self.task
        return json.dumps([self.task, self.arguments], sort_keys=True, default=str)

    @cached_property
    def configuration(self) -> str:
        """The settings of a run that change what it measures; the same text for the same settings."""
        spec = self.header["eval"]
        kept = {
            "task_version": spec.get("task_version"),
            "model_args": spec.get("model_args"),
            "generate": spec.get("model_generate_config") or mapping(self.header, "plan").get("config"),
            "solver": spec.get("solver") or _solvers(self.header),
        }
        return json.dumps({k: v for k, v in kept.items() if v}, sort_keys=True, default=str)


def _log(header: dict[str, Any], file: Path, found: Storage) -> _Log:
    spec = header.get("eval")
    if not isinstance(spec, dict) or not spec.get("model") or not spec.get("task"):
        problem = "[no-model] does not say its model and its task (eval.model, eval.task)"
        raise bad_file(file, problem, "name a log that Inspect wrote")
    model = found.agent(str(spec["model"]), file, _settings(header))
    return _Log(header, file, model, str(spec["task"]), mapping(spec, "task_args"))


class _Logs(Metrics):
    """Reads logs one after the other, and remembers what was chosen and what was odd."""

    def __init__(self, found: Storage) -> None:
        super().__init__(found)
        self.tasks: dict[str, _Log] = {}
        self.numbers: dict[str, bool] = {}  # of each task, whether a score is not right or wrong
        found.remember(self.tasks, self.numbers)

    def read(self, file: Path) -> dict[Path, dict[str, Any]]:
        """Add the samples of a log; gives the header of one that has none."""
        archive = beginning(file, 2) == b"PK"
        header, samples = eval_archive(file) if archive else _document(file, self.found)
        if not samples:
            return {file: header}
        log = _log(header, file, self.found)
        if self.found.is_unwanted(file, log.model, log.task):
            return {}
        task = log.key
        self.tasks[task] = log
        self._say_reducer(header)
        if header.get("status") not in (None, "success"):
            said = f"{file.name}: the run ended with status {header['status']!r}; what it has was read"
            self.found.note("files", said, "exclude=[...] (--exclude)")
        scored: bool | None = None  # whether any scored sample has the metric of the task
        for sample in samples:
            values = self._add(sample, log)
            if values:
                scored = bool(scored) or self.chosen[task] in values
            else:
                self.found.count("gaps", "samples have no score (an error, or a limit), and count as missing")
        if scored is None:
            problem = f"[unscored] has no score for any of its samples{_ending(header)}"
            raise bad_file(file, problem, "score it with `inspect score`, or leave it out")
        if scored is False:
            raise lacks_metric(self.chosen[task], file, f"task {log.task!r}")
        return {}

    def read_results(self, file: Path, header: dict[str, Any], alone: bool) -> None:
        """A log without samples: its task is one item, with the first number of the first scorer."""
        table = _results(header)
        if not alone or not table:
            problem = f"[no-samples] has no samples: it is a header only{_ending(header)}"
            raise bad_file(file, problem, "name the full log (not read with header_only)")
        log = _log(header, file, self.found)
        metric = self.of(log.key, table, file, what=f"task {log.task!r}")
        self.tasks[log.key] = log
        self.numbers[log.key] = self.numbers.get(log.key, False) or not 0 <= table[metric] <= 1
        self.found.add(log.model, log.key, "mean", table[metric])
        said = "results only, no samples: each task is one item, its score a mean over samples"
        self.found.note("items", said)

    def _say_reducer(self, header: dict[str, Any]) -> None:
        config = mapping(header["eval"], "config")
        given = config.get("epochs_reducer")
        other = list(map(str, given)) if isinstance(given, list) and "mean" not in given else []
        if other and config.get("epochs") not in (None, 1):
            said = f"epochs are averaged; the headline of the log reduces them by {other[0]!r}, not the mean"
            self.found.note("repeats", said)

    def _add(self, sample: dict[str, Any], log: _Log) -> dict[str, float | None]:
        task, file, values = log.key, log.file, score_values(sample, log.file)
        if values and task not in self.chosen and all(v is None for v in values.values()):
            raise _in_words(sample, file)
        if values and task not in self.chosen:
            self.chosen[task] = self._choose(values, log)
        self.others.setdefault(task, set()).update(values)
        value = values.get(self.chosen.get(task, ""), float("nan"))
        if value is None:
            raise _in_words(sample, file)
        if value not in (0, 0.5, 1) and value == value:
            self.numbers[task] = True
        item = _sample_id(sample, file)
        code = self.found.add(log.model, task, item, value, trial=sample.get("epoch", 1))
        written = json.dumps(sample.get("input"), default=str)
        text = zlib.crc32(written.encode())
        if "attachment://" not in written:  # a long text is kept elsewhere in the log
            self.found.same_text(code, text)
        if self.found.details is not None:
            self.found.detail(text=text, errored=bool(sample.get("error")), configuration=log.configuration)
        keep_roles(self.found, task, item, sample)
        if isinstance(sample.get("choices"), list) and len(sample["choices"]) > 1:
            self.found.facts_of(task, item)["choices"] = len(sample["choices"])
        return values

    def _choose(self, values: Mapping[str, float | None], log: _Log) -> str:
        """The scorer to read: as asked for, else the first of the log's own results, else of the sample."""
        scorers = [each for each, value in values.items() if value is not None]
        scores = mapping(log.header, "results").get("scores")
        listed = [str(s["name"]) for s in scores or () if isinstance(s, dict) and "name" in s]
        names = [*(each for each in listed if each in scorers), *(s for s in scorers if s not in listed)]
        return choose_metric(names, self.found.options.metrics_of(log.task), log.file, f"task {log.task!r}")

    def finish(self) -> None:
        """Directions are settled last, when all values are known: right is better than wrong."""
        for task, metric in self.chosen.items():
            guess = None if self.numbers.get(task) else "higher"
            settle_direction(metric, self.found, family=task, guess=guess)
        labels = _task_labels(self.tasks, self.found)
        self.found.rename_families(labels)
        self.chosen = {labels[task]: metric for task, metric in self.chosen.items()}
        self.others = {labels[task]: metrics for task, metrics in self.others.items()}
        self.say()


def _document(file: Path, found: Storage) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    content = load_json(file, found.options.encoding)
    if not isinstance(content, dict):
        problem = f"[wrong-type] holds {short(content)} where Inspect writes an object"
        raise bad_file(file, problem, "name a log that Inspect wrote")
    samples = content.pop("samples", None)  # a header is kept, and without them
    samples = [] if samples is None else samples
    if not isinstance(samples, list) or not all(isinstance(one, dict) for one in samples):
        problem = f"[wrong-type] has samples={short(samples)} where Inspect writes a list"
        raise bad_file(file, problem, "write the log again")
    return content, samples


# -- what the header says ----------------------------------------------------------------------------


def _ending(header: dict[str, Any]) -> str:
    """How a run ended that did not succeed, to be put behind what it lacks."""
    status, error = header.get("status") or "success", mapping(header, "error")
    reason = f", {short(error['message'])}" if "message" in error else ""
    return "" if status == "success" else f": the run ended with status {status!r}{reason}"


def _results(header: dict[str, Any]) -> dict[str, float]:
    """The numbers of a log's own results, `scorer/metric`, without standard errors."""
    scores = mapping(header, "results").get("scores")
    found = {}
    for score in scores if isinstance(scores, list) else ():
        for name, one in mapping(score, "metrics").items():
            value = as_number(one.get("value")) if isinstance(one, dict) else None
            if value is not None and name not in ("stderr", "std", "var", "bootstrap_stderr"):
                found[f"{score.get('name')}/{name}"] = value
    return found


def _settings(header: dict[str, Any]) -> dict[str, Any]:
    """What may tell two runs of one model apart."""
    spec = header["eval"]
    revision, generate = spec.get("revision"), spec.get("model_generate_config")
    commit = revision.get("commit") if isinstance(revision, dict) else spec.get("task_version")
    return {
        "solver": [spec.get("solver") or _solvers(header), spec.get("solver_args")],
        "model+args": {"args": spec.get("model_args"), "generate": generate},
        "revision": commit,
    }


def _solvers(header: dict[str, Any]) -> list[str]:
    steps = mapping(header, "plan").get("steps")
    return [str(s.get("solver")) for s in steps or () if isinstance(s, dict)]


def _task_labels(tasks: Mapping[str, _Log], found: Storage) -> dict[str, str]:
    """The name of each task; where one was run with different arguments, with those that differ.

    Samples of `mmlu(subject=law)` and `mmlu(subject=art)` may have the same ids and are other items.
    """
    labels = {}
    for task, log in tasks.items():
        others = [each.arguments for each in tasks.values() if each.task == log.task]
        keys = sorted({k for each in others for k in each})
        differ = [k for k in keys if len({repr(each.get(k)) for each in others}) > 1]
        shown = ", ".join(f"{k}={log.arguments[k]}" for k in differ if k in log.arguments)
        labels[task] = f"{log.task}({shown})" if differ else log.task
        if differ:
            said = (
                f"task {log.task!r} was run with different {', '.join(differ)}: its runs are kept apart, "
                "since equal ids need not be the same items"
            )
            found.note("items", said, "include=[...] (--include), for one of them")
    return labels


# -- scores ------------------------------------------------------------------------------------------


def score_values(sample: dict[str, Any], file: Path) -> dict[str, float | None]:
    """Each score of a sample as a number, `scorer/key` for a score of several parts; None for text."""
    scores = sample.get("scores")
    if scores is None and isinstance(sample.get("score"), dict):
        scores = {"score": sample["score"]}  # logs of version 1
    if scores is not None and not isinstance(scores, dict):
        raise bad_file(file, f"[wrong-type] has scores={short(scores)}", "write the log again")
    found: dict[str, float | None] = {}
    for name, score in (scores or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = {f"{name}/{k}": v for k, v in value.items()} if isinstance(value, dict) else {name: value}
        found |= {key: _as_score(part) for key, part in parts.items()}
    return found


def _as_score(value: object) -> float | None:
    if not isinstance(value, str):
        return as_number(value)
    word = value.strip().lower().replace("_", " ")
    return _LETTERS.get(value.strip(), _WORDS.get(word, as_number(value)))


def _in_words(sample: dict[str, Any], file: Path) -> BadInput:
    """The error for a sample whose scores have no known value."""
    scores = sample.get("scores") or {"score": sample.get("score")}
    given = {k: one.get("value", one) if isinstance(one, dict) else one for k, one in scores.items()}
    words = f"in words or a list whose value is not known: {short(given)}"
    remedy = "choose another scorer with metric=... (--metric), or score it again (`inspect score`)"
    return bad_file(file, f"[words] scores sample {_sample_id(sample, file)!r} {words}", remedy)


def _sample_id(sample: dict[str, Any], file: Path) -> str:
    if "id" not in sample:
        raise bad_file(file, "[no-id] has a sample without an id", "write the log again")
    return str(sample["id"])
