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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gindex_lab.foundation.errors import short
from gindex_lab.studies.readers.harness_results import TIME, Run, no_filter, read_results, runs_of
from gindex_lab.studies.readers.metrics import Metrics, lacks_metric, rising, settle_direction
from gindex_lab.studies.readers.parts import loaded, model_of_folder
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, as_number
from gindex_lab.studies.readers.text import bad_file, json_lines, listed, stem_of, suffix_of

__all__ = ["read_lm_eval"]

_SAMPLES = re.compile(rf"(?:samples_)?(?P<task>.+?)(?:_(?P<time>{TIME}))?$")
_LIKELY = re.compile("perplexity|ppl|bits_per")
# Older logs do not list their metrics: those that the harness has by default
_USUAL = ("exact_match", "acc", "acc_norm", "em", "f1", "pass@1", "prompt_level_strict_acc")


def read_lm_eval(files: Sequence[Path], found: Storage) -> None:
    """Read samples where there are some, and otherwise results."""
    samples = [f for f in files if suffix_of(f) != ".json"]
    results = loaded([file for file in files if file not in samples], found)
    if not samples:
        read_results(results, found)
        return
    runs = runs_of(samples, results, found)
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


def _newest(samples: Sequence[Path], runs: Mapping[tuple[Path, str], Run], found: Storage) -> list[Path]:
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

    def read(self, file: Path, runs: Mapping[tuple[Path, str], Run]) -> None:
        task, time = _task_and_time(file)
        run = runs.get((file.parent, time)) or runs.get((file.parent, ""))
        if run and not time:  # the name ends with the task: the longest that is known
            ends = [one for one in run.tasks if task == one or task.endswith(f"_{one}")]
            task = max(ends, key=len, default=task)
        model = self.found.agent(
            run.model if run else self._from_folder(file), file, run.settings if run else {}
        )
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
            said = f"{task}: the task's first filter {wanted!r} was read, not {listed(others, 9)}"
            self.found.note("filter", said, "filter=... (--filter)")
        return scored is not None or not others

    def _wanted_filter(self, file: Path, task: str) -> str | None:
        """The filter that was asked for, where the task has it; None to take the task's first."""
        given = self.found.options.filter
        if given is None:
            return None
        lines = json_lines(file, [], self.found.options.encoding)
        filters = dict.fromkeys(str(line.get("filter", "none")) for _, line in lines)
        if len(filters) > 1 and given not in filters:
            raise no_filter(given, filters, task)
        return given if given in filters else None

    def _add(
        self, line: dict[str, Any], number: int, model: str, task: str, ways: Mapping[str, str], file: Path
    ) -> None:
        if "doc_id" not in line:
            raise bad_file(
                file, f"[no-id] has no doc_id in line {number}", "write the log with --log_samples"
            )
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
        known: dict[str, Any] = {}
        if text is not None:
            known["text"] = zlib.crc32(json.dumps(text, default=str).encode())
        if self.shots is not None:
            known["configuration"] = f"num_fewshot={self.shots}"
        self.found.detail(**known)

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
