"""Inspect logs: one file per model and task, as JSON or as an `.eval` archive (a zip of JSON files).

The model and the task stand in `eval`, each sample has an `id`, an `epoch` and `scores` (one per scorer).
Epochs become trials. A run that failed or was stopped gives way to one that succeeded, and otherwise to a
newer one, of the same model and task, if that has scores. (Documentation, "Log Files"; inspect-ai 0.3.285
run, November 2026.)
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.collect import Collector, as_number
from gindex_lab.studies.readers.eval_archives import eval_archive
from gindex_lab.studies.readers.inspect_scores import in_words, sample_id, score_of, score_values
from gindex_lab.studies.readers.metrics import (
    Metrics,
    choose_metric,
    lacks_metric,
    settle_direction,
)
from gindex_lab.studies.readers.naming import agent_name
from gindex_lab.studies.readers.options import Options
from gindex_lab.studies.readers.parts import mapping
from gindex_lab.studies.readers.roles import log_roles
from gindex_lab.studies.readers.text import beginning, json_glimpse, load_json

__all__ = ["read_inspect"]


class _Task(NamedTuple):
    """A task as it was run: its name, and the arguments it was given."""

    name: str
    arguments: dict[str, Any]


def read_inspect(files: Sequence[Path], found: Collector, options: Options) -> None:
    """Read each log: agents are models, families are tasks, trials are epochs."""
    reader = _Logs(found, options)
    whole: dict[Path, dict[str, Any]] = {}  # logs that have no samples, by their headers
    state = *reader.state, reader.tasks, reader.numbers
    instead = _instead(files, found, options)
    left = {file: status for others in instead.values() for file, status in others.items()}
    tried = [file for file in files if file not in left]
    for file in tried:
        with found.reading(file, options, *state):
            whole |= reader.read(file)
        if file in found.skipped and (others := instead.pop(file, {})):
            following, *rest = others  # it may have scores, though its run failed
            instead[following] = {other: others[other] for other in rest}
            tried.append(following)
    _say_left(instead, found)
    alone = not reader.chosen
    for file, header in whole.items():
        with found.reading(file, options, *state):
            reader.read_results(file, header, alone)
    reader.finish()


def _instead(
    files: Sequence[Path], found: Collector, options: Options
) -> dict[Path, dict[Path, str]]:
    """Of each run the failed ones of the same model and task that give way to it, the best first."""
    runs: dict[tuple[str, str], list[tuple[bool, str, Path, str]]] = {}
    for file in files if len(files) > 1 else ():
        with suppress(BadInput):  # the same error comes back where the file is read
            header = _glimpse(file)
            model, name, given = _names(header, file)
            agent = agent_name(model, file, found, options, _settings(header))
            status = str(header.get("status") or "success")
            created = str(header["eval"].get("created") or "")
            run = status == "success", created, file, status
            runs.setdefault((agent, _key(name, given)), []).append(run)
    ordered = [sorted(some, reverse=True) for some in runs.values()]
    return {
        best[2]: {file: status for whole, _, file, status in others if not whole}
        for best, *others in ordered
    }


def _say_left(instead: Mapping[Path, Mapping[Path, str]], found: Collector) -> None:
    left = {file: status for others in instead.values() for file, status in others.items()}
    if left:
        shown = ", ".join(f"{file.name}: {status}" for file, status in list(left.items())[:3])
        rest = " …" * (len(left) > 3)
        runs_said = "run that failed or was" if len(left) == 1 else "runs that failed or were"
        said = f"{len(left)} {runs_said} stopped gave way to others ({shown}{rest})"
        found.note("files", said, "the path: name the file itself")


def _glimpse(file: Path) -> dict[str, Any]:
    """The header of a log, without its samples."""
    if beginning(file, 2) == b"PK":
        return eval_archive(file)[0]
    found = json_glimpse(file, 200_000)  # the samples come last
    return found if isinstance(found, dict) else {}


def _key(name: str, given: dict[str, Any]) -> str:
    """A task with its arguments."""
    return json.dumps([name, given], sort_keys=True, default=str) if given else name


class _Logs(Metrics):
    """Reads logs one after the other, and remembers what was chosen and what was odd."""

    def __init__(self, found: Collector, options: Options) -> None:
        super().__init__(found, options)
        self.tasks: dict[str, _Task] = {}
        self.numbers: dict[str, bool] = {}  # of each task, whether a score is not right or wrong
        self.unscored = 0

    def read(self, file: Path) -> dict[Path, dict[str, Any]]:
        """Add the samples of a log; gives the header of one that has none."""
        archive = beginning(file, 2) == b"PK"
        header, samples = eval_archive(file) if archive else _document(file, self.options)
        if not samples:
            return {file: header}
        model, name, given = _names(header, file)
        model = agent_name(model, file, self.found, self.options, _settings(header))
        if self.found.is_unwanted(file, model, name, self.options):
            return {}
        task = _key(name, given)
        self.tasks[task] = _Task(name, given)
        self._say_reducer(header)
        if header.get("status") not in (None, "success"):
            ended = f"{file.name}: the run ended with status {header['status']!r}"
            self.found.note("files", f"{ended}; what it has was read", "exclude=[...] (--exclude)")
        configuration = _configuration(header)
        scored: bool | None = None  # whether any scored sample has the metric of the task
        unscored = 0
        for sample in samples:
            values = self._add(sample, model, task, configuration, header, file)
            unscored += not values
            if values:
                scored = bool(scored) or self.chosen[task] in values
        if scored is None:
            problem = f"[unscored] has no score for any of its samples{_ending(header)}"
            remedy = "score it with `inspect score`, or leave it out"
            raise BadInput("path", str(file), problem, remedy)
        if scored is False:
            raise lacks_metric(self.chosen[task], file, f"task {name!r}")
        self.unscored += unscored
        return {}

    def read_results(self, file: Path, header: dict[str, Any], alone: bool) -> None:
        """A log without samples: its task is one item, with the first number of the first scorer."""
        table = _results(header)
        if not alone or not table:
            problem = f"[no-samples] has no samples: it is a header only{_ending(header)}"
            remedy = "name the full log (not read with header_only)"
            raise BadInput("path", str(file), problem, remedy)
        model, name, given = _names(header, file)
        model = agent_name(model, file, self.found, self.options, _settings(header))
        task = _key(name, given)
        metric = self.of(task, list(table), file, what=f"task {name!r}")
        self.tasks[task] = _Task(name, given)
        self.numbers[task] = self.numbers.get(task, False) or not 0 <= table[metric] <= 1
        self.found.add(model, task, "mean", table[metric])
        said = "results only, no samples: each task is one item, its score a mean over samples"
        self.found.note("items", said)

    def _say_reducer(self, header: dict[str, Any]) -> None:
        config = header["eval"].get("config")
        given = config.get("epochs_reducer") if isinstance(config, dict) else None
        other = list(map(str, given)) if isinstance(given, list) and "mean" not in given else []
        if other and config["epochs"] not in (None, 1):
            said = f"epochs are averaged; the headline of the log reduces them by {other[0]!r}, not the mean"
            self.found.note("repeats", said)

    def _add(
        self,
        sample: dict[str, Any],
        model: str,
        task: str,
        configuration: str,
        header: dict[str, Any],
        file: Path,
    ) -> dict[str, float | None]:
        values = score_values(sample, file)
        if values and task not in self.chosen and all(v is None for v in values.values()):
            raise in_words(sample, file)
        if values and task not in self.chosen:
            self.chosen[task] = self._choose(values, task, header, file)
        self.others.setdefault(task, set()).update(values)
        value = score_of(values, self.chosen.get(task), sample, file)
        if value not in (0, 0.5, 1) and value == value:
            self.numbers[task] = True
        item = sample_id(sample, file)
        code = self.found.add(model, task, item, value, trial=sample.get("epoch", 1))
        written = json.dumps(sample.get("input"), default=str)
        text = zlib.crc32(written.encode())
        if "attachment://" not in written:  # a long text is kept elsewhere in the log
            self.found.same_text(code, text)
        if self.found.details is not None:
            errored = bool(sample.get("error"))
            self.found.detail(text=text, errored=errored, configuration=configuration)
        facts = log_roles(sample, self.options)
        if isinstance(sample.get("choices"), list) and len(sample["choices"]) > 1:
            facts["choices"] = len(sample["choices"])
        if facts:
            self.found.item_facts.setdefault((task, item), {}).update(facts)
        return values

    def _choose(
        self, values: dict[str, float | None], task: str, header: dict[str, Any], file: Path
    ) -> str:
        """The scorer to read: as asked for, else the first of the log's own results, else of the sample."""
        name = self.tasks[task].name
        scorers = [each for each, value in values.items() if value is not None]
        listed = [each for each in _listed(header) if each in scorers]
        names = [*listed, *(each for each in scorers if each not in listed)]
        return choose_metric(names, self.options.metrics_of(name), file, f"task {name!r}")

    def finish(self) -> None:
        """Directions are settled last, when all values are known: right is better than wrong."""
        found = self.found
        for task, metric in self.chosen.items():
            guess = None if self.numbers.get(task) else "higher"
            settle_direction(metric, found, self.options, family=task, guess=guess)
        labels = _task_labels(self.tasks, found)
        found.rename_families(labels)
        self.chosen = {labels[task]: metric for task, metric in self.chosen.items()}
        self.others = {labels[task]: metrics for task, metrics in self.others.items()}
        self.say()
        if self.unscored:
            said = f"{self.unscored} samples have no score (an error, or a limit), and count as missing"
            found.note("gaps", said)


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


def _listed(header: dict[str, Any]) -> list[str]:
    """The scorers in the order of the log's own results."""
    scores = mapping(header, "results").get("scores")
    return [str(s["name"]) for s in scores or () if isinstance(s, dict) and "name" in s]


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


def _configuration(header: dict[str, Any]) -> str:
    """The settings of a run that change what it measures; the same text for the same settings."""
    spec, plan = header.get("eval") or {}, mapping(header, "plan")
    kept = {
        "task_version": spec.get("task_version"),
        "model_args": spec.get("model_args"),
        "generate": spec.get("model_generate_config") or plan.get("config"),
        "solver": spec.get("solver") or _solvers(header),
    }
    return json.dumps({k: v for k, v in kept.items() if v}, sort_keys=True, default=str)


def _task_labels(tasks: Mapping[str, _Task], found: Collector) -> dict[str, str]:
    """The name of each task; where one was run with different arguments, with those that differ.

    Samples of `mmlu(subject=law)` and `mmlu(subject=art)` may have the same ids and are other items.
    """
    labels = {}
    for task, (name, given) in tasks.items():
        others = [each.arguments for each in tasks.values() if each.name == name]
        keys = sorted({k for each in others for k in each})
        differ = [k for k in keys if len({repr(each.get(k)) for each in others}) > 1]
        shown = ", ".join(f"{k}={given[k]}" for k in differ if k in given)
        labels[task] = f"{name}({shown})" if differ else name
        if differ:
            said = (
                f"task {name!r} was run with different {', '.join(differ)}: its runs are kept apart, since "
                "equal ids need not be the same items"
            )
            found.note("items", said, "include=[...] (--include), for one of them")
    return labels


def _names(header: dict[str, Any], file: Path) -> tuple[str, str, dict[str, Any]]:
    """Model, task, and the arguments that the task was run with."""
    spec = header.get("eval")
    if not isinstance(spec, dict) or not spec.get("model") or not spec.get("task"):
        problem = "[no-model] does not say its model and its task (eval.model, eval.task)"
        raise BadInput("path", str(file), problem, "name a log that Inspect wrote")
    return str(spec["model"]), str(spec["task"]), mapping(spec, "task_args")


def _document(file: Path, options: Options) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    content = load_json(file, options.encoding)
    samples = content.get("samples") if isinstance(content, dict) else None
    listed = isinstance(samples, list) and all(isinstance(one, dict) for one in samples)
    if samples is not None and not listed:
        problem = f"[wrong-type] has samples={short(samples)} where Inspect writes a list"
        raise BadInput("path", str(file), problem, "write the log again")
    return content, samples or []
