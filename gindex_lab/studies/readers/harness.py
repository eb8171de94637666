"""lm-evaluation-harness: one JSONL of samples per task and run, and one JSON of results per run.

A line of `samples_<task>_<time>.jsonl` is one document under one filter: `doc_id`, `doc_hash`, `filter`,
`metrics` (names) and each metric as a key of its own. The model's name is not in it: it stands in the
`results_<time>.json` beside (or `<own name>_<time>.json`), or in the name of the folder. Versions 0.4.0-0.4.2
wrote `results.json` and a list of samples in `<arguments of the model>_<task>.jsonl`. Where there are no
samples, the results themselves are read: one item per task, its score the mean over documents. The perplexity
of a sample is a log-likelihood, or [log-likelihood, words or bytes]: it is read per word or byte, where more
is better, and exp(-mean), weighted by length, is the perplexity of the results.
(docs/interface.md, `--log_samples`; EvaluationTracker and api/task.py of lm-eval 0.4.13, run and read in
November 2026.)
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import BadInput, short
from gindex_lab.studies.readers.metrics import Metrics, lacks_metric, rising, settle_direction
from gindex_lab.studies.readers.parts import loaded, mapping, model_of_folder
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, json_lines, listed, load_json, stem_of, suffix_of

__all__ = ["read_lm_eval"]

_TIME = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
_SAMPLES = re.compile(rf"(?:samples_)?(?P<task>.+?)(?:_(?P<time>{_TIME}))?$")
_RESULTS = re.compile(rf"(?:.+_(?P<time>{_TIME})|results)$")  # without a time until 0.4.2
_MODEL = re.compile(r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)")
_LIKELY = re.compile("perplexity|ppl|bits_per")
# Older logs do not list their metrics: those that the harness has by default
_USUAL = ("exact_match", "acc", "acc_norm", "em", "f1", "pass@1", "prompt_level_strict_acc")


def read_lm_eval(files: Sequence[Path], found: Storage) -> None:
    """Read samples where there are some, and otherwise results."""
    samples = [f for f in files if suffix_of(f) != ".json"]
    results = loaded([file for file in files if file not in samples], found)
    if not samples:
        _read_results(results, found)
        return
    runs = _runs_of(samples, results, found)
    reader = _Samples(found)
    current = _newest(samples, runs, found)
    for file in current:
        with found.reading(file):
            reader.read(file, runs)
    if reader.likely and not len(found):  # there is nothing beside them
        reader.beside = False
        for file in [file for file in current if file in reader.likely]:
            del found.skipped[file]
            with found.reading(file):
                reader.read(file, runs)
    reader.finish()


def _newest(samples: Sequence[Path], runs: Mapping[tuple[Path, str], _Run], found: Storage) -> list[Path]:
    """Of runs of one task in one folder with the same settings, the newest, which the harness takes too; but
    not one with a limit in place of one with more documents."""
    last: dict[tuple[Path, str, str], tuple[float, str, Path]] = {}
    known = {file: _task_and_time(file) for file in samples}
    known = {file: one for file, one in known.items() if (file.parent, one[1]) in runs}
    for file, (task, time) in known.items() if found.options.repeats == "error" else ():
        run = runs[file.parent, time]
        key = file.parent, task, json.dumps([run.model, run.settings], default=str)
        last[key] = max(last.get(key, (0, "", file)), (run.sizes.get(task, 0), time, file))
    kept = {file for *_, file in last.values()}
    left = [file for file in known if last and file not in kept]
    if left:
        said = f"of runs with the same settings the newest with most documents was read, not {listed(left)}"
        found.note("repeats", said, "repeats='trials' or 'first' (--repeats)")
    return [file for file in samples if file not in left]


# -- samples -----------------------------------------------------------------------------------------


class _Samples(Metrics):
    """Reads sample files one after the other, and remembers what was chosen and what was odd."""

    def __init__(self, found: Storage) -> None:
        super().__init__(found)
        self.changed: set[str] = set()
        found.remember(self.changed)
        self.likely: set[Path] = set()  # files of log-likelihoods, left out beside shares
        self.beside = found.many and not found.options.strict
        self.shots: int | None = None  # examples in the prompt, of the task that is being read

    def read(self, file: Path, runs: Mapping[tuple[Path, str], _Run]) -> None:
        task, time = _task_and_time(file)
        run = runs.get((file.parent, time)) or runs.get((file.parent, ""))
        if run and not time:  # the name ends with the task: the longest that is known
            ends = [one for one in run.tasks if task == one or task.endswith(f"_{one}")]
            task = max(ends, key=len, default=task)
        name = run.model if run else self._from_folder(file)
        model = self.found.agent(name, file, run.settings if run else {})
        if self.found.is_unwanted(file, model, task):
            return
        self.shots = (run.settings["model+args"]["shots"] or {}).get(task, 0) if run else None
        first = run.filters.get(task) if run else None
        ways = run.directions.get(task, {}) if run else {}
        wanted = self._wanted_filter(file, task)
        if not self._read_lines(file, task, model, ways, wanted or first) and first:
            self._read_lines(file, task, model, ways, wanted)

    def _read_lines(
        self, file: Path, task: str, model: str, ways: Mapping[str, str], wanted: str | None
    ) -> bool:
        """Add the documents under one filter (None: the first that comes); whether there were some."""
        others: dict[str, None] = {}
        scored: bool | None = None  # whether any document has the metric of the task
        for number, line in json_lines(file, self.found.notes, self.found.options.encoding):
            name = str(line.get("filter", "none"))
            wanted = name if wanted is None else wanted
            if wanted == name:
                self._add(line, number, model, task, ways, file)
                scored = bool(scored) or self.chosen[task] in line
            else:
                others[name] = None
        if scored is False:
            raise lacks_metric(self.chosen[task], file, f"task {task!r}")
        if others and scored is not None and self.found.options.filter is None:
            _say_filter(task, wanted, others, self.found)
        return scored is not None or not others

    def _wanted_filter(self, file: Path, task: str) -> str | None:
        """The filter that was asked for, where the task has it; None to take the task's first."""
        given = self.found.options.filter
        if given is None:
            return None
        lines = json_lines(file, [], self.found.options.encoding)
        filters = dict.fromkeys(str(line.get("filter", "none")) for _, line in lines)
        if len(filters) > 1 and given not in filters:
            raise _no_filter(given, filters, task)
        return given if given in filters else None

    def _add(
        self, line: dict[str, Any], number: int, model: str, task: str, ways: Mapping[str, str], file: Path
    ) -> None:
        if "doc_id" not in line:
            problem = f"[no-id] has no doc_id in line {number}"
            raise bad_file(file, problem, "write the log with --log_samples")
        metric = self.chosen.get(task) or self._choose(line, task, ways, file)
        value, length = _number(metric, line.get(metric))
        if value is None:
            problem = f"[not-a-number] has {metric}={short(line[metric])} in line {number}"
            raise bad_file(file, problem, "choose another with metric=... (--metric)")
        if value != value:
            self.found.count("gaps", "samples have no score, and count as missing")
        document = str(line["doc_id"])
        code = self.found.add(model, task, document, value)
        if length:
            self.found.facts_of(task, document)["length"] = length
        options = line.get("resps")  # of multiple choice: the likelihood of each option
        if metric in ("acc", "acc_norm") and isinstance(options, list) and len(options) > 1:
            self.found.facts_of(task, document)["choices"] = len(options)
        if self.found.details is not None:
            self._detail(line)
        keep_roles(self.found, task, document, line)
        if "doc_hash" in line:
            text = zlib.crc32(str(line["doc_hash"]).encode())
            if not self.found.same_text(code, text):
                self.changed.add(f"{task}/{document}")

    def _detail(self, line: dict[str, Any]) -> None:
        text = line.get("doc_hash") or line.get("prompt_hash") or line.get("doc")
        known = {} if text is None else {"text": zlib.crc32(json.dumps(text, default=str).encode())}
        shots = {} if self.shots is None else {"configuration": f"num_fewshot={self.shots}"}
        self.found.detail(**known, **shots)

    def _choose(self, line: dict[str, Any], task: str, ways: Mapping[str, str], file: Path) -> str:
        names = line.get("metrics")
        names = names if isinstance(names, list) else [name for name in _USUAL if name in line]
        numbers = [str(m) for m in names if _number(str(m), line.get(m))[0] is not None]
        metric = self.of(task, numbers, file, rising(numbers, ways))
        value, length = _number(metric, line.get(metric))
        if not length and not (_LIKELY.search(metric) and value is not None and value <= 0):
            settle_direction(metric, self.found, log=ways.get(metric), family=task)
            return metric
        if self.beside and not self.found.options.metrics_of(task):
            self.likely.add(file)
            problem = f"has log-likelihoods ({metric}) of task {task!r}, others have shares"
            raise bad_file(file, problem, f"include=['task:{task}'] reads them")
        per = " per word or byte, weight 'length' in .items" if length else ""
        said = (
            f"{task}: {metric!r} of a sample is its log-likelihood{per}, and more is better; "
            "exp(-mean) is the perplexity of the results"
        )
        self.found.note("direction", said)
        return metric

    def _from_folder(self, file: Path) -> str:
        folder = file.resolve().parent.name
        name = model_of_folder(folder)
        note = f"no results file beside the samples in {folder!r}: the model is called {name!r}"
        self.found.note("agents", note, "agents={old: new}")
        return name

    def finish(self) -> None:
        self.say()
        if self.changed:
            said = (
                f"{len(self.changed)} documents ({min(self.changed)} …) have another doc_hash in another "
                "run: the runs may have used different versions of the task"
            )
            self.found.note("items", said, "exclude=[...] (--exclude)")


def _number(metric: str, given: Any) -> tuple[float | None, float]:
    """A score as a number, and the length that it is per; of other pairs (gold, prediction) None.

    >>> _number("word_perplexity", [-50.0, 10]), _number("acc", True), _number("f1", [1, 0])
    ((-5.0, 10.0), (1.0, 0.0), (None, 0.0))
    """
    if isinstance(given, list) and len(given) == 2 and _LIKELY.search(metric):
        total, length = map(as_number, given)
        return (total / length, length) if total is not None and length else (None, 0.0)
    return as_number(given), 0.0


def _task_and_time(file: Path) -> tuple[str, str]:
    """The task and the time in a name such as samples_arc_easy_2024-05-01T10-00-00.1.jsonl."""
    match = _SAMPLES.match(stem_of(file))
    assert match is not None  # a name has at least one character
    return match["task"], match["time"] or ""


# -- runs --------------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """What a results file says of its run."""

    model: str  # "" where it does not say
    directions: dict[str, dict[str, str]]  # by task and metric
    settings: dict[str, Any]  # what else may tell agents apart
    filters: dict[str, str]  # of each task the first
    tasks: set[str]
    sizes: dict[str, float]  # documents of each task; a run with a limit has fewer


def _run_in(content: dict[str, Any]) -> _Run:
    config, few = mapping(content, "config"), content.get("n-shot")
    revision = config.get("model_revision") or config.get("model_sha") or content.get("model_sha")
    shots = {k: v for k, v in few.items() if v} if isinstance(few, dict) else None
    settings = {"model+args": {"args": config.get("model_args"), "shots": shots}, "revision": revision}
    words = {True: "higher", False: "lower"}
    directions = {
        task: {name: words[better] for name, better in metrics.items() if isinstance(better, bool)}
        for task, metrics in mapping(content, "higher_is_better").items()
        if isinstance(metrics, dict)
    }
    first = {}
    for task, about in mapping(content, "configs").items():
        filters = about.get("filter_list") if isinstance(about, dict) else None
        if isinstance(filters, list) and filters and isinstance(filters[0], dict):
            first[str(task)] = str(filters[0].get("name"))
    tasks = {*mapping(content, "configs"), *mapping(content, "results")}
    counts = {task: mapping(content, "n-samples", task) for task in mapping(content, "n-samples")}
    sizes = {task: float(n) for task, one in counts.items() if (n := as_number(one.get("effective")))}
    return _Run(_model_of(content), directions, settings, first, tasks, sizes)


def _model_of(content: dict[str, Any]) -> str:
    """The model of a results file: `model_name`, or what `model_args` says."""
    if isinstance(content.get("model_name"), str) and content["model_name"]:
        return str(content["model_name"])
    config = mapping(content, "config")
    given = config.get("model_args")
    if isinstance(given, dict):
        given = ",".join(f"{k}={v}" for k, v in given.items())
    match = _MODEL.search(given) if isinstance(given, str) else None
    return match[1] if match else str(config.get("model") or "")


def _runs_of(
    samples: Sequence[Path], results: dict[Path, Any], found: Storage
) -> dict[tuple[Path, str], _Run]:
    """What is known of each run, by folder and time ("" for the only one of a folder)."""
    known = dict(results)
    for folder in sorted({file.parent for file in samples}):
        for file in sorted(folder.glob("results*.json*")):
            if file not in known and file not in found.skipped:
                with found.reading(file):
                    known[file] = load_json(file, found.options.encoding)
    runs: dict[tuple[Path, str], _Run] = {}
    for file, content in known.items():
        match = _RESULTS.match(stem_of(file))
        run = _run_in(content) if match and isinstance(content, dict) else None
        if match and run and run.model:
            runs[file.parent, match["time"] or ""] = run
    for folder in {folder for folder, _ in runs}:
        here = {time: run for (where, time), run in runs.items() if where == folder}
        if len({run.model for run in here.values()}) == 1:
            runs[folder, ""] = here[max(here)]
    return runs


def _no_filter(given: str, filters: Iterable[str], task: str) -> BadInput:
    return BadInput("filter", given, f"[not-found] is not in task {task!r}", f"it has {listed(filters, 9)}")


def _say_filter(task: str, taken: str | None, others: Iterable[str], found: Storage) -> None:
    said = f"{task}: the task's first filter {taken!r} was read, not {listed(others, 9)}"
    found.note("filter", said, "filter=... (--filter)")


# -- results -----------------------------------------------------------------------------------------


def _read_results(results: dict[Path, Any], found: Storage) -> None:
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
    run = _run_in(content)
    if not run.model and found.options.agent_from not in ("file", "folder"):
        problem = "[no-model] does not say which model it is of (no model_name, no config)"
        raise bad_file(file, problem, "add model_name to it, or pass agent_from='file'")
    model, skipped = found.agent(run.model, file, run.settings), _groups(content)
    groups |= skipped & set(content["results"])
    for task, scores in content["results"].items():
        unwanted = found.is_unwanted(file, model, str(task))
        if task not in skipped and isinstance(scores, dict) and not unwanted:
            ways, table = run.directions.get(task, {}), _table(scores)
            names = rising(table, ways)
            names = [name for name in names if name in common[task]] or names
            metric = metrics.of(task, table, file, names)
            settle_direction(metric, found, log=ways.get(metric), item=str(task))
            found.add(model, "", str(task), _filtered(table[metric], task, run.filters.get(task), found))
            few, shots = content.get("n-shot"), mapping(content, "config").get("num_fewshot")  # until 0.3
            shots = few.get(task, 0) if isinstance(few, dict) else shots
            found.detail(**({} if shots is None else {"configuration": f"num_fewshot={shots}"}))


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
        raise _no_filter(wanted, filters, task)
    taken = next(name for name in (wanted, first, *filters) if name in filters)
    if len(filters) > 1 and wanted is None:
        _say_filter(task, taken, [name for name in filters if name != taken], found)
    return filters[taken]
