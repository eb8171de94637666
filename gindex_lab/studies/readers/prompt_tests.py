"""Tests of prompts: promptfoo, DeepEval and OpenAI evals. Items are test cases by their content, which passed
or did not.

promptfoo (0.60 and newer) tries each test case with each provider and prompt. Read are `--output` files and
exports as JSON and YAML ({"results": {"version": 3, "results": [...]}, ...} or {"config", "results": [...]}),
JSONL (one result a line) and CSV (for each prompt a column `[provider] prompt`, then Status, Score; in older
files a cell begins with `[PASS] (1.00)`). A result has `provider`, `prompt`, `vars`, `success`, `score`,
`namedScores` and `failureReason` (2 is an error). The response is `success`, which makes promptfoo's pass
rate; an error counts as not passed there, and here. Equal test cases are repeats; files of one name and
several endings hold the same evaluation, and one of them is read. (promptfoo 0.121.20, run with its echo
provider in November 2026.)

DeepEval (2.x and 3.x) writes a test run as JSON, in the folder of DEEPEVAL_RESULTS_FOLDER or `.deepeval`:
{"testCases": [{name, input, success, metricsData: [{name, score, threshold, success, error}]}],
"conversationalTestCases": [...], "hyperparameters": {"model": ...}}. The response is `success`, that is,
every metric of the case reached its threshold; `metric=` chooses the score of one metric. Empty fields are
not written, so that a case without metrics has neither. The default name of a case is its place. A file does
not name its model unless it is a hyperparameter. (test_run/*.py of deepeval 4.3.1, read in November 2026.)

OpenAI evals (`oaieval --record_path`, 1.x-3.x) writes JSONL of events, one file per run. The first line is
{"spec": {completion_fns, eval_name, base_eval, split}}; then come events {sample_id, type, data}, of type
"match" ({"correct": true}), "metrics" ({name: value}) and others; {"final_report": {...}} closes a run that
came to its end. The response is `correct`, whose mean is the accuracy of the report, or a metric.
(LocalRecorder of evals 3.0.1, run in November 2026.)
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gindex_lab.foundation.errors import short
from gindex_lab.foundation.files import whole_lines
from gindex_lab.studies.readers.metrics import Metrics, settle_direction
from gindex_lab.studies.readers.parts import document, field, loaded, mapping, names_by_file, score_of
from gindex_lab.studies.readers.roles import keep_roles
from gindex_lab.studies.readers.storage import Storage, as_number, text_code
from gindex_lab.studies.readers.text import LINES, bad_file, json_lines, open_text, stem_of, suffix_of

__all__ = ["read_deepeval", "read_openai_evals", "read_promptfoo"]


class _Case(NamedTuple):
    """One result of a test case."""

    agent: str
    prompt: str  # of promptfoo
    label: str
    content: object  # what tells the test from others
    scores: Mapping[str, Any]
    error: bool
    record: object  # where its roles may stand


def _metric_of(cases: Iterable[_Case], metrics: Metrics, file: Path, what: str) -> str:
    names = dict.fromkeys(name for one in cases for name in one.scores)
    metric = metrics.of("", names, file, what=what)
    settle_direction(metric, metrics.found)
    return metric


def _add_cases(
    cases: Mapping[Path, Sequence[_Case]], metric: str, metrics: Metrics, repeated: bool, found: Storage
) -> None:
    """Add every case; a test that stands there twice is one item."""
    labels: dict[int, str] = {}
    for file, some in cases.items():
        with found.reading(file):
            for one in some:
                code = text_code(one.content)
                item = found.item_name("", labels.setdefault(code, one.label), one.content)
                value = score_of(one.scores.get(metric), file, repr(item))
                trial = found.turn(one.agent, "", item) if repeated else None
                found.add(one.agent, "", item, value, trial=trial)
                keep_roles(found, "", item, {"metadata": one.record})
                found.detail(text=code, errored=one.error)
                if not repeated and value != value:
                    found.count("gaps", f"cases have no score by {metric!r}, and count as missing")
    metrics.say()


# -- DeepEval ----------------------------------------------------------------------------------------


def read_deepeval(files: Sequence[Path], found: Storage) -> None:
    """Agents are models (or files), items are test cases by their input."""
    runs = loaded(files, found)
    models = {file: mapping(content, "hyperparameters").get("model") for file, content in runs.items()}
    unnamed = [file for file, model in models.items() if not model or not isinstance(model, str)]
    models |= names_by_file(unnamed, found, prefer="file") if unnamed else {}
    cases: dict[Path, list[_Case]] = {}
    for file, content in runs.items():
        with found.reading(file):
            some = [(case, _scores(case, file)) for case in _cases(content, file)]
            agent = found.agent(str(models[file]), file)
            cases[file] = [_case(case, agent, scores) for case, scores in some]
            said = "cases have a metric that ended in an error"
            found.count("gaps", said, sum(one.error for one in cases[file]))
    metrics = Metrics(found)
    whole = [case for some in cases.values() for case in some]
    metric = _metric_of(whole, metrics, files[0], "the test run")
    _add_cases(cases, metric, metrics, False, found)


def _case(case: dict[str, Any], agent: str, scores: dict[str, Any]) -> _Case:
    content = case.get("input") or case.get("scenario") or case.get("turns") or case.get("name")
    label = str(case.get("name") or f"case {text_code(content):08x}")
    error = any(isinstance(one, dict) and one.get("error") for one in _data(case))
    return _Case(agent, "", label, content, scores, error, case | mapping(case, "additionalMetadata"))


def _cases(content: Any, file: Path) -> list[dict[str, Any]]:
    lists = ("testCases", "conversationalTestCases", "test_results")
    some = [content.get(name) or [] for name in lists] if isinstance(content, dict) else []
    if any(not isinstance(one, list) for one in some):
        raise bad_file(file, "[wrong-type] has test cases that are not a list", "write the run again")
    cases = [case for one in some for case in one]
    if not cases:
        raise bad_file(file, "[empty] has no test case", "run the tests again")
    for number, case in enumerate(cases, 1):
        if not isinstance(case, dict) or not isinstance(_data(case), list):
            problem = f"[wrong-type] has metricsData that are not a list in test case {number}"
            raise bad_file(file, problem, "run the tests again")
    return cases


def _data(case: dict[str, Any]) -> Any:
    return case.get("metricsData", case.get("metrics_data", []))


def _scores(case: dict[str, Any], file: Path) -> dict[str, Any]:
    """Whether the case passed, and the score of each metric; one that broke has none."""
    scores: dict[str, Any] = {"success": case.get("success")}
    for one in _data(case):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            raise bad_file(file, "[wrong-type] has a metric without a name", "run the tests again")
        broken = one.get("error") or as_number(one.get("score")) is None
        scores[one["name"]] = None if broken else one.get("score")
    return scores


# -- promptfoo ---------------------------------------------------------------------------------------

_EXPORT = "export it again with `promptfoo export eval`"
_CELL = re.compile(r"'?\[(PASS|FAIL|ERROR)\]\s*(?:\((-?[\d.]++)[^)]*\))?")


def read_promptfoo(files: Sequence[Path], found: Storage) -> None:
    """Agents are providers (with the prompt where there are several), items are test cases."""
    by_file: dict[Path, list[_Case]] = {}
    for file in _once(files, found):
        with found.reading(file):
            by_file[file] = list(_results(file, found))
    results = [one for some in by_file.values() for one in some]
    if not results:
        raise bad_file(files[0], "[empty] has no result", "run the evaluation again")
    metrics = Metrics(found)
    metric = _metric_of(results, metrics, files[0], "the results")
    agents = _agents(results, found)
    for file, some in by_file.items():
        by_file[file] = [one._replace(agent=agents[one.agent, one.prompt]) for one in some]
    _add_cases(by_file, metric, metrics, True, found)
    said = "results ended in an error; their score is the one in the file"
    if metric == "success":
        said = "results that ended in an error count as failed, as in the headline of promptfoo"
    found.count("gaps", said, sum(one.error for one in results))


def _once(files: Sequence[Path], found: Storage) -> list[Path]:
    """Each evaluation once: `-o out.json -o out.csv` writes it in both."""
    order = (".json", ".yaml", ".yml", ".jsonl", ".ndjson", ".csv", ".tsv")
    same: dict[Path, list[Path]] = {}
    for file in sorted(files, key=lambda each: [*order, suffix_of(each)].index(suffix_of(each))):
        same.setdefault(file.with_name(stem_of(file)), []).append(file)
    left = [file.name for some in same.values() for file in some[1:]]
    if left:
        said = f"{len(left)} files hold the same evaluation as another ({', '.join(left[:3])})"
        found.note("files", said, "naming the file")
    return [some[0] for some in same.values()]


def _agents(results: Sequence[_Case], found: Storage) -> dict[tuple[str, str], str]:
    """Providers; one that was given several prompts is an agent with each of them."""
    pairs = dict.fromkeys((one.agent, one.prompt) for one in results)
    count = Counter(provider for provider, _ in pairs)
    prompts = list(dict.fromkeys(prompt for provider, prompt in pairs if count[provider] > 1))
    numbers = {prompt: f"prompt {k + 1}" for k, prompt in enumerate(prompts)}
    if prompts:
        shown = "; ".join(f"{numbers[p]}: {short(p)}" for p in prompts[:3])
        found.notes.append(f"a provider with each of the {len(prompts)} prompts is an agent ({shown} …)")
    return {
        (provider, prompt): f"{provider} ({numbers[prompt]})" if count[provider] > 1 else provider
        for provider, prompt in pairs
    }


def _results(file: Path, found: Storage) -> Iterator[_Case]:
    suffix = suffix_of(file)
    if suffix in (".csv", ".tsv"):
        yield from _table(file, found)
        return
    rows: Any
    if suffix in LINES:
        rows = (row for _, row in json_lines(file, found.notes, found.options.encoding))
    else:
        rows = document(file, found)
        for _ in range(2):  # {"results": {"results": [...]}}, {"results": [...]} or the list itself
            rows = rows.get("results") if isinstance(rows, dict) else rows
        if not isinstance(rows, list):
            problem = f"[wrong-type] has results={short(rows)} where promptfoo writes a list"
            raise bad_file(file, problem, _EXPORT)
    for number, row in enumerate(rows, 1):
        yield _result(row, number, file)


def _result(row: Any, number: int, file: Path) -> _Case:
    if not isinstance(row, dict) or not isinstance(row.get("success"), bool):
        raise bad_file(file, f"[wrong-type] has no success (true or false) in result {number}", _EXPORT)
    provider, prompt, test = row.get("provider"), mapping(row, "prompt"), mapping(row, "testCase")
    name = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    if not name:
        raise bad_file(file, f"[wrong-type] names no provider in result {number}", "export it again")
    values = test.get("vars") if "vars" in test else row.get("vars")
    scores = {"success": row["success"], "score": row.get("score")} | mapping(row, "namedScores")
    index = row.get("testIdx")
    label = str(test.get("description") or f"test {index + 1 if isinstance(index, int) else number}")
    written = str(prompt.get("label") or prompt.get("display") or prompt.get("raw") or "")
    content = [values, test.get("assert"), test.get("description")]
    return _Case(str(name), written, label, content, scores, row.get("failureReason") == 2, values)


def _table(file: Path, found: Storage) -> Iterator[_Case]:
    separator = "\t" if suffix_of(file) == ".tsv" else ","
    with open_text(file, found.options.encoding) as text:
        rows = csv.reader(whole_lines(text, file), delimiter=separator)
        header = [name.lstrip("\ufeff") for name in next(rows, [])]
        prompts = _prompts(header)
        if not prompts:
            raise bad_file(file, "[missing-field] has no column of a prompt", "export it again")
        for number, row in enumerate(rows, 1):
            if row and len(row) != len(header):
                raise bad_file(file, f"[wrong-type] has {len(row)} cells in row {number}", "export it again")
            for at, (provider, prompt) in prompts.items() if row else ():
                status, score = _verdict(row, header, at)
                if status:
                    scores = {"success": status == "PASS", "score": score}
                    content = row[: min(prompts)] or [str(number)]
                    error = status == "ERROR"
                    yield _Case(provider, prompt, f"test {number}", content, scores, error, None)


def _prompts(header: Sequence[str]) -> dict[int, tuple[str, str]]:
    """The columns that hold answers, with provider and prompt."""
    newer = [k for k in range(len(header) - 1) if header[k + 1] == "Status"]
    older = [k for k, name in enumerate(header) if re.match(r"\[[^]]+\] ", name)]
    found = {}
    for k in newer or older:
        match = re.match(r"\[([^]]+)\] ?(.*)", header[k], re.DOTALL)
        found[k] = (match[1], match[2]) if match else (header[k], "")
    return found


def _verdict(row: Sequence[str], header: Sequence[str], at: int) -> tuple[str, str | None]:
    if at + 2 < len(header) and header[at + 1] == "Status":
        return row[at + 1], row[at + 2] or None
    match = _CELL.match(row[at])
    return (match[1], match[2]) if match else ("", None)


# -- OpenAI evals ------------------------------------------------------------------------------------


_TOOL = "OpenAI evals"


def read_openai_evals(files: Sequence[Path], found: Storage) -> None:
    """Agents are completion functions, families are evals, items are samples."""
    metrics = Metrics(found)
    for file in files:
        with found.reading(file):
            lines = [line for _, line in json_lines(file, found.notes, found.options.encoding)]
            agent, family = _names(lines[0] if lines else {}, file)
            agent = found.agent(agent, file)
            scores, errors = _events(lines, file)
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


def _events(lines: Sequence[dict[str, Any]], file: Path) -> tuple[dict[str, dict[str, float]], int]:
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
